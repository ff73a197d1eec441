/**
 * The private topics: notifications of orders, fills and positions, for each account that somebody has subscribed.
 *
 * Invariants:
 * - A client gets what happened to the account of its login, and nothing else.
 * - A frame shows durable and applied commands only. On a real clock each topic sends one frame per batch, on a
 *   manual clock one per command. Topics with one record per frame send one frame per record.
 *
 * Cost: nothing while nobody has subscribed. Otherwise a Map look-up for each event, and for an account with subscribers
 * one record for each topic, however many clients have it.
 */
import type { Product } from '../../venue/contract/commands.ts';
import type { EventHandlers, PositionChanged } from '../../venue/contract/events.ts';
import type { Names } from '../shared/markets.ts';
import { Collector } from './collector.ts';
import { type Fill, fillOf, fillRow } from './fills.ts';
import { accepted, changed, type OrderUpdate } from './notifications.ts';
import { closedRow, type NamedPosition, openRow } from './positions.ts';
import {
  frameOf,
  type Publication,
  type PublisherOptions,
  Shared,
  type StreamEngine,
  type Subscription,
} from './subscription.ts';

/** What a private topic shows. */
export type PrivateContent =
  | {
      readonly shows: 'orders';
      readonly record: (update: OrderUpdate) => object;
      /** Its frames hold one record instead of a list. */
      readonly single?: true;
    }
  | { readonly shows: 'fills' }
  /** All open positions, whenever one changes. */
  | { readonly shows: 'all positions' }
  /** The positions that have changed, and once each that was closed. */
  | { readonly shows: 'positions' };

export interface PrivateTopic {
  readonly name: string;
  readonly product: Product;
  readonly names: Names;
  readonly content: PrivateContent;
  /** Each frame has the last seq that it includes. */
  readonly numbered?: true;
}

/** What the command in progress does to an account. */
type Happening =
  | { readonly account: number; readonly kind: 'order'; readonly update: OrderUpdate }
  | { readonly account: number; readonly kind: 'fill'; readonly fill: Fill }
  | { readonly account: number; readonly kind: 'position'; readonly event: PositionChanged }
  /** All its positions were replaced. */
  | { readonly account: number; readonly kind: 'replaced' };

/** What durable commands did to an account. */
interface Happened {
  readonly orders: OrderUpdate[];
  readonly fills: Fill[];
  /** The last change of each position, by market and number. */
  readonly positions: Map<string, PositionChanged>;
  /** All positions were replaced. */
  replaced: boolean;
}

type Subscribed = Map<Subscription, PrivateTopic>;

export class Accounts {
  readonly #engine: StreamEngine;
  readonly #write: PublisherOptions['write'];
  readonly #collector: Collector<Happening>;
  readonly #accounts = new Map<number, Subscribed>();
  /** By account, not sent yet. */
  #waiting = new Map<number, Happened>();
  /** When the first of it became durable. */
  #waitingSinceMs = 0;
  /** By account, the positions that its subscribers know as open. A state that replaces another closes those it lacks. */
  readonly #open = new Map<number, readonly NamedPosition[]>();

  constructor({ engine, write }: Omit<PublisherOptions, 'world'>) {
    this.#engine = engine;
    this.#write = write;
    this.#collector = new Collector(engine, {
      events: (add) => this.#events(add),
      apply: (happenings) => this.#apply(happenings),
      flush: () => this.#flush(),
      flushInTime: () => this.#flush(),
    });
  }

  publication(account: number, topic: PrivateTopic): Publication {
    return {
      subscribe: (subscription) => {
        // What happened before is not for this subscriber.
        this.#flush();
        let subscribed = this.#accounts.get(account);
        if (subscribed === undefined) {
          subscribed = new Map();
          this.#accounts.set(account, subscribed);
          this.#open.set(account, this.#engine.venue.positions(account));
        }
        subscribed.set(subscription, topic);
        this.#collector.begin();
      },
      again: () => {},
      unsubscribe: (subscription) => {
        const subscribed = this.#accounts.get(account);
        subscribed?.delete(subscription);
        if (subscribed === undefined || subscribed.size > 0) return;
        this.#accounts.delete(account);
        this.#open.delete(account);
        if (this.#accounts.size > 0) return;
        this.#collector.end();
        this.#waiting.clear();
      },
    };
  }

  #events(add: (happening: Happening) => void): EventHandlers {
    return {
      orderAccepted: ({ order }) => {
        const { account } = order;
        if (this.#accounts.has(account)) add({ account, kind: 'order', update: accepted(this.#engine.venue, order) });
      },
      orderChanged: (event) => {
        const { account } = event;
        if (!this.#accounts.has(account)) return;
        const update = changed(this.#engine.venue, event);
        if (update !== null) add({ account, kind: 'order', update });
      },
      traded: (trade) => {
        for (const liquidity of ['maker', 'taker'] as const) {
          const account = trade[`${liquidity}Account`];
          if (this.#accounts.has(account))
            add({ account, kind: 'fill', fill: fillOf(this.#engine.venue, trade, liquidity) });
        }
      },
      positionChanged: (event) => {
        if (this.#accounts.has(event.account)) add({ account: event.account, kind: 'position', event });
      },
      stateReplaced: () => {
        for (const account of this.#accounts.keys()) add({ account, kind: 'replaced' });
      },
    };
  }

  #apply(happenings: readonly Happening[]): void {
    if (this.#waiting.size === 0) this.#waitingSinceMs = this.#engine.durableAtMs;
    for (const happening of happenings) {
      const { orders, fills, positions } = this.#of(happening.account);
      switch (happening.kind) {
        case 'order':
          orders.push(happening.update);
          break;
        case 'fill':
          fills.push(happening.fill);
          break;
        case 'position':
          positions.set(`${happening.event.market} ${happening.event.positionId}`, happening.event);
          break;
        case 'replaced':
          positions.clear();
          this.#of(happening.account).replaced = true;
      }
    }
  }

  /** What waits for an account. */
  #of(account: number): Happened {
    let happened = this.#waiting.get(account);
    if (happened === undefined) {
      happened = { orders: [], fills: [], positions: new Map(), replaced: false };
      this.#waiting.set(account, happened);
    }
    return happened;
  }

  #flush(): void {
    if (this.#waiting.size === 0) return;
    const waiting = this.#waiting;
    this.#waiting = new Map();
    let isSent = false;
    for (const [account, happened] of waiting) {
      const made = new Shared<PrivateTopic, readonly Buffer[]>();
      for (const [{ receiver }, topic] of [...(this.#accounts.get(account) ?? [])]) {
        const frames = made.get(topic, () => this.#frames(account, topic, happened));
        for (const frame of frames) receiver.sendPrivate(frame);
        if (frames.length > 0) isSent = true;
      }
      const { positions, replaced } = happened;
      const isKnown = this.#accounts.has(account);
      if (isKnown && (positions.size > 0 || replaced)) this.#open.set(account, this.#engine.venue.positions(account));
    }
    if (isSent) this.#write('account', this.#waitingSinceMs);
  }

  #frames(
    account: number,
    { name, product, names, content, numbered }: PrivateTopic,
    happened: Happened,
  ): readonly Buffer[] {
    const seq = numbered === true ? { seq: this.#engine.venue.seq } : {};
    switch (content.shows) {
      case 'orders': {
        const records = happened.orders.filter(({ market }) => market.product === product).map(content.record);
        return content.single === true ? records.map((record) => frame(name, record, seq)) : list(name, records, seq);
      }
      case 'fills': {
        const rows = happened.fills
          .filter(({ market }) => market.product === product)
          .map((fill) => fillRow(fill, names));
        return rows.length === 0 ? [] : [frameOf(JSON.stringify({ topic: name, id: '', ...seq, data: rows }))];
      }
      case 'all positions':
        if (happened.positions.size === 0 && !happened.replaced) return [];
        return [frame(name, this.#openRows(account, names))];
      case 'positions':
        return list(
          name,
          happened.replaced
            ? this.#replacedRows(account, names)
            : this.#changedRows(account, happened.positions, names),
        );
    }
  }

  #openRows(account: number, names: Names): object[] {
    const { venue } = this.#engine;
    return venue.positions(account).map((view) => openRow(venue, account, view, names));
  }

  #changedRows(account: number, positions: Happened['positions'], names: Names): object[] {
    const { venue } = this.#engine;
    const open = venue.positions(account);
    return [...positions.values()].map(({ market: index, mode, positionId }) => {
      const view = open.find(({ market, id }) => market.index === index && id === positionId);
      if (view !== undefined) return openRow(venue, account, view, names);
      return closedRow(venue, account, { market: venue.markets[index], mode, id: positionId }, names);
    });
  }

  /** All that are open now, and all that were open in the state before and are not any more. */
  #replacedRows(account: number, names: Names): object[] {
    const { venue } = this.#engine;
    const open = venue.positions(account);
    const isOpen = (known: NamedPosition) =>
      open.some(
        ({ market, mode, id }) => market.symbol === known.market.symbol && mode === known.mode && id === known.id,
      );
    const closed = (this.#open.get(account) ?? []).filter((known) => !isOpen(known));
    return [
      ...closed.map((known) => closedRow(venue, account, known, names)),
      ...open.map((view) => openRow(venue, account, view, names)),
    ];
  }
}

function frame(topic: string, data: object, seq: { readonly seq?: number } = {}): Buffer {
  return frameOf(JSON.stringify({ topic, ...seq, data }));
}

/** One frame with a list. No frame without records. */
function list(topic: string, records: readonly object[], seq?: { readonly seq?: number }): readonly Buffer[] {
  return records.length === 0 ? [] : [frame(topic, records, seq)];
}
