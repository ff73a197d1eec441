/**
 * How an order enters the book, as a limit or a market order: when it is placed, when its trigger fires, or when a peg
 * moves. Afterwards the order rests or has ended.
 */

import type { TimeInForce } from '../contract/commands.ts';
import { ending } from '../contract/reasons.ts';
import * as units from '../contract/units.ts';
import { restsBeyondBankruptcy } from '../risk/bankruptcy.ts';
import { takerCost } from '../risk/funds.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { VenueState } from '../state/venue-state.ts';
import * as timerQueue from '../structures/timer-queue.ts';
import { takerMarginEnding } from './fill-checks.ts';
import { canFill } from './fill-or-kill.ts';
import { finish } from './finish.ts';
import { ownMaker, type Stop, sweep } from './matching.ts';

const { FINE, NONE } = units;
const { TIMER_EXPIRY } = timerQueue;

/** Validity of the timed values, from acceptance (rule 4.20). */
const VALID_MS: Partial<Record<TimeInForce, number>> = {
  HALFSEC: 500,
  HALFMIN: 30_000,
  FIVEMIN: 300_000,
  HOUR: 3_600_000,
  TWELVEHOUR: 12 * 3_600_000,
  DAY: 24 * 3_600_000,
  WEEK: 7 * 24 * 3_600_000,
  MONTH: 30 * 24 * 3_600_000,
};

/** The time in force that a market order keeps. GTC has no meaning for an order that never rests. */
export function marketTime(timeInForce: TimeInForce | null | undefined): TimeInForce | null {
  return timeInForce === undefined || timeInForce === 'GTC' ? null : timeInForce;
}

/** Starts the expiry timer of a timed order. GTC, IOC and FOK have no timer. */
export function startValidity(venue: VenueState, order: Order): void {
  const validMs = order.timeInForce === null ? undefined : VALID_MS[order.timeInForce];
  if (validMs !== undefined && order.live) venue.timers.set(order, order.createdMs + validMs, TIMER_EXPIRY);
}

/** Enters at the order's price with its time in force. What is left rests. */
export function enterLimit(venue: VenueState, order: Order): void {
  if (order.postOnly && venue.market(order).crosses(order.side, order.price)) {
    finish(venue, order, 'rejected', ending('postOnlyWouldMatch'));
    return;
  }
  if (order.timeInForce === 'FOK' && !canFill(venue, order, order.price, order.remaining)) {
    finish(venue, order, 'cancelled', ending('fillOrKillUnfilled'));
    return;
  }
  const stop = sweep(venue, order, order.price, order.remaining);
  if (endedBySweep(venue, order, stop)) return;
  if (order.timeInForce === 'IOC') finish(venue, order, 'cancelled', ending('immediateRemainder'));
  else if (order.timeInForce === 'FOK') finish(venue, order, 'cancelled', ending('fillOrKillUnfilled'));
  else {
    // Such an order is refused at placement. A stop-limit that fires closes what its account can afford, and the rest
    // of it is cancelled.
    if (order.trigger?.fired && restsBeyondBankruptcy(venue, order)) {
      finish(venue, order, 'cancelled', takerMarginEnding(venue, order));
      return;
    }
    venue.rest(order, order.price, behaviourOf(order).nextSlice?.(order) ?? order.remaining);
    venue.changed(order, order.filledSeq === venue.seq ? 'filled' : 'rested');
  }
}

/**
 * Sweeps up to the protection band, and cancels what is left. A quote-sized order that has spent its money ends as
 * partlyFilled. FOK fills all of the size (or spends all of the money), or nothing.
 */
export function enterMarket(venue: VenueState, order: Order): void {
  const market = venue.market(order);
  const limit = market.marketLimit(order.side);
  const lots = order.quoteOriginal === null ? order.remaining : market.maxLots - order.filled;
  if (order.timeInForce === 'FOK' && (limit === NONE || !canFill(venue, order, limit, lots))) {
    finish(venue, order, 'cancelled', ending('fillOrKillUnfilled'));
    return;
  }
  const stop = limit === NONE ? 'limit' : sweep(venue, order, limit, lots);
  if (endedBySweep(venue, order, stop)) return;
  if (order.filled > 0 && (stop === 'spent' || spent(venue, order))) finish(venue, order, 'partlyFilled', null);
  else finish(venue, order, 'cancelled', ending('noLiquidityInBand'));
}

/**
 * Ends an order that is filled, or that was stopped by its own account's order or by its margin. Returns false if the
 * order continues.
 */
export function endedBySweep(venue: VenueState, order: Order, stop: Stop): boolean {
  if (order.quoteOriginal === null && order.remaining === 0) finish(venue, order, 'filled', null);
  else if (stop === 'selfTrade') finish(venue, order, 'cancelled', ending('selfTrade'), ownMaker(venue, order));
  else if (stop === 'margin') finish(venue, order, 'cancelled', takerMarginEnding(venue, order));
  // It must not rest at a price at which the recorded market would trade with it.
  else if (stop === 'full') finish(venue, order, 'cancelled', ending('noLiquidityInBand'));
  return !order.live;
}

/**
 * Whether a quote-sized order has less left than one lot cost at its last fill, including the fee if that comes from
 * the quote.
 */
function spent(venue: VenueState, order: Order): boolean {
  if (order.quoteOriginal === null) return false;
  const market = venue.market(order);
  return order.quoteRemaining < takerCost(venue, venue.account(order), market, Math.round(market.last / FINE), 1);
}
