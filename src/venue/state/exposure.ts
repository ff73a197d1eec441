/**
 * Which position a futures order works on, and how the lots that it rests count towards the exposure of that position.
 *
 * An order is bound to a position by number. An isolated opening order is bound by its first fill, which creates the
 * position. What still rests of it then counts there.
 *
 * Invariant: `order.exposed` is what the order counts in `exposureSlot` of its account's positions.
 */

import * as units from '../contract/units.ts';
import type { Account } from './ledger.ts';
import type { Market } from './market.ts';
import type { Order } from './order.ts';
import type { Position } from './position.ts';

const { UNOPENED } = units;

/**
 * Binds a futures order to the position that it works on: the given one, or the one that follows from side and mode.
 * Called before the order is admitted, and when a reduce-only trigger fires.
 */
export function bind(account: Account, order: Order, position: number | null = null): void {
  if (order.product === 'spot') return;
  const marketPositions = account.positionsIn(order.market);
  order.positionMode = marketPositions.mode;
  order.positionId = position ?? marketPositions.bind(order.side, order.reduceOnly);
}

/** An isolated position was closed. What is left of the orders that opened it will open another one. */
export function unbind(account: Account, market: Market, position: Position, live: Iterable<Order>): void {
  for (const order of live) {
    if (order.market !== market.index || order.positionId !== position.id || order.reduceOnly) continue;
    const lots = order.exposed;
    order.exposed = 0;
    order.positionId = UNOPENED;
    countUnopened(account, order, 1);
    if (lots > 0) expose(account, market, order, lots);
  }
}

/** Live orders that may open an isolated position count towards the market's maximum. `by`: 1, or −1 at their end. */
export function countUnopened(account: Account, order: Order, by: number): void {
  if (order.product === 'spot' || order.positionMode !== 'ISOLATED') return;
  if (order.positionId === UNOPENED && !order.reduceOnly) account.positionsIn(order.market).unopened += by;
}

/**
 * The position for a fill of this order. From the first fill of an isolated opening order on, what still rests of it
 * counts at the new position.
 */
export function openOrGetPosition(account: Account, market: Market, order: Order): Position {
  const marketPositions = account.positionsIn(order.market);
  if (order.positionId !== UNOPENED) return marketPositions.openOrGetPosition(order);
  const lots = order.exposed;
  unexpose(account, market, order, lots);
  const position = marketPositions.openOrGetPosition(order);
  if (lots > 0) expose(account, market, order, lots);
  return position;
}

/** A resting futures order that may open a position counts `lots` more towards the account's exposure. */
export function expose(account: Account, market: Market, order: Order, lots: number): void {
  order.exposed += lots;
  if (order.exposed < 0) throw new Error(`order ${order.key} (${order.state}) is exposed for ${order.exposed} lots`);
  if (order.price === 0) throw new Error(`order ${order.key} (${order.state}) is exposed and has no price`);
  const slot = account.positionsIn(market.index).exposureSlot(order.side, order.positionId);
  slot.expose(order.side, lots, market.notional(order.price, lots), order.price);
}

/** It counts `lots` less from now on. Nothing happens if it counts nowhere. */
export function unexpose(account: Account, market: Market, order: Order, lots: number): void {
  if (order.exposed > 0) expose(account, market, order, -lots);
}
