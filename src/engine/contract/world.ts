/**
 * Everything that the engine takes from outside except the disk: time, turns of the event loop, timers and randomness.
 * Production passes `realWorld`. A simulation passes its own, so that one seed decides everything.
 *
 * Invariants:
 * - `monotonicMs` never goes back. It may stop while the machine sleeps.
 * - `uptimeMs` includes sleep. It is null if the machine does not report it.
 * - `wallMs` may jump at any time: people and NTP set it.
 *
 * Cost: `uptimeMs` reads a file, about ten microseconds. The rest costs nanoseconds.
 */
import { randomBytes, randomInt } from 'node:crypto';
import * as fs from 'node:fs';

export interface Timer {
  /** Stops the timer. */
  clear(): void;
  /** Lets the process end although the timer is set. */
  unref(): void;
}

export interface World {
  /** Milliseconds since an arbitrary moment, with fractions. */
  monotonicMs(): number;
  /** Milliseconds since the machine started, sleep included. */
  uptimeMs(): number | null;
  /** The machine's clock, in whole epoch milliseconds. */
  wallMs(): number;
  /** Resolves in the next turn of the event loop, after arrived input was read. */
  nextTurn(): Promise<void>;
  /** Calls `act` once, after at least `ms`. */
  timer(ms: number, act: () => void): Timer;
  randomBytes(count: number): Buffer;
  /** A whole number from 0 up to, but not including, `below`. */
  randomInt(below: number): number;
}

export const realWorld: World = {
  monotonicMs: () => performance.now(),
  uptimeMs: () => uptimeOf('/proc/uptime'),
  wallMs: () => Date.now(),
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
  timer(ms, act) {
    const timer = setTimeout(act, ms);
    return { clear: () => clearTimeout(timer), unref: () => timer.unref() };
  },
  randomBytes,
  randomInt: (below) => randomInt(below),
};

function uptimeOf(file: string): number | null {
  try {
    const seconds = Number.parseFloat(fs.readFileSync(file, 'latin1'));
    return Number.isFinite(seconds) ? seconds * 1000 : null;
  } catch {
    return null; // Only Linux has this file.
  }
}
