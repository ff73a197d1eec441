/**
 * The orders of one market that wait for a price, and those that follow one.
 *
 * Waiting orders are in price-time books, one for each reference. An order that fires when the price rises is on the
 * sell side (lowest price first). An order that fires when it falls is on the buy side (highest first). So a price move
 * costs only what it fires, however many orders wait. Prices are in ticks, references are fine (market.ts), so
 * "reached" is exact. An order that was accepted before there was a price has no direction yet. The first price gives
 * it one.
 *
 * Following orders react to every price of a reference.
 */

import type { Reference } from '../contract/units.ts';
import * as units from '../contract/units.ts';
import { Book } from '../structures/order-book.ts';
import type { Order } from './order.ts';

const { BUY, FINE, NONE, SELL } = units;

/** When a follower reacts to a price: before or after the triggers that the same price reaches. */
export type Turn = 'beforeTriggers' | 'afterTriggers';

type By<T> = Readonly<Record<Reference, T>>;

const by = <T>(make: () => T): By<T> => ({ last: make(), mark: make(), index: make() });

const NOBODY: readonly number[] = [];

export class TriggerBook {
  readonly #books: By<Book> = by(() => new Book());
  /** Order keys, also in the sets below. */
  readonly #undirected: By<Set<number>> = by(() => new Set());
  /** How many orders wait or follow, counted once for each. */
  #orders = 0;
  readonly #followers = { beforeTriggers: by(() => new Set<number>()), afterTriggers: by(() => new Set<number>()) };

  /** Whether no order waits for a price or follows one. */
  get isIdle(): boolean {
    return this.#orders === 0;
  }

  /**
   * The order waits until `reference` reaches `ticks`: at or above (`up` true), at or below (false), or from the side
   * that the first price shows (null).
   */
  watch(order: Order, reference: Reference, ticks: number, up: boolean | null): void {
    if (order.watchTicks === 0) this.#orders++;
    order.watchReference = reference;
    order.watchTicks = ticks;
    if (up === null) this.#undirected[reference].add(order.key);
    else order.watch = this.#books[reference].add(up ? SELL : BUY, ticks, 1, order.slot);
  }

  unwatch(order: Order): void {
    if (order.watchTicks === 0) return;
    order.watchTicks = 0;
    this.#orders--;
    if (order.watch === NONE) {
      this.#undirected[order.watchReference].delete(order.key);
      return;
    }
    this.#books[order.watchReference].remove(order.watch);
    order.watch = NONE;
  }

  /** For a waiting order: the direction in which the price has to move. Null: the first price will show it. */
  direction(order: Order): boolean | null {
    return order.watch === NONE ? null : this.#books[order.watchReference].side(order.watch) === SELL;
  }

  undirected(reference: Reference): ReadonlySet<number> {
    return this.#undirected[reference];
  }

  /** Slots of all orders that `fine` reaches. They stay in the book. */
  reached(reference: Reference, fine: number): readonly number[] {
    const book = this.#books[reference];
    if (book.count(BUY) + book.count(SELL) === 0) return NOBODY;
    const slots: number[] = [];
    for (let h = book.front(SELL); h !== NONE && book.price(h) * FINE <= fine; h = book.next(h))
      slots.push(book.owner(h));
    for (let h = book.front(BUY); h !== NONE && book.price(h) * FINE >= fine; h = book.next(h))
      slots.push(book.owner(h));
    return slots;
  }

  /**
   * From now on the order reacts to every price of `reference`, before or after the triggers that the price reaches.
   */
  follow(order: Order, reference: Reference, when: Turn): void {
    if (order.follows === null) this.#orders++;
    order.follows = reference;
    this.#followers[when][reference].add(order.key);
  }

  unfollow(order: Order): void {
    const { follows } = order;
    if (follows === null) return;
    order.follows = null;
    this.#orders--;
    for (const followers of Object.values(this.#followers)) followers[follows].delete(order.key);
  }

  followers(reference: Reference, when: Turn): ReadonlySet<number> {
    return this.#followers[when][reference];
  }
}
