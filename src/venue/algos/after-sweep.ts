/**
 * What the fills of a sweep change for others: the order's group, its attached orders, the reduce-only orders of the
 * position, spot orders whose money is gone, and the mark. This happens after the sweep, because most of these changes
 * take orders off the book that the sweep walks, and because all fills of a sweep are checked at the mark before it.
 *
 * Invariant: afterwards `venue.touched`, `venue.overReserved` and `venue.printed` are empty. All code that sweeps calls
 * `afterSweep` before its step ends.
 *
 * Cost: nothing if no other order depends on the fills. Otherwise, for each fill, its group and the reduce-only orders
 * of its position.
 */

import { fitReduceOnlyOrders } from '../execution/fit-reduce-only.ts';
import { releaseReserves } from '../execution/release-reserves.ts';
import { moveMark } from '../prices/mark-and-funding.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { VenueState } from '../state/venue-state.ts';
import { coverOpened } from './attached.ts';

export function afterSweep(venue: VenueState): void {
  passFillsOn(venue);
  if (venue.overReserved.size > 0) releaseReserves(venue);
  if (venue.printed.length === 0) return;
  for (const market of venue.printed) moveMark(venue, market);
  venue.printed.length = 0;
}

function passFillsOn(venue: VenueState): void {
  if (venue.touched.length === 0) return;
  for (let i = 0; i < venue.touched.length; i++) {
    const order = venue.touched[i];
    behaviourOf(order).onFill?.(venue, order);
    if (order.product !== 'futures') continue;
    coverOpened(venue, order);
    const position = venue.positionOf(order);
    if (position !== undefined) fitReduceOnlyOrders(venue, venue.account(order), venue.market(order), position);
  }
  venue.touched.length = 0;
}
