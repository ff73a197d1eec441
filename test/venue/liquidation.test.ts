/** Liquidation, the insurance fund and auto-deleveraging (semantics.md section 11), against a venue without a wire. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTC_PERP, genesis, VenueDriver } from './support.ts';

const FINE = 1000;
const USDT = 100_000_000n;

/**
 * carol longs 1 BTC (100,000 contracts) at 60,000.0 from dave with 700 USDT: initial 1 % + 2 × 0.055 %, maintenance 0.5 %.
 * Her equity meets maintenance near 59,600.
 */
function leveragedLong(fund = '0', balance = '700'): VenueDriver {
  const account = (name: string, USDT: string) => ({ name, balances: { USDT }, fees: {}, keys: [] });
  const accounts = [account('maker', '10000000'), account('dave', '10000000'), account('carol', balance)];
  const driver = new VenueDriver(genesis({ accounts, insuranceFund: { USDT: fund } }));
  driver.prices(BTC_PERP, { index: 600_000 * FINE });
  filled(driver.limit(1, BTC_PERP, 1, 600_000, 100_000));
  filled(driver.limit(2, BTC_PERP, 0, 600_000, 100_000));
  return driver;
}

function filled(reply: { refusal: unknown }): void {
  assert.equal(reply.refusal, null, JSON.stringify(reply.refusal));
}

function mark(driver: VenueDriver, ticks: number): void {
  driver.prices(BTC_PERP, { mark: ticks * FINE });
  const audit = driver.venue.audit();
  assert.ok(
    audit.ok,
    JSON.stringify(audit, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  );
}

function sizeOf(driver: VenueDriver, account: number): number {
  return driver.venue.positions(account)[0]?.size ?? 0;
}

function liquidations(driver: VenueDriver): string[] {
  return driver.events.flatMap((event) => {
    if (event.type !== 'orderAccepted' || event.order.account !== 2 || event.order.liquidation === null) return [];
    return [event.order.liquidation];
  });
}

function fundOf(driver: VenueDriver): bigint {
  const line = driver.venue.audit().currencies.find(({ currency }) => currency.code === 'USDT');
  return line?.line.insurance ?? 0n;
}

function equityOf(driver: VenueDriver, account: number): bigint {
  const balance = driver.venue.balances(account).find(({ currency }) => currency.code === 'USDT');
  return (balance?.total ?? 0n) + (balance?.unrealised ?? 0n);
}

test('equity at or above maintenance: nothing happens', () => {
  const driver = leveragedLong();
  driver.limit(0, BTC_PERP, 0, 596_000, 1_000_000);
  mark(driver, 597_000);
  assert.equal(sizeOf(driver, 2), 100_000);
});

test('equity below maintenance: orders go, quarters are closed until equity is 1.2 times maintenance, the fee goes to the fund', {
  rule: ['11.44', '11.46', '11.47'],
}, () => {
  const driver = leveragedLong();
  driver.limit(0, BTC_PERP, 0, 595_900, 1_000_000);
  const resting = driver.limit(2, BTC_PERP, 1, 640_000, 10, { reduceOnly: true }).orders[0].key;
  mark(driver, 596_200);
  assert.equal(driver.venue.order(2, 'futures', resting)?.ending?.reason, 'liquidation');
  // Equity 287 for 298.1. A quarter sold 30 below the mark costs 7.5 and 29.795 of fee:
  // 249.705 for 1.2 × 223.575 after one, 212.41 for 1.2 × 149.05 after two.
  assert.deepEqual(liquidations(driver), ['partial', 'partial']);
  assert.equal(sizeOf(driver, 2), 50_000);
  assert.equal(equityOf(driver, 2), 212_410_000_00n);
  assert.equal(fundOf(driver), 59_590_000_00n);
});

test('liquidation prints are no last price', { rule: '11.56' }, () => {
  const driver = leveragedLong();
  driver.limit(0, BTC_PERP, 0, 595_900, 1_000_000);
  mark(driver, 596_200);
  assert.equal(driver.venue.marketBySymbol('BTC-PERP')?.last, 600_000 * FINE);
});

/** What carol has after her entry fee: 700 − 0.055 % of 60,000. */
const ENTERED = 667n * USDT;

test('where the fee is no longer left the whole position goes, at no price below the bankruptcy price', {
  rule: ['11.48', '11.49'],
}, () => {
  const driver = leveragedLong('1000');
  driver.limit(0, BTC_PERP, 0, 593_329, 1_000_000);
  // 67 of equity at 59,400.0, the fee would be 118.8. Bankrupt at 59,333.0: a bid at 59,332.9 is below.
  mark(driver, 594_000);
  assert.deepEqual(
    [sizeOf(driver, 2), equityOf(driver, 2), fundOf(driver)],
    [100_000, ENTERED - 600n * USDT, 1000n * USDT],
  );
  driver.limit(0, BTC_PERP, 0, 593_330, 1_000_000);
  assert.deepEqual(liquidations(driver), ['forced']);
  assert.deepEqual([sizeOf(driver, 2), equityOf(driver, 2), fundOf(driver)], [0, 0n, 1000n * USDT]);
});

test('a book better than the bankruptcy price: the fund takes the difference', { rule: '11.50' }, () => {
  const driver = leveragedLong();
  driver.limit(0, BTC_PERP, 0, 595_000, 1_000_000);
  mark(driver, 593_400);
  assert.deepEqual(liquidations(driver), ['forced']);
  // 59,500 − 59,333
  assert.deepEqual([sizeOf(driver, 2), equityOf(driver, 2), fundOf(driver)], [0, 0n, 167n * USDT]);
});

test('below zero the fund gives the difference to the bankruptcy price for a book near the mark', {
  rule: '11.52',
}, () => {
  const driver = leveragedLong('1000');
  driver.limit(0, BTC_PERP, 0, 592_300, 1_000_000);
  // 59,250 × 99.95 % is 59,220.375: a bid at 59,230.0 is near; 59,333 − 59,230 is the fund's.
  mark(driver, 592_500);
  assert.deepEqual(liquidations(driver), ['forced']);
  assert.deepEqual([sizeOf(driver, 2), equityOf(driver, 2), fundOf(driver)], [0, 0n, 897n * USDT]);
});

test('an empty fund and equity below zero: the position is closed against the opposite one at the bankruptcy price', {
  rule: '11.57',
}, () => {
  const driver = leveragedLong();
  driver.limit(0, BTC_PERP, 0, 590_000, 1_000_000);
  const dave = equityOf(driver, 1);
  mark(driver, 590_000);
  const closed = driver.events.filter((event) => event.type === 'deleveraged');
  assert.deepEqual(
    closed.map((event) => event.type === 'deleveraged' && [event.account, event.sizeLots, event.notional]),
    [[1, 100_000, 59_333n * USDT]],
  );
  assert.deepEqual([sizeOf(driver, 2), sizeOf(driver, 1), fundOf(driver)], [0, 0, 0n]);
  assert.deepEqual([equityOf(driver, 2), equityOf(driver, 1) - dave], [0n, 667n * USDT]);
});

test('no book and equity left: it waits, and is liquidated when a book comes', { rule: '11.51' }, () => {
  const driver = leveragedLong();
  mark(driver, 596_000);
  assert.equal(sizeOf(driver, 2), 100_000);
  driver.limit(0, BTC_PERP, 0, 595_900, 1_000_000);
  // 267 for 298. A quarter costs 2.5 and pays 29.795: 234.705 for 1.2 × 223.5; two leave 202.41 for 1.2 × 149.
  assert.deepEqual([sizeOf(driver, 2), equityOf(driver, 2), fundOf(driver)], [50_000, 202_410_000_00n, 59_590_000_00n]);
  assert.ok(driver.venue.audit().ok);
});

test('an isolated position is liquidated on its own money; the wallet stays', { rule: ['11.40', '11.43'] }, () => {
  const driver = leveragedLong('0', '5000');
  const eve = 3;
  driver.run({ type: 'createAccount', name: 'eve' });
  driver.run({ type: 'deposit', account: eve, currency: 'USDT', amount: String(20_000n * USDT) });
  driver.limit(1, BTC_PERP, 1, 600_000, 10_000);
  filled(driver.limit(eve, BTC_PERP, 0, 600_000, 10_000, { positionMode: 'ISOLATED' }));
  const [position] = driver.venue.positions(eve);
  assert.equal(position.margin, 612_666_000_00n); // 6,000 × (1/10 + 2 × 0.00055) × 1.01
  driver.limit(0, BTC_PERP, 0, 540_500, 1_000_000);
  mark(driver, 539_500);
  assert.equal(sizeOf(driver, eve), 0);
  // 20,000 − 612.666 − 0.055 % of 6,000
  assert.equal(equityOf(driver, eve), 19_384_034_000_00n);
});
