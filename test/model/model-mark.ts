/** Index, mark, last and funding (semantics.md sections 11 and 13): what is sampled each whole minute of venue time. */
import type { Side } from '../../src/venue/commands.ts';
import { bestOf, restingOn } from './model-book.ts';
import { feeOn } from './model-funds.ts';
import { holdingIn, markValue, positionsOf } from './model-holdings.ts';
import { BUY, emit, FINE, floorDiv, type ModelMarket, magnitude, PARTS, SELL, say, type World } from './model-state.ts';

const MINUTE_MS = 60_000;
const SAMPLES = 60;
/** Premiums are kept a thousand times finer than rates; the rate is a third of their mean. */
const FINER = 1000n;
const THIRDS = 3n;

export const nextMinute = (now: number): number => (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;

/** Sets a reference price and puts it into the queue; a perpetual's minutes begin with its first index. */
export function see(w: World, market: ModelMarket, reference: 'last' | 'mark' | 'index', fine: number): void {
  const before = reference === 'last' ? market.last : reference === 'mark' ? market.mark : market.indexPrice;
  if (reference === 'last') market.last = fine;
  else if (reference === 'mark') market.mark = fine;
  else market.indexPrice = fine;
  if (reference === 'index' && before === 0 && market.product === 'futures') market.nextMinuteMs = nextMinute(w.s.now);
  w.queue.push({ market: market.index, reference, fine, before });
  if (reference !== 'last') say(w, `price of ${market.index}: ${reference} ${fine}`);
}

/** Median of: index with the funding to come, index + mean of the last 60 minutes' (mid − index), last. */
export function fairMark(w: World, market: ModelMarket, index: number, last: number): number {
  if (market.product === 'spot' || index === 0) return index;
  const interval = market.spec.funding?.intervalMs ?? 0;
  const leftMs = interval === 0 ? 0 : interval - (w.s.now % interval);
  const coming = BigInt(index) * BigInt(runningRate(market)) * BigInt(leftMs);
  const byFunding = index + (interval === 0 ? 0 : Number(floorDiv(coming, PARTS * BigInt(interval))));
  const { basis } = market;
  const byBasis = index + (basis.length === 0 ? 0 : Math.floor(basis.reduce((a, b) => a + b, 0) / basis.length));
  const [, median] = [byFunding, byBasis, last === 0 ? index : last].sort((a, b) => a - b);
  return Math.max(1, median);
}

/** A mark that was set by hand stays. */
export function moveMark(w: World, market: ModelMarket): void {
  if (market.product === 'spot' || market.markPinned || market.indexPrice === 0) return;
  const mark = fairMark(w, market, market.indexPrice, market.last);
  if (mark !== market.mark) see(w, market, 'mark', mark);
}

/** Parts; the mean premium of the interval so far, a third of it, capped. */
export function runningRate(market: ModelMarket): number {
  const { premiums } = market;
  if (premiums.length === 0) return 0;
  const sum = premiums.reduce((a, b) => a + b, 0n);
  const rate = Number(sum / (BigInt(premiums.length) * THIRDS * FINER));
  const cap = Number(market.fundingCap);
  return Math.max(-cap, Math.min(cap, rate));
}

/** A whole minute: a sample, funding where an interval ends, and the mark that follows. True: funded, and the mark stayed. */
export function minute(w: World, market: ModelMarket): boolean {
  const at = market.nextMinuteMs;
  sample(w, market);
  const interval = market.spec.funding?.intervalMs ?? 0;
  const funded = interval > 0 && at % interval === 0;
  if (funded) settleFunding(w, market);
  const { mark } = market;
  moveMark(w, market);
  market.nextMinuteMs = nextMinute(at);
  return funded && market.mark === mark;
}

function sample(w: World, market: ModelMarket): void {
  const index = market.indexPrice;
  const bid = bestOf(w, market, BUY)?.resting?.price;
  const ask = bestOf(w, market, SELL)?.resting?.price;
  if (bid !== undefined && ask !== undefined) market.basis.push(Math.floor(((bid + ask) * FINE) / 2) - index);
  if (market.basis.length > SAMPLES) market.basis.shift();
  const impact = BigInt(market.spec.funding?.impactSize ?? 0);
  const difference = impactDistance(w, market, BUY) - impactDistance(w, market, SELL);
  market.premiums.push(impact === 0n ? 0n : floorDiv(difference * FINER * PARTS, BigInt(index) * impact));
}

/** How far the average price of the impact size lies above (bids) or below (asks) the index; a thin side counts 0. */
function impactDistance(w: World, market: ModelMarket, side: Side): bigint {
  const impact = market.spec.funding?.impactSize ?? 0;
  let left = impact;
  let cost = 0;
  for (const o of restingOn(w, market, side)) {
    const lots = Math.min(left, o.resting!.shown);
    cost += lots * o.resting!.price;
    left -= lots;
  }
  if (left > 0 || impact === 0) return 0n;
  const above = cost * FINE - market.indexPrice * impact;
  return BigInt(Math.max(0, side === BUY ? above : -above));
}

/** Longs pay shorts (or the reverse): payers round up, receivers down, the rest goes to the fund. */
function settleFunding(w: World, market: ModelMarket): void {
  const rate = runningRate(market);
  market.premiums = [];
  emit(w, { type: 'funding', market: market.index, rate });
  if (rate === 0 || market.mark === 0) return;
  const size = BigInt(Math.abs(rate));
  for (const account of [...w.s.accounts.values()].sort((a, b) => a.number - b.number)) {
    const holding = holdingIn(account, market);
    for (const position of positionsOf(holding)) {
      if (position.size === 0) continue;
      const value = magnitude(markValue(market, position));
      const pays = position.size > 0 === rate > 0;
      const amount = pays ? feeOn(value, size) : -((value * size) / PARTS);
      if (holding.mode === 'ISOLATED') position.margin -= amount;
      else account.totals[market.quote] -= amount;
      w.s.insurance[market.quote] += amount;
      emit(w, { type: 'money', account: account.number, amount: -amount, reason: 'funding' });
    }
  }
}
