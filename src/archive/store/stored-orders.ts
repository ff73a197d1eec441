/**
 * Reads orders from the archive's file so that none can be missing: each row names the order before it, and the number
 * of rows in its history.
 *
 * Cost: a look-up of an order that does not exist reads the one after it.
 */
import { ArchiveDamaged } from './errors.ts';
import type { ArchiveState } from './state.ts';
import type { ArchiveStore } from './store.ts';
import { columnsOf, type Row } from './tables.ts';

/** Indexes into a row of `orders`: these are its last five columns. */
export const EVENTS = columnsOf('orders').indexOf('events');
export const TRADED = columnsOf('orders').indexOf('traded');
export const BEFORE = columnsOf('orders').indexOf('before');
export const EVENT_ROWS = columnsOf('orders').indexOf('eventRows');
export const SET_BACK = columnsOf('orders').indexOf('setBackMs');
const [STATE, UPDATED] = ['state', 'updatedMs'].map((name) => columnsOf('orders').indexOf(name));
const LIVE: readonly unknown[] = ['working', 'waiting'];
/** Keys count from here. The first order has 0 before it. */
const FIRST_KEY = 1;

export function isLive(order: Row): boolean {
  return LIVE.includes(order[STATE]);
}

/** When an order ended that may be forgotten, in time that passed (forgetting.ts). Undefined: it is live, or has traded. */
export function endedUnfilledMs(order: Row): number | undefined {
  return isLive(order) || order[TRADED] === 1 ? undefined : (order[UPDATED] as number) + (order[SET_BACK] as number);
}

/** It is no longer kept (forgetting.ts), whether its rows are already gone or not. */
export function isForgotten(order: Row, { forgottenMs }: ArchiveState): boolean {
  const endedMs = endedUnfilledMs(order);
  return endedMs !== undefined && endedMs <= forgottenMs;
}

/** By key. Undefined: there is no such order. @throws {ArchiveDamaged} */
export function storedOrder(store: ArchiveStore, key: number): Row | undefined {
  if (key < FIRST_KEY) return undefined;
  const row = store.row('orders', key);
  if (row !== undefined) return row;
  const next = orderBehind(store, key);
  const isAbsent = next === undefined ? key > store.lastOrder : (next[BEFORE] as number) < key;
  if (!isAbsent) throw new ArchiveDamaged(`the order ${key} is missing`);
  return undefined;
}

/** The next order after a key. @throws {ArchiveDamaged} */
export function orderBehind(store: ArchiveStore, key: number): Row | undefined {
  const [next] = store.rows('orders', 'orderKey > ? ORDER BY orderKey LIMIT 1', key);
  return next;
}

/**
 * What is left to write when these orders, oldest first, are removed: the orders that named one of them, and the key of
 * the last order then. @throws {ArchiveDamaged}
 */
export function withoutOrders(store: ArchiveStore, gone: readonly Row[]): [rows: Row[], lastOrder: number] {
  const changed = new Map<number, Row>();
  let last = store.lastOrder;
  for (const order of gone) {
    const [key] = order as [number];
    const before = (changed.get(key) ?? order)[BEFORE];
    changed.delete(key);
    const behind = orderBehind(store, key);
    if (behind === undefined) last = before as number;
    else changed.set(behind[0] as number, (changed.get(behind[0] as number) ?? behind).with(BEFORE, before));
  }
  return [[...changed.values()], last];
}

/** All orders, oldest first. @throws {ArchiveDamaged} */
export function* storedOrders(store: ArchiveStore): Generator<Row> {
  let before = 0;
  for (const row of store.rows('orders', 'true ORDER BY orderKey')) {
    if (row[BEFORE] !== before) throw new ArchiveDamaged(`an order between ${before} and ${row[0]} is missing`);
    yield row;
    before = row[0] as number;
  }
  if (before !== store.lastOrder) throw new ArchiveDamaged(`an order after ${before} is missing`);
}

/** The rows of `order_events` of an order, oldest first: what happened to it after it was accepted. @throws {ArchiveDamaged} */
export function storedEvents(store: ArchiveStore, order: Row): Row[] {
  const [key] = order;
  const rows = [...store.rows('order_events', 'orderKey = ? ORDER BY seq', ...store.key('order_events', key))];
  if (rows.length === order[EVENT_ROWS]) return rows;
  throw new ArchiveDamaged(`${rows.length} rows of the order ${key} in order_events, expected ${order[EVENT_ROWS]}`);
}
