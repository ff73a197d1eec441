/**
 * How an order waits for a price, and how its trigger fires. A fired order keeps its id. It enters as MARKET or LIMIT
 * if it would be accepted as a new order now (rules 6.8 to 6.10).
 */

import type { Trigger } from '../contract/order-view.ts';
import type { Refusal } from '../contract/reasons.ts';
import type { Reference } from '../contract/units.ts';
import * as units from '../contract/units.ts';
import { markKnown, priceInBand, quoteInLimits } from '../risk/checks.ts';
import { freshToOpen, limitCovered, marketCovered } from '../risk/funds.ts';
import { clipToPosition } from '../risk/reduce-only.ts';
import { bind } from '../state/exposure.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import type { Observation, VenueState } from '../state/venue-state.ts';
import { enterLimit, enterMarket } from './enter-book.ts';
import { finish } from './finish.ts';

const { FINE } = units;

export function triggerOf(order: Order): Trigger {
  if (order.trigger === null) throw new Error(`order ${order.key} (${order.algo}) has no trigger`);
  return order.trigger;
}

/**
 * Makes an order that starts at a price wait for it. Returns false if it has no such price, or the reference is there
 * now.
 */
export function waitsFor(market: Market, order: Order, reference: Reference | null, ticks: number | null): boolean {
  if (reference === null || ticks === null || market.fresh(reference) === ticks * FINE) return false;
  market.triggers.watch(order, reference, ticks, market.directionTo(reference, ticks));
  return true;
}

/** The trigger was reached by `seen` (as in `onTrigger`): the order enters, or is rejected with the reason. */
export function fire(venue: VenueState, order: Order, seen: Observation | null): void {
  markFired(venue, order, seen);
  const refusal = releaseRefusal(venue, order);
  if (refusal !== null) finish(venue, order, 'rejected', refusal);
  else if (triggerOf(order).limit !== null) enterLimit(venue, order);
  else enterMarket(venue, order);
}

/** Ends the wait of the order. Its algo decides what it does next. */
export function markFired(venue: VenueState, order: Order, seen: Observation | null): void {
  const trigger = triggerOf(order);
  const fine = seen?.fine ?? venue.market(order).fresh(trigger.reference);
  venue.market(order).triggers.unwatch(order);
  trigger.fired = true;
  trigger.firedStep = venue.step;
  order.state = 'working';
  order.updatedMs = venue.nowMs;
  const figures = { reference: trigger.reference, seen: { fine }, trigger: { ticks: trigger.price } };
  venue.changed(order, 'triggered', figures);
}

/** The checks of a new order whose result may have changed since placement. Clips a reduce-only order. */
function releaseRefusal(venue: VenueState, order: Order): Refusal | null {
  const market = venue.market(order);
  const account = venue.account(order);
  const { limit } = triggerOf(order);
  const unpriced = markKnown(market);
  if (unpriced !== null) return unpriced;
  if (order.reduceOnly) {
    if (!triggerOf(order).withPosition) bind(account, order);
    const lots = clipToPosition(account, market, order.side, order.remaining, order.positionId);
    if (typeof lots !== 'number') return lots;
    order.quantity = order.filled + lots;
  }
  return (
    (limit === null ? null : priceInBand(market, order.side, limit)) ??
    quoteInLimits(venue, account, market, order.quoteOriginal) ??
    releaseMargin(venue, order, limit)
  );
}

/**
 * Futures: no margin was charged for a waiting order, so its margin is checked when it enters. `limitTicks` null: it
 * enters as a market order.
 */
export function releaseMargin(venue: VenueState, order: Order, limitTicks: number | null): Refusal | null {
  const market = venue.market(order);
  if (market.product === 'spot' || order.reduceOnly) return null;
  const account = venue.account(order);
  const { side, remaining } = order;
  const entering = { side, reduceOnly: false };
  return (
    freshToOpen(account, market, entering, remaining) ??
    (limitTicks === null
      ? marketCovered(venue, account, market, entering, remaining)
      : limitCovered(venue, account, market, { ...entering, price: limitTicks }, remaining))
  );
}
