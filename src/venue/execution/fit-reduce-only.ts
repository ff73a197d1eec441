/**
 * Reduce-only orders follow their position once a fill has changed it (semantics.md section 11): resting ones shrink to it, least
 * aggressive first, and never grow back; when it is gone, so are they, the orders attached to it, and the reduce-only triggers
 * that were placed while it was there.
 */

import { ending } from '../contract/reasons.ts';
import { BUY, NONE, SELL } from '../contract/units.ts';
import { reducersOf } from '../risk/reduce-only.ts';
import type { Account } from '../state/ledger.ts';
import type { Market } from '../state/market.ts';
import type { Order } from '../state/order.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { Position } from '../state/position.ts';
import type { Desk } from '../state/venue-state.ts';
import { finish } from './finish.ts';

/** Brings the reduce-only orders of one position in line with it. A closed isolated position is then forgotten. */
export function adjustReducers(desk: Desk, account: Account, market: Market, position: Position): void {
  if (position.reducers.size > 0) fit(desk, position);
  if (account.holding(market.index).forget(position)) desk.unbind(account, market, position);
}

function fit(desk: Desk, position: Position): void {
  const orders = reducersOf(desk, position);
  for (const side of [BUY, SELL] as const) {
    const room = Math.max(0, side === SELL ? position.size : -position.size);
    const mine = orders.filter((order) => order.side === side);
    if (room === 0) {
      for (const order of mine) if (order.live) finish(desk, order, 'cancelled', ending('positionClosed'));
      continue;
    }
    shrink(
      desk,
      mine.filter((order) => order.live && order.entry !== NONE),
      room,
    );
    for (const order of mine) if (order.state === 'waiting') behaviourOf(order).fit?.(desk, order, room);
  }
}

function shrink(desk: Desk, resting: Order[], room: number): void {
  if (resting.length === 0) return;
  const { book } = desk.market(resting[0]);
  let excess = resting.reduce((sum, order) => sum + book.size(order.entry), 0) - room;
  const passive = (order: Order) => (order.side === BUY ? -book.price(order.entry) : book.price(order.entry));
  resting.sort((a, b) => passive(b) - passive(a) || b.key - a.key);
  for (const order of resting) {
    if (excess <= 0) return;
    const size = book.size(order.entry);
    const cut = Math.min(size, excess);
    excess -= cut;
    if (cut === size) {
      finish(desk, order, 'cancelled', ending('positionCovered'));
      continue;
    }
    desk.shrink(order, cut);
    desk.changed(order, 'reduced');
    behaviourOf(order).onReduced?.(desk, order);
  }
}
