/**
 * Decides whether the venue's thread waits for the sync of a batch itself, or gives it to another thread.
 *
 * Giving it away costs two changes of thread. Commands that arrive meanwhile form the next batch, so batches are half as
 * large. Waiting costs the time of the sync, in which nothing is read or answered. Both cost the same if a sync takes
 * LIMIT_MS (bench/README.md).
 *
 * How long a sync takes is known only if the thread has waited for it. A disk is slow when SLOW_IN_ROW of these syncs in
 * a row took longer than LIMIT_MS. Then the thread waits for one sync every RETRY_MS, to see whether the disk is still
 * slow. A new engine waits for its first sync, and goes by that one.
 */
export const LIMIT_MS = 0.6;
export const SLOW_IN_ROW = 4;
export const RETRY_MS = 1000;

export class BlockingSyncs {
  #slowInRow = SLOW_IN_ROW;
  /** When the last sync ended for which the thread has waited. Minus infinity: there was none. */
  #endedAtMs = Number.NEGATIVE_INFINITY;

  /** Whether the thread waits for a sync that begins at `nowMs`, in monotonic time. */
  mayBlock(nowMs: number): boolean {
    return this.#slowInRow < SLOW_IN_ROW || nowMs - this.#endedAtMs >= RETRY_MS;
  }

  /** Call it when the thread has waited for a sync. */
  ended(nowMs: number, tookMs: number): void {
    this.#endedAtMs = nowMs;
    this.#slowInRow = tookMs <= LIMIT_MS ? 0 : Math.min(this.#slowInRow + 1, SLOW_IN_ROW);
  }
}
