/**
 * Adjusts reduce-only orders to their position after a fill has changed it (rules 11.19 to 11.22). Resting orders
 * shrink to it, least aggressive first, and never grow back. When the position is closed, they end. So do the orders
 * attached to it, and the reduce-only triggers that were placed while it was open.
 */

import { ending } from '../contract/reasons.ts';
import * as units from '../contract/units.ts';
import { reduceOnlyOrdersOf } from '../risk/reduce-only.ts';
import { unbind } from '../state/exposure.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { Position } from '../state/position.ts';
import type { VenueState } from '../state/venue-state.ts';
import { finish } from './finish.ts';

const { BUY, NONE, SELL } = units;

/** Adjusts the reduce-only orders of one position. A closed isolated position is then removed. */
export function fitReduceOnlyOrders(venue: VenueState, account: Account, market: Market, position: Position): void {
  if (position.reduceOnlyOrders.size > 0) fit(venue, position);
  if (account.positionsIn(market.index).forget(position)) unbind(account, market, position, venue.liveOrders(account));
}

function fit(venue: VenueState, position: Position): void {
  const orders = reduceOnlyOrdersOf(venue, position);
  for (const side of [BUY, SELL] as const) {
    const room = Math.max(0, side === SELL ? position.size : -position.size);
    const mine = orders.filter((order) => order.side === side);
    if (room === 0) {
      for (const order of mine) if (order.live) finish(venue, order, 'cancelled', ending('positionClosed'));
      continue;
    }
    shrink(
      venue,
      mine.filter((order) => order.live && order.entry !== NONE),
      room,
    );
    for (const order of mine) if (order.state === 'waiting') behaviourOf(order).fit?.(venue, order, room);
  }
}

function shrink(venue: VenueState, resting: Order[], room: number): void {
  if (resting.length === 0) return;
  const { book } = venue.market(resting[0]);
  let excess = resting.reduce((sum, order) => sum + book.size(order.entry), 0) - room;
  const passive = (order: Order) => (order.side === BUY ? -book.price(order.entry) : book.price(order.entry));
  resting.sort((a, b) => passive(b) - passive(a) || b.key - a.key);
  for (const order of resting) {
    if (excess <= 0) return;
    const size = book.size(order.entry);
    const cut = Math.min(size, excess);
    excess -= cut;
    if (cut === size) {
      finish(venue, order, 'cancelled', ending('positionCovered'));
      continue;
    }
    venue.shrink(order, cut);
    venue.changed(order, 'reduced');
    behaviourOf(order).onReduced?.(venue, order);
  }
}
