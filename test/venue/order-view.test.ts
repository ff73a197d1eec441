/** What the venue gives out of its orders are values: whatever is done to them, the venue stays as it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrderView } from '../../src/venue/contract/order-view.ts';
import { busyVenue, digest, unrest } from './busy-venue.ts';
import type { Desk } from './support.ts';

/** Every field that can be written, at any depth, gets another value. */
function scribble(value: object): void {
  const fields = value as Record<string, unknown>;
  for (const [name, field] of Object.entries(fields)) {
    if (typeof field === 'object' && field !== null) scribble(field);
    if (!Object.isFrozen(value)) fields[name] = 'scribbled';
  }
}

const viewsOf = ({ venue }: Desk): OrderView[] =>
  [0, 1].flatMap((account) => [
    ...venue.openOrders(account, 'spot', null),
    ...venue.openOrders(account, 'futures', null),
  ]);

test('a view of an order is a value: writing into it changes neither the venue nor the next view', () => {
  const desk = busyVenue();
  const before = digest(desk);
  const views = viewsOf(desk);
  const told = structuredClone(views);
  const kinds = new Set(views.map(({ algo }) => algo));
  assert.deepEqual([...kinds].sort(), ['bracket', 'conditional', 'limit', 'oco', 'peg', 'trailing', 'twap']);
  for (const view of views) scribble(view);
  assert.equal(digest(desk), before);
  assert.deepEqual(viewsOf(desk), told);
});

test('the orders of a reply are values, and so is what a look-up finds of them when they have ended', () => {
  const desk = busyVenue();
  const { orders } = desk.run({ type: 'cancelAll', account: 1, product: 'spot', market: null });
  assert.ok(orders.length >= 7);
  const told = structuredClone(orders);
  const before = digest(desk);
  for (const order of orders) scribble(order);
  assert.equal(digest(desk), before);
  const found = told.map(({ key }) => desk.venue.order(1, 'spot', key));
  assert.deepEqual(found, told);
  for (const order of found) scribble(order as OrderView);
  assert.deepEqual(
    told.map(({ key }) => desk.venue.order(1, 'spot', key)),
    told,
  );
});

test('a view stays as it was when the order changes', () => {
  const desk = busyVenue();
  const views = viewsOf(desk);
  const told = structuredClone(views);
  unrest(desk);
  assert.deepEqual(views, told);
  assert.notDeepEqual(viewsOf(desk), told);
});
