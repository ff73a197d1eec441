/**
 * Faults armed on the control surface for tests of clients: the gateway takes one before it handles a request that
 * matches. The control surface itself never asks, so it stays reachable.
 */
export interface Fault {
  /** Both absent: every request. path is exact, without query. */
  readonly match?: { readonly method?: string; readonly path?: string };
  /** Waits so long before the request is handled. */
  readonly latencyMs?: number;
  /** Answers this HTTP status instead of handling the request: nothing is committed. */
  readonly status?: number;
  /** Handles the request, commits its command, and closes the connection without an answer. */
  readonly dropReply?: boolean;
  /** Closes the open streams when it is taken; the gateway serves none yet. */
  readonly closeStreams?: boolean;
  /** How many requests it meets; 1 when absent. */
  readonly times?: number;
}

/** A fault that was armed, and what became of it. */
export interface FaultState {
  readonly fault: Fault;
  /** How many requests it has met. */
  hits: number;
  /** How many it will still meet; 0: it is spent. */
  left: number;
}

/** Spent faults that are still listed. */
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

  /** The latest spent ones, then all that are armed. */
  get states(): readonly FaultState[] {
    return [...this.#spent, ...this.#armed];
  }

  /** The oldest armed fault that matches, counted down; null when none does. */
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
