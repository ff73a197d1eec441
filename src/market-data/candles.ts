/** Candles: what the trades of a stretch of time come to. Prices are in ticks, sizes in lots. */
import { candleNumber, candleStartMs, type Resolution } from './resolution.ts';

export interface Candle {
  readonly startMs: number;
  readonly openTicks: number;
  readonly highTicks: number;
  readonly lowTicks: number;
  readonly closeTicks: number;
  readonly volumeLots: number;
  /** Sum of price × size, ticks × lots. */
  readonly cost: bigint;
}

/** More than this many lots count as so many: a double holds no larger whole number exactly. */
const MOST_LOTS = Number.MAX_SAFE_INTEGER;

export function addLots(a: number, b: number): number {
  return Math.min(a + b, MOST_LOTS);
}

/** Consecutive candles of a finer resolution, oldest first, as one that begins at `startMs`. */
export function merged(startMs: number, parts: readonly [Candle, ...Candle[]]): Candle {
  let { highTicks, lowTicks, volumeLots, cost } = parts[0];
  for (let i = 1; i < parts.length; i += 1) {
    const part = parts[i];
    highTicks = Math.max(highTicks, part.highTicks);
    lowTicks = Math.min(lowTicks, part.lowTicks);
    volumeLots = addLots(volumeLots, part.volumeLots);
    cost += part.cost;
  }
  const { closeTicks } = parts[parts.length - 1];
  return { startMs, openTicks: parts[0].openTicks, highTicks, lowTicks, closeTicks, volumeLots, cost };
}

/** The candles of a coarser resolution, from those of a finer one, oldest first. */
export function coarser(resolution: Resolution, candles: readonly Candle[]): Candle[] {
  const result: Candle[] = [];
  for (let begin = 0; begin < candles.length; ) {
    const number = candleNumber(resolution, candles[begin].startMs);
    let end = begin + 1;
    while (end < candles.length && candleNumber(resolution, candles[end].startMs) === number) end += 1;
    const parts = candles.slice(begin, end) as [Candle, ...Candle[]];
    result.push(merged(candleStartMs(resolution, number), parts));
    begin = end;
  }
  return result;
}

/** A range of candles: their numbers, both included (resolution.ts). */
export interface CandleRange {
  readonly resolution: Resolution;
  readonly first: number;
  readonly last: number;
}

/**
 * Every candle of a range, oldest first. One without trades is flat at the last close. The first one has the first
 * trade of the market. `closeBefore` is the price of the last trade before the range. Null: there was no trade yet.
 */
export function withoutGaps(
  { resolution, first, last }: CandleRange,
  candles: readonly Candle[],
  closeBefore: number | null,
): Candle[] {
  const result: Candle[] = [];
  let close = closeBefore;
  let next = 0;
  for (let number = first; number <= last; number += 1) {
    const startMs = candleStartMs(resolution, number);
    const traded = candles[next]?.startMs === startMs ? candles[next] : undefined;
    if (traded !== undefined) {
      next += 1;
      close = traded.closeTicks;
      result.push(traded);
    } else if (close !== null) {
      const prices = { openTicks: close, highTicks: close, lowTicks: close, closeTicks: close };
      result.push({ startMs, ...prices, volumeLots: 0, cost: 0n });
    }
  }
  return result;
}

/**
 * Every candle of a range, with the minutes that were made up before the first trade. `traded` are those of trades,
 * without gaps from the first one on.
 */
export function withMade(range: CandleRange, made: readonly Candle[], traded: readonly Candle[]): readonly Candle[] {
  const fromMs = candleStartMs(range.resolution, range.first);
  const endMs = candleStartMs(range.resolution, range.last + 1);
  if (made.length === 0 || (traded[0]?.startMs === fromMs && made[made.length - 1].startMs < fromMs)) return traded;
  const begin = firstFrom(made, fromMs);
  const inRange = made.slice(begin, firstFrom(made, endMs));
  // The candle of the first trade may have both.
  const candles = coarser(range.resolution, [...coarser(range.resolution, inRange), ...traded]);
  return withoutGaps(range, candles, made[begin - 1]?.closeTicks ?? null);
}

/** The index of the first candle that begins at a time or later; the length if there is none. Oldest first. */
export function firstFrom(candles: readonly Candle[], timeMs: number): number {
  let [low, high] = [0, candles.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (candles[middle].startMs < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
