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
import type { EngineListener } from '../../engine/listeners.ts';
import type { Product } from '../../venue/contract/commands.ts';
import type { PositionChanged } from '../../venue/contract/events.ts';
import { type Fill, fillOf } from './fills.ts';
import { accepted, changed, type OrderUpdate } from './notifications.ts';
import { closedRow, type NamedPosition, openRow, type PositionNames } from './positions.ts';
import { type Feed, frameOf, type StreamEngine, type Subscription } from './subscription.ts';

/** What a private topic shows. */
export type PrivateContent =
  | {
      readonly shows: 'orders';
      readonly record: (update: OrderUpdate) => object;
      /** Its frames hold one record instead of a list. */
      readonly single?: true;
    }
  | { readonly shows: 'fills'; readonly row: (fill: Fill) => object }
  /** All open positions, whenever one changes. */
  | { readonly shows: 'all positions'; readonly names: PositionNames }
  /** The positions that have changed, and once each that was closed. */
  | { readonly shows: 'positions'; readonly names: PositionNames };

export interface PrivateTopic {
  readonly name: string;
  readonly product: Product;
  readonly content: PrivateContent;
}

/** What has happened to an account. */
interface Happened {
  readonly orders: OrderUpdate[];
  readonly fills: Fill[];
  /** The last change of each position, by market and number. */
  readonly positions: Map<string, PositionChanged>;
  /** All positions were replaced. */
  replaced: boolean;
}

type Subscribed = Map<Subscription, PrivateTopic>;

function nothing(): Happened {
  return { orders: [], fills: [], positions: new Map(), replaced: false };
}

export class Accounts {
  readonly #engine: StreamEngine;
  readonly #accounts = new Map<number, Subscribed>();
  /** By account: of the command in progress, and of durable commands, not sent yet. */
  #current = new Map<number, Happened>();
  #waiting = new Map<number, Happened>();
  /** By account, the positions that its subscribers know as open. A state that replaces another closes those it lacks. */
  readonly #open = new Map<number, readonly NamedPosition[]>();
  #detach: (() => void) | null = null;

  constructor(engine: StreamEngine) {
    this.#engine = engine;
  }

  feed(account: number, topic: PrivateTopic): Feed {
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
        this.#detach ??= this.#engine.listen(this.#listener());
      },
      again: () => {},
      unsubscribe: (subscription) => {
        const subscribed = this.#accounts.get(account);
        subscribed?.delete(subscription);
        if (subscribed === undefined || subscribed.size > 0) return;
        this.#accounts.delete(account);
        this.#open.delete(account);
        if (this.#accounts.size > 0) return;
        this.#detach?.();
        this.#detach = null;
        this.#current.clear();
        this.#waiting.clear();
      },
    };
  }

  #listener(): EngineListener {
    const isManual = this.#engine.venue.genesis?.clock === 'manual';
    return {
      orderAccepted: ({ order }) => {
        if (this.#accounts.has(order.account)) this.#of(order.account).orders.push(accepted(this.#engine.venue, order));
      },
      orderChanged: (event) => {
        if (!this.#accounts.has(event.account)) return;
        const update = changed(this.#engine.venue, event);
        if (update !== null) this.#of(event.account).orders.push(update);
      },
      traded: (trade) => {
        const { venue } = this.#engine;
        for (const role of ['maker', 'taker'] as const) {
          const account = trade[`${role}Account`];
          if (this.#accounts.has(account)) this.#of(account).fills.push(fillOf(venue, trade, role));
        }
      },
      positionChanged: (event) => {
        if (!this.#accounts.has(event.account)) return;
        this.#of(event.account).positions.set(`${event.market} ${event.positionId}`, event);
      },
      stateReplaced: () => {
        for (const account of this.#accounts.keys()) {
          const happened = this.#of(account);
          happened.positions.clear();
          happened.replaced = true;
        }
      },
      commandApplied: () => {
        for (const [account, happened] of this.#current) this.#keep(account, happened);
        this.#current.clear();
        if (isManual) this.#flush();
      },
      commandUndone: () => this.#current.clear(),
      batchApplied: () => this.#flush(),
    };
  }

  /** Of the command in progress. */
  #of(account: number): Happened {
    let happened = this.#current.get(account);
    if (happened === undefined) {
      happened = nothing();
      this.#current.set(account, happened);
    }
    return happened;
  }

  #keep(account: number, happened: Happened): void {
    const waiting = this.#waiting.get(account);
    if (waiting === undefined) {
      this.#waiting.set(account, happened);
      return;
    }
    waiting.orders.push(...happened.orders);
    waiting.fills.push(...happened.fills);
    if (happened.replaced) waiting.positions.clear();
    for (const [place, event] of happened.positions) waiting.positions.set(place, event);
    waiting.replaced ||= happened.replaced;
  }

  #flush(): void {
    if (this.#waiting.size === 0) return;
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const [account, happened] of waiting) {
      const made = new Map<PrivateTopic, readonly Buffer[]>();
      for (const [{ receiver }, topic] of [...(this.#accounts.get(account) ?? [])]) {
        let frames = made.get(topic);
        if (frames === undefined) {
          frames = this.#frames(account, topic, happened);
          made.set(topic, frames);
        }
        for (const frame of frames) receiver.sendPrivate(frame);
      }
      const { positions, replaced } = happened;
      const isKnown = this.#accounts.has(account);
      if (isKnown && (positions.size > 0 || replaced)) this.#open.set(account, this.#engine.venue.positions(account));
    }
  }

  #frames(account: number, { name, product, content }: PrivateTopic, happened: Happened): readonly Buffer[] {
    switch (content.shows) {
      case 'orders': {
        const records = happened.orders.filter(({ market }) => market.product === product).map(content.record);
        return content.single === true ? records.map((record) => frame(name, record)) : list(name, records);
      }
      case 'fills': {
        const rows = happened.fills.filter(({ market }) => market.product === product).map(content.row);
        return rows.length === 0 ? [] : [frameOf(JSON.stringify({ topic: name, id: '', data: rows }))];
      }
      case 'all positions':
        if (happened.positions.size === 0 && !happened.replaced) return [];
        return [frame(name, this.#openRows(account, content.names))];
      case 'positions':
        return list(
          name,
          happened.replaced
            ? this.#replacedRows(account, content.names)
            : this.#changedRows(account, happened.positions, content.names),
        );
    }
  }

  #openRows(account: number, names: PositionNames): object[] {
    const { venue } = this.#engine;
    return venue.positions(account).map((view) => openRow(venue, account, view, names));
  }

  #changedRows(account: number, positions: Happened['positions'], names: PositionNames): object[] {
    const { venue } = this.#engine;
    const open = venue.positions(account);
    return [...positions.values()].map(({ market: index, mode, positionId }) => {
      const view = open.find(({ market, id }) => market.index === index && id === positionId);
      if (view !== undefined) return openRow(venue, account, view, names);
      return closedRow(venue, account, { market: venue.markets[index], mode, id: positionId }, names);
    });
  }

  /** All that are open now, and all that were open in the state before and are not any more. */
  #replacedRows(account: number, names: PositionNames): object[] {
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

function frame(topic: string, data: object): Buffer {
  return frameOf(JSON.stringify({ topic, data }));
}

/** One frame with a list. No frame without records. */
function list(topic: string, records: readonly object[]): readonly Buffer[] {
  return records.length === 0 ? [] : [frame(topic, records)];
}
