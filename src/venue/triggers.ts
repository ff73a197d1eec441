/**
 * The trigger book of one market: who waits for which price of which reference.
 *
 * It is the price-time book once more, one for each reference: what fires on the way up lies on the sell side (lowest
 * price first), what fires on the way down on the buy side (highest first). So a price move costs only what it fires,
 * however many wait. Prices are ticks, references fine (market.ts): reached means surely reached.
 */

import { Book } from './book.ts';
import type { Order } from './orders.ts';
import { BUY, FINE, NONE, type Reference, SELL } from './units.ts';

const NOBODY: readonly number[] = [];

export class TriggerBook {
  readonly #books: Record<Reference, Book> = { last: new Book(), mark: new Book(), index: new Book() };

  watch(order: Order, reference: Reference, ticks: number, up: boolean): void {
    order.watch = this.#books[reference].add(up ? SELL : BUY, ticks, 1, order.slot);
    order.watchReference = reference;
  }

  unwatch(order: Order): void {
    if (order.watch === NONE) return;
    this.#books[order.watchReference].remove(order.watch);
    order.watch = NONE;
  }

  /** What the order waits for; null when it waits for nothing. */
  watched(order: Order): { reference: Reference; ticks: number; up: boolean } | null {
    if (order.watch === NONE) return null;
    const book = this.#books[order.watchReference];
    return { reference: order.watchReference, ticks: book.price(order.watch), up: book.side(order.watch) === SELL };
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
}
