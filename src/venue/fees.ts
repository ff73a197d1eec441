/** What a fill costs beside its price: the fee, and on futures the open loss of an order away from the mark. */
import type { Market } from './market.ts';
import { ceilDiv } from './quantity.ts';
import { BUY, FINE, PARTS, type Side } from './units.ts';

const PARTS_BIG = BigInt(PARTS);
const PARTS_LESS_ONE = PARTS_BIG - 1n;

/** Rounded up, against the trader; a rebate (negative) towards zero. */
export function feeOf(amount: bigint, rate: bigint): bigint {
  return rate >= 0n ? (amount * rate + PARTS_LESS_ONE) / PARTS_BIG : (amount * rate) / PARTS_BIG;
}

/**
 * The price that stands for the mark where an order that opens is judged, fine: the mark, or a feed's value that is held if
 * that is worse for it (semantics.md section 5).
 */
export function markAgainst({ valuationMark: mark, indexHeld }: Market, side: Side): number {
  if (indexHeld === 0) return mark;
  return side === BUY ? Math.min(mark, indexHeld) : Math.max(mark, indexHeld);
}

/** How far `lots` at `ticks` lie beyond the mark, fine × lots; 0 for what lies on the better side of it. */
export function beyondMark(market: Market, side: Side, ticks: number, lots: number): bigint {
  const mark = markAgainst(market, side);
  const distance = side === BUY ? ticks * FINE - mark : mark - ticks * FINE;
  return distance <= 0 || mark === 0 ? 0n : BigInt(distance) * BigInt(lots);
}

/** That as money: what would be lost at once, smallest units, rounded up. */
export function lossOf(market: Market, beyond: bigint): bigint {
  return ceilDiv(beyond * market.unitsPerTickLot, BigInt(FINE));
}

/** The open loss of one order. */
export function openLoss(market: Market, side: Side, ticks: number, lots: number): bigint {
  return lossOf(market, beyondMark(market, side, ticks, lots));
}
