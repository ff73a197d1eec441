/**
 * What the order records of all trading surfaces have in common: codes, labels and numbers of an order. Each surface
 * keeps its own field names and null rules (its records.ts).
 *
 * Every number is the exact decimal that the venue holds; only an average of fills at several prices is a quotient, and
 * is given to eight decimals beyond the tick.
 */
import { PARTS, type Reference } from '../venue/commands.ts';
import type { Market } from '../venue/market.ts';
import type { Order } from '../venue/orders.ts';
import { decimalNumber, decimalText } from '../venue/quantity.ts';
import type { Reply } from '../venue/venue.ts';
import { endingText } from './errors.ts';

/** Numeric order types of the wire. */
export const TYPE_LIMIT = 76;
export const TYPE_MARKET = 77;
export const TYPE_PEG = 80;
export const TYPE_TWAP = 82;
export const TYPE_TRAILING = 84;

/** triggerOrderType: 1001 stop, 1002 profit, 0 for orders that are no trigger. */
export const TRIGGER_STOP = 1001;
export const TRIGGER_PROFIT = 1002;

/** The numeric status (spec.md section 3.1) of an order. */
export function statusCode(order: Order): number {
  switch (order.state) {
    case 'waiting':
      return 9;
    case 'working':
      return order.filled > 0 ? 5 : 2;
    case 'filled':
      return 4;
    case 'partlyFilled':
      return 5;
    case 'cancelled':
      return 6;
    case 'rejected':
      return 15;
  }
}

/** What a record says about an order's end; null when there is nothing to say, as when its owner cancelled it. */
export function messageOf(order: Order): string | null {
  return order.ending?.reason === 'cancelledByClient' ? null : endingText(order.ending);
}

export function sideName(order: Order): 'BUY' | 'SELL' {
  return order.side === 0 ? 'BUY' : 'SELL';
}

/** True for an order that carries a limit price of its own, released or not; false for MARKET and what becomes one. */
export function isLimit(order: Order): boolean {
  if (order.kind === 'conditional') return order.trigger?.limit !== null;
  return order.kind === 'limit' || order.kind === 'peg';
}

export function triggerTypeCode(order: Order): number {
  if (order.trigger === null) return 0;
  return order.trigger.rule === 'profit' ? TRIGGER_PROFIT : TRIGGER_STOP;
}

/** Lots filled by the command that a reply answers. */
export function filledBy(reply: Reply, order: Order): number {
  return order.filledSeq === reply.seq ? order.filledNow : 0;
}

const AVERAGE_DECIMALS = 8;

/** Volume-weighted average of the fills; 0 when there are none. */
export function averagePrice(market: Market, order: Order): number {
  if (order.filled === 0) return 0;
  if (order.filledCost % order.filled === 0) return market.priceNumber(order.filledCost / order.filled);
  const fine = BigInt(order.filledCost) * market.tick.coefficient * 10n ** BigInt(AVERAGE_DECIMALS);
  const lots = BigInt(order.filled);
  return Number(decimalText((fine + lots / 2n) / lots, market.tick.scale + AVERAGE_DECIMALS));
}

/** Up to here every decimal is told apart by a double. */
const EXACT_UNITS = 10n ** 15n;
const { rawJSON } = JSON as unknown as { rawJSON(text: string): number };

/** Money in smallest units as a JSON number; where a double would change a digit, the exact text is sent. */
export function moneyNumber(units: bigint, decimals: number): number {
  if (units < EXACT_UNITS && units > -EXACT_UNITS) return decimalNumber(Number(units), decimals);
  const text = decimalText(units, decimals);
  return String(Number(text)) === text ? Number(text) : rawJSON(text);
}

/** A percentage or fraction held in parts: `fraction` 10 % as 0.1, `percent` 10 % as 10. */
export function partsNumber(parts: number, as: 'percent' | 'fraction'): number {
  const decimals = Math.log10(PARTS);
  return decimalNumber(parts, as === 'percent' ? decimals : decimals + 2);
}

export const PRICE_TYPES = ['LAST_PRICE', 'MARK_PRICE', 'INDEX_PRICE'] as const;
export type PriceType = (typeof PRICE_TYPES)[number];

const REFERENCES: Readonly<Record<PriceType, Reference>> = {
  LAST_PRICE: 'last',
  MARK_PRICE: 'mark',
  INDEX_PRICE: 'index',
};
const TYPES: Readonly<Record<Reference, PriceType>> = { last: 'LAST_PRICE', mark: 'MARK_PRICE', index: 'INDEX_PRICE' };

export function referenceOf(type: PriceType): Reference {
  return REFERENCES[type];
}

export function priceType(reference: Reference): PriceType {
  return TYPES[reference];
}
