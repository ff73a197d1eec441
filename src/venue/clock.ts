/**
 * How time passes: everything due by a time happens at its own due time, in the order of timers.ts, with all that it sets
 * off worked off before the next. So any two ways of reaching a time give the same state.
 */
import { afterSweep } from './after-sweep.ts';
import { disarm } from './dead-man.ts';
import type { DeadMan, Desk } from './desk.ts';
import { type FeedTimer, goStale } from './feed.ts';
import { type MinuteTimer, minute } from './funding.ts';
import { checkAccount, checkDistressed, checkHolders, type LiquidationTimer } from './liquidation.ts';
import { finishAll } from './operations.ts';
import { Order, TIMER_EXPIRY } from './orders.ts';
import { settleDown } from './reactions.ts';
import { ending, type Refusal, refuse } from './reasons.ts';
import type { Timed } from './timers.ts';

/** One advance goes at most this far: a year. */
const FARTHEST_ADVANCE_MS = 366 * 24 * 3_600_000;

/** Everything due at or before `toMs` happens, each at its own time, with its queue emptied before the next. */
export function passTime(desk: Desk, toMs: number): void {
  while (desk.timers.nextDueMs() <= toMs) {
    const item = desk.timers.first();
    desk.nowMs = Math.max(desk.nowMs, item.dueMs);
    desk.timers.clear(item);
    desk.step++;
    happen(desk, item);
    afterSweep(desk);
    settleStep(desk);
  }
  desk.step++;
  desk.nowMs = Math.max(desk.nowMs, toMs);
}

/** Empties the queue; then those whose liquidation found no book are tried again. */
export function settleStep(desk: Desk): void {
  settleDown(desk);
  checkDistressed(desk);
  settleDown(desk);
}

function happen(desk: Desk, item: Timed): void {
  if (item instanceof Order) {
    if (item.timerRank === TIMER_EXPIRY) desk.finish(item, 'cancelled', ending('expired'));
    else item.algo.onTime?.(desk, item);
    return;
  }
  const timer = item as DeadMan | MinuteTimer | LiquidationTimer | FeedTimer;
  if (timer.type === 'minute') {
    if (minute(desk, timer)) checkHolders(desk, timer.market);
  } else if (timer.type === 'liquidation') checkAccount(desk, timer.market, timer.account);
  else if (timer.type === 'feed') goStale(desk, timer.market);
  else {
    disarm(desk, timer.account, timer.product);
    finishAll(desk, desk.openOrders(timer.account, timer.product, null), 'deadMansSwitch');
  }
}

export function advance(desk: Desk, toMs: number): Refusal | null {
  if (toMs < desk.nowMs) return refuse('timeBackwards', { to: toMs, now: desk.nowMs });
  if (toMs - desk.nowMs > FARTHEST_ADVANCE_MS) {
    return refuse('timeTooFar', { to: toMs, now: desk.nowMs, maximum: FARTHEST_ADVANCE_MS });
  }
  passTime(desk, toMs);
  return null;
}
