/**
 * The index of orders by client id, `client_ids`. Its rows are in the order of their key: account, product, hash of the
 * client id, order. The id itself is in the order only, so a look-up reads the orders of a hash.
 *
 * Invariant: each row names the order of the row before it, and the archive's state the order of the last row. So
 * neither a lost row nor a lost order between two others goes unnoticed, and an unknown client id is known to be so.
 *
 * Cost: an order with a client id reads one row and writes two. A look-up reads two rows beside those of its client id,
 * of which there is one for each order of the same id in a branch that was left.
 */
import { crc32 } from 'node:zlib';
import type { Product } from '../../venue/contract/commands.ts';
import { ArchiveDamaged } from './errors.ts';
import type { ArchiveStore } from './store.ts';
import { isForgotten } from './stored-orders.ts';
import { columnsOf, type Row, toObject, type Value } from './tables.ts';
import { includes } from './timeline.ts';

export interface ClientQuery {
  /** The account's name. */
  readonly account: string;
  readonly product: Product;
  readonly clientId: string;
}

/** An order that has a client id. */
export interface ClientOrder {
  /** The account's number in the archive. */
  readonly account: number;
  readonly product: Product;
  readonly clientId: string;
  readonly orderKey: number;
  /** The command that accepted it. */
  readonly seq: number;
}

/** The number of an account that the archive does not know. */
const NOBODY = 0;
const [KEY, SEQ, BEFORE] = ['orderKey', 'seq', 'before'].map((name) => columnsOf('client_ids').indexOf(name));
const CLIENT = columnsOf('orders').indexOf('clientId');
const OF_CLIENT = 'account = ? AND product = ? AND clientHash = ? ORDER BY orderKey DESC';
const BELOW_CLIENT = `(account, product, clientHash) < (?, ?, ?)
  ORDER BY account DESC, product DESC, clientHash DESC, orderKey DESC LIMIT 1`;
const IN_ORDER = 'ORDER BY account, product, clientHash, orderKey LIMIT 1';
const ABOVE_CLIENT = `(account, product, clientHash) > (?, ?, ?) ${IN_ORDER}`;
const ABOVE = `(account, product, clientHash, orderKey) > (?, ?, ?, ?) ${IN_ORDER}`;

/**
 * The key of the newest order of the present timeline with a client id. Undefined: there is none.
 * @throws {ArchiveDamaged}
 */
export function newestOfClient(store: ArchiveStore, query: ClientQuery): number | undefined {
  const { lineage } = store.state;
  for (const [key, seq] of ofClient(store, query)) if (includes(lineage, seq)) return key;
  return undefined;
}

/** The keys of all orders with a client id, in any branch of the history, newest first. @throws {ArchiveDamaged} */
export function ordersWithClientId(store: ArchiveStore, query: ClientQuery): number[] {
  return [...ofClient(store, query)].map(([key]) => key);
}

function* ofClient(
  store: ArchiveStore,
  { account, product, clientId }: ClientQuery,
): Generator<[orderKey: number, seq: number]> {
  const client = [store.accounts.get(account)?.account ?? NOBODY, productNumber(product), hashOf(clientId)];
  const { state } = store;
  const [above] = store.rows('client_ids', ABOVE_CLIENT, ...client);
  let expected = (above?.[BEFORE] as number | undefined) ?? state.lastClientOrder;
  for (const row of store.rows('client_ids', OF_CLIENT, ...client)) {
    if (row[KEY] !== expected) throw missing(expected);
    const order = store.known('orders', expected);
    if (order[CLIENT] === clientId && !isForgotten(order, state)) yield [expected, row[SEQ] as number];
    expected = row[BEFORE] as number;
  }
  const [below] = store.rows('client_ids', BELOW_CLIENT, ...client);
  if (((below?.[KEY] as number | undefined) ?? 0) !== expected) throw missing(expected);
}

function productNumber(product: Product): number {
  return product === 'spot' ? 0 : 1;
}

function hashOf(clientId: string): number {
  return crc32(clientId) | 0;
}

function missing(orderKey: number): ArchiveDamaged {
  return new ArchiveDamaged(`a row of client_ids is missing: order ${orderKey}`);
}

/** The rows to write for further orders, and the order of the last row then. @throws {ArchiveDamaged} */
export function linkedClients(store: ArchiveStore, added: readonly ClientOrder[]): [rows: Row[], last: number] {
  const rows: Row[] = [];
  /** Rows that are in the store, by their order: the one before them changes. */
  const behind = new Map<number, Row>();
  let last = store.state.lastClientOrder;
  /** The order of the row behind the one before, 0 if there is none; −1: nothing was added yet. */
  let lastBehind = -1;
  let before = 0;
  const rowsInOrder = added.map(({ account, product, clientId, orderKey, seq }) => {
    return { key: [account, productNumber(product), hashOf(clientId), orderKey], seq };
  });
  for (const { key, seq } of rowsInOrder.sort((a, b) => compared(a.key, b.key))) {
    const [above] = store.rows('client_ids', ABOVE, ...key);
    const aboveKey = (above?.[KEY] as number | undefined) ?? 0;
    if (aboveKey !== lastBehind) before = (above?.[BEFORE] as number | undefined) ?? store.state.lastClientOrder;
    const orderKey = key[key.length - 1];
    rows.push([...key, seq, before]);
    if (above === undefined) last = orderKey;
    else behind.set(aboveKey, above.with(BEFORE, orderKey));
    lastBehind = aboveKey;
    before = orderKey;
  }
  return [[...rows, ...behind.values()], last];
}

/**
 * What is left to write when these orders are removed: the rows that named one of them, the keys of the rows to remove, and
 * the order of the last row then. @throws {ArchiveDamaged}
 */
export function withoutClients(
  store: ArchiveStore,
  gone: readonly Row[],
): [rows: Row[], removed: number[][], last: number] {
  const keys = gone.filter((order) => order[CLIENT] !== null).map((order) => keyOf(store, toObject('orders', order)));
  const changed = new Map<number, Row>();
  let last = store.state.lastClientOrder;
  for (const key of keys.sort(compared)) {
    const orderKey = key[key.length - 1];
    const before = (changed.get(orderKey) ?? store.known('client_ids', ...key))[BEFORE];
    changed.delete(orderKey);
    const [behind] = store.rows('client_ids', ABOVE, ...key);
    if (behind === undefined) last = before as number;
    else changed.set(behind[KEY] as number, (changed.get(behind[KEY] as number) ?? behind).with(BEFORE, before));
  }
  return [[...changed.values()], keys, last];
}

/** The key of the row of an order that has a client id. */
function keyOf(store: ArchiveStore, order: Record<string, Value>): number[] {
  const number = store.accounts.get(order.account as string)?.account ?? NOBODY;
  return [number, productNumber(productOf(order)), hashOf(order.clientId as string), order.orderKey as number];
}

/** Only futures orders have positions. */
export function productOf({ positionMode }: Record<string, Value>): Product {
  return positionMode === null ? 'spot' : 'futures';
}

/** In the order of the file. */
function compared(one: readonly number[], other: readonly number[]): number {
  const differing = one.findIndex((value, i) => value !== other[i]);
  return differing < 0 ? 0 : one[differing] - other[differing];
}
