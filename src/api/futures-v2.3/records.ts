/**
 * The records of futures v2.3: the order record (spec.md section 2.2) of placements and cancels, and the lookup record.
 * In ONE_WAY mode positionDirection is left out; stealth and deviation belong to algo orders, which
 * these routes do not place. Numbers that do not apply are 0, as this version's clients expect.
 */
import type { Market } from '../../venue/market.ts';
import type { Order } from '../../venue/orders.ts';
import type { Reply, Venue } from '../../venue/venue.ts';
import {
  averagePrice,
  filledBy,
  isLimit,
  messageOf,
  moneyNumber,
  partsNumber,
  sideName,
  statusCode,
  TYPE_LIMIT,
  TYPE_MARKET,
  triggerTypeCode,
} from '../records-common.ts';
import { marketId } from '../values.ts';

/** The limit price; a MARKET order shows the average of its fills, 0 without any. */
function priceOf(market: Market, order: Order): number {
  return isLimit(order) ? market.priceNumber(order.price) : averagePrice(market, order);
}

export function orderRecord(venue: Venue, reply: Reply, order: Order): object {
  const market = venue.markets[order.market];
  return {
    symbol: market.symbol,
    orderID: venue.orderIds.encode(order.key),
    clOrderID: order.clientId ?? '',
    orderType: isLimit(order) ? TYPE_LIMIT : TYPE_MARKET,
    side: sideName(order),
    price: priceOf(market, order),
    status: statusCode(order),
    time_in_force: order.timeInForce ?? 'GTC',
    timestamp: order.updatedMs,
    trigger: order.trigger !== null,
    triggerPrice: market.priceNumber(order.trigger?.price ?? 0),
    avgFilledPrice: averagePrice(market, order),
    message: messageOf(order) ?? '',
    remainingSize: market.sizeNumber(order.remaining),
    originalOrderSize: market.sizeNumber(order.original),
    currentOrderSize: market.sizeNumber(order.current),
    filledSize: market.sizeNumber(filledBy(reply, order)),
    totalFilledSize: market.sizeNumber(order.filled),
    postOnly: order.postOnly,
    orderDetailType: order.orderDetailType,
    positionMode: 'ONE_WAY',
    positionId: marketId(market),
  };
}

export function lookupRecord(venue: Venue, order: Order): object {
  const market = venue.markets[order.market];
  const { trigger, trailing } = order;
  const percent = trailing?.percent ?? null;
  return {
    symbol: market.symbol,
    orderID: venue.orderIds.encode(order.key),
    clOrderID: order.clientId ?? '',
    orderType: isLimit(order) ? TYPE_LIMIT : TYPE_MARKET,
    side: sideName(order),
    price: priceOf(market, order),
    orderValue: moneyNumber(venue.orderValue(order), venue.currencies[market.quote].decimals),
    originalOrderSize: market.sizeNumber(order.original),
    currentOrderSize: market.sizeNumber(order.current),
    totalFilledSize: market.sizeNumber(order.filled),
    remainingSize: market.sizeNumber(order.remaining),
    pegPriceMin: 0,
    pegPriceMax: 0,
    pegPriceDeviation: 0,
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
    takeProfitOrder: attached(venue, order, 'takeProfit'),
    stopLossOrder: attached(venue, order, 'stopLoss'),
    closeOrder: order.bracketOf !== null,
  };
}

/** As submitted: a distance, or a percentage where it came in by v3. */
export function trailValue(market: Market, order: Order): number {
  const { distance = null, percent = null } = order.trailing ?? {};
  if (distance !== null) return market.fineNumber(distance);
  return partsNumber(percent ?? 0, 'percent');
}

/** The attached order as its parent shows it; its orderId is empty until the parent's first fill creates it. */
export function attached(venue: Venue, order: Order, which: 'takeProfit' | 'stopLoss'): object | null {
  const bracket = order[which];
  if (bracket === null) return null;
  const key = which === 'takeProfit' ? order.takeProfitKey : order.stopLossKey;
  return {
    orderId: key === 0 ? '' : venue.orderIds.encode(key),
    side: order.side === 0 ? 'SELL' : 'BUY',
    triggerPrice: venue.markets[order.market].priceNumber(bracket.price),
    triggerUseLastPrice: bracket.reference === 'last',
  };
}
