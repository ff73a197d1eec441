/**
 * One market as the streams show it: its book, its last trades, and the own orders and positions in it. Frames go in,
 * and each says what it changed.
 *
 * Invariant: an order is here while it is open.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Level, OrderBook } from '../../client/book.ts';
import { endWord } from '../../story/ends.ts';

/** The market, as market v1 describes it. */
export interface WatchedMarket {
  /** BTC-USDT, BTC-PERP. */
  readonly symbol: string;
  /** BTC-PERP-USDT: the name in positions. */
  readonly id: string;
  readonly product: 'spot' | 'futures';
  readonly priceDecimals: number;
  readonly sizeDecimals: number;
  readonly base: string;
  readonly quote: string;
  /** Base currency in a contract. 1 on spot. */
  readonly contractSize: number;
}

export interface Trade {
  readonly id: number;
  readonly side: Side;
  readonly price: number;
  readonly size: number;
  readonly timeMs: number;
}

export interface OwnOrder {
  readonly id: string;
  readonly clientId: string;
  readonly side: Side;
  readonly type: string;
  /** 0: it is a market order, or has a trigger alone. */
  readonly price: number;
  /** 0: it does not wait for one. */
  readonly triggerPrice: number;
  /** With its unit if it is not in the market's own. */
  readonly size: string;
  readonly filled: string;
  /** The status of the streams, as a word. */
  readonly status: string;
  readonly timeMs: number;
}

export interface OwnPosition {
  readonly id: string;
  readonly direction: 'LONG' | 'SHORT';
  readonly size: number;
  readonly entryPrice: number;
  /** 0: there is none. */
  readonly liquidationPrice: number;
}

export type Side = 'BUY' | 'SELL';

// biome-ignore lint/suspicious/noExplicitAny: records are whatever the venue sends; docs/asyncapi.json has their fields
type Record_ = any;

const STATUSES: Readonly<Record<number, string>> = {
  2: 'open',
  4: 'filled',
  5: 'partly filled',
  6: 'cancelled',
  9: 'waiting',
  10: 'triggered',
  15: 'refused',
  123: 'amended',
};
/** A market order for an amount of money that has less left than the smallest size costs. */
const DONE = endWord('partlyFilled');
const ENDED: readonly string[] = ['filled', 'cancelled', 'refused', DONE];
const TYPES: Readonly<Record<number, string>> = { 76: 'limit', 77: 'market', 80: 'peg', 82: 'twap', 84: 'trailing' };
const MOST_TRADES = 200;

export class Picture {
  readonly market: WatchedMarket;
  /** Newest first. */
  readonly trades: Trade[] = [];
  readonly orders = new Map<string, OwnOrder>();
  readonly positions = new Map<string, OwnPosition>();
  /** The venue's time, by the last frame that had one. 0: there was none. */
  timeMs = 0;
  /** Null: it has not come yet. */
  #book: OrderBook | null = null;

  constructor(market: WatchedMarket) {
    this.market = market;
  }

  /** Best first. */
  bids(limit: number): readonly Level[] {
    return this.#book?.bids.slice(0, limit) ?? [];
  }

  /** Best first. */
  asks(limit: number): readonly Level[] {
    return this.#book?.asks.slice(0, limit) ?? [];
  }

  book(book: OrderBook): void {
    this.#book = book;
    this.#seen(book.timestamp);
  }

  /** Trades, newest first. Those that were not here yet are returned, oldest first. */
  traded(records: readonly Record_[]): Trade[] {
    const newest = this.trades[0]?.id ?? 0;
    const fresh = records
      .filter(({ tradeId }) => tradeId > newest)
      .map(({ tradeId, side, price, size, timestamp }): Trade => {
        return { id: tradeId, side, price, size, timeMs: timestamp };
      })
      .reverse();
    for (const trade of fresh) {
      this.trades.unshift(trade);
      this.#seen(trade.timeMs);
    }
    this.trades.splice(MOST_TRADES);
    return fresh;
  }

  /** A notification, or a row of the open orders. Undefined: it is of another market, or says nothing new. */
  ordered(record: Record_): OwnOrder | undefined {
    if (record.symbol !== this.market.symbol) return undefined;
    const order = this.market.product === 'spot' ? this.#spotOrder(record) : this.#futuresOrder(record);
    this.#seen(order.timeMs);
    const before = this.orders.get(order.id);
    if (ENDED.includes(order.status)) this.orders.delete(order.id);
    else this.orders.set(order.id, order);
    return isDeepStrictEqual(order, before) ? undefined : order;
  }

  /** All own positions, as the stream or as `user/positions` lists them. What differs is returned. */
  positioned(records: readonly Record_[]): { opened: OwnPosition[]; closed: string[] } {
    const open = records
      .filter(({ marketName, symbol }) => marketName === this.market.id || symbol === this.market.symbol)
      .map(positionOf);
    const closed = [...this.positions.keys()].filter((id) => !open.some((position) => position.id === id));
    const isNew = ({ id, direction, size, entryPrice }: OwnPosition) => {
      const before = this.positions.get(id);
      return before?.direction !== direction || before.size !== size || before.entryPrice !== entryPrice;
    };
    const opened = open.filter(isNew);
    for (const id of closed) this.positions.delete(id);
    for (const position of open) this.positions.set(position.id, position);
    return { opened, closed };
  }

  /** The connection was lost: own orders come anew. Trades go on where they were. */
  lost(): void {
    this.orders.clear();
  }

  /** The venue is another than before: its trades begin anew too, and its time may have gone back. */
  begin(): void {
    this.orders.clear();
    this.trades.splice(0);
    this.timeMs = 0;
  }

  #seen(timeMs: number): void {
    this.timeMs = Math.max(this.timeMs, timeMs);
  }

  #spotOrder(record: Record_): OwnOrder {
    const inQuote = record.originalOrderQuoteSize;
    const size = inQuote ? `${inQuote} ${this.market.quote}` : this.#size(record.currentOrderBaseSize);
    return { ...this.#common(record), size, filled: this.#size(record.totalFilledBaseSize) };
  }

  #futuresOrder(record: Record_): OwnOrder {
    // Notifications and rows of the open orders have different names.
    const filled = record.totalFilledSize;
    return { ...this.#common(record), size: this.#size(record.currentOrderSize), filled: this.#size(filled) };
  }

  #common({ orderID, clOrderID, side, orderType, price, triggerPrice, status, timestamp }: Record_) {
    const type = TYPES[orderType] ?? String(orderType);
    const word = STATUSES[status] ?? `status ${status}`;
    return {
      id: orderID as string,
      clientId: (clOrderID ?? '') as string,
      side: String(side).replace('MODE_', '') as Side,
      type,
      price: (price ?? 0) as number,
      triggerPrice: (triggerPrice ?? 0) as number,
      status: type === 'market' && word === 'partly filled' ? DONE : word,
      timeMs: timestamp as number,
    };
  }

  #size(size: number): string {
    return size.toFixed(this.market.sizeDecimals);
  }
}

function positionOf(record: Record_): OwnPosition {
  const { positionId, entryPrice, liquidationPrice } = record;
  return {
    id: positionId,
    direction: record.positionDirection ?? (record.side === 'BUY' ? 'LONG' : 'SHORT'),
    size: record.totalContracts ?? record.size,
    entryPrice,
    liquidationPrice,
  };
}
