/**
 * Faults that the control surface arms for tests of clients. The gateway takes one before it handles a request that
 * matches. The control surface itself ignores faults, so it stays reachable.
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
  /** Closes the open streams. The gateway has no streams yet. */
  readonly closeStreams?: boolean;
  /** How many requests it affects. Default: 1. */
  readonly times?: number;
}

/** An armed fault and its counts. */
export interface FaultState {
  readonly fault: Fault;
  /** How many requests it has affected. */
  hits: number;
  /** How many it will still affect. 0: it is spent. */
  left: number;
}

/** How many spent faults are still listed. */
const MOST_SPENT = 100;

export class Faults {
  #armed: FaultState[] = [];
  #spent: FaultState[] = [];

  arm(fault: Fault): void {
    this.#armed.push({ fault, hits: 0, left: fault.times ?? 1 });
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

  /** The oldest armed fault that matches, counted down. Null if none does. */
  take(method: string, path: string): Fault | null {
    if (this.#armed.length === 0) return null;
    const met = this.#armed.find(({ fault: { match } }) => {
      return (match?.method ?? method) === method && (match?.path ?? path) === path;
    });
    if (met === undefined) return null;
    met.hits++;
    met.left--;
    if (met.left === 0) {
      this.#armed = this.#armed.filter((one) => one !== met);
      this.#spent = [...this.#spent, met].slice(-MOST_SPENT);
    }
    return met.fault;
  }
}
