/**
 * Whose money a position lives on: that of a cross account in one settlement currency, with all its positions there, or
 * that of one isolated position. What liquidation and auto-deleveraging judge. Nothing here changes state.
 *
 * Cost: one look at each perpetual market of the account.
 */
import type { Desk } from './desk.ts';
import type { Account } from './ledger.ts';
import type { Market } from './market.ts';
import { maintenanceOf, type Position, unrealised } from './positions.ts';

export interface Held {
  readonly market: Market;
  readonly position: Position;
}

export interface Margin {
  readonly account: Account;
  readonly currency: number;
  /** The positions that live on it. */
  readonly held: readonly Held[];
  /** The isolated position that is a margin of its own; null: cross. */
  readonly isolated: Position | null;
}

export function crossMargin(desk: Desk, account: Account, currency: number): Margin {
  const held: Held[] = [];
  for (const market of desk.markets) {
    const holding = account.holdings[market.index];
    if (holding === undefined || market.quote !== currency || holding.mode === 'ISOLATED') continue;
    for (const position of holding.positions()) if (position.size !== 0) held.push({ market, position });
  }
  return { account, currency, held, isolated: null };
}

export function marginOfOne(account: Account, market: Market, position: Position): Margin {
  return { account, currency: market.quote, held: [{ market, position }], isolated: position };
}

/** Smallest units; below nothing where more was lost than there was. */
export function equityOf(margin: Margin): bigint {
  const own = margin.isolated?.margin ?? margin.account.totals[margin.currency];
  return margin.held.reduce((sum, { market, position }) => sum + unrealised(position, market), own);
}

export function maintenance(margin: Margin): bigint {
  return margin.held.reduce((sum, { market, position }) => sum + maintenanceOf(position, market), 0n);
}
