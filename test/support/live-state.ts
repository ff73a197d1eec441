/** The state behind a venue's door, for tests that look into it or plant a fault in it. */
import { VenueState } from '../../src/venue/state/venue-state.ts';
import type { Venue } from '../../src/venue/venue.ts';

/** Good until a reset or a restored snapshot puts another state in its place. */
export function liveState(venue: Venue): VenueState {
  const { openOrders } = VenueState.prototype;
  let found: VenueState | undefined;
  VenueState.prototype.openOrders = function (this: VenueState) {
    found = this;
    return [];
  };
  try {
    venue.openOrders(0, 'spot', null);
  } finally {
    VenueState.prototype.openOrders = openOrders;
  }
  if (found === undefined) throw new Error('a venue asks its state for open orders');
  return found;
}
