/**
 * Liquidation at the mark: which accounts, when, and in which order (rules 11.40 to 11.46).
 *
 * A margin account is one cross account in one settlement currency, or one isolated position. When its equity falls
 * below its maintenance, its futures orders are cancelled. Then, if it is cross, its spot orders that pay in the
 * currency are cancelled, one by one while equity is still below maintenance. Then its positions are closed, one step
 * after another (close-position.ts), until equity is 1.2 × maintenance.
 *
 * If nothing can be closed, the account is distressed, in the first market where it still has a position. Then it is
 * tried again at each change, in the same quarters, until it is safe.
 *
 * If a change of the mark makes an account's equity negative, its positions are closed out before anybody acts on that
 * change (closeBankrupt). Otherwise the winners would leave with what the bankrupt account owes, and nobody would be left
 * to take over its position.
 *
 * Auto-deleveraging takes back gains of that change. An account may already have paid a fee out of its gain, or closed at
 * a bad price, and may have no position left in that market. So all that are deleveraged are judged next, in all their
 * markets (judgeDeleveraged).
 *
 * In this room, solvent means that equity is not negative.
 *
 * Invariants:
 * - No step changes the sum of all wallets and collateral, less entry costs, plus the fund and the fee account.
 * - A margin account without positions is not below zero.
 *
 * Cost: a change of a mark judges the accounts whose band it leaves, and those that have changed since they were judged
 * (margin-watch.ts), each with the markets where it has positions.
 */

import { ending } from '../contract/reasons.ts';
import * as units from '../contract/units.ts';
import { finish } from '../execution/finish.ts';
import { cancelSpotOrders } from '../execution/release-reserves.ts';
import {
  crossMarginAccount,
  equityOf,
  isolatedMarginAccount,
  type MarginAccount,
  type PositionInMarket,
  totalMaintenance,
} from '../risk/margin-account.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import { unrealised, valueAt } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import type { Timed } from '../structures/timer-queue.ts';
import * as timerQueue from '../structures/timer-queue.ts';
import { closePosition } from './close-position.ts';
import { type Band, narrower, safeBands } from './safe-bands.ts';

const { NONE } = units;
const { TIMER_LIQUIDATION } = timerQueue;

const MOST_ROUNDS = 10;
/** An account is safe again when its equity is maintenance × 1.2. */
const SAFE = { times: 6n, over: 5n };

/** Continues a liquidation after MOST_ROUNDS rounds: due at once, as a separate step of the timer queue. */
export interface LiquidationTimer extends Timed {
  readonly type: 'liquidation';
  readonly account: number;
  readonly market: Market;
}

/**
 * Liquidates every account with a position in the market that is below maintenance. Called after each change of its mark
 * or of its terms, and after funding. While the market is halted, only cross positions in other markets are closed.
 */
export function checkHolders(venue: VenueState, market: Market): void {
  forEachUnjudged(venue, market, (index) => checkAccount(venue, market, index));
  judgeDeleveraged(venue);
}

/** Closes out the positions of margin accounts whose equity a change of a mark has made negative. */
export function closeBankrupt(venue: VenueState): void {
  while (venue.movedMarks.length > 0) {
    const market = venue.movedMarks.shift() as Market;
    if (!market.halted && market.mark !== market.checkedMark) closeBankruptIn(venue, market);
  }
  judgeDeleveraged(venue);
}

/** The same in one market that is not halted. Afterwards its present mark is "the mark before". */
export function closeBankruptIn(venue: VenueState, market: Market): void {
  forEachUnjudged(venue, market, (index) => {
    for (const marginAccount of marginAccountsIn(venue, market, index)) {
      if (equityOf(marginAccount) < 0n) liquidate(venue, market, marginAccount);
    }
    watchIfSafe(venue, market, index);
  });
  // While the mark before still limits the price for others.
  judgeDeleveraged(venue);
  market.checkedMark = market.mark;
}

/**
 * Judges the accounts that auto-deleveraging has taken a position from, in all their markets. Below zero they are closed
 * out at once. Below maintenance they wait for the end of the step, when their own stops have fired.
 */
function judgeDeleveraged(venue: VenueState): void {
  const { deleveraged } = venue;
  if (deleveraged.length === 0) return;
  // Closing one out may take positions from others, who come after it.
  for (let i = 0; i < deleveraged.length; i++) {
    const { account, market: from } = deleveraged[i];
    for (const market of [...account.openMarkets]) {
      if (account.positionsIn(market.index).flat) continue;
      for (const marginAccount of marginAccountsIn(venue, market, account.index)) {
        const equity = equityOf(marginAccount);
        if (equity < 0n) liquidate(venue, from, marginAccount);
        else if (equity < totalMaintenance(marginAccount)) distress(venue, marginAccount);
      }
    }
  }
  deleveraged.length = 0;
}

/**
 * Retries the liquidations that found no orders in the book. Returns true if something was closed, because another
 * liquidation may have waited for that.
 */
export function checkDistressed(venue: VenueState): boolean {
  let closed = false;
  for (let market = venue.nextDistressed(NONE); market !== null; market = venue.nextDistressed(market.index)) {
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
  for (const marginAccount of marginAccountsIn(venue, market, index))
    if (liquidate(venue, market, marginAccount)) closed = true;
  watchIfSafe(venue, market, index);
  return closed;
}

/** Judges the accounts with a position in the market whose margin may have become unsafe, by number. */
function forEachUnjudged(venue: VenueState, market: Market, judge: (index: number) => void): void {
  const watch = venue.margins.watch(market);
  venue.margins.wakeOutside(venue.accounts);
  watch.beginPass();
  try {
    for (let index = watch.next(); index !== NONE; index = watch.next()) {
      judge(index);
      venue.margins.wakeOutside(venue.accounts);
    }
  } finally {
    watch.endPass();
  }
}

/**
 * Watches the account by price, if it is safe at the present marks: its isolated positions in this market, or its cross
 * positions in all markets.
 */
function watchIfSafe(venue: VenueState, market: Market, index: number): void {
  const account = venue.accounts.get(index) as Account;
  let bands: readonly Band[] = [];
  for (const marginAccount of marginAccountsIn(venue, market, index)) {
    const found = safeBands(marginAccount);
    if (found === null) return;
    // There are several only if they are isolated. Then each has one band, and the account is safe where all are.
    bands = bands.length === 0 ? found : [narrower(bands[0], found[0])];
  }
  for (const { market: watched, low, high } of bands) {
    venue.margins.watch(watched).watch(index, account.positionsIn(watched.index), low, high);
  }
}

function marginAccountsIn(venue: VenueState, market: Market, index: number): MarginAccount[] {
  const account = venue.accounts.get(index) as Account;
  const marketPositions = account.positionsIn(market.index);
  if (marketPositions.mode !== 'ISOLATED') return [crossMarginAccount(account, market.quote)];
  return [...marketPositions.isolated].map((position) => isolatedMarginAccount(account, market, position));
}

/** Returns true if something was closed. `market`: the one for whose change the account is judged. */
function liquidate(venue: VenueState, market: Market, marginAccount: MarginAccount): boolean {
  if (!isDue(marginAccount)) {
    endLiquidation(venue, marginAccount);
    return false;
  }
  // A cross account closes its positions in other markets while one is halted. An isolated position waits.
  if (marginAccount.isolated !== null && marginAccount.positions[0].market.halted) {
    distress(venue, marginAccount);
    return false;
  }
  causedByLiquidation(venue, market, marginAccount);
  cancelOrders(venue, marginAccount);
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
      distress(venue, marginAccount);
      return round > 0;
    }
  }
  rescheduleLiquidation(venue, marginAccount);
  return true;
}

/** From here on, what happens is caused by this liquidation. */
function causedByLiquidation(venue: VenueState, market: Market, marginAccount: MarginAccount): void {
  if (venue.emit.causeChanged === undefined) return;
  const { account, currency, isolated } = marginAccount;
  const [equity, maintenance] = [equityOf(marginAccount), totalMaintenance(marginAccount)];
  const of = { account: account.index, market: market.index, positionId: isolated?.id ?? null, currency };
  venue.emit.causeChanged({ type: 'causeChanged', cause: { by: 'liquidation', ...of, equity, maintenance } });
}

/** The account is tried again at each change. */
function distress(venue: VenueState, marginAccount: MarginAccount): void {
  const market = firstOpenMarket(marginAccount);
  if (market !== undefined) venue.distress(market, marginAccount.account.index);
}

/**
 * Where the account is found again later. Its owner can switch the position mode of a market without a position, and
 * then the margin account does not belong to that market any more.
 */
function firstOpenMarket({ positions }: MarginAccount): Market | undefined {
  return positions.find(({ position }) => position.size !== 0)?.market;
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
 * Cancels the futures orders of an isolated position's market. A cross account loses its orders in all futures markets,
 * and then the spot orders that reserve money which its positions need.
 */
function cancelOrders(venue: VenueState, marginAccount: MarginAccount): void {
  const { account, currency, isolated, positions } = marginAccount;
  const orders = [...venue.liveOrders(account)].filter((order) => {
    return order.product === 'futures' && (isolated === null || order.market === positions[0].market.index);
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

function rescheduleLiquidation(venue: VenueState, marginAccount: MarginAccount): void {
  const { account } = marginAccount;
  const market = firstOpenMarket(marginAccount);
  if (market === undefined) return;
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
