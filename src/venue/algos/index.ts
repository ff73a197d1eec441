/**
 * Which code an order belongs to: one line a kind. The rest of the venue calls these functions and knows no algo by name.
 */
import type { Place } from '../commands.ts';
import type { Desk } from '../desk.ts';
import type { Order } from '../orders.ts';
import { adjustReducers } from '../reduce-only.ts';
import { bracket, coverOpened } from './bracket.ts';
import { conditional } from './conditional.ts';
import { oco } from './oco.ts';
import { peg } from './peg.ts';
import { limitOrder, marketOrder } from './plain.ts';
import type { Algo } from './shape.ts';
import { trailing } from './trailing.ts';
import { twap } from './twap.ts';

const BY_KIND: { readonly [K in Place['kind']]: Algo<Extract<Place, { kind: K }>> } = {
  limit: limitOrder,
  market: marketOrder,
  conditional,
  oco,
  trailing,
  peg,
  twap,
};

export function algoFor(place: Place): Algo<Place> {
  return BY_KIND[place.kind] as Algo<Place>;
}

export function algoOf(order: Order): Algo {
  if (order.oco !== null) return oco as Algo;
  if (order.bracketOf !== null) return bracket;
  return BY_KIND[order.kind] as Algo;
}

/** Looks after all that the fills of a sweep concern: groups, attached orders, reduce-only orders of the position. */
export function afterSweep(desk: Desk): void {
  if (desk.touched.length === 0) return;
  for (let i = 0; i < desk.touched.length; i++) {
    const order = desk.touched[i];
    algoOf(order).onFill?.(desk, order);
    if (order.product !== 'futures') continue;
    coverOpened(desk, order);
    const position = desk.positionOf(order);
    if (position !== undefined) adjustReducers(desk, desk.account(order), desk.market(order), position);
  }
  desk.touched.length = 0;
}
