/**
 * Decides whether the venue's thread waits for the sync of a batch itself, or gives it to another thread.
 *
 * Giving it away takes two changes of thread. Commands that come meanwhile form another batch, so batches are half as
 * large. Waiting takes the time of the sync, in which nothing is read or answered. On a fast disk waiting costs less:
 * measured in bench/README.md, where both are equal at about LIMIT_MS.
 *
 * How long a sync takes is known only if the thread has waited for it. A disk is slow when SLOW_IN_ROW of these syncs in
 * a row took longer than LIMIT_MS. Then the thread waits once every RETRY_MS, to see whether it still is.
 */
export const LIMIT_MS = 0.6;
export const SLOW_IN_ROW = 4;
export const RETRY_MS = 1000;

export class BlockingSyncs {
  #slowInRow = SLOW_IN_ROW;
  #endedAtMs = Number.NEGATIVE_INFINITY;

  /** Whether the thread waits for the sync that begins now, in monotonic time. */
  mayBlock(nowMs: number): boolean {
    return this.#slowInRow < SLOW_IN_ROW || nowMs - this.#endedAtMs >= RETRY_MS;
  }

  /** The thread has waited for a sync. */
  ended(nowMs: number, tookMs: number): void {
    this.#endedAtMs = nowMs;
    this.#slowInRow = tookMs <= LIMIT_MS ? 0 : Math.min(this.#slowInRow + 1, SLOW_IN_ROW);
  }
}
