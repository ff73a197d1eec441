/** The costs of a fill beside its price: the fee and, on futures, the open loss of an order beyond the mark. */

import { ceilDiv } from '../contract/decimal.ts';
import { type Money, moneyOf } from '../contract/money.ts';
import type { Side } from '../contract/units.ts';
import * as units from '../contract/units.ts';
import type { Market } from '../state/market.ts';

const { BUY, FINE, PARTS } = units;

const PARTS_BIG = BigInt(PARTS);
const PARTS_LESS_ONE = PARTS_BIG - 1n;
const MOST_SPLIT = 2 ** 52;

/** The fee on an amount, rounded up, against the trader. A rebate (negative) is rounded towards zero. */
export function feeOf(amount: bigint, rate: bigint): bigint {
  return rate >= 0n ? (amount * rate + PARTS_LESS_ONE) / PARTS_BIG : (amount * rate) / PARTS_BIG;
}

/**
 * The same as money. An amount up to 2^52 is split at a multiple of PARTS. Up to half of PARTS as a rate, both products
 * are below 2^53. The quotients are below 2^26, so their distance from a whole number, if it is not 0, is far more than
 * the precision of a double.
 */
export function feeOn(amount: Money, parts: number): Money {
  if (typeof amount === 'number' && amount >= 0 && amount <= MOST_SPLIT && Math.abs(parts) <= PARTS / 2) {
    const whole = Math.floor(amount / PARTS);
    const rest = ((amount - whole * PARTS) * parts) / PARTS;
    return whole * parts + (parts >= 0 ? Math.ceil(rest) : Math.trunc(rest)) + 0;
  }
  return moneyOf(feeOf(BigInt(amount), BigInt(parts)));
}

/**
 * The price for free money and open losses, fine: the worst, for that side, of the mark, a pending index and, in a
 * halted market, the mark that it will resume with. So nobody can withdraw money that a foreseeable price will cost
 * (rules 5.13 and 5.17).
 */
export function markAgainst(market: Market, side: Side): number {
  const worse = side === BUY ? Math.min : Math.max;
  let worst = market.valuationMark;
  if (market.pendingIndex !== 0) worst = worse(worst, market.pendingIndex);
  return market.halted && market.mark !== 0 ? worse(worst, market.mark) : worst;
}

/** How far `lots` at `ticks` are beyond the mark, fine × lots. 0 on the better side of the mark. */
export function beyondMark(market: Market, side: Side, ticks: number, lots: number): bigint {
  const mark = markAgainst(market, side);
  const distance = side === BUY ? ticks * FINE - mark : mark - ticks * FINE;
  return distance <= 0 || mark === 0 ? 0n : BigInt(distance) * BigInt(lots);
}

/** Such a distance as money: the loss at once, in smallest units, rounded up. */
export function lossOf(market: Market, beyond: bigint): bigint {
  return ceilDiv(beyond * market.unitsPerTickLot, BigInt(FINE));
}

/** The open loss of one order. */
export function openLoss(market: Market, side: Side, ticks: number, lots: number): bigint {
  return lossOf(market, beyondMark(market, side, ticks, lots));
}
