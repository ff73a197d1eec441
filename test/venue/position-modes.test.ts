/** Position modes (semantics.md section 11), against a venue without a wire. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTC_PERP, BTC_USDT, VenueDriver } from './support.ts';

const FINE = 1000;

function twoSided(): VenueDriver {
  const driver = new VenueDriver();
  driver.prices(BTC_PERP, { index: 600_000 * FINE });
  driver.limit(0, BTC_PERP, 1, 600_100, 100_000);
  driver.limit(0, BTC_PERP, 0, 599_900, 100_000);
  return driver;
}

function market(driver: VenueDriver, side: 0 | 1, size: number, terms: object = {}) {
  return driver.place(1, BTC_PERP, side, { kind: 'market', size, ...terms });
}

function positions(driver: VenueDriver): (string | number)[][] {
  return driver.venue.positions(1).map(({ mode, id, size }) => [mode, id, size]);
}

test('HEDGE: BUY opens LONG and SELL opens SHORT side by side; reduce-only SELL takes from LONG, BUY from SHORT', () => {
  const driver = twoSided();
  market(driver, 0, 300, { positionMode: 'HEDGE' });
  market(driver, 1, 200);
  assert.deepEqual(positions(driver), [
    ['HEDGE', 1, 300],
    ['HEDGE', 2, -200],
  ]);
  market(driver, 1, 1000, { reduceOnly: true });
  market(driver, 0, 50, { reduceOnly: true });
  assert.deepEqual(positions(driver), [['HEDGE', 2, -150]]);
  assert.equal(market(driver, 1, 10, { reduceOnly: true }).refusal?.reason, 'reduceOnlyWithoutPosition');
  assert.ok(driver.venue.audit().ok);
});

test('ISOLATED: each opening order has a position with money of its own, up to five; reduce-only takes the oldest opposite one', () => {
  const driver = twoSided();
  for (let i = 0; i < 3; i++) market(driver, 0, 100 + i, { positionMode: 'ISOLATED' });
  market(driver, 1, 50);
  assert.deepEqual(positions(driver), [
    ['ISOLATED', 1, 100],
    ['ISOLATED', 2, 101],
    ['ISOLATED', 3, 102],
    ['ISOLATED', 4, -50],
  ]);
  driver.limit(1, BTC_PERP, 0, 590_000, 10);
  assert.equal(market(driver, 0, 10).refusal?.reason, 'tooManyPositions');
  market(driver, 1, 500, { reduceOnly: true });
  assert.deepEqual(
    positions(driver).map(([, id]) => id),
    [2, 3, 4],
  );
  assert.ok(driver.venue.audit().ok);
});

test('another mode is taken only with no position and no order in the market', { rule: ['11.10', '11.11'] }, () => {
  const driver = twoSided();
  driver.limit(1, BTC_PERP, 0, 590_000, 10);
  const refused = driver.limit(1, BTC_PERP, 0, 590_000, 10, { positionMode: 'HEDGE' });
  assert.equal(refused.refusal?.reason, 'positionModeMismatch');
  const byCall = driver.run({ type: 'setPositionMode', account: 1, market: BTC_PERP, mode: 'HEDGE' });
  assert.equal(byCall.refusal?.reason, 'positionModeUnchangeable');
  driver.run({ type: 'cancelAll', account: 1, product: 'futures', market: null });
  assert.equal(driver.run({ type: 'setPositionMode', account: 1, market: BTC_PERP, mode: 'HEDGE' }).refusal, null);
  market(driver, 0, 10);
  assert.deepEqual(positions(driver), [['HEDGE', 1, 10]]);
});

test('a refused order does not switch the mode', { rule: '11.12' }, () => {
  const driver = twoSided();
  assert.equal(market(driver, 0, 100_000_000, { positionMode: 'HEDGE' }).refusal?.reason, 'sizeAboveMaximum');
  market(driver, 0, 10);
  assert.deepEqual(positions(driver), [['ONE_WAY', 0, 10]]);
});

test('leverage: margin is the worse of the tier and 1 / leverage; above the tier maximum it is refused', () => {
  const driver = twoSided();
  market(driver, 0, 1000);
  const margin = () => driver.venue.positions(1)[0].margin;
  const before = margin();
  assert.equal(
    driver.run({ type: 'setLeverage', account: 1, market: BTC_PERP, margin: 'CROSS', leverage: 10, position: null })
      .refusal,
    null,
  );
  assert.ok(margin() > 9n * before, `${before} ${margin()}`);
  const tooMuch = driver.run({
    type: 'setLeverage',
    account: 1,
    market: BTC_PERP,
    margin: 'CROSS',
    leverage: 101,
    position: null,
  });
  assert.equal(tooMuch.refusal?.reason, 'leverageOutOfRange');
});

test('attached orders belong to their isolated position and go with it', () => {
  const driver = twoSided();
  market(driver, 0, 100, { positionMode: 'ISOLATED', takeProfit: { price: 620_000, reference: 'last' } });
  market(driver, 0, 200);
  const attached = () => driver.venue.openOrders(1, 'futures', null).filter(({ algo }) => algo === 'bracket');
  assert.deepEqual(
    attached().map((order) => [order.positionId, order.quantity]),
    [[1, 100]],
  );
  market(driver, 1, 100, { reduceOnly: true });
  assert.deepEqual(attached(), []);
  assert.deepEqual(positions(driver), [['ISOLATED', 2, 200]]);
});

test('a stop-loss attached to an open position closes it, and its pair goes', () => {
  const driver = twoSided();
  market(driver, 0, 100);
  const pair = {
    takeProfit: { price: 620_000, reference: 'mark' },
    stopLoss: { price: 590_000, reference: 'mark' },
  } as const;
  const reply = driver.run({ type: 'attachBrackets', account: 1, market: BTC_PERP, position: 0, ...pair });
  assert.equal(reply.orders.length, 2);
  driver.prices(BTC_PERP, { mark: 589_000 * FINE });
  assert.deepEqual(positions(driver), []);
  assert.deepEqual(driver.venue.openOrders(1, 'futures', null), []);
});

/** bob's short 10 at 60,000.0 behind alice's long, and her bid for more with a stop-loss at 57,000. */
function partlyFilledParent(size: number): VenueDriver {
  const driver = new VenueDriver();
  driver.run({ type: 'createAccount', name: 'carol' });
  driver.run({ type: 'deposit', account: 2, currency: 'USDT', amount: '10000000000000' });
  driver.prices(BTC_PERP, { index: 600_000 * FINE });
  driver.limit(1, BTC_PERP, 1, 600_000, 10);
  driver.limit(0, BTC_PERP, 0, 600_000, size, { stopLoss: { price: 570_000, reference: 'mark' } });
  return driver;
}

function sizeOf(driver: VenueDriver, account: number): number {
  return driver.venue.positions(account)[0]?.size ?? 0;
}

test("an attached stop-loss is not undone by its own parent's remainder: the resting order goes, the position is closed", () => {
  const driver = partlyFilledParent(20);
  driver.limit(2, BTC_PERP, 0, 580_000, 50);
  driver.prices(BTC_PERP, { mark: 570_000 * FINE });
  assert.equal(sizeOf(driver, 0), 0);
  assert.deepEqual(driver.venue.openOrders(0, 'futures', null), []);
});

test('what a parent opens after its stop-loss has ended has a stop-loss of its own', () => {
  const driver = partlyFilledParent(100);
  driver.limit(2, BTC_PERP, 0, 600_500, 10);
  driver.prices(BTC_PERP, { mark: 570_000 * FINE });
  assert.equal(sizeOf(driver, 0), 0);
  driver.prices(BTC_PERP, { mark: 600_000 * FINE });
  driver.limit(1, BTC_PERP, 1, 600_000, 90);
  assert.equal(sizeOf(driver, 0), 90);
  const stops = driver.venue.openOrders(0, 'futures', null).filter(({ algo }) => algo === 'bracket');
  assert.deepEqual(
    stops.map((order) => [order.quantity, order.trigger?.price]),
    [[90, 570_000]],
  );
});

test('a mark that is freed where there is no index stays, and is not seen again: nobody fires', () => {
  const driver = new VenueDriver();
  driver.prices(BTC_USDT, { mark: 600_000 * FINE });
  const stop = { kind: 'conditional', rule: 'stop', trigger: 300_000, reference: 'mark', price: null, size: 100 };
  const { key } = driver.place(0, BTC_USDT, 1, stop).orders[0];
  driver.limit(1, BTC_USDT, 0, 10, 1000);
  driver.prices(BTC_USDT, { mark: null });
  assert.equal(driver.venue.order(0, 'spot', key)?.state, 'waiting');
  assert.equal(driver.venue.marketBySymbol('BTC-USDT')?.mark, 600_000 * FINE);
});
