/**
 * Liquidation at the mark (rules 11.40 to 11.56).
 *
 * A margin account is one cross account in one settlement currency, or one isolated position. When its equity falls
 * below its maintenance, its futures orders are cancelled. Then, if it is cross, its spot orders that pay in the
 * currency are cancelled, one by one while equity is still below maintenance. Then its positions are closed:
 * - by quarters (PARTIAL_LIQUIDATION) until equity is 1.2 × maintenance, at no price worse than the bankruptcy price.
 *   The liquidation fee goes to the insurance fund, and the bankruptcy price includes it.
 * - completely (FORCED_MARKET_*) if no more than that fee is left, at no price worse than the bankruptcy price. A
 *   better price benefits the fund.
 * - completely if the equity is negative: first from the book, at most liquidationBand beyond the mark and as far as
 *   the fund covers the difference to the bankruptcy price, then against other positions (adl.ts).
 *
 * An isolated position wins, loses and pays with its own collateral. What is left of it goes to the wallet at the end.
 * If nothing can be closed, the account is distressed. Then it is tried again at each change, in the same quarters,
 * until it is safe.
 *
 * If a change of the mark makes an account's equity negative, its positions are closed out before anybody acts on that
 * change (closeBankrupt). Solvent means in this file: equity that is not negative.
 * Otherwise the winners would leave with what the bankrupt account owes, and nobody would be left to take over its
 * position.
 *
 * Invariants:
 * - No step changes the sum of all wallets and collateral, less entry costs, plus the fund and the fee account.
 *   Makers pay their fees to the fee account, the account in liquidation pays to the fund.
 * - A margin account without positions is not below zero.
 *
 * Cost: each change of a mark visits the accounts with a position in its market twice (closeBankrupt, checkHolders),
 * and all their perpetual markets.
 */

import { afterSweep } from '../algos/after-sweep.ts';
import { mulDivCeil } from '../contract/decimal.ts';
import { ending } from '../contract/reasons.ts';
import { beyond, NONE, nearer, opposite, PARTS, SELL, type Side } from '../contract/units.ts';
import { finish } from '../execution/finish.ts';
import { sweep } from '../execution/matching.ts';
import { admit } from '../execution/new-order.ts';
import { cancelSpotOrders } from '../execution/release-reserves.ts';
import { closingSide } from '../risk/bankruptcy.ts';
import {
  crossMarginAccount,
  equityOf,
  equityShare,
  isolatedMarginAccount,
  type MarginAccount,
  type PositionInMarket,
  totalMaintenance,
} from '../risk/margin-account.ts';
import { liquidationTicks, mostWithin } from '../risk/solvency.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { notionalAtMark, unrealised, valueAt } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import { TIMER_LIQUIDATION, type Timed } from '../structures/timer-queue.ts';
import { type Bankrupt, canDeleverage, deleverage, netLegs, otherLeg, partOf } from './adl.ts';

const MOST_ROUNDS = 10;
/** An account is safe again when its equity is maintenance × 1.2. */
const SAFE = { times: 6n, over: 5n };

/** Continues a liquidation after MOST_ROUNDS rounds: due at once, as a separate step of the timer queue. */
export interface LiquidationTimer extends Timed {
  readonly type: 'liquidation';
  readonly account: number;
  readonly market: Market;
}

/** Checks every account with a position in the market. Called after each change of its mark, and after funding. */
export function checkHolders(venue: VenueState, market: Market): void {
  if (market.halted) return;
  for (const index of venue.holdersOf(market)) checkAccount(venue, market, index);
}

/** Closes out the positions of margin accounts whose equity a change of a mark has made negative. */
export function closeBankrupt(venue: VenueState): void {
  for (;;) {
    const market = venue.movedMarks.shift();
    if (market === undefined) return;
    if (market.halted || market.mark === market.checkedMark) continue;
    for (const index of venue.holdersOf(market)) {
      for (const marginAccount of marginsIn(venue, market, index)) {
        if (equityOf(marginAccount) < 0n) liquidate(venue, market, marginAccount);
      }
    }
    market.checkedMark = market.mark;
  }
}

/**
 * Retries the liquidations that found no orders in the book. Returns true if something was closed, because another
 * liquidation may have waited for that.
 */
export function checkDistressed(venue: VenueState): boolean {
  let closed = false;
  for (const market of venue.markets) {
    if (market.distressed.size === 0) continue;
    for (const index of [...market.distressed].sort((a, b) => a - b)) {
      if (checkAccount(venue, market, index)) closed = true;
    }
  }
  return closed;
}

/** Returns true if something was closed. */
export function checkAccount(venue: VenueState, market: Market, index: number): boolean {
  market.distressed.delete(index);
  let closed = false;
  for (const marginAccount of marginsIn(venue, market, index))
    if (liquidate(venue, market, marginAccount)) closed = true;
  return closed;
}

function marginsIn(venue: VenueState, market: Market, index: number): MarginAccount[] {
  const account = venue.accounts.get(index) as Account;
  const marketPositions = account.positionsIn(market.index);
  if (marketPositions.mode !== 'ISOLATED') return [crossMarginAccount(venue, account, market.quote)];
  return [...marketPositions.isolated].map((position) => isolatedMarginAccount(account, market, position));
}

function liquidate(venue: VenueState, market: Market, marginAccount: MarginAccount): boolean {
  if (!isDue(marginAccount)) {
    endLiquidation(venue, marginAccount);
    return false;
  }
  // A cross account closes its positions in other markets while this one is halted. An isolated position waits.
  if (market.halted && marginAccount.isolated !== null) {
    market.distressed.add(marginAccount.account.index);
    return false;
  }
  cancelOrders(venue, market, marginAccount);
  if (!isDue(marginAccount)) {
    endLiquidation(venue, marginAccount);
    return false;
  }
  beginLiquidation(venue, marginAccount);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (isSafe(marginAccount)) {
      endLiquidation(venue, marginAccount);
      return round > 0;
    }
    if (!closeSome(venue, marginAccount)) {
      market.distressed.add(marginAccount.account.index);
      return round > 0;
    }
  }
  rescheduleLiquidation(venue, market, marginAccount.account);
  return true;
}

/** A liquidation begins below maintenance, and continues until the account is safe. */
function isDue(marginAccount: MarginAccount): boolean {
  if (marginAccount.positions.every(({ position }) => position.size === 0)) return false;
  const begun = marginAccount.positions.some(({ position }) => position.liquidationStepLots > 0);
  return begun ? !isSafe(marginAccount) : equityOf(marginAccount) < totalMaintenance(marginAccount);
}

function isSafe(marginAccount: MarginAccount): boolean {
  return equityOf(marginAccount) * SAFE.over >= totalMaintenance(marginAccount) * SAFE.times;
}

function beginLiquidation(venue: VenueState, { account, positions }: MarginAccount): void {
  for (const { market, position } of positions) {
    if (position.liquidationStepLots > 0) continue;
    venue.changes.position(account, market, position);
    position.liquidationStepLots = Math.ceil(Math.abs(position.size) / 4);
  }
}

function endLiquidation(venue: VenueState, { account, positions }: MarginAccount): void {
  for (const { market, position } of positions) {
    if (position.liquidationStepLots === 0) continue;
    venue.changes.position(account, market, position);
    position.liquidationStepLots = 0;
  }
}

/**
 * Cancels the futures orders of the market. A cross account loses its orders in all futures markets, and then the spot
 * orders that reserve money which its positions need.
 */
function cancelOrders(venue: VenueState, market: Market, marginAccount: MarginAccount): void {
  const { account, currency, isolated } = marginAccount;
  const orders = [...venue.liveOrders(account)].filter((order) => {
    return order.product === 'futures' && (isolated === null || order.market === market.index);
  });
  for (const order of orders) if (order.live) finish(venue, order, 'cancelled', ending('liquidation'));
  if (isolated !== null) return;
  cancelSpotOrders(
    venue,
    account,
    currency,
    'liquidation',
    () => equityOf(marginAccount) < totalMaintenance(marginAccount),
  );
}

function rescheduleLiquidation(venue: VenueState, market: Market, account: Account): void {
  const dueMs = venue.nowMs;
  const head = { type: 'liquidation', account: account.index, market, key: account.index } as const;
  const timer: LiquidationTimer = { ...head, timer: NONE, dueMs, timerRank: TIMER_LIQUIDATION };
  venue.timers.set(timer, dueMs, TIMER_LIQUIDATION);
}

/** Closes a part of the first position that can be closed. Returns false if none can. */
function closeSome(venue: VenueState, marginAccount: MarginAccount): boolean {
  for (const marginPosition of inOrder(marginAccount)) {
    const before = { size: marginPosition.position.size, equity: equityOf(marginAccount) };
    closePosition(venue, marginAccount, marginPosition);
    if (marginPosition.position.size === before.size) continue;
    checkStep(marginAccount, marginPosition, before);
    return true;
  }
  return false;
}

/**
 * More than all roundings of one fill of a liquidation together (fee, realised result, share of the fund, value), in
 * smallest units.
 */
const ROUNDING_PER_FILL = 4n;

/**
 * Checks a step: the position is smaller and has not changed its side. The step has not made the equity negative, or
 * more negative than it was. A fill has at least one lot.
 */
function checkStep(
  marginAccount: MarginAccount,
  { market, position }: PositionInMarket,
  before: { readonly size: number; readonly equity: bigint },
): void {
  const lots = Math.abs(before.size) - Math.abs(position.size);
  const turned = position.size !== 0 && position.size > 0 !== before.size > 0;
  const equity = equityOf(marginAccount);
  const least = (before.equity < 0n ? before.equity : 0n) - ROUNDING_PER_FILL * BigInt(Math.max(0, lots));
  if (lots > 0 && !turned && equity >= least) return;
  const step = `size ${before.size} became ${position.size}, equity ${before.equity} became ${equity}`;
  throw new Error(
    `liquidation of account ${marginAccount.account.index} in ${market.symbol}, position ${position.id}: ${step}`,
  );
}

/**
 * Open positions of markets that are not halted, largest unrealised loss first, then lowest market. If the equity is
 * negative, the positions that lost most by the last change of their mark come first.
 */
function inOrder(marginAccount: MarginAccount): PositionInMarket[] {
  const bankrupt = equityOf(marginAccount) < 0n;
  const open = marginAccount.positions.filter(({ market, position }) => position.size !== 0 && !market.halted);
  const ranked = open.map((marginPosition) => {
    const { market, position } = marginPosition;
    return { marginPosition, lost: bankrupt ? lastLoss(marginPosition) : 0n, profit: unrealised(position, market) };
  });
  const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);
  ranked.sort((a, b) => compare(b.lost, a.lost) || compare(a.profit, b.profit));
  return ranked.map(({ marginPosition }) => marginPosition);
}

/** What the last change of its mark has cost a position, in smallest units. Negative if it has gained. */
function lastLoss({ market, position }: PositionInMarket): bigint {
  if (market.checkedMark === 0) return 0n;
  return valueAt(market, position.size, market.checkedMark) - valueAt(market, position.size, market.mark);
}

/** Closes a quarter of the position, or all of it, as far as the book allows. */
function closePosition(venue: VenueState, marginAccount: MarginAccount, marginPosition: PositionInMarket): void {
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
  venue.bind(order, marginPosition.position.id);
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
  const limit = market.limitWithin(bankrupt.side, market.mark, bandOf(venue, market));
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
function bandOf(venue: VenueState, market: Market): number {
  let band = market.liquidationBand;
  for (const account of venue.accounts.values()) {
    const rates = account.feeRates[market.index];
    if (rates !== undefined) band = Math.min(band, Number(2n * rates.maker + rates.taker));
  }
  return Math.max(0, band);
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
  const total = account.totals[currency];
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
