/**
 * CONDITIONAL on spot and futures v3, STOP and TRIGGER on futures v2.3: an order that waits until a reference price
 * reaches its trigger. Then it enters as MARKET or LIMIT under the same id, and is checked again like a new order (rules
 * 6.1 to 6.11).
 *
 * On spot the money is reserved from placement on. On futures margin is needed only when it fires. A timed validity
 * runs from placement, and also applies after the order has fired.
 */

import type { PlaceConditional } from '../contract/commands.ts';
import { BUY } from '../contract/units.ts';
import { marketTime, startValidity } from '../execution/enter-book.ts';
import { fire } from '../execution/fire-trigger.ts';
import { admit, newOrder } from '../execution/new-order.ts';
import { attachedOnSide, triggerNearLimit } from '../risk/checks.ts';
import { reserveNeeded, waitingCovered } from '../risk/funds.ts';
import { priceInLimits, sizeInLimits } from '../risk/limits.ts';
import { goWithPosition } from '../risk/reduce-only.ts';
import type { Market } from '../state/market.ts';
import { type Algo, shaped } from './shape.ts';

export const conditional: Algo<PlaceConditional> = shaped({
  name: 'conditional',
  amendable: 'order',

  accept(venue, place, account, market) {
    const { side, price, trigger, rule, reference } = place;
    const refusal =
      sizeInLimits(market, 'size', place.size) ??
      priceInLimits(market, 'trigger', trigger) ??
      priceInLimits(market, 'price', price) ??
      (price === null ? null : triggerNearLimit(market, trigger, price)) ??
      attachedOnSide(market, side, place, price ?? trigger) ??
      waitingCovered(venue, account, market, side, place);
    if (refusal !== null) return refusal;

    const order = newOrder(venue, 'conditional', 'conditional', place, account, market);
    order.state = 'waiting';
    order.price = price ?? 0;
    order.timeInForce = price === null ? marketTime(place.timeInForce) : place.timeInForce;
    order.postOnly = place.postOnly;
    const up = direction(place, market);
    // Without a spread, so that the object has no second part.
    const fired = false;
    order.trigger = { rule, reference, up, fired, firedStep: 0, price: trigger, original: trigger, limit: price };
    admit(venue, order);
    goWithPosition(venue, order);
    reserveNeeded(venue, order);
    market.triggers.watch(order, reference, trigger, up);
    venue.entered.push(order.key);
    startValidity(venue, order);
    return [order];
  },

  onTrigger: fire,
});

function direction(place: PlaceConditional, market: Market): boolean | null {
  if (place.rule === 'reach') return market.directionTo(place.reference, place.trigger);
  return (place.rule === 'stop') === (place.side === BUY);
}
