/**
 * The end of a market (rules 15.13 to 15.18): its orders are cancelled, and its positions are closed at one price,
 * without a fee.
 *
 * - First, everybody whose equity is below zero at that price is closed out, as when a market resumes. Otherwise the
 *   fund would pay the winners what the bankrupt accounts owe, and the winners could take it out of the venue.
 * - Then the rest is settled. Those who lose pay first. What they cannot pay, and all roundings, are the fund's.
 *
 * Invariant: afterwards the market has no order and no position. It stays halted and known, so that its symbol is never
 * used again and histories can name it.
 */

import { afterSweep } from '../algos/after-sweep.ts';
import type { DelistMarket } from '../contract/commands.ts';
import { ending, type Refusal, refuse } from '../contract/reasons.ts';
import { BUY, FINE, SELL } from '../contract/units.ts';
import { finish } from '../execution/finish.ts';
import { makeCollateralGood } from '../execution/release-reserves.ts';
import { settlePosition } from '../execution/settlement.ts';
import { checkHolders, closeBankruptIn } from '../liquidation/liquidation.ts';
import { watchFeed } from '../prices/index-feed.ts';
import { endMinutes } from '../prices/mark-and-funding.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import { type Position, valueAt } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';

export function delistMarket(venue: VenueState, command: DelistMarket): Refusal | null {
  const market = venue.markets[command.market];
  if (market === undefined) return refuse('unknownMarket', { symbol: command.market });
  const { symbol } = market;
  if (market.delisted) return refuse('marketDelisted', { symbol });
  if (!market.halted) return refuse('marketNotHalted', { symbol });
  if (market.playback !== null) return refuse('marketPlayed', { symbol });
  const price = command.settlementPrice ?? market.mark;
  const most = market.maxPriceTicks * FINE;
  const isPrice = market.product === 'futures' && Number.isSafeInteger(price) && price > 0 && price <= most;
  if (command.settlementPrice !== null && !isPrice) {
    const problem =
      market.product === 'spot'
        ? `is only for perpetuals, and ${symbol} is a spot pair: leave it out`
        : `must be above 0 and at most ${market.priceText(market.maxPriceTicks)}`;
    return refuse('priceOutOfRange', { field: 'settlementPrice', problem });
  }
  if (price === 0 && venue.holdersOf(market).length > 0) return refuse('noMark', { symbol });
  cancelOrders(venue, market);
  market.pendingIndex = 0;
  if (market.product === 'futures') closeBankruptAt(venue, market, price);
  settleAll(venue, market, price);
  market.delisted = true;
  market.distressed.clear();
  watchFeed(venue, market, 0);
  endMinutes(venue, market);
  venue.noteUnsettled(market);
  venue.emit.marketDelisted?.({ type: 'marketDelisted', market: market.index });
  afterSweep(venue);
  checkOtherMarkets(venue, market);
  return null;
}

/** The settlement may have cost accounts what their positions in other markets need. */
function checkOtherMarkets(venue: VenueState, market: Market): void {
  for (const other of venue.markets) {
    if (other.product === 'futures' && other.quote === market.quote) checkHolders(venue, other);
  }
}

function cancelOrders(venue: VenueState, market: Market): void {
  for (const account of venue.accounts.values()) {
    if ((account.openOrders[market.index] ?? 0) === 0) continue;
    for (const order of [...venue.liveOrders(account)]) {
      if (order.live && order.market === market.index) finish(venue, order, 'cancelled', ending('delisted'));
    }
  }
}

/**
 * Closes out everybody who is below zero at the settlement price, as if the market resumed with that price as its mark. Its
 * book is empty, so its positions are closed against opposite ones.
 */
function closeBankruptAt(venue: VenueState, market: Market, fine: number): void {
  const { mark } = market;
  market.halted = false;
  market.mark = fine;
  venue.margins.revalued(market);
  closeBankruptIn(venue, market);
  market.halted = true;
  market.mark = mark;
  // What follows is caused by the command again, not by a liquidation.
  venue.emit.causeChanged?.({ type: 'causeChanged', cause: { by: 'command' } });
}

/** A position, and the money that it is worth at the settlement price. Negative: a short pays it. */
interface Settled {
  readonly account: Account;
  readonly position: Position;
  readonly value: bigint;
  readonly loses: boolean;
}

function settleAll(venue: VenueState, market: Market, fine: number): void {
  const all: Settled[] = [];
  for (const index of venue.holdersOf(market)) {
    const account = venue.accounts.get(index) as Account;
    for (const position of account.positionsIn(market.index).positions()) {
      if (position.size === 0) continue;
      const value = valueAt(market, position.size, fine);
      all.push({ account, position, value, loses: value < position.cost });
    }
  }
  for (const one of all) if (one.loses) settle(venue, market, one);
  for (const one of all) if (!one.loses) settle(venue, market, one);
  // Values are rounded down, so all of them together are zero or less.
  const rounded = all.reduce((sum, { value }) => sum - value, 0n);
  venue.ledger.addToInsurance(market.quote, rounded);
}

function settle(venue: VenueState, market: Market, { account, position, value }: Settled): void {
  const marketPositions = account.positionsIn(market.index);
  const isolated = marketPositions.mode === 'ISOLATED';
  const lots = Math.abs(position.size);
  const notional = value < 0n ? -value : value;
  settlePosition(venue, { market, lots, notional }, account, position, position.size > 0 ? SELL : BUY, isolated);
  if (isolated) {
    makeCollateralGood(venue, account, market, position);
    venue.ledger.moveToCollateral(account, market.quote, position, -position.collateral);
    marketPositions.forget(position);
  }
  venue.noteReserve(account, market.quote);
}
