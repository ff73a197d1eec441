/** What a fill costs beside its price: the fee, and on futures the open loss of an order away from the mark. */

import { ceilDiv } from '../contract/decimal.ts';
import { BUY, FINE, PARTS, type Side } from '../contract/units.ts';
import type { Market } from '../state/market.ts';

const PARTS_BIG = BigInt(PARTS);
const PARTS_LESS_ONE = PARTS_BIG - 1n;

/** Rounded up, against the trader; a rebate (negative) towards zero. */
export function feeOf(amount: bigint, rate: bigint): bigint {
  return rate >= 0n ? (amount * rate + PARTS_LESS_ONE) / PARTS_BIG : (amount * rate) / PARTS_BIG;
}

/**
 * The price by which free money and open losses are judged, fine: the worst for that side of the mark, a feed's value that is
 * held, and in a halted market the mark that it will resume with. So nobody takes out money that a price which everybody can
 * see coming will cost (semantics.md section 5).
 */
export function markAgainst(market: Market, side: Side): number {
  const worse = side === BUY ? Math.min : Math.max;
  let worst = market.valuationMark;
  if (market.pendingIndex !== 0) worst = worse(worst, market.pendingIndex);
  return market.halted && market.mark !== 0 ? worse(worst, market.mark) : worst;
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
