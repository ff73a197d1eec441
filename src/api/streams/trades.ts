/**
 * The public trades of markets. A new subscriber gets the most recent ones first, then each trade once. The newest is
 * first in every frame.
 *
 * Cost: nothing while nobody has subscribed. A frame is encoded once for each spelling of the topic.
 */
import type { EngineListener } from '../../engine/listeners.ts';
import type { PublicTrade } from '../../market-data/trade-ring.ts';
import type { MarketView } from '../../venue/views.ts';
import { type Feed, frameOf, type StreamEngine, type Subscription } from './subscription.ts';

/** How many trades the first frame has. */
const RECENT = 50;
/** Trades that are kept for a subscriber that waits for the recent ones. */
const MOST_HELD = 500;

/** The most recent trades of a market, at most `limit`, newest first. Rejects if they are not to be had now. */
export type RecentTrades = (market: MarketView, limit: number) => Promise<readonly PublicTrade[]>;

/** How a version of the interface names the market in its frames. */
export type NameOf = (market: MarketView) => string;

interface Subscribed {
  readonly subscription: Subscription;
  readonly nameOf: NameOf;
  /** Newest last. Null: it has had the recent trades. */
  held: PublicTrade[] | null;
}

interface Market {
  readonly subscribed: Map<Subscription, Subscribed>;
  /** Of durable commands, not sent yet. Newest last. */
  waiting: PublicTrade[];
}

interface Traded {
  readonly symbol: string;
  readonly trade: PublicTrade;
}

export class Trades {
  readonly #engine: StreamEngine;
  readonly #recent: RecentTrades;
  readonly #markets = new Map<string, Market>();
  /** Of the command in progress. */
  #traded: Traded[] = [];
  #detach: (() => void) | null = null;

  constructor(engine: StreamEngine, recent: RecentTrades) {
    this.#engine = engine;
    this.#recent = recent;
  }

  feed({ symbol }: MarketView, nameOf: NameOf): Feed {
    return {
      subscribe: (subscription) => this.#subscribe(symbol, subscription, nameOf),
      again: (subscription) => this.#begin(symbol, subscription),
      unsubscribe: (subscription) => this.#unsubscribe(symbol, subscription),
    };
  }

  #subscribe(symbol: string, subscription: Subscription, nameOf: NameOf): void {
    let market = this.#markets.get(symbol);
    if (market === undefined) {
      market = { subscribed: new Map(), waiting: [] };
      this.#markets.set(symbol, market);
      this.#detach ??= this.#engine.listen(this.#listener());
    }
    this.#flush(symbol, market);
    market.subscribed.set(subscription, { subscription, nameOf, held: [] });
    this.#begin(symbol, subscription);
  }

  #unsubscribe(symbol: string, subscription: Subscription): void {
    const market = this.#markets.get(symbol);
    market?.subscribed.delete(subscription);
    if (market === undefined || market.subscribed.size > 0) return;
    this.#markets.delete(symbol);
    if (this.#markets.size > 0) return;
    this.#detach?.();
    this.#detach = null;
    this.#traded = [];
  }

  /** Sends the recent trades, and those that happen until they are known. */
  #begin(symbol: string, subscription: Subscription): void {
    const subscribed = this.#markets.get(symbol)?.subscribed.get(subscription);
    const view = this.#engine.venue.marketBySymbol(symbol);
    if (subscribed === undefined || view === undefined) return;
    subscribed.held ??= [];
    const send = (recent: readonly PublicTrade[]) => {
      const held = subscribed.held;
      if (held === null) return;
      subscribed.held = null;
      const newest = recent[0]?.tradeId ?? 0;
      const trades = [...held.filter(({ tradeId }) => tradeId > newest).reverse(), ...recent];
      if (trades.length > 0) subscription.receiver.send(frame(subscription.topic, view, subscribed.nameOf, trades));
    };
    this.#recent(view, RECENT).then(send, () => send([]));
  }

  #listener(): EngineListener {
    const isManual = this.#engine.venue.genesis?.clock === 'manual';
    return {
      traded: ({ market, tradeId, priceTicks, sizeLots, takerSide }) => {
        const { timeMs, markets } = this.#engine.venue;
        const { symbol } = markets[market];
        if (!this.#markets.has(symbol)) return;
        this.#traded.push({ symbol, trade: { tradeId, timeMs, priceTicks, sizeLots, takerSide } });
      },
      commandApplied: () => {
        for (const { symbol, trade } of this.#traded) this.#markets.get(symbol)?.waiting.push(trade);
        this.#traded = [];
        if (isManual) this.#flushAll();
      },
      commandUndone: () => {
        this.#traded = [];
      },
      batchApplied: () => this.#flushAll(),
    };
  }

  #flushAll(): void {
    for (const [symbol, market] of this.#markets) this.#flush(symbol, market);
  }

  #flush(symbol: string, market: Market): void {
    if (market.waiting.length === 0) return;
    const trades = market.waiting.reverse();
    market.waiting = [];
    const view = this.#engine.venue.marketBySymbol(symbol);
    if (view === undefined) return;
    const made = new Map<string, Buffer>();
    for (const { subscription, nameOf, held } of [...market.subscribed.values()]) {
      if (held !== null) {
        if (held.length < MOST_HELD) held.push(...trades.toReversed());
        continue;
      }
      const { topic, receiver } = subscription;
      const key = `${topic} ${nameOf(view)}`;
      let shared = made.get(key);
      if (shared === undefined) {
        shared = frame(topic, view, nameOf, trades);
        made.set(key, shared);
      }
      receiver.send(shared);
    }
  }
}

function frame(topic: string, market: MarketView, nameOf: NameOf, trades: readonly PublicTrade[]): Buffer {
  const symbol = nameOf(market);
  const data = trades.map(({ priceTicks, sizeLots, takerSide, tradeId, timeMs }) => ({
    price: market.priceNumber(priceTicks),
    size: market.sizeNumber(sizeLots),
    side: takerSide === 0 ? 'BUY' : 'SELL',
    symbol,
    tradeId,
    timestamp: timeMs,
  }));
  return frameOf(JSON.stringify({ topic, data }));
}
