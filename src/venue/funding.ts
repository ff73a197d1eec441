/**
 * Mark price and funding of perpetual markets (semantics.md sections 11 and 13).
 *
 * Once a whole minute of venue time: a sample of (mid − index) for the mark, and of the premium for the funding rate.
 * mark = median of: index × (1 + funding rate × time left / interval), index + mean of the last 60 minutes' (mid − index),
 * last. It moves with the index, with each trade and with each minute; set by hand it stays. Spot: mark = index.
 * At the end of an interval longs pay shorts (or the reverse): payers round up, receivers down, the rest to the fund.
 */

import type { Desk } from './desk.ts';
import type { Account } from './ledger.ts';
import type { Market } from './market.ts';
import { type Position, sizeAtMark } from './positions.ts';
import { floorDiv, mulDivCeil, mulDivFloor } from './quantity.ts';
import { TIMER_FUNDING, type Timed } from './timers.ts';
import { BUY, FINE, NONE, PARTS, SELL, type Side } from './units.ts';

const MINUTE_MS = 60_000;
const MOST_SAMPLES = 60;
/** Premium samples are kept a thousand times finer than rates. */
const PREMIUM_PARTS = 1000n * BigInt(PARTS);
/** The rate is a third of the mean premium: three intervals of eight hours make a day. */
const INTERVALS_A_DAY = 3n;

/** The minute timer of one perpetual market. */
export interface MinuteTimer extends Timed {
  readonly type: 'minute';
  readonly market: Market;
}

/** From the first index on: before it there is nothing to sample, and an idle venue stays idle. */
export function startMinutes(desk: Desk, market: Market): void {
  if (market.product === 'spot') return;
  const dueMs = nextMinute(desk.nowMs);
  const timer: MinuteTimer = {
    type: 'minute',
    market,
    key: market.index,
    timer: NONE,
    dueMs,
    timerRank: TIMER_FUNDING,
  };
  desk.timers.set(timer, dueMs, TIMER_FUNDING);
}

function nextMinute(nowMs: number): number {
  return (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS;
}

/**
 * A whole minute: samples, then funding where an interval ends, then the mark that follows. True: money has moved and no
 * mark that is to be seen will have it judged.
 */
export function minute(desk: Desk, timer: MinuteTimer): boolean {
  const { market } = timer;
  sample(market);
  const funded = market.fundingIntervalMs > 0 && timer.dueMs % market.fundingIntervalMs === 0;
  if (funded) settleFunding(desk, market);
  const { mark } = market;
  moveMark(desk, market);
  awaitNextMinute(desk, timer);
  return funded && market.mark === mark;
}

export function awaitNextMinute(desk: Desk, timer: MinuteTimer): void {
  desk.timers.set(timer, nextMinute(timer.dueMs), TIMER_FUNDING);
}

function sample(market: Market): void {
  const index = market.indexPrice;
  if (index === 0) return;
  const bid = market.book.bestPrice(BUY);
  const ask = market.book.bestPrice(SELL);
  if (bid !== NONE && ask !== NONE) {
    market.basis.push(Math.floor(((bid + ask) * FINE) / 2) - index);
    if (market.basis.length > MOST_SAMPLES) market.basis.shift();
  }
  const above = premium(market, BUY, index);
  const below = premium(market, SELL, index);
  market.premiumSum += floorDiv((above - below) * PREMIUM_PARTS, BigInt(index) * BigInt(market.impactLots || 1));
  market.premiumCount++;
}

/**
 * How far the average price of selling the impact size into the bids lies above the index (BUY), or of buying it from the
 * asks below it (SELL), fine × lots; 0 where it does not, or where the side is thinner than the impact size.
 */
function premium(market: Market, side: Side, index: number): bigint {
  const { book, impactLots } = market;
  let left = impactLots;
  let cost = 0n;
  for (let entry = book.front(side); entry !== NONE && left > 0; entry = book.next(entry)) {
    const lots = Math.min(left, book.size(entry));
    cost += BigInt(book.price(entry)) * BigInt(lots);
    left -= lots;
  }
  if (left > 0 || impactLots === 0) return 0n;
  const average = cost * BigInt(FINE);
  const at = BigInt(index) * BigInt(impactLots);
  const distance = side === BUY ? average - at : at - average;
  return distance > 0n ? distance : 0n;
}

/** The rate of the running interval as its samples have it now: parts, capped. */
function runningRate(market: Market): number {
  if (market.premiumCount === 0) return 0;
  const mean = market.premiumSum / (BigInt(market.premiumCount) * INTERVALS_A_DAY * 1000n);
  return Math.max(-market.fundingCap, Math.min(market.fundingCap, Number(mean)));
}

/** The mark that index, last and samples give; 0 without an index. Fine. */
export function fairMark(market: Market, index: number, last: number, nowMs: number): number {
  if (market.product === 'spot' || index === 0) return index;
  const rate = runningRate(market);
  let byFunding = index;
  if (rate !== 0 && market.fundingIntervalMs > 0) {
    const leftMs = market.fundingIntervalMs - (nowMs % market.fundingIntervalMs);
    const whole = BigInt(PARTS) * BigInt(market.fundingIntervalMs);
    byFunding += Number(floorDiv(BigInt(index) * BigInt(rate) * BigInt(leftMs), whole));
  }
  const byBasis = index + mean(market.basis);
  return Math.max(1, median(byFunding, byBasis, last === 0 ? index : last));
}

function mean(samples: readonly number[]): number {
  if (samples.length === 0) return 0;
  return Math.floor(samples.reduce((sum, value) => sum + value, 0) / samples.length);
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

/** Sees a new mark where it has moved; a mark that was set by hand stays. */
export function moveMark(desk: Desk, market: Market): void {
  if (market.markPinned || market.indexPrice === 0 || market.product === 'spot') return;
  const mark = fairMark(market, market.indexPrice, market.last, desk.nowMs);
  if (mark !== market.mark) desk.observe(market, 'mark', mark);
}

function settleFunding(desk: Desk, market: Market): void {
  const rate = runningRate(market);
  market.premiumSum = 0n;
  market.premiumCount = 0;
  market.fundingRate = rate;
  desk.emit({ type: 'fundingSet', market: market.index, rateParts: rate });
  if (rate === 0 || market.mark === 0) return;
  for (const index of [...desk.holders[market.index]].sort((a, b) => a - b)) {
    const account = desk.accounts.get(index) as Account;
    for (const position of account.holding(market.index).positions()) pay(desk, market, account, position, rate);
  }
}

function pay(desk: Desk, market: Market, account: Account, position: Position, rate: number): void {
  if (position.size === 0) return;
  const pays = position.size > 0 === rate > 0;
  const value = sizeAtMark(position, market);
  const size = BigInt(Math.abs(rate));
  const amount = pays ? mulDivCeil(value, size, BigInt(PARTS)) : -mulDivFloor(value, size, BigInt(PARTS));
  const own = account.holding(market.index).mode === 'ISOLATED' ? position : null;
  desk.ledger.insure(account, market.quote, amount, own);
  desk.emit({
    type: 'balanceChanged',
    account: account.index,
    currency: market.quote,
    amount: -amount,
    reason: 'funding',
    market: market.index,
    positionId: position.id,
  });
}
