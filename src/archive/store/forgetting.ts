/**
 * Orders that ended without a fill may be removed after some time, or when they are too many. The archive forgets the
 * oldest ones first, by the time of their end. Orders that have traded stay, and so do live ones.
 *
 * The time is **time that passed**: the venue's time plus how far resets and restored snapshots have turned a manual clock
 * back. It never goes back, so an order of a branch that was left is as old as one of the present branch that ended when
 * the same time had passed.
 *
 * Invariants:
 * - An order that is forgotten is in no answer, whether its rows are already gone or not.
 * - The table `unfilled` has exactly the orders that may be forgotten, in the order of their ends.
 * - What is forgotten depends on the log and the rule only, and not on when the rows go: times follow from those of the venue. But
 *   if a saved state is restored that has a forgotten order as a live one, its history begins there or earlier.
 *
 * Cost: 60 microseconds for each order that is removed.
 */

import { withoutClients } from './client-ids.ts';
import { ArchiveDamaged } from './errors.ts';
import type { ArchiveState } from './state.ts';
import type { ArchiveStore, RemovedRows, Rows } from './store.ts';
import { EVENT_ROWS, endedUnfilledMs, withoutOrders } from './stored-orders.ts';

/** Which orders without fills are kept. */
export interface Kept {
  /** How long after their end, in time that passed. Infinity: for ever. */
  readonly forMs: number;
  /** The number of those that ended last. Infinity: all of them. */
  readonly most: number;
}

export const KEEP_ALL: Kept = { forMs: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY };

/** How many are removed in one transaction, which takes 2 ms. */
const STEP = 30;

/** What a transaction does that removes the next forgotten orders. Undefined: there are none. @throws {ArchiveDamaged} */
export function forgetting(
  store: ArchiveStore,
  state: ArchiveState,
  { most }: Kept,
): { rows: Partial<Rows>; state: ArchiveState; removed: readonly RemovedRows[] } | undefined {
  const tooMany = state.unfilled - most;
  const due = [...store.rows('unfilled', 'true ORDER BY endedMs, orderKey LIMIT ?', STEP)].filter(
    ([endedMs], i) => (endedMs as number) <= state.forgottenMs || i < tooMany,
  );
  if (due.length === 0) return undefined;
  const keys = due.map(([, key]) => key as number).sort((a, b) => a - b);
  const gone = keys.map((key) => store.known('orders', key));
  for (const order of gone)
    if (endedUnfilledMs(order) === undefined) throw new ArchiveDamaged(`the order ${order[0]} is not to be forgotten`);
  const [orders, lastOrder] = withoutOrders(store, gone);
  const [client_ids, removedClients, lastClientOrder] = withoutClients(store, gone);
  const events = gone.reduce((sum, order) => sum + (order[EVENT_ROWS] as number), 0);
  const removed: RemovedRows[] = due.map((key) => ({ table: 'unfilled', key }));
  for (const key of removedClients) removed.push({ table: 'client_ids', key });
  for (const key of keys) removed.push({ table: 'orders', key: [key] }, { table: 'order_events', key: [key] });
  const counts = {
    orders: state.orders - keys.length,
    order_events: state.order_events - events,
    client_ids: state.client_ids - removedClients.length,
    unfilled: state.unfilled - keys.length,
  };
  return { rows: { orders, client_ids }, state: { ...state, ...counts, lastOrder, lastClientOrder }, removed };
}
