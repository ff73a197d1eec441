/**
 * The index of a demo venue: a random walk that is pulled back to a starting price, so that prices stay plausible for
 * months. Integer arithmetic in fine prices (thousandths of a tick).
 */

import { parseDecimal } from '../venue/contract/decimal.ts';
import { FINE } from '../venue/contract/units.ts';
import type { MarketView } from '../venue/views.ts';
import type { RandomStream } from './random.ts';

/** The starting price in the quote currency. Currencies that are not listed begin at a thousand ticks. */
const STARTING_PRICES: Readonly<Record<string, string>> = { BTC: '60000', ETH: '3000' };
const STARTING_TICKS = 1000;

/** The largest step, in millionths of the price, and the share of the way back in each step. */
const STEP_MILLIONTHS = 100;
const RETURN_STEPS = 100_000;

/** The fine price at which the walk of this market begins. */
export function startingIndex(market: MarketView): number {
  const price = parseDecimal(STARTING_PRICES[market.spec.base] ?? '');
  if (typeof price === 'string') return STARTING_TICKS * FINE;
  const fine =
    (price.coefficient * BigInt(FINE) * 10n ** BigInt(market.tick.scale)) /
    (market.tick.coefficient * 10n ** BigInt(price.scale));
  return fine > 0n && fine <= BigInt(market.maxPriceTicks) * BigInt(FINE) ? Number(fine) : STARTING_TICKS * FINE;
}

/** The earlier market on the same pair whose index this one follows. A perpetual follows its spot pair. */
export function leaderOf(markets: readonly MarketView[], market: MarketView): MarketView | undefined {
  return markets.find(
    (other) =>
      other.index < market.index &&
      other.base === market.base &&
      other.quote === market.quote &&
      other.spec.tick === market.spec.tick,
  );
}

/** The fine price after `current`: at least a tick, and at most the market's highest price. */
export function nextIndex(market: MarketView, current: number, random: RandomStream): number {
  const start = startingIndex(market);
  const step = Math.trunc((current / 1_000_000) * random.between(-STEP_MILLIONTHS, STEP_MILLIONTHS));
  const back = Math.trunc((start - current) / RETURN_STEPS);
  return Math.min(Math.max(current + step + back, FINE), market.maxPriceTicks * FINE);
}
