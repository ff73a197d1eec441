/**
 * Faults that the control surface arms for tests of clients. The gateway takes one before it handles a request that
 * matches, and the streams before they send a frame. The control surface itself ignores faults, so it stays reachable.
 */
export interface Fault {
  /** Absent: every request. `path` is exact, without the query. */
  readonly match?: { readonly method?: string; readonly path?: string };
  /** Delays the request. */
  readonly latencyMs?: number;
  /** Answers this HTTP status instead of handling the request: nothing is committed. */
  readonly status?: number;
  /** Handles the request, commits its command, and closes the connection without an answer. */
  readonly dropReply?: boolean;
  /** Ends the connections of open streams when it is armed, without a word. `path`: of one socket. */
  readonly closeStreams?: boolean;
  /** Delays a frame of a topic. Later frames of the client wait behind it. */
  readonly streamLatencyMs?: number;
  /** Does not send a frame of a topic. */
  readonly dropFrames?: boolean;
  /** Skips a number in the sequence of a book, before its next delta. */
  readonly gapBook?: boolean;
  /** How many requests, or frames of streams, it affects. Default: 1. */
  readonly times?: number;
}

/** An armed fault and its counts. */
export interface FaultState {
  readonly fault: Fault;
  /** How many requests or frames it has affected. */
  hits: number;
  /** How many it will still affect. 0: it is spent. */
  left: number;
  /** The last command before it last affected something. Null: it has not. */
  lastHitSeq: number | null;
}

/** How many spent faults are still listed. */
const MOST_SPENT = 100;

export class Faults {
  readonly #seq: () => number;
  #armed: FaultState[] = [];
  #spent: FaultState[] = [];

  /** `seq`: of the last applied command. */
  constructor(seq: () => number = () => 0) {
    this.#seq = seq;
  }

  arm(fault: Fault): void {
    this.#armed.push({ fault, hits: 0, left: fault.times ?? 1, lastHitSeq: null });
  }

  clear(): void {
    this.#armed = [];
    this.#spent = [];
  }

  get count(): number {
    return this.#armed.length;
  }

  /** The latest spent faults, then all armed ones. */
  get states(): readonly FaultState[] {
    return [...this.#spent, ...this.#armed];
  }

  /** The oldest armed fault that matches a request, counted down. Null if none does. */
  take(method: string, path: string): Fault | null {
    return this.#take((fault) => {
      const { match } = fault;
      return !isOfStreams(fault) && (match?.method ?? method) === method && (match?.path ?? path) === path;
    });
  }

  /** The same for a frame of a topic that is about to be sent on a socket. */
  takeFrame(path: string): Fault | null {
    return this.#take(
      ({ match, streamLatencyMs, dropFrames }) =>
        (dropFrames === true || streamLatencyMs !== undefined) && (match?.path ?? path) === path,
    );
  }

  /** The same for the number of a delta of a book. */
  takeNumber(path: string): Fault | null {
    return this.#take(({ match, gapBook }) => gapBook === true && (match?.path ?? path) === path);
  }

  #take(matches: (fault: Fault) => boolean): Fault | null {
    if (this.#armed.length === 0) return null;
    const met = this.#armed.find(({ fault }) => matches(fault));
    if (met === undefined) return null;
    met.hits++;
    met.lastHitSeq = this.#seq();
    met.left--;
    if (met.left === 0) {
      this.#armed = this.#armed.filter((one) => one !== met);
      this.#spent = [...this.#spent, met].slice(-MOST_SPENT);
    }
    return met.fault;
  }
}

/** It affects frames of streams, not requests. */
export function isOfStreams({ streamLatencyMs, dropFrames, gapBook }: Fault): boolean {
  return streamLatencyMs !== undefined || dropFrames === true || gapBook === true;
}
