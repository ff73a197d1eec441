/**
 * The common interface of all kinds of order, plain or algorithmic. An algo knows nothing of HTTP, of the log, or of
 * another algo. An order stores the name of its algo and that algo's state (`Order.algo`, `Order.algoState`). So the
 * rest of the venue imports no algo. A new kind needs one file, one line in the registry, and its placement in
 * commands.ts. Attached orders are the exception, because any futures order may have them.
 */

import type { Place } from '../contract/commands.ts';
import type { Refusal } from '../contract/reasons.ts';
import { NONE } from '../contract/units.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import type { OrderBehaviour } from '../state/order-behaviour.ts';
import type { VenueState } from '../state/venue-state.ts';

export interface Algo<P extends Place = never> extends OrderBehaviour {
  /** The number of orders that a placement creates. Absent: one. */
  readonly legs?: number;
  /**
   * Checks the placement. A refusal has changed nothing. Otherwise returns the new orders, in the order of the reply.
   */
  readonly accept: (venue: VenueState, place: P, account: Account, market: Market) => Refusal | Order[];
}

const NO_FIELDS: { readonly [field in keyof Required<Algo>]: undefined } = {
  name: undefined,
  legs: undefined,
  amendable: undefined,
  startsLast: undefined,
  selfTrade: undefined,
  stopsBeforeOwn: undefined,
  accept: undefined,
  onTrigger: undefined,
  onPrice: undefined,
  leaves: undefined,
  enters: undefined,
  onTime: undefined,
  onFill: undefined,
  onReduced: undefined,
  fit: undefined,
  onEnd: undefined,
  onLoad: undefined,
  onSelfTrade: undefined,
  reserves: undefined,
  reservesAfterMargin: undefined,
  nextSlice: undefined,
  group: undefined,
  describe: undefined,
  figures: undefined,
};

/**
 * The algo with every field present. So all algos have one hidden class in V8, which keeps calls on the hot path fast.
 */
export function shaped<P extends Place>(algo: Algo<P>): Algo<P> {
  return { ...NO_FIELDS, ...algo };
}

/** Lots that the order shows in the book now. */
export function shownLots(venue: VenueState, order: Order): number {
  return order.entry === NONE ? 0 : venue.market(order).book.size(order.entry);
}

/** The algo of orders that the venue itself creates, and of a blank order. */
export const NO_ALGO: Algo = shaped({
  name: 'none',
  accept() {
    throw new Error('an order without an algo cannot be placed');
  },
});
