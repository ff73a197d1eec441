/**
 * The orders of an account, newest first, each as it is now or as it ended.
 *
 * Cost: there is no index by account, so the venue's orders are looked through backwards, about 5 microseconds each. A page
 * ends after `MOST_LOOKED` of them.
 */
import { KEYS_PER_SEQ } from '../../venue/contract/order-id.ts';
import { ArchiveDamaged } from '../store/errors.ts';
import type { ArchiveStore } from '../store/store.ts';
import { BEFORE, isForgotten } from '../store/stored-orders.ts';
import { columnsOf, toObject } from '../store/tables.ts';
import { includes } from '../store/timeline.ts';

const MOST_LOOKED = 5000;
const ACCOUNT = columnsOf('orders').indexOf('account');

export interface AccountOrdersQuery {
  /** The account's name. */
  readonly account: string;
  /** Orders that a later command placed do not count. */
  readonly toSeq: number;
  /** Only older orders than this key. Null: from the newest on. */
  readonly beforeKey: number | null;
  readonly limit: number;
}

export interface AccountOrders {
  /** Rows of `orders` by column. Those of a branch that a reset or a restore has left are not among them. */
  readonly orders: readonly Readonly<Record<string, unknown>>[];
  /** Older orders have not been looked through: give it as `beforeKey`. Null: there are none. */
  readonly nextKey: number | null;
}

/** @throws {ArchiveDamaged} */
export function accountOrders(store: ArchiveStore, query: AccountOrdersQuery): AccountOrders {
  const { account, toSeq, beforeKey, limit } = query;
  const most = Math.min((toSeq + 1) * KEYS_PER_SEQ, beforeKey ?? Number.MAX_SAFE_INTEGER) - 1;
  const found: Record<string, unknown>[] = [];
  let looked = 0;
  let expected: number | null = null;
  for (const row of store.rows('orders', 'orderKey <= ? ORDER BY orderKey DESC', most)) {
    const key = row[0] as number;
    if (expected !== null && key !== expected) throw new ArchiveDamaged(`the order ${expected} is missing`);
    if (looked === MOST_LOOKED || found.length === limit) return { orders: found, nextKey: key + 1 };
    looked += 1;
    expected = row[BEFORE] as number;
    if (row[ACCOUNT] !== account || isForgotten(row, store.state)) continue;
    const order = toObject('orders', row);
    if (includes(store.state.lineage, order.seq as number)) found.push(order);
  }
  return { orders: found, nextKey: null };
}
