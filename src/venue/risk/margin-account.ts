/**
 * The money that a position depends on: either a cross account in one settlement currency, with all its positions
 * there, or the collateral of one isolated position. Nothing here changes state.
 *
 * The equity of a cross margin account is total − what spot orders reserve + unrealised. That of an isolated one is its
 * collateral + unrealised (rule 5.3). So money that spot orders reserve backs no position. Cost: each
 * perpetual market of the account is visited once.
 */

import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import { type Position, unrealised } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import { maintenanceOf } from './margin.ts';

export interface MarginPosition {
  readonly market: Market;
  readonly position: Position;
}

export interface MarginAccount {
  readonly account: Account;
  readonly currency: number;
  /** The positions that depend on it. */
  readonly positions: readonly MarginPosition[];
  /** The isolated position whose collateral it is. Null: cross. */
  readonly isolated: Position | null;
}

export function crossMarginAccount(venue: VenueState, account: Account, currency: number): MarginAccount {
  const open: MarginPosition[] = [];
  for (let i = 0; i < account.positionsByMarket.length; i++) {
    const marketPositions = account.positionsByMarket[i];
    const market = venue.markets[i];
    if (marketPositions === undefined || market.quote !== currency || marketPositions.mode === 'ISOLATED') continue;
    for (const position of marketPositions.positions()) if (position.size !== 0) open.push({ market, position });
  }
  return { account, currency, positions: open, isolated: null };
}

export function isolatedMarginAccount(account: Account, market: Market, position: Position): MarginAccount {
  return { account, currency: market.quote, positions: [{ market, position }], isolated: position };
}

/** The margin account that a position of the account depends on. */
export function marginAccountOf(
  venue: VenueState,
  account: Account,
  market: Market,
  position: Position,
): MarginAccount {
  const isolated = account.positionsIn(market.index).mode === 'ISOLATED';
  return isolated ? isolatedMarginAccount(account, market, position) : crossMarginAccount(venue, account, market.quote);
}

/** The money without unrealised results and, if cross, without what spot orders reserve. Smallest units. */
export function moneyOf({ account, currency, isolated }: MarginAccount): bigint {
  return isolated?.collateral ?? account.totals[currency] - account.reserved[currency];
}

/** Smallest units. Negative if more was lost than there was. */
export function equityOf(marginAccount: MarginAccount): bigint {
  let equity = moneyOf(marginAccount);
  for (const { market, position } of marginAccount.positions) equity += unrealised(position, market);
  return equity;
}

export function maintenance(marginAccount: MarginAccount): bigint {
  let sum = 0n;
  for (const { market, position } of marginAccount.positions) sum += maintenanceOf(market, position);
  return sum;
}

/** The share of its margin account's equity that a position may use up. */
export function equityShare(marginAccount: MarginAccount, { market, position }: MarginPosition): bigint {
  return shareOfEquity(equityOf(marginAccount), maintenanceOf(market, position), maintenance(marginAccount));
}

/**
 * The share of the equity that a position may use up: in proportion to its maintenance, `needs` of `allNeed`. An isolated
 * position has all of the equity. If the equity is negative, each position has all of it, because the first one that
 * closes must pay the whole deficit.
 */
export function shareOfEquity(equity: bigint, needs: bigint, allNeed: bigint): bigint {
  return equity < 0n || allNeed === 0n ? equity : (equity * needs) / allNeed;
}
