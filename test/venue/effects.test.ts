/** The digest of effects: equal for equal commands, another one where anything that a client can see is another. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { Effects, NEW_DIGEST } from '../../src/venue/state/effects-digest.ts';
import { Venue } from '../../src/venue/venue.ts';
import { busyVenue, unrest } from './busy-venue.ts';
import { BTC_USDT, Desk, genesis } from './support.ts';

test('the same commands give the same digest, in this process and in another', () => {
  const desk = busyVenue();
  unrest(desk);
  const again = busyVenue();
  unrest(again);
  assert.equal(again.venue.effects, desk.venue.effects);
  const script = `
    import { busyVenue, unrest } from '${import.meta.dirname}/busy-venue.ts';
    const desk = busyVenue();
    unrest(desk);
    process.stdout.write(desk.venue.effects);
  `;
  const other = execFileSync(process.execPath, ['--input-type=module-typescript', '-e', script], { encoding: 'utf8' });
  assert.equal(other, desk.venue.effects);
});

test('it does not need anyone who listens to events', () => {
  const desk = busyVenue();
  unrest(desk);
  const silent = new Venue();
  desk.log.forEach((text, i) => {
    silent.applySilently(
      i + 1,
      desk.venue.genesis === null ? 0 : silent.timeMs || Date.UTC(2026, 0, 1),
      JSON.parse(text),
    );
  });
  assert.equal(silent.effects, desk.venue.effects);
});

test('a venue that was saved and loaded has the digest and goes on from it, and it is not in the state hash', () => {
  const desk = busyVenue();
  const twin = desk.reloaded();
  assert.equal(twin.venue.effects, desk.venue.effects);
  for (const each of [desk, twin]) unrest(each);
  assert.equal(twin.venue.effects, desk.venue.effects);
  assert.ok(!desk.hash().includes(desk.venue.effects as string));
});

test('a saved venue of before the digest does not know it, until the log says it', () => {
  const { effects: _, ...older } = JSON.parse(busyVenue().venue.save());
  const venue = Venue.load(JSON.stringify({ ...older, format: 3 }));
  assert.equal(venue.effects, undefined);
  venue.resumeEffects(NEW_DIGEST);
  assert.equal(venue.effects, NEW_DIGEST);
});

test('a refused command leaves the digest as it is', () => {
  const desk = busyVenue();
  const before = desk.venue.effects;
  assert.equal(desk.limit(1, BTC_USDT, 0, 900_000, 10).refusal?.reason, 'priceOutsideBand');
  assert.equal(desk.limit(1, BTC_USDT, 0, 600_000, 10_000_000).refusal?.reason, 'insufficientFunds');
  assert.equal(desk.run({ type: 'restoreSnapshot', name: 'none' }).refusal?.reason, 'unknownSnapshot');
  assert.equal(desk.venue.effects, before);
});

test('orders, fills, cancels, money, a reset and a restored snapshot each change the digest', () => {
  const desk = new Desk(genesis());
  const seen = new Set<string | undefined>([NEW_DIGEST, desk.venue.effects]);
  const changes: [string, () => unknown][] = [
    ['an order rests', () => desk.limit(0, BTC_USDT, 1, 600_000, 5_000)],
    ['it is filled in part', () => desk.limit(1, BTC_USDT, 0, 600_000, 1_000)],
    ['the rest is cancelled', () => desk.run({ type: 'cancelAll', account: 0, product: 'spot', market: BTC_USDT })],
    ['money comes in', () => desk.run({ type: 'deposit', account: 0, currency: 'USDT', amount: '1' })],
    ['money goes out', () => desk.run({ type: 'deposit', account: 0, currency: 'USDT', amount: '-1' })],
    ['a snapshot is restored', () => desk.run({ type: 'restoreSnapshot', name: 'before' })],
    ['a reset', () => desk.run({ type: 'reset' })],
  ];
  desk.prices(BTC_USDT, { index: 600_000_000 });
  desk.run({ type: 'saveSnapshot', name: 'before' });
  for (const [what, change] of changes) {
    change();
    assert.ok(!seen.has(desk.venue.effects), what);
    seen.add(desk.venue.effects);
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

test('a digest that is none is refused', () => {
  assert.throws(() => new Effects().resume('12'), /a digest of effects has 16 hex digits, not 12/);
});
