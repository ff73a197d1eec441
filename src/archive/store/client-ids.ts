/**
 * The index of orders by client id, `client_ids`. Its rows are in the order of their key: account, product, client id,
 * order.
 *
 * Invariant: each row names the order of the row before it, and the archive's state the order of the last row. So
 * neither a lost row nor a lost order between two others goes unnoticed, and an unknown client id is known to be so.
 *
 * Cost: an order with a client id reads one row and writes two. A look-up reads two rows beside those of its client id,
 * of which there is one for each order of the same id in a branch that was left.
 */
import type { Product } from '../../venue/contract/commands.ts';
import { ArchiveDamaged } from './errors.ts';
import type { ArchiveStore } from './store.ts';
import { columnsOf, type Row } from './tables.ts';
import { includes } from './timeline.ts';

export interface ClientQuery {
  /** The account's name. */
  readonly account: string;
  readonly product: Product;
  readonly clientId: string;
}

/** An order that has a client id. */
export interface ClientOrder extends ClientQuery {
  readonly orderKey: number;
  /** The command that accepted it. */
  readonly seq: number;
}

const [KEY, SEQ, BEFORE] = ['orderKey', 'seq', 'before'].map((name) => columnsOf('client_ids').indexOf(name));
const OF_CLIENT = 'account = ? AND product = ? AND clientId = ? ORDER BY orderKey DESC';
const BELOW_CLIENT = `(account, product, clientId) < (?, ?, ?)
  ORDER BY account DESC, product DESC, clientId DESC, orderKey DESC LIMIT 1`;
const IN_ORDER = 'ORDER BY account, product, clientId, orderKey LIMIT 1';
const ABOVE_CLIENT = `(account, product, clientId) > (?, ?, ?) ${IN_ORDER}`;
const ABOVE = `(account, product, clientId, orderKey) > (?, ?, ?, ?) ${IN_ORDER}`;

/**
 * The key of the newest order of the present timeline with a client id. Undefined: there is none.
 * @throws {ArchiveDamaged}
 */
export function newestOfClient(store: ArchiveStore, { account, product, clientId }: ClientQuery): number | undefined {
  const client = [account, product, clientId];
  const { lineage, lastClientOrder } = store.state;
  const [above] = store.rows('client_ids', ABOVE_CLIENT, ...client);
  let expected = (above?.[BEFORE] as number | undefined) ?? lastClientOrder;
  for (const row of store.rows('client_ids', OF_CLIENT, ...client)) {
    if (row[KEY] !== expected) throw missing(expected);
    if (includes(lineage, row[SEQ] as number)) return expected;
    expected = row[BEFORE] as number;
  }
  const [below] = store.rows('client_ids', BELOW_CLIENT, ...client);
  if (((below?.[KEY] as number | undefined) ?? 0) !== expected) throw missing(expected);
  return undefined;
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
  for (const { account, product, clientId, orderKey, seq } of inOrder(added)) {
    const [above] = store.rows('client_ids', ABOVE, account, product, clientId, orderKey);
    const aboveKey = (above?.[KEY] as number | undefined) ?? 0;
    if (aboveKey !== lastBehind) before = (above?.[BEFORE] as number | undefined) ?? store.state.lastClientOrder;
    rows.push([account, product, clientId, orderKey, seq, before]);
    if (above === undefined) last = orderKey;
    else behind.set(aboveKey, above.with(BEFORE, orderKey));
    lastBehind = aboveKey;
    before = orderKey;
  }
  return [[...rows, ...behind.values()], last];
}

/**
 * In the order of the file: texts by their bytes in UTF-8. None of them has a control character, so those of a key can
 * be compared as one.
 */
function inOrder(orders: readonly ClientOrder[]): ClientOrder[] {
  const texts = orders.map((order) => ({
    order,
    bytes: Buffer.from(`${order.account}\0${order.product}\0${order.clientId}`),
  }));
  texts.sort((a, b) => Buffer.compare(a.bytes, b.bytes) || a.order.orderKey - b.order.orderKey);
  return texts.map(({ order }) => order);
}
