/**
 * What fills mean for others, once the sweep that made them is over: the order's group, its attached orders, the reduce-only
 * orders of the position, spot orders whose money is gone, and the mark. Not during it: most of these take orders off the
 * book that the sweep walks, and all fills of a sweep are judged at the mark before it.
 *
 * Invariant: after it `desk.touched`, `desk.overReserved` and `desk.printed` are empty. Everything that sweeps calls it before
 * its step ends.
 *
 * Cost: nothing where fills concern nobody else; else for each fill its group, and the reduce-only orders of its position.
 */

import { adjustReducers } from '../execution/fit-reduce-only.ts';
import { releaseReserves } from '../execution/release-reserves.ts';
import { moveMark } from '../prices/mark-and-funding.ts';
import { behaviourOf } from '../state/order-behaviour.ts';
import type { Desk } from '../state/venue-state.ts';
import { coverOpened } from './attached.ts';

export function afterSweep(desk: Desk): void {
  tellOthers(desk);
  if (desk.overReserved.size > 0) releaseReserves(desk);
  for (const market of desk.printed) moveMark(desk, market);
  desk.printed.length = 0;
}

function tellOthers(desk: Desk): void {
  if (desk.touched.length === 0) return;
  for (let i = 0; i < desk.touched.length; i++) {
    const order = desk.touched[i];
    behaviourOf(order).onFill?.(desk, order);
    if (order.product !== 'futures') continue;
    coverOpened(desk, order);
    const position = desk.positionOf(order);
    if (position !== undefined) adjustReducers(desk, desk.account(order), desk.market(order), position);
  }
  desk.touched.length = 0;
}
