/**
 * The margin of an account's positions in one perpetual market: as they are, or as they would be after a change
 * (rules 11.34 to 11.38). Checks need the margin after a change, so nothing here changes state.
 *
 * Cost: each position of the market is visited once.
 */

import { ceilDiv, mulDivCeil } from '../contract/decimal.ts';
import type { RiskTier } from '../contract/market-spec.ts';
import * as units from '../contract/units.ts';
import type { Market } from '../state/market.ts';
import type { MarketPositions } from '../state/market-positions.ts';
import { notionalAtMark, openingPart, type Position, type RiskLimit } from '../state/position.ts';

const { BUY, PARTS, SELL } = units;

/** The margin of an isolated position is 1 % higher than the rate says. */
const ISOLATED_PER_MILLE = 1010n;
const PARTS_PER_MILLE = 1000n * BigInt(PARTS);

/** The fields of a position that determine its margin rate. */
export type MarginTerms = Pick<Position, 'leverage' | 'limit'>;

/** Lots and notional of the resting orders that may open a position, by side. */
export type Resting = Pick<Position, 'lots' | 'notional'>;

/** What would be different. An absent field stays as it is. */
export interface MarginChange {
  /** Another leverage for these positions. */
  readonly leverage?: { readonly positions: readonly Position[]; readonly leverage: number };
  /** Another lowest tier for all positions of the market: its index, from 0. */
  readonly leastTier?: number;
  /** Other resting orders for one position. */
  readonly orders?: Resting & { readonly position: Position };
}

/** The fields that would determine the margin of a position after the change. */
function afterChange(position: Position, change: MarginChange | null): MarginTerms & Resting {
  if (change === null) return position;
  const { leverage, leastTier, orders } = change;
  const resting = orders?.position === position ? orders : position;
  return {
    leverage: leverage?.positions.includes(position) ? leverage.leverage : position.leverage,
    limit: leastTier === undefined ? position.limit : { leastTier },
    lots: resting.lots,
    notional: resting.notional,
  };
}

/**
 * The margin that the wallet has to cover. Isolated positions have separate collateral, so only their opening orders
 * count here, each with its entry fee. The resting part of an order that has opened its position is rated with that
 * position, at its leverage.
 */
export function marginAfter(
  market: Market,
  positions: MarketPositions,
  takerRate: bigint,
  change: MarginChange | null = null,
): bigint {
  const isolated = positions.mode === 'ISOLATED';
  let sum = 0n;
  for (const position of positions.exposureSlots()) {
    const terms = afterChange(position, change);
    const exposure = exposureOf(market, positions, position, terms);
    if (!isolated) sum += positionMargin(market, exposure, terms, takerRate);
    else {
      const notional = notionalOf(terms);
      if (notional === 0n) continue;
      sum += isolatedMargin(market, notional, exposure, terms, takerRate);
      if (takerRate > 0n) sum += mulDivCeil(notional, takerRate, BigInt(PARTS));
    }
  }
  return sum;
}

/**
 * The exposure that determines the tier of a position, including its opening orders. Orders for future isolated
 * positions count together.
 */
export function exposureOf(
  market: Market,
  positions: MarketPositions,
  position: Position,
  resting: Resting = position,
): bigint {
  return position === positions.pending ? notionalOf(resting) : worstExposure(market, position, resting);
}

/** The largest exposure of any position of the account in the market. */
export function largestExposure(market: Market, positions: MarketPositions): bigint {
  let largest = notionalOf(positions.pending);
  for (const position of positions.positions()) {
    const exposure = exposureOf(market, positions, position);
    if (exposure > largest) largest = exposure;
  }
  return largest;
}

/** Notional of the resting orders of both sides. */
function notionalOf({ notional }: Resting): bigint {
  return notional[0] + notional[1];
}

/** The larger of |position + buys| and |position − sells|, in smallest units of the settlement currency. */
export function worstExposure(market: Market, position: Position, resting: Resting = position): bigint {
  const size = notionalAtMark(position, market);
  const { lots, notional } = resting;
  const long = (position.size > 0 ? size : 0n) + openingPart(position, BUY, lots[BUY], notional[BUY]);
  const short = (position.size < 0 ? size : 0n) + openingPart(position, SELL, lots[SELL], notional[SELL]);
  return long > short ? long : short;
}

/** Margin of a position and its opening orders at one rate, rounded up. */
export function positionMargin(market: Market, exposure: bigint, terms: MarginTerms, takerRate: bigint): bigint {
  if (exposure === 0n) return 0n;
  return mulDivCeil(exposure, marginRate(market, exposure, terms, takerRate), BigInt(PARTS));
}

/** notional × rate × 1.01, rounded up. `exposure` determines the tier. */
export function isolatedMargin(
  market: Market,
  notional: bigint,
  exposure: bigint,
  terms: MarginTerms,
  takerRate: bigint,
): bigint {
  const rate = marginRate(market, exposure, terms, takerRate);
  return mulDivCeil(notional, rate * ISOLATED_PER_MILLE, PARTS_PER_MILLE);
}

/** The tier of an exposure, never below the one that the account has chosen. */
export function tierOf(market: Market, exposure: bigint, { leastTier }: RiskLimit): RiskTier {
  const { riskTiers } = market;
  return riskTiers.find((tier, i) => i >= leastTier && exposure <= tier.maxNotional) ?? riskTiers[riskTiers.length - 1];
}

/** max(initial rate of the tier, 1 / leverage) + 2 × taker rate, in 1e-8. */
function marginRate(market: Market, exposure: bigint, { leverage, limit }: MarginTerms, takerRate: bigint): bigint {
  const { initial } = tierOf(market, exposure, limit);
  const byLeverage = leverage === 0 ? 0n : ceilDiv(BigInt(PARTS), BigInt(leverage));
  return (byLeverage > initial ? byLeverage : initial) + 2n * takerRate;
}

/** The equity that a position needs at the mark. */
export function maintenanceOf(market: Market, position: Position, limit: RiskLimit = position.limit): bigint {
  return maintenanceAt(market, notionalAtMark(position, market), limit);
}

/**
 * Maintenance of a value, smallest units, rounded up. Each part of the value counts at the rate of its own tier, but
 * never below the tier that the account has chosen. So there is no jump at the edge of a tier.
 */
export function maintenanceAt(market: Market, value: bigint, { leastTier }: RiskLimit): bigint {
  const { riskTiers } = market;
  const last = riskTiers.length - 1;
  let sum = 0n;
  let below = 0n;
  for (let i = 0; i <= last && below < value; i++) {
    const { maxNotional } = riskTiers[i];
    const upTo = i === last || value < maxNotional ? value : maxNotional;
    sum += (upTo - below) * riskTiers[Math.max(i, leastTier)].maintenance;
    below = upTo;
  }
  return ceilDiv(sum, BigInt(PARTS));
}
