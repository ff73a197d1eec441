/**
 * Decides whether the venue's thread waits for the sync of a batch itself, or gives it to another thread.
 *
 * Giving it away costs two changes of thread. Commands that arrive meanwhile form the next batch, so batches are half as
 * large. Waiting costs the time of the sync, in which nothing is read or answered. Up to LIMIT_MS that costs no more
 * (bench/README.md).
 *
 * How long a sync takes is known only if the thread has waited for it. A disk is slow when SLOW_IN_ROW of these syncs in
 * a row took longer than LIMIT_MS. Then the thread waits for one sync every RETRY_MS, to see whether the disk is still
 * slow, and for at most a hundredth of the time: after one of 300 ms it tries again half a minute later. A new engine waits
 * for its first sync, and goes by that one.
 */
export const LIMIT_MS = 1;
export const SLOW_IN_ROW = 4;
export const RETRY_MS = 1000;
/** On a slow disk the thread waits for no sync for this many times as long as the last one took. */
export const RETRY_SYNCS = 100;

export class BlockingSyncs {
  #slowInRow = SLOW_IN_ROW;
  /** When the thread waits for a sync again, if the disk is slow. Minus infinity: it has waited for none. */
  #retryAtMs = Number.NEGATIVE_INFINITY;

  /** Whether the thread waits for a sync that begins at `nowMs`, in monotonic time. */
  mayBlock(nowMs: number): boolean {
    return this.#slowInRow < SLOW_IN_ROW || nowMs >= this.#retryAtMs;
  }

  /** Call it when the thread has waited for a sync. */
  ended(nowMs: number, tookMs: number): void {
    this.#retryAtMs = nowMs + Math.max(RETRY_MS, RETRY_SYNCS * tookMs);
    this.#slowInRow = tookMs <= LIMIT_MS ? 0 : Math.min(this.#slowInRow + 1, SLOW_IN_ROW);
  }
}
