/** The digest of effects: equal for equal commands, another one where anything that a client can see is another. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { Effects, NEW_DIGEST } from '../../src/venue/state/effects-digest.ts';
import { Venue } from '../../src/venue/venue.ts';
import { busyVenue, unrest } from './busy-venue.ts';
import { BTC_USDT, genesis, VenueDriver } from './support.ts';

test('the same commands give the same digest, in this process and in another', () => {
  const driver = busyVenue();
  unrest(driver);
  const again = busyVenue();
  unrest(again);
  assert.equal(again.venue.effects, driver.venue.effects);
  const script = `
    import { busyVenue, unrest } from '${import.meta.dirname}/busy-venue.ts';
    const driver = busyVenue();
    unrest(driver);
    process.stdout.write(driver.venue.effects);
  `;
  const other = execFileSync(process.execPath, ['--input-type=module-typescript', '-e', script], { encoding: 'utf8' });
  assert.equal(other, driver.venue.effects);
});

test('it does not need anyone who listens to events', () => {
  const driver = busyVenue();
  unrest(driver);
  const silent = new Venue();
  driver.log.forEach((text, i) => {
    silent.applySilently(
      i + 1,
      driver.venue.genesis === null ? 0 : silent.timeMs || Date.UTC(2026, 0, 1),
      JSON.parse(text),
    );
  });
  assert.equal(silent.effects, driver.venue.effects);
});

test('a venue that was saved and loaded has the digest and goes on from it, and it is not in the state hash', () => {
  const driver = busyVenue();
  const twin = driver.reloaded();
  assert.equal(twin.venue.effects, driver.venue.effects);
  for (const each of [driver, twin]) unrest(each);
  assert.equal(twin.venue.effects, driver.venue.effects);
  assert.ok(!driver.hash().includes(driver.venue.effects as string));
});

test('a saved venue of before the digest does not know it, until the log says it', () => {
  const { effects: _, ...older } = JSON.parse(busyVenue().venue.save());
  const venue = Venue.load(JSON.stringify({ ...older, format: 3 }));
  assert.equal(venue.effects, undefined);
  venue.resumeEffects(NEW_DIGEST);
  assert.equal(venue.effects, NEW_DIGEST);
});

test('a refused command leaves the digest as it is', () => {
  const driver = busyVenue();
  const before = driver.venue.effects;
  assert.equal(driver.limit(1, BTC_USDT, 0, 900_000, 10).refusal?.reason, 'priceOutsideBand');
  assert.equal(driver.limit(1, BTC_USDT, 0, 600_000, 10_000_000).refusal?.reason, 'insufficientFunds');
  assert.equal(driver.run({ type: 'restoreSnapshot', name: 'none' }).refusal?.reason, 'unknownSnapshot');
  assert.equal(driver.venue.effects, before);
});

test('orders, fills, cancels, money, a reset and a restored snapshot each change the digest', () => {
  const driver = new VenueDriver(genesis());
  const seen = new Set<string | undefined>([NEW_DIGEST, driver.venue.effects]);
  const changes: [string, () => unknown][] = [
    ['an order rests', () => driver.limit(0, BTC_USDT, 1, 600_000, 5_000)],
    ['it is filled in part', () => driver.limit(1, BTC_USDT, 0, 600_000, 1_000)],
    ['the rest is cancelled', () => driver.run({ type: 'cancelAll', account: 0, product: 'spot', market: BTC_USDT })],
    ['money comes in', () => driver.run({ type: 'deposit', account: 0, currency: 'USDT', amount: '1' })],
    ['money goes out', () => driver.run({ type: 'deposit', account: 0, currency: 'USDT', amount: '-1' })],
    ['a snapshot is restored', () => driver.run({ type: 'restoreSnapshot', name: 'before' })],
    ['a reset', () => driver.run({ type: 'reset' })],
  ];
  driver.prices(BTC_USDT, { index: 600_000_000 });
  driver.run({ type: 'saveSnapshot', name: 'before' });
  for (const [what, change] of changes) {
    change();
    assert.ok(!seen.has(driver.venue.effects), what);
    seen.add(driver.venue.effects);
  }
});

test('every part of an effect counts: each bit of a key, a price, lots, an amount, and who it is about', () => {
  const base = { key: 2 ** 52 + 7, account: 3, state: 2, filled: 2 ** 33 + 5, price: 600_000 };
  const digests = new Set<string>();
  const order = (key: number, account: number, state: number, filled: number, price: number) => {
    const effects = new Effects();
    effects.order(key, account, state, filled, price);
    digests.add(effects.digest);
  };
  const money = (account: number, currency: number, amount: bigint) => {
    const effects = new Effects();
    effects.money(account, currency, amount);
    digests.add(effects.digest);
  };
  order(base.key, base.account, base.state, base.filled, base.price);
  for (let bit = 0; bit < 52; bit += 1) {
    order(base.key - 2 ** bit, base.account, base.state, base.filled, base.price);
    order(base.key, base.account, base.state, base.filled + 2 ** bit, base.price);
    order(base.key, base.account, base.state, base.filled, base.price + 2 ** bit);
  }
  order(base.key, base.account + 1, base.state, base.filled, base.price);
  order(base.key, base.account, base.state + 1, base.filled, base.price);
  for (let bit = 0n; bit < 63n; bit += 1n) for (const sign of [1n, -1n]) money(3, 1, sign * (1n << bit));
  money(4, 1, 1n);
  money(3, 2, 1n);
  assert.equal(digests.size, 1 + 3 * 52 + 2 + 2 * 63 + 2);
});

test('a text that is no digest is refused', () => {
  assert.throws(() => new Effects().resume('12'), /a digest of effects has 16 hex digits, not 12/);
});
