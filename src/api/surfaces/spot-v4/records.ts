/**
 * The records of spot v4: the placement record (spec.md section 2.4) of placements and cancels, and the look-up record
 * (section 2.5) of the look-up and the list of open orders. Fields of other kinds of order are present and null. Rules
 * 14.1 to 14.10 are the contract of this file.
 */

import type { OrderView } from '../../../venue/contract/order-view.ts';
import type { Reply, Venue } from '../../../venue/venue.ts';
import type { MarketView } from '../../../venue/views.ts';
import { algoDetail } from '../../algos/detail.ts';
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
  trailPercent,
  trails,
  trailValue,
  triggerTypeCode,
} from '../../orders/order-records.ts';
import { spotSizes } from '../../orders/spot-records.ts';
import { orderState, statusCode } from '../../shared/order-state.ts';

/** The quote currency of the user: an account setting, with one value for now. */
const USER_QUOTE_CURRENCY = 'USDT';

/** Null for MARKET and what becomes one, for TWAP, and for a waiting stop leg. */
function timeInForce(order: OrderView): string | null {
  const waitingLeg = order.details?.terms.role === 'stop' && order.trigger?.fired !== true;
  return isLimit(order) && !waitingLeg ? (order.timeInForce ?? 'GTC') : null;
}

function actionRecord(venue: Venue, order: OrderView, type: number) {
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

/** The reply to a placement: one record, or the limit leg and then the stop leg of an OCO. */
export function placementRecords(venue: Venue, reply: Reply): object[] {
  return reply.orders.map((order) =>
    // BTSE shows every CONDITIONAL as 77 here. The look-up distinguishes the limit variants.
    actionRecord(venue, order, order.algo === 'conditional' ? TYPE_MARKET : spotTypeCode(order)),
  );
}

export function cancelRecords(venue: Venue, reply: Reply): object[] {
  return reply.orders.map((order) => actionRecord(venue, order, spotTypeCode(order)));
}

/** The reply to an amend: the record with status 123, or the end of the order if it ended at once. */
export function amendRecords(venue: Venue, reply: Reply): object[] {
  return reply.orders.map((order) => ({
    ...actionRecord(venue, order, spotTypeCode(order)),
    status: amendedStatus(order),
  }));
}

/** The look-up record of a live order. */
export function lookupRecord(venue: Venue, order: OrderView): object {
  return record(venue, order, orderState(order));
}

/** A row of the list of open orders. */
export function openOrderRecord(venue: Venue, order: OrderView): object {
  return record(venue, order, 'STATUS_ACTIVE');
}

function record(venue: Venue, order: OrderView, state: string): object {
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
    orderDetail: algoDetail(venue, order),
    ...triggerFields(market, order),
    ...trailFields(market, order),
    ...pegFields(market, order),
    wrapperOrder: order.algo === 'oco',
    ...activationFields(market, order),
  };
}

function triggerFields(market: MarketView, order: OrderView) {
  const { trigger } = order;
  const price = (ticks: number | null | undefined) => (ticks ? market.priceNumber(ticks) : null);
  const percent = trailPercent(order);
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

function trailFields(market: MarketView, order: OrderView) {
  if (!trails(order)) return { trailValue: null, trailValueType: null };
  const trailValueType = trailPercent(order) === null ? 'DISTANCE' : 'PERCENTAGE';
  return { trailValue: trailValue(market, order), trailValueType };
}

function pegFields(market: MarketView, order: OrderView) {
  const { terms, progress } = order.details ?? {};
  const deviation = terms?.deviation?.parts ?? null;
  const cap = deviation === null ? null : market.priceNumber(order.price);
  const price = progress?.price?.ticks ?? null;
  return {
    pegPriceMin: order.side === 1 ? cap : null,
    pegPriceMax: order.side === 0 ? cap : null,
    pegPriceDeviation: deviation === null ? null : partsNumber(deviation, 'fraction'),
    currentPegPrice: price === null ? null : market.priceNumber(price),
  };
}

function activationFields(market: MarketView, order: OrderView) {
  const { activation, activationReference } = order.details?.terms ?? {};
  const ticks = activation?.ticks ?? null;
  if (ticks === null) return { activationPrice: null, activationPriceType: null };
  return {
    activationPrice: market.priceNumber(ticks),
    activationPriceType: priceType(activationReference ?? 'last'),
  };
}
