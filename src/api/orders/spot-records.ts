/** What the records of both spot surfaces have in common: sizes, and where an algo is. */
import type { AlgoValue, OrderView } from '../../venue/contract/order-view.ts';
import type { Market } from '../../venue/state/market.ts';
import type { Venue } from '../../venue/venue.ts';
import { moneyNumber, partsNumber } from './order-records.ts';
import { ALGO_DETAILS } from './spot-replies.ts';

/** The size fields of an order: base or quote is populated, the other null. */
export function spotSizes(venue: Venue, market: Market, order: OrderView) {
  if (order.quoteOriginal === null) {
    return {
      orderCurrency: 'base',
      originalOrderBaseSize: market.sizeNumber(order.original),
      originalOrderQuoteSize: null,
      currentOrderBaseSize: market.sizeNumber(order.quantity),
      currentOrderQuoteSize: null,
      remainingOrderBaseSize: market.sizeNumber(order.remaining),
      remainingOrderQuoteSize: null,
    };
  }
  const { decimals } = venue.currencies[market.quote];
  return {
    orderCurrency: 'quote',
    originalOrderBaseSize: null,
    originalOrderQuoteSize: moneyNumber(order.quoteOriginal, decimals),
    currentOrderBaseSize: null,
    currentOrderQuoteSize: moneyNumber(order.quoteOriginal, decimals),
    remainingOrderBaseSize: null,
    remainingOrderQuoteSize: moneyNumber(order.quoteRemaining, decimals),
  };
}

const DETAIL_FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(ALGO_DETAILS).map(([name, { properties }]) => [name, Object.keys(properties)]),
);

/** Where an algo is: the fields of its schema, out of what it says of itself. null for other orders. */
export function algoDetail(venue: Venue, { algo, market, details }: OrderView): object | null {
  const fields = DETAIL_FIELDS.get(algo);
  if (fields === undefined || details === null) return null;
  return Object.fromEntries(
    fields.map((name) => [name, jsonOf(venue, venue.markets[market], details.progress[name] ?? null)]),
  );
}

/** Figures as numbers, percentages as such. */
function jsonOf(venue: Venue, market: Market, value: AlgoValue): string | number | boolean | null {
  if (value === null || typeof value !== 'object') return value;
  if ('ticks' in value) return value.ticks === null ? null : market.priceNumber(value.ticks);
  if ('fine' in value) return value.fine === null ? null : market.fineNumber(value.fine);
  if ('lots' in value) return value.lots === null ? null : market.sizeNumber(value.lots);
  if ('parts' in value) return value.parts === null ? null : partsNumber(value.parts, 'percent');
  return value.order === null ? null : venue.orderIds.encode(value.order);
}
