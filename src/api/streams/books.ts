/**
 * The books of the markets that somebody has subscribed, each in the groupings that somebody has subscribed.
 *
 * Invariants:
 * - A frame shows durable and applied commands only, and never half of one.
 * - On a real clock a book sends at most one frame in `intervalMs`, and less often if that costs too much (pace.ts). On a
 *   manual clock it sends one for every command that changes it, so that a test sees each.
 *
 * Cost: nothing while no book is subscribed, and none was in the last LINGER_MS. Otherwise a Map look-up for each changed level, and a ladder change for each
 * grouping of its market that is subscribed.
 */
import type { Timer } from '../../engine/contract/world.ts';
import type { BookChanged } from '../../venue/contract/events.ts';
import { BUY, SELL } from '../../venue/contract/units.ts';
import type { MarketView } from '../../venue/views.ts';
import { BookChain, type BookTopic } from './book-chain.ts';
import { Collector } from './collector.ts';
import type { Pace } from './pace.ts';
import { marketNamed, nameOf, type Publication, type PublisherOptions, type StreamEngine } from './subscription.ts';

export interface BooksOptions extends PublisherOptions {
  /** Shared by all public topics. A manual clock ignores it. */
  readonly pace: Pace;
  /** The shortest time between two frames of a book. 0: none. A manual clock ignores it. */
  readonly intervalMs: number;
}

/**
 * How long a chain stays up to date without subscribers. To begin one costs as much as the book is deep, and a client may
 * leave and come back again and again.
 */
const LINGER_MS = 10_000;
/** How much of a book is sent at once, because it holds up everything else: for so long, and so many frames. */
const PART_MS = 5;
const PART_FRAMES = 1000;

type Levels = [bids: Map<number, number>, asks: Map<number, number>];

/** A market and its open chains. Its levels are kept while there is one. */
interface Book {
  /** nameOf its market. */
  readonly name: string;
  readonly levels: Levels;
  readonly chains: Map<number, BookChain>;
  /** It has changed since its last frames. */
  isDirty: boolean;
  /** When the first of these changes became durable. */
  dirtySinceMs: number;
  /** Chains whose frames of this time were not sent yet. */
  unsent: BookChain[];
  /** When the first change in them became durable. */
  unsentSinceMs: number;
  sentAtMs: number;
  /** Until the next frames may be sent. */
  timer: Timer | null;
  /** It waits for its turn to send. */
  isInLine: boolean;
}

export class Books {
  readonly #engine: StreamEngine;
  readonly #world: BooksOptions['world'];
  readonly #write: BooksOptions['write'];
  readonly #pace: Pace;
  readonly #intervalMs: number;
  readonly #books = new Map<string, Book>();
  /** Kept when the last subscriber leaves, because their numbers must not begin again. */
  readonly #chains = new Map<string, BookChain>();
  /** Open chains without subscribers. */
  readonly #closing = new Map<BookChain, Timer>();
  readonly #collector: Collector<BookChanged>;

  constructor({ engine, world, write, pace, intervalMs }: BooksOptions) {
    this.#engine = engine;
    this.#world = world;
    this.#write = write;
    this.#pace = pace;
    this.#intervalMs = intervalMs;
    this.#collector = new Collector(engine, {
      events: (add) => ({ bookChanged: add, stateReplaced: () => this.#replace() }),
      apply: (changes) => this.#apply(changes),
      flush: () => {
        for (const book of this.#books.values()) if (book.isDirty) this.#flush(book);
      },
      flushInTime: () => {
        for (const book of this.#books.values()) if (book.isDirty) this.#flushInTime(book);
      },
    });
  }

  /** A topic of a book. */
  publication(market: MarketView, group: number, shows: BookTopic): Publication {
    const name = nameOf(market);
    const chain = this.#chainOf(name, group);
    return {
      subscribe: (subscription) => {
        this.#open(name, chain);
        chain.subscribe(subscription, shows);
      },
      again: (subscription) => chain.again(subscription),
      unsubscribe: (subscription) => {
        chain.unsubscribe(subscription);
        if (!chain.hasSubscribers) this.#closeLater(name, chain);
      },
    };
  }

  #chainOf(book: string, group: number): BookChain {
    const name = `${book} ${group}`;
    let chain = this.#chains.get(name);
    if (chain === undefined) {
      chain = new BookChain(group, () => this.#engine.nowMs());
      this.#chains.set(name, chain);
    }
    return chain;
  }

  #open(name: string, chain: BookChain): void {
    let book = this.#books.get(name);
    if (book === undefined) {
      book = {
        name,
        levels: this.#levelsOf(name),
        chains: new Map(),
        isDirty: false,
        dirtySinceMs: 0,
        unsent: [],
        unsentSinceMs: 0,
        sentAtMs: Number.NEGATIVE_INFINITY,
        timer: null,
        isInLine: false,
      };
      this.#books.set(name, book);
      this.#collector.begin();
    }
    this.#closing.get(chain)?.clear();
    this.#closing.delete(chain);
    if (book.chains.has(chain.group)) return;
    book.chains.set(chain.group, chain);
    chain.begin(this.#marketOf(name), book.levels);
  }

  #closeLater(name: string, chain: BookChain): void {
    const timer = this.#world.timer(LINGER_MS, () => this.#close(name, chain));
    timer.unref();
    this.#closing.set(chain, timer);
  }

  #close(name: string, chain: BookChain): void {
    this.#closing.delete(chain);
    chain.end();
    const book = this.#books.get(name);
    book?.chains.delete(chain.group);
    if (book === undefined || book.chains.size > 0) return;
    book.timer?.clear();
    this.#books.delete(name);
    if (this.#books.size === 0) this.#collector.end();
  }

  #apply(changes: readonly BookChanged[]): void {
    const { venue, durableAtMs } = this.#engine;
    for (const { market, levels } of changes) {
      const book = this.#books.get(nameOf(venue.markets[market]));
      if (book === undefined) continue;
      if (!book.isDirty) book.dirtySinceMs = durableAtMs;
      book.isDirty = true;
      for (const { side, priceTicks, sizeLots } of levels) {
        const change = sizeLots - (book.levels[side].get(priceTicks) ?? 0);
        if (change === 0) continue;
        if (sizeLots === 0) book.levels[side].delete(priceTicks);
        else book.levels[side].set(priceTicks, sizeLots);
        for (const chain of book.chains.values()) chain.add(side, priceTicks, change);
      }
    }
  }

  #flushInTime(book: Book): void {
    if (book.timer !== null || book.isInLine) return;
    const waitMs = book.sentAtMs + this.#intervalMs - this.#world.monotonicMs();
    if (waitMs <= 0) {
      this.#queue(book);
      return;
    }
    book.timer = this.#world.timer(waitMs, () => {
      book.timer = null;
      this.#queue(book);
    });
    book.timer.unref();
  }

  #queue(book: Book): void {
    book.isInLine = true;
    this.#pace.run(() => {
      book.isInLine = false;
      if (this.#books.get(book.name) === book) this.#flushPart(book);
    });
  }

  /** Sends the frames of the chains, as many as fit into a part and at least one. The others follow in their next turn. */
  #flushPart(book: Book): void {
    if (book.unsent.length === 0) {
      book.isDirty = false;
      book.sentAtMs = this.#world.monotonicMs();
      book.unsent = [...book.chains.values()];
      book.unsentSinceMs = book.dirtySinceMs;
    }
    const market = this.#marketOf(book.name);
    const endsAtMs = this.#world.monotonicMs() + PART_MS;
    let sent = 0;
    do sent += book.unsent.shift()?.flush(market) ?? 0;
    while (book.unsent.length > 0 && sent < PART_FRAMES && this.#world.monotonicMs() < endsAtMs);
    if (sent > 0) this.#write('book', book.unsentSinceMs);
    if (book.unsent.length > 0) this.#queue(book);
    else if (book.isDirty) this.#flushInTime(book);
  }

  #flush(book: Book): void {
    book.isDirty = false;
    const market = this.#marketOf(book.name);
    let sent = 0;
    for (const chain of book.chains.values()) sent += chain.flush(market);
    if (sent > 0) this.#write('book', book.dirtySinceMs);
  }

  /** Another state: everybody gets a snapshot of it. */
  #replace(): void {
    this.#collector.forget();
    for (const book of this.#books.values()) {
      const levels = this.#levelsOf(book.name);
      for (const side of [BUY, SELL] as const) book.levels[side] = levels[side];
      book.isDirty = false;
      book.unsent = [];
      for (const chain of book.chains.values()) chain.replace(this.#marketOf(book.name), book.levels);
    }
  }

  /** Undefined: a reset has removed it. */
  #marketOf(name: string): MarketView | undefined {
    return marketNamed(this.#engine.venue, name);
  }

  #levelsOf(name: string): Levels {
    const market = this.#marketOf(name);
    const side = (which: typeof BUY | typeof SELL) =>
      new Map(
        market?.depth(which, Number.POSITIVE_INFINITY).map(({ priceTicks, sizeLots }) => [priceTicks, sizeLots]) ?? [],
      );
    return [side(BUY), side(SELL)];
  }
}
