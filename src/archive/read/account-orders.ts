/**
 * The orders of an account, newest first, each as it is now or as it ended.
 *
 * Cost: there is no index by account, so the venue's orders are looked through backwards, about 5 microseconds each. A page
 * ends after `MOST_LOOKED` of them.
 */
import { KEYS_PER_SEQ, seqOfKey } from '../../venue/contract/order-id.ts';
import type { Venue } from '../../venue/venue.ts';
import { ArchiveDamaged } from '../store/errors.ts';
import type { ArchiveStore } from '../store/store.ts';
import { BEFORE, isForgotten } from '../store/stored-orders.ts';
import { columnsOf } from '../store/tables.ts';
import { includes, timelineAt } from '../store/timeline.ts';
import { type RecordedOrder, recordedThen } from './recorded-order.ts';

const MOST_LOOKED = 5000;
const ACCOUNT = columnsOf('orders').indexOf('account');

export interface AccountOrdersQuery {
  /** The account's name. */
  readonly account: string;
  /** Orders that a later command placed do not count, nor those of another branch than that of this command. */
  readonly toSeq: number;
  /** Only older orders than this key. Null: from the newest on. */
  readonly beforeKey: number | null;
  readonly limit: number;
}

export interface AccountOrders {
  readonly orders: readonly RecordedOrder[];
  /** Older orders have not been looked through: give it as `beforeKey`. Null: there are none. */
  readonly nextKey: number | null;
}

/** `venue`: as of the archive's last command. @throws {ArchiveDamaged} */
export function accountOrders(store: ArchiveStore, venue: Venue, query: AccountOrdersQuery): AccountOrders {
  const { account, toSeq, beforeKey, limit } = query;
  const most = Math.min((toSeq + 1) * KEYS_PER_SEQ, beforeKey ?? Number.MAX_SAFE_INTEGER) - 1;
  const timeline = timelineAt(store.state, toSeq);
  const found: RecordedOrder[] = [];
  let looked = 0;
  let expected: number | null = null;
  for (const row of store.rows('orders', 'orderKey <= ? ORDER BY orderKey DESC', most)) {
    const key = row[0] as number;
    if (expected !== null && key !== expected) throw new ArchiveDamaged(`the order ${expected} is missing`);
    if (looked === MOST_LOOKED || found.length === limit) return { orders: found, nextKey: key + 1 };
    looked += 1;
    expected = row[BEFORE] as number;
    if (row[ACCOUNT] !== account || isForgotten(row, store.state)) continue;
    if (includes(timeline, seqOfKey(key))) found.push(recordedThen(store, venue, row));
  }
  return { orders: found, nextKey: null };
}
