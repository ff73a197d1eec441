/**
 * Same commands, same seed: the same state, byte for byte; in a second process, over a saved and restored snapshot, and
 * however the time is reached. Every kind of order is alive while it is compared.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { busyVenue, digest, unrest } from './busy-venue.ts';
import { BTC_PERP, BTC_USDT, VenueDriver } from './support.ts';

const FINE = 1000;

test('the same commands give the same state in a second process, every algo running', () => {
  const driver = busyVenue();
  unrest(driver);
  const other = execFileSync(process.execPath, [`${import.meta.dirname}/busy-venue.ts`], { encoding: 'utf8' });
  assert.equal(other.trim(), digest(driver));
});

test('one long advance gives the state that many short ones give', { rule: '3.3' }, () => {
  const inOne = busyVenue();
  inOne.advance(480_000);
  const inMany = busyVenue();
  for (let i = 0; i < 48; i++) inMany.advance(10_000);
  assert.equal(inMany.hash(), inOne.hash());
});

test('a restored snapshot has the state hash of the moment saved, and goes on as the original would have', () => {
  const twin = busyVenue();
  twin.advance(60_000);
  const driver = busyVenue();
  driver.advance(60_000);
  driver.run({ type: 'saveSnapshot', name: 'before' });
  const before = driver.hash();
  unrest(driver);
  assert.notEqual(driver.hash(), before);
  driver.run({ type: 'restoreSnapshot', name: 'before' });
  assert.equal(driver.hash(), before);
  assert.equal(driver.venue.timeMs, twin.venue.timeMs);
  unrest(driver);
  unrest(twin);
  assert.equal(driver.hash(), twin.hash());
});

test('reset gives the hash of the first start, and ids go on', () => {
  const fresh = new VenueDriver();
  const driver = busyVenue();
  const lastKey = driver.limit(0, BTC_USDT, 0, 500_000, 10).orders[0].key;
  driver.run({ type: 'reset' });
  assert.equal(driver.hash(), fresh.hash());
  assert.equal(driver.venue.order(0, 'spot', lastKey), undefined);
  driver.prices(BTC_USDT, { index: 600_000 * FINE });
  assert.ok(driver.limit(0, BTC_USDT, 0, 599_000, 10).orders[0].key > lastKey);
});

test('money is conserved and reserves are what live orders need, after every one of these commands', () => {
  const driver = busyVenue();
  assert.deepEqual(driver.venue.audit().orders.bad, []);
  for (let minute = 1; minute <= 12; minute++) {
    driver.advance(60_000);
    driver.prices(BTC_USDT, { index: (600_000 - 1_200 * minute) * FINE });
    driver.prices(BTC_PERP, { index: (600_000 + 900 * minute) * FINE });
    const audit = driver.venue.audit();
    assert.ok(
      audit.ok,
      JSON.stringify(audit, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    );
  }
});

test('a refused command leaves the state as it was', { rule: '3.18' }, () => {
  const driver = busyVenue();
  const before = driver.hash();
  const refusals = [
    driver.limit(1, BTC_USDT, 0, 900_000, 10),
    driver.limit(1, BTC_USDT, 0, 600_000, 10_000_000),
    driver.limit(1, 99, 0, 600_000, 10),
    driver.limit(7, BTC_USDT, 0, 600_000, 10),
    driver.limit(1, BTC_USDT, 0, 600_000, 10, { clientId: 'slow-seller' }),
    driver.limit(0, BTC_PERP, 1, 600_000, 10, { reduceOnly: true }),
    driver.limit(0, BTC_PERP, 0, 600_000, 10, { positionMode: 'HEDGE' }),
    driver.run({ type: 'cancel', account: 0, product: 'spot', market: null, order: null, clientId: 'slow-seller' }),
    driver.run({ type: 'restoreSnapshot', name: 'none' }),
    driver.run({ type: 'advance', toMs: 0 }),
  ];
  assert.deepEqual(
    refusals.map((reply) => reply.refusal?.reason),
    [
      'priceOutsideBand',
      'insufficientFunds',
      'unknownMarket',
      'unknownAccount',
      'duplicateClientId',
      'reduceOnlyWithoutPosition',
      'positionModeMismatch',
      'orderNotFound',
      'unknownSnapshot',
      'timeBackwards',
    ],
  );
  assert.equal(driver.hash(), before);
});

test('a venue saved and loaded is the same venue: hash, time, sequence, named snapshots, and all that follows', () => {
  const driver = busyVenue();
  driver.advance(90_000);
  driver.run({ type: 'saveSnapshot', name: 'early' });
  const twin = driver.reloaded();
  assert.equal(twin.hash(), driver.hash());
  for (const each of [driver, twin]) {
    unrest(each);
    each.run({ type: 'restoreSnapshot', name: 'early' });
    each.advance(30_000);
  }
  assert.equal(twin.hash(), driver.hash());
  assert.equal(twin.venue.save(), driver.venue.save());
});

test('a deposit is refused where the venue would hold more of a currency than one balance can say', () => {
  const driver = new VenueDriver();
  const deposit = (account: number, amount: bigint) =>
    driver.run({ type: 'deposit', account, currency: 'USDT', amount: String(amount) });
  assert.equal(deposit(0, 10n ** 18n).refusal, null);
  const most = 2n ** 63n - 1n - 10n ** 18n - 2n * 10n ** 14n;
  assert.equal(deposit(1, most + 1n).refusal?.reason, 'amountOutOfRange');
  assert.equal(deposit(1, most).refusal, null);
  assert.equal(deposit(0, 1n).refusal?.reason, 'amountOutOfRange');
  assert.equal(deposit(0, -1n).refusal, null);
  assert.equal(deposit(1, 1n).refusal, null);
  assert.ok(driver.venue.audit().ok);
});
