/**
 * TRAILING: a stop that follows the extreme of its reference price and only ever tightens. It fires a MARKET order
 * (rules 8.1 to 8.10). It is armed at placement, or once the activation price is reached.
 *
 * The stop is on a tick, rounded away from the market. A stop below one tick is not watched, because it cannot fire.
 */

import type { PlaceTrailing } from '../contract/commands.ts';
import { ceilDiv, floorDiv } from '../contract/decimal.ts';
import { BUY, FINE, HUNDRED_PERCENT, type Reference, STOP_HEADROOM } from '../contract/units.ts';
import { marketTime, startValidity } from '../execution/enter-book.ts';
import { fire, triggerOf, waitsFor } from '../execution/fire-trigger.ts';
import { admit, newOrder } from '../execution/new-order.ts';
import { reserveNeeded, waitingCovered } from '../risk/funds.ts';
import { priceInLimits, sizeInLimits } from '../risk/limits.ts';
import { goWithPosition } from '../risk/reduce-only.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import type { Observation, VenueState } from '../state/venue-state.ts';
import { type Algo, shaped } from './shape.ts';

interface Trailing {
  /** Exactly one is set: a fine price, or parts of the extreme. */
  readonly distance: number | null;
  readonly percent: number | null;
  /** Ticks. */
  readonly activation: number | null;
  readonly activationReference: Reference | null;
  /** The activation price was reached, or the order has none. */
  activated: boolean;
  armed: boolean;
  /** Fine price. 0 while it is not armed. */
  extreme: number;
}

export const trailing: Algo<PlaceTrailing> = shaped({
  name: 'trailing',

  accept(venue, place, account, market) {
    const { side, activation, reference, distance, percent } = place;
    const refusal =
      sizeInLimits(market, 'size', place.size) ??
      priceInLimits(market, 'activation', activation) ??
      waitingCovered(venue, account, market, side, place);
    if (refusal !== null) return refusal;

    const order = newOrder(venue, 'trailing', 'trailing', place, account, market);
    order.state = 'waiting';
    const up = side === BUY;
    order.trigger = { rule: 'stop', reference, price: 0, original: 0, up, fired: false, firedStep: 0, limit: null };
    const activationReference = activation === null ? null : (place.activationReference ?? reference);
    const state: Trailing = {
      ...{ distance, percent, activation, activationReference },
      ...{ activated: false, armed: false, extreme: 0 },
    };
    order.algoState = state;
    order.timeInForce = marketTime(place.timeInForce);
    admit(venue, order);
    goWithPosition(venue, order);
    reserveNeeded(venue, order);
    if (!waitsFor(market, order, activationReference, activation)) activate(venue, order, state, null);
    startValidity(venue, order);
    return [order];
  },

  onTrigger(venue, order, seen) {
    const state = stateOf(order);
    if (state.activated) fire(venue, order, seen);
    else activate(venue, order, state, seen);
  },

  onPrice(venue, order, fine) {
    follow(venue, order, stateOf(order), fine);
  },

  onLoad(venue, order) {
    if (stateOf(order).activated)
      venue.market(order).triggers.follow(order, triggerOf(order).reference, 'beforeTriggers');
  },

  describe(_venue, order) {
    const { distance, percent, activation, activationReference, activated, armed, extreme } = stateOf(order);
    return {
      name: 'trailing',
      terms: {
        distance: { fine: distance },
        percent: { parts: percent },
        activation: { ticks: activation },
        activationReference,
      },
      progress: { activated, armed, extreme: { fine: armed ? extreme : null } },
    };
  },
});

function stateOf(order: Order): Trailing {
  return order.algoState as Trailing;
}

/** From now on the order follows its reference. If there is a price, it is armed at once. */
function activate(venue: VenueState, order: Order, state: Trailing, seen: Observation | null): void {
  const { reference } = triggerOf(order);
  const market = venue.market(order);
  market.triggers.unwatch(order);
  state.activated = true;
  market.triggers.follow(order, reference, 'beforeTriggers');
  const fine = seen?.reference === reference ? seen.fine : market.fresh(reference);
  if (fine !== 0) follow(venue, order, state, fine);
}

/** Updates the extreme with a new reference price, and moves the stop if that tightens it. */
function follow(venue: VenueState, order: Order, state: Trailing, fine: number): void {
  const trigger = triggerOf(order);
  const market = venue.market(order);
  const further = order.side === BUY ? fine < state.extreme : fine > state.extreme;
  if (state.armed && !further) return;
  state.extreme = fine;
  const stop = stopTicks(market, order, state);
  const first = !state.armed;
  state.armed = true;
  if (!first && stop === trigger.price) return;
  trigger.price = stop;
  if (first) trigger.original = stop;
  market.triggers.unwatch(order);
  if (stop >= 1) market.triggers.watch(order, trigger.reference, stop, order.side === BUY);
  venue.changed(order, first ? 'armed' : 'repriced', { extreme: { fine } });
}

function stopTicks(market: Market, order: Order, { extreme, distance, percent }: Trailing): number {
  const fine = BigInt(extreme);
  const sign = order.side === BUY ? 1n : -1n;
  const scale = percent === null ? 1n : HUNDRED_PERCENT;
  const value = percent === null ? BigInt(distance ?? 0) : fine * BigInt(percent);
  const stop = fine * scale + sign * value;
  const unit = scale * BigInt(FINE);
  const ticks = Number(order.side === BUY ? ceilDiv(stop, unit) : floorDiv(stop, unit));
  return Math.max(0, Math.min(ticks, STOP_HEADROOM * market.maxPriceTicks));
}
