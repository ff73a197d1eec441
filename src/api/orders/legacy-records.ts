/**
 * The shared parts of the records of the legacy surfaces, spot v3.3 and futures v2.3: placements, amends and cancels,
 * the look-up, and the additional fields of open orders. Sizes, types and client ids belong to each surface. Numbers
 * that do not apply are 0, as clients of these versions expect. Only pegs have stealth and deviation.
 */
import type { OrderView } from '../../venue/contract/order-view.ts';
import type { Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { statusCode } from '../shared/order-state.ts';
import {
  averagePrice,
  messageOf,
  moneyNumber,
  orderDetailType,
  partsNumber,
  priceOf,
  sideName,
  trailPercent,
  trails,
  trailValue,
  triggerTypeCode,
} from './order-records.ts';

export function legacyActionFields(venue: Venue, order: OrderView): object {
  const market = venue.markets[order.market];
  const { stealth, deviation } = order.details?.terms ?? {};
  return {
    symbol: market.symbol,
    orderID: venue.orderIds.encode(order.key),
    side: sideName(order),
    price: priceOf(market, order),
    status: statusCode(order),
    time_in_force: order.timeInForce ?? 'GTC',
    timestamp: order.updatedMs,
    trigger: order.trigger !== null,
    triggerPrice: market.priceNumber(order.trigger?.price ?? 0),
    avgFilledPrice: averagePrice(market, order),
    message: messageOf(order) ?? '',
    ...(stealth && { stealth: partsNumber(stealth.parts, 'percent') }),
    ...(deviation && { deviation: partsNumber(deviation.parts, 'percent') }),
    postOnly: order.postOnly,
    orderDetailType: orderDetailType(order),
  };
}

export function legacyLookupFields(venue: Venue, order: OrderView): object {
  const market = venue.markets[order.market];
  const { trigger } = order;
  const percent = trailPercent(order);
  return {
    symbol: market.symbol,
    orderID: venue.orderIds.encode(order.key),
    side: sideName(order),
    price: priceOf(market, order),
    orderValue: moneyNumber(venue.orderValue(order), venue.currencies[market.quote].decimals),
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
    trailValue: trails(order) ? trailValue(market, order) : 0,
    postOnly: order.postOnly,
    status: statusCode(order),
    avgFilledPrice: averagePrice(market, order),
    timeInForce: order.timeInForce ?? 'GTC',
  };
}

/** The cap of a peg on its side, its deviation and stealth as fractions. */
function pegFields(market: MarketView, order: OrderView) {
  const { stealth, deviation } = order.details?.terms ?? {};
  if (deviation === undefined) return { pegPriceMin: 0, pegPriceMax: 0, pegPriceDeviation: 0 };
  const cap = market.priceNumber(order.price);
  return {
    pegPriceMin: order.side === 1 ? cap : 0,
    pegPriceMax: order.side === 0 ? cap : 0,
    pegPriceDeviation: partsNumber(deviation.parts, 'fraction'),
    ...(stealth && { stealth: partsNumber(stealth.parts, 'fraction') }),
  };
}

/** What a row of the open orders has besides. vendorName and botID are BTSE's own; there is nothing like them here. */
export function legacyOpenFields(order: OrderView): object {
  return {
    vendorName: null,
    botID: null,
    orderState: 'STATUS_ACTIVE',
    cancelDuration: cancelDuration(order),
    orderDetailType: orderDetailType(order),
  };
}

/** Milliseconds from acceptance to expiry; 0: GTC, -1: IOC and FOK. */
function cancelDuration(order: OrderView): number {
  if (order.timeInForce === 'IOC' || order.timeInForce === 'FOK') return -1;
  return order.nextDueMs === null ? 0 : order.nextDueMs - order.createdMs;
}
