/**
 * Orders and their events as rows of the archive: names, and exact decimals as text. Values that do not apply are
 * absent.
 */

import { averagePriceText } from '../../venue/contract/average-price.ts';
import { decimalText } from '../../venue/contract/decimal.ts';
import type { VenueEvent } from '../../venue/contract/events.ts';
import type { AlgoValue, AlgoView, OrderView } from '../../venue/contract/order-view.ts';
import { FINE, HOUSE, HOUSE_NAME, sideText } from '../../venue/contract/units.ts';
import type { Venue } from '../../venue/venue.ts';
import type { MarketView } from '../../venue/views.ts';
import type { Packed, PackedObject } from '../store/packing.ts';
import type { Row, Value } from '../store/tables.ts';

/** Whole numbers of at most 15 digits, and the smallest value that a double prints without an exponent. */
const EXACT_BELOW = 1e15;
const PLAIN_FROM = 1e-6;

export function accountName(venue: Venue, account: number): string {
  if (account === HOUSE) return HOUSE_NAME;
  return venue.account(account)?.name ?? String(account);
}

/** The account and the market of an order. Taken in time: a reset may remove both. */
export interface OrderPlace {
  readonly account: string;
  readonly market: MarketView;
}

export function placeOf(venue: Venue, { account, market }: OrderView): OrderPlace {
  return { account: accountName(venue, account), market: venue.markets[market] };
}

/** A row of `orders`. */
export function orderRow(venue: Venue, order: OrderView, { account, market }: OrderPlace): Row {
  const { trigger, quoteOriginal } = order;
  const quoteSized = quoteOriginal !== null;
  return [
    order.key,
    venue.orderIds.encode(order.key),
    order.seq,
    account,
    market.symbol,
    sideText(order.side),
    order.kind,
    order.state,
    order.clientId,
    order.price === 0 ? null : priceText(market, order.price),
    quoteSized ? null : sizeText(market, order.original),
    quoteSized ? null : sizeText(market, order.quantity),
    sizeText(market, order.filled),
    quoteSized ? null : sizeText(market, order.remaining),
    averagePrice(market, order),
    quoteSized ? market.quoteText(quoteOriginal) : null,
    quoteSized ? market.quoteText(order.quoteFilled) : null,
    order.timeInForce,
    Number(order.postOnly),
    Number(order.reduceOnly),
    trigger?.rule ?? null,
    trigger?.reference ?? null,
    trigger === null || trigger.price === 0 ? null : priceText(market, trigger.price),
    trigger === null || trigger.original === 0 ? null : priceText(market, trigger.original),
    trigger === null ? null : Number(trigger.fired),
    ...(order.product === 'spot' ? [null, null] : [order.positionMode, order.positionId]),
    order.liquidation,
    orderText(venue, order.takeProfitKey),
    orderText(venue, order.stopLossKey),
    order.ending?.reason ?? null,
    order.createdMs,
    order.updatedMs,
  ];
}

function orderText(venue: Venue, key: number): Value {
  return key === 0 ? null : venue.orderIds.encode(key);
}

function averagePrice(market: MarketView, order: OrderView): Value {
  if (order.filled === 0) return null;
  if (order.filledCost % order.filled === 0) return priceText(market, order.filledCost / order.filled);
  return averagePriceText(market.tick, BigInt(order.filledCost), BigInt(order.filled), 'down');
}

/** Like `Market.priceText`, but by way of a double if that is exact, which is several times faster. */
export function priceText(market: MarketView, ticks: number): string {
  return shortText(ticks * Number(market.tick.coefficient), () => market.priceNumber(ticks)) ?? market.priceText(ticks);
}

export function sizeText(market: MarketView, lots: number): string {
  return shortText(lots * Number(market.lot.coefficient), () => market.sizeNumber(lots)) ?? market.sizeText(lots);
}

/** A last price is always on a tick. An index or a mark may lie between two. */
export function fineText(market: MarketView, fine: number): string {
  return fine % FINE === 0 ? priceText(market, fine / FINE) : market.fineText(fine);
}

/** Up to 15 digits, the text of a double is the decimal. Tiny values have an exponent. */
function shortText(units: number, value: () => number): string | undefined {
  if (Math.abs(units) >= EXACT_BELOW) return undefined;
  const number = value();
  return Math.abs(number) < PLAIN_FROM && number !== 0 ? undefined : `${number}`;
}

/** Something that happened to an order. Members that are undefined count as absent. */
export interface OrderEvent {
  readonly type: string;
  readonly time: number;
  readonly [member: string]: Packed | undefined;
}

/** The details of an order at acceptance that its row does not have. */
export function acceptedEvent(venue: Venue, order: OrderView, time: number): OrderEvent {
  const market = venue.markets[order.market];
  const { trigger, takeProfit, stopLoss, details } = order;
  const price = (ticks: number | null) => (ticks === null || ticks === 0 ? undefined : priceText(market, ticks));
  const attached = (to: typeof takeProfit) => to && { price: price(to.price), reference: to.reference };
  return {
    type: 'accepted',
    time,
    side: sideText(order.side),
    kind: order.kind,
    state: order.state,
    price: price(order.price),
    size: order.quoteOriginal === null ? sizeText(market, order.original) : undefined,
    quoteSize: order.quoteOriginal === null ? undefined : market.quoteText(order.quoteOriginal),
    timeInForce: order.timeInForce ?? undefined,
    postOnly: order.postOnly || undefined,
    reduceOnly: order.reduceOnly || undefined,
    clientId: order.clientId ?? undefined,
    broker: order.broker ?? undefined,
    trigger: trigger
      ? { rule: trigger.rule, reference: trigger.reference, price: price(trigger.price), limit: price(trigger.limit) }
      : undefined,
    ...(details && { [details.name]: termsOf(venue, market, details) }),
    takeProfit: attached(takeProfit) ?? undefined,
    stopLoss: attached(stopLoss) ?? undefined,
  };
}

export function changedEvent(
  venue: Venue,
  event: Extract<VenueEvent, { type: 'orderChanged' }>,
  time: number,
): OrderChange {
  const market = venue.markets[event.market];
  const { ending } = event;
  const figures = { ...ending?.params, ...(event.figures && figureTexts(venue, market, event.figures)) };
  return {
    type: event.change,
    time,
    state: event.state,
    price: event.priceTicks === 0 ? undefined : priceText(market, event.priceTicks),
    filled: sizeText(market, event.filledLots),
    remaining: sizeText(market, event.remainingLots),
    trigger:
      MOVES_TRIGGER.includes(event.change) && event.triggerTicks !== 0
        ? priceText(market, event.triggerTicks)
        : undefined,
    reason: ending?.reason,
    figures: Object.keys(figures).length === 0 ? undefined : figures,
  };
}

/** Changes after which its trigger may be another one. */
const MOVES_TRIGGER: readonly string[] = ['armed', 'repriced', 'amended'];

/** The state of an order after an event. */
export interface OrderChange extends OrderEvent {
  readonly state: string;
  readonly price: string | undefined;
  readonly filled: string;
  readonly remaining: string;
  readonly trigger: string | undefined;
  readonly reason: string | undefined;
  readonly figures: PackedObject | undefined;
}

/** The terms of an algo, without those that were not given. */
function termsOf(venue: Venue, market: MarketView, { terms }: AlgoView): PackedObject {
  return figureTexts(venue, market, terms);
}

/** Figures as text. Those that are null or undefined become undefined. */
export function figureTexts(
  venue: Venue,
  market: MarketView,
  figures: Readonly<Record<string, AlgoValue | undefined>>,
): PackedObject {
  const texts = Object.entries(figures).map(([name, value]) => [
    name,
    textOf(venue, market, value ?? null) ?? undefined,
  ]);
  return Object.fromEntries(texts);
}

/** Numbers as exact text. Text, flags and times stay as they are. */
export function textOf(venue: Venue, market: MarketView, value: AlgoValue): string | number | boolean | null {
  if (value === null || typeof value !== 'object') return value;
  if ('ticks' in value) return value.ticks === null ? null : priceText(market, value.ticks);
  if ('fine' in value) return value.fine === null ? null : market.fineText(value.fine);
  if ('lots' in value) return value.lots === null ? null : sizeText(market, value.lots);
  if ('parts' in value) return value.parts === null ? null : partsText(value.parts);
  return value.order === null ? null : venue.orderIds.encode(value.order);
}

/** Percentages and fractions are in parts of a hundred millionth. */
function partsText(parts: number): string {
  return decimalText(BigInt(parts), 8);
}
