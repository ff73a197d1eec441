/** An order with its whole history, from the archive. */

import { type ClientQuery, newestOfClient } from '../store/client-ids.ts';
import { ArchiveDamaged } from '../store/errors.ts';
import type { ArchiveStore } from '../store/store.ts';
import { isForgotten, storedEvents, storedOrder } from '../store/stored-orders.ts';
import { toObject } from '../store/tables.ts';
import { includes, leftAt } from '../store/timeline.ts';
import { type OrderRecord, recordOf } from './recorded-order.ts';

export interface OrderEvent {
  readonly seq: number;
  readonly time: number;
  readonly type: string;
  /** True: it happened in a branch that a reset or a return to a snapshot has left. */
  readonly leftBranch?: true;
  readonly [figure: string]: unknown;
}

export interface OrderHistory {
  readonly order: OrderRecord;
  readonly events: readonly OrderEvent[];
}

/** A part of an order's events, from the one with this index on. */
export interface EventRange {
  readonly first: number;
  readonly limit: number;
}

export interface OrderPage extends OrderHistory {
  /** There are more events behind these. */
  readonly more: boolean;
}

/** The newest order of the present timeline with a client id. Undefined if there is none. @throws {ArchiveDamaged} */
export function clientOrderHistory(store: ArchiveStore, query: ClientQuery): OrderHistory | undefined {
  const key = newestOfClient(store, query);
  if (key === undefined) return undefined;
  return orderHistory(store, key) ?? lost(key);
}

function lost(key: number): never {
  throw new ArchiveDamaged(`the order ${key} is missing`);
}

/** By order key. Undefined if there is none, or it is forgotten. @throws {ArchiveDamaged} */
export function orderHistory(store: ArchiveStore, key: number): OrderHistory | undefined {
  const row = storedOrder(store, key);
  if (row === undefined || isForgotten(row, store.state)) return undefined;
  const { lineage } = store.state;
  const left = (seq: number) => (includes(lineage, seq) ? {} : ({ leftBranch: true } as const));
  const { seq: placed, events: accepted } = toObject('orders', row);
  const commands = storedEvents(store, row).map((found) => toObject('order_events', found));
  if (accepted !== null) commands.unshift({ seq: placed, events: accepted });
  const events = commands.flatMap(({ seq, events }) => {
    const happened = events as unknown as { time: number; type: string }[];
    return happened.map((event) => ({ seq: seq as number, ...event, ...left(seq as number) }));
  });
  return { order: recordOf(row, leftAt(store.state, placed as number)), events };
}
