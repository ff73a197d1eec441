/**
 * On a real clock: has the venue tick when one of its timers is due. A tick is a command, so it is submitted and logged like
 * any other.
 *
 * Cost: a timer of the process, set anew after each batch.
 */
import type { Venue } from '../../venue/venue.ts';
import type { Timer, World } from '../contract/world.ts';

/** The wait after a tick that failed. It will probably fail again, and each failure rebuilds the venue. */
const FAILED_TICK_MS = 60_000;
/** The longest wait until a real clock is checked again. A timer of the process does not count the machine's sleep. */
const CLOCK_CHECK_MS = 1000;

export interface TickTimerOptions {
  readonly world: Pick<World, 'timer'>;
  /** Venue time per elapsed time. */
  readonly speed: () => number;
  readonly venue: () => Venue;
  /** The venue's time. */
  readonly nowMs: () => number;
  /** A batch is in progress: its commands fire what is due, and the venue may be half-way through one. */
  readonly isWorking: () => boolean;
  readonly tick: () => Promise<unknown>;
}

export class TickTimer {
  readonly #options: TickTimerOptions;
  #timer: Timer | undefined;
  #notBeforeMs = 0;
  #keepsAlive = true;
  #isStopped = false;

  constructor(options: TickTimerOptions) {
    this.#options = options;
  }

  /** Sets the timer for the next check, when a timer of the venue is due or after a second. */
  schedule(): void {
    const { world, speed, venue, nowMs, isWorking } = this.#options;
    this.#timer?.clear();
    if (this.#isStopped || venue().genesis?.clock !== 'real') return;
    const dueMs = isWorking() ? Number.POSITIVE_INFINITY : this.#nextMs();
    const waitMs = Math.max(dueMs - nowMs(), 0) / speed();
    this.#timer = world.timer(Math.min(waitMs, CLOCK_CHECK_MS), () => this.#check());
    // A check alone does not keep the process alive. A timer of the venue does, as an open order with a deadline must.
    if (!this.#keepsAlive || dueMs === Number.POSITIVE_INFINITY) this.#timer.unref();
  }

  /** A tick failed. */
  rest(): void {
    this.#notBeforeMs = this.#options.nowMs() + FAILED_TICK_MS;
  }

  /** From now on it does not keep the process alive. */
  unref(): void {
    this.#keepsAlive = false;
    this.#timer?.unref();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.clear();
  }

  /** When a tick is next needed: when the venue's next timer is due, but not during the wait after a failed tick. */
  #nextMs(): number {
    return Math.max(this.#options.venue().nextDueMs(), this.#notBeforeMs);
  }

  #check(): void {
    const { nowMs, isWorking, tick } = this.#options;
    const isDue = !isWorking() && this.#nextMs() <= nowMs();
    if (isDue)
      tick().catch(() => {}); // If the tick is refused, the timer stays due, and the next check tries again.
    else this.schedule();
  }
}
