/** Topics of what happens, in rows: orders, fills, trades, the levels of a book, candles. Exact decimals as text. */
import type { Candle } from '../../../market-data/candles.ts';
import { candleNumber, type Resolution } from '../../../market-data/resolution.ts';
import { decimalText } from '../../../venue/contract/decimal.ts';
import type { BookChanged, EventHandlers, OrderChanged, Traded } from '../../../venue/contract/events.ts';
import type { OrderView } from '../../../venue/contract/order-view.ts';
import { BUY, opposite, SELL, type Side, sideText } from '../../../venue/contract/units.ts';
import type { MarketView } from '../../../venue/views.ts';
import { costText } from '../../market-data/records.ts';
import { ALL_FILLS, fillView } from '../fill-view.ts';
import { orderView } from '../order-view.ts';
import { levelView } from '../views.ts';
import { type Data, type Sources, TOO_MUCH, type Topic } from './topic.ts';

/** Trades and fills of a whole. */
const RECENT = 100;
/** The most fills that a reader who continues gets instead. */
const MOST_MISSED = 1000;
/** Orders of a whole, and of a change. */
const MOST_ORDERS = 500;
/** Levels of each side in a whole. */
export const MOST_LEVELS = 1000;
/** Candles of a whole. */
const RECENT_CANDLES = 300;

/** Collects rows, and gives those since the last call. */
abstract class RowTopic<Row extends object> implements Topic {
  readonly sources: Sources;
  readonly #name: string;
  #rows: Row[] = [];

  constructor(sources: Sources, name: string) {
    this.sources = sources;
    this.#name = name;
  }

  abstract readonly on: EventHandlers;
  abstract whole(after: number | null): Data | Promise<Data>;

  add(row: Row): void {
    this.#rows.push(row);
  }

  changes(): Data | undefined {
    if (this.#rows.length === 0) return undefined;
    const rows = this.#rows;
    this.#rows = [];
    return { [this.#name]: rows };
  }

  begin(): void {
    this.#rows = [];
  }
}

/**
 * The open orders of an account (if there are more than MOST_ORDERS, the newest), then each order that has changed, as it
 * was at the end of the command that changed it: `changes` says what happened to it, in order. Ended orders are rows too,
 * once.
 */
export class OrdersTopic implements Topic {
  readonly on: EventHandlers;
  readonly #sources: Sources;
  readonly #account: string;
  /** By order key: what happened since the last call. */
  readonly #changed = new Map<number, { readonly market: number; readonly account: number; readonly what: string[] }>();

  constructor(sources: Sources, account: string) {
    this.#sources = sources;
    this.#account = account;
    const note = (order: Pick<OrderView, 'key' | 'account' | 'market'>, what: string) => {
      const { key, market } = order;
      if (sources.engine.venue.account(order.account)?.name !== account) return;
      const known = this.#changed.get(key);
      if (known === undefined) this.#changed.set(key, { market, account: order.account, what: [what] });
      else known.what.push(what);
    };
    this.on = {
      orderAccepted: ({ order }) => note(order, 'accepted'),
      orderChanged: (event: OrderChanged) => note(event, event.change),
    };
  }

  whole(): Data {
    const { venue } = this.#sources.engine;
    const account = venue.accountByName(this.#account);
    if (account === undefined) return null;
    const open = (['spot', 'futures'] as const).flatMap((product) => venue.openOrders(account.index, product, null));
    open.sort((a, b) => b.key - a.key);
    const shown = open.slice(0, MOST_ORDERS).reverse();
    return { orders: shown.map((order) => orderView(venue, order)), complete: shown.length === open.length };
  }

  changes(): Data | undefined | typeof TOO_MUCH {
    if (this.#changed.size === 0) return undefined;
    if (this.#changed.size > MOST_ORDERS) {
      this.begin();
      return TOO_MUCH;
    }
    const { venue } = this.#sources.engine;
    const rows = [...this.#changed].flatMap(([key, { market, account, what }]) => {
      const order = venue.order(account, venue.markets[market].product, key);
      return order === undefined ? [] : [{ changes: what, ...orderView(venue, order) }];
    });
    this.#changed.clear();
    return { orders: rows };
  }

  begin(): void {
    this.#changed.clear();
  }
}

/** The trades of an account, each from its side. A reader who has some continues if the archive has the others. */
export class FillsTopic extends RowTopic<object> {
  readonly on: EventHandlers;
  readonly #account: string;
  /** By position, what the fill that follows has realised: the settlement currency's smallest units. */
  readonly #realised = new Map<string, bigint>();

  constructor(sources: Sources, account: string) {
    super(sources, 'fills');
    this.#account = account;
    const isOwn = (number: number) => sources.engine.venue.account(number)?.name === account;
    this.on = {
      balanceChanged: ({ account: number, reason, market, amount }) => {
        if (reason === 'realised' && isOwn(number)) this.#realised.set(`${number} ${market}`, amount);
      },
      // No trade follows what it has realised.
      deleveraged: () => this.#realised.clear(),
      traded: (trade) => {
        for (const role of ['maker', 'taker'] as const) {
          if (isOwn(trade[`${role}Account`])) this.add(this.#row(trade, role));
        }
      },
    };
  }

  async whole(after: number | null): Promise<Data> {
    const limit = after === null ? RECENT : MOST_MISSED;
    const rows = await this.sources.trades({ ...ALL_FILLS, account: this.#account, limit });
    const missed = after === null ? rows : rows.filter(({ seq }) => seq > after);
    const continues = after !== null && (missed.length < rows.length || rows.length < limit);
    const shown = continues ? missed : rows.slice(0, RECENT);
    return { fills: shown.toReversed().map(fillView), ...(after !== null && { continues }) };
  }

  override begin(): void {
    super.begin();
    this.#realised.clear();
  }

  #row(trade: Traded, role: 'maker' | 'taker'): object {
    const { venue } = this.sources.engine;
    const market = venue.markets[trade.market];
    const account = trade[`${role}Account`];
    const { code, decimals } = venue.currencies[trade[`${role}FeeCurrency`]];
    const where = `${account} ${trade.market}`;
    const realised = this.#realised.get(where);
    this.#realised.delete(where);
    const maker = role === 'maker';
    return fillView({
      seq: venue.seq,
      timeMs: venue.timeMs,
      tradeId: trade.tradeId,
      market: market.symbol,
      order: {
        orderId: venue.orderIds.encode(trade[`${role}Key`]),
        clientId: trade[`${role}ClientId`],
        side: sideText(maker ? opposite(trade.takerSide) : trade.takerSide),
      },
      price: market.priceText(trade.priceTicks),
      size: market.sizeText(trade.sizeLots),
      maker,
      fee: decimalText(BigInt(trade[`${role}Fee`]), decimals),
      feeCurrency: code,
      realised: market.product === 'spot' ? null : market.quoteText(realised ?? 0n),
      liquidation: trade.liquidation,
    });
  }
}

/** The market of a topic. Undefined: a reset has removed it. */
function marketOf({ engine }: Sources, symbol: string): MarketView | undefined {
  return engine.venue.marketBySymbol(symbol);
}

function isOf(sources: Sources, symbol: string, market: number): boolean {
  return sources.engine.venue.markets[market]?.symbol === symbol;
}

/** The trades of a market. The side is the taker's. `liquidation` is known of those that happen from now on. */
export class TradesTopic extends RowTopic<object> {
  readonly on: EventHandlers;
  readonly #symbol: string;

  constructor(sources: Sources, symbol: string) {
    super(sources, 'trades');
    this.#symbol = symbol;
    this.on = {
      traded: (trade) => {
        if (!isOf(sources, symbol, trade.market)) return;
        const { venue } = sources.engine;
        const row = tradeRow(venue.markets[trade.market], { ...trade, timeMs: venue.timeMs });
        this.add({ ...row, seq: venue.seq, liquidation: trade.liquidation });
      },
    };
  }

  async whole(): Promise<Data> {
    const market = marketOf(this.sources, this.#symbol);
    if (market === undefined) return null;
    const newest = await this.sources.marketData.newest(market, RECENT);
    return { trades: newest.toReversed().map((trade) => tradeRow(market, trade)) };
  }
}

interface PublicTrade {
  readonly tradeId: number;
  readonly timeMs: number;
  readonly priceTicks: number;
  readonly sizeLots: number;
  readonly takerSide: Side;
}

export function tradeRow(
  market: MarketView,
  { tradeId, timeMs, priceTicks, sizeLots, takerSide }: PublicTrade,
): object {
  return {
    tradeId,
    time: timeMs,
    side: sideText(takerSide),
    price: market.priceText(priceTicks),
    size: market.sizeText(sizeLots),
  };
}

/**
 * The best levels of a book, then every level that has changed, with its new size: "0" is a level that is gone.
 * `complete`: the whole has every level. If it has not, a level behind the last one becomes known when it changes.
 */
export class BookTopic implements Topic {
  readonly on: EventHandlers;
  readonly #sources: Sources;
  readonly #symbol: string;
  /** New sizes in lots by price, of bids and asks. */
  readonly #levels = [new Map<number, number>(), new Map<number, number>()] as const;

  constructor(sources: Sources, symbol: string) {
    this.#sources = sources;
    this.#symbol = symbol;
    this.on = {
      bookChanged: ({ market, levels }: BookChanged) => {
        if (!isOf(sources, symbol, market)) return;
        for (const { side, priceTicks, sizeLots } of levels) this.#levels[side].set(priceTicks, sizeLots);
      },
    };
  }

  whole(): Data {
    const market = marketOf(this.#sources, this.#symbol);
    if (market === undefined) return null;
    const [bids, asks] = ([BUY, SELL] as const).map((side) => market.depth(side, MOST_LEVELS + 1));
    const shown = (levels: typeof bids) => levels.slice(0, MOST_LEVELS).map((level) => levelView(market, level));
    const complete = bids.length <= MOST_LEVELS && asks.length <= MOST_LEVELS;
    return { bids: shown(bids), asks: shown(asks), complete };
  }

  changes(): Data | undefined {
    const market = marketOf(this.#sources, this.#symbol);
    if (market === undefined || this.#levels.every(({ size }) => size === 0)) return undefined;
    const [bids, asks] = this.#levels.map((levels) =>
      [...levels].map(([priceTicks, sizeLots]) => levelView(market, { priceTicks, sizeLots })),
    );
    this.begin();
    return { bids, asks };
  }

  begin(): void {
    for (const levels of this.#levels) levels.clear();
  }
}

/**
 * The last candles of a market, then those that trades have changed, and those that have begun, with or without a trade: as
 * a rule the one of now.
 */
export class CandlesTopic implements Topic {
  readonly on: EventHandlers;
  readonly #sources: Sources;
  readonly #symbol: string;
  readonly #resolution: Resolution;
  /** The number of the last candle that was sent. Null: none was. */
  #sent: number | null = null;
  /** The number of the first candle with a trade since the last call. Null: there was none. */
  #traded: number | null = null;

  constructor(sources: Sources, symbol: string, resolution: Resolution) {
    this.#sources = sources;
    this.#symbol = symbol;
    this.#resolution = resolution;
    this.on = {
      traded: ({ market }) => {
        if (isOf(sources, symbol, market)) this.#traded ??= candleNumber(resolution, sources.engine.venue.timeMs);
      },
    };
  }

  whole(): Promise<Data> {
    // Readers that have an earlier whole get the candles after it with the next change.
    this.#sent ??= this.#now();
    return this.#read(this.#now() - RECENT_CANDLES + 1);
  }

  changes(): undefined | Promise<Data> {
    const now = this.#now();
    const first = Math.min(this.#traded ?? now + 1, (this.#sent ?? now) + 1);
    if (first > now) return undefined;
    this.#traded = null;
    this.#sent = now;
    return this.#read(Math.max(first, now - RECENT_CANDLES + 1));
  }

  /** A candle may have begun without a trade. */
  look(): void {}

  begin(): void {
    this.#sent = null;
    this.#traded = null;
  }

  #now(): number {
    return candleNumber(this.#resolution, this.#sources.engine.nowMs());
  }

  async #read(first: number): Promise<Data> {
    const { marketData, engine } = this.#sources;
    const market = marketOf(this.#sources, this.#symbol);
    if (market === undefined) return null;
    const range = { resolution: this.#resolution, first, last: this.#now() };
    const candles = await marketData.candles(market, range, engine.nowMs());
    return { candles: candles.map((candle) => candleRow(market, candle)) };
  }
}

/** `volume`: base or contracts. `value`: in the quote currency. */
export function candleRow(market: MarketView, candle: Candle): object {
  return {
    startMs: candle.startMs,
    open: market.priceText(candle.openTicks),
    high: market.priceText(candle.highTicks),
    low: market.priceText(candle.lowTicks),
    close: market.priceText(candle.closeTicks),
    volume: market.sizeText(candle.volumeLots),
    value: costText(market, candle.cost),
  };
}
