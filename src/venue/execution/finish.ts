/** How an order ends. All code that ends an order calls `finish`. */

import type { Figures } from '../contract/events.ts';
import type { OrderState } from '../contract/order-view.ts';
import type { Ending } from '../contract/reasons.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { VenueState } from '../state/venue-state.ts';

/**
 * Takes the order out of the book, the trigger book and the timers, and releases its reserve. Then its kind reacts to
 * the end (`onEnd`), for example by ending the other leg of an OCO. `figures`: what listeners hear of it beyond the
 * ending.
 */
export function finish(
  venue: VenueState,
  order: Order,
  state: OrderState,
  ending: Ending | null,
  figures?: Figures,
): void {
  const behaviour = behaviourOf(order);
  venue.end(order, state, ending, figures ?? behaviour.figures?.(order));
  behaviour.onEnd?.(venue, order);
}
