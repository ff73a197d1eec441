/**
 * The records of futures v2.3: the order record (spec.md section 2.2) of placements, amends and cancels, the lookup record,
 * and the row of the open orders. In ONE_WAY mode positionDirection is left out; stealth and deviation belong to pegs
 * alone. Numbers that do not apply are 0, as this version's clients expect.
 */

import { attachedOf } from '../../venue/algos/bracket.ts';
import { pegOf } from '../../venue/algos/peg.ts';
import { trailingOf } from '../../venue/algos/trailing.ts';
import type { Market } from '../../venue/market.ts';
import type { Order } from '../../venue/orders.ts';
import { NONE } from '../../venue/units.ts';
import type { Reply, Venue } from '../../venue/venue.ts';
import {
  amendedStatus,
  attachedRecord,
  averagePrice,
  filledBy,
  futuresTypeCode,
  messageOf,
  moneyNumber,
  orderDetailType,
  partsNumber,
  positionDirection,
  positionText,
  priceOf,
  sideName,
  statusCode,
  trailValue,
  triggerTypeCode,
} from '../records-common.ts';

function position(market: Market, order: Order) {
  const { positionMode, positionId } = order;
  const direction = positionDirection(order);
  return {
    positionMode,
    ...(direction !== null && { positionDirection: direction }),
    positionId: positionText(market, positionMode, positionId),
  };
}

export function orderRecord(venue: Venue, reply: Reply, order: Order): object {
  const market = venue.markets[order.market];
  const peg = pegOf(order);
  return {
    symbol: market.symbol,
    orderID: venue.orderIds.encode(order.key),
    clOrderID: order.clientId ?? '',
    orderType: futuresTypeCode(order),
    side: sideName(order),
    price: priceOf(market, order),
    status: statusCode(order),
    time_in_force: order.timeInForce ?? 'GTC',
    timestamp: order.updatedMs,
    trigger: order.trigger !== null,
    triggerPrice: market.priceNumber(order.trigger?.price ?? 0),
    avgFilledPrice: averagePrice(market, order),
    message: messageOf(order) ?? '',
    ...(peg !== null && {
      stealth: partsNumber(peg.stealth, 'percent'),
      deviation: partsNumber(peg.deviation, 'percent'),
    }),
    remainingSize: market.sizeNumber(order.remaining),
    originalOrderSize: market.sizeNumber(order.original),
    currentOrderSize: market.sizeNumber(order.current),
    filledSize: market.sizeNumber(filledBy(reply, order)),
    totalFilledSize: market.sizeNumber(order.filled),
    postOnly: order.postOnly,
    orderDetailType: orderDetailType(order),
    ...position(market, order),
  };
}

/** The reply to an amend: the record with status 123, or how the order ended at once. */
export function amendRecord(venue: Venue, reply: Reply, order: Order): object {
  return { ...orderRecord(venue, reply, order), status: amendedStatus(order) };
}

export function lookupRecord(venue: Venue, order: Order): object {
  const market = venue.markets[order.market];
  const { trigger } = order;
  const trailing = trailingOf(order);
  const percent = trailing?.percent ?? null;
  return {
    symbol: market.symbol,
    orderID: venue.orderIds.encode(order.key),
    clOrderID: order.clientId ?? '',
    orderType: futuresTypeCode(order),
    side: sideName(order),
    price: priceOf(market, order),
    orderValue: moneyNumber(venue.orderValue(order), venue.currencies[market.quote].decimals),
    originalOrderSize: market.sizeNumber(order.original),
    currentOrderSize: market.sizeNumber(order.current),
    totalFilledSize: market.sizeNumber(order.filled),
    remainingSize: market.sizeNumber(order.remaining),
    ...pegFields(market, order),
    timestamp: order.createdMs,
    triggerOrder: trigger !== null,
    triggered: trigger?.fired ?? false,
    triggerPrice: market.priceNumber(trigger?.price ?? 0),
    triggerOriginalPrice: market.priceNumber(trigger?.original ?? 0),
    triggerOrderType: triggerTypeCode(order),
    triggerTrailingStopDeviation: percent === null ? 0 : partsNumber(percent, 'fraction'),
    triggerStopPrice: market.priceNumber(trigger?.limit ?? 0),
    triggerUseLastPrice: trigger?.reference === 'last',
    trailValue: trailing === null ? 0 : trailValue(market, order),
    reduceOnly: order.reduceOnly,
    postOnly: order.postOnly,
    status: statusCode(order),
    avgFilledPrice: averagePrice(market, order),
    contractSize: Number(market.spec.contractSize),
    timeInForce: order.timeInForce ?? 'GTC',
    takeProfitOrder: attachedRecord(venue, order, 'takeProfit'),
    stopLossOrder: attachedRecord(venue, order, 'stopLoss'),
    closeOrder: attachedOf(order) !== null,
  };
}

/** The cap of a peg on its side, its deviation and stealth as fractions. */
function pegFields(market: Market, order: Order) {
  const peg = pegOf(order);
  if (peg === null) return { pegPriceMin: 0, pegPriceMax: 0, pegPriceDeviation: 0 };
  const cap = market.priceNumber(order.price);
  return {
    pegPriceMin: order.side === 1 ? cap : 0,
    pegPriceMax: order.side === 0 ? cap : 0,
    pegPriceDeviation: partsNumber(peg.deviation, 'fraction'),
    stealth: partsNumber(peg.stealth, 'fraction'),
  };
}

/** A row of the open orders. vendorName and botID are BTSE's own; there is nothing like them here. */
export function openOrderRecord(venue: Venue, order: Order): object {
  return {
    ...lookupRecord(venue, order),
    vendorName: null,
    botID: null,
    orderState: 'STATUS_ACTIVE',
    cancelDuration: cancelDuration(order),
    orderDetailType: orderDetailType(order),
    ...position(venue.markets[order.market], order),
  };
}

/** Milliseconds from acceptance to expiry; 0: GTC, -1: IOC and FOK. */
function cancelDuration(order: Order): number {
  if (order.timeInForce === 'IOC' || order.timeInForce === 'FOK') return -1;
  return order.timer === NONE ? 0 : order.dueMs - order.createdMs;
}
