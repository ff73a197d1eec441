/**
 * Auto-deleveraging (rules 11.57 to 11.65, 11.80 and 11.81): a position with negative equity that neither the book nor
 * the fund can close is closed against opposite positions.
 *
 * - The price is the bankruptcy price. A position that is closed gives up a part of what it gained by the last change
 *   of the mark. The bankrupt account was solvent at the mark before, so the price is no worse than that mark. If it is
 *   worse, the mark before is the price, and the fund pays the difference.
 * - Positions with the highest value / equity come first. Entry prices play no part, because a wash trade can set them
 *   to anything.
 * - An account that had paid a fee out of the gain that it gives up, or had closed at a bad price, may end below zero. It
 *   is judged next (liquidation.ts), and the fund makes good a closed isolated position.
 * - The two legs of a cross account in HEDGE first close against each other. Only the excess of one leg is closed
 *   against others, because legs that cancel out have gained nothing by the change. These nets sum to zero over all
 *   accounts.
 * - A recorded market that holds such a position comes first, because that costs nobody anything.
 * - There is no other limit. At that price nobody gives up more than the change gave. If accounts near their
 *   maintenance were spared, an attacker could block deleveraging with such an account.
 */

import { ceilDiv } from '../contract/decimal.ts';
import { HOUSE, opposite, SELL, type Side } from '../contract/units.ts';
import { fitReduceOnlyOrders } from '../execution/fit-reduce-only.ts';
import { settleHousePosition } from '../execution/house-fills.ts';
import { makeCollateralGood } from '../execution/release-reserves.ts';
import { giveBack, settlePosition } from '../execution/settlement.ts';
import type { MarginAccount, PositionInMarket } from '../risk/margin-account.ts';
import { isolatedClose } from '../risk/margin-state.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { type Position, valueAt } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import { deleveragingQueue } from './deleveraging-queue.ts';

/**
 * A position to close completely, and the money for which it closes at its bankruptcy price. Also used for a forced
 * close, whose equity is not negative.
 */
export interface Bankrupt {
  readonly marginAccount: MarginAccount;
  readonly marginPosition: PositionInMarket;
  readonly side: Side;
  /** Lots, unsigned, before any of it is closed. */
  readonly size: number;
  /** Smallest units. */
  readonly notional: bigint;
}

/** The money for which this many lots close at the bankruptcy price, rounded against the bankrupt account. */
export function partOf({ side, size, notional }: Bankrupt, lots: number): bigint {
  const product = notional * BigInt(lots);
  const whole = BigInt(size);
  return side === SELL ? product / whole : ceilDiv(product, whole);
}

/**
 * What others pay (or receive) for lots that the bankrupt account closes for `owed`. For them it is never worse than at
 * the mark before, or at the mark.
 */
function priceForOthers({ side, marginPosition: { market } }: Bankrupt, lots: number, owed: bigint): bigint {
  const before = market.checkedMark === 0 ? market.valuationMark : market.checkedMark;
  const bound = valueAt(
    market,
    lots,
    side === SELL ? Math.max(before, market.valuationMark) : Math.min(before, market.valuationMark),
  );
  const isWorse = side === SELL ? owed > bound : owed < bound;
  return isWorse ? bound : owed;
}

/** The other leg of a cross account in HEDGE. */
export function otherLeg(
  { account, isolated }: MarginAccount,
  { market, position }: PositionInMarket,
): Position | null {
  if (isolated !== null) return null;
  const opposing = ({ size }: Position) => (position.size > 0 ? size < 0 : size > 0);
  return account.positionsIn(market.index).positions().find(opposing) ?? null;
}

/**
 * Closes what both legs have in common against each other, at the mark. For their common margin any price is the same.
 */
export function netLegs(venue: VenueState, bankrupt: Bankrupt, order: Order, leg: Position): void {
  const { market } = bankrupt.marginPosition;
  const lots = order.remaining;
  const notional = valueAt(market, lots, market.valuationMark);
  exchange(
    venue,
    bankrupt,
    order,
    { lots, owed: notional, notional },
    { account: bankrupt.marginAccount.account, position: leg },
  );
}

export function canDeleverage(venue: VenueState, bankrupt: Bankrupt): boolean {
  const { marginPosition, side } = bankrupt;
  return (
    houseAgainst(venue, marginPosition.market, side) !== null ||
    deleveragingQueue(venue, marginPosition.market, side).length > 0
  );
}

/** The position of a recorded market that can be closed against a close of this side. It comes before everybody's. */
function houseAgainst(venue: VenueState, market: Market, side: Side): Counterparty | null {
  const position = venue.house.position(market.index);
  if (position === undefined || (side === SELL ? position.size >= 0 : position.size <= 0)) return null;
  return { account: null, position, lots: Math.abs(position.size) };
}

/** Whose position is closed against the bankrupt one. */
interface Counterparty {
  /** Null: the house. */
  readonly account: Account | null;
  readonly position: Position;
  readonly lots: number;
}

/**
 * Closes what is left of the order. The difference between the two sides' amounts goes to the fund, or comes from it.
 */
export function deleverage(venue: VenueState, bankrupt: Bankrupt, order: Order): void {
  const { marginPosition, side } = bankrupt;
  const { market } = marginPosition;
  const house = houseAgainst(venue, market, side);
  const queue: readonly Counterparty[] = deleveragingQueue(venue, market, side);
  for (const other of house === null ? queue : [house, ...queue]) {
    if (order.remaining === 0) return;
    const lots = Math.min(order.remaining, other.lots);
    const owed = partOf(bankrupt, order.filled + lots) - partOf(bankrupt, order.filled);
    const notional = priceForOthers(bankrupt, lots, owed);
    venue.ledger.addToInsurance(market.quote, side === SELL ? notional - owed : owed - notional);
    exchange(venue, bankrupt, order, { lots, owed, notional }, other);
    if (other.account !== null) venue.deleveraged.push({ market, account: other.account });
  }
}

/** The bankrupt account closes `lots` for `owed`, the other position for `notional`. */
function exchange(
  venue: VenueState,
  { marginAccount, marginPosition: { market, position }, side }: Bankrupt,
  order: Order,
  { lots, owed, notional }: { readonly lots: number; readonly owed: bigint; readonly notional: bigint },
  other: Pick<Counterparty, 'account' | 'position'>,
): void {
  const positionId = other.position.id;
  const bothClose =
    side === SELL
      ? position.size >= lots && -other.position.size >= lots
      : -position.size >= lots && other.position.size >= lots;
  if (!(lots > 0) || !bothClose || owed < 0n || notional < 0n) {
    const sizes = `${position.size} of account ${marginAccount.account.index}, ${other.position.size} of ${other.account?.index ?? HOUSE}`;
    throw new Error(
      `auto-deleveraging in ${market.symbol} of ${lots} lots for ${owed} and ${notional}: sizes ${sizes}`,
    );
  }
  const net = position.size + other.position.size;
  close(
    venue,
    { market, lots, notional: owed },
    marginAccount.account,
    position,
    side,
    marginAccount.isolated !== null,
  );
  if (other.account === null) settleHousePosition(venue, market, opposite(side), lots, notional);
  else close(venue, { market, lots, notional }, other.account, other.position, opposite(side), false);
  if (position.size + other.position.size !== net) {
    throw new Error(
      `auto-deleveraging in ${market.symbol} of ${lots} lots: long and short are no longer the same size`,
    );
  }
  order.filled += lots;
  order.filledCost += Number(owed / market.unitsPerTickLot);
  order.lastFill = lots;
  venue.changes.fill(order, lots, null);
  venue.emit.deleveraged?.({
    type: 'deleveraged',
    market: market.index,
    sizeLots: lots,
    notional,
    bankruptAccount: marginAccount.account.index,
    bankruptKey: order.key,
    account: other.account?.index ?? HOUSE,
    positionId,
  });
  if (other.account !== null) fitReduceOnlyOrders(venue, other.account, market, other.position);
  fitReduceOnlyOrders(venue, marginAccount.account, market, position);
}

/** `keeps`: an isolated position in liquidation keeps all its collateral until it is closed. */
function close(
  venue: VenueState,
  closing: { market: Market; lots: number; notional: bigint },
  account: Account,
  position: Position,
  side: Side,
  keeps: boolean,
): void {
  const { market, lots } = closing;
  const isolated = account.positionsIn(market.index).mode === 'ISOLATED';
  const { collateral, size } = position;
  const { realised } = settlePosition(venue, closing, account, position, side, isolated);
  if (isolated && !keeps) {
    if (position.size === 0) makeCollateralGood(venue, account, market, position);
    giveBack(venue, account, market, position, isolatedClose(collateral, size, lots, realised, 0n));
  }
  venue.noteReserve(account, market.quote);
}
