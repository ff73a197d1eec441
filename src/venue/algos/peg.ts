/**
 * PEG: a limit order that follows the index at a deviation and shows one slice at a time. Its own price and the band
 * limit it (rules 9.1 to 9.12). It reserves the money for that price. If it meets a peg of its own account, it
 * stops one tick before that (rule 4.14), and stays there until the index moves.
 */

import type { PlacePeg } from '../contract/commands.ts';
import { mulDivCeil } from '../contract/decimal.ts';
import { ending } from '../contract/reasons.ts';
import { BUY, FINE, HUNDRED_PERCENT } from '../contract/units.ts';
import { endedBySweep } from '../execution/enter-book.ts';
import { finish } from '../execution/finish.ts';
import { releaseMargin } from '../execution/fire-trigger.ts';
import { ownMaker, sweep } from '../execution/matching.ts';
import { admit, newOrder } from '../execution/new-order.ts';
import { freshToOpen, limitCovered, reserveNeeded } from '../risk/funds.ts';
import { priceInLimits, sizeInLimits } from '../risk/limits.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import type { VenueState } from '../state/venue-state.ts';
import { type Algo, shaped, shownLots } from './shape.ts';

interface Peg {
  /** Parts of the size, and parts of the index. */
  readonly stealth: number;
  readonly deviation: number;
  /** Lots that a slice shows. */
  readonly slice: number;
  /** Its present price in ticks. 0 while there is no index. */
  effective: number;
  /** It has waited for an index without margin, so its margin is checked when it enters. */
  waited: boolean;
}

export const peg: Algo<PlacePeg> = shaped({
  name: 'peg',
  stopsBeforeOwn: true,

  accept(venue, place, account, market) {
    const { price, size, stealth, deviation } = place;
    const opening = { ...place, reduceOnly: false };
    const refusal =
      sizeInLimits(market, 'size', size) ??
      priceInLimits(market, 'price', price) ??
      freshToOpen(account, market, opening, size) ??
      limitCovered(venue, account, market, opening, size);
    if (refusal !== null) return refusal;

    const order = newOrder(venue, 'peg', 'peg', place, account, market);
    order.price = price;
    order.timeInForce = 'GTC';
    const slice = Number(mulDivCeil(BigInt(size), BigInt(stealth), HUNDRED_PERCENT));
    order.algoState = { stealth, deviation, slice, effective: 0, waited: false } satisfies Peg;
    admit(venue, order);
    reserveNeeded(venue, order);
    market.triggers.follow(order, 'index', 'afterTriggers');
    if (leave(venue, order)) enter(venue, order);
    return [order];
  },

  leaves: leave,
  enters: enter,

  nextSlice(order) {
    return Math.min(stateOf(order).slice, order.remaining);
  },

  onLoad(venue, order) {
    venue.market(order).triggers.follow(order, 'index', 'afterTriggers');
  },

  describe(venue, order) {
    const { stealth, deviation, slice, effective } = stateOf(order);
    return {
      name: 'peg',
      terms: { stealth: { parts: stealth }, deviation: { parts: deviation } },
      progress: {
        displayedSize: { lots: shownLots(venue, order) },
        waitingFor: effective === 0 ? 'index' : null,
        price: { ticks: effective === 0 ? null : effective },
        slice: { lots: slice },
      },
    };
  },
});

function stateOf(order: Order): Peg {
  return order.algoState as Peg;
}

/**
 * Leaves the book, to enter again at the price that follows from the present index. Returns false if it is already at
 * that price.
 */
function leave(venue: VenueState, order: Order): boolean {
  const state = stateOf(order);
  const effective = effectiveTicks(venue.market(order), order, state.deviation);
  if (effective === 0 || effective === state.effective) return false;
  if (state.effective === 0) state.waited = true;
  venue.withdraw(order);
  state.effective = effective;
  return true;
}

function enter(venue: VenueState, order: Order): void {
  const state = stateOf(order);
  if (state.waited) {
    state.waited = false;
    const refusal = releaseMargin(venue, order, order.price);
    if (refusal !== null) {
      finish(venue, order, 'rejected', refusal);
      return;
    }
  }
  const stop = sweep(venue, order, state.effective, order.remaining);
  if (stop === 'ownAhead' && !stepBack(venue.market(order), order, state)) {
    finish(venue, order, 'cancelled', ending('selfTrade'), ownMaker(venue, order));
    return;
  }
  if (endedBySweep(venue, order, stop)) return;
  venue.rest(order, state.effective, Math.min(state.slice, order.remaining));
  const { indexPrice } = venue.market(order);
  venue.changed(order, 'repriced', { price: { ticks: state.effective }, index: { fine: indexPrice } });
}

/** Moves the price to the tick before the own peg that is ahead. Returns false if there is no such tick. */
function stepBack(market: Market, order: Order, state: Peg): boolean {
  const ahead = market.bestOpposite(order.side);
  const ticks = order.side === BUY ? ahead - 1 : ahead + 1;
  if (ticks < 1 || ticks > market.maxPriceTicks) return false;
  state.effective = ticks;
  return true;
}

/**
 * index × (1 + deviation) on a tick (BUY rounded down, SELL up), within the band and the market's prices. 0 without an
 * index.
 */
function effectiveTicks(market: Market, order: Order, deviation: number): number {
  if (market.indexPrice === 0) return 0;
  const scaled = BigInt(market.indexPrice) * (HUNDRED_PERCENT + BigInt(deviation));
  const unit = HUNDRED_PERCENT * BigInt(FINE);
  const bandLimit = market.limitWithin(order.side, market.bandReference || market.indexPrice, market.band);
  if (order.side === BUY) return Math.max(1, Math.min(Number(scaled / unit), order.price, bandLimit));
  return Math.min(Math.max(Number((scaled + unit - 1n) / unit), order.price, bandLimit), market.maxPriceTicks);
}
