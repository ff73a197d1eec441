/**
 * The orders of one market that wait for a price, and those that follow one.
 *
 * Waiting: the price-time book once more, one for each reference: what fires on the way up lies on the sell side (lowest
 * price first), what fires on the way down on the buy side (highest first). So a price move costs only what it fires,
 * however many wait. Prices are ticks, references fine (market.ts): reached means surely reached. An order that was
 * accepted before there was a price waits undirected: the first one shows from which side.
 *
 * Following: orders that react to every price of a reference.
 */

import { BUY, FINE, NONE, type Reference, SELL } from '../contract/units.ts';
import { Book } from '../structures/order-book.ts';
import type { Order } from './order.ts';

/** When a follower reacts to a price: before the triggers that the same price reaches, or after them. */
export type Turn = 'beforeTriggers' | 'afterTriggers';

type By<T> = Readonly<Record<Reference, T>>;

const by = <T>(make: () => T): By<T> => ({ last: make(), mark: make(), index: make() });

const NOBODY: readonly number[] = [];

export class TriggerBook {
  readonly #books: By<Book> = by(() => new Book());
  /** Keys, as the following ones. */
  readonly #undirected: By<Set<number>> = by(() => new Set());
  readonly #followers = { beforeTriggers: by(() => new Set<number>()), afterTriggers: by(() => new Set<number>()) };

  /** Waits for `reference` to reach `ticks`, at or above (`up`), at or below, or from whichever side the first price shows. */
  watch(order: Order, reference: Reference, ticks: number, up: boolean | null): void {
    order.watchReference = reference;
    order.watchTicks = ticks;
    if (up === null) this.#undirected[reference].add(order.key);
    else order.watch = this.#books[reference].add(up ? SELL : BUY, ticks, 1, order.slot);
  }

  unwatch(order: Order): void {
    if (order.watchTicks === 0) return;
    order.watchTicks = 0;
    if (order.watch === NONE) {
      this.#undirected[order.watchReference].delete(order.key);
      return;
    }
    this.#books[order.watchReference].remove(order.watch);
    order.watch = NONE;
  }

  /** The direction in which the price has to move; null: the first price shows it. Of an order that waits. */
  direction(order: Order): boolean | null {
    return order.watch === NONE ? null : this.#books[order.watchReference].side(order.watch) === SELL;
  }

  undirected(reference: Reference): ReadonlySet<number> {
    return this.#undirected[reference];
  }

  /** Slots of all that `fine` reaches; they stay in the book. */
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

  /** From here on the order reacts to every price of `reference`, before or after the triggers that the price reaches. */
  follow(order: Order, reference: Reference, when: Turn): void {
    order.follows = reference;
    this.#followers[when][reference].add(order.key);
  }

  unfollow(order: Order): void {
    const { follows } = order;
    if (follows === null) return;
    order.follows = null;
    for (const followers of Object.values(this.#followers)) followers[follows].delete(order.key);
  }

  followers(reference: Reference, when: Turn): ReadonlySet<number> {
    return this.#followers[when][reference];
  }
}
