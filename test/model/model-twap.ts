/** TWAP (semantics.md section 10): children at due times, taker or maker first, paused, spread over what is left. */
import { bestOf, rest, restingLots, restingOn, within } from './model-book.ts';
import { balanceOf, payCurrency, spotNeed } from './model-funds.ts';
import { end, sweep } from './model-matching.ts';
import {
  BUY,
  changed,
  FINE,
  isLive,
  type ModelMarket,
  type ModelOrder,
  type ModelTwap,
  opposite,
  PARTS,
  unfilled,
  type World,
} from './model-state.ts';

const DEFAULT_PARTS_OF_PERIOD = 20;
const SHORTEST_MS = 1000;
const LONGEST_MS = 30_000;
const MOST_PLANNED_AT_ONCE = 3;

export interface TwapPlan {
  size: number;
  periodMs: number;
  randomizeSize: boolean;
  maxChildSize: number | null;
}

/** Number of children, or null when none fits. */
export function planChildren(market: ModelMarket, plan: TwapPlan): number | null {
  const { size, periodMs, maxChildSize } = plan;
  const interval =
    market.spec.twapIntervalMs ?? Math.min(LONGEST_MS, Math.max(SHORTEST_MS, periodMs / DEFAULT_PARTS_OF_PERIOD));
  const most = Math.max(1, Math.floor(size / market.minLots));
  let n = Math.min(Math.ceil(periodMs / interval), most);
  if (maxChildSize !== null) {
    const largest = plan.randomizeSize ? (size * 3) / 2 : size;
    n = Math.max(n, Math.ceil(largest / maxChildSize));
  }
  return n > most || n > periodMs / 1000 ? null : n;
}

/** Start of the schedule: at placement, or when the activation price is reached. The first child is due at once. */
export function startTwap(w: World, o: ModelOrder): void {
  const twap = o.twap!;
  twap.startedAtMs = w.s.now;
  twap.nextChildAtMs = w.s.now;
  twap.pausedBy = null;
  changed(w, o, 'started');
}

/**
 * What is due now: the last maker child's rest goes taker (not in a pause: then it is missed), and the next child
 * comes; after the last child, the end.
 */
export function twapTimer(w: World, o: ModelOrder): void {
  const twap = o.twap!;
  const left = o.resting === null ? 0 : o.resting.shown;
  o.resting = null;
  twap.pausedBy = pause(w, o);
  const paused = twap.pausedBy !== null;
  if (!paused && left > 0) take(w, o, left);
  if (!isLive(o)) return;
  if (twap.childrenDone === twap.children) {
    end(w, o, 'cancelled', 'windowOver');
    return;
  }
  const size = paused ? 0 : childSize(w, o);
  twap.childrenDone++;
  if (size > 0) child(w, o, size);
  if (!isLive(o)) return;
  if (paused) changed(w, o, 'paused');
  twap.nextChildAtMs = twap.childrenDone < twap.children ? dueAt(twap) : 0;
}

/** Child i is due at start + i × period / n; after the last one, the end is due at start + period. */
export function dueAt(twap: ModelTwap): number {
  return twap.startedAtMs + Math.floor((twap.childrenDone * twap.periodMs) / twap.children);
}

/** Wide spread (a one-sided book is infinitely wide), or the last price beyond pausePrice. */
function pause(w: World, o: ModelOrder): 'halt' | 'spread' | 'price' | null {
  const market = w.s.markets[o.market];
  const twap = o.twap!;
  if (market.halted) return 'halt';
  if (twap.maxSpread !== null) {
    const bid = bestOf(w, market, BUY, o)?.resting?.price;
    const ask = bestOf(w, market, opposite(BUY), o)?.resting?.price;
    if (bid === undefined || ask === undefined) return 'spread';
    // (ask − bid) / ((ask + bid) / 2) > maxSpread
    if (BigInt(2 * (ask - bid)) * PARTS > BigInt(twap.maxSpread) * BigInt(ask + bid)) return 'spread';
  }
  if (twap.pausePrice !== null && market.last !== 0) {
    const at = twap.pausePrice * FINE;
    if (o.side === BUY ? market.last > at : market.last < at) return 'price';
  }
  return null;
}

/** An even share of what is left, at most three planned children at once and within the cap; the last takes the rest. */
function childSize(w: World, o: ModelOrder): number {
  const market = w.s.markets[o.market];
  const twap = o.twap!;
  const childrenLeft = twap.children - twap.childrenDone;
  const planned = Math.ceil(o.original / twap.children);
  const most = Math.min(twap.maxChildSize ?? market.maxLots, MOST_PLANNED_AT_ONCE * planned, unfilled(o));
  if (childrenLeft === 1) return most;
  let size = Math.floor(unfilled(o) / childrenLeft);
  if (twap.randomizeSize) size = Math.max(market.minLots, randomised(size, w.s.genesis.seed, o.seq, twap.childrenDone));
  return Math.min(size, most);
}

/** Times a factor in 0.5 .. 1.5: murmur3's finaliser over venue seed, sequence number and child number. */
function randomised(size: number, seed: number, seq: number, child: number): number {
  const mixed = (value: number): number => {
    let x = value | 0;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return (x ^ (x >>> 16)) >>> 0;
  };
  const draw = mixed(mixed(mixed(seed) ^ (seq >>> 0)) ^ (Math.floor(seq / 2 ** 32) + child * 0x9e3779b1));
  return Math.floor((size * (2 ** 31 + draw)) / 2 ** 32);
}

/** Maker first: at the own best price, where there is one; else it takes. */
function child(w: World, o: ModelOrder, size: number): void {
  const market = w.s.markets[o.market];
  const own = bestOf(w, market, o.side)?.resting?.price;
  if (!o.twap!.makerFirst || own === undefined) {
    take(w, o, size);
    return;
  }
  const account = w.s.accounts.get(o.account)!;
  const need = spotNeed(w, account, market, o.side, own, size);
  if (need > balanceOf(w, account, payCurrency(market, o.side)).available) o.twap!.pausedBy = 'funds';
  else {
    rest(w, o, own, size);
    changed(w, o, 'rested');
  }
}

/** A taker child: immediate or cancel, within the distance through the book; own orders that it meets there give way. */
function take(w: World, o: ModelOrder, size: number): void {
  const market = w.s.markets[o.market];
  const best = bestOf(w, market, opposite(o.side));
  if (best === undefined) {
    o.twap!.pausedBy = 'book';
    return;
  }
  const through = o.twap!.maxThroughBook;
  const limit = within(
    market,
    o.side,
    best.resting!.price * FINE,
    through === null ? market.marketBand : BigInt(through),
  );
  const account = w.s.accounts.get(o.account)!;
  const need = o.side === BUY ? walkCost(w, market, o, limit, size) : BigInt(size) * market.lotUnits;
  if (need > 0n && need > balanceOf(w, account, payCurrency(market, o.side)).available) {
    o.twap!.pausedBy = 'funds';
    return;
  }
  const before = o.filled;
  const result = sweep(w, market, o, limit, size);
  if (o.filled === before) o.twap!.pausedBy = result === 'margin' ? 'funds' : 'ownOrder';
  if (o.filled > before && unfilled(o) > 0) changed(w, o, 'filled');
  if (isLive(o) && unfilled(o) === 0) end(w, o, 'filled', null);
}

/** What the walk of the book costs for `size` lots within the limit; own orders are not bought. */
function walkCost(w: World, market: ModelMarket, o: ModelOrder, limit: number, size: number): bigint {
  let cost = 0n;
  let left = size;
  for (const maker of restingOn(w, market, opposite(o.side))) {
    if (maker.account === o.account) continue;
    const { price } = maker.resting!;
    if (o.side === BUY ? price > limit : price < limit) break;
    const lots = Math.min(left, restingLots(maker));
    cost += spotNeed(w, w.s.accounts.get(o.account)!, market, BUY, price, lots);
    left -= lots;
    if (left === 0) break;
  }
  return cost;
}
