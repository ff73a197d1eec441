/**
 * The public trades of markets. A new subscriber gets the most recent ones first, then each trade once. The newest is
 * first in every frame.
 *
 * Cost: nothing while nobody has subscribed. A frame is encoded once for each spelling of the topic.
 */
import type { PublicTrade } from '../../market-data/trade-ring.ts';
import { sideText } from '../../venue/contract/units.ts';
import type { MarketView } from '../../venue/views.ts';
import { type Names, nameIn } from '../shared/markets.ts';
import { Collector } from './collector.ts';
import type { Pace } from './pace.ts';
import {
  frameOf,
  marketNamed,
  nameOf,
  type Publication,
  type PublisherOptions,
  Shared,
  type StreamEngine,
  type Subscription,
} from './subscription.ts';

/** How many trades the first frame has. */
const RECENT = 50;
/** Trades that are kept for a subscriber that waits for the recent ones: the newest, so that none is missing behind them. */
const MOST_HELD = 500;

/** The most recent trades of a market, at most `limit`, newest first. Rejects if they are not to be had now. */
export type RecentTrades = (market: MarketView, limit: number) => Promise<readonly PublicTrade[]>;

interface Subscribed {
  readonly subscription: Subscription;
  readonly names: Names;
  /** Newest last. Null: it has had the recent trades. */
  held: PublicTrade[] | null;
  /** The newest trade of its first frame. What waits to be sent may be older. */
  newest: number;
  /** How often the recent trades were asked for. Only the last answer counts. */
  asked: number;
}

interface Market {
  readonly subscribed: Map<Subscription, Subscribed>;
  /** Its terms at the last trade, for the text of what waits. */
  view: MarketView | null;
  /** Of durable commands, not sent yet. Newest last. */
  waiting: PublicTrade[];
  /** When the first of them became durable. */
  waitingSinceMs: number;
}

interface Traded {
  readonly view: MarketView;
  readonly trade: PublicTrade;
}

export interface TradesOptions extends Omit<PublisherOptions, 'world'> {
  readonly recent: RecentTrades;
  /** Shared by all public topics. A manual clock ignores it. */
  readonly pace: Pace;
}

export class Trades {
  readonly #engine: StreamEngine;
  readonly #recent: RecentTrades;
  readonly #write: TradesOptions['write'];
  readonly #pace: Pace;
  /** It waits for its turn to send. */
  #isInLine = false;
  readonly #markets = new Map<string, Market>();
  readonly #collector: Collector<Traded>;

  constructor({ engine, recent, write, pace }: TradesOptions) {
    this.#engine = engine;
    this.#recent = recent;
    this.#write = write;
    this.#pace = pace;
    this.#collector = new Collector(engine, {
      events: (add) => ({
        traded: ({ market, tradeId, priceTicks, sizeLots, takerSide }) => {
          const { timeMs, markets } = engine.venue;
          const view = markets[market];
          if (!this.#markets.has(nameOf(view))) return;
          add({ view, trade: { tradeId, timeMs, priceTicks, sizeLots, takerSide } });
        },
        stateReplaced: () => {
          // What was traded before is shown in the terms that it was traded in.
          this.#flushAll();
          // The venue becomes readable in this turn of the event loop.
          queueMicrotask(() => this.#restart());
        },
      }),
      apply: (traded) => this.#apply(traded),
      flush: () => this.#flushAll(),
      flushInTime: () => this.#flushInTime(),
    });
  }

  publication(view: MarketView, names: Names): Publication {
    const name = nameOf(view);
    return {
      subscribe: (subscription) => this.#subscribe(name, subscription, names),
      again: (subscription) => this.#begin(name, subscription),
      unsubscribe: (subscription) => this.#unsubscribe(name, subscription),
    };
  }

  #subscribe(name: string, subscription: Subscription, names: Names): void {
    let market = this.#markets.get(name);
    if (market === undefined) {
      market = { subscribed: new Map(), view: null, waiting: [], waitingSinceMs: 0 };
      this.#markets.set(name, market);
      this.#collector.begin();
    }
    market.subscribed.set(subscription, { subscription, names, held: [], newest: 0, asked: 0 });
    this.#begin(name, subscription);
  }

  #unsubscribe(name: string, subscription: Subscription): void {
    const market = this.#markets.get(name);
    market?.subscribed.delete(subscription);
    if (market === undefined || market.subscribed.size > 0) return;
    this.#markets.delete(name);
    if (this.#markets.size > 0) return;
    this.#collector.end();
  }

  /** Sends the recent trades, and those that happen until they are known. */
  #begin(name: string, subscription: Subscription): void {
    const subscribed = this.#markets.get(name)?.subscribed.get(subscription);
    const view = marketNamed(this.#engine.venue, name);
    if (subscribed === undefined || view === undefined) return;
    subscribed.held ??= [];
    subscribed.asked += 1;
    const { asked } = subscribed;
    const send = (recent: readonly PublicTrade[]) => {
      const { held } = subscribed;
      const isSubscribed = this.#markets.get(name)?.subscribed.get(subscription) === subscribed;
      if (!isSubscribed || held === null || asked !== subscribed.asked) return;
      subscribed.held = null;
      const newest = recent[0]?.tradeId ?? 0;
      const trades = [...held.filter(({ tradeId }) => tradeId > newest).reverse(), ...recent];
      subscribed.newest = trades[0]?.tradeId ?? 0;
      if (trades.length > 0) subscription.receiver.send(frame(subscription.topic, view, subscribed.names, trades));
    };
    this.#recent(view, RECENT).then(send, () => send([]));
  }

  /** Another state, whose trades may have lower numbers: who still waits for the recent trades gets those of that state. */
  #restart(): void {
    for (const [name, { subscribed }] of this.#markets) {
      for (const each of subscribed.values()) {
        each.newest = 0;
        if (each.held === null) continue;
        each.held = null;
        this.#begin(name, each.subscription);
      }
    }
  }

  #apply(traded: readonly Traded[]): void {
    for (const { view, trade } of traded) {
      const market = this.#markets.get(nameOf(view));
      if (market === undefined) continue;
      if (market.waiting.length === 0) market.waitingSinceMs = this.#engine.durableAtMs;
      market.waiting.push(trade);
      market.view = view;
    }
  }

  #flushInTime(): void {
    if (this.#isInLine || ![...this.#markets.values()].some(({ waiting }) => waiting.length > 0)) return;
    this.#isInLine = true;
    this.#pace.run(() => {
      this.#isInLine = false;
      this.#flushAll();
    });
  }

  #flushAll(): void {
    for (const market of this.#markets.values()) this.#flush(market);
  }

  #flush(market: Market): void {
    const { view } = market;
    if (market.waiting.length === 0 || view === null) return;
    const trades = market.waiting.reverse();
    market.waiting = [];
    const frames = new Shared<string, Buffer>();
    let isSent = false;
    const oldest = trades[trades.length - 1].tradeId;
    for (const { subscription, names, held, newest } of [...market.subscribed.values()]) {
      if (held !== null) {
        held.push(...trades.toReversed());
        held.splice(0, held.length - MOST_HELD);
        continue;
      }
      const { topic, receiver } = subscription;
      const unsent = oldest > newest ? trades : trades.filter(({ tradeId }) => tradeId > newest);
      if (unsent.length === 0) continue;
      const key = `${topic} ${nameIn(view, names)} ${unsent.length}`;
      receiver.send(frames.get(key, () => frame(topic, view, names, unsent)));
      isSent = true;
    }
    if (isSent) this.#write('trades', market.waitingSinceMs);
  }
}

function frame(topic: string, market: MarketView, names: Names, trades: readonly PublicTrade[]): Buffer {
  const symbol = nameIn(market, names);
  const data = trades.map(({ priceTicks, sizeLots, takerSide, tradeId, timeMs }) => ({
    price: market.priceNumber(priceTicks),
    size: market.sizeNumber(sizeLots),
    side: sideText(takerSide),
    symbol,
    tradeId,
    timestamp: timeMs,
  }));
  return frameOf(JSON.stringify({ topic, data }));
}
