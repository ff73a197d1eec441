/**
 * The waits of the clock for a bot. A bot is idle when no request of it is in progress, and none has come or was answered
 * for `idleMs` of elapsed time. A request that a fault delays in venue time does not count.
 */
import type { RunningVenue } from '../start.ts';
import type { Bot } from './bot.ts';

const IDLE_MS = 50;
/** The clock waits no longer than this for a bot. */
export const PATIENCE_MS = 5000;
const LOOK_MS = 2;

/** In elapsed time. */
export interface WaitLimits {
  /** Default: 50. */
  readonly idleMs?: number;
  /** Default: 5000. */
  readonly patienceMs?: number;
}

/** What clients do on the gateway now. */
type Activity = RunningVenue['activity'];

/** Waits until the bot is idle or has ended. False: it was neither within `patienceMs`. */
export async function untilIdle(
  bot: Bot,
  activity: Activity,
  { idleMs = IDLE_MS, patienceMs = PATIENCE_MS }: WaitLimits,
): Promise<boolean> {
  const sinceMs = performance.now();
  while (bot.ended === null) {
    const { busy, lastMs } = activity();
    const nowMs = performance.now();
    if (busy === 0 && nowMs - Math.max(lastMs, sinceMs) >= idleMs) return true;
    if (nowMs - sinceMs >= patienceMs) return false;
    await sleep(LOOK_MS);
  }
  return true;
}

/** Waits until the bot has sent a request or has ended. False: it did neither within `limitMs` of elapsed time. */
export async function untilFirstRequest(bot: Bot, activity: Activity, limitMs: number): Promise<boolean> {
  const before = activity().requests;
  const sinceMs = performance.now();
  while (activity().requests === before && bot.ended === null) {
    if (performance.now() - sinceMs > limitMs) return false;
    await sleep(LOOK_MS);
  }
  return true;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
