/**
 * What the engine takes from outside besides the disk: time, turns of the event loop, timers and randomness.
 * Production passes `realWorld`; a simulation passes its own, so that one seed orders everything.
 *
 * Invariants:
 * - `monotonicMs` never goes back. It may stand still while the machine sleeps.
 * - `uptimeMs` counts sleep, too. It is null where the machine does not say it.
 * - `wallMs` may go anywhere at any time: people and NTP set it.
 *
 * Cost: `uptimeMs` reads a file, some ten microseconds. The rest costs nanoseconds.
 */
import { randomBytes, randomInt } from 'node:crypto';
import * as fs from 'node:fs';

export interface Timer {
  /** The timer does not fire any more. */
  clear(): void;
  /** The timer does not keep the process alive any more. */
  unref(): void;
}

export interface World {
  /** Milliseconds since some moment, with fractions. */
  monotonicMs(): number;
  /** Milliseconds since the machine started, sleep included. */
  uptimeMs(): number | null;
  /** What the machine's clock says, in whole epoch milliseconds. */
  wallMs(): number;
  /** Resolves in the next turn of the event loop, after what has arrived was taken in. */
  nextTurn(): Promise<void>;
  /** Calls `act` once, `ms` from now at the earliest. */
  timer(ms: number, act: () => void): Timer;
  randomBytes(count: number): Buffer;
  /** A whole number from 0, below `below`. */
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
