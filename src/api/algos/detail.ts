/**
 * `orderDetail` of both spot surfaces: the progress of an algo. The schema names the fields, and the algo gives the
 * values.
 */
import type { AlgoValue, OrderView } from '../../venue/contract/order-view.ts';
import type { Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { partsNumber } from '../orders/order-records.ts';
import { ALGOS } from './registry.ts';

const FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  ALGOS.flatMap(({ algo, detail }) => (detail === undefined ? [] : [[algo, Object.keys(detail.properties)]])),
);

/** Null for other kinds of order. */
export function algoDetail(venue: Venue, { algo, market, details }: OrderView): object | null {
  const fields = FIELDS.get(algo);
  if (fields === undefined || details === null) return null;
  const { progress } = details;
  return Object.fromEntries(fields.map((name) => [name, jsonOf(venue, venue.markets[market], progress[name] ?? null)]));
}

/** Prices and sizes as numbers, parts as percentages, orders by their ids. */
function jsonOf(venue: Venue, market: MarketView, value: AlgoValue): string | number | boolean | null {
  if (value === null || typeof value !== 'object') return value;
  if ('ticks' in value) return value.ticks === null ? null : market.priceNumber(value.ticks);
  if ('fine' in value) return value.fine === null ? null : market.fineNumber(value.fine);
  if ('lots' in value) return value.lots === null ? null : market.sizeNumber(value.lots);
  if ('parts' in value) return value.parts === null ? null : partsNumber(value.parts, 'percent');
  return value.order === null ? null : venue.orderIds.encode(value.order);
}
