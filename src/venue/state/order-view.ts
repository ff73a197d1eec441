/**
 * Makes the view of an order for code outside the venue. All values are copied or frozen when the view is made, so it
 * never changes, and changing it never reaches the venue. Cost: one object of plain fields, and the details for kinds
 * that have them.
 */

import { frozen } from '../contract/frozen.ts';
import type { OrderView } from '../contract/order-view.ts';
import { NONE } from '../contract/units.ts';
import type { Order } from './order.ts';
import { behaviourOf } from './order-behaviour.ts';
import type { VenueState } from './venue-state.ts';

export function orderViewOf(venue: VenueState, order: Order): OrderView {
  const { trigger } = order;
  return {
    key: order.key,
    seq: order.seq,
    account: order.account,
    market: order.market,
    product: order.product,
    side: order.side,
    kind: order.kind,
    algo: order.algo,
    details: behaviourOf(order).describe?.(venue, order) ?? null,
    state: order.state,
    live: order.live,
    clientId: order.clientId,
    broker: order.broker,
    price: order.price,
    original: order.original,
    quantity: order.quantity,
    filled: order.filled,
    remaining: order.remaining,
    lastFill: order.lastFill,
    filledNow: order.filledSeq === venue.seq ? order.filledNow : 0,
    filledCost: order.filledCost,
    openedLots: order.openedLots,
    quoteOriginal: order.quoteOriginal,
    quoteFilled: order.quoteFilled,
    quoteRemaining: order.quoteRemaining,
    timeInForce: order.timeInForce,
    postOnly: order.postOnly,
    reduceOnly: order.reduceOnly,
    positionId: order.positionId,
    positionMode: order.positionMode,
    liquidation: order.liquidation,
    trigger: trigger === null ? null : { ...trigger },
    takeProfit: frozen(order.takeProfit),
    stopLoss: frozen(order.stopLoss),
    takeProfitKey: order.takeProfitKey,
    stopLossKey: order.stopLossKey,
    ending: frozen(order.ending),
    nextDueMs: order.timer === NONE ? null : order.dueMs,
    createdMs: order.createdMs,
    updatedMs: order.updatedMs,
  };
}
