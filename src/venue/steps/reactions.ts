/**
 * What a command sets off: one queue of observations, processed until it is empty (rules 3.8 to 3.16). An
 * observation is one new price of one reference. For each, in this order:
 * 1. Trailing stops that follow the price.
 * 2. Triggers: the nearest to the previous price first, buys and sells together, then the oldest.
 * 3. Pegs: all that move leave the book, then they enter by age.
 * 4. Algos that the price starts.
 * 5. Liquidations, if the price is a mark.
 *
 * If a new mark makes an account's equity negative, its positions are closed out before all this, and after each
 * reaction (closeBankrupt).
 *
 * Bound: an order fires at most once in a step, and a follower sees an observation once.
 */

import { afterSweep } from '../algos/after-sweep.ts';
import * as units from '../contract/units.ts';
import { checkHolders, closeBankrupt } from '../liquidation/liquidation.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { Observation, VenueState } from '../state/venue-state.ts';

const { FINE, NONE } = units;

const NOBODY: Order[] = [];

export function processObservations(venue: VenueState): void {
  closeBankrupt(venue);
  for (;;) {
    for (let i = 0; i < venue.observed; i++) react(venue, venue.observations[i]);
    venue.observed = 0;
    if (venue.entered.length === 0) return;
    checkEntered(venue, venue.entered.shift() as number);
  }
}

/** Fires a trigger that this command placed, if its condition is already true. */
function checkEntered(venue: VenueState, key: number): void {
  const order = venue.orders.byKey(key);
  const trigger = order?.trigger;
  if (order === undefined || !trigger || order.watch === NONE || trigger.fired) return;
  const fine = venue.market(order).fresh(trigger.reference);
  const at = trigger.price * FINE;
  if (fine === 0 || !(trigger.up ? fine >= at : fine <= at)) return;
  causedBy(venue, { market: venue.market(order), reference: trigger.reference, fine }, order);
  trip(venue, order, null);
}

/** From here on, what happens is caused by this price. `order`: the one that reacts to it. */
function causedBy(
  venue: VenueState,
  { market, reference, fine }: Omit<Observation, 'previous'>,
  order: Order | null,
): void {
  const key = order === null ? null : order.key;
  venue.emit.causeChanged?.({
    type: 'causeChanged',
    cause: { by: 'price', market: market.index, reference, fine, order: key },
  });
}

function trip(venue: VenueState, order: Order, seen: Observation | null): void {
  behaviourOf(order).onTrigger?.(venue, order, seen);
  reacted(venue);
}

/**
 * Handles the fills of one reaction. Then it closes the accounts that the new mark has put below zero, before the next
 * reaction.
 */
function reacted(venue: VenueState): void {
  afterSweep(venue);
  closeBankrupt(venue);
}

function react(venue: VenueState, seen: Observation): void {
  const { market, reference } = seen;
  causedBy(venue, seen, null);
  if (market.halted || market.stale(reference)) return;
  if (!market.triggers.isIdle) {
    passPriceOn(venue, seen);
    direct(venue, seen);
    fireReached(venue, seen);
  }
  if (reference === 'mark') checkHolders(venue, market);
}

function fireReached(venue: VenueState, seen: Observation): void {
  const { market, reference } = seen;
  const slots = market.triggers.reached(reference, seen.fine);
  if (slots.length === 0) {
    move(venue, seen);
    return;
  }
  const reached = slots.map((slot) => venue.orders.bySlot(slot));
  if (reached.length > 1) sortByDistance(reached, seen);
  const keys = reached.map((order) => order.key);
  const trigger = (last: boolean) => {
    for (let i = 0; i < reached.length; i++) {
      const order = reached[i];
      // Meanwhile another order may use the same slot.
      if (order.key === keys[i] && (behaviourOf(order).startsLast === true) === last) tripReached(venue, order, seen);
    }
  };
  trigger(false);
  move(venue, seen);
  trigger(true);
}

function tripReached(venue: VenueState, order: Order, seen: Observation): void {
  const firedNow = order.trigger !== null && order.trigger.firedStep === venue.step;
  if (order.watch === NONE || order.watchReference !== seen.reference || firedNow) return;
  causedBy(venue, seen, order);
  trip(venue, order, seen);
}

/** Passes the price to the orders that follow it before the triggers, by age. */
function passPriceOn(venue: VenueState, seen: Observation): void {
  for (const order of followersOf(venue, seen, 'beforeTriggers')) {
    if (!order.live || order.trigger?.fired) continue;
    causedBy(venue, seen, order);
    behaviourOf(order).onPrice?.(venue, order, seen.fine);
    reacted(venue);
  }
}

/** Orders that follow the price after the triggers move as a group, so none of them meets another at its old price. */
function move(venue: VenueState, seen: Observation): void {
  const moving = followersOf(venue, seen, 'afterTriggers').filter((order) => behaviourOf(order).leaves?.(venue, order));
  for (const order of moving) {
    if (!order.live) continue;
    causedBy(venue, seen, order);
    behaviourOf(order).enters?.(venue, order);
    reacted(venue);
  }
}

/** By age. They are stored in the order in which they began to follow, which a loaded venue does not know. */
function followersOf(venue: VenueState, seen: Observation, when: 'beforeTriggers' | 'afterTriggers'): Order[] {
  const followers = seen.market.triggers.followers(seen.reference, when);
  if (followers.size === 0) return NOBODY;
  const orders = [...followers].sort((a, b) => a - b).map((key) => venue.orders.byKey(key));
  return orders.filter((order) => order?.live) as Order[];
}

/**
 * Gives a direction to the triggers that were accepted before the reference had a price. Its first price, or the first
 * one observed after a halt, decides it.
 */
function direct(venue: VenueState, seen: Observation): void {
  const { triggers } = seen.market;
  const waiting = triggers.undirected(seen.reference);
  if (waiting.size === 0) return;
  for (const key of [...waiting]) {
    const order = venue.orders.byKey(key);
    if (order === undefined) throw new Error(`order ${key} waits undirected, but does not exist`);
    const ticks = order.watchTicks;
    const up = ticks * FINE >= seen.fine;
    triggers.unwatch(order);
    if (order.trigger !== null && order.trigger.up === null) order.trigger.up = up;
    triggers.watch(order, seen.reference, ticks, up);
  }
}

function sortByDistance(orders: Order[], seen: Observation): void {
  const from = seen.previous === 0 ? seen.fine : seen.previous;
  const distance = new Map(orders.map((order) => [order, Math.abs(order.watchTicks * FINE - from)]));
  orders.sort((a, b) => (distance.get(a) ?? 0) - (distance.get(b) ?? 0) || a.key - b.key);
}
