/**
 * The queue of auto-deleveraging (semantics.md section 11): who is closed, and in which order, against a loss that neither
 * book nor fund covers; and where in it a position stands. One rule for both. Nothing here changes state.
 *
 * Cost: one look at each account that holds something in the market.
 */
import type { Desk } from './desk.ts';
import type { Holding } from './holdings.ts';
import type { Account } from './ledger.ts';
import { crossMargin, equityOf, marginOfOne } from './margins.ts';
import type { Market } from './market.ts';
import { type Position, sizeAtMark, unrealised } from './positions.ts';
import { BUY, SELL, type Side } from './units.ts';

export interface Queued {
  readonly account: Account;
  readonly position: Position;
  /** (profit / entry value) × (position value / equity), in millionths. */
  readonly rank: bigint;
}

/**
 * The positions that a close of this side can be set against, highest rank first, then by account and position; all but
 * those of `bankrupt`.
 */
export function deleveragingQueue(desk: Desk, market: Market, side: Side, bankrupt: Account | null): Queued[] {
  const found: Queued[] = [];
  for (const index of [...desk.holders[market.index]].sort((a, b) => a - b)) {
    if (index === bankrupt?.index) continue;
    const account = desk.accounts.get(index) as Account;
    const holding = account.holding(market.index);
    for (const position of holding.positions()) {
      const opposite = side === SELL ? position.size < 0 : position.size > 0;
      if (opposite) found.push({ account, position, rank: rankOf(desk, market, account, holding, position) });
    }
  }
  return found.sort((a, b) => (a.rank === b.rank ? 0 : a.rank > b.rank ? -1 : 1));
}

function rankOf(desk: Desk, market: Market, account: Account, holding: Holding, position: Position): bigint {
  const isolated = holding.mode === 'ISOLATED';
  const margin = isolated ? marginOfOne(account, market, position) : crossMargin(desk, account, market.quote);
  const equity = equityOf(margin);
  const cost = position.cost < 0n ? -position.cost : position.cost;
  const profit = unrealised(position, market);
  return (1_000_000n * profit * sizeAtMark(position, market)) / ((cost || 1n) * (equity > 0n ? equity : 1n));
}

const BUCKETS = 3;

/** The third of its queue that an open position is in: 2 is closed first, 0 last. */
export function deleveragingBucket(desk: Desk, account: Account, market: Market, id: number): number {
  const position = account.holding(market.index).byId(id);
  const queue = deleveragingQueue(desk, market, (position?.size ?? 0) < 0 ? SELL : BUY, null);
  const place = queue.findIndex((queued) => queued.account === account && queued.position === position);
  return Math.ceil((BUCKETS * (queue.length - place)) / queue.length) - 1;
}
