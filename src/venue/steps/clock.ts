/**
 * How time passes. Each timer runs at its own due time, in the order of timer-queue.ts. Everything that it sets off is
 * done before the next one. So all ways of reaching a time give the same state.
 */

import { afterSweep } from '../algos/after-sweep.ts';
import { type Due, DueFailed, failuresOf } from '../contract/due.ts';
import { ending, type Refusal, refuse } from '../contract/reasons.ts';
import * as units from '../contract/units.ts';
import { finish } from '../execution/finish.ts';
import { disarm } from '../handlers/dead-man-switch.ts';
import { cancelOrders } from '../handlers/orders.ts';
import { checkAccount, checkDistressed, checkHolders, type LiquidationTimer } from '../liquidation/liquidation.ts';
import { goStale, goStaleSilently } from '../prices/index-feed.ts';
import { awaitNextMinute, type MinuteTimer, minute } from '../prices/mark-and-funding.ts';
import { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { DeadMan, FeedTimer, VenueState } from '../state/venue-state.ts';
import * as timerQueue from '../structures/timer-queue.ts';
import { dueOf, type Timed } from '../structures/timer-queue.ts';
import { processObservations } from './reactions.ts';

const { NONE } = units;
const { TIMER_EXPIRY } = timerQueue;

/** The farthest that one advance may go: a leap year. */
const FARTHEST_ADVANCE_MS = 366 * 24 * 3_600_000;

/**
 * A timer that has failed this often does nothing but end its step. If that throws too, the command counts as what
 * threw, and it is poisoned.
 */
const MOST_FAILURES = 2;
/** How often a step tries liquidations again that found no orders in the book. */
const MOST_RETRIES = 10;

/** Runs every timer that is due at or before `toMs`. Then the step of the command begins. */
export function passTime(venue: VenueState, toMs: number): void {
  while (venue.timers.nextDueMs() <= toMs) {
    const item = venue.timers.first();
    venue.nowMs = Math.max(venue.nowMs, item.dueMs);
    venue.timers.clear(item);
    venue.step++; // Each timer is a separate step.
    runDue(venue, item);
  }
  venue.step++;
  venue.nowMs = Math.max(venue.nowMs, toMs);
}

/**
 * Ends a step. Processes the queue of observations. Then liquidations that found no orders in the book are tried again,
 * until a round closes nothing. The rest is tried again at the end of every later step.
 */
export function endStep(venue: VenueState): void {
  processObservations(venue);
  let closed = venue.isAnyDistressed();
  for (let round = 0; round < MOST_RETRIES && closed; round++) {
    closed = retryDistressed(venue);
    processObservations(venue);
  }
}

/**
 * Whether the end of the command changes no order: nobody reacts to its prices, nothing is due, and none is forgotten.
 * False where that is not plain to see.
 */
export function isAtRest(venue: VenueState): boolean {
  for (let i = 0; i < venue.observed; i++) {
    const { market, reference } = venue.observations[i];
    if (reference === 'mark' || !market.triggers.isIdle) return false;
  }
  return (
    venue.entered.length === 0 &&
    venue.movedMarks.length === 0 &&
    venue.deleveraged.length === 0 &&
    !venue.isAnyDistressed() &&
    venue.timers.nextDueMs() > venue.nowMs &&
    !venue.orders.isPurgeDue(venue.nowMs)
  );
}

/** @throws {DueFailed} */
function runDue(venue: VenueState, item: Timed): void {
  const due = dueOf(item);
  const failures = failuresOf(venue.leftOut, due);
  venue.emit.causeChanged?.({ type: 'causeChanged', cause: { by: 'timer', due } });
  try {
    if (failures === 0) runTimer(venue, item);
    else leaveOut(venue, item, failures);
    afterSweep(venue);
    endStep(venue);
  } catch (cause) {
    throw blamed(due, failures, cause);
  }
}

/**
 * Tries the liquidations of distressed accounts again: accounts below maintenance whose positions found no orders in the
 * book. If that has thrown in this command, they are dropped. The next mark of their market checks them.
 * @throws {DueFailed}
 */
function retryDistressed(venue: VenueState): boolean {
  if (venue.leftOut.length > 0 && failuresOf(venue.leftOut, distressedNow(venue)) > 0) {
    for (let market = venue.nextDistressed(NONE); market !== null; market = venue.nextDistressed(market.index)) {
      market.distressed.clear();
    }
    return false;
  }
  try {
    return checkDistressed(venue);
  } catch (cause) {
    throw blamed(distressedNow(venue), 0, cause);
  }
}

function distressedNow({ nowMs }: VenueState): Due {
  return { kind: 'distressed', dueMs: nowMs, key: 0 };
}

/** The error to report: the timer's, or after too many failures the command's. */
function blamed(due: Due, failures: number, cause: unknown): unknown {
  return cause instanceof DueFailed || failures >= MOST_FAILURES ? cause : new DueFailed(due, cause);
}

type VenueTimer = DeadMan | MinuteTimer | LiquidationTimer | FeedTimer;

function runTimer(venue: VenueState, item: Timed): void {
  if (item instanceof Order) {
    if (item.timerRank === TIMER_EXPIRY) finish(venue, item, 'cancelled', ending('expired'));
    else behaviourOf(item).onTime?.(venue, item);
    return;
  }
  const timer = item as VenueTimer;
  if (timer.type === 'minute') {
    const mustCheckMargin = minute(venue, timer);
    if (mustCheckMargin) checkHolders(venue, timer.market);
  } else if (timer.type === 'liquidation') checkAccount(venue, timer.market, timer.account);
  else if (timer.type === 'feed') goStale(venue, timer.market);
  else {
    disarm(venue, timer.account, timer.product);
    cancelOrders(venue, venue.openOrders(timer.account, timer.product, null), 'deadMansSwitch');
  }
}

/**
 * What a timer that has thrown does instead:
 * - An order is cancelled. If that throws too, it stays live without its timer.
 * - The orders under a dead man's switch end one by one, as if each expired now.
 * - The minute of a market is skipped, and the next one is due a minute later.
 * - The price of a feed becomes stale without an event.
 * - A liquidation continues at the next mark.
 */
function leaveOut(venue: VenueState, item: Timed, failures: number): void {
  if (item instanceof Order) {
    if (failures === 1) cancelOrders(venue, [item], 'venueFailed');
    return;
  }
  const timer = item as VenueTimer;
  if (timer.type === 'minute') awaitNextMinute(venue, timer);
  else if (timer.type === 'feed') goStaleSilently(timer.market);
  else if (timer.type === 'deadMan') {
    disarm(venue, timer.account, timer.product);
    for (const order of venue.openOrders(timer.account, timer.product, null)) {
      venue.timers.set(order, venue.nowMs, TIMER_EXPIRY);
    }
  }
}

export function advance(venue: VenueState, toMs: number): Refusal | null {
  if (toMs < venue.nowMs) return refuse('timeBackwards', { to: toMs, now: venue.nowMs });
  if (toMs - venue.nowMs > FARTHEST_ADVANCE_MS) {
    return refuse('timeTooFar', { to: toMs, now: venue.nowMs, maximum: FARTHEST_ADVANCE_MS });
  }
  passTime(venue, toMs);
  return null;
}
