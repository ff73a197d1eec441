/**
 * Matching: an incoming order against the book, in price-time order, at the resting order's price.
 *
 * A futures fill is clipped to what is solvent for both sides (solvency.ts). A spot order fills nothing while a
 * foreseeable price needs the money that it pays with. Each fill is settled before the next one (settlement.ts).
 *
 * Cost: O(1) for a spot fill. While a price is foreseeable, the perpetual markets of the account are visited. On futures
 * each market where one of the accounts has a position is visited, and a clipped fill searches. The cost of the book and
 * of the settlement comes on top.
 */

import type { VenueConfig } from '../contract/commands.ts';
import type { Figures } from '../contract/events.ts';
import { ending } from '../contract/reasons.ts';
import * as units from '../contract/units.ts';
import { beyond, opposite } from '../contract/units.ts';
import { marginStateOf } from '../risk/margin-state.ts';
import { reducible } from '../risk/reduce-only.ts';
import { mostSolvent, solventTicks } from '../risk/solvency.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { VenueState } from '../state/venue-state.ts';
import {
  affordable,
  marginEnding,
  mustCheckForeseeablePrices,
  paysWithMoneyAtRisk,
  takerMarginState,
} from './fill-checks.ts';
import { finish } from './finish.ts';
import { takeFromHouse } from './house-fills.ts';
import { makerRateOf, settle } from './settlement.ts';

const { HOUSE, NONE } = units;

/**
 * Why a sweep stopped:
 * - done: nothing is left to fill
 * - limit: the book has nothing within the limit
 * - selfTrade: it met an order of its own account
 * - spent: the quote is spent
 * - margin: the taker's margin allows no more at that price
 * - ownAhead: it must stop before an order of its own account
 * - full: the accounts can hold no more of what it would get from a recorded market
 */
export type Stop = 'done' | 'limit' | 'selfTrade' | 'spent' | 'margin' | 'ownAhead' | 'full';

/** Takes up to `lots` for `taker` at prices no worse than `limitTicks`. */
export function sweep(venue: VenueState, taker: Order, limitTicks: number, lots: number): Stop {
  const market = venue.markets[taker.market];
  const book = market.book;
  const against = opposite(taker.side);
  const { orders } = venue;
  const checksForeseeable = mustCheckForeseeablePrices(venue, market);
  let left = lots;
  while (left > 0) {
    const entry = book.front(against);
    if (entry === NONE) return 'limit';
    const price = book.price(entry);
    if (beyond(taker.side, price, limitTicks)) return 'limit';
    let fill = left;
    if (taker.quoteOriginal !== null) {
      fill = Math.min(fill, affordable(venue, taker, market, price, taker.quoteRemaining));
      if (fill === 0) return 'spent';
    }
    const owner = book.owner(entry);
    if (owner === HOUSE) {
      const taken = takeFromHouse(venue, market, taker, entry, fill);
      if (taken === NONE) return 'margin';
      if (taken === 0) return 'full';
      left -= taken;
      continue;
    }
    const maker = orders.bySlot(owner);
    if (orders.accountOf(owner) === taker.account) {
      const rule = selfTradeRule(venue, taker, maker);
      if (rule === 'stopBefore') return 'ownAhead';
      if (rule === 'cancelIncoming') return 'selfTrade';
      cancelOwnResting(venue, maker, taker);
      if (rule === 'cancelBoth') return 'selfTrade';
      continue;
    }
    fill = Math.min(fill, book.size(entry));
    if (maker.reduceOnly) {
      fill = Math.min(fill, reducible(venue, maker));
      if (fill === 0) {
        finish(venue, maker, 'cancelled', ending('positionClosed'));
        continue;
      }
    }
    if (checksForeseeable) {
      if (paysWithMoneyAtRisk(venue, taker)) return 'margin';
      if (paysWithMoneyAtRisk(venue, maker)) {
        finish(venue, maker, 'cancelled', marginEnding(market, NONE));
        continue;
      }
    }
    if (market.product === 'spot') settle(venue, market, taker, maker, price, fill);
    else {
      fill = settleSolvent(venue, market, taker, maker, price, fill);
      if (fill === NONE) return 'margin';
    }
    left -= fill;
  }
  return 'done';
}

/**
 * A futures fill, clipped to what is solvent for both sides. A maker that is clipped ends. Returns the lots, or NONE if
 * the margin of the taker allows none.
 */
function settleSolvent(
  venue: VenueState,
  market: Market,
  taker: Order,
  maker: Order,
  price: number,
  lots: number,
): number {
  // The taker is checked first. A liquidation order follows rules in close-position.ts.
  const most = taker.liquidation === null ? mostSolvent(takerMarginState(venue, taker), price, lots) : lots;
  if (most === 0) return NONE;
  const makerState = marginStateOf(venue, maker, makerRateOf(venue, maker));
  const makerMost = mostSolvent(makerState, price, most);
  const isClipped = makerMost < most;
  const ending = isClipped ? marginEnding(market, solventTicks(makerState, maker.remaining)) : null;
  if (makerMost > 0) settle(venue, market, taker, maker, price, makerMost);
  if (isClipped && maker.live) finish(venue, maker, 'cancelled', ending);
  return makerMost;
}

/**
 * What happens when a taker meets an order of its own account. Self-trade prevention must not stop a triggered or
 * reduce-only taker, because it protects a position: the resting order is cancelled. One exception comes first: a kind
 * with `stopsBeforeOwn` stops before orders of the same kind. Other takers follow the rule of their algo, or the
 * venue's.
 */
export function selfTradeRule(venue: VenueState, taker: Order, maker: Order): VenueConfig['selfTrade'] | 'stopBefore' {
  if (behaviourOf(taker).stopsBeforeOwn === true && maker.algo === taker.algo) return 'stopBefore';
  if (taker.reduceOnly || taker.trigger?.fired === true) return 'cancelResting';
  return behaviourOf(taker).selfTrade ?? venue.genesis.config.selfTrade;
}

/**
 * The order of its own account that stopped a taker, for the taker's ending. Undefined if that order has ended too, as
 * cancelBoth has it: then its own ending names the taker.
 */
export function ownMaker(venue: VenueState, taker: Order): Figures | undefined {
  const { book } = venue.market(taker);
  const entry = book.front(opposite(taker.side));
  const owner = entry === NONE ? HOUSE : book.owner(entry);
  if (owner === HOUSE || venue.orders.accountOf(owner) !== taker.account) return undefined;
  const maker = venue.orders.bySlot(owner);
  const ended = selfTradeRule(venue, taker, maker) === 'cancelBoth';
  return ended ? undefined : { maker: { order: maker.key } };
}

/** What happens to the resting order of the same account under cancelResting and cancelBoth. */
function cancelOwnResting(venue: VenueState, maker: Order, taker: Order): void {
  const { onSelfTrade } = behaviourOf(maker);
  if (onSelfTrade !== undefined) onSelfTrade(venue, maker);
  else finish(venue, maker, 'cancelled', ending('selfTrade'), { taker: { order: taker.key } });
}
