/** The wait before the next attempt. It doubles after each failure, until attempts have succeeded for a while. */
const FIRST_MS = 1000;
const MOST_MS = 60_000;

export class Backoff {
  #waitMs = 0;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  /** The wait after a failure at `nowMs`, which is monotonic. */
  next(nowMs: number): number {
    const wentWell = nowMs - this.#failedAtMs > this.#waitMs + MOST_MS;
    this.#waitMs = wentWell ? FIRST_MS : Math.min(2 * this.#waitMs, MOST_MS);
    this.#failedAtMs = nowMs;
    return this.#waitMs;
  }
}
