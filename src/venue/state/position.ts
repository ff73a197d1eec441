/**
 * One position in one perpetual market, the resting orders that may open it, and its value.
 *
 * `cost` has the sign of `size`: a long of 3 contracts bought for 30 units has cost 30, a short −30. So for any mark,
 * unrealised = value(size) − cost, and no trade changes the sum of (wallet − cost) over all accounts.
 * A realised result is rounded against the trader by less than one smallest unit. The remainder stays in the cost.
 */

import { ceilDiv, floorDiv, mulDivCeil } from '../contract/decimal.ts';
import * as units from '../contract/units.ts';
import { beyond, type Side } from '../contract/units.ts';
import type { Market } from './market.ts';

const { FINE } = units;

/** One per account and market, shared by the positions there. */
export interface RiskLimit {
  /** Index, from 0, of the lowest tier at which margin is calculated. The account chooses it. */
  leastTier: number;
}

export class Position {
  declare readonly id: number;
  declare readonly limit: RiskLimit;
  /** Lots. Positive: long, negative: short. */
  size = 0;
  /** Smallest units of the settlement currency, with the sign of `size`. */
  cost = 0n;
  /** 0: the tier's maximum. */
  leverage = 0;
  /** Collateral of an isolated position, taken from the wallet when it opened, smallest units. */
  collateral = 0n;
  /** Lots of one step of its liquidation while that is under way. 0: it is not being liquidated. */
  liquidationStepLots = 0;
  /** Resting orders that may open the position: lots and notional, by side. */
  readonly lots: [number, number] = [0, 0];
  readonly notional: [bigint, bigint] = [0n, 0n];
  /**
   * By side: no resting order that may open the position has a worse price (ticks; 0: no order rests). This is a cache
   * and is not saved. A bound that is too loose costs a walk of the account's orders, but never changes a result.
   */
  readonly #worstTicks: [number, number] = [0, 0];
  /** Keys of reduce-only orders that rest, or wait attached to the position. They end when the position is closed. */
  readonly reduceOnlyOrders = new Set<number>();

  constructor(id: number, limit: RiskLimit, leverage = 0) {
    this.id = id;
    this.limit = limit;
    this.leverage = leverage;
  }

  /** Books a fill. Returns the realised result of the part that closes. */
  fill(side: Side, lots: number, notional: bigint): bigint {
    if (!(lots > 0) || notional < 0n) throw this.#broken(`cannot take a fill of ${lots} lots for ${notional}`);
    const realised = this.#book(side, lots, notional);
    if (!Number.isSafeInteger(this.size)) throw this.#broken('has a size that is no safe integer');
    const { size, cost } = this;
    if (size > 0 ? cost < 0n : size < 0 ? cost > 0n : cost !== 0n) throw this.#broken('has a cost of another sign');
    return realised;
  }

  #book(side: Side, lots: number, notional: bigint): bigint {
    const signed = side === 0 ? lots : -lots;
    const signedNotional = side === 0 ? notional : -notional;
    if (this.size === 0 || this.size > 0 === signed > 0) {
      this.size += signed;
      this.cost += signedNotional;
      return 0n;
    }
    const openLots = Math.abs(this.size);
    const closing = Math.min(openLots, lots);
    // Both products below are exact: a fill has one price, and a full close takes the whole cost.
    const proceeds = -(signedNotional * BigInt(closing)) / BigInt(lots);
    const released = ceilDiv(this.cost * BigInt(closing), BigInt(openLots));
    this.size += signed;
    this.cost += -released + signedNotional + proceeds;
    if (closing === openLots) this.liquidationStepLots = 0;
    return proceeds - released;
  }

  /** How many lots of a fill of `lots` on `side` would open or enlarge the position. */
  opening(side: Side, lots: number): number {
    const against = side === 0 ? -this.size : this.size;
    return against <= 0 ? lots : Math.max(0, lots - against);
  }

  /** A resting order at `ticks` may open `lots` more (negative: fewer). */
  expose(side: Side, lots: number, notional: bigint, ticks: number): void {
    this.lots[side] += lots;
    this.notional[side] += notional;
    if (!(this.lots[side] >= 0) || this.notional[side] < 0n || (this.lots[side] === 0 && this.notional[side] !== 0n)) {
      throw this.#broken('has resting orders of less than nothing, or worth something without a lot');
    }
    const worstTicks = this.#worstTicks;
    if (this.lots[side] === 0) worstTicks[side] = 0;
    else if (lots > 0 && (worstTicks[side] === 0 || beyond(side, ticks, worstTicks[side]))) worstTicks[side] = ticks;
  }

  #broken(problem: string): Error {
    const { id, size, cost, collateral, lots, notional } = this;
    const resting = `${lots} lots at rest for ${notional}`;
    return new Error(`position ${id} ${problem}: size ${size}, cost ${cost}, collateral ${collateral}, ${resting}`);
  }

  /** No order that counts here on that side has a worse price, in ticks. 0: no order rests. */
  worstTicks(side: Side): number {
    return this.#worstTicks[side];
  }

  /** Stores the worst price, in ticks, that a walk of the orders has found. Later checks need no walk. */
  cacheWorstTicks(side: Side, ticks: number): void {
    this.#worstTicks[side] = ticks;
  }
}

/** Signed value of `size` signed lots at a fine price, smallest units, rounded down. */
export function valueAt(market: Market, size: number, fine: number): bigint {
  // A mark is usually on a tick. Then no division is needed, and the product is exact in a double.
  const tickLots = size * (fine / FINE);
  if (fine % FINE === 0 && Number.isSafeInteger(tickLots)) return BigInt(tickLots) * market.unitsPerTickLot;
  return floorDiv(BigInt(size) * BigInt(fine) * market.unitsPerTickLot, BigInt(FINE));
}

/** |value| of `size` lots at a fine price, smallest units. */
export function notionalAt(market: Market, size: number, fine: number): bigint {
  const value = valueAt(market, size, fine);
  return value < 0n ? -value : value;
}

/** `fine`: the price to use as the mark. Without a mark, a position is worth its cost. */
export function unrealised(position: Position, market: Market, fine = market.valuationMark): bigint {
  if (position.size === 0 || fine === 0) return 0n;
  return valueAt(market, position.size, fine) - position.cost;
}

/**
 * The share of `total` for the lots that would open or enlarge the position. Lots that only reduce it have no share.
 */
export function openingPart(position: Position, side: Side, lots: number, total: bigint): bigint {
  if (lots === 0) return 0n;
  const opening = position.opening(side, lots);
  return opening === lots ? total : mulDivCeil(total, BigInt(opening), BigInt(lots));
}

/** |value| of the position at the mark, smallest units. Without a mark: its entry cost. */
export function notionalAtMark(position: Position, market: Market): bigint {
  if (market.valuationMark !== 0) return notionalAt(market, position.size, market.valuationMark);
  return position.cost < 0n ? -position.cost : position.cost;
}
