/**
 * Liquidation at the mark (semantics.md section 11).
 *
 * A margin is one cross account in one settlement currency, or one isolated position. Where its equity is below its
 * maintenance: the orders go first, then the position with the largest loss is closed through the book in quarters
 * (PARTIAL_LIQUIDATION, the liquidation fee to the insurance fund) until equity is 1.2 × maintenance. A quarter takes no
 * price at which it would use up more than its share of the equity. Where not even the fee is left, or the book has no
 * such price, the whole position goes (FORCED_MARKET_*) and the fund takes or gives the difference to the bankruptcy
 * price, at which equity is nothing. What the fund cannot cover of a loss is closed against the other side's most
 * profitable positions at that price. An isolated position wins, loses and pays with its own money; what is left of that
 * when it is closed goes to the wallet. Where nothing can be closed the margin is distressed: tried again at each change,
 * in the same quarters, until it is safe.
 *
 * Invariants: no step changes the sum of all wallets, isolated margins, entry costs and the fund; none takes equity below
 * nothing.
 */

import { afterSweep } from './after-sweep.ts';
import { deleveragingQueue } from './deleveraging.ts';
import type { Desk } from './desk.ts';
import type { Account } from './ledger.ts';
import { crossMargin, equityOf, type Held, type Margin, maintenance, marginOfOne } from './margins.ts';
import type { Market } from './market.ts';
import { settlePosition, sweep } from './matching.ts';
import type { Order } from './orders.ts';
import { type Position, sizeAtMark, unrealised } from './positions.ts';
import { ceilDiv, floorDiv, mulDivCeil, mulDivFloor } from './quantity.ts';
import { ending } from './reasons.ts';
import { adjustReducers } from './reduce-only.ts';
import { TIMER_LIQUIDATION, type Timed } from './timers.ts';
import { BUY, beyond, NONE, opposite, PARTS, SELL, type Side } from './units.ts';

const MOST_ROUNDS = 10;
/** Safe again at maintenance × 1.2. */
const SAFE = { times: 6n, over: 5n };

/** What is still to be liquidated after ten rounds, at the same time. */
export interface LiquidationTimer extends Timed {
  readonly type: 'liquidation';
  readonly account: number;
  readonly market: Market;
}

/** Judges everyone who holds something in the market: after each observation, and after funding that changed no mark. */
export function checkHolders(desk: Desk, market: Market): void {
  const holders = desk.holders[market.index];
  if (holders.size === 0 || market.halted) return;
  for (const index of [...holders].sort((a, b) => a - b)) checkAccount(desk, market, index);
}

/** Judges again those whose liquidation found no book; true: something was closed, which another one may have waited for. */
export function checkDistressed(desk: Desk): boolean {
  let closed = false;
  for (const market of desk.markets) {
    if (market.distressed.size === 0 || market.halted) continue;
    for (const index of [...market.distressed].sort((a, b) => a - b)) {
      if (checkAccount(desk, market, index)) closed = true;
    }
  }
  return closed;
}

/** True: something was closed. */
export function checkAccount(desk: Desk, market: Market, index: number): boolean {
  const account = desk.accounts.get(index) as Account;
  market.distressed.delete(index);
  const holding = account.holding(market.index);
  if (holding.mode !== 'ISOLATED') {
    return liquidate(desk, market, crossMargin(desk, account, market.quote));
  }
  let closed = false;
  for (const position of [...holding.isolated]) {
    if (liquidate(desk, market, marginOfOne(account, market, position))) closed = true;
  }
  return closed;
}

function liquidate(desk: Desk, market: Market, margin: Margin): boolean {
  if (!isDue(margin)) {
    leaveAlone(margin);
    return false;
  }
  cancelOrders(desk, market, margin);
  for (const { position } of margin.held) position.quarter ||= Math.ceil(Math.abs(position.size) / 4);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (isSafe(margin)) {
      leaveAlone(margin);
      return round > 0;
    }
    const worst = worstOf(margin);
    if (worst === null || worst.market.halted) return round > 0;
    if (!closeSome(desk, margin, worst)) {
      market.distressed.add(margin.account.index);
      return round > 0;
    }
  }
  again(desk, market, margin.account);
  return true;
}

/** It begins below maintenance, where that is anything; one that was begun goes on until the margin is safe. */
function isDue(margin: Margin): boolean {
  const needed = maintenance(margin);
  if (needed === 0n) return false;
  const begun = margin.held.some(({ position }) => position.quarter > 0);
  return begun ? !isSafe(margin) : equityOf(margin) < needed;
}

function isSafe(margin: Margin): boolean {
  return equityOf(margin) * SAFE.over >= maintenance(margin) * SAFE.times;
}

function leaveAlone(margin: Margin): void {
  for (const { position } of margin.held) position.quarter = 0;
}

/** Of the market; of a cross margin, of every futures market. */
function cancelOrders(desk: Desk, market: Market, margin: Margin): void {
  const orders = [...desk.liveOrders(margin.account)].filter((order) => {
    return order.product === 'futures' && (margin.isolated === null || order.market === market.index);
  });
  for (const order of orders) if (order.live) desk.finish(order, 'cancelled', ending('liquidation'));
}

function again(desk: Desk, market: Market, account: Account): void {
  const dueMs = desk.nowMs;
  const head = { type: 'liquidation', account: account.index, market, key: account.index } as const;
  const timer: LiquidationTimer = { ...head, timer: NONE, dueMs, timerRank: TIMER_LIQUIDATION };
  desk.timers.set(timer, dueMs, TIMER_LIQUIDATION);
}

/** The open position with the largest loss, then the lowest market. Where that one is halted, it and the rest wait for it. */
function worstOf(margin: Margin): Held | null {
  let worst: Held | null = null;
  for (const held of margin.held) {
    if (held.position.size === 0) continue;
    if (worst === null || unrealised(held.position, held.market) < unrealised(worst.position, worst.market))
      worst = held;
  }
  return worst;
}

/** Closes a quarter of the position, or all of it; false: nothing could be closed. */
function closeSome(desk: Desk, margin: Margin, held: Held): boolean {
  const { market, position } = held;
  const equity = equityOf(margin);
  const before = Math.abs(position.size);
  const limit = quarterLimit(held, equity);
  if (limit !== NONE && levelWithin(market, sideAgainst(position), limit) !== NONE)
    closeQuarter(desk, margin, held, limit);
  else closeAll(desk, margin, held, equity);
  return Math.abs(position.size) < before;
}

/**
 * The price limit of a quarter: the band, or where that comes first the price at which the whole position, its fee
 * included, would use up all of the equity. NONE: not even the fee at the mark is left.
 */
function quarterLimit({ market, position }: Held, equity: bigint): number {
  const value = sizeAtMark(position, market);
  if (equity <= mulDivCeil(value, market.liquidationRate, BigInt(PARTS))) return NONE;
  const side = sideAgainst(position);
  const band = bandLimit(market, side);
  const perTick = BigInt(Math.abs(position.size)) * market.unitsPerTickLot;
  const parts = BigInt(PARTS);
  const bankrupt =
    side === SELL
      ? ceilDiv((value - equity) * parts, perTick * (parts - market.liquidationRate))
      : floorDiv((value + equity) * parts, perTick * (parts + market.liquidationRate));
  const inBand = side === SELL ? bankrupt <= BigInt(band) : bankrupt >= BigInt(band);
  return inBand ? band : Number(bankrupt);
}

function sideAgainst(position: Position): Side {
  return position.size > 0 ? SELL : BUY;
}

/** The venue's own order on the account's behalf. */
function liquidationOrder(desk: Desk, margin: Margin, held: Held, lots: number, forced: boolean): Order {
  const side = sideAgainst(held.position);
  const order = desk.create(margin.account, held.market, side);
  order.kind = 'market';
  order.reduceOnly = true;
  order.original = lots;
  order.current = lots;
  order.liquidation = forced ? 'forced' : 'partial';
  desk.bind(order, held.position.id);
  desk.admit(order);
  return order;
}

function conclude(desk: Desk, margin: Margin, order: Order): void {
  if (order.remaining === 0) desk.finish(order, 'filled', null);
  else desk.finish(order, 'cancelled', ending('noLiquidityInBand'));
  const { isolated } = margin;
  if (isolated?.size === 0) {
    desk.ledger.credit(margin.account, margin.currency, isolated.margin);
    isolated.margin = 0n;
  }
  afterSweep(desk);
}

function bandLimit(market: Market, side: Side): number {
  return market.limitWithin(side, market.mark, market.band);
}

/** The best price that a close of this side may take, or NONE. */
function levelWithin(market: Market, side: Side, limit: number): number {
  const price = market.bestOpposite(side);
  return price === NONE || beyond(side, price, limit) ? NONE : price;
}

function closeQuarter(desk: Desk, margin: Margin, held: Held, limit: number): void {
  const { market, position } = held;
  const lots = Math.min(position.quarter, Math.abs(position.size));
  const order = liquidationOrder(desk, margin, held, lots, false);
  sweep(desk, order, limit, lots);
  // Each fill rounds its fee up: together they may take some units more than there are.
  const equity = equityOf(margin);
  if (equity < 0n) toFund(desk, margin, market, order, equity);
  conclude(desk, margin, order);
}

/**
 * The whole position. Every lot is settled at the bankruptcy price, at which `equity` is used up: what the book gave more
 * goes to the fund, what it gave less comes from it, as far as the fund reaches.
 */
function closeAll(desk: Desk, margin: Margin, held: Held, equity: bigint): void {
  const { market, position } = held;
  const side = sideAgainst(position);
  const size = Math.abs(position.size);
  const value = sizeAtMark(position, market);
  const bankrupt = side === SELL ? value - equity : value + equity;
  const share = (lots: number) => mulDivFloor(bankrupt < 0n ? 0n : bankrupt, BigInt(lots), BigInt(size));
  const others = equity < 0n ? deleveragingQueue(desk, market, side, margin.account).length : 0;
  if (coveredLevel(desk, margin, market, side, size, share) === null && others === 0) return;
  const order = liquidationOrder(desk, margin, held, size, true);
  sweepWithinFund(desk, margin, order, share);
  if (order.remaining > 0 && equity < 0n) deleverage(desk, margin, held, order, share);
  conclude(desk, margin, order);
}

/** Level by level, as long as the fund covers what a level is worse than the bankruptcy price. */
function sweepWithinFund(desk: Desk, margin: Margin, order: Order, share: (lots: number) => bigint): void {
  const market = desk.market(order);
  while (order.remaining > 0) {
    const level = coveredLevel(desk, margin, market, order.side, order.remaining, share);
    if (level === null) return;
    const before = order.filled;
    sweep(desk, order, level.price, level.lots);
    if (order.filled === before) return;
    toFund(desk, margin, market, order, level.better(order.filled - before));
  }
}

interface CoveredLevel {
  readonly price: number;
  readonly lots: number;
  /** What the level gives for that many lots above the bankruptcy price (negative: below). */
  readonly better: (lots: number) => bigint;
}

/** Of the best level within the band, the lots whose difference to the bankruptcy price the fund covers; null: none. */
function coveredLevel(
  desk: Desk,
  margin: Margin,
  market: Market,
  side: Side,
  most: number,
  share: (lots: number) => bigint,
): CoveredLevel | null {
  const price = levelWithin(market, side, bandLimit(market, side));
  if (price === NONE) return null;
  const better = (lots: number) => {
    const difference = market.notional(price, lots) - share(lots);
    return side === SELL ? difference : -difference;
  };
  const shown = Math.min(market.book.levelSize(opposite(side), price), most);
  const fund = desk.ledger.insurance[margin.currency];
  const lots = mostWithin(shown, (lots) => -better(lots) <= (fund < 0n ? 0n : fund));
  return lots === 0 ? null : { price, lots, better };
}

/** The most lots that fit; where some do, fewer do, too. A lot's own loss may be a fraction of a unit: it is no measure. */
function mostWithin(most: number, fits: (lots: number) => boolean): number {
  let [within, beyond] = [0, most + 1];
  while (beyond - within > 1) {
    const middle = Math.floor((within + beyond) / 2);
    if (fits(middle)) within = middle;
    else beyond = middle;
  }
  return within;
}

function toFund(desk: Desk, margin: Margin, market: Market, order: Order, amount: bigint): void {
  if (amount === 0n) return;
  desk.ledger.insure(margin.account, margin.currency, amount, margin.isolated);
  desk.emit({
    type: 'balanceChanged',
    account: margin.account.index,
    currency: margin.currency,
    amount: -amount,
    reason: 'insurance',
    market: market.index,
    positionId: order.positionId,
  });
}

/** Auto-deleveraging: the rest is closed against the other side's positions, as they queue, at the bankruptcy price. */
function deleverage(desk: Desk, margin: Margin, held: Held, order: Order, share: (lots: number) => bigint): void {
  const { market } = held;
  for (const other of deleveragingQueue(desk, market, order.side, margin.account)) {
    if (order.remaining === 0) return;
    const lots = Math.min(order.remaining, Math.abs(other.position.size));
    const notional = share(order.filled + lots) - share(order.filled);
    const fill = { market, lots, notional };
    const positionId = other.position.id;
    settlePosition(desk, fill, margin.account, held.position, order.side, margin.isolated !== null);
    settlePosition(desk, fill, other.account, other.position, opposite(order.side));
    order.filled += lots;
    order.filledCost += Number(notional / market.unitsPerTickLot);
    order.lastFill = lots;
    desk.emit({
      type: 'deleveraged',
      market: market.index,
      sizeLots: lots,
      notional,
      bankruptAccount: margin.account.index,
      bankruptKey: order.key,
      account: other.account.index,
      positionId,
    });
    adjustReducers(desk, other.account, market, other.position);
    adjustReducers(desk, margin.account, market, held.position);
  }
}
