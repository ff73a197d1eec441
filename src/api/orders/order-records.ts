/**
 * The shared parts of the order records of all trading surfaces: codes, labels and numbers. Each surface has its own
 * field names and null rules (its records.ts).
 *
 * Every number is the exact decimal that the venue holds. Only an average of fills at several prices is a quotient,
 * with eight decimals more than the tick.
 */

import type { OrderEvent } from '../../archive/read/history.ts';
import { averagePriceText } from '../../venue/contract/average-price.ts';
import type { PositionMode, Product, Reference } from '../../venue/contract/commands.ts';
import { decimalNumber, decimalText } from '../../venue/contract/decimal.ts';
import type { OrderKind, OrderView, Trigger } from '../../venue/contract/order-view.ts';
import { LONG, PARTS_DECIMALS, sideText, UNOPENED } from '../../venue/contract/units.ts';
import type { PositionView, Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import { endingText } from '../shared/errors.ts';
import { marketId } from '../shared/markets.ts';
import { statusCode } from '../shared/order-state.ts';

/** The numeric order types of the interface. */
const TYPE_LIMIT = 76;
export const TYPE_MARKET = 77;
const TYPE_PEG = 80;
const TYPE_TWAP = 82;
const TYPE_TRAILING = 84;

/** triggerOrderType: 1001 stop, 1002 profit, 0 for orders without a trigger. */
const TRIGGER_STOP = 1001;
const TRIGGER_PROFIT = 1002;

/** TRIGGER_ACTIVATED: the status of the firing event, before those of the released order. */
export const STATUS_TRIGGERED = 10;
/** AMEND_ORDER: the status of an amended order that stays live. */
export const STATUS_AMENDED = 123;

/** The status in the reply to an amend: 123, or the end of the order if it ended at once. */
export function amendedStatus(order: OrderView): number {
  return order.live ? STATUS_AMENDED : statusCode(order);
}

/** The status of an event in an order's history (rules 6.8 to 6.11). Undefined: the event changes no state. */
export function eventStatus({ type, state, filled }: OrderEvent): number | undefined {
  if (state === undefined) return undefined;
  if (type === 'triggered') return STATUS_TRIGGERED;
  const live = state === 'waiting' || state === 'working';
  if (type === 'amended' && live) return STATUS_AMENDED;
  return statusCode({ state: state as OrderView['state'], filled: Number(filled ?? 0) });
}

/** The `message` of a record: why the order ended. Null: there is no message, as after a cancel by its owner. */
export function messageOf(order: OrderView): string | null {
  return order.ending?.reason === 'cancelledByClient' ? null : endingText(order.ending);
}

export function sideName(order: OrderView): 'BUY' | 'SELL' {
  return sideText(order.side);
}

/** The type of an order of the venue or of the archive. An order without its own price has 0 or null. */
export interface Typed {
  readonly kind: OrderKind;
  readonly price: number | string | null;
}

/** True for an order with its own limit price, released or not. False for MARKET and what becomes one. */
export function isLimit({ kind, price }: Typed): boolean {
  if (kind === 'conditional') return price !== 0 && price !== null;
  return kind === 'limit' || kind === 'peg';
}

/**
 * The numeric types on spot and on futures, where trailing stops are market orders. A kind without a row does not
 * compile.
 */
const TYPE_CODES: Readonly<Record<OrderKind, { readonly spot: number; readonly futures: number }>> = {
  limit: { spot: TYPE_LIMIT, futures: TYPE_LIMIT },
  market: { spot: TYPE_MARKET, futures: TYPE_MARKET },
  conditional: { spot: TYPE_MARKET, futures: TYPE_MARKET },
  trailing: { spot: TYPE_TRAILING, futures: TYPE_MARKET },
  peg: { spot: TYPE_PEG, futures: TYPE_PEG },
  twap: { spot: TYPE_TWAP, futures: TYPE_MARKET },
};

/** A kind that becomes a limit order has the type of one. */
function typeCode(order: Typed, product: Product): number {
  return order.kind === 'conditional' && isLimit(order) ? TYPE_LIMIT : TYPE_CODES[order.kind][product];
}

export function futuresTypeCode(order: Typed): number {
  return typeCode(order, 'futures');
}

export function spotTypeCode(order: Typed): number {
  return typeCode(order, 'spot');
}

/** triggerOrderType by the rule of a trigger. Null: the order has no trigger. */
export function triggerCode(rule: Trigger['rule'] | null): number {
  if (rule === null) return 0;
  return rule === 'profit' ? TRIGGER_PROFIT : TRIGGER_STOP;
}

export function triggerTypeCode(order: OrderView): number {
  return triggerCode(order.trigger?.rule ?? null);
}

/** The volume-weighted average of the fills. 0 without fills. */
export function averagePrice(market: MarketView, order: OrderView): number {
  if (order.filled === 0) return 0;
  if (order.filledCost % order.filled === 0) return market.priceNumber(order.filledCost / order.filled);
  return Number(averagePriceText(market.tick, BigInt(order.filledCost), BigInt(order.filled), 'nearest'));
}

/** The limit price. A futures MARKET order shows the average of its fills, or 0 without fills. */
export function priceOf(market: MarketView, order: OrderView): number {
  return isLimit(order) ? market.priceNumber(order.price) : averagePrice(market, order);
}

/** The entry price per contract, cut to eight decimals more than the tick. */
export function entryPrice({ market, entryCost, size }: PositionView): number {
  const lots = BigInt(Math.abs(size)) * market.unitsPerTickLot;
  return Number(averagePriceText(market.tick, entryCost, lots, 'down'));
}

/** Up to this number of units, a double represents every decimal exactly. */
const EXACT_UNITS = 10n ** 15n;
const { rawJSON } = JSON as unknown as { rawJSON(text: string): number };

/** Money in smallest units as a JSON number. If a double would change a digit, the exact text is sent. */
export function moneyNumber(units: bigint, decimals: number): number {
  if (units < EXACT_UNITS && units > -EXACT_UNITS) return decimalNumber(Number(units), decimals);
  return exactNumber(decimalText(units, decimals));
}

/** Decimal text as a JSON number of the same value. */
export function exactNumber(text: string): number {
  const value = Number(text);
  return String(value) === text ? value : rawJSON(text);
}

/** The difference of two exact decimals, of any length, that have at most so many decimals. */
export function difference(amount: string, less: string, decimals: number): string {
  return decimalText(unitsOf(amount, decimals) - unitsOf(less, decimals), decimals);
}

/** An exact decimal, of any length, in units of 10^-decimals. */
export function unitsOf(amount: string, decimals: number): bigint {
  const [whole, fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** A percentage or fraction held in parts: 10 % is 0.1 as `fraction` and 10 as `percent`. */
export function partsNumber(parts: number, as: 'percent' | 'fraction'): number {
  return decimalNumber(parts, as === 'percent' ? PARTS_DECIMALS : PARTS_DECIMALS + 2);
}

/** The percentage of a trailing stop, in parts. Null: it follows at a distance, or does not trail. */
export function trailPercent(order: OrderView): number | null {
  return order.details?.terms.percent?.parts ?? null;
}

export function trails(order: OrderView): boolean {
  return order.details?.terms.distance !== undefined;
}

/** As submitted: a distance, or a percentage if v3 gave one. */
export function trailValue(market: MarketView, order: OrderView): number {
  const distance = order.details?.terms.distance?.fine ?? null;
  return distance === null ? partsNumber(trailPercent(order) ?? 0, 'percent') : market.fineNumber(distance);
}

/** The additional name of a TWAP, and of an order of a liquidation. Null for others. */
export function detailType(
  { kind, liquidation }: Pick<OrderView, 'kind' | 'liquidation'>,
  side: 'BUY' | 'SELL',
): string | null {
  if (liquidation === 'partial') return 'PARTIAL_LIQUIDATION';
  if (liquidation === 'forced') return `FORCED_MARKET_${side}`;
  return kind === 'twap' ? 'TWAP' : null;
}

export function orderDetailType(order: OrderView): string | null {
  return detailType(order, sideName(order));
}

/** The attached order in its parent's record. Its orderId is empty until the parent's first fill creates it. */
export function attachedRecord(venue: Venue, order: OrderView, which: 'takeProfit' | 'stopLoss'): object | null {
  const terms = order[which];
  if (terms === null) return null;
  const key = which === 'takeProfit' ? order.takeProfitKey : order.stopLossKey;
  return {
    orderId: key === 0 ? '' : venue.orderIds.encode(key),
    side: order.side === 0 ? 'SELL' : 'BUY',
    triggerPrice: venue.markets[order.market].priceNumber(terms.price),
    triggerUseLastPrice: terms.reference === 'last',
  };
}

/** LONG or SHORT in HEDGE and ISOLATED: the side of the position that a futures order works on. Null in ONE_WAY. */
export function positionDirection(order: OrderView): 'LONG' | 'SHORT' | null {
  if (order.positionMode === 'ONE_WAY') return null;
  return (order.side === 0) === order.reduceOnly ? 'SHORT' : 'LONG';
}

/**
 * BTC-PERP-USDT. In HEDGE BTC-PERP-USDT|LONG, in ISOLATED BTC-PERP-USDT|4#1. Empty: the order will open its own
 * position.
 */
export function positionText(market: MarketView, mode: PositionMode, id: number): string {
  if (mode === 'ONE_WAY') return marketId(market);
  if (mode === 'HEDGE') return `${marketId(market)}|${id === LONG ? 'LONG' : 'SHORT'}`;
  return id === UNOPENED ? '' : `${marketId(market)}|${id}#1`;
}

/** The fee rates of an account (its own or the market's) as fractions, for one market or all of a product. */
export function feeRecords(venue: Venue, account: number, product: Product, only: MarketView | null): object[] {
  const fraction = (parts: bigint) => decimalNumber(Number(parts), PARTS_DECIMALS);
  return venue.markets
    .filter((market) => (only === null ? market.product === product : market === only))
    .map((market) => {
      const { maker, taker } = venue.feeRates(account, market);
      return { symbol: market.symbol, makerFee: fraction(maker), takerFee: fraction(taker) };
    });
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
