/**
 * What backs positions: either a wallet in one settlement currency, with all cross positions that settle in it, or the
 * collateral of one isolated position. Nothing here changes state.
 *
 * The equity of a cross margin account is total − what spot orders reserve + unrealised. That of an isolated one is its
 * collateral + unrealised (rule 5.3). So money that spot orders reserve backs no position. Cost of building a cross
 * account: each perpetual market where the account has a position is visited once.
 */

import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import { type Position, unrealised } from '../state/position.ts';
import { maintenanceOf } from './margin.ts';

export interface PositionInMarket {
  readonly market: Market;
  readonly position: Position;
}

export interface MarginAccount {
  readonly account: Account;
  readonly currency: number;
  /** The positions that it backs. */
  readonly positions: readonly PositionInMarket[];
  /** The isolated position whose collateral it is. Null: cross. */
  readonly isolated: Position | null;
}

export function crossMarginAccount(account: Account, currency: number): MarginAccount {
  const open: PositionInMarket[] = [];
  for (const market of account.openMarkets) {
    const marketPositions = account.positionsIn(market.index);
    if (market.quote !== currency || marketPositions.mode === 'ISOLATED') continue;
    for (const position of marketPositions.positions()) if (position.size !== 0) open.push({ market, position });
  }
  return { account, currency, positions: open, isolated: null };
}

export function isolatedMarginAccount(account: Account, market: Market, position: Position): MarginAccount {
  return { account, currency: market.quote, positions: [{ market, position }], isolated: position };
}

/** The margin account that backs a position of the account. */
export function marginAccountOf(account: Account, market: Market, position: Position): MarginAccount {
  const isolated = account.positionsIn(market.index).mode === 'ISOLATED';
  return isolated ? isolatedMarginAccount(account, market, position) : crossMarginAccount(account, market.quote);
}

/** What backs the positions before unrealised profit and loss, in smallest units. */
export function collateralOf({ account, currency, isolated }: MarginAccount): bigint {
  return isolated?.collateral ?? account.total(currency) - account.reserved(currency);
}

/** Smallest units. Negative if more was lost than there was. */
export function equityOf(marginAccount: MarginAccount): bigint {
  let equity = collateralOf(marginAccount);
  for (const { market, position } of marginAccount.positions) equity += unrealised(position, market);
  return equity;
}

/** The maintenance of all its positions, in smallest units. */
export function totalMaintenance(marginAccount: MarginAccount): bigint {
  let sum = 0n;
  for (const { market, position } of marginAccount.positions) sum += maintenanceOf(market, position);
  return sum;
}

/** The part of its margin account's equity that a position can lose before it is bankrupt. */
export function equityShare(marginAccount: MarginAccount, { market, position }: PositionInMarket): bigint {
  return shareOfEquity(equityOf(marginAccount), maintenanceOf(market, position), totalMaintenance(marginAccount));
}

/**
 * The part of the equity that a position can lose before it is bankrupt: in proportion to its maintenance, `needs` of
 * `allNeed`. An isolated position, or one without maintenance, has all of the equity. If the equity is negative, each
 * position has all of it, so the bankruptcy price of whichever closes first covers the whole shortfall.
 */
export function shareOfEquity(equity: bigint, needs: bigint, allNeed: bigint): bigint {
  return equity < 0n || allNeed === 0n ? equity : (equity * needs) / allNeed;
}
