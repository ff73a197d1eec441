/**
 * Ended orders in memory (semantics.md section 2): for 30 minutes, at most 100,000; after a restart from a snapshot as
 * before it. The time is shown through HTTP, too.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTC_PERP, BTC_USDT, VenueDriver } from './support.ts';

const MOST = 100_000;
const MINUTE_MS = 60_000;

/** An order that ends at once; its key. */
function end(driver: VenueDriver, account: number, market: number, clientId: string | null): number {
  return driver.limit(account, market, 0, 100, 1, { timeInForce: 'IOC', clientId }).orders[0].key;
}

const cancelOf = (order: number) =>
  ({ type: 'cancel', account: 0, product: 'spot', market: null, order, clientId: null }) as const;

test('of ended orders at most 100,000 are retained: with one more the oldest is forgotten', { rule: '2.24' }, () => {
  const driver = new VenueDriver();
  const keys: number[] = [];
  for (let i = 0; i <= MOST; i++) {
    keys.push(end(driver, 0, BTC_USDT, i % 3 === 0 ? 'again' : null));
    driver.events.length = 0;
    if (i === MOST - 1) assert.equal(driver.venue.order(0, 'spot', keys[0])?.state, 'cancelled');
  }
  assert.equal(driver.venue.order(0, 'spot', keys[0]), undefined);
  assert.equal(driver.venue.order(0, 'spot', keys[1])?.state, 'cancelled');
  assert.equal(driver.venue.order(0, 'spot', keys[MOST])?.state, 'cancelled');

  // So, too, where they come out of a snapshot, asked for in between or not.
  const loaded = driver.reloaded();
  assert.equal(loaded.venue.order(0, 'spot', keys[0]), undefined);
  for (const place of [2, 4, MOST]) assert.equal(loaded.venue.order(0, 'spot', keys[place])?.state, 'cancelled');
  for (const each of [driver, loaded]) for (let i = 0; i < 4; i++) end(each, 1, BTC_USDT, 'again');
  for (const place of [1, 2, 3, 4]) assert.equal(loaded.venue.order(0, 'spot', keys[place]), undefined);
  assert.equal(loaded.venue.order(0, 'spot', keys[5])?.state, 'cancelled');
  assert.ok(loaded.hash() === driver.hash());
});

test('an ended order of a snapshot is not cancelled again, nor amended: it is not found, with its final state', () => {
  const driver = new VenueDriver();
  const keys = [end(driver, 0, BTC_USDT, 'first'), end(driver, 0, BTC_USDT, null)];
  for (const key of keys) {
    const { refusal, about } = driver.reloaded().run(cancelOf(key));
    assert.deepEqual([refusal?.reason, about?.key, about?.state], ['orderNotFound', key, 'cancelled']);
    const amended = driver
      .reloaded()
      .run({ ...cancelOf(key), type: 'amend', price: 99, size: null, trigger: null, totalSize: true });
    assert.deepEqual([amended.refusal?.reason, amended.about?.key], ['orderNotFound', key]);
  }
});

test('ended orders of a snapshot are found by both ids and forgotten 30 minutes after their end, asked for or not', () => {
  const driver = new VenueDriver();
  driver.prices(BTC_PERP, { index: 100_000 });
  const ended: { account: number; product: 'spot' | 'futures'; key: number; clientId: string | null }[] = [];
  for (let minute = 0; minute < 12; minute++) {
    const account = minute % 2;
    const market = minute % 3 === 0 ? BTC_PERP : BTC_USDT;
    const clientId = minute % 4 === 3 ? null : `twice ${minute % 6}`;
    const product = market === BTC_PERP ? 'futures' : 'spot';
    ended.push({ account, product, clientId, key: end(driver, account, market, clientId) });
    driver.advance(MINUTE_MS);
  }
  driver.limit(0, BTC_USDT, 0, 100, 1, { clientId: 'twice 2' });
  const asked = driver.reloaded();
  const unasked = driver.reloaded();
  const found = ({ venue }: VenueDriver) =>
    ended.map(({ account, product, key, clientId }) => {
      const named = clientId === null ? undefined : venue.orderByClientId(account, product, clientId);
      return { byKey: venue.order(account, product, key)?.createdMs, byClientId: named?.key };
    });
  for (let minute = 0; minute < 70; minute++) {
    assert.deepEqual(found(asked), found(driver), `minute ${minute}`);
    for (const each of [driver, asked, unasked]) each.advance(MINUTE_MS / 2);
    if (minute === 15) for (const each of [driver, asked, unasked]) end(each, 0, BTC_USDT, 'twice 4');
  }
  assert.equal(asked.hash(), driver.hash());
  assert.equal(unasked.hash(), driver.hash());
});

test('an ended order of a snapshot that is asked for changes nothing of the state, nor of what is saved', () => {
  const driver = new VenueDriver();
  const keys = Array.from({ length: 9 }, (_, i) => end(driver, 0, BTC_USDT, i % 2 === 0 ? `id ${i}` : null));
  const loaded = driver.reloaded();
  assert.equal(loaded.run(cancelOf(keys[4])).refusal?.reason, 'orderNotFound');
  assert.equal(driver.run(cancelOf(keys[4])).about?.clientId, 'id 4');
  assert.equal(loaded.venue.orderByClientId(0, 'spot', 'id 6')?.key, keys[6]);
  assert.equal(loaded.hash(), driver.hash());
  assert.equal(loaded.reloaded().hash(), driver.hash());
  assert.equal(loaded.venue.save(), driver.venue.save());
});
