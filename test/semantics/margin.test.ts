/** semantics.md section 11: the margin of positions and orders by tier and leverage, with figures. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, stop } from '../support/bodies.ts';
import { ok, one, refused } from '../support/client.ts';
import { leave, MILLION, open, setLeverage, setMode } from '../support/positions.ts';
import { PERP, scenarios, type World } from '../support/venue.ts';

const margin = async (w: World) => (await w.balance('USDT')).margin;

describe('margin by tier', () => {
  const it = scenarios();

  // Contracts at 50,000, notional 0.5 USDT each: rate + 2 × 0.055 %.
  for (const [size, notional, rate, expected] of [
    [200_000, '100,000', '1 %', '1110'],
    [200_001, '100,000.5', '2 %', '2110.01055'],
    [2_000_000, '1,000,000', '2 %', '21100'],
    [2_000_001, '1,000,000.5', '5 %', '51100.02555'],
  ] as const) {
    it(`an order of ${notional} USDT takes ${rate} of all of it: ${expected}`, {
      rule: ['11.34', '11.36'],
    }, async (w) => {
      await w.price(PERP, { index: 50_000 });
      await ok(w.alice.future(future('BUY', 50_000, size)));
      assert.equal(await margin(w), expected);
    });
  }

  it('the position at mark and the orders at their limit price set the tier together', {
    rule: ['11.34', '11.36'],
  }, async (w) => {
    await w.price(PERP, { index: 50_000 });
    await open(w, 100_000, {}, 50_000);
    await ok(w.alice.future(future('BUY', 49_000, 100_000)));
    // 50,000 + 49,000 at 1.11 %
    assert.equal(await margin(w), '1098.9');
    await w.price(PERP, { mark: 52_000 });
    // 52,000 + 49,000 at 2.11 %
    assert.equal(await margin(w), '2131.1');
  });

  it('is for the worse of |position + buys| and |position − sells|; what only reduces needs none', {
    rule: ['5.9', '11.35'],
  }, async (w) => {
    await open(w, MILLION);
    assert.equal(await margin(w), '11.1');
    await ok(w.alice.future(future('SELL', 101, MILLION)));
    assert.equal(await margin(w), '11.1');
    await ok(w.alice.future(future('SELL', 101, 2 * MILLION)));
    // 3,030 of sells, two thirds of them beyond the position
    assert.equal(await margin(w), '22.422');
    await ok(w.alice.future(future('BUY', 99, 2 * MILLION)));
    // 1,000 + 1,980 on the other side
    assert.equal(await margin(w), '33.078');
  });

  it('beyond the last tier there is none: the order is refused with 4051', async (w) => {
    await w.price(PERP, { index: 1_000_000 });
    const before = w.hash();
    await refused(w.alice.future(future('BUY', 1_000_000, 5_000_001)), 4051, '50000000');
    assert.equal(w.hash(), before);
  });

  it('a MARKET order needs what the walk of the book gives, hidden size included, and no more', {
    rule: ['5.8', '11.34'],
  }, async (w) => {
    // bob shows a tenth of his million at 99.8; 100.3 is behind it.
    const hidden = { symbol: PERP, side: 'SELL', price: 99, size: MILLION / 2, deviation: -0.2, stealth: 10 };
    await ok(w.bob.call('POST', '/futures/api/v2.3/order/peg', { body: hidden }));
    await w.rest('SELL', 100.3, MILLION, PERP);
    const buy = future('BUY', null, MILLION);
    // 499 + 501.5 at 1.11 % is 11.10555; 5 BTC 0.3 beyond the mark are 1.5 of open loss.
    await leave(w, '12.60554999');
    await refused(w.alice.future(buy), 33199101, 'not enough USDT: 12.60555 needed, 12.60554999 available');
    await w.venue.deposit('alice', 'USDT', '0.00000001');
    assert.equal((await one(w.alice.future(buy))).status, 4);
    assert.equal(await margin(w), '11.1');
  });

  it('a MARKET order that finds less than it wants needs only what it finds', { rule: ['5.8', '11.34'] }, async (w) => {
    await w.rest('SELL', 100, MILLION / 10, PERP);
    await leave(w, '1.11');
    const { status, totalFilledSize } = await one(w.alice.future(future('BUY', null, MILLION)));
    assert.deepEqual([status, totalFilledSize, await margin(w)], [6, MILLION / 10, '1.11']);
  });
});

describe('margin by leverage', () => {
  const it = scenarios();

  // 1,000 USDT × (max(1 %, 1 / leverage) + 2 × 0.055 %)
  const CROSS = [
    [0, '11.1'],
    [100, '11.1'],
    [50, '21.1'],
    [20, '51.1'],
    [3, '334.43334'],
    [1, '1001.1'],
  ] as const;

  for (const [leverage, expected] of CROSS) {
    it(`cross ${leverage}${leverage === 0 ? ', the maximum of the tier,' : ''} takes ${expected} of 1,000 USDT`, {
      rule: ['11.33', '11.34'],
    }, async (w) => {
      await setLeverage(w, { leverage, marginMode: 'CROSS' });
      await open(w, MILLION);
      assert.equal(await margin(w), expected);
    });
  }

  for (const [leverage, expected] of [
    [undefined, '102.111'],
    [20, '51.611'],
    [100, '11.211'],
  ] as const) {
    it(`isolated ${leverage ?? 'by default, 10,'} takes ${expected} of 1,000 USDT: a hundredth more`, {
      rule: ['11.4', '11.33'],
    }, async (w) => {
      await setMode(w, 'ISOLATED');
      if (leverage !== undefined) await setLeverage(w, { leverage, marginMode: 'ISOLATED' });
      await open(w, MILLION);
      assert.equal((await w.account()).positions[0].margin, expected);
    });
  }

  it('the initial rate of a higher tier wins over the leverage', { rule: '11.34' }, async (w) => {
    await w.price(PERP, { index: 50_000 });
    await setLeverage(w, { leverage: 100, marginMode: 'CROSS' });
    await ok(w.alice.future(future('BUY', 50_000, 200_001)));
    assert.equal(await margin(w), '2110.01055');
  });
});

describe('margin of orders', () => {
  const it = scenarios();

  it('that wait for a trigger is 0, at rest as much as they add, and comes back with a cancel', {
    rule: ['5.45', '5.46'],
  }, async (w) => {
    await ok(w.alice.future(stop('BUY', 105, MILLION)));
    assert.equal(await margin(w), '0');
    const { orderID } = await one(w.alice.future(future('BUY', 99, MILLION)));
    assert.equal(await margin(w), '10.989');
    await ok(w.alice.cancelFuture({ orderID }));
    assert.equal(await margin(w), '0');
  });

  it('is needed in full: a unit less is refused, with the figures', { rule: '5.7' }, async (w) => {
    await leave(w, '10.98899999');
    const order = future('BUY', 99, MILLION);
    await refused(w.alice.future(order), 33199101, 'not enough USDT: 10.989 needed, 10.98899999 available');
    await w.venue.deposit('alice', 'USDT', '0.00000001');
    await ok(w.alice.future(order));
    assert.equal((await w.balance('USDT')).available, '0');
  });

  it('has its open loss beside it: BUY above the mark, SELL below it, at the mark of now', {
    rule: ['5.6', '5.7'],
  }, async (w) => {
    await ok(w.alice.future(future('SELL', 100.1, MILLION)));
    await w.price(PERP, { mark: 100.6 });
    // 1,001 at 1.11 % and 0.5 × 10
    assert.equal(await margin(w), '16.1111');
    await w.price(PERP, { mark: 100 });
    assert.equal(await margin(w), '11.1111');
    await ok(w.alice.cancelFuture());
    await ok(w.alice.future(future('BUY', 100.5, MILLION)));
    // 1,005 at 1.11 % and 0.5 × 10
    assert.equal(await margin(w), '16.1555');
  });

  it('of what only reduces is 0, and so is its open loss', { rule: ['5.9', '11.35'] }, async (w) => {
    await open(w, MILLION);
    await ok(w.alice.future(future('SELL', 100.1, MILLION)));
    await w.price(PERP, { mark: 100.6 });
    // The position at its mark: 1,006 at 1.11 %
    assert.equal(await margin(w), '11.1666');
  });
});

describe('maintenance', () => {
  const it = scenarios();

  it('takes each part of the value at the rate of its own tier: no step at its edge', { rule: '11.38' }, async (w) => {
    await w.price(PERP, { index: 50_000 });
    await open(w, 250_000, {}, 50_000);
    await leave(w, '3000');
    const inProgress = async () => (await ok(w.alice.positions()))[0].liquidationInProgress;
    // 122,727.275 of value: 100,000 at 0.5 % and the rest at 1 % need 727.27275; 3,000 − 2,272.725 is there. (1 % of all: 1,227.)
    await w.price(PERP, { mark: '49090.91' });
    assert.equal(await inProgress(), false);
    // 2.5 BTC lose 0.025 more, the maintenance falls by 0.00025: 727.25 for 727.2725.
    await w.price(PERP, { mark: '49090.9' });
    assert.equal(await inProgress(), true);
  });
});
