/**
 * What an order needs (rules 5.6 to 5.10, and 5.37 to 5.47), and what its account has free for it (rule 5.4). A spot
 * order needs money of the currency that it pays with, reserved from acceptance on. A futures order needs margin for
 * what it may open. A check returns the shortage with its figures, or null, and changes nothing.
 */

import type { PositionMode } from '../contract/commands.ts';
import { decimalText } from '../contract/decimal.ts';
import { type Money, minus, moneyOf, plus } from '../contract/money.ts';
import { type Refusal, refuse } from '../contract/reasons.ts';
import * as units from '../contract/units.ts';
import { beyond, opposite, type Side } from '../contract/units.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { MarketPositions } from '../state/market-positions.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import { openingPart, type Position, unrealised } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import { beyondMark, feeOn, lossOf, markAgainst, openLoss } from './fees.ts';
import { exposureOf, marginAfter, type Resting } from './margin.ts';

const { BUY, FINE, HOUSE, NONE, PARTS, SELL, UNOPENED } = units;

// --- costs, smallest units ------------------------------------------------------------------------------------------

/** The most that a spot BUY of `lots` at `ticks` can cost, including the fee if fees come from the quote. */
function buyCost(venue: VenueState, account: Account, market: Market, ticks: number, lots: number): Money {
  if (venue.genesis.config.feeFrom === 'received') return market.worth(ticks, lots);
  const { makerParts, takerParts } = account.rates(market);
  return costAt(venue, market, ticks, lots, Math.max(makerParts, takerParts));
}

function costAt(venue: VenueState, market: Market, ticks: number, lots: number, rate: number): Money {
  const notional = market.worth(ticks, lots);
  if (venue.genesis.config.feeFrom === 'received' || rate <= 0) return notional;
  return plus(notional, feeOn(notional, rate));
}

/** The fee of a fill that its account cannot pay in full: rounded down. */
export function feeRoundedDown(notional: Money, rate: number): Money {
  return moneyOf((BigInt(notional) * BigInt(rate)) / BigInt(PARTS));
}

/** The cost of a spot BUY that takes `lots` at `ticks` now, including the fee if fees come from the quote. */
export function takerCost(venue: VenueState, account: Account, market: Market, ticks: number, lots: number): Money {
  return costAt(venue, market, ticks, lots, account.rates(market).takerParts);
}

/** The most that a spot order of `lots` at `ticks` pays: base for a SELL, quote for a BUY. */
export function spotCost(
  venue: VenueState,
  account: Account,
  market: Market,
  side: Side,
  ticks: number,
  lots: number,
): Money {
  if (lots === 0) return 0;
  return side === BUY ? buyCost(venue, account, market, ticks, lots) : market.baseOf(lots);
}

/**
 * Visits what an order of `lots` would take from the book down to `limitTicks`. Hidden slices are included. The
 * account's own orders are skipped.
 */
function walk(
  venue: VenueState,
  account: Account,
  market: Market,
  side: Side,
  limitTicks: number,
  lots: number,
  visit: (ticks: number, lots: number) => void,
): void {
  const { book } = market;
  let left = lots;
  for (let entry = book.front(opposite(side)); entry !== NONE && left > 0; entry = book.next(entry)) {
    const price = book.price(entry);
    if (beyond(side, price, limitTicks)) return;
    const owner = book.owner(entry);
    const maker = owner === HOUSE ? null : venue.orders.bySlot(owner);
    if (maker?.account === account.index) continue;
    const isShown = maker === null || behaviourOf(maker).nextSlice === undefined;
    const here = Math.min(left, isShown ? book.size(entry) : maker.remaining);
    visit(price, here);
    left -= here;
  }
}

/** The most that a spot BUY that walks the book can cost. */
export function walkCost(venue: VenueState, account: Account, market: Market, limitTicks: number, lots: number): Money {
  let cost: Money = 0;
  walk(venue, account, market, BUY, limitTicks, lots, (ticks, here) => {
    cost = plus(cost, buyCost(venue, account, market, ticks, here));
  });
  return cost;
}

// --- free funds -----------------------------------------------------------------------------------------------------

/**
 * total − reserved − margins − open losses + min(0, unrealised), in the currency's smallest units. It may be negative.
 */
export function availableOf(venue: VenueState, account: Account, currency: number): Money {
  const free = account.unreserved(currency);
  if (account.tradedMarkets.length === 0) return free;
  const { marginAndLosses, worstUnrealised } = marginTotals(venue, account, currency);
  return minus(free, marginAndLosses - (worstUnrealised < 0n ? worstUnrealised : 0n));
}

/** Sums over the futures markets that settle in a currency, in its smallest units. */
interface MarginTotals {
  /** The margin of positions and orders that the wallet covers, and the open losses of the orders. */
  readonly marginAndLosses: bigint;
  /** Of cross positions, at the mark. */
  readonly unrealised: bigint;
  /** The same at the worse of the mark and the foreseeable price (markAgainst), so that nobody withdraws what it costs. */
  readonly worstUnrealised: bigint;
}

export function marginTotals(venue: VenueState, account: Account, currency: number): MarginTotals {
  let marginAndLosses = 0n;
  let profit = 0n;
  let worstUnrealised = 0n;
  for (const i of account.tradedMarkets) {
    const market = venue.markets[i];
    if (market.quote !== currency) continue;
    const marketPositions = account.positionsIn(i);
    marginAndLosses += marginAndLossesIn(venue, account, market, marketPositions);
    if (marketPositions.mode === 'ISOLATED') continue; // isolated positions win and lose their own collateral
    for (const position of marketPositions.positions()) {
      const atMark = unrealised(position, market);
      const known = markAgainst(market, position.size > 0 ? BUY : SELL);
      profit += atMark;
      worstUnrealised += known === market.valuationMark ? atMark : unrealised(position, market, known);
    }
  }
  return { marginAndLosses, unrealised: profit, worstUnrealised };
}

/** A change of the resting orders of one position: what is added on one side, and the order that it replaces. */
interface OrderChange extends Resting {
  readonly position: Position;
  readonly side: Side;
  /** Open loss of what is added. */
  readonly loss: bigint;
  readonly instead: Order | null;
}

/** Margin and open losses in one market, as they are or with a change. */
function marginAndLossesIn(
  venue: VenueState,
  account: Account,
  market: Market,
  marketPositions: MarketPositions,
  change: OrderChange | null = null,
): bigint {
  const { taker } = account.rates(market);
  let sum = marginAfter(market, marketPositions, taker, change === null ? null : { orders: change });
  for (const position of marketPositions.exposureSlots()) {
    for (const side of [BUY, SELL] as const) {
      const changed = change?.position === position ? change : null;
      const lots = (changed ?? position).lots[side];
      if (lots === 0) continue;
      let loss = restingLoss(venue, account, market, marketPositions, position, side, changed?.instead ?? null);
      if (changed?.side === side) loss += changed.loss;
      if (loss > 0n) sum += openingPart(position, side, lots, loss);
    }
  }
  return sum;
}

/**
 * Open loss of all orders that rest on one side for a position. The account's orders are only visited if one is beyond
 * the mark.
 */
function restingLoss(
  venue: VenueState,
  account: Account,
  market: Market,
  marketPositions: MarketPositions,
  position: Position,
  side: Side,
  without: Order | null,
): bigint {
  const worst = position.worstTicks(side);
  if (worst === 0 || !beyond(side, worst * FINE, markAgainst(market, side))) return 0n;
  let loss = 0n;
  let found = 0;
  for (const order of venue.liveOrders(account)) {
    if (order.market !== market.index || order.side !== side || order.exposed === 0) continue;
    if (marketPositions.exposureSlot(side, order.positionId) !== position) continue;
    if (found === 0 || beyond(side, order.price, found)) found = order.price;
    if (order.key !== without?.key) loss += openLoss(market, side, order.price, order.exposed);
  }
  position.cacheWorstTicks(side, found);
  return loss;
}

/**
 * Whether `needed` smallest units of a currency are free. If nothing is needed, that is covered, however little is
 * free.
 */
export function covered(
  venue: VenueState,
  account: Account,
  currency: number,
  needed: Money,
  available: Money | null = null,
): Refusal | null {
  if (needed <= 0) return null;
  const isSpotAlone = available === null && account.tradedMarkets.length === 0;
  if (isSpotAlone && account.hasUnreserved(currency, needed)) return null;
  const free = available ?? availableOf(venue, account, currency);
  return free >= needed ? null : shortOf(venue, currency, needed, free);
}

function shortOf(venue: VenueState, currency: number, needed: Money, available: Money): Refusal {
  const { code, decimals } = venue.ledger.currencies[currency];
  return refuse('insufficientFunds', {
    currency: code,
    needed: decimalText(BigInt(needed), decimals),
    available: decimalText(BigInt(available), decimals),
  });
}

/** What a futures order would fill or rest as: its lots, their notional, and the loss at once. */
export interface Exposure {
  readonly lots: number;
  readonly notional: bigint;
  readonly loss: bigint;
}

/**
 * The data of an entering order that the checks of its funds need. `positionMode` null or absent: the account's mode.
 */
export interface Entering {
  readonly side: Side;
  readonly reduceOnly: boolean;
  readonly positionMode?: PositionMode | null;
}

/** A limit order that enters. `price` is in ticks. */
export interface EnteringLimit extends Entering {
  readonly price: number;
}

/** The account's positions in the market, in the mode that the order switches to. */
function positionsFor(account: Account, market: Market, { positionMode }: Entering): MarketPositions {
  return account.positionsIn(market.index).inMode(positionMode ?? null);
}

/**
 * The exposure of a limit order. An isolated order is charged margin at the prices of its fills, and a SELL may fill
 * above its limit when it enters.
 */
function exposureAt(
  marketPositions: MarketPositions,
  market: Market,
  { side, price }: EnteringLimit,
  lots: number,
): Exposure {
  const isolatedSell = side === SELL && marketPositions.mode === 'ISOLATED';
  const dearest = isolatedSell ? Math.max(price, market.bestOpposite(SELL)) : price;
  return { lots, notional: market.notional(dearest, lots), loss: openLoss(market, side, price, lots) };
}

/**
 * While the feed of the index has stopped, a futures order may only reduce, after the account's other orders on its
 * side.
 */
export function freshToOpen(
  account: Account,
  market: Market,
  order: Entering,
  lots: number,
  instead: Order | null = null,
): Refusal | null {
  if (!market.indexStale || market.product === 'spot' || order.reduceOnly) return null;
  const { side } = order;
  const position = positionsFor(account, market, order).exposureSlot(side, instead?.positionId ?? UNOPENED);
  const others = position.lots[side] - (instead?.exposed ?? 0);
  const opens = position.opening(side, others + lots) > position.opening(side, others);
  return opens ? refuse('staleIndex', { symbol: market.symbol }) : null;
}

/**
 * Futures: whether the account can cover what this order adds to its margin and open losses, beyond the order `instead`
 * that it replaces. The exposure must stay within the last risk tier.
 */
function marginCovered(
  venue: VenueState,
  account: Account,
  market: Market,
  marketPositions: MarketPositions,
  side: Side,
  added: Exposure,
  instead: Order | null = null,
): Refusal | null {
  if (added.lots === 0) return null;
  const position = marketPositions.exposureSlot(side, instead?.positionId ?? UNOPENED);
  const change = changeOf(market, position, side, added, instead);
  const exposure = exposureOf(market, marketPositions, position, change);
  const largest = market.riskTiers[market.riskTiers.length - 1].maxNotional;
  if (exposure > largest && exposure > exposureOf(market, marketPositions, position)) {
    const { code, decimals } = venue.ledger.currencies[market.quote];
    return refuse('exposureAboveMaximum', {
      symbol: market.symbol,
      exposure: decimalText(exposure, decimals),
      maximum: decimalText(largest, decimals),
      currency: code,
    });
  }
  const before = marginAndLossesIn(venue, account, market, marketPositions);
  const needed = marginAndLossesIn(venue, account, market, marketPositions, change) - before;
  return covered(venue, account, market.quote, needed);
}

function changeOf(market: Market, position: Position, side: Side, added: Exposure, instead: Order | null): OrderChange {
  const lots: [number, number] = [...position.lots];
  const notional: [bigint, bigint] = [...position.notional];
  const replaced = instead?.exposed ?? 0;
  lots[side] += added.lots - replaced;
  notional[side] += added.notional - (instead === null ? 0n : market.notional(instead.price, replaced));
  return { position, lots, notional, side, loss: added.loss, instead };
}

/** The exposure of a market order of `lots`: it walks the book as far as the order may go. */
function walkOf(
  venue: VenueState,
  account: Account,
  market: Market,
  side: Side,
  limitTicks: number,
  lots: number,
): Exposure {
  let walked = 0;
  let notional = 0n;
  let distance = 0n;
  walk(venue, account, market, side, limitTicks, lots, (ticks, here) => {
    walked += here;
    notional += market.notional(ticks, here);
    distance += beyondMark(market, side, ticks, here);
  });
  return { lots: walked, notional, loss: lossOf(market, distance) };
}

/** Checks the money for a spot limit order, or the margin for a futures limit order that is not reduce-only. */
export function limitCovered(
  venue: VenueState,
  account: Account,
  market: Market,
  order: EnteringLimit,
  lots: number,
): Refusal | null {
  const { side, price, reduceOnly } = order;
  if (market.product === 'futures') {
    return reduceOnly ? null : limitMarginCovered(venue, account, market, order, lots, null);
  }
  const needed = spotCost(venue, account, market, side, price, lots);
  return covered(venue, account, market.payCurrency(side), needed);
}

/** Checks the margin for a futures order that enters at its limit price and replaces `instead`. */
export function limitMarginCovered(
  venue: VenueState,
  account: Account,
  market: Market,
  order: EnteringLimit,
  lots: number,
  instead: Order | null,
): Refusal | null {
  const marketPositions = positionsFor(account, market, order);
  return marginCovered(
    venue,
    account,
    market,
    marketPositions,
    order.side,
    exposureAt(marketPositions, market, order, lots),
    instead,
  );
}

/**
 * Checks the money for a spot market order of `lots` at the worst price that it may trade at. On futures, checks
 * the margin for what the book offers.
 */
export function marketCovered(
  venue: VenueState,
  account: Account,
  market: Market,
  order: Entering,
  lots: number,
): Refusal | null {
  const { side } = order;
  if (market.product === 'spot' && side !== BUY) {
    return covered(venue, account, market.base, market.baseOf(lots));
  }
  const worst = market.marketLimit(side);
  if (worst === NONE) return null;
  if (market.product === 'spot') {
    return covered(venue, account, market.quote, spotCost(venue, account, market, side, worst, lots));
  }
  const marketPositions = positionsFor(account, market, order);
  const walked = walkOf(venue, account, market, side, worst, lots);
  return marginCovered(venue, account, market, marketPositions, side, walked);
}

/** Checks a waiting trigger. On spot it reserves money from placement on. On futures it is checked when it fires. */
export function waitingCovered(
  venue: VenueState,
  account: Account,
  market: Market,
  side: Side,
  terms: { readonly price?: number | null; readonly size: number | null; readonly quote: string | null },
): Refusal | null {
  if (market.product === 'futures') return null;
  if (terms.quote !== null) return covered(venue, account, market.quote, BigInt(terms.quote));
  if (side === BUY && terms.price == null) {
    const problem = 'cannot be in lots for a spot BUY that fires as a market order';
    return refuse('sizeUnfit', { field: 'size', problem, expected: 'give the quote to spend, or a limit price' });
  }
  const needed = spotCost(venue, account, market, side, terms.price ?? 0, terms.size ?? 0);
  return covered(venue, account, market.payCurrency(side), needed);
}

// --- reserves -------------------------------------------------------------------------------------------------------

/**
 * The reserve that a spot order needs for what it may still do. `taken`: lots that are counted as filled, but are not
 * (of an order with a size).
 */
export function reserveFor(venue: VenueState, order: Order, account: Account, market: Market, taken = 0): Money {
  if (order.quoteOriginal !== null) return moneyOf(order.quoteRemaining);
  const { reserves } = behaviourOf(order);
  if (reserves !== undefined) return reserves(venue, order, account, market, taken);
  return spotCost(venue, account, market, order.side, order.price, order.remaining - taken);
}

/** Reserves what the order needs now. On futures it does nothing, because margin is calculated and not reserved. */
export function reserveNeeded(venue: VenueState, order: Order): void {
  const market = venue.market(order);
  if (market.product !== 'spot') return;
  const account = venue.account(order);
  venue.reserve(order, account, market, reserveFor(venue, order, account, market));
}
