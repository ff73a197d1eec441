/**
 * Reduce-only orders never take more than the position (rules 11.17 to 11.23).
 *
 * - Each is clipped to the position when it enters, and again when it matches.
 * - Several resting ones may together exceed the position, for example while a take-profit is moved by placing the new
 *   one first. When a fill changes the position, they shrink to it, least aggressive first, and never grow back.
 * - When the position is closed, they end. So do the orders attached to it, and the reduce-only triggers that were
 *   placed while it was open.
 */

import { type Refusal, refuse } from '../contract/reasons.ts';
import type { Side } from '../contract/units.ts';
import * as units from '../contract/units.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import type { Position } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';

const { BUY } = units;

/** Lots that a reduce-only order can still take off its position. */
export function reducible(venue: VenueState, order: Order): number {
  return venue.account(order).positionsIn(order.market).reducible(order.positionId, order.side);
}

/**
 * The lots of an order that is to reduce, clipped to the position (by number; null: the one that follows from the
 * side). Refused if there is no position to reduce.
 */
export function clipToPosition(
  account: Account,
  market: Market,
  side: Side,
  lots: number,
  position: number | null = null,
): number | Refusal {
  const marketPositions = account.positionsIn(market.index);
  const id = position ?? marketPositions.bind(side, true);
  const room = marketPositions.reducible(id, side);
  if (room > 0) return Math.min(lots, room);
  return refuse('reduceOnlyWithoutPosition', {
    symbol: market.symbol,
    side: side === BUY ? 'BUY' : 'SELL',
    position: marketPositions.byId(id)?.size ?? 0,
  });
}

/** Links a reduce-only trigger that was just placed to its position, if there is one. It ends with the position. */
export function goWithPosition(venue: VenueState, order: Order): void {
  if (!order.reduceOnly || order.trigger === null || reducible(venue, order) === 0) return;
  order.trigger.withPosition = true;
  joinPosition(venue, order);
}

/** From now on the order ends with its position. What it may fill is checked when it fires. */
export function joinPosition(venue: VenueState, order: Order): void {
  if (order.trigger?.withPosition) venue.positionOf(order)?.reduceOnlyOrders.add(order.key);
}

/** The live orders that end with the position, oldest first. */
export function reduceOnlyOrdersOf(venue: VenueState, position: Position | undefined): Order[] {
  const keys = [...(position?.reduceOnlyOrders ?? [])].sort((a, b) => a - b);
  return keys.map((key) => venue.orders.byKey(key)).filter((order) => order?.live === true) as Order[];
}
