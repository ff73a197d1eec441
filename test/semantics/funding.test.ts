/** semantics.md section 11: funding, with figures. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as path } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { future } from '../support/bodies.ts';
import { ok } from '../support/client.ts';
import { fund, join, leave, MILLION, open, setMode } from '../support/positions.ts';
import { PERP, scenarios, World } from '../support/venue.ts';

const HOUR = 3_600_000;
/** A venue starts at midnight: the first interval of eight hours ends at 08:00. */
const INTERVAL = 8 * HOUR;
/** The impact size of the market, in contracts: half a BTC. */
const IMPACT = 50_000;

/** Orders of the impact size on both sides, and the mark held at 100 so that figures are round. */
async function quotes(w: World, bid: number, ask: number, size = IMPACT): Promise<void> {
  await w.rest('BUY', bid, size, PERP);
  await w.rest('SELL', ask, size, PERP);
  await w.price(PERP, { mark: 100 });
}

const total = async (w: World, name = 'alice') => (await w.balance('USDT', name)).total;

/** What alice, who is long 1,000 USDT, pays at the end of the interval. */
async function paid(w: World, ms = INTERVAL): Promise<string> {
  const before = Number(await total(w));
  await w.advance(ms);
  return (before - Number(await total(w))).toFixed(8);
}

describe('the funding rate', () => {
  const it = scenarios();

  // 1,000 USDT × rate; the rate is a third of the mean distance of the impact price from the index of 100.
  for (const [quote, bid, ask, expected] of [
    ['bids 0.3 % above the index: longs pay 0.1 %', 100.3, 100.4, '1.00000000'],
    ['asks 0.3 % below it: shorts pay 0.1 %', 99.6, 99.7, '-1.00000000'],
    ['quotes around it: nobody pays', 99.7, 100.3, '0.00000000'],
    ['bids 3 % above it: capped at 0.375 %', 103, 103.1, '3.75000000'],
    ['asks 3 % below it: capped at −0.375 %', 96.9, 97, '-3.75000000'],
  ] as const) {
    it(`of ${quote}`, { rule: ['11.72', '11.74', '11.75'] }, async (w) => {
      await open(w, MILLION);
      await quotes(w, bid, ask);
      assert.equal(await paid(w), expected);
    });
  }

  it('looks at the average price of the impact size, through the levels', { rule: '11.72' }, async (w) => {
    await open(w, MILLION);
    await w.rest('BUY', 100.6, IMPACT / 2, PERP);
    await w.rest('BUY', 100.2, 2 * IMPACT, PERP);
    await w.price(PERP, { mark: 100 });
    // half at 100.6, half at 100.2: 0.4 %, a third of which is 0.133333 %: rates have eight decimals
    assert.equal(await paid(w), '1.33333000');
  });

  it('a side thinner than the impact size counts 0', { rule: '11.73' }, async (w) => {
    await open(w, MILLION);
    await quotes(w, 100.3, 100.4, IMPACT - 1);
    assert.equal(await paid(w), '0.00000000');
  });

  it('is the mean of the minutes of its interval: half of them with 0.3 % make half of 0.1 %', {
    rule: '11.74',
  }, async (w) => {
    await open(w, MILLION);
    await quotes(w, 100.3, 100.4);
    await w.advance(INTERVAL / 2);
    await ok(w.bob.cancelFuture());
    assert.equal(await paid(w, INTERVAL / 2), '0.50000000');
  });

  it('counts a minute without a sample as 0: an index that begins in the middle of the interval makes half, too', {
    rule: '11.74',
  }, async (w) => {
    await w.begin(null);
    await w.price(PERP, { mark: 100 });
    await open(w, MILLION);
    await w.advance(INTERVAL / 2);
    await w.price(PERP, { index: 100 });
    await quotes(w, 100.3, 100.4);
    // 240 samples of 0.3 %, divided by the 480 minutes of the interval
    assert.equal(await paid(w, INTERVAL / 2), '0.50000000');
  });

  it('begins anew with each interval, and is paid at the end of each: 08:00, 16:00, 24:00', {
    rule: '11.74',
  }, async (w) => {
    await open(w, MILLION);
    await quotes(w, 100.3, 100.4);
    assert.equal(await paid(w, INTERVAL - 1), '0.00000000');
    assert.equal(await paid(w, 1), '1.00000000');
    await ok(w.bob.cancelFuture());
    assert.equal(await paid(w), '0.00000000');
    await quotes(w, 100.6, 100.7);
    assert.equal(await paid(w), '2.00000000');
  });
});

describe('a funding payment', () => {
  const it = scenarios();

  it('is mark notional × rate: at a mark of 110, 1,100 USDT', { rule: '11.76' }, async (w) => {
    await open(w, MILLION);
    await quotes(w, 100.3, 100.4);
    await w.price(PERP, { mark: 110 });
    assert.equal(await paid(w), '1.10000000');
  });

  it('goes from longs to shorts: payers round up, receivers down, the rest to the fund', {
    rule: '11.77',
  }, async (w) => {
    const carol = await join(w, 'carol', '100');
    await open(w, 1);
    await w.rest('BUY', 100, 1, PERP);
    await ok(carol.future(future('SELL', null, 1)));
    // alice is long 1 from bob, who bought 1 from carol
    await quotes(w, 100.3, 100.4);
    await w.price(PERP, { mark: 100.1 });
    const had = [await total(w), await total(w, 'carol')].map(Number);
    await w.advance(INTERVAL);
    const has = [await total(w), await total(w, 'carol')].map(Number);
    // 0.001001 × 0.1 % is 100.1 units
    assert.deepEqual(
      has.map((now, i) => (now - had[i]).toFixed(8)),
      ['-0.00000101', '0.00000100'],
    );
    assert.equal(await fund(w), '0.00000001');
  });

  it('is of each position in HEDGE', async (w) => {
    await setMode(w, 'HEDGE');
    await open(w, MILLION);
    await open(w, -MILLION / 4);
    await quotes(w, 100.3, 100.4);
    assert.equal(await paid(w), '0.75000000');
  });

  it('is paid by the own money of an isolated position', { rule: '11.76' }, async (w) => {
    await setMode(w, 'ISOLATED');
    await open(w, MILLION);
    await quotes(w, 100.3, 100.4);
    assert.equal(await paid(w), '0.00000000');
    assert.equal((await w.account()).positions[0].margin, '101.111');
  });

  it('that leaves less than the maintenance is followed by liquidation, at an unmoved mark, too', {
    rule: ['11.40', '11.71'],
  }, async (w) => {
    await open(w, MILLION);
    await leave(w, '20');
    await quotes(w, 100.3, 100.4, 2 * MILLION);
    await w.price(PERP, { mark: 98.5 });
    assert.equal(await w.position(), MILLION);
    // 5 of equity for 4.925 of maintenance; 985 × 0.1 % = 0.985 is paid
    await w.advance(INTERVAL);
    // A quarter, 2.5 BTC at the bid of 100.3: 0.75 won on 100, and 0.2 % of 250.75 for the fund. What is left needs no more:
    // 8.0135 of equity for 1.2 × 738.75 × 0.5 % = 4.4325.
    assert.equal(await w.position(), 750_000);
    assert.equal(await total(w), '19.2635');
    assert.equal(await fund(w), '0.5015');
  });

  it('is at most the payer’s equity, and then the receivers share what was paid by the value of their positions', {
    rule: ['11.76', '11.78'],
  }, async (w) => {
    const carol = await join(w, 'carol', '100');
    await open(w, 750_000);
    await ok(carol.future(future('SELL', 100, 250_000)));
    await ok(w.alice.future(future('BUY', 100, 250_000)));
    await leave(w, '20');
    await quotes(w, 100.3, 100.4);
    await w.advance(INTERVAL - 1);
    // No book to be liquidated into: at 98.05 alice waits with an equity of 20 − 19.5 = 0.5.
    await ok(w.bob.cancelFuture());
    await w.price(PERP, { mark: 98.05 });
    const names = ['alice', 'bob', 'carol'];
    const totals = () => Promise.all(names.map(async (name) => Number(await total(w, name))));
    const had = await totals();
    await w.advance(1);
    const has = await totals();
    // 479 of 480 minutes: 980.5 × 0.099791 % = 0.97845… is owed. Of the 0.5 that is there, three quarters are for bob.
    assert.deepEqual(
      has.map((now, i) => (now - had[i]).toFixed(6)),
      ['-0.500000', '0.375000', '0.125000'],
    );
    assert.equal(await fund(w), '0');
    assert.equal(await w.position(), MILLION);
  });
});

describe('without funding', () => {
  const it = scenarios({ markets: [{ symbol: PERP, funding: null }] });

  it('a market takes none', async (w) => {
    await open(w, MILLION);
    await quotes(w, 100.3, 100.4);
    assert.equal(await paid(w), '0.00000000');
  });
});

describe('a cap', () => {
  test('of more than three quarters of the lowest maintenance rate is refused', { rule: '11.75' }, async () => {
    const funding = { intervalMs: INTERVAL, cap: '0.00376', impactSize: IMPACT };
    await assert.rejects(World.open({ markets: [{ symbol: PERP, funding }] }), /funding\.cap must be at most 0\.00375/);
  });
});

describe('the interval', () => {
  const it = scenarios({
    markets: [{ symbol: PERP, funding: { intervalMs: HOUR, cap: '0.00375', impactSize: IMPACT } }],
  });

  it('is the market’s', async (w) => {
    await open(w, MILLION);
    await quotes(w, 100.3, 100.4);
    assert.equal(await paid(w, HOUR - 1), '0.00000000');
    assert.equal(await paid(w, 1), '1.00000000');
  });
});

describe('a funding time that is missed while the venue is down', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path(tmpdir(), 'bourse-funding-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const start = () => World.open({ data: path(folder, 'data'), masterKeyFile: path(folder, 'master.key') });

  test('is settled once at recovery, and not again at the next one', { rule: '11.79' }, async () => {
    const first = await start();
    await first.begin();
    await open(first, MILLION);
    await quotes(first, 100.3, 100.4);
    await first.advance(INTERVAL - 1);
    const had = Number(await total(first));
    await first.close();

    const lost = async (w: World) => (had - Number(await total(w))).toFixed(8);
    const second = await start();
    assert.equal(await lost(second), '0.00000000');
    // The first moment after the pause: an hour past the time that was missed.
    await second.advance(HOUR);
    assert.equal(await lost(second), '1.00000000');
    await second.close();

    const third = await start();
    assert.equal(await lost(third), '1.00000000');
    await third.advance(INTERVAL - 2 * HOUR);
    assert.equal(await lost(third), '1.00000000');
    await third.advance(2 * INTERVAL);
    assert.equal(await lost(third), '3.00000000');
    assert.equal((await third.control.audit()).ok, true);
    await third.close();
  });
});
