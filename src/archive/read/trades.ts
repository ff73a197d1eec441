/**
 * The trades of an account from the archive: each fill from its side, with its order.
 *
 * Trades of a branch that a reset or a return to a snapshot has left do not count.
 *
 * Invariant: no trade is omitted because the file is damaged. The trades of each account are numbered without a gap.
 * Those in the requested time are found by bisection, and read one by one.
 *
 * Cost: about 2 microseconds for each trade of the account in the requested time, newest (or oldest) first, until
 * enough match.
 */
import type { PositionMode, Product } from '../../venue/contract/commands.ts';
import type { OrderIds } from '../../venue/contract/order-id.ts';
import type { OrderKind } from '../../venue/contract/order-view.ts';
import { ArchiveDamaged, type ArchiveStore, type Trader } from '../store/store.ts';
import { columnsOf, type Row, toObject, type Value } from '../store/tables.ts';

export interface TradeQuery {
  /** The account's name. */
  readonly account: string;
  readonly product: Product;
  /** A symbol. Null: all markets of the product. */
  readonly market: string | null;
  /** Epoch ms, both included. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly orderId: string | null;
  readonly clientId: string | null;
  /** Trade numbers, which count in each market: only smaller, only larger ones. */
  readonly beforeId: number | null;
  readonly afterId: number | null;
  readonly limit: number;
  /** Which ones, if there are more than the limit. */
  readonly oldestFirst: boolean;
}

/** As in a row of `orders`: sizes and prices are exact decimals. */
export interface ArchivedOrder {
  readonly orderId: string;
  readonly side: 'BUY' | 'SELL';
  readonly kind: OrderKind;
  readonly clientId: string | null;
  readonly price: string | null;
  readonly currentSize: string | null;
  /** For an order that is sized by what it spends. Then currentSize is absent. */
  readonly quoteSize: string | null;
  readonly triggerRule: 'stop' | 'profit' | 'reach' | null;
  readonly triggerPrice: string | null;
  /** Futures only. */
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
  /** Futures only: the result of what it closed of the position, in the settlement currency. */
  readonly realised: string | null;
  readonly order: ArchivedOrder;
}

/** Newest first, or oldest first on request. @throws {ArchiveDamaged} */
export function findTrades(store: ArchiveStore, orderIds: OrderIds, query: TradeQuery): Trade[] {
  const trader = store.traders.get(query.account);
  if (trader === undefined) return [];
  const orders = new Map<number, ArchivedOrder>();
  const orderOf = (key: number): ArchivedOrder => {
    const known = orders.get(key) ?? (toObject('orders', store.known('orders', key)) as unknown as ArchivedOrder);
    orders.set(key, known);
    return known;
  };
  const isAskedFor = conditionsOf(store, orderIds, query);
  const stretches = stretchesOf(store, trader, query);
  const found: Trade[] = [];
  for (const [first, last] of query.oldestFirst ? stretches : stretches.toReversed()) {
    for (const row of store.numbered('trades', [trader.account], first, last, !query.oldestFirst)) {
      if (found.length === query.limit) return found;
      if (!isAskedFor(row)) continue;
      const fill = toObject('fills', store.known('fills', row[N]));
      found.push(tradeOf(fill, row[ROLE] as Role, orderOf(row[ORDER] as number)));
    }
  }
  return found;
}

type Role = 'maker' | 'taker';
const [N, SEQ, TIME, MARKET, ID, ROLE, ORDER, CLIENT] = [
  ...['n', 'seq', 'timeMs', 'market', 'tradeId', 'role', 'orderKey', 'clientId'],
].map((name) => columnsOf('trades').indexOf(name));

/** All conditions except the time, for rows of `trades`. They are not in SQL, which would skip a damaged row. */
function conditionsOf(store: ArchiveStore, orderIds: OrderIds, query: TradeQuery): (row: Row) => boolean {
  const { product, market, orderId, clientId, beforeId, afterId } = query;
  const kinds = new Map<Value, Value>();
  for (const row of store.rows('markets')) {
    const { symbol, kind } = toObject('markets', row);
    kinds.set(symbol, kind);
  }
  const key = orderId === null ? null : orderIds.decode(orderId);
  const [most, least] = [beforeId ?? Number.POSITIVE_INFINITY, afterId ?? -1];
  return (row) => {
    const kind = kinds.get(row[MARKET]);
    if (kind === undefined) throw new ArchiveDamaged(`the market ${row[MARKET]} of a trade is missing`);
    if ((kind === 'spot') !== (product === 'spot') || (market !== null && row[MARKET] !== market)) return false;
    if ((row[ID] as number) >= most || (row[ID] as number) <= least) return false;
    return key === null ? clientId === null || row[CLIENT] === clientId : row[ORDER] === key;
  };
}

/**
 * The numbers of the account's trades in the requested time, oldest first, as one range for each part of the timeline.
 * Within a part, seqs and times never go back. No part begins earlier than the end of the one before.
 */
function stretchesOf(
  store: ArchiveStore,
  { account, trades }: Trader,
  { fromMs, toMs }: TradeQuery,
): [first: number, last: number][] {
  /** The first of low…high whose column is at least `least`. high + 1 if there is none. */
  const firstAt = (low: number, high: number, column: number, least: number): number => {
    let [begin, end] = [low, high + 1];
    while (begin < end) {
      const middle = Math.floor((begin + end) / 2);
      if ((store.known('trades', account, middle)[column] as number) >= least) end = middle;
      else begin = middle + 1;
    }
    return begin;
  };
  return store.state.lineage
    .map(([from, to]): [number, number] => {
      const begin = firstAt(1, trades, SEQ, from);
      const end = to === null ? trades : firstAt(begin, trades, SEQ, to + 1) - 1;
      const first = firstAt(begin, end, TIME, fromMs);
      return [first, firstAt(first, end, TIME, toMs + 1) - 1];
    })
    .filter(([first, last]) => first <= last);
}

function tradeOf(fill: Record<string, Value>, role: Role, order: ArchivedOrder): Trade {
  const { tradeId, market, timeMs, price, size } = fill as unknown as Trade;
  const fee = fill[`${role}Fee`] as string;
  const feeCurrency = fill[`${role}FeeCurrency`] as string;
  const realised = fill[`${role}Realised`] as string | null;
  return { tradeId, market, timeMs, price, size, maker: role === 'maker', fee, feeCurrency, realised, order };
}
