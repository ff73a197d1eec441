/** A reply is read from the records of its orders until the next command. `whole` makes one that lasts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../src/venue/contract/commands.ts';
import type { OrderView } from '../../src/venue/contract/order-view.ts';
import type { LiveReply } from '../../src/venue/venue.ts';
import { busyVenue } from './busy-venue.ts';
import { BTC_USDT, START_MS, VenueDriver } from './support.ts';

const LATE =
  /the reply to command \d+ is read after command \d+: read it before the next command, or take whole\(\) of it/;

/** The reply as the venue gives it, without a copy. */
function apply({ venue, log }: VenueDriver, command: object): LiveReply {
  const text = JSON.stringify({ v: 1, ...command });
  log.push(text);
  return venue.apply(log.length, START_MS, JSON.parse(text) as Command);
}

/** The fields of a live view, by the names of a copy. */
function fieldsOf(view: OrderView, like: OrderView): object {
  return Object.fromEntries((Object.keys(like) as (keyof OrderView)[]).map((name) => [name, view[name]]));
}

test('a live view of every kind of order has the fields of a copy', () => {
  const driver = busyVenue();
  const reply = apply(driver, { type: 'cancelAll', account: 1, product: 'spot', market: null });
  const { orders } = reply.whole();
  assert.ok(orders.length >= 7);
  assert.deepEqual(
    reply.orders.map((order, i) => fieldsOf(order, orders[i])),
    orders,
  );
});

test('after the next command every field of a reply throws, and its copy stays as it was', () => {
  const driver = busyVenue();
  const reply = apply(driver, { type: 'cancelAll', account: 1, product: 'spot', market: null });
  const unread = apply(driver, { type: 'cancelAll', account: 1, product: 'futures', market: null });
  const whole = unread.whole();
  const told = structuredClone(whole);
  const [order] = unread.orders;
  const names = Object.keys(whole.orders[0]) as (keyof OrderView)[];
  driver.limit(0, BTC_USDT, 0, 599_000, 10);
  for (const name of names) assert.throws(() => order[name], LATE, name);
  assert.throws(() => reply.orders, LATE);
  assert.throws(() => reply.about, LATE);
  assert.throws(() => reply.whole(), LATE);
  assert.deepEqual(whole, told);
  assert.equal(unread.refusal, null);
});

test('look-ups between a refusal and the reading of it leave the ended order that it is about', () => {
  const driver = new VenueDriver();
  const [first, second] = [100_000, 200_000].map((price) => driver.limit(0, BTC_USDT, 0, price, 10).orders[0].key);
  for (const key of [first, second]) {
    driver.run({ type: 'cancel', account: 0, product: 'spot', market: null, order: key, clientId: null });
  }
  const again = { type: 'cancel', account: 0, product: 'spot', market: null, clientId: null } as const;
  const reply = apply(driver, { ...again, order: first });
  const { about } = reply;
  assert.equal(driver.venue.order(0, 'spot', second)?.price, 200_000);
  assert.deepEqual([about?.key, about?.price, about?.state], [first, 100_000, 'cancelled']);
  assert.equal(reply.whole().about?.price, 100_000);
});

test('a reply shows its order as it was before the triggers that its trade fires', () => {
  const driver = new VenueDriver();
  driver.prices(BTC_USDT, { last: 590_000 });
  driver.limit(0, BTC_USDT, 1, 600_000, 1);
  const stop = { kind: 'conditional', rule: 'reach', trigger: 600_000, reference: 'last', price: null, size: 5 };
  assert.equal(driver.place(0, BTC_USDT, 1, stop).refusal, null);
  driver.limit(1, BTC_USDT, 0, 500_000, 10);
  const reply = apply(driver, { ...JSON.parse(driver.log.at(-1) as string), price: 600_000 });
  const [order] = reply.orders;
  assert.deepEqual([order.state, order.filled], ['working', 1]);
  assert.equal(driver.venue.order(1, 'spot', order.key)?.filled, 6, 'the trigger has sold to it');
});
