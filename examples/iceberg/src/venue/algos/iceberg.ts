/**
 * ICEBERG: a limit order that shows `displaySize` at a time. When what it shows is filled, the next part is shown, behind all
 * orders that are at its price by then. It reserves the money for its whole size, as a limit order does.
 */

import type { PlaceIceberg } from '../contract/commands.ts';
import { enterLimit } from '../execution/enter-book.ts';
import { admit, newOrder } from '../execution/new-order.ts';
import { priceInBand } from '../risk/checks.ts';
import { limitCovered, reserveNeeded } from '../risk/funds.ts';
import { priceInLimits, sizeInLimits } from '../risk/limits.ts';
import type { Order } from '../state/order.ts';
import { type Algo, shaped, shownLots } from './shape.ts';

/** What is saved with an order: plain data. A new field needs a default for orders that were saved without it. */
interface Iceberg {
  /** Lots. */
  readonly displaySize: number;
}

export const iceberg: Algo<PlaceIceberg> = shaped({
  name: 'iceberg',

  accept(venue, place, account, market) {
    const { side, price, size, displaySize } = place;
    // Every check comes before the order is made, so that a refusal has changed nothing.
    const refusal =
      sizeInLimits(market, 'size', size) ??
      sizeInLimits(market, 'displaySize', displaySize) ??
      priceInLimits(market, 'price', price) ??
      priceInBand(market, side, price) ??
      limitCovered(venue, account, market, { side, price, reduceOnly: false }, size);
    if (refusal !== null) return refusal;

    // On the wire it is a limit order: its kind is limit, and it has the type code of one.
    const order = newOrder(venue, 'iceberg', 'limit', place, account, market);
    order.price = price;
    order.timeInForce = 'GTC';
    order.algoState = { displaySize } satisfies Iceberg;
    admit(venue, order);
    reserveNeeded(venue, order);
    enterLimit(venue, order);
    return [order];
  },

  nextSlice(order) {
    return Math.min(stateOf(order).displaySize, order.remaining);
  },

  describe(venue, order) {
    return {
      name: 'iceberg',
      terms: { displaySize: { lots: stateOf(order).displaySize } },
      progress: { displayedSize: { lots: shownLots(venue, order) } },
    };
  },
});

function stateOf(order: Order): Iceberg {
  return order.algoState as Iceberg;
}
