/**
 * The trades of an account from the archive: each fill from its side, with its order.
 *
 * Cost: about 2 microseconds for each trade of the account in the requested time, newest (or oldest) first, until
 * enough match.
 */
import type { PositionMode, Product } from '../../venue/contract/commands.ts';
import type { OrderIds } from '../../venue/contract/order-id.ts';
import type { OrderKind } from '../../venue/contract/order-view.ts';
import { ordersWithClientId } from '../store/client-ids.ts';
import type { ArchiveStore } from '../store/store.ts';
import { columnsOf, type Row, toObject, type Value } from '../store/tables.ts';
import { MarketTerms } from './market-terms.ts';
import { ownRows } from './own-rows.ts';

export interface TradeQuery {
  /** The account's name. */
  readonly account: string;
  /** Null: both. Then clientId is null too. */
  readonly product: Product | null;
  /** A symbol. Null: all markets of the product. */
  readonly market: string | null;
  /** Epoch ms, both included. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly orderId: string | null;
  readonly clientId: string | null;
  /** The smallest and the largest `n`. Absent: any. */
  readonly fromN?: number;
  readonly toN?: number;
  /** As they were after this command, in whatever branch. Absent: all of the present branch. */
  readonly toSeq?: number;
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
  /** Its place among all fills and movements of the venue. */
  readonly n: number;
  /** The command that made it. */
  readonly seq: number;
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
  /** The taker is an order of the venue that closes a position. */
  readonly liquidation: boolean;
  readonly order: ArchivedOrder;
}

/** Newest first, or oldest first on request. @throws {ArchiveDamaged} */
export function findTrades(store: ArchiveStore, orderIds: OrderIds, query: TradeQuery): Trade[] {
  const orders = new Map<number, ArchivedOrder>();
  const orderOf = (key: number): ArchivedOrder => {
    const known = orders.get(key) ?? archivedOrder(store.known('orders', key));
    orders.set(key, known);
    return known;
  };
  const isAskedFor = conditionsOf(store, orderIds, query);
  const found: Trade[] = [];
  for (const row of ownRows(store, 'trades', query)) {
    if (found.length === query.limit) return found;
    if (!isAskedFor(row)) continue;
    const fill = toObject('fills', store.known('fills', row[N]));
    found.push(tradeOf(fill, row[ROLE] as Role, orderOf(row[ORDER] as number)));
  }
  return found;
}

function archivedOrder(row: Row): ArchivedOrder {
  const { events: _, traded: __, before: ___, eventRows: ____, setBackMs: _____, ...order } = toObject('orders', row);
  return order as unknown as ArchivedOrder;
}

type Role = 'maker' | 'taker';
const [N, MARKET, ID, ROLE, ORDER] = ['n', 'market', 'tradeId', 'role', 'orderKey'].map((name) =>
  columnsOf('trades').indexOf(name),
);

/** All conditions except the time, for rows of `trades`. They are not in SQL, which would skip a damaged row. */
function conditionsOf(store: ArchiveStore, orderIds: OrderIds, query: TradeQuery): (row: Row) => boolean {
  const { product, market, orderId, beforeId, afterId } = query;
  const terms = new MarketTerms(store);
  const keys = orderId === null ? ordersOfClient(store, query) : new Set([orderIds.decode(orderId)]);
  const [most, least] = [beforeId ?? Number.POSITIVE_INFINITY, afterId ?? -1];
  return (row) => {
    const { kind } = terms.atFill(row[MARKET], row[N]);
    if (product !== null && (kind === 'spot') !== (product === 'spot')) return false;
    if (market !== null && row[MARKET] !== market) return false;
    if ((row[ID] as number) >= most || (row[ID] as number) <= least) return false;
    return keys === null || keys.has(row[ORDER] as number);
  };
}

/** The orders of a client id, in any branch of the history. Null: any order will do. */
function ordersOfClient(store: ArchiveStore, { account, product, clientId }: TradeQuery): Set<number> | null {
  return clientId === null || product === null
    ? null
    : new Set(ordersWithClientId(store, { account, product, clientId }));
}

function tradeOf(fill: Record<string, Value>, role: Role, order: ArchivedOrder): Trade {
  const { n, seq, tradeId, market, timeMs, price, size } = fill as unknown as Trade;
  const fee = fill[`${role}Fee`] as string;
  const feeCurrency = fill[`${role}FeeCurrency`] as string;
  const realised = fill[`${role}Realised`] as string | null;
  const liquidation = fill.liquidation === 1;
  const maker = role === 'maker';
  return { n, seq, tradeId, market, timeMs, price, size, maker, fee, feeCurrency, realised, liquidation, order };
}
