/**
 * One position in one perpetual market and the resting orders that may open it, and what margin they need.
 *
 * cost is signed like size: a long of 3 contracts bought for 30 units has cost 30, a short −30. So for any mark,
 * unrealised = value(size) − cost, and over all accounts the sum of (wallet − cost) never changes by a trade.
 * Realised results round against the trader by less than one smallest unit: the rest stays in the cost that is left.
 */

import type { Market, RiskTier } from './market.ts';
import { ceilDiv, floorDiv, mulDivCeil } from './quantity.ts';
import { FINE, PARTS, type Side } from './units.ts';

/** Of one account in one market, shared by its positions. */
export interface RiskLimit {
  /** Place of the least tier that margin is counted at, from 0: chosen by the account. */
  leastTier: number;
}

/** Position numbers: one-way, hedge long, hedge short; isolated positions count from 1 in each account and market. */
export const NET = 0;
export const LONG = 1;
export const SHORT = 2;

export class Position {
  readonly id: number;
  readonly limit: RiskLimit;
  /** Contracts; positive long, negative short. */
  size = 0;
  /** Smallest units of the settlement currency, signed like size. */
  cost = 0n;
  /** 0: the tier's maximum. */
  leverage = 0;
  /** Isolated: money of its own, taken from the wallet when it opened; smallest units. */
  margin = 0n;
  /** Lots of a step of its liquidation, while that is under way; 0: it is not being liquidated. */
  quarter = 0;
  /** Resting orders that may open: lots and notional, by side. */
  readonly lots: [number, number] = [0, 0];
  readonly notional: [bigint, bigint] = [0n, 0n];
  /** Keys of reduce-only orders that rest or, attached to the position, wait: they go when the position goes. */
  readonly reducers = new Set<number>();

  constructor(id: number, limit: RiskLimit, leverage = 0) {
    this.id = id;
    this.limit = limit;
    this.leverage = leverage;
  }

  /** Books a fill; returns what is realised by the part that closes. */
  fill(side: Side, lots: number, notional: bigint): bigint {
    const signed = side === 0 ? lots : -lots;
    const signedNotional = side === 0 ? notional : -notional;
    if (this.size === 0 || this.size > 0 === signed > 0) {
      this.size += signed;
      this.cost += signedNotional;
      return 0n;
    }
    const held = Math.abs(this.size);
    const closing = Math.min(held, lots);
    // Both products below are exact: a fill has one price, and a full close takes the whole cost.
    const proceeds = -(signedNotional * BigInt(closing)) / BigInt(lots);
    const released = ceilDiv(this.cost * BigInt(closing), BigInt(held));
    this.size += signed;
    this.cost += -released + signedNotional + proceeds;
    if (closing === held) this.quarter = 0;
    return proceeds - released;
  }

  /** Lots of a fill of `lots` on `side` that would open or grow the position. */
  opening(side: Side, lots: number): number {
    const against = side === 0 ? -this.size : this.size;
    return against <= 0 ? lots : Math.max(0, lots - against);
  }

  expose(side: Side, lots: number, notional: bigint): void {
    this.lots[side] += lots;
    this.notional[side] += notional;
  }
}

/** Signed value of a position at the mark (its cost where there is no mark yet). */
function valueAtMark(position: Position, market: Market): bigint {
  if (market.mark === 0) return position.cost;
  return floorDiv(BigInt(position.size) * BigInt(market.mark) * market.unitsPerTickLot, BigInt(FINE));
}

export function unrealised(position: Position, market: Market): bigint {
  return position.size === 0 ? 0n : valueAtMark(position, market) - position.cost;
}

/** What resting orders of one side add to the exposure: the part that reduces the position needs no margin. */
function openingNotional(position: Position, side: Side): bigint {
  const lots = position.lots[side];
  if (lots === 0) return 0n;
  const opening = position.opening(side, lots);
  return opening === lots
    ? position.notional[side]
    : mulDivCeil(position.notional[side], BigInt(opening), BigInt(lots));
}

/** The worse of |position + buys| and |position − sells|: smallest units of the settlement currency. */
export function worstExposure(position: Position, market: Market): bigint {
  const size = sizeAtMark(position, market);
  const long = (position.size > 0 ? size : 0n) + openingNotional(position, 0);
  const short = (position.size < 0 ? size : 0n) + openingNotional(position, 1);
  return long > short ? long : short;
}

/** |position| at the mark, smallest units. */
export function sizeAtMark(position: Position, market: Market): bigint {
  const value = valueAtMark(position, market);
  return value < 0n ? -value : value;
}

/** The tier of an exposure, never below the one that the account has chosen. */
export function tierOf(market: Market, exposure: bigint, { leastTier }: RiskLimit): RiskTier {
  const { riskTiers } = market;
  return riskTiers.find((tier, i) => i >= leastTier && exposure <= tier.maxNotional) ?? riskTiers[riskTiers.length - 1];
}

/** What of a position sets its margin rate. */
export type MarginTerms = Pick<Position, 'leverage' | 'limit'>;

/** Margin rate by semantics.md section 11, parts: max(tier's initial rate, 1 / leverage) + 2 × taker rate. */
export function marginRate(
  market: Market,
  exposure: bigint,
  { leverage, limit }: MarginTerms,
  takerRate: bigint,
): bigint {
  const { initial } = tierOf(market, exposure, limit);
  const byLeverage = leverage === 0 ? 0n : ceilDiv(BigInt(PARTS), BigInt(leverage));
  return (byLeverage > initial ? byLeverage : initial) + 2n * takerRate;
}

/** Margin of a position and its opening orders, one rate for all of it, rounded up. */
export function marginOf(position: Position, market: Market, takerRate: bigint): bigint {
  const exposure = worstExposure(position, market);
  if (exposure === 0n) return 0n;
  return mulDivCeil(exposure, marginRate(market, exposure, position, takerRate), BigInt(PARTS));
}

/** What has to be left of a position's money at the mark: notional × the tier's maintenance rate, rounded up. */
export function maintenanceOf(position: Position, market: Market): bigint {
  const notional = sizeAtMark(position, market);
  return mulDivCeil(notional, tierOf(market, notional, position.limit).maintenance, BigInt(PARTS));
}
