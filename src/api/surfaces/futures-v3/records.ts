/**
 * The records of futures v3. Placements show `type` 0 for every order, as BTSE does: a client that reads 77 there takes
 * a waiting trigger for a finished market order. Amends and cancels show the real code. The reply to a plain placement
 * is one object with `clOrderID`. Replies to amends, cancels and algo placements are rows with `clOrderId`.
 * positionDirection is null in ONE_WAY mode.
 */

import type { OrderView } from '../../../venue/contract/order-view.ts';
import type { Reply, Venue } from '../../../venue/venue.ts';
import type { MarketView } from '../../../venue/views.ts';
import {
  amendedStatus,
  attachedRecord,
  averagePrice,
  futuresTypeCode,
  messageOf,
  moneyNumber,
  orderDetailType,
  partsNumber,
  positionDirection,
  positionText,
  priceOf,
  priceType,
  sideName,
  trailPercent,
  trails,
  trailValue,
  triggerTypeCode,
} from '../../orders/order-records.ts';
import { orderState, statusCode } from '../../shared/order-state.ts';

function position(market: MarketView, order: OrderView) {
  const { positionMode, positionId } = order;
  return {
    positionMode,
    positionDirection: positionDirection(order),
    positionId: positionText(market, positionMode, positionId),
  };
}

function sizes(market: MarketView, order: OrderView) {
  return {
    originalOrderSize: market.sizeNumber(order.original),
    currentOrderSize: market.sizeNumber(order.quantity),
    totalFilledSize: market.sizeNumber(order.filled),
    remainingSize: market.sizeNumber(order.remaining),
  };
}

/** What plain and algo replies share. */
function outcome(venue: Venue, order: OrderView) {
  const market = venue.markets[order.market];
  return {
    status: statusCode(order),
    symbol: market.symbol,
    postOnly: order.postOnly,
    reduceOnly: order.reduceOnly,
    orderSide: sideName(order),
    orderId: venue.orderIds.encode(order.key),
    timestamp: order.updatedMs,
    avgFilledPrice: averagePrice(market, order),
    message: messageOf(order) ?? '',
    ...sizes(market, order),
    filledSize: market.sizeNumber(order.filledNow),
    timeInForce: order.timeInForce ?? 'GTC',
    ...position(market, order),
  };
}

/** The single object of the reply to a plain placement. */
export function placementRecord(venue: Venue, reply: Reply): object {
  const [order] = reply.orders;
  return {
    type: 0,
    clOrderID: order.clientId ?? '',
    price: priceOf(venue.markets[order.market], order),
    ...outcome(venue, order),
  };
}

/** A row of the reply to an algo placement. */
export function algoRecord(venue: Venue, order: OrderView): object {
  return { type: 0, ...actionFields(venue, order) };
}

/** A row of the reply to a cancel. */
export function cancelRecord(venue: Venue, order: OrderView): object {
  return { type: futuresTypeCode(order), ...actionFields(venue, order) };
}

/** A row of the reply to an amend: status 123, or how the order ended at once. */
export function amendRecord(venue: Venue, order: OrderView): object {
  return { ...cancelRecord(venue, order), status: amendedStatus(order) };
}

function actionFields(venue: Venue, order: OrderView) {
  const market = venue.markets[order.market];
  return {
    clOrderId: order.clientId ?? '',
    orderPrice: priceOf(market, order),
    orderSize: market.sizeNumber(order.quantity),
    triggerOrder: order.trigger !== null,
    triggerPrice: market.priceNumber(order.trigger?.price ?? 0),
    ...outcome(venue, order),
  };
}

/** A row of the list: STATUS_ACTIVE while it lives, how it ended afterwards. */
export function listRecord(venue: Venue, order: OrderView): object {
  const market = venue.markets[order.market];
  const { trigger } = order;
  const percent = trailPercent(order);
  const trailType = percent === null ? 'DISTANCE' : 'PERCENTAGE';
  return {
    symbol: market.symbol,
    orderId: venue.orderIds.encode(order.key),
    clOrderId: order.clientId ?? '',
    orderType: futuresTypeCode(order),
    orderSide: sideName(order),
    orderPrice: priceOf(market, order),
    orderValue: moneyNumber(venue.orderValue(order), venue.currencies[market.quote].decimals),
    orderState: order.live ? 'STATUS_ACTIVE' : orderState(order),
    timestamp: order.createdMs,
    timeInForce: order.timeInForce ?? 'GTC',
    ...sizes(market, order),
    avgFilledPrice: averagePrice(market, order),
    postOnly: order.postOnly,
    reduceOnly: order.reduceOnly,
    triggerOrder: trigger !== null,
    triggered: trigger?.fired ?? false,
    triggerPrice: market.priceNumber(trigger?.price ?? 0),
    triggerOriginalPrice: market.priceNumber(trigger?.original ?? 0),
    triggerType: trigger === null ? null : priceType(trigger.reference),
    triggerUseLastPrice: trigger?.reference === 'last',
    triggerOrderType: triggerTypeCode(order),
    triggerStopPrice: market.priceNumber(trigger?.limit ?? 0),
    triggerTrailingStopDeviation: percent === null ? 0 : partsNumber(percent, 'fraction'),
    trailValue: trails(order) ? trailValue(market, order) : 0,
    trailValueType: trails(order) ? trailType : null,
    orderDetailType: orderDetailType(order),
    takeProfitOrder: attachedRecord(venue, order, 'takeProfit'),
    stopLossOrder: attachedRecord(venue, order, 'stopLoss'),
    closeOrder: order.algo === 'bracket',
    contractSize: Number(market.spec.contractSize),
    ...position(market, order),
  };
}
