/**
 * One step of a liquidation: closes a part of one position, or all of it (rules 11.46 to 11.57).
 *
 * - By quarters (PARTIAL_LIQUIDATION), at no price worse than the bankruptcy price. The liquidation fee goes to the
 *   insurance fund, and the bankruptcy price includes it.
 * - Completely (FORCED_MARKET_*) if no more than that fee is left, at no price worse than the bankruptcy price. A better
 *   price benefits the fund.
 * - Completely if the equity is negative: first from the book, at most liquidationBand beyond the mark and as far as the
 *   fund covers the difference to the bankruptcy price, then against other positions (adl.ts).
 *
 * An isolated position wins, loses and pays with its own collateral. What is left of it goes to the wallet at the end.
 *
 * Invariant: makers pay their fees to the fee account, the account in liquidation pays to the fund. A step never
 * enlarges or turns a position (liquidation.ts checks that).
 */

import { afterSweep } from '../algos/after-sweep.ts';
import { mulDivCeil } from '../contract/decimal.ts';
import { ending } from '../contract/reasons.ts';
import { beyond, NONE, nearer, opposite, PARTS, SELL, type Side } from '../contract/units.ts';
import { finish } from '../execution/finish.ts';
import { sweep } from '../execution/matching.ts';
import { admit } from '../execution/new-order.ts';
import { closingSide } from '../risk/bankruptcy.ts';
import { equityOf, equityShare, type MarginAccount, type PositionInMarket } from '../risk/margin-account.ts';
import { liquidationTicks, mostWithin } from '../risk/solvency.ts';
import { bind } from '../state/exposure.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { notionalAtMark } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import { type Bankrupt, canDeleverage, deleverage, netLegs, otherLeg, partOf } from './adl.ts';

/** Closes a quarter of the position, or all of it, as far as the book allows. */
export function closePosition(venue: VenueState, marginAccount: MarginAccount, marginPosition: PositionInMarket): void {
  const { market, position } = marginPosition;
  if (equityOf(marginAccount) < 0n) {
    closeBelowZero(venue, marginAccount, marginPosition);
    return;
  }
  const share = equityShare(marginAccount, marginPosition);
  const fee = mulDivCeil(notionalAtMark(position, market), market.liquidationRate, BigInt(PARTS));
  if (share > fee) closeQuarter(venue, marginAccount, marginPosition);
  else closeForced(venue, marginAccount, marginPosition, share);
}

/**
 * The worst price, within the market's band, of a close that uses up no more than the position's share of the equity.
 */
function limitOf(marginAccount: MarginAccount, marginPosition: PositionInMarket, feeRate: bigint): number {
  const { market, position } = marginPosition;
  const side = closingSide(position.size);
  return nearer(
    side,
    liquidationTicks(marginAccount, marginPosition, feeRate),
    market.limitWithin(side, market.mark, market.band),
  );
}

/** The best price that a close of this side may take, or NONE. */
function levelWithin(market: Market, side: Side, limit: number): number {
  const price = market.bestOpposite(side);
  return price === NONE || beyond(side, price, limit) ? NONE : price;
}

/** The order that the venue itself places for the account. */
function liquidationOrder(
  venue: VenueState,
  marginAccount: MarginAccount,
  marginPosition: PositionInMarket,
  lots: number,
  forced: boolean,
): Order {
  if (!(lots > 0 && lots <= Math.abs(marginPosition.position.size))) {
    throw new Error(
      `liquidation of account ${marginAccount.account.index}: ${lots} lots of a position of ${marginPosition.position.size}`,
    );
  }
  const order = venue.create(marginAccount.account, marginPosition.market, closingSide(marginPosition.position.size));
  order.kind = 'market';
  order.reduceOnly = true;
  order.original = lots;
  order.quantity = lots;
  order.liquidation = forced ? 'forced' : 'partial';
  bind(marginAccount.account, order, marginPosition.position.id);
  admit(venue, order);
  return order;
}

function closeQuarter(venue: VenueState, marginAccount: MarginAccount, marginPosition: PositionInMarket): void {
  const { market, position } = marginPosition;
  const limit = limitOf(marginAccount, marginPosition, market.liquidationRate);
  if (levelWithin(market, closingSide(position.size), limit) === NONE) return;
  const lots = Math.min(position.liquidationStepLots, Math.abs(position.size));
  const order = liquidationOrder(venue, marginAccount, marginPosition, lots, false);
  sweep(venue, order, limit, lots);
  conclude(venue, marginAccount, order);
}

/**
 * No more than the fee is left: closes all of it at the bankruptcy price. The fund receives what the book pays above
 * that.
 */
function closeForced(
  venue: VenueState,
  marginAccount: MarginAccount,
  marginPosition: PositionInMarket,
  share: bigint,
): void {
  const bankrupt = bankruptOf(marginAccount, marginPosition, share);
  const limit = limitOf(marginAccount, marginPosition, 0n);
  if (levelWithin(marginPosition.market, bankrupt.side, limit) === NONE) return;
  const order = liquidationOrder(venue, marginAccount, marginPosition, bankrupt.size, true);
  sweepLevels(venue, bankrupt, order, limit);
  conclude(venue, marginAccount, order);
}

/**
 * Negative equity: closes against the account's other leg, then in the book near the mark as far as the fund covers it,
 * then against other accounts.
 */
function closeBelowZero(venue: VenueState, marginAccount: MarginAccount, marginPosition: PositionInMarket): void {
  const { market, position } = marginPosition;
  const bankrupt = bankruptOf(marginAccount, marginPosition, equityOf(marginAccount));
  const leg = otherLeg(marginAccount, marginPosition);
  if (leg !== null) {
    const lots = Math.min(Math.abs(position.size), Math.abs(leg.size));
    const order = liquidationOrder(venue, marginAccount, marginPosition, lots, true);
    netLegs(venue, bankrupt, order, leg);
    conclude(venue, marginAccount, order);
    return;
  }
  const limit = market.limitWithin(bankrupt.side, market.mark, bandOf(market));
  const level = coveredLevel(venue, bankrupt, limit, 0);
  if (level === null && !canDeleverage(venue, bankrupt)) return;
  const order = liquidationOrder(venue, marginAccount, marginPosition, bankrupt.size, true);
  sweepLevels(venue, bankrupt, order, limit);
  deleverage(venue, bankrupt, order);
  conclude(venue, marginAccount, order);
}

/**
 * The liquidationBand, but at most 2 × maker + taker fee of each account. Otherwise two accounts of one owner could
 * profit: one goes bankrupt on purpose, the other buys from it below the mark, and the fund pays the difference. Their
 * three fees (two as maker, one as taker) must cost more than that.
 */
function bandOf({ liquidationBand, leastPairFee }: Market): number {
  return Math.max(0, Math.min(liquidationBand, leastPairFee));
}

function bankruptOf(marginAccount: MarginAccount, marginPosition: PositionInMarket, share: bigint): Bankrupt {
  const { market, position } = marginPosition;
  const side = closingSide(position.size);
  const value = notionalAtMark(position, market);
  const notional = side === SELL ? value - share : value + share;
  return {
    marginAccount,
    marginPosition,
    side,
    size: Math.abs(position.size),
    notional: notional < 0n ? 0n : notional,
  };
}

/** Sweeps level by level up to the limit, as long as the fund covers the difference to the bankruptcy price. */
function sweepLevels(venue: VenueState, bankrupt: Bankrupt, order: Order, limit: number): void {
  const { marginAccount, marginPosition } = bankrupt;
  while (order.remaining > 0) {
    const level = coveredLevel(venue, bankrupt, limit, order.filled);
    if (level === null) return;
    const [filled, live] = [order.filled, venue.orders.live];
    sweep(venue, order, level.price, level.lots);
    const lots = order.filled - filled;
    // Nothing filled. If the number of live orders fell, makers without margin have ended, and others may be behind them.
    if (lots === 0 && venue.orders.live === live) return;
    payToFund(venue, marginAccount, marginPosition.market, order, betterBy(bankrupt, filled, level.price, lots));
  }
}

/** By how much `lots` more at a price are better for the account than the bankruptcy price. Negative: worse. */
function betterBy(bankrupt: Bankrupt, filled: number, price: number, lots: number): bigint {
  const owed = partOf(bankrupt, filled + lots) - partOf(bankrupt, filled);
  const difference = bankrupt.marginPosition.market.notional(price, lots) - owed;
  return bankrupt.side === SELL ? difference : -difference;
}

/**
 * The lots of the best level within the limit whose shortfall to the bankruptcy price the fund covers. Null if it
 * covers no lot.
 */
function coveredLevel(
  venue: VenueState,
  bankrupt: Bankrupt,
  limit: number,
  filled: number,
): { price: number; lots: number } | null {
  const { marginAccount, marginPosition, side, size } = bankrupt;
  const price = levelWithin(marginPosition.market, side, limit);
  if (price === NONE) return null;
  const shown = Math.min(marginPosition.market.book.levelSize(opposite(side), price), size - filled);
  const fund = venue.ledger.insurance[marginAccount.currency];
  const available = fund < 0n ? 0n : fund;
  const lots = mostWithin(shown, (trial) => -betterBy(bankrupt, filled, price, trial) <= available);
  return lots === 0 ? null : { price, lots };
}

/**
 * Ends the order. `noLiquidityInBand` is also the ending if the fund could not cover the shortfall.
 * What is left of an isolated position goes to the wallet. The fund makes good a negative amount that has no position
 * behind it.
 */
function conclude(venue: VenueState, marginAccount: MarginAccount, order: Order): void {
  if (order.remaining === 0) finish(venue, order, 'filled', null);
  else finish(venue, order, 'cancelled', ending('noLiquidityInBand'));
  const { account, currency, isolated, positions } = marginAccount;
  const market = venue.market(order);
  if (isolated !== null && isolated.size === 0) {
    if (isolated.collateral < 0n) payToFund(venue, marginAccount, market, order, isolated.collateral);
    // Two separate credits, wallet first: the digest of effects depends on the order.
    venue.ledger.credit(account, currency, isolated.collateral);
    venue.ledger.creditCollateral(account, currency, isolated, -isolated.collateral);
  }
  const flat = positions.every(({ position }) => position.size === 0);
  const total = account.total(currency);
  if (isolated === null && flat && total < 0n) payToFund(venue, marginAccount, market, order, total);
  afterSweep(venue);
}

/** The margin account pays `amount` to the insurance fund (negative: the fund pays), and listeners hear of it. */
function payToFund(
  venue: VenueState,
  marginAccount: MarginAccount,
  market: Market,
  order: Order,
  amount: bigint,
): void {
  if (amount === 0n) return;
  venue.ledger.payToInsurance(marginAccount.account, marginAccount.currency, amount, marginAccount.isolated);
  venue.emit.balanceChanged?.({
    type: 'balanceChanged',
    account: marginAccount.account.index,
    currency: marginAccount.currency,
    amount: -amount,
    reason: 'insurance',
    market: market.index,
    positionId: order.positionId,
  });
}
