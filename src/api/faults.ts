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

export class Faults {
  #armed: { readonly fault: Fault; left: number }[] = [];

  arm(fault: Fault): void {
    this.#armed.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.#armed = [];
  }

  get count(): number {
    return this.#armed.length;
  }

  /** The oldest armed fault that matches, counted down; null when none does. */
  take(method: string, path: string): Fault | null {
    if (this.#armed.length === 0) return null;
    const met = this.#armed.find(({ fault: { match } }) => {
      return (match?.method ?? method) === method && (match?.path ?? path) === path;
    });
    if (met === undefined) return null;
    met.left--;
    if (met.left <= 0) this.#armed = this.#armed.filter((one) => one !== met);
    return met.fault;
  }
}
