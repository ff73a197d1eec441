/**
 * The records of spot v4: the placement record (spec.md section 2.4), which placements and cancels return, and the
 * lookup record (section 2.5), which the lookup and the list of open orders return. Fields of other kinds of order are
 * present and null; the table in semantics.md section 14 is this file's contract.
 */

import { ocoLeg } from '../../../venue/algos/oco.ts';
import { pegOf } from '../../../venue/algos/peg.ts';
import { trailingOf } from '../../../venue/algos/trailing.ts';
import { twapOf } from '../../../venue/algos/twap.ts';
import type { Market } from '../../../venue/state/market.ts';
import type { Order } from '../../../venue/state/order.ts';
import type { Reply, Venue } from '../../../venue/venue.ts';
import {
  amendedStatus,
  averagePrice,
  isLimit,
  messageOf,
  moneyNumber,
  orderDetailType,
  partsNumber,
  priceType,
  sideName,
  spotTypeCode,
  TYPE_MARKET,
  triggerTypeCode,
} from '../../orders/order-records.ts';
import { algoDetail, spotSizes } from '../../orders/spot-records.ts';
import { orderState, statusCode } from '../../shared/order-state.ts';

/** Quote currency configured for the user: an account setting, one value for now. */
const USER_QUOTE_CURRENCY = 'USDT';

/** null for MARKET and what becomes one, TWAP, and a stop leg that still waits. */
function timeInForce(order: Order): string | null {
  const waitingLeg = ocoLeg(order)?.role === 'stop' && order.trigger?.fired !== true;
  return isLimit(order) && !waitingLeg ? (order.timeInForce ?? 'GTC') : null;
}

function actionRecord(venue: Venue, order: Order, type: number) {
  const market = venue.markets[order.market];
  return {
    orderId: venue.orderIds.encode(order.key),
    clOrderId: order.clientId ?? '',
    status: statusCode(order),
    market: market.symbol,
    type,
    orderSide: sideName(order),
    orderPrice: market.priceNumber(order.price),
    postOnly: order.postOnly,
    timestamp: order.updatedMs,
    orderDetailType: orderDetailType(order),
    message: messageOf(order),
    userQuoteCurrency: USER_QUOTE_CURRENCY,
    ...spotSizes(venue, market, order),
    filledBaseSize: market.sizeNumber(order.lastFill),
    totalFilledBaseSize: market.sizeNumber(order.filled),
    avgFilledPrice: averagePrice(market, order),
    time_in_force: timeInForce(order),
  };
}

/** The reply to a placement: one record, an OCO's limit leg and then its stop leg. */
export function placementRecords(venue: Venue, reply: Reply): object[] {
  return reply.orders.map((order) =>
    // BTSE shows every CONDITIONAL as 77 here; the lookup tells the limit variants apart.
    actionRecord(
      venue,
      order,
      order.kind === 'conditional' && ocoLeg(order) === null ? TYPE_MARKET : spotTypeCode(order),
    ),
  );
}

export function cancelRecords(venue: Venue, reply: Reply): object[] {
  return reply.orders.map((order) => actionRecord(venue, order, spotTypeCode(order)));
}

/** The reply to an amend: the record with status 123, or how the order ended at once. */
export function amendRecords(venue: Venue, reply: Reply): object[] {
  return reply.orders.map((order) => ({
    ...actionRecord(venue, order, spotTypeCode(order)),
    status: amendedStatus(order),
  }));
}

/** The lookup's view of a live order. */
export function lookupRecord(venue: Venue, order: Order): object {
  return record(venue, order, orderState(order));
}

/** A row of the list of open orders. */
export function openOrderRecord(venue: Venue, order: Order): object {
  return record(venue, order, 'STATUS_ACTIVE');
}

function record(venue: Venue, order: Order, state: string): object {
  const market = venue.markets[order.market];
  const quote = venue.currencies[market.quote];
  return {
    requestId: order.seq,
    orderId: venue.orderIds.encode(order.key),
    clOrderId: order.clientId,
    symbol: market.symbol,
    quote: quote.code,
    orderState: state,
    orderType: spotTypeCode(order),
    orderSide: sideName(order),
    orderPrice: market.priceNumber(order.price),
    orderValue: moneyNumber(venue.orderValue(order), quote.decimals),
    timestamp: order.createdMs,
    timeInForce: timeInForce(order),
    ...spotSizes(venue, market, order),
    totalFilledBaseSize: market.sizeNumber(order.filled),
    avgFilledPrice: averagePrice(market, order),
    orderDetailType: orderDetailType(order),
    orderDetail: algoDetail(market, order),
    ...triggerFields(market, order),
    ...trailFields(market, order),
    ...pegFields(market, order),
    wrapperOrder: ocoLeg(order) !== null,
    ...activationFields(market, order),
  };
}

function triggerFields(market: Market, order: Order) {
  const { trigger } = order;
  const price = (ticks: number | null | undefined) => (ticks ? market.priceNumber(ticks) : null);
  const percent = trailingOf(order)?.percent ?? null;
  return {
    triggerOrder: trigger !== null,
    triggered: trigger?.fired ?? false,
    triggerUseLastPrice: trigger?.reference === 'last',
    triggerPrice: price(trigger?.price),
    triggerOriginalPrice: price(trigger?.original),
    triggerOrderType: triggerTypeCode(order),
    triggerStopPrice: price(trigger?.limit),
    triggerTrailingStopDeviation: percent === null ? null : partsNumber(percent, 'fraction'),
  };
}

function trailFields(market: Market, order: Order) {
  const trailing = trailingOf(order);
  if (trailing === null) return { trailValue: null, trailValueType: null };
  if (trailing.distance !== null) {
    return { trailValue: market.fineNumber(trailing.distance), trailValueType: 'DISTANCE' };
  }
  return { trailValue: partsNumber(trailing.percent ?? 0, 'percent'), trailValueType: 'PERCENTAGE' };
}

function pegFields(market: Market, order: Order) {
  const peg = pegOf(order);
  const cap = peg === null ? null : market.priceNumber(order.price);
  return {
    pegPriceMin: order.side === 1 ? cap : null,
    pegPriceMax: order.side === 0 ? cap : null,
    pegPriceDeviation: peg === null ? null : partsNumber(peg.deviation, 'fraction'),
    currentPegPrice: peg === null || peg.effective === 0 ? null : market.priceNumber(peg.effective),
  };
}

function activationFields(market: Market, order: Order) {
  const waits = trailingOf(order) ?? twapOf(order);
  if (waits === null || waits.activation === null) return { activationPrice: null, activationPriceType: null };
  return {
    activationPrice: market.priceNumber(waits.activation),
    activationPriceType: priceType(waits.activationReference ?? 'last'),
  };
}
