/** What prices would set off: judged as it then happens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTC_PERP, genesis, VenueDriver } from './support.ts';

const FINE = 1000;
const [MAKER, ALICE] = [0, 1];
const BUY = 0;
const SELL = 1;

/** alice has this much USDT, and the maker much. */
function driverWith(balance: string): VenueDriver {
  const account = (name: string, USDT: string) => ({ name, balances: { USDT }, fees: {}, keys: [] });
  const driver = new VenueDriver(genesis({ accounts: [account('maker', '100000000'), account('alice', balance)] }));
  driver.prices(BTC_PERP, { index: 600_000 * FINE });
  return driver;
}

function trade(driver: VenueDriver, side: 0 | 1, lots: number, terms: object = {}): void {
  const other = side === BUY ? SELL : BUY;
  assert.equal(driver.limit(MAKER, BTC_PERP, other, 600_000, lots).refusal, null);
  assert.equal(driver.limit(ALICE, BTC_PERP, side, 600_000, lots, terms).refusal, null);
}

/** Sizes of the positions, and keys of the orders, that a mark would set off. */
function preview(driver: VenueDriver, ticks: number) {
  const { positions, orders } = driver.venue.previewPrices({ market: BTC_PERP, mark: ticks * FINE });
  return { sizes: positions.map(({ position }) => position.size), keys: orders.map(({ key }) => key) };
}

/** Keys of the orders that fire, and whether alice is liquidated, if the mark is set. */
function happens(driver: VenueDriver, ticks: number) {
  const after = driver.reloaded();
  after.prices(BTC_PERP, { mark: ticks * FINE });
  const isLiquidated = after.events.some((event) => event.type === 'causeChanged' && event.cause.by === 'liquidation');
  const fired = after.events.flatMap((event) =>
    event.type === 'orderChanged' && event.change === 'triggered' ? [event.key] : [],
  );
  return { isLiquidated, fired };
}

test('HEDGE: both legs of a net SHORT are liquidated as the mark rises, and none as it falls', () => {
  const driver = driverWith('10000');
  trade(driver, BUY, 100_000, { positionMode: 'HEDGE' });
  trade(driver, SELL, 300_000, { positionMode: 'HEDGE' });
  for (const ticks of [300_000, 500_000, 599_000, 610_000]) {
    assert.deepEqual(preview(driver, ticks).sizes, [], String(ticks));
    assert.equal(happens(driver, ticks).isLiquidated, false, String(ticks));
  }
  for (const ticks of [660_000, 700_000]) {
    assert.deepEqual(preview(driver, ticks).sizes, [100_000, -300_000], String(ticks));
    assert.equal(happens(driver, ticks).isLiquidated, true, String(ticks));
  }
});

test('a stop of an account that the mark makes bankrupt does not fire: its position is closed first', () => {
  const driver = driverWith('700');
  trade(driver, BUY, 100_000);
  const stop = { kind: 'conditional', rule: 'stop', reference: 'mark', trigger: 598_000, price: null, size: 100 };
  const [order] = placed(driver, SELL, stop);
  assert.deepEqual(preview(driver, 597_500), { sizes: [], keys: [order] });
  assert.deepEqual(happens(driver, 597_500).fired, [order]);
  assert.deepEqual(preview(driver, 500_000), { sizes: [100_000], keys: [] });
  assert.deepEqual(happens(driver, 500_000), { isLiquidated: true, fired: [] });
});

test('a trailing stop that is only activated does not fire', () => {
  const driver = driverWith('100000');
  trade(driver, BUY, 1000);
  const terms = { distance: 1000 * FINE, percent: null, activation: 610_000, activationReference: null };
  const [order] = placed(driver, SELL, { kind: 'trailing', reference: 'mark', size: 100, ...terms });
  assert.deepEqual(preview(driver, 611_000).keys, []);
  driver.prices(BTC_PERP, { mark: 611_000 * FINE });
  assert.deepEqual(preview(driver, 609_000).keys, [order]);
  assert.deepEqual(happens(driver, 609_000).fired, [order]);
});

function placed(driver: VenueDriver, side: 0 | 1, terms: object): number[] {
  const before = driver.events.length;
  assert.equal(driver.place(ALICE, BTC_PERP, side, terms).refusal, null);
  return driver.events.slice(before).flatMap((event) => (event.type === 'orderAccepted' ? [event.order.key] : []));
}

test('a stop whose position an earlier one closes is foreseen, and does not fire', () => {
  const driver = driverWith('100000');
  trade(driver, BUY, 1000);
  const stop = { kind: 'conditional', rule: 'stop', reference: 'mark', price: null, size: 1000, reduceOnly: true };
  const [first] = placed(driver, SELL, { ...stop, trigger: 599_000 });
  const [second] = placed(driver, SELL, { ...stop, trigger: 598_000 });
  assert.equal(driver.limit(MAKER, BTC_PERP, BUY, 599_900, 1000).refusal, null);
  assert.deepEqual(preview(driver, 597_000).keys, [first, second]);
  assert.deepEqual(happens(driver, 597_000).fired, [first]);
});
