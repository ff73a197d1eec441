/**
 * LIMIT and MARKET orders. When `accept` returns, the order was checked, its money was reserved, it was matched, and it
 * rests or has ended.
 *
 * Invariant: every check comes before the order is created, so a refusal has changed nothing. Cost: the checks, and
 * what the order sweeps. A resting order watches and follows no price, and a fill calls no code of its kind.
 */

import type { PlaceLimit, PlaceMarket } from '../contract/commands.ts';
import type { Refusal } from '../contract/reasons.ts';
import * as units from '../contract/units.ts';
import { enterLimit, enterMarket, marketTime, startValidity } from '../execution/enter-book.ts';
import { admit, lotsPlaced, newOrder } from '../execution/new-order.ts';
import { mayRest, placedWithinEquity } from '../risk/bankruptcy.ts';
import { attachedOnSide, priceInBand, quoteInLimits } from '../risk/checks.ts';
import { covered, freshToOpen, limitCovered, marketCovered, reserveNeeded, spotCost } from '../risk/funds.ts';
import { priceInLimits, sizeInLimits } from '../risk/limits.ts';
import { bind } from '../state/exposure.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { VenueState } from '../state/venue-state.ts';
import { type Algo, shaped } from './shape.ts';

const { NONE } = units;

export const limitOrder: Algo<PlaceLimit> = shaped({
  name: 'limit',
  amendable: 'order',

  accept(venue, place, account, market) {
    const { side, price } = place;
    const refusal =
      sizeRefusal(market, place) ??
      priceInLimits(market, 'price', price) ??
      priceInBand(market, side, price) ??
      attachedOnSide(market, side, place, price);
    if (refusal !== null) return refusal;
    const position = place.reduceOnly ? (place.position ?? null) : null;
    const lots = lotsPlaced(account, market, place, position);
    if (typeof lots !== 'number') return lots;
    const short =
      freshToOpen(account, market, place, lots) ??
      (mayRest(place.timeInForce) ? placedWithinEquity(account, market, place, position) : null) ??
      limitCovered(venue, account, market, place, lots);
    if (short !== null) return short;

    const order = newOrder(venue, 'limit', 'limit', place, account, market);
    order.price = price;
    order.quantity = lots;
    order.timeInForce = place.timeInForce;
    order.postOnly = place.postOnly;
    bind(account, order, position);
    admit(venue, order);
    reserveNeeded(venue, order);
    enterLimit(venue, order);
    startValidity(venue, order);
    return [order];
  },
});

export const marketOrder: Algo<PlaceMarket> = shaped({
  name: 'market',

  accept(venue, place, account, market) {
    const refusal = marketRefusal(venue, place, account, market);
    if (refusal !== null) return refusal;
    const position = place.reduceOnly ? (place.position ?? null) : null;
    const lots = lotsPlaced(account, market, place, position);
    if (typeof lots !== 'number') return lots;

    const order = newOrder(venue, 'market', 'market', place, account, market);
    order.quantity = lots;
    order.timeInForce = marketTime(place.timeInForce);
    bind(account, order, position);
    admit(venue, order);
    reserveNeeded(venue, order);
    enterMarket(venue, order);
    return [order];
  },

  /**
   * Sized in base: the most that the band can cost at entry. The order pays during its one sweep, so from the first
   * fill on it reserves nothing.
   */
  reserves(venue, order, account, market, taken) {
    const worst = market.marketLimit(order.side);
    if (order.filled + taken > 0 || worst === NONE) return 0;
    return spotCost(venue, account, market, order.side, worst, order.remaining);
  },
});

/** An order that names the position that it closes may have any size, because it is clipped to the position. */
function sizeRefusal(market: Market, { size, reduceOnly, position }: PlaceLimit | PlaceMarket): Refusal | null {
  const closes = reduceOnly && position != null && size !== null && size > 0;
  return closes ? null : sizeInLimits(market, 'size', size);
}

function marketRefusal(venue: VenueState, terms: PlaceMarket, account: Account, market: Market): Refusal | null {
  const { side, size } = terms;
  const quote = terms.quote === null ? null : BigInt(terms.quote);
  return (
    sizeRefusal(market, terms) ??
    quoteInLimits(venue, account, market, quote) ??
    attachedOnSide(market, side, terms, null) ??
    (quote === null ? null : covered(venue, account, market.quote, quote)) ??
    (size === null ? null : freshToOpen(account, market, terms, size)) ??
    (size === null || terms.reduceOnly ? null : marketCovered(venue, account, market, terms, size))
  );
}
