/** Index, mark, last and funding (semantics.md sections 11 and 13): what is sampled each whole minute of venue time. */
import type { Side } from '../../src/venue/contract/commands.ts';
import { restingOn, within } from './model-book.ts';
import { equityOf, marginAccountOf } from './model-equity.ts';
import { feeOn } from './model-funds.ts';
import { parts } from './model-open.ts';
import { markValue, positionsIn, positionsOf } from './model-positions.ts';
import {
  BUY,
  countedMark,
  emit,
  FINE,
  floorDiv,
  least,
  type ModelAccount,
  type ModelMarket,
  type ModelPosition,
  magnitude,
  most,
  PARTS,
  SELL,
  say,
  type World,
} from './model-state.ts';

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

/**
 * Median of: index with what is left of the settled funding rate, index + basis, last. It stays within maxBasis of the
 * index, and on a tick: of the two around it the one nearer the index.
 */
export function fairMark(w: World, market: ModelMarket, index: number, last: number): number {
  if (market.product === 'spot' || index === 0) return index;
  const interval = market.funding?.intervalMs ?? 0;
  const leftMs = interval === 0 ? 0 : interval - (w.s.now % interval);
  const coming = BigInt(index) * BigInt(market.settledRate) * BigInt(leftMs);
  const byFunding = index + (interval === 0 ? 0 : Number(floorDiv(coming, PARTS * BigInt(interval))));
  // A minute without a sample counts as 0.
  const byBasis = index + Math.floor(market.basis.reduce((a, b) => a + b, 0) / SAMPLES);
  const [, median] = [byFunding, byBasis, last === 0 ? index : last].sort((a, b) => a - b);
  const near = nearIndex(market, median, index);
  const rounded = onTick(near, index);
  // A tick too coarse for maxBasis is not gone to.
  return nearIndex(market, rounded, index) === rounded ? rounded : near;
}

/** Held within maxBasis of the index. */
function nearIndex(market: ModelMarket, fine: number, index: number): number {
  const most = Number((BigInt(index) * market.maxBasis) / PARTS);
  return Math.max(index - most, Math.min(index + most, fine));
}

function onTick(fine: number, index: number): number {
  const below = Math.floor(fine / FINE) * FINE;
  const above = Math.ceil(fine / FINE) * FINE;
  const nearer = Math.abs(index - below) <= Math.abs(above - index) ? below : above;
  return Math.max(FINE, nearer);
}

/** A mark that was set by hand stays. */
export function moveMark(w: World, market: ModelMarket): void {
  if (market.product === 'spot' || market.markPinned || market.indexPrice === 0) return;
  const mark = fairMark(w, market, market.indexPrice, market.last);
  if (mark !== market.mark) see(w, market, 'mark', mark);
}

/** Parts; the premiums of the interval so far over all its minutes (a missing one counts as 0), a third of it, capped. */
export function runningRate(market: ModelMarket): number {
  const minutes = Math.max(1, Math.floor((market.funding?.intervalMs ?? 0) / MINUTE_MS));
  const sum = market.premiums.reduce((a, b) => a + b, 0n);
  const rate = market.playback?.fundingRate ?? Number(sum / (BigInt(minutes) * THIRDS * FINER));
  const cap = Number(market.fundingCap);
  return Math.max(-cap, Math.min(cap, rate));
}

/** A whole minute: a sample, funding where an interval ends, and the mark that follows. True: funded, and the mark stayed. */
export function minute(w: World, market: ModelMarket): boolean {
  const at = market.nextMinuteMs;
  sample(w, market);
  const interval = market.funding?.intervalMs ?? 0;
  const funded = interval > 0 && at % interval === 0;
  if (funded) settleFunding(w, market);
  if (funded && market.nextFunding !== null) {
    market.funding = market.nextFunding.terms;
    market.fundingCap = market.funding === null ? 0n : parts(market.funding.cap);
    market.nextFunding = null;
  }
  const { mark } = market;
  moveMark(w, market);
  market.nextMinuteMs = nextMinute(at);
  return funded && (market.halted || market.mark === mark);
}

function sample(w: World, market: ModelMarket): void {
  const index = market.indexPrice;
  const impact = market.funding?.impactSize ?? 0;
  const [bid, ask] = [impactCost(w, market, BUY), impactCost(w, market, SELL)];
  market.basis.push(bid === null || ask === null ? 0 : basisOf(market, bid, ask));
  if (market.basis.length > SAMPLES) market.basis.shift();
  const above = bid === null ? 0 : Math.max(0, bid * FINE - index * impact);
  const below = ask === null ? 0 : Math.max(0, index * impact - ask * FINE);
  const difference = BigInt(above - below);
  market.premiums.push(impact === 0 ? 0n : floorDiv(difference * FINER * PARTS, BigInt(index) * BigInt(impact)));
}

/** (impact bid + impact ask) / 2 − index, each held within maxBasis of the index. */
function basisOf(market: ModelMarket, bidCost: number, askCost: number): number {
  const index = market.indexPrice;
  const impact = market.funding!.impactSize;
  const [bid, ask] = [bidCost, askCost].map((cost) => nearIndex(market, Math.floor((cost * FINE) / impact), index));
  return Math.floor((bid + ask) / 2) - index;
}

/** Ticks × lots of the impact size inside the band around the index; null: the side is thinner than that. */
function impactCost(w: World, market: ModelMarket, side: Side): number | null {
  const impact = market.funding?.impactSize ?? 0;
  const [low, high] = [SELL, BUY].map((of) => within(market, of, market.indexPrice, market.band));
  let left = impact;
  let cost = 0;
  for (const { resting } of restingOn(w, market, side)) {
    if (resting!.price < low || resting!.price > high) continue;
    const lots = Math.min(left, resting!.shown);
    cost += lots * resting!.price;
    left -= lots;
  }
  return left > 0 || impact === 0 ? null : cost;
}

const houseValue = (market: ModelMarket, { size }: { size: number }): bigint =>
  magnitude(floorDiv(BigInt(size) * BigInt(countedMark(market)) * market.tickLot, BigInt(FINE)));

/**
 * Longs pay shorts (or the reverse): payers round up, receivers down, the rest goes to the fund. Nobody pays more than
 * the equity that the position lives on; where somebody paid less than is due, the receivers share what was paid.
 */
function settleFunding(w: World, market: ModelMarket): void {
  const rate = runningRate(market);
  market.premiums = [];
  market.settledRate = rate;
  emit(w, { type: 'funding', market: market.index, rate });
  if (rate === 0 || market.mark === 0) return;
  const size = BigInt(Math.abs(rate));
  const open = [...w.s.accounts.values()]
    .sort((a, b) => a.number - b.number)
    .flatMap((account) => positionsOf(positionsIn(account, market)).map((position) => ({ account, position })))
    .filter(({ position }) => position.size !== 0)
    .map((funded) => ({ ...funded, value: magnitude(markValue(market, funded.position)) }));
  const move = (account: ModelAccount, position: ModelPosition, amount: bigint): void => {
    if (positionsIn(account, market).mode === 'ISOLATED') position.collateral += amount;
    else account.totals[market.quote] += amount;
    w.s.insurance[market.quote] -= amount;
    emit(w, { type: 'money', account: account.number, amount, reason: 'funding' });
  };
  const pays = ({ position }: { position: { size: number } }) => position.size > 0 === rate > 0;
  let [paid, due] = [0n, 0n];
  // A recorded market pays in full, and comes after the accounts.
  const house = w.s.housePositions.get(market.index);
  const held = house !== undefined && house.size !== 0 ? { position: house, value: houseValue(market, house) } : null;
  for (const { account, position, value } of open.filter(pays)) {
    const owed = feeOn(value, size);
    const amount = least(owed, most(0n, equityOf(w, marginAccountOf(w, account, market, position))));
    move(account, position, -amount);
    paid += amount;
    due += owed;
  }
  const toHouse = (amount: bigint): void => {
    w.s.houseTotals[market.quote] += amount;
    w.s.insurance[market.quote] -= amount;
  };
  if (held !== null && pays(held)) {
    const owed = feeOn(held.value, size);
    toHouse(-owed);
    paid += owed;
    due += owed;
  }
  const receivers = open.filter((funded) => !pays(funded));
  const shares = [...receivers, ...(held !== null && !pays(held) ? [held] : [])];
  const all = shares.reduce((sum, { value }) => sum + value, 0n);
  // Values near zero round to zero: then nobody has a share.
  const share = (value: bigint): bigint => (paid < due && all > 0n ? (paid * value) / all : (value * size) / PARTS);
  for (const { account, position, value } of receivers) move(account, position, share(value));
  if (held !== null && !pays(held)) toHouse(share(held.value));
}
