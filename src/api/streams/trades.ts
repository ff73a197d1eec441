/**
 * The public trades of markets. A new subscriber gets the most recent ones first, then each trade once. The newest is
 * first in every frame.
 *
 * Cost: nothing while nobody has subscribed. A frame is encoded once for each spelling of the topic.
 */

import type { Timer, World } from '../../engine/contract/world.ts';
import type { EngineListener } from '../../engine/listeners.ts';
import type { PublicTrade } from '../../market-data/trade-ring.ts';
import { sideText } from '../../venue/contract/units.ts';
import type { MarketView } from '../../venue/views.ts';
import type { Pace } from './pace.ts';
import { type Feed, frameOf, marketNamed, nameOf, type StreamEngine, type Subscription } from './subscription.ts';

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
  readonly shownAs: NameOf;
  /** Newest last. Null: it has had the recent trades. */
  held: PublicTrade[] | null;
  /** How often the recent trades were asked for. Only the last answer counts. */
  asked: number;
}

interface Market {
  readonly subscribed: Map<Subscription, Subscribed>;
  /** Its terms at the last trade, for the text of what waits. */
  view: MarketView | null;
  /** Of durable commands, not sent yet. Newest last. */
  waiting: PublicTrade[];
}

interface Traded {
  readonly view: MarketView;
  readonly trade: PublicTrade;
}

export interface TradesOptions {
  readonly engine: StreamEngine;
  readonly recent: RecentTrades;
  readonly world: Pick<World, 'monotonicMs' | 'timer'>;
  /** Shared by all public topics. A manual clock ignores it. */
  readonly pace: Pace;
}

export class Trades {
  readonly #engine: StreamEngine;
  readonly #recent: RecentTrades;
  readonly #world: TradesOptions['world'];
  readonly #pace: Pace;
  #timer: Timer | null = null;
  readonly #markets = new Map<string, Market>();
  /** Of the command in progress. */
  #traded: Traded[] = [];
  #detach: (() => void) | null = null;

  constructor({ engine, recent, world, pace }: TradesOptions) {
    this.#engine = engine;
    this.#recent = recent;
    this.#world = world;
    this.#pace = pace;
  }

  /** `shownAs`: how the version names the market. */
  feed(view: MarketView, shownAs: NameOf): Feed {
    const name = nameOf(view);
    return {
      subscribe: (subscription) => this.#subscribe(name, subscription, shownAs),
      again: (subscription) => this.#begin(name, subscription),
      unsubscribe: (subscription) => this.#unsubscribe(name, subscription),
    };
  }

  #subscribe(name: string, subscription: Subscription, shownAs: NameOf): void {
    let market = this.#markets.get(name);
    if (market === undefined) {
      market = { subscribed: new Map(), view: null, waiting: [] };
      this.#markets.set(name, market);
      this.#detach ??= this.#engine.listen(this.#listener());
    }
    this.#flush(market);
    market.subscribed.set(subscription, { subscription, shownAs, held: [], asked: 0 });
    this.#begin(name, subscription);
  }

  #unsubscribe(name: string, subscription: Subscription): void {
    const market = this.#markets.get(name);
    market?.subscribed.delete(subscription);
    if (market === undefined || market.subscribed.size > 0) return;
    this.#markets.delete(name);
    if (this.#markets.size > 0) return;
    this.#detach?.();
    this.#detach = null;
    this.#timer?.clear();
    this.#timer = null;
    this.#traded = [];
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
      if (trades.length > 0) subscription.receiver.send(frame(subscription.topic, view, subscribed.shownAs, trades));
    };
    this.#recent(view, RECENT).then(send, () => send([]));
  }

  /** Another state: who still waits for the recent trades gets those of that state. */
  #restart(): void {
    for (const [name, { subscribed }] of this.#markets) {
      for (const each of subscribed.values()) {
        if (each.held === null) continue;
        each.held = null;
        this.#begin(name, each.subscription);
      }
    }
  }

  #listener(): EngineListener {
    const isManual = this.#engine.venue.genesis?.clock === 'manual';
    return {
      traded: ({ market, tradeId, priceTicks, sizeLots, takerSide }) => {
        const { timeMs, markets } = this.#engine.venue;
        const view = markets[market];
        if (!this.#markets.has(nameOf(view))) return;
        this.#traded.push({ view, trade: { tradeId, timeMs, priceTicks, sizeLots, takerSide } });
      },
      commandApplied: () => {
        for (const { view, trade } of this.#traded) {
          const market = this.#markets.get(nameOf(view));
          market?.waiting.push(trade);
          if (market !== undefined) market.view = view;
        }
        this.#traded = [];
        if (isManual) this.#flushAll();
      },
      commandUndone: () => {
        this.#traded = [];
      },
      batchApplied: () => this.#flushInTime(),
      stateReplaced: () => {
        // What was traded before is shown in the terms that it was traded in.
        this.#flushAll();
        // The venue becomes readable in this turn of the event loop.
        queueMicrotask(() => this.#restart());
      },
    };
  }

  #flushInTime(): void {
    if (this.#timer !== null || ![...this.#markets.values()].some(({ waiting }) => waiting.length > 0)) return;
    const waitMs = this.#pace.restsUntilMs - this.#world.monotonicMs();
    if (waitMs <= 0) {
      this.#pace.run(() => this.#flushAll());
      return;
    }
    this.#timer = this.#world.timer(waitMs, () => {
      this.#timer = null;
      this.#flushInTime();
    });
    this.#timer.unref();
  }

  #flushAll(): void {
    for (const market of this.#markets.values()) this.#flush(market);
  }

  #flush(market: Market): void {
    const { view } = market;
    if (market.waiting.length === 0 || view === null) return;
    const trades = market.waiting.reverse();
    market.waiting = [];
    const made = new Map<string, Buffer>();
    for (const { subscription, shownAs, held } of [...market.subscribed.values()]) {
      if (held !== null) {
        if (held.length < MOST_HELD) held.push(...trades.toReversed());
        continue;
      }
      const { topic, receiver } = subscription;
      const key = `${topic} ${shownAs(view)}`;
      let shared = made.get(key);
      if (shared === undefined) {
        shared = frame(topic, view, shownAs, trades);
        made.set(key, shared);
      }
      receiver.send(shared);
    }
  }
}

function frame(topic: string, market: MarketView, shownAs: NameOf, trades: readonly PublicTrade[]): Buffer {
  const symbol = shownAs(market);
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
