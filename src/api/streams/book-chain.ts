/**
 * The book of a market in one grouping, as its subscribers hold it. Three topics show it: `update` (a snapshot, then
 * deltas), `snapshot` (all levels each time) and `snapshotL1` (the best level of each side).
 *
 * Invariants:
 * - A client that applies a snapshot and the deltas after it holds the best LEVELS levels of each side. A delta removes
 *   only what the client holds.
 * - Every delta raises the number of the chain by one. In every frame of a client, seqNum = prevSeqNum + 1. If a client
 *   subscribes again, its numbers are ahead of the chain's from then on, so that they stay without a gap.
 * - The chain's numbers never go back while the process runs, also while nobody is subscribed. Those of a client never do
 *   while it is connected.
 *
 * Cost: a frame compares the best levels with those that were sent. Their text is made once, however many subscribers
 * there are; the head of a frame is made once for each spelling of the topic.
 */
import { BUY, type DepthLevel, SELL, type Side } from '../../venue/contract/units.ts';
import type { MarketView } from '../../venue/views.ts';
import { GROUP_TICKS, levelPrice } from '../market-data/grouping.ts';
import { olderName } from '../shared/markets.ts';
import { Ladder } from './ladder.ts';
import { frameOf, type Receiver, Shared, type Subscription } from './subscription.ts';

export const LEVELS = 50;

export type BookTopic = 'update' | 'snapshot' | 'snapshotL1';

interface Subscribed {
  readonly subscription: Subscription;
  readonly shows: BookTopic;
  /** How far its numbers are ahead of the chain's. */
  ahead: number;
}

type Sides = readonly [bids: readonly DepthLevel[], asks: readonly DepthLevel[]];

/** All levels of a book, by price: bids and asks. */
export type AllLevels = readonly [bids: ReadonlyMap<number, number>, asks: ReadonlyMap<number, number>];

const EMPTY: Sides = [[], []];

export class BookChain {
  readonly group: number;
  readonly #nowMs: () => number;
  /** Its terms, for text. A reset may remove the market, and another with the same name and other terms be listed. */
  #market: MarketView | undefined;
  /** Of the last frame. */
  #seqNum = 1;
  #ladders: readonly [Ladder, Ladder];
  /** What the subscribers hold. */
  #sent: Sides = EMPTY;
  readonly #subscribed = new Map<Subscription, Subscribed>();
  /** How far the numbers of subscriptions that ended were ahead, by client: its next one must not go back. */
  readonly #wereAhead = new WeakMap<Receiver, number>();

  constructor(group: number, nowMs: () => number) {
    this.group = group;
    this.#nowMs = nowMs;
    this.#ladders = this.#newLadders();
  }

  get hasSubscribers(): boolean {
    return this.#subscribed.size > 0;
  }

  /** Begins with these levels of a market. Without a market, which a reset may have removed, they are empty. */
  begin(market: MarketView | undefined, sides: AllLevels): void {
    this.#market = market ?? this.#market;
    this.#ladders = this.#newLadders(sides);
    this.#sent = this.#top();
  }

  /** A level of the book changed by `lots`. */
  add(side: Side, priceTicks: number, lots: number): void {
    this.#ladders[side].add(priceTicks, lots);
  }

  subscribe(subscription: Subscription, shows: BookTopic): void {
    const ahead = this.#wereAhead.get(subscription.receiver) ?? 0;
    this.#subscribed.set(subscription, { subscription, shows, ahead });
    subscription.receiver.send(this.#whole(subscription.name, shows, this.#seqNum + ahead));
  }

  again(subscription: Subscription): void {
    const subscribed = this.#subscribed.get(subscription);
    if (subscribed === undefined) return;
    subscribed.ahead += 1;
    const { shows, ahead } = subscribed;
    subscription.receiver.send(this.#whole(subscription.name, shows, this.#seqNum + ahead));
  }

  unsubscribe(subscription: Subscription): void {
    const { receiver } = subscription;
    const ahead = Math.max(this.#subscribed.get(subscription)?.ahead ?? 0, this.#wereAhead.get(receiver) ?? 0);
    if (ahead > 0) this.#wereAhead.set(receiver, ahead);
    this.#subscribed.delete(subscription);
  }

  /** Nobody is subscribed any more: only the number remains. */
  end(): void {
    this.#ladders = this.#newLadders();
    this.#sent = EMPTY;
  }

  /** The whole book was replaced: everybody gets a snapshot. */
  replace(market: MarketView | undefined, sides: AllLevels): void {
    this.begin(market, sides);
    this.#seqNum += 1;
    this.#publish((subscribed) => {
      const { subscription, shows, ahead } = subscribed;
      return [
        `${subscription.topic} ${ahead} ${shows}`,
        () => this.#whole(subscription.topic, shows, this.#seqNum + ahead),
      ];
    });
  }

  /** Sends what has changed since the last frame, in the terms of the market as it is now. Returns how many frames. */
  flush(market: MarketView | undefined): number {
    this.#market = market ?? this.#market;
    const before = this.#sent;
    const now = this.#top();
    const [bids, asks] = [differences(before[BUY], now[BUY]), differences(before[SELL], now[SELL])];
    if (bids.length === 0 && asks.length === 0) return 0;
    this.#sent = now;
    this.#seqNum += 1;
    const head = `"data":{"bids":${this.#levels(bids)},"asks":${this.#levels(asks)}`;
    const bestChanged = !sameLevel(before[BUY][0], now[BUY][0]) || !sameLevel(before[SELL][0], now[SELL][0]);
    return this.#publish((subscribed) => {
      const { subscription, shows } = subscribed;
      const { topic } = subscription;
      if (shows === 'snapshotL1') {
        return bestChanged ? [`${topic} L1`, () => this.#whole(topic, shows, 0)] : null;
      }
      if (subscription.receiver.skipsNumber()) subscribed.ahead += 1;
      const { ahead } = subscribed;
      const seqNum = this.#seqNum + ahead;
      if (shows === 'snapshot') return [`${topic} ${ahead}`, () => this.#whole(topic, shows, seqNum)];
      return [
        `${topic} ${ahead}`,
        () => frameOf(`{"topic":"${topic}",${head},${this.#tail(topic, seqNum, 'delta')}}}`),
      ];
    });
  }

  /** Sends each subscriber its frame. Those with the same key share one. Null: none. Returns how many it sent. */
  #publish(frame: (subscribed: Subscribed) => [key: string, make: () => Buffer] | null): number {
    const frames = new Shared<string, Buffer>();
    let sent = 0;
    for (const subscribed of [...this.#subscribed.values()]) {
      const named = frame(subscribed);
      if (named === null) continue;
      subscribed.subscription.receiver.send(frames.get(...named));
      sent += 1;
    }
    return sent;
  }

  /** Bids best first. Asks worst first, as BTSE sends them. */
  #whole(topic: string, shows: BookTopic, seqNum: number): Buffer {
    const limit = shows === 'snapshotL1' ? 1 : LEVELS;
    const bids = this.#levels(this.#sent[BUY].slice(0, limit));
    const asks = this.#levels(this.#sent[SELL].slice(0, limit).reverse());
    const tail = shows === 'snapshotL1' ? this.#about(topic, shows) : this.#tail(topic, seqNum, 'snapshot');
    return frameOf(`{"topic":"${topic}","data":{"bids":${bids},"asks":${asks},${tail}}}`);
  }

  #tail(topic: string, seqNum: number, type: 'snapshot' | 'delta'): string {
    return `"seqNum":${seqNum},"prevSeqNum":${seqNum - 1},${this.#about(topic, type)}`;
  }

  #about(topic: string, type: string): string {
    return `"type":"${type}","symbol":"${this.#nameIn(topic)}","timestamp":${this.#nowMs()}`;
  }

  /** A client that subscribes with the older name of a perpetual finds its books by that name. */
  #nameIn(topic: string): string | undefined {
    const market = this.#market;
    if (market === undefined) return undefined;
    const older = olderName(market);
    return topic.split(/[:_]/, 2)[1] === older ? older : market.symbol;
  }

  #levels(levels: readonly DepthLevel[]): string {
    const market = this.#market;
    if (market === undefined) return '[]';
    const pairs = levels.map(
      ({ priceTicks, sizeLots }) => `["${levelPrice(market, priceTicks)}","${market.sizeText(sizeLots)}"]`,
    );
    return `[${pairs.join(',')}]`;
  }

  #top(): Sides {
    return [this.#ladders[BUY].top(LEVELS), this.#ladders[SELL].top(LEVELS)];
  }

  #newLadders(sides?: AllLevels): readonly [Ladder, Ladder] {
    const ticks = GROUP_TICKS[this.group];
    return [new Ladder(BUY, ticks, sides?.[BUY]), new Ladder(SELL, ticks, sides?.[SELL])];
  }
}

function sameLevel(one: DepthLevel | undefined, other: DepthLevel | undefined): boolean {
  return one?.priceTicks === other?.priceTicks && one?.sizeLots === other?.sizeLots;
}

/** What turns `before` into `now`. Both are best first. A level that is gone has 0 lots. */
function differences(before: readonly DepthLevel[], now: readonly DepthLevel[]): DepthLevel[] {
  const gone = new Map(before.map(({ priceTicks, sizeLots }) => [priceTicks, sizeLots]));
  const changed: DepthLevel[] = [];
  for (const level of now) {
    if (gone.get(level.priceTicks) !== level.sizeLots) changed.push(level);
    gone.delete(level.priceTicks);
  }
  for (const priceTicks of gone.keys()) changed.push({ priceTicks, sizeLots: 0 });
  return changed;
}
