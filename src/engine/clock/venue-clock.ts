/**
 * The venue's clock in real-time mode. It runs on elapsed time, and follows the machine's clock slowly.
 *
 * Invariants:
 * - It never goes back. Between two readings it advances by the elapsed time, plus or minus one part in a hundred.
 * - Elapsed time is the monotonic clock plus the time that the machine slept, which uptime shows.
 * - Within 10 s of the machine's clock it slews towards it, by 1 ms in 100 ms. A larger difference is refused: time
 *   continues on elapsed time alone, until the machine's clock is back or `acceptWall` accepts it.
 * - It begins at the later of the machine's clock and the log, or where the clock that it continues has got to.
 * - With a speed it runs on elapsed time × speed, and follows no other clock, until `acceptWall`. A change of speed is no jump.
 * - It jumps only forwards: by a sleep of the machine, noticed at the first reading after it, and by `acceptWall`. Each
 *   jump is noted: the time before it, and the moment of the last one.
 *
 * Cost: a reading reads two clocks, less than half a microsecond. Uptime is read at most once a second, and when the
 * machine's clock has moved against the monotonic one, as it does after a sleep.
 */
import type { OnNotice } from '../contract/notice.ts';
import type { World } from '../contract/world.ts';

/** A difference up to this is slewed. A larger one is refused. */
export const MOST_SLEWED_MS = 10_000;
/** The rate of a slew, per unit of elapsed time. */
const SLEW = 0.01;
const UPTIME_EVERY_MS = 1000;
/** A move of the machine's clock against the monotonic one that means: somebody set it, or the machine slept. */
const MOVED_MS = 20;
/** A machine's clock that is followed, and is ahead by less than this, is the venue's. */
const LEAST_JUMP_MS = 1;
/** Linux reports uptime in hundredths of a second, rounded down. */
const UPTIME_GRAIN_MS = 10;

export type ClockState =
  /** Equal to the machine's clock, or within 10 s and slewing. */
  | 'following'
  /** The machine's clock was behind and an operator accepted it. The venue's clock slews back to it. */
  | 'slewing'
  /** The machine's clock is more than 10 s away, and is not followed. */
  | 'refused'
  /** Like `refused`, since the start: the log is ahead of the machine's clock. */
  | 'logAhead'
  /** It has a speed, and does not follow the machine's clock. */
  | 'scaled';

/** The speeds that a clock may have. */
export const SPEEDS = { least: 0.1, most: 1000 } as const;

export interface ClockReading {
  readonly state: ClockState;
  /** Venue time, epoch milliseconds. */
  readonly timeMs: number;
  /** Venue time per elapsed time. */
  readonly speed: number;
  /** The machine's clock minus the venue's. */
  readonly offsetMs: number;
  /** What is wrong, and what to do. Undefined: nothing. */
  readonly problem: string | undefined;
}

export interface VenueClockOptions {
  readonly world: World;
  /** The earliest venue time: the time of the last command in the log. */
  readonly notBeforeMs: number;
  /** Venue time now, if another process has kept it until now. It is slewed to this machine's clock from there. */
  readonly continuesAtMs?: number;
  /** Called when the machine's clock is refused, and when that ends. */
  readonly onNotice?: OnNotice;
}

export class VenueClock {
  /** How often the machine's clock was refused. */
  refusals = 0;
  /** The moment of the last jump, on the monotonic clock. Minus infinity: there was none. */
  jumpedAtMs = Number.NEGATIVE_INFINITY;
  /** Venue time just before each jump. */
  readonly jumpedFromMs: number[] = [];
  readonly #world: World;
  readonly #onNotice: OnNotice;
  readonly #startMs: number;
  readonly #monotonicStartMs: number;
  /** What was slewed or accepted since the start. */
  #shiftMs = 0;
  /** Elapsed time at the last reading. */
  #elapsedMs = 0;
  #timeMs: number;
  #sleptMs = 0;
  /**
   * Uptime minus the monotonic clock, before any sleep. Never too small, so that no sleep is counted that did not
   * happen.
   */
  #uptimeLeadMs: number | null = null;
  #uptimeReadAtMs = Number.NEGATIVE_INFINITY;
  #wallLeadMs = 0;
  /** Venue time per elapsed time. Null: 1, and it follows the machine's clock. */
  #speed: number | null = null;
  #state: ClockState = 'following';
  /** True: the present refusal was already reported. */
  #refusalReported = false;
  /** How far behind the machine's clock may be. More than usual after an `acceptWall`. */
  #mostBehindMs = MOST_SLEWED_MS;

  constructor({ world, notBeforeMs, continuesAtMs, onNotice = () => {} }: VenueClockOptions) {
    this.#world = world;
    this.#onNotice = onNotice;
    this.#monotonicStartMs = world.monotonicMs();
    const wallMs = world.wallMs();
    this.#startMs = Math.max(continuesAtMs ?? wallMs, notBeforeMs);
    this.#timeMs = this.#startMs;
    if (this.#startMs - wallMs > MOST_SLEWED_MS) this.#state = 'logAhead';
    this.#findSleep(this.#monotonicStartMs, wallMs);
  }

  /** Venue time, in whole epoch milliseconds. */
  nowMs(): number {
    this.#read();
    return this.#timeMs;
  }

  reading(): ClockReading {
    const gapMs = this.#read();
    return {
      state: this.#state,
      timeMs: this.#timeMs,
      speed: this.speed,
      offsetMs: Math.round(gapMs),
      problem: this.#isRefused() ? problemOf(this.#state, gapMs) : undefined,
    };
  }

  /** Venue time per elapsed time. */
  get speed(): number {
    return this.#speed ?? 1;
  }

  /** From now on venue time is elapsed time × speed, until `acceptWall`. The speed is within SPEEDS. */
  setSpeed(speed: number): void {
    this.#read();
    this.#speed = speed;
    this.#state = 'scaled';
    this.#refusalReported = false;
    this.#onNotice(`the venue's clock runs at ${speed} times elapsed time, and does not follow the machine's clock`);
  }

  /**
   * Accepts the machine's clock as it is now, and ends a speed. If it is ahead, venue time jumps to it. If it is behind, venue time slews
   * back, because it never goes back. If the machine's clock is followed already and is not ahead, nothing changes.
   */
  acceptWall(): void {
    const gapMs = this.#read();
    const wasScaled = this.#speed !== null;
    this.#speed = null;
    if (!wasScaled && !this.#isRefused() && gapMs < LEAST_JUMP_MS) {
      this.#onNotice(`the venue's clock follows the machine's already, which is ${offBy(gapMs)}: nothing has changed`);
      return;
    }
    if (gapMs > 0) {
      this.#noteJump();
      this.#shiftMs += gapMs;
    } else this.#mostBehindMs = MOST_SLEWED_MS - gapMs;
    const moved = gapMs > 0 ? 'venue time is equal to it now' : 'venue time slews back by 1 ms in 100 ms';
    this.#onNotice(`the venue's clock has accepted the machine's, which is ${offBy(gapMs)}: ${moved}`);
    this.#refusalReported = false;
    this.#read();
  }

  /** Brings time up to date. Returns the machine's clock minus the venue's. */
  #read(): number {
    const monotonicMs = this.#world.monotonicMs();
    const wallMs = this.#world.wallMs();
    const isDue = monotonicMs - this.#uptimeReadAtMs >= UPTIME_EVERY_MS;
    if (isDue || Math.abs(wallMs - monotonicMs - this.#wallLeadMs) > MOVED_MS) this.#findSleep(monotonicMs, wallMs);
    const elapsedMs = monotonicMs - this.#monotonicStartMs + this.#sleptMs;
    const passedMs = Math.max(elapsedMs - this.#elapsedMs, 0);
    this.#elapsedMs += passedMs;
    if (this.#speed !== null) this.#shiftMs += passedMs * (this.#speed - 1);
    const gapMs = wallMs - this.#exactMs();
    if (this.#speed === null) this.#updateState(gapMs);
    if (this.#speed === null && !this.#isRefused()) {
      const mostMs = passedMs * SLEW;
      this.#shiftMs += Math.min(Math.max(gapMs, -mostMs), mostMs);
    }
    this.#timeMs = Math.max(this.#timeMs, Math.floor(this.#exactMs()));
    return wallMs - this.#exactMs();
  }

  #exactMs(): number {
    return this.#startMs + this.#elapsedMs + this.#shiftMs;
  }

  #isRefused(): boolean {
    return this.#state === 'refused' || this.#state === 'logAhead';
  }

  /** Decides whether the machine's clock is followed, and reports changes. */
  #updateState(gapMs: number): void {
    const follows = gapMs <= MOST_SLEWED_MS && gapMs >= -this.#mostBehindMs;
    // An accepted difference shrinks as it is slewed away.
    if (follows) this.#mostBehindMs = Math.max(MOST_SLEWED_MS, Math.min(this.#mostBehindMs, MOST_SLEWED_MS - gapMs));
    if (follows) this.#state = gapMs < -MOST_SLEWED_MS ? 'slewing' : 'following';
    else if (!this.#isRefused()) this.#state = 'refused';
    if (follows && this.#refusalReported) {
      this.#onNotice(`the machine's clock is ${offBy(gapMs)}: the venue's clock follows it again`);
    } else if (!follows && !this.#refusalReported) {
      this.refusals += 1;
      this.#onNotice(problemOf(this.#state, gapMs), 'warn');
    }
    this.#refusalReported = !follows;
  }

  /** The machine slept for as long as uptime gained on the monotonic clock. */
  #findSleep(beforeMs: number, wallMs: number): void {
    this.#uptimeReadAtMs = beforeMs;
    this.#wallLeadMs = wallMs - beforeMs;
    const uptimeMs = this.#world.uptimeMs();
    if (uptimeMs === null) return;
    this.#uptimeLeadMs ??= uptimeMs - beforeMs + UPTIME_GRAIN_MS;
    // Compared with the clock after the read, because a slow read is no sleep.
    const sleptMs = uptimeMs - this.#world.monotonicMs() - this.#uptimeLeadMs;
    if (sleptMs <= this.#sleptMs) return;
    this.#sleptMs = sleptMs;
    this.#noteJump();
  }

  #noteJump(): void {
    this.jumpedAtMs = this.#world.monotonicMs();
    this.jumpedFromMs.push(this.#timeMs);
  }
}

function problemOf(state: ClockState, gapMs: number): string {
  const what = state === 'logAhead' ? ' because the log is ahead of it' : '';
  return (
    `the machine's clock is ${offBy(gapMs)}${what}: more than ${MOST_SLEWED_MS / 1000} s is not followed, so venue time ` +
    'runs on elapsed time; correct the machine\'s clock, or accept it with POST /clock {"acceptWall": true}'
  );
}

function offBy(gapMs: number): string {
  return `${(Math.abs(gapMs) / 1000).toFixed(1)} s ${gapMs < 0 ? 'behind' : 'ahead of'} the venue's`;
}
