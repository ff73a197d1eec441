/**
 * What waits for a moment of venue time: requests and frames that a fault delays, and closings of streams.
 *
 * Invariants:
 * - On a manual clock nothing happens by itself. What moves the clock stops at `nextDueMs` and calls `release` there,
 *   so each act sees the time that it waited for.
 * - On a real clock each act runs by a timer, at its time or soon after.
 *
 * Cost: nothing while nothing waits. A wait is put into a sorted list.
 */
import type { World } from '../../engine/contract/world.ts';

/** A timer looks again after this time, because the speed of the clock may have changed. */
const LONGEST_TIMER_MS = 1000;

type Act = () => unknown;

interface Wait {
  readonly atMs: number;
  readonly act: Act;
}

export interface VenueWaitsOptions {
  /** Venue time, epoch ms. */
  readonly nowMs: () => number;
  /** Venue time per elapsed time. Null: the clock is manual. */
  readonly speed: () => number | null;
  readonly world: Pick<World, 'timer'>;
}

export class VenueWaits {
  readonly #options: VenueWaitsOptions;
  /** The earliest first; of equal times the first that came. */
  readonly #waits: Wait[] = [];

  constructor(options: VenueWaitsOptions) {
    this.#options = options;
  }

  /** When the next act is due, epoch ms. Infinity: nothing waits. */
  get nextDueMs(): number {
    return this.#waits.at(0)?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /** Runs the act at that time, or at once if it has come. What the act returns is what `release` waits for. */
  at(atMs: number, act: Act): void {
    if (atMs <= this.#options.nowMs()) {
      act();
      return;
    }
    const wait = { atMs, act };
    const behind = this.#waits.findIndex((other) => other.atMs > atMs);
    if (behind < 0) this.#waits.push(wait);
    else this.#waits.splice(behind, 0, wait);
    if (this.#options.speed() !== null) this.#runByTimer(wait);
  }

  /** Runs what is due. Resolves when all of it is done. */
  async release(): Promise<void> {
    const nowMs = this.#options.nowMs();
    const due: unknown[] = [];
    while (this.nextDueMs <= nowMs) due.push((this.#waits.shift() as Wait).act());
    await Promise.allSettled(due);
  }

  #runByTimer(wait: Wait): void {
    const { nowMs, speed, world } = this.#options;
    const leftMs = (wait.atMs - nowMs()) / (speed() ?? 1);
    const timer = world.timer(Math.min(Math.max(leftMs, 1), LONGEST_TIMER_MS), () => {
      const at = this.#waits.indexOf(wait);
      if (at < 0) return;
      if (nowMs() < wait.atMs) {
        this.#runByTimer(wait);
        return;
      }
      this.#waits.splice(at, 1);
      wait.act();
    });
    timer.unref();
  }
}
