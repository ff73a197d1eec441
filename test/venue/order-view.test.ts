/** What the venue gives out of its orders are values: whatever is done to them, the venue stays as it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrderView } from '../../src/venue/contract/order-view.ts';
import { busyVenue, digest, unrest } from './busy-venue.ts';
import type { VenueDriver } from './support.ts';

/** Every field that can be written, at any depth, gets another value. */
function scribble(value: object): void {
  const fields = value as Record<string, unknown>;
  for (const [name, field] of Object.entries(fields)) {
    if (typeof field === 'object' && field !== null) scribble(field);
    if (!Object.isFrozen(value)) fields[name] = 'scribbled';
  }
}

const viewsOf = ({ venue }: VenueDriver): OrderView[] =>
  [0, 1].flatMap((account) => [
    ...venue.openOrders(account, 'spot', null),
    ...venue.openOrders(account, 'futures', null),
  ]);

test('a view of an order is a value: writing into it changes neither the venue nor the next view', () => {
  const driver = busyVenue();
  const before = digest(driver);
  const views = viewsOf(driver);
  const told = structuredClone(views);
  const kinds = new Set(views.map(({ algo }) => algo));
  assert.deepEqual([...kinds].sort(), ['bracket', 'conditional', 'limit', 'oco', 'peg', 'trailing', 'twap']);
  for (const view of views) scribble(view);
  assert.equal(digest(driver), before);
  assert.deepEqual(viewsOf(driver), told);
});

test('the orders of a reply are values, and so is what a look-up finds of them when they have ended', () => {
  const driver = busyVenue();
  const { orders } = driver.run({ type: 'cancelAll', account: 1, product: 'spot', market: null });
  assert.ok(orders.length >= 7);
  const told = structuredClone(orders);
  const before = digest(driver);
  for (const order of orders) scribble(order);
  assert.equal(digest(driver), before);
  const found = told.map(({ key }) => driver.venue.order(1, 'spot', key));
  assert.deepEqual(found, told);
  for (const order of found) scribble(order as OrderView);
  assert.deepEqual(
    told.map(({ key }) => driver.venue.order(1, 'spot', key)),
    told,
  );
});

test('a view stays as it was when the order changes', () => {
  const driver = busyVenue();
  const views = viewsOf(driver);
  const told = structuredClone(views);
  unrest(driver);
  assert.deepEqual(views, told);
  assert.notDeepEqual(viewsOf(driver), told);
});
