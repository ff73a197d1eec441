/**
 * What an order needs, and what its account has free for that (semantics.md section 5): on spot money of the currency that
 * it pays with, reserved from acceptance on; on futures margin for what it may open. Checks return what is short, with the
 * figures, or null, and change nothing.
 */

import type { Desk } from './desk.ts';
import { UNOPENED } from './holdings.ts';
import type { Account } from './ledger.ts';
import type { Market } from './market.ts';
import type { Order } from './orders.ts';
import { unrealised } from './positions.ts';
import { decimalText, mulDivCeil } from './quantity.ts';
import { type Refusal, refuse } from './reasons.ts';
import { BUY, beyond, NONE, PARTS, SELL, type Side } from './units.ts';

// --- what things cost, smallest units -------------------------------------------------------------------------------

/** What a spot BUY of `lots` at `ticks` can cost at most, fee included where fees come from the quote. */
function buyCost(desk: Desk, account: Account, market: Market, ticks: number, lots: number): bigint {
  const { maker, taker } = account.rates(market);
  let dearer = taker;
  if (maker > dearer) dearer = maker;
  return costAt(desk, market, ticks, lots, dearer);
}

function costAt(desk: Desk, market: Market, ticks: number, lots: number, rate: bigint): bigint {
  const notional = market.notional(ticks, lots);
  if (desk.genesis.config.feeFrom === 'received' || rate <= 0n) return notional;
  return notional + mulDivCeil(notional, rate, BigInt(PARTS));
}

/** What a spot BUY that takes `lots` at `ticks` costs now, fee included where fees come from the quote. */
export function takerCost(desk: Desk, account: Account, market: Market, ticks: number, lots: number): bigint {
  return costAt(desk, market, ticks, lots, account.rates(market).taker);
}

/** What a spot order of `lots` at `ticks` pays at most: base for a SELL, quote for a BUY. */
export function spotCost(
  desk: Desk,
  account: Account,
  market: Market,
  side: Side,
  ticks: number,
  lots: number,
): bigint {
  if (lots === 0) return 0n;
  return side === BUY ? buyCost(desk, account, market, ticks, lots) : BigInt(lots) * market.unitsPerLot;
}

/** What a spot BUY that walks the book for `lots`, at most to `limitTicks`, can cost: hidden slices are part of it, own orders give way. */
export function walkCost(desk: Desk, account: Account, market: Market, limitTicks: number, lots: number): bigint {
  const { book } = market;
  let left = lots;
  let cost = 0n;
  for (let entry = book.front(SELL); entry !== NONE && left > 0; entry = book.next(entry)) {
    const price = book.price(entry);
    if (beyond(BUY, price, limitTicks)) break;
    const maker = desk.orders.slots[book.owner(entry)];
    if (maker.account === account.index) continue;
    const here = Math.min(left, maker.algo.nextSlice === undefined ? book.size(entry) : maker.remaining);
    cost += buyCost(desk, account, market, price, here);
    left -= here;
  }
  return cost;
}

// --- whether it is there --------------------------------------------------------------------------------------------

/** total − reserved − margins + min(0, unrealised), in the currency's smallest units; may be negative. */
export function availableOf(desk: Desk, account: Account, currency: number): bigint {
  const free = account.totals[currency] - account.reserved[currency];
  if (account.holdings.length === 0) return free;
  const { margin, unrealised: profit } = marginsOf(desk, account, currency);
  return free - margin + (profit < 0n ? profit : 0n);
}

/** Margins and unrealised profit of all futures markets that settle in `currency`. */
export function marginsOf(desk: Desk, account: Account, currency: number): { margin: bigint; unrealised: bigint } {
  let margin = 0n;
  let profit = 0n;
  for (let i = 0; i < account.holdings.length; i++) {
    const holding = account.holdings[i];
    const market = desk.markets[i];
    if (holding === undefined || market.quote !== currency) continue;
    margin += holding.margin(market, account.rates(market).taker);
    if (holding.mode === 'ISOLATED') continue; // its positions win and lose with their own money
    for (const position of holding.positions()) profit += unrealised(position, market);
  }
  return { margin, unrealised: profit };
}

/** Money of a currency that is free: `needed` in smallest units. What needs nothing is covered, however little is free. */
export function covered(
  desk: Desk,
  account: Account,
  currency: number,
  needed: bigint,
  available = availableOf(desk, account, currency),
): Refusal | null {
  return needed <= 0n || available >= needed ? null : shortOf(desk, currency, needed, available);
}

function shortOf(desk: Desk, currency: number, needed: bigint, available: bigint): Refusal {
  const { code, decimals } = desk.ledger.currencies[currency];
  return refuse('insufficientFunds', {
    currency: code,
    needed: decimalText(needed, decimals),
    available: decimalText(available, decimals),
  });
}

/**
 * Futures: the margin that this order adds (to that of the order which it stands in for) is covered, or it grows no
 * exposure; nor does it leave the last risk tier.
 */
export function marginCovered(
  desk: Desk,
  account: Account,
  market: Market,
  side: Side,
  ticks: number,
  lots: number,
  instead: Order | null = null,
): Refusal | null {
  const holding = account.holding(market.index);
  const bucket = holding.bucket(side, instead?.positionId ?? UNOPENED);
  const rate = account.rates(market).taker;
  const notional = market.notional(ticks, lots);
  const exposureBefore = holding.exposureOf(bucket, market);
  const before = holding.margin(market, rate);
  const exposed = instead?.exposed ?? 0;
  if (instead !== null) desk.unexpose(instead, exposed);
  bucket.expose(side, lots, notional);
  const exposure = holding.exposureOf(bucket, market);
  const after = holding.margin(market, rate);
  bucket.expose(side, -lots, -notional);
  if (instead !== null) desk.expose(instead, exposed);
  if (exposure <= exposureBefore) return null;
  const largest = market.riskTiers[market.riskTiers.length - 1].maxNotional;
  if (exposure > largest) {
    const { code, decimals } = desk.ledger.currencies[market.quote];
    return refuse('exposureAboveMaximum', {
      symbol: market.symbol,
      exposure: decimalText(exposure, decimals),
      maximum: decimalText(largest, decimals),
      currency: code,
    });
  }
  return covered(desk, account, market.quote, after - before);
}

/** Spot: money to hold for a limit order; futures: margin, but for what only reduces. */
export function limitCovered(
  desk: Desk,
  account: Account,
  market: Market,
  side: Side,
  ticks: number,
  lots: number,
  reduceOnly: boolean,
): Refusal | null {
  if (market.product === 'futures') {
    return reduceOnly ? null : marginCovered(desk, account, market, side, ticks, lots);
  }
  const needed = spotCost(desk, account, market, side, ticks, lots);
  return covered(desk, account, market.payCurrency(side), needed);
}

/** Money or margin for a market order of `lots`, at the worst price that it may trade at (without a book: nothing). */
export function marketCovered(desk: Desk, account: Account, market: Market, side: Side, lots: number): Refusal | null {
  if (market.product === 'spot' && side !== BUY) {
    return covered(desk, account, market.base, BigInt(lots) * market.unitsPerLot);
  }
  const worst = market.marketLimit(side);
  return worst === NONE ? null : limitCovered(desk, account, market, side, worst, lots, false);
}

/** A trigger that waits: on spot the money that it reserves from placement on; on futures it is judged when it fires. */
export function waitingCovered(
  desk: Desk,
  account: Account,
  market: Market,
  side: Side,
  terms: { readonly price?: number | null; readonly size: number | null; readonly quote: string | null },
): Refusal | null {
  if (market.product === 'futures') return null;
  if (terms.quote !== null) return covered(desk, account, market.quote, BigInt(terms.quote));
  return limitCovered(desk, account, market, side, terms.price ?? 0, terms.size ?? 0, false);
}

// --- what is reserved -----------------------------------------------------------------------------------------------

/** What a spot order has to reserve for what it may still do. */
export function reserveFor(desk: Desk, order: Order, account: Account, market: Market): bigint {
  if (order.quoteOriginal !== null) return order.quoteRemaining;
  if (order.algo.reserves !== undefined) return order.algo.reserves(desk, order, account, market);
  return spotCost(desk, account, market, order.side, order.price, order.remaining);
}

/** Reserves what the order needs now; nothing on futures, where margin is counted and not reserved. */
export function reserveNeeded(desk: Desk, order: Order): void {
  const market = desk.market(order);
  if (market.product === 'spot') desk.reserve(order, reserveFor(desk, order, desk.account(order), market));
}
