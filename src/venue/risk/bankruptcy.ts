/**
 * The bankruptcy price of a position: the fill price at which closing all of it, fee included, uses up its share of the
 * equity, with everything else valued at the present marks (rules 5.28 to 5.34). Nothing here changes state.
 */

import type { TimeInForce } from '../contract/commands.ts';
import { ceilDiv, floorDiv } from '../contract/decimal.ts';
import { type Refusal, refuse } from '../contract/reasons.ts';
import * as units from '../contract/units.ts';
import { beyond, type Side } from '../contract/units.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { notionalAt, type Position } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import { equityShare, type MarginAccount, marginAccountOf, type PositionInMarket } from './margin-account.ts';

const { BUY, PARTS, SELL } = units;

/** The side that closes a position of that size. */
export function closingSide(size: number): Side {
  return size > 0 ? SELL : BUY;
}

/**
 * The worst whole tick at which closing `size` signed lots, valued at `fine`, uses up no more than `share` (smallest
 * units). For a long it is the lowest such tick, for a short the highest. `feeRate` is in parts. The result is at least
 * 0 (a short: no price is good enough) and at most the tick above the market's maximum (a long: no price is good
 * enough).
 */
export function bankruptcyTicks(market: Market, size: number, fine: number, share: bigint, feeRate: bigint): number {
  const value = notionalAt(market, size, fine);
  const perTick = BigInt(Math.abs(size)) * market.unitsPerTickLot;
  const parts = BigInt(PARTS);
  const ticks =
    closingSide(size) === SELL
      ? ceilDiv((value - share) * parts, perTick * (parts - feeRate))
      : floorDiv((value + share) * parts, perTick * (parts + feeRate));
  if (ticks < 0n) return 0;
  return ticks > BigInt(market.maxPriceTicks) ? market.maxPriceTicks + 1 : Number(ticks);
}

/** The bankruptcy price, in ticks, of a position as it is now. */
function bankruptcyPrice(marginAccount: MarginAccount, marginPosition: PositionInMarket, feeRate: bigint): number {
  const { market, position } = marginPosition;
  return bankruptcyTicks(
    market,
    position.size,
    market.valuationMark,
    equityShare(marginAccount, marginPosition),
    feeRate,
  );
}

/**
 * An order that may rest must not close a position beyond its bankruptcy price, because the other side would be paid
 * with money that the account does not have. `position`: the position that the order would change.
 */
export function closesWithinEquity(
  account: Account,
  market: Market,
  side: Side,
  ticks: number,
  position: Position | undefined,
): Refusal | null {
  if (position === undefined || position.size === 0 || closingSide(position.size) !== side) return null;
  const marginAccount = marginAccountOf(account, market, position);
  const worst = bankruptcyPrice(marginAccount, { market, position }, account.rates(market).taker);
  if (!beyond(side, ticks, worst)) return null;
  return refuse('beyondBankruptcy', {
    field: 'price',
    symbol: market.symbol,
    side: side === BUY ? 'BUY' : 'SELL',
    price: market.priceText(ticks),
    limit: market.priceText(worst),
  });
}

/**
 * IOC and FOK orders are clipped to what is solvent when they fill. An order that may rest is refused beyond the
 * bankruptcy price.
 */
export function mayRest(timeInForce: TimeInForce | null): boolean {
  return timeInForce !== 'IOC' && timeInForce !== 'FOK';
}

/** The same check for a placement, before its order exists. `named`: the position that the placement names. */
export function placedWithinEquity(
  account: Account,
  market: Market,
  { side, price, reduceOnly }: { readonly side: Side; readonly price: number; readonly reduceOnly: boolean },
  named: number | null,
): Refusal | null {
  if (market.product === 'spot') return null;
  const position = account.positionsIn(market.index).positionFor(side, reduceOnly, named);
  return closesWithinEquity(account, market, side, price, position);
}

/** Whether an order that is about to rest would close a position beyond its bankruptcy price. */
export function restsBeyondBankruptcy(venue: VenueState, order: Order): boolean {
  if (order.product === 'spot') return false;
  const account = venue.account(order);
  const market = venue.market(order);
  const position = account.positionsIn(market.index).positionOfOrder(order);
  return closesWithinEquity(account, market, order.side, order.price, position) !== null;
}
