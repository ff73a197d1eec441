/**
 * Reduce-only orders never take more than there is (semantics.md section 11). Each is clipped to the position as it enters,
 * and again as it matches. Several at rest may together be more than the position (a take-profit that is moved by placing
 * the new one first) until a fill changes it: then they shrink to it, least aggressive first, and never grow back; when it
 * is gone, so are they, the orders attached to it, and the reduce-only triggers that were placed while it was there.
 */

import { type Refusal, refuse } from '../contract/reasons.ts';
import { BUY, type Side } from '../contract/units.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import type { Position } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';

/** Lots that a reduce-only order can still take off its position. */
export function reducible(venue: VenueState, order: Order): number {
  return venue.account(order).positionsIn(order.market).reducible(order.positionId, order.side);
}

/**
 * What an order that is to reduce can be: clipped to the position (by number; null: the one that the side tells), refused
 * without one to reduce. Returns the lots to go on with.
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

/** Binds a reduce-only trigger that was just placed to its position, if there is one: it ends when the position does. */
export function goWithPosition(venue: VenueState, order: Order): void {
  if (!order.reduceOnly || order.trigger === null || reducible(venue, order) === 0) return;
  order.trigger.withPosition = true;
  joinPosition(venue, order);
}

/** From now on the order ends with its position; what it may fill is judged when it fires. */
export function joinPosition(venue: VenueState, order: Order): void {
  if (order.trigger?.withPosition) venue.positionOf(order)?.reduceOnlyOrders.add(order.key);
}

/** The live orders that go when the position goes, oldest first. */
export function reduceOnlyOrdersOf(venue: VenueState, position: Position | undefined): Order[] {
  const keys = [...(position?.reduceOnlyOrders ?? [])].sort((a, b) => a - b);
  return keys.map((key) => venue.orders.byKey(key)).filter((order) => order?.live === true) as Order[];
}
