/**
 * What a command sets off, in one queue, until it is empty: each price that was seen, in order, is one observation of its
 * reference. For an observation: who follows the price ahead of the triggers (trailing extremes), then triggers (nearest to
 * the previous price first, buys and sells together, then age), then who follows it after them (pegs: all that move leave
 * the book, then they enter by age), then algos that it starts, then liquidations (semantics.md section 3). Accounts that a
 * new mark has put below zero are closed first, and again after each reaction (closeBankrupt).
 *
 * Bounded: an order fires at most once a step, a follower sees an observation once.
 */

import { afterSweep } from '../algos/after-sweep.ts';
import { FINE, NONE } from '../contract/units.ts';
import { checkHolders, closeBankrupt } from '../liquidation/liquidation.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { Desk, Observation } from '../state/venue-state.ts';

const NOBODY: Order[] = [];

export function settleDown(desk: Desk): void {
  closeBankrupt(desk);
  for (;;) {
    for (let i = 0; i < desk.observed; i++) react(desk, desk.observations[i]);
    desk.observed = 0;
    if (desk.entered.length === 0) return;
    checkEntered(desk, desk.entered.shift() as number);
  }
}

/** A trigger accepted by this command may hold already. */
function checkEntered(desk: Desk, key: number): void {
  const order = desk.orders.byKey(key);
  const trigger = order?.trigger;
  if (order === undefined || !trigger || order.watch === NONE || trigger.fired) return;
  const fine = desk.market(order).fresh(trigger.reference);
  const at = trigger.price * FINE;
  if (fine === 0 || !(trigger.up ? fine >= at : fine <= at)) return;
  trip(desk, order, null);
}

function trip(desk: Desk, order: Order, seen: Observation | null): void {
  behaviourOf(order).onTrigger?.(desk, order, seen);
  reacted(desk);
}

/** Passes on the fills of one reaction, then closes the accounts that the new mark has put below zero, before the next one. */
function reacted(desk: Desk): void {
  afterSweep(desk);
  closeBankrupt(desk);
}

function react(desk: Desk, seen: Observation): void {
  const { market, reference } = seen;
  if (market.halted || market.stale(reference)) return;
  tell(desk, seen);
  direct(desk, seen);
  fireReached(desk, seen);
  if (reference === 'mark') checkHolders(desk, market);
}

function fireReached(desk: Desk, seen: Observation): void {
  const { market, reference } = seen;
  const slots = market.triggers.reached(reference, seen.fine);
  if (slots.length === 0) {
    move(desk, seen);
    return;
  }
  const reached = slots.map((slot) => desk.orders.slots[slot]);
  if (reached.length > 1) sortByDistance(reached, seen);
  const keys = reached.map((order) => order.key);
  const trigger = (last: boolean) => {
    for (let i = 0; i < reached.length; i++) {
      const order = reached[i];
      // A slot may have got another order meanwhile.
      if (order.key === keys[i] && (behaviourOf(order).startsLast === true) === last) tripReached(desk, order, seen);
    }
  };
  trigger(false);
  move(desk, seen);
  trigger(true);
}

function tripReached(desk: Desk, order: Order, seen: Observation): void {
  const firedNow = order.trigger !== null && order.trigger.firedStep === desk.step;
  if (order.watch === NONE || order.watchReference !== seen.reference || firedNow) return;
  trip(desk, order, seen);
}

/** Those that follow the price ahead of the triggers learn it, by age. */
function tell(desk: Desk, seen: Observation): void {
  for (const order of followersOf(desk, seen, 'beforeTriggers')) {
    if (!order.live || order.trigger?.fired) continue;
    behaviourOf(order).onPrice?.(desk, order, seen.fine);
    reacted(desk);
  }
}

/** Orders that follow the price after the triggers move as a group: none of them meets another one at its old price. */
function move(desk: Desk, seen: Observation): void {
  const moving = followersOf(desk, seen, 'afterTriggers').filter((order) => behaviourOf(order).leaves?.(desk, order));
  for (const order of moving) {
    if (!order.live) continue;
    behaviourOf(order).enters?.(desk, order);
    reacted(desk);
  }
}

/** By age: they are kept in the order in which they began to follow, which a loaded venue does not know. */
function followersOf(desk: Desk, seen: Observation, when: 'beforeTriggers' | 'afterTriggers'): Order[] {
  const followers = seen.market.triggers.followers(seen.reference, when);
  if (followers.size === 0) return NOBODY;
  const orders = [...followers].sort((a, b) => a - b).map((key) => desk.orders.byKey(key));
  return orders.filter((order) => order?.live) as Order[];
}

/**
 * The first price of a reference (the first seen after a halt) tells which way those have to wait that were accepted before
 * there was one.
 */
function direct(desk: Desk, seen: Observation): void {
  const { triggers } = seen.market;
  const waiting = triggers.undirected(seen.reference);
  if (waiting.size === 0) return;
  for (const key of [...waiting]) {
    const order = desk.orders.byKey(key);
    if (order === undefined) throw new Error(`order ${key} waits undirected, but is not held`);
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
