/**
 * OCO: a limit leg that rests and a stop leg that waits, in one group. Together they never trade more than the order's
 * size (rules 7.8 to 7.15). The limit leg reserves the money for both (for a BUY, at the higher price) until the
 * stop fires. If the limit leg ends by itself before it is filled, the stop leg continues alone with what is left, and
 * reserves its own money.
 */

import type { PlaceOco } from '../contract/commands.ts';
import type { Figures } from '../contract/events.ts';
import { type EndReason, ending, type Refusal } from '../contract/reasons.ts';
import { BUY } from '../contract/units.ts';
import { enterLimit, startValidity } from '../execution/enter-book.ts';
import { finish } from '../execution/finish.ts';
import { fire, triggerOf } from '../execution/fire-trigger.ts';
import { admit, lotsPlaced, newOrder } from '../execution/new-order.ts';
import { mayRest, placedWithinEquity } from '../risk/bankruptcy.ts';
import { onSide, priceInBand, referenceKnown, triggerNearLimit } from '../risk/checks.ts';
import { freshToOpen, limitCovered, reserveNeeded, spotCost } from '../risk/funds.ts';
import { priceInLimits, sizeInLimits } from '../risk/limits.ts';
import { goWithPosition } from '../risk/reduce-only.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import type { VenueState } from '../state/venue-state.ts';
import { type Algo, shaped } from './shape.ts';

interface OcoLeg {
  readonly role: 'limit' | 'stop';
  readonly siblingKey: number;
}

export const oco: Algo<PlaceOco> = shaped({
  name: 'oco',
  legs: 2,
  amendable: 'sidedTrigger',

  accept(venue, place, account, market) {
    const refusal = shapeRefusal(place, market);
    if (refusal !== null) return refusal;
    const { side, stopTrigger, stopReference, stopPrice } = place;
    const lots = lotsPlaced(account, market, place);
    if (typeof lots !== 'number') return lots;
    const dearer = market.product === 'spot' ? Math.max(place.price, stopPrice) : place.price;
    const short =
      freshToOpen(account, market, place, lots) ??
      (mayRest(place.timeInForce) ? placedWithinEquity(account, market, place, null) : null) ??
      limitCovered(venue, account, market, { ...place, price: dearer }, lots);
    if (short !== null) return short;

    const limit = newOrder(venue, 'oco', 'limit', place, account, market);
    const stop = newOrder(venue, 'oco', 'conditional', place, account, market);
    limit.algoState = { role: 'limit', siblingKey: stop.key } satisfies OcoLeg;
    limit.quantity = lots;
    limit.price = place.price;
    limit.timeInForce = place.timeInForce;
    limit.postOnly = place.postOnly;
    stop.algoState = { role: 'stop', siblingKey: limit.key } satisfies OcoLeg;
    stop.quantity = lots;
    stop.state = 'waiting';
    stop.price = stopPrice;
    const at = { price: stopTrigger, original: stopTrigger, limit: stopPrice };
    const up = side === BUY;
    stop.trigger = { rule: 'stop', reference: stopReference, up, fired: false, firedStep: 0, ...at };
    admit(venue, limit);
    admit(venue, stop);
    goWithPosition(venue, stop);
    market.triggers.watch(stop, stopReference, stopTrigger, up);
    reserveNeeded(venue, limit);
    enterLimit(venue, limit);
    startValidity(venue, limit);
    return [limit, stop];
  },

  /** The stop leg fires. The limit leg ends first, in the same step. */
  onTrigger(venue, stop, seen) {
    triggerOf(stop).fired = true;
    const limit = siblingOf(venue, stop);
    if (limit?.live) finish(venue, limit, 'cancelled', ending('ocoSiblingTriggered'));
    stop.timeInForce = 'GTC';
    reserveNeeded(venue, stop);
    fire(venue, stop, seen);
  },

  onFill: leaveTheRest,
  onReduced: leaveTheRest,

  fit(venue, order, room) {
    if (order.remaining > room) bringDown(venue, order, room);
  },

  /**
   * The other leg ends, too. A stop leg continues if it has fired (it ended this leg), or if its limit leg ended by
   * itself.
   */
  onEnd(venue, order) {
    const sibling = siblingOf(venue, order);
    if (!sibling?.live || sibling.trigger?.fired) return;
    if (stateOf(order).role === 'limit') {
      if (order.ending !== null && BY_ITSELF.has(order.ending.reason)) {
        if (sibling.remaining !== order.remaining) bringDown(venue, sibling, order.remaining);
        reserveNeeded(venue, sibling);
        return;
      }
      sibling.quantity = sibling.filled + order.remaining;
    }
    const rejected = order.state === 'rejected';
    finish(venue, sibling, rejected ? 'rejected' : 'cancelled', ending(siblingReason(order)));
  },

  reserves(venue, order, account, market, taken) {
    const { role } = stateOf(order);
    const sibling = siblingOf(venue, order);
    if (role === 'stop' && !triggerOf(order).fired && sibling?.live) return 0;
    const dearer = role === 'stop' ? order.price : Math.max(order.price, sibling?.price ?? 0);
    return spotCost(venue, account, market, order.side, dearer, order.remaining - taken);
  },

  /** The stop leg continues alone (`onEnd`), with the money for its price. */
  reservesAfterMargin(venue, order, account, market, taken) {
    const sibling = siblingOf(venue, order);
    if (!sibling?.live || sibling.trigger?.fired) return 0;
    return spotCost(venue, account, market, order.side, sibling.price, order.remaining - taken);
  },

  group(venue, order) {
    const sibling = siblingOf(venue, order);
    return sibling?.live ? [order, sibling] : [order];
  },

  describe(_venue, order) {
    const { role, siblingKey } = stateOf(order);
    return { name: 'oco', terms: { role, sibling: { order: siblingKey } }, progress: {} };
  },

  figures: figuresOf,
});

function shapeRefusal(place: PlaceOco, market: Market): Refusal | null {
  const sell = place.side !== BUY;
  const reference = () => market.reference(place.stopReference);
  return (
    sizeInLimits(market, 'size', place.size) ??
    priceInLimits(market, 'price', place.price) ??
    priceInLimits(market, 'stopTrigger', place.stopTrigger) ??
    priceInLimits(market, 'stopPrice', place.stopPrice) ??
    referenceKnown(market, place.stopReference) ??
    onSide(market, 'price', place.price, reference(), sell) ??
    onSide(market, 'stopTrigger', place.stopTrigger, reference(), !sell) ??
    triggerNearLimit(market, place.stopTrigger, place.stopPrice) ??
    priceInBand(market, place.side, place.price)
  );
}

function stateOf(order: Order): OcoLeg {
  return order.algoState as OcoLeg;
}

function figuresOf(order: Order): Figures {
  return { sibling: { order: stateOf(order).siblingKey } };
}

function siblingOf(venue: VenueState, order: Order): Order | undefined {
  return venue.orders.byKey(stateOf(order).siblingKey);
}

/** When a limit leg is partly filled or reduced to its position, the stop leg gets the same remaining size. */
function leaveTheRest(venue: VenueState, order: Order): void {
  if (stateOf(order).role === 'stop' || !order.live) return;
  const stop = siblingOf(venue, order);
  if (stop?.live && stop.remaining !== order.remaining) bringDown(venue, stop, order.remaining);
}

function bringDown(venue: VenueState, stop: Order, lots: number): void {
  stop.quantity = stop.filled + lots;
  venue.changed(stop, 'reduced', figuresOf(stop));
}

/** Endings of a limit leg after which the stop leg continues alone. Any other ending ends the stop leg, too. */
const BY_ITSELF: ReadonlySet<EndReason> = new Set([
  'immediateRemainder',
  'fillOrKillUnfilled',
  'expired',
  'selfTrade',
  'positionCovered',
  'margin',
]);

function siblingReason(ended: Order): EndReason {
  if (ended.state === 'filled') return 'ocoSiblingFilled';
  if (ended.state === 'rejected') return 'ocoLimitLegRejected';
  return ended.ending?.reason === 'positionClosed' ? 'positionClosed' : 'ocoCancelled';
}
