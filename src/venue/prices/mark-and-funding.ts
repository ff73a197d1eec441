/**
 * Mark price and funding of perpetual markets (rules 13.5 to 13.14, and 11.72 to 11.79).
 *
 * At every whole minute of venue time the basis is sampled for the mark, and the premium for the funding rate. Both use
 * the price at which the funding's impact size would trade.
 *
 * mark = median of:
 * - index × (1 + last settled funding rate × time left / interval)
 * - index + sum of the last 60 basis samples / 60
 * - last
 *
 * The mark stays within maxBasis of the index, on a whole tick. It moves with the index, after each match and at each
 * minute. A mark that was set manually stays. On spot the mark is the index.
 * At the end of an interval longs pay shorts (or the reverse). Payments are rounded up, receipts down, and the
 * difference goes to the fund.
 */

import { floorDiv, mulDivCeil, mulDivFloor } from '../contract/decimal.ts';
import type { Side } from '../contract/units.ts';
import * as units from '../contract/units.ts';
import { equityOf, marginAccountOf } from '../risk/margin-account.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import { notionalAtMark, type Position } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import type { Timed } from '../structures/timer-queue.ts';
import * as timerQueue from '../structures/timer-queue.ts';

const { BUY, FINE, NONE, PARTS, SELL } = units;
const { TIMER_FUNDING } = timerQueue;

const MINUTE_MS = 60_000;
/** The basis of the mark is the mean over this many minutes. */
const BASIS_MINUTES = 60;
/** Premium samples are a thousand times finer than rates. */
const PREMIUM_PARTS = 1000n * BigInt(PARTS);
/** The rate is a third of the mean premium, because three intervals of eight hours make a day. */
const INTERVALS_A_DAY = 3n;

/** The minute timer of one perpetual market. */
export interface MinuteTimer extends Timed {
  readonly type: 'minute';
  readonly market: Market;
}

/** Called at the first index. Before it there is nothing to sample, and an idle venue needs no timer. */
export function startMinutes(venue: VenueState, market: Market): void {
  if (market.product === 'spot') return;
  const dueMs = nextMinute(venue.nowMs);
  const timer: MinuteTimer = {
    type: 'minute',
    market,
    key: market.index,
    timer: NONE,
    dueMs,
    timerRank: TIMER_FUNDING,
  };
  venue.minutes.set(market, timer);
  venue.timers.set(timer, dueMs, TIMER_FUNDING);
}

/** No minute of the market is due any more. */
export function endMinutes(venue: VenueState, market: Market): void {
  const timer = venue.minutes.get(market);
  if (timer !== undefined) venue.timers.clear(timer);
}

function nextMinute(nowMs: number): number {
  return (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS;
}

/**
 * A whole minute: takes the samples, pays funding at the end of an interval, then moves the mark. Returns true if
 * funding was paid and no mark is observed, so the caller must run the margin check.
 */
export function minute(venue: VenueState, timer: MinuteTimer): boolean {
  const { market } = timer;
  sample(market);
  const funded = market.fundingIntervalMs > 0 && timer.dueMs % market.fundingIntervalMs === 0;
  if (funded) settleFunding(venue, market);
  if (funded && market.nextFunding !== null) market.adoptFunding(market.nextFunding);
  const { mark } = market;
  moveMark(venue, market);
  awaitNextMinute(venue, timer);
  return funded && (market.halted || market.mark === mark);
}

export function awaitNextMinute(venue: VenueState, timer: MinuteTimer): void {
  venue.timers.set(timer, nextMinute(timer.dueMs), TIMER_FUNDING);
}

function sample(market: Market): void {
  const index = market.indexPrice;
  if (index === 0) return;
  const bids = impactCost(market, BUY);
  const asks = impactCost(market, SELL);
  const size = BigInt(market.impactLots);
  const near = (cost: bigint) => nearIndex(market, Number(cost / size), index);
  market.basis.push(bids === null || asks === null ? 0 : Math.floor((near(bids) + near(asks)) / 2) - index);
  if (market.basis.length > BASIS_MINUTES) market.basis.shift();
  const atIndex = BigInt(index) * size;
  const above = bids !== null && bids > atIndex ? bids - atIndex : 0n;
  const below = asks !== null && asks < atIndex ? atIndex - asks : 0n;
  if (above !== below) market.premiumSum += floorDiv((above - below) * PREMIUM_PARTS, atIndex);
}

/**
 * What the impact size would earn if sold into the bids (BUY), or cost if bought from the asks (SELL), fine × lots.
 * Null if that side has fewer lots within the band around the index.
 */
function impactCost(market: Market, side: Side): bigint | null {
  const { book, impactLots } = market;
  const low = market.limitWithin(SELL, market.indexPrice, market.band);
  const high = market.limitWithin(BUY, market.indexPrice, market.band);
  let left = impactLots;
  let cost = 0n;
  for (let entry = book.front(side); entry !== NONE && left > 0; entry = book.next(entry)) {
    const price = book.price(entry);
    if (price < low || price > high) continue;
    const lots = Math.min(left, book.size(entry));
    cost += BigInt(price) * BigInt(lots);
    left -= lots;
  }
  return left > 0 || impactLots === 0 ? null : cost * BigInt(FINE);
}

/** Limits a price to maxBasis around the index. */
function nearIndex(market: Market, fine: number, index: number): number {
  const most = Number((BigInt(index) * BigInt(market.maxBasis)) / BigInt(PARTS));
  return Math.max(index - most, Math.min(index + most, fine));
}

/**
 * The rate of the interval that ends, in parts, within the cap: the recorded one, or that of the samples. A minute without a
 * sample counts as zero.
 */
function intervalRate(market: Market): number {
  const recorded = market.playback?.fundingRate ?? null;
  if (recorded !== null) return Math.max(-market.fundingCap, Math.min(market.fundingCap, recorded));
  const minutes = BigInt(market.fundingIntervalMs / MINUTE_MS);
  const mean = market.premiumSum / (minutes * INTERVALS_A_DAY * 1000n);
  return Math.max(-market.fundingCap, Math.min(market.fundingCap, Number(mean)));
}

/** The mark that follows from index, last and samples, fine. 0 without an index. */
export function fairMark(market: Market, index: number, last: number, nowMs: number): number {
  if (market.product === 'spot' || index === 0) return index;
  let byFunding = index;
  const { fundingRate } = market;
  if (fundingRate !== 0 && market.fundingIntervalMs > 0) {
    const leftMs = market.fundingIntervalMs - (nowMs % market.fundingIntervalMs);
    const whole = BigInt(PARTS) * BigInt(market.fundingIntervalMs);
    byFunding += Number(floorDiv(BigInt(index) * BigInt(fundingRate) * BigInt(leftMs), whole));
  }
  const byBasis = index + Math.floor(market.basis.reduce((sum, value) => sum + value, 0) / BASIS_MINUTES);
  const fair = median(byFunding, byBasis, last === 0 ? index : last);
  const clamped = nearIndex(market, fair, index);
  const onTick = onTickNearest(index, clamped);
  // If a tick is coarser than maxBasis, the mark is between ticks. It never moves further away from the index.
  return nearIndex(market, onTick, index) === onTick ? onTick : clamped;
}

/**
 * The mark under a new index and last. A mark that was set manually stays, and so does one that is released while there
 * is no index to follow: positions need a value.
 */
export function nextMark(
  market: Market,
  isPinned: boolean,
  { index, last }: { readonly index: number; readonly last: number },
  nowMs: number,
): number {
  return isPinned || index === 0 ? market.mark : fairMark(market, index, last, nowMs);
}

/** Of the two whole ticks around a price, the one nearer to the index. If both are equally near: the lower. */
function onTickNearest(index: number, fine: number): number {
  const below = Math.floor(fine / FINE) * FINE;
  if (below === fine) return fine;
  const above = below + FINE;
  return below > 0 && Math.abs(index - below) <= Math.abs(above - index) ? below : above;
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

/** Observes a new mark if it has moved. A mark that was set manually stays. */
export function moveMark(venue: VenueState, market: Market): void {
  market.printed = false;
  if (market.markPinned || market.indexPrice === 0 || market.product === 'spot') return;
  const mark = fairMark(market, market.indexPrice, market.last, venue.nowMs);
  if (mark !== market.mark) venue.observe(market, 'mark', mark);
}

function settleFunding(venue: VenueState, market: Market): void {
  const rate = intervalRate(market);
  market.premiumSum = 0n;
  market.fundingRate = rate;
  venue.emit.fundingSet?.({ type: 'fundingSet', market: market.index, rateParts: rate });
  if (rate === 0 || market.valuationMark === 0) return;
  const sides = { payers: [] as Funded[], receivers: [] as Funded[] };
  for (const index of venue.holdersOf(market)) {
    const account = venue.accounts.get(index) as Account;
    for (const position of account.positionsIn(market.index).positions()) {
      if (position.size === 0) continue;
      const pays = position.size > 0 === rate > 0;
      sides[pays ? 'payers' : 'receivers'].push({ account, position, value: notionalAtMark(position, market) });
    }
  }
  const held = venue.house.position(market.index);
  if (held !== undefined && held.size !== 0) {
    const pays = held.size > 0 === rate > 0;
    sides[pays ? 'payers' : 'receivers'].push({ account: null, position: held, value: notionalAtMark(held, market) });
  }
  const size = BigInt(Math.abs(rate));
  let owed = 0n;
  let paid = 0n;
  for (const payer of sides.payers) {
    const amount = mulDivCeil(payer.value, size, BigInt(PARTS));
    const payable = payableBy(market, payer, amount);
    owed += amount;
    paid += payable;
    transfer(venue, market, payer, payable);
  }
  const whole = sides.receivers.reduce((sum, { value }) => sum + value, 0n);
  for (const receiver of sides.receivers) {
    const full = mulDivFloor(receiver.value, size, BigInt(PARTS));
    // At the smallest marks the value of a receiver may round to nothing.
    const share = paid === owed || whole === 0n ? full : mulDivFloor(paid, receiver.value, whole);
    transfer(venue, market, receiver, -share);
  }
}

/** A position that pays or receives funding, and its value at the mark. */
interface Funded {
  /** Null: the house. */
  readonly account: Account | null;
  readonly position: Position;
  readonly value: bigint;
}

/**
 * Nobody pays more than the equity that is left. Otherwise a position that waits for its liquidation would draw on the
 * fund.
 */
function payableBy(market: Market, { account, position }: Funded, amount: bigint): bigint {
  if (account === null) return amount;
  const equity = equityOf(marginAccountOf(account, market, position));
  if (equity >= amount) return amount;
  return equity > 0n ? equity : 0n;
}

function transfer(venue: VenueState, market: Market, { account, position }: Funded, amount: bigint): void {
  if (account === null) {
    venue.house.credit(market.quote, -amount);
    venue.ledger.addToInsurance(market.quote, amount);
    return;
  }
  const isolated = account.positionsIn(market.index).mode === 'ISOLATED' ? position : null;
  if (isolated !== null) venue.changes.position(account, market, isolated);
  venue.ledger.payToInsurance(account, market.quote, amount, isolated);
  venue.emit.balanceChanged?.({
    type: 'balanceChanged',
    account: account.index,
    currency: market.quote,
    amount: -amount,
    reason: 'funding',
    market: market.index,
    positionId: position.id,
  });
  venue.noteReserve(account, market.quote);
}
