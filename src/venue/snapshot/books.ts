/** The sides of the books to plain data and back. */

import { BUY, HOUSE, HOUSE_KEY, NONE, SELL, type Side } from '../contract/units.ts';
import type { Market } from '../state/market.ts';
import type { VenueState } from '../state/venue-state.ts';

/** The entries of a side in price-time order. A state that was read from text has their numbers in one list. */
export type SavedSide = readonly (readonly [key: number, ticks: number, lots: number])[] | Float64Array;

/** Numbers of an entry. */
const ROW = 3;

export function saveSide(venue: VenueState, { book }: Market, side: Side): SavedSide {
  const entries: [number, number, number][] = [];
  for (let entry = book.front(side); entry !== NONE; entry = book.next(entry)) {
    const owner = book.owner(entry);
    const key = owner === HOUSE ? HOUSE_KEY : venue.orders.bySlot(owner).key;
    entries.push([key, book.price(entry), book.size(entry)]);
  }
  return entries;
}

/**
 * Puts the live orders into the books where they were. Only live orders have slots now: 0 to live − 1. Books are in the order of
 * prices, and orders in that of their ages, so every entry would need another part of the memory. Therefore the entries
 * are first noted in small columns, and then given to the orders in their order.
 */
export function loadBooks(
  venue: VenueState,
  saved: readonly { readonly bids: SavedSide; readonly asks: SavedSide }[],
): void {
  const { orders } = venue;
  const entries = new Int32Array(orders.live).fill(NONE);
  /** By slot: `placeOf` the entry. */
  const places = new Int32Array(orders.live);
  const loadSide = (market: number, side: Side, rows: ArrayLike<number>) => {
    const { book } = venue.markets[market];
    // From the worst level on, because then none is inserted below others.
    for (let end = rows.length; end > 0; ) {
      let begin = end - ROW;
      while (begin > 0 && rows[begin - ROW + 1] === rows[begin + 1]) begin -= ROW;
      for (let i = begin; i < end; i += ROW) {
        if (rows[i] === HOUSE_KEY) {
          book.add(side, rows[i + 1], rows[i + 2], HOUSE);
          continue;
        }
        const slot = orders.slotOf(rows[i]);
        if (slot === NONE || entries[slot] !== NONE) throw unknownEntry(rows[i]);
        entries[slot] = book.add(side, rows[i + 1], rows[i + 2], slot);
        places[slot] = placeOf(market, side);
      }
      end = begin;
    }
  };
  saved.forEach(({ bids, asks }, market) => {
    loadSide(market, BUY, numbersOf(bids));
    loadSide(market, SELL, numbersOf(asks));
  });
  for (let slot = 0; slot < entries.length; slot++) {
    const entry = entries[slot];
    if (entry === NONE) continue;
    const order = orders.bySlot(slot);
    if (places[slot] !== placeOf(order.market, order.side)) throw unknownEntry(order.key);
    venue.takeEntry(order, venue.market(order), entry);
  }
}

function numbersOf(side: SavedSide): ArrayLike<number> {
  return side instanceof Float64Array ? side : side.flat();
}

/** The market and the side as one number. */
function placeOf(market: number, side: Side): number {
  return market * 2 + side;
}

function unknownEntry(key: number): Error {
  return new Error(`the saved book holds the order ${key}, which is not live there`);
}
