/** The places of resting orders in the queue of their price level. */
import { NONE } from '../contract/units.ts';
import type { VenueState } from '../state/venue-state.ts';

/** Lots of the level: before the order, shown by the order, and behind it. Their sum is the level. */
export interface QueuePlace {
  readonly aheadLots: number;
  readonly ownLots: number;
  readonly behindLots: number;
}

/** Entries that one call may walk over, for all its orders together: about a millisecond. */
const MOST_WALKED = 100_000;

/**
 * By order key. Null: the order does not rest, is unknown, or the walk would be too long. Cost: the entries behind each order at
 * its level.
 */
export function queuePlacesOf(venue: VenueState, keys: readonly number[]): (QueuePlace | null)[] {
  let left = MOST_WALKED;
  return keys.map((key) => {
    const order = venue.orders.byKey(key);
    if (order === undefined || !order.live || order.entry === NONE) return null;
    const { book } = venue.market(order);
    const price = book.price(order.entry);
    let behindLots = 0;
    for (let entry = book.next(order.entry); entry !== NONE && book.price(entry) === price; entry = book.next(entry)) {
      if (left === 0) return null;
      left -= 1;
      behindLots += book.size(entry);
    }
    const ownLots = book.size(order.entry);
    return { aheadLots: book.levelSize(order.side, price) - ownLots - behindLots, ownLots, behindLots };
  });
}
