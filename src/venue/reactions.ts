/**
 * What a command sets off, in one queue, until it is empty: each price that was seen, in order, is one observation of its
 * reference. For an observation: trailing extremes, then triggers (nearest to the previous price first, buys and sells
 * together, then age), then pegs by age, then algo starts, then liquidations (semantics.md section 3).
 *
 * Bounded: an order fires at most once a step, a peg re-prices once an index observation.
 */

import { afterSweep, algoOf } from './algos/index.ts';
import type { Desk, Observation } from './desk.ts';
import { checkHolders } from './liquidation.ts';
import type { Order } from './orders.ts';
import { FINE, NONE } from './units.ts';

export function settleDown(desk: Desk): void {
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

const NO_PEGS: ReadonlySet<number> = new Set();

function trip(desk: Desk, order: Order, seen: Observation | null): void {
  algoOf(order).onTrigger?.(desk, order, seen);
  afterSweep(desk);
}

function react(desk: Desk, seen: Observation): void {
  const { market, reference } = seen;
  if (market.halted || market.stale(reference)) return;
  const trailing = desk.trailing[market.index][reference];
  if (trailing.size > 0) for (const key of [...trailing]) follow(desk, key, seen.fine);
  if (desk.undirected[market.index][reference].size > 0) direct(desk, seen);
  fireReached(desk, seen);
  if (reference === 'mark') checkHolders(desk, market);
}

function fireReached(desk: Desk, seen: Observation): void {
  const { market, reference } = seen;
  const slots = market.triggers.reached(reference, seen.fine);
  const pegs = reference === 'index' ? desk.pegs[market.index] : NO_PEGS;
  if (slots.length === 0 && pegs.size === 0) return;
  const reached = slots.map((slot) => desk.orders.slots[slot]);
  if (reached.length > 1) sortByDistance(reached, seen);
  const keys = reached.map((order) => order.key);
  for (const starts of [false, true]) {
    if (starts) for (const key of [...pegs]) follow(desk, key, seen.fine);
    for (let i = 0; i < reached.length; i++) {
      const order = reached[i];
      if ((order.twap !== null) === starts && order.key === keys[i]) tripReached(desk, order, seen);
    }
  }
}

function tripReached(desk: Desk, order: Order, seen: Observation): void {
  const firedNow = order.trigger !== null && order.trigger.firedStep === desk.step;
  if (order.watch === NONE || order.watchReference !== seen.reference || firedNow) return;
  trip(desk, order, seen);
}

function follow(desk: Desk, key: number, fine: number): void {
  const order = desk.orders.byKey(key);
  if (order === undefined || !order.live || order.trigger?.fired) return;
  algoOf(order).onPrice?.(desk, order, fine);
  afterSweep(desk);
}

/**
 * The first price of a reference (the first seen after a halt) tells which way those have to wait that were accepted before
 * there was one.
 */
function direct(desk: Desk, seen: Observation): void {
  const waiting = desk.undirected[seen.market.index][seen.reference];
  for (const key of [...waiting]) {
    const order = desk.orders.byKey(key);
    waiting.delete(key);
    if (order === undefined || !order.live) continue;
    const level = order.trailing?.activation ?? order.twap?.activation ?? order.trigger?.price ?? 0;
    const up = level * FINE >= seen.fine;
    if (order.kind === 'conditional' && order.trigger !== null) order.trigger.up = up;
    desk.watch(order, seen.reference, level, up);
  }
}

function sortByDistance(orders: Order[], seen: Observation): void {
  const from = seen.previous === 0 ? seen.fine : seen.previous;
  const distance = new Map(orders.map((order) => [order, Math.abs(watchedPrice(order) * FINE - from)]));
  orders.sort((a, b) => (distance.get(a) ?? 0) - (distance.get(b) ?? 0) || a.key - b.key);
}

function watchedPrice(order: Order): number {
  if (order.trailing !== null && !order.trailing.activated) return order.trailing.activation ?? 0;
  return order.twap?.activation ?? order.trigger?.price ?? 0;
}
