/**
 * The past of a demo: candles from before its first start, as if its traders had traded. No trade made them, and nothing
 * stores them: they follow from the seed, the first start and the market, so every start has the same ones.
 *
 * The walk goes backwards from the starting price, with the steps of the index (index-walk.ts). So the last close is the
 * price at which the demo begins, and a shorter past is the end of a longer one.
 *
 * Cost: 2 to 8 ms of the venue's thread for each market and day, once, when they are first read.
 */

import { MINUTE_MS } from '../config/times.ts';
import type { Candle } from '../market-data/candles.ts';
import type { MadeCandles } from '../market-data/market-data.ts';
import { FINE } from '../venue/contract/units.ts';
import type { MarketView } from '../venue/views.ts';
import { lotsWorth } from './agent.ts';
import { leaderOf, startingIndex } from './index-walk.ts';
import { RandomStream } from './random.ts';

const HOUR_MINUTES = 60;
/** Prices of a minute, and the largest step between two of them in millionths. */
const STEPS = 6;
const STEP_MILLIONTHS = 200;
/** The share of minutes without trades. */
const QUIET_PERCENT = 2;
/** The value that a minute trades, in quote currency. */
const VALUE = { least: 2_000, most: 16_000 };
/** More than the number of markets, so that no two have the same draws. */
const MARKETS = 10_000;

export interface DemoPastOptions {
  readonly seed: number;
  /** How far it goes back. 0: there is no past. */
  readonly hours: number;
  /** The time of the first start. Null: it is not known, so there is no past. */
  readonly startMs: () => Promise<number | null>;
  /** Symbols of the markets of the first start. Later ones have no past. */
  readonly symbols: readonly string[];
}

/** Minutes with trades, oldest first, up to the minute before the one of the first start. */
export function demoPast({ seed, hours, startMs, symbols }: DemoPastOptions): MadeCandles {
  const made = new Map<string, readonly Candle[]>();
  return async (market, markets) => {
    const known = made.get(market.symbol);
    if (known !== undefined) return known;
    const firstMs = symbols.includes(market.symbol) ? await startMs() : null;
    const endMs = Math.floor((firstMs ?? 0) / MINUTE_MS) * MINUTE_MS;
    const minutes = Math.min(hours * HOUR_MINUTES, endMs / MINUTE_MS);
    const leader = leaderOf(markets, market) ?? market;
    const candles = walk({ seed, market, leader, endMs, minutes });
    made.set(market.symbol, candles);
    return candles;
  };
}

interface Walk {
  readonly seed: number;
  readonly market: MarketView;
  /** The market whose prices it has. */
  readonly leader: MarketView;
  /** The first minute that is not in it. */
  readonly endMs: number;
  readonly minutes: number;
}

function walk({ seed, market, leader, endMs, minutes }: Walk): Candle[] {
  const candles: Candle[] = [];
  let fine = startingIndex(market);
  for (let back = 1; back <= minutes; back += 1) {
    // Negative, as no sequence number of the venue is.
    const stream = (index: number) => new RandomStream(seed, -(back * MARKETS + index));
    const steps = stream(leader.index);
    if (steps.chance(QUIET_PERCENT)) continue;
    const closeTicks = ticksOf(market, fine);
    let [highTicks, lowTicks] = [closeTicks, closeTicks];
    for (let step = 0; step < STEPS; step += 1) {
      fine = Math.max(FINE, fine - Math.trunc((fine / 1_000_000) * steps.between(-STEP_MILLIONTHS, STEP_MILLIONTHS)));
      const ticks = ticksOf(market, fine);
      highTicks = Math.max(highTicks, ticks);
      lowTicks = Math.min(lowTicks, ticks);
    }
    const openTicks = ticksOf(market, fine);
    const middle = Math.round((highTicks + lowTicks + openTicks + closeTicks) / 4);
    const volumeLots = lotsWorth(market, middle, stream(MARKETS / 2 + market.index).between(VALUE.least, VALUE.most));
    const cost = BigInt(middle) * BigInt(volumeLots);
    candles.push({ startMs: endMs - back * MINUTE_MS, openTicks, highTicks, lowTicks, closeTicks, volumeLots, cost });
  }
  return candles.reverse();
}

function ticksOf(market: MarketView, fine: number): number {
  return Math.min(Math.max(Math.round(fine / FINE), 1), market.maxPriceTicks);
}
