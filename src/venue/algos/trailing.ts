/**
 * TRAILING: a stop that follows the extreme of its reference price and only ever tightens; fires a MARKET order
 * (semantics.md section 8). It is armed at placement, or once the activation price is reached.
 *
 * The stop lies on the tick, away from the market; a stop that would lie below one tick is not watched (it cannot fire).
 */

import { priceInLimits, sizeInLimits } from '../checks.ts';
import type { PlaceTrailing } from '../commands.ts';
import type { Desk, Observation } from '../desk.ts';
import type { Market } from '../market.ts';
import { heldFor } from '../matching.ts';
import type { Order, Trailing } from '../orders.ts';
import { ceilDiv, floorDiv } from '../quantity.ts';
import { BUY, FINE, HUNDRED_PERCENT } from '../units.ts';
import { directionTo, fire, waitingCovered } from './conditional.ts';
import type { Algo } from './shape.ts';

export const trailing: Algo<PlaceTrailing> = {
  accept(desk, place, account, market) {
    const { side, activation } = place;
    const refusal =
      sizeInLimits(market, 'size', place.size) ??
      priceInLimits(market, 'activation', activation) ??
      waitingCovered(desk, place, account, market);
    if (refusal !== null) return refusal;

    const order = desk.create(account, market, side);
    order.kind = 'trailing';
    order.state = 'waiting';
    order.clientId = place.clientId;
    order.broker = place.broker;
    order.original = place.size ?? 0;
    order.current = order.original;
    order.quoteOriginal = place.quote === null ? null : BigInt(place.quote);
    order.reduceOnly = place.reduceOnly;
    const { reference, distance, percent } = place;
    const up = side === BUY;
    order.trigger = { rule: 'stop', reference, price: 0, original: 0, up, fired: false, firedStep: 0, limit: null };
    const activationReference = activation === null ? null : (place.activationReference ?? reference);
    order.trailing = { distance, percent, activation, activationReference, activated: false, armed: false, extreme: 0 };
    desk.admit(order);
    if (market.product === 'spot') desk.hold(order, heldFor(desk, order, account, market));
    if (activation === null || activationReference === null) activate(desk, order, null);
    else if (market.fresh(activationReference) === activation * FINE) activate(desk, order, null);
    else desk.watch(order, activationReference, activation, directionTo(market, activationReference, activation));
    return [order];
  },

  onTrigger(desk, order, seen) {
    if (order.trailing?.activated) fire(desk, order);
    else activate(desk, order, seen);
  },

  onPrice(desk, order, fine) {
    follow(desk, order, fine);
  },
};

/** From here on the order follows its reference; armed at once where there is a price. */
function activate(desk: Desk, order: Order, seen: Observation | null): void {
  const { trailing, trigger } = order;
  if (trailing === null || trigger === null) throw new Error(`order ${order.key} does not trail`);
  const market = desk.market(order);
  market.triggers.unwatch(order);
  trailing.activated = true;
  desk.trailing[market.index][trigger.reference].add(order.key);
  const fine = seen?.reference === trigger.reference ? seen.fine : market.fresh(trigger.reference);
  if (fine !== 0) follow(desk, order, fine);
}

/** Takes a reference price that was seen into the extreme, and moves the stop where that tightens it. */
function follow(desk: Desk, order: Order, fine: number): void {
  const { trailing, trigger } = order;
  if (trailing === null || trigger === null) throw new Error(`order ${order.key} does not trail`);
  const market = desk.market(order);
  const further = order.side === BUY ? fine < trailing.extreme : fine > trailing.extreme;
  if (trailing.armed && !further) return;
  trailing.extreme = fine;
  const stop = stopTicks(market, order, trailing);
  const first = !trailing.armed;
  trailing.armed = true;
  if (!first && stop === trigger.price) return;
  trigger.price = stop;
  if (first) trigger.original = stop;
  market.triggers.unwatch(order);
  if (stop >= 1) desk.watch(order, trigger.reference, stop, order.side === BUY);
  desk.changed(order, first ? 'armed' : 'repriced');
}

function stopTicks(market: Market, order: Order, trailing: Trailing): number {
  const extreme = BigInt(trailing.extreme);
  const sign = order.side === BUY ? 1n : -1n;
  const scale = trailing.percent === null ? 1n : HUNDRED_PERCENT;
  const value = trailing.percent === null ? BigInt(trailing.distance ?? 0) : extreme * BigInt(trailing.percent);
  const stop = extreme * scale + sign * value;
  const unit = scale * BigInt(FINE);
  const ticks = Number(order.side === BUY ? ceilDiv(stop, unit) : floorDiv(stop, unit));
  return Math.max(0, Math.min(ticks, 4 * market.maxPriceTicks));
}
