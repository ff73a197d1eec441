/** How an order ends. All code that ends an order calls `finish`. */

import type { OrderState } from '../contract/order-view.ts';
import type { Ending } from '../contract/reasons.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { VenueState } from '../state/venue-state.ts';

/**
 * Takes the order out of the book, the trigger book and the timers, and releases its reserve. Then its kind reacts to
 * the end (`onEnd`), for example by ending the other leg of an OCO.
 */
export function finish(venue: VenueState, order: Order, state: OrderState, ending: Ending | null): void {
  venue.end(order, state, ending);
  behaviourOf(order).onEnd?.(venue, order);
}
