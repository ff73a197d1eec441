/**
 * The trades of an account out of the archive: each fill from its side, with the order that it belongs to.
 *
 * Trades of a branch of the history that a reset or a return to a snapshot has left are none. Cost: SQLite walks the fills of
 * the account in the time asked for, newest (or oldest) first, and gives those that fit until there are enough.
 */
import type { PositionMode, Product } from '../venue/commands.ts';
import type { OrderIds } from '../venue/order-id.ts';
import type { OrderKind } from '../venue/orders.ts';
import { includes } from './lineage.ts';
import { ArchiveDamaged, type ArchiveStore } from './store.ts';
import { toObject, type Value } from './tables.ts';

export interface TradeQuery {
  /** Its name. */
  readonly account: string;
  readonly product: Product;
  /** A symbol; null: all markets of the product. */
  readonly market: string | null;
  /** Epoch ms, both included. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly orderId: string | null;
  readonly clientId: string | null;
  /** Numbers of trades, which each market counts for itself: only smaller, only larger ones. */
  readonly beforeId: number | null;
  readonly afterId: number | null;
  readonly limit: number;
  /** Which ones, where there are more than the limit. */
  readonly oldestFirst: boolean;
}

/** As a row of `orders` has it: sizes and prices are exact decimals. */
export interface ArchivedOrder {
  readonly orderId: string;
  readonly side: 'BUY' | 'SELL';
  readonly kind: OrderKind;
  readonly clientId: string | null;
  readonly price: string | null;
  readonly currentSize: string | null;
  /** Of an order that is sized by what it spends; then there is no currentSize. */
  readonly quoteSize: string | null;
  readonly triggerRule: 'stop' | 'profit' | 'reach' | null;
  readonly triggerPrice: string | null;
  /** Futures. */
  readonly positionMode: PositionMode | null;
  readonly positionId: number | null;
  readonly liquidation: 'partial' | 'forced' | null;
}

export interface Trade {
  /** Its number in its market. */
  readonly tradeId: number;
  readonly market: string;
  readonly timeMs: number;
  readonly price: string;
  readonly size: string;
  readonly maker: boolean;
  /** Negative: a rebate. */
  readonly fee: string;
  readonly feeCurrency: string;
  /** Futures: what it closed of the position, in the settlement currency. */
  readonly realised: string | null;
  readonly order: ArchivedOrder;
}

/** Newest first, or oldest first where that is asked for. @throws {ArchiveDamaged} */
export function findTrades(store: ArchiveStore, orderIds: OrderIds, query: TradeQuery): Trade[] {
  const { lineage } = store.state;
  const { limit } = query;
  const orders = new Map<string, ArchivedOrder>();
  const orderOf = (id: string): ArchivedOrder => {
    const known = orders.get(id) ?? storedOrder(store, orderIds.decode(id));
    orders.set(id, known);
    return known;
  };
  const found: Trade[] = [];
  for (const { role, fill } of fillsInOrder(store, query)) {
    if (found.length === limit) break;
    if (!includes(lineage, fill.seq as number)) continue;
    found.push(tradeOf(fill, role, orderOf(fill[`${role}Order`] as string)));
  }
  return found;
}

type Role = 'maker' | 'taker';
interface Side {
  readonly role: Role;
  readonly fill: Record<string, Value>;
}

/** Fills in which the account is maker and those in which it is taker, merged. No fill has it on both sides. */
function* fillsInOrder(store: ArchiveStore, query: TradeQuery): Generator<Side> {
  const oldestFirst = query.oldestFirst;
  const heads = (['maker', 'taker'] as const).map((role) => {
    const rows = fillsOf(store, role, query);
    return { rows, next: rows.next() };
  });
  try {
    for (;;) {
      const [first, second] = heads.filter(({ next }) => !next.done);
      if (first === undefined) return;
      const firstGoes =
        second === undefined || isBefore(first.next.value!.fill, second.next.value!.fill) === oldestFirst;
      const head = firstGoes ? first : second;
      yield head.next.value as Side;
      head.next = head.rows.next();
    }
  } finally {
    // A query that is left open keeps the file from being written together, and snapshots with it.
    for (const { rows } of heads) rows.return(undefined);
  }
}

/** By time, for a reset takes a manual clock back; then by number. */
function isBefore(a: Record<string, Value>, b: Record<string, Value>): boolean {
  const [aMs, bMs] = [a.timeMs as number, b.timeMs as number];
  return aMs === bMs ? (a.n as number) < (b.n as number) : aMs < bMs;
}

function* fillsOf(store: ArchiveStore, role: Role, query: TradeQuery): Generator<Side, undefined> {
  const { account, product, market, fromMs, toMs, orderId, clientId, beforeId, afterId } = query;
  const conditions: [text: string, ...values: Value[]][] = [
    [`${role}Account = ?`, account],
    ['timeMs BETWEEN ? AND ?', fromMs, toMs],
    ['tradeId < ? AND tradeId > ?', beforeId ?? Number.MAX_SAFE_INTEGER, afterId ?? -1],
    [`market IN (SELECT symbol FROM markets WHERE (kind = 'spot') = ?)`, product === 'spot' ? 1 : 0],
  ];
  if (market !== null) conditions.push(['market = ?', market]);
  if (orderId !== null) conditions.push([`${role}Order = ?`, orderId]);
  else if (clientId !== null) {
    const ofClient = 'SELECT orderId FROM orders WHERE account = ? AND clientId = ?';
    conditions.push([`${role}Order IN (${ofClient})`, account, clientId]);
  }
  const direction = query.oldestFirst ? 'ASC' : 'DESC';
  const text = conditions.map(([condition]) => condition).join(' AND ');
  const values = conditions.flatMap(([, ...given]) => given);
  for (const row of store.rows('fills', `${text} ORDER BY timeMs ${direction}, n ${direction}`, ...values)) {
    yield { role, fill: toObject('fills', row) };
  }
}

function storedOrder(store: ArchiveStore, key: number): ArchivedOrder {
  const [row] = store.rows('orders', 'orderKey = ?', key);
  if (row === undefined) throw new ArchiveDamaged('the order of a fill is missing');
  return toObject('orders', row) as unknown as ArchivedOrder;
}

function tradeOf(fill: Record<string, Value>, role: Role, order: ArchivedOrder): Trade {
  const { tradeId, market, timeMs, price, size } = fill as unknown as Trade;
  const fee = fill[`${role}Fee`] as string;
  const feeCurrency = fill[`${role}FeeCurrency`] as string;
  const realised = fill[`${role}Realised`] as string | null;
  return { tradeId, market, timeMs, price, size, maker: role === 'maker', fee, feeCurrency, realised, order };
}
