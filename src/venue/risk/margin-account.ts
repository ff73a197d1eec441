/**
 * Whose money a position lives on: that of a cross account in one settlement currency, with all its positions there, or
 * that of one isolated position. Nothing here changes state.
 *
 * Equity of a cross margin account: total − what spot orders reserve + unrealised; of an isolated one: the position's own money +
 * unrealised (semantics.md section 5). Cost: one look at each perpetual market of the account.
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
  /** The positions that live on it. */
  readonly positions: readonly MarginPosition[];
  /** The isolated position that is a margin account of its own; null: cross. */
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

/** The margin account that a position of the account lives on. */
export function marginAccountOf(
  venue: VenueState,
  account: Account,
  market: Market,
  position: Position,
): MarginAccount {
  const isolated = account.positionsIn(market.index).mode === 'ISOLATED';
  return isolated ? isolatedMarginAccount(account, market, position) : crossMarginAccount(venue, account, market.quote);
}

/** What is there without what the positions win or lose, smallest units. */
export function moneyOf({ account, currency, isolated }: MarginAccount): bigint {
  return isolated?.margin ?? account.totals[currency] - account.reserved[currency];
}

/** Smallest units; below zero where more was lost than there was. */
export function equityOf(margin: MarginAccount): bigint {
  let equity = moneyOf(margin);
  for (const { market, position } of margin.positions) equity += unrealised(position, market);
  return equity;
}

export function maintenance(margin: MarginAccount): bigint {
  let sum = 0n;
  for (const { market, position } of margin.positions) sum += maintenanceOf(market, position);
  return sum;
}

/** The share of its margin account's equity that a position may use up. */
export function equityShare(margin: MarginAccount, { market, position }: MarginPosition): bigint {
  return shareOfEquity(equityOf(margin), maintenanceOf(market, position), maintenance(margin));
}

/**
 * Each position has the share of the equity that its maintenance (`own`) is of the margin account's maintenance (`all`). An
 * isolated one has all of it, and so has each position once the equity is below zero.
 */
export function shareOfEquity(equity: bigint, own: bigint, all: bigint): bigint {
  return equity < 0n || all === 0n ? equity : (equity * own) / all;
}
