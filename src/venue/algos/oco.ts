/**
 * OCO: a limit leg that rests and a stop leg that waits, one group, atomic: the two never trade more than the size
 * (semantics.md section 7). The limit leg holds the money for both (a BUY: of the dearer price) until the stop fires.
 */

import { onSide, priceInBand, priceInLimits, referenceKnown, sizeInLimits, triggerNearLimit } from '../checks.ts';
import type { PlaceOco } from '../commands.ts';
import type { Desk } from '../desk.ts';
import { enterLimit, startValidity } from '../entering.ts';
import type { Account } from '../ledger.ts';
import type { Market } from '../market.ts';
import { heldFor } from '../matching.ts';
import type { Order } from '../orders.ts';
import { type EndReason, ending, type Refusal } from '../reasons.ts';
import { BUY } from '../units.ts';
import { fire } from './conditional.ts';
import { clipToPosition, limitCovered } from './plain.ts';
import type { Algo } from './shape.ts';

export const oco: Algo<PlaceOco> = {
  accept(desk, place, account, market) {
    const refusal = shapeRefusal(place, market);
    if (refusal !== null) return refusal;
    const lots = place.reduceOnly ? clipToPosition(account, market, place.side, place.size) : place.size;
    if (typeof lots !== 'number') return lots;
    const dearer = market.product === 'spot' ? Math.max(place.price, place.stopPrice) : place.price;
    const short = limitCovered(desk, account, market, place.side, dearer, lots, place.reduceOnly);
    if (short !== null) return short;

    const limit = leg(desk, place, account, market, lots);
    const stop = leg(desk, place, account, market, lots);
    limit.oco = { role: 'limit', siblingKey: stop.key };
    limit.kind = 'limit';
    limit.price = place.price;
    limit.timeInForce = place.timeInForce;
    limit.postOnly = place.postOnly;
    stop.oco = { role: 'stop', siblingKey: limit.key };
    stop.kind = 'conditional';
    stop.state = 'waiting';
    stop.price = place.stopPrice;
    stop.trigger = {
      rule: 'stop',
      reference: place.stopReference,
      price: place.stopTrigger,
      original: place.stopTrigger,
      up: place.side === BUY,
      fired: false,
      firedStep: 0,
      limit: place.stopPrice,
    };
    desk.admit(limit);
    desk.admit(stop);
    desk.watch(stop, place.stopReference, place.stopTrigger, stop.trigger.up);
    if (market.product === 'spot') desk.hold(limit, heldFor(desk, limit, account, market));
    enterLimit(desk, limit);
    startValidity(desk, limit);
    return [limit, stop];
  },

  /** The stop leg fires: the limit leg goes first, in the same step. */
  onTrigger(desk, stop) {
    if (stop.trigger === null) throw new Error(`stop leg ${stop.key} has no trigger`);
    stop.trigger.fired = true;
    const limit = siblingOf(desk, stop);
    if (limit?.live) desk.finish(limit, 'cancelled', ending('ocoSiblingTriggered'));
    stop.timeInForce = 'GTC';
    if (stop.product === 'spot') desk.hold(stop, heldFor(desk, stop, desk.account(stop), desk.market(stop)));
    fire(desk, stop);
  },

  /** A partly filled limit leg leaves the stop leg what is left. */
  onFill(desk, order) {
    if (order.oco?.role !== 'limit' || !order.live) return;
    const stop = siblingOf(desk, order);
    if (stop === undefined || !stop.live || stop.remaining === order.remaining) return;
    stop.current = stop.filled + order.remaining;
    desk.changed(stop, 'reduced');
  },

  onEnd(desk, order) {
    const sibling = siblingOf(desk, order);
    if (sibling === undefined || !sibling.live || order.trigger?.fired || sibling.trigger?.fired) return;
    if (order.oco?.role === 'limit') sibling.current = sibling.filled + order.remaining;
    const rejected = order.state === 'rejected';
    desk.finish(sibling, rejected ? 'rejected' : 'cancelled', ending(siblingReason(order)));
  },
};

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

function leg(desk: Desk, place: PlaceOco, account: Account, market: Market, lots: number): Order {
  const order = desk.create(account, market, place.side);
  order.clientId = place.clientId;
  order.broker = place.broker;
  order.original = place.size;
  order.current = lots;
  order.reduceOnly = place.reduceOnly;
  return order;
}

function siblingOf(desk: Desk, order: Order): Order | undefined {
  return order.oco === null ? undefined : desk.orders.byKey(order.oco.siblingKey);
}

function siblingReason(ended: Order): EndReason {
  if (ended.ending?.reason === 'cancelledByClient') return 'ocoCancelled';
  if (ended.state === 'filled') return 'ocoSiblingFilled';
  return ended.state === 'rejected' ? 'ocoLimitLegRejected' : 'ocoLimitLegEnded';
}
