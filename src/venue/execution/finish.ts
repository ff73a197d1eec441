/** The end of an order. Whoever ends one calls `finish`. */

import type { OrderState } from '../contract/order-view.ts';
import type { Ending } from '../contract/reasons.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { VenueState } from '../state/venue-state.ts';

/**
 * Takes the order out of the book, the trigger book and the timers, releases its reserve, and has its kind look after its
 * group, so that nothing of an ended order stays behind.
 */
export function finish(venue: VenueState, order: Order, state: OrderState, ending: Ending | null): void {
  venue.end(order, state, ending);
  behaviourOf(order).onEnd?.(venue, order);
}
