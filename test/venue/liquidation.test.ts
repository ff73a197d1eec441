/** Liquidation, the insurance fund and auto-deleveraging (semantics.md section 11), against a venue without a wire. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTC_PERP, Desk, genesis } from './support.ts';

const FINE = 1000;
const USDT = 100_000_000n;

/**
 * carol longs 1 BTC (100,000 contracts) at 60,000.0 from dave with 700 USDT: initial 1 % + 2 × 0.055 %, maintenance 0.5 %.
 * Her equity meets maintenance near 59,600.
 */
function leveragedLong(fund = '0', balance = '700'): Desk {
  const account = (name: string, USDT: string) => ({ name, balances: { USDT }, fees: {}, keys: [] });
  const accounts = [account('maker', '10000000'), account('dave', '10000000'), account('carol', balance)];
  const desk = new Desk(genesis({ accounts, insuranceFund: { USDT: fund } }));
  desk.prices(BTC_PERP, { index: 600_000 * FINE });
  filled(desk.limit(1, BTC_PERP, 1, 600_000, 100_000));
  filled(desk.limit(2, BTC_PERP, 0, 600_000, 100_000));
  return desk;
}

function filled(reply: { refusal: unknown }): void {
  assert.equal(reply.refusal, null, JSON.stringify(reply.refusal));
}

function mark(desk: Desk, ticks: number): void {
  desk.prices(BTC_PERP, { mark: ticks * FINE });
  const audit = desk.venue.audit();
  assert.ok(
    audit.ok,
    JSON.stringify(audit, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  );
}

function sizeOf(desk: Desk, account: number): number {
  return desk.venue.positions(account)[0]?.size ?? 0;
}

function liquidations(desk: Desk): string[] {
  return desk.events.flatMap((event) => {
    if (event.type !== 'orderAccepted' || event.order.account !== 2 || event.order.liquidation === null) return [];
    return [event.order.liquidation];
  });
}

function fundOf(desk: Desk): bigint {
  const line = desk.venue.audit().currencies.find(({ currency }) => currency.code === 'USDT');
  return line?.line.insurance ?? 0n;
}

function equityOf(desk: Desk, account: number): bigint {
  const balance = desk.venue.balances(account).find(({ currency }) => currency.code === 'USDT');
  return (balance?.total ?? 0n) + (balance?.unrealised ?? 0n);
}

test('equity at or above maintenance: nothing happens', () => {
  const desk = leveragedLong();
  desk.limit(0, BTC_PERP, 0, 596_000, 1_000_000);
  mark(desk, 597_000);
  assert.equal(sizeOf(desk, 2), 100_000);
});

test('equity below maintenance: orders go, quarters are closed until equity is 1.2 times maintenance, the fee goes to the fund', {
  rule: ['11.44', '11.46', '11.47'],
}, () => {
  const desk = leveragedLong();
  desk.limit(0, BTC_PERP, 0, 595_900, 1_000_000);
  const resting = desk.limit(2, BTC_PERP, 1, 640_000, 10, { reduceOnly: true }).orders[0].key;
  mark(desk, 596_200);
  assert.equal(desk.venue.order(2, 'futures', resting)?.ending?.reason, 'liquidation');
  // Equity 287 for 298.1. A quarter sold 30 below the mark costs 7.5 and 29.795 of fee:
  // 249.705 for 1.2 × 223.575 after one, 212.41 for 1.2 × 149.05 after two.
  assert.deepEqual(liquidations(desk), ['partial', 'partial']);
  assert.equal(sizeOf(desk, 2), 50_000);
  assert.equal(equityOf(desk, 2), 212_410_000_00n);
  assert.equal(fundOf(desk), 59_590_000_00n);
});

test('liquidation prints are no last price', { rule: '11.56' }, () => {
  const desk = leveragedLong();
  desk.limit(0, BTC_PERP, 0, 595_900, 1_000_000);
  mark(desk, 596_200);
  assert.equal(desk.venue.marketBySymbol('BTC-PERP')?.last, 600_000 * FINE);
});

/** What carol has after her entry fee: 700 − 0.055 % of 60,000. */
const ENTERED = 667n * USDT;

test('where the fee is no longer left the whole position goes, at no price below the bankruptcy price', {
  rule: ['11.48', '11.49'],
}, () => {
  const desk = leveragedLong('1000');
  desk.limit(0, BTC_PERP, 0, 593_329, 1_000_000);
  // 67 of equity at 59,400.0, the fee would be 118.8. Bankrupt at 59,333.0: a bid at 59,332.9 is below.
  mark(desk, 594_000);
  assert.deepEqual([sizeOf(desk, 2), equityOf(desk, 2), fundOf(desk)], [100_000, ENTERED - 600n * USDT, 1000n * USDT]);
  desk.limit(0, BTC_PERP, 0, 593_330, 1_000_000);
  assert.deepEqual(liquidations(desk), ['forced']);
  assert.deepEqual([sizeOf(desk, 2), equityOf(desk, 2), fundOf(desk)], [0, 0n, 1000n * USDT]);
});

test('a book better than the bankruptcy price: the fund takes the difference', { rule: '11.50' }, () => {
  const desk = leveragedLong();
  desk.limit(0, BTC_PERP, 0, 595_000, 1_000_000);
  mark(desk, 593_400);
  assert.deepEqual(liquidations(desk), ['forced']);
  // 59,500 − 59,333
  assert.deepEqual([sizeOf(desk, 2), equityOf(desk, 2), fundOf(desk)], [0, 0n, 167n * USDT]);
});

test('below zero the fund gives the difference to the bankruptcy price for a book near the mark', {
  rule: '11.52',
}, () => {
  const desk = leveragedLong('1000');
  desk.limit(0, BTC_PERP, 0, 592_300, 1_000_000);
  // 59,250 × 99.95 % is 59,220.375: a bid at 59,230.0 is near; 59,333 − 59,230 is the fund's.
  mark(desk, 592_500);
  assert.deepEqual(liquidations(desk), ['forced']);
  assert.deepEqual([sizeOf(desk, 2), equityOf(desk, 2), fundOf(desk)], [0, 0n, 897n * USDT]);
});

test('an empty fund and equity below zero: the position is closed against the opposite one at the bankruptcy price', {
  rule: '11.57',
}, () => {
  const desk = leveragedLong();
  desk.limit(0, BTC_PERP, 0, 590_000, 1_000_000);
  const dave = equityOf(desk, 1);
  mark(desk, 590_000);
  const closed = desk.events.filter((event) => event.type === 'deleveraged');
  assert.deepEqual(
    closed.map((event) => event.type === 'deleveraged' && [event.account, event.sizeLots, event.notional]),
    [[1, 100_000, 59_333n * USDT]],
  );
  assert.deepEqual([sizeOf(desk, 2), sizeOf(desk, 1), fundOf(desk)], [0, 0, 0n]);
  assert.deepEqual([equityOf(desk, 2), equityOf(desk, 1) - dave], [0n, 667n * USDT]);
});

test('no book and equity left: it waits, and is liquidated when a book comes', { rule: '11.51' }, () => {
  const desk = leveragedLong();
  mark(desk, 596_000);
  assert.equal(sizeOf(desk, 2), 100_000);
  desk.limit(0, BTC_PERP, 0, 595_900, 1_000_000);
  // 267 for 298. A quarter costs 2.5 and pays 29.795: 234.705 for 1.2 × 223.5; two leave 202.41 for 1.2 × 149.
  assert.deepEqual([sizeOf(desk, 2), equityOf(desk, 2), fundOf(desk)], [50_000, 202_410_000_00n, 59_590_000_00n]);
  assert.ok(desk.venue.audit().ok);
});

test('an isolated position is liquidated on its own money; the wallet stays', { rule: ['11.40', '11.43'] }, () => {
  const desk = leveragedLong('0', '5000');
  const eve = 3;
  desk.run({ type: 'createAccount', name: 'eve' });
  desk.run({ type: 'deposit', account: eve, currency: 'USDT', amount: String(20_000n * USDT) });
  desk.limit(1, BTC_PERP, 1, 600_000, 10_000);
  filled(desk.limit(eve, BTC_PERP, 0, 600_000, 10_000, { positionMode: 'ISOLATED' }));
  const [position] = desk.venue.positions(eve);
  assert.equal(position.margin, 612_666_000_00n); // 6,000 × (1/10 + 2 × 0.00055) × 1.01
  desk.limit(0, BTC_PERP, 0, 540_500, 1_000_000);
  mark(desk, 539_500);
  assert.equal(sizeOf(desk, eve), 0);
  // 20,000 − 612.666 − 0.055 % of 6,000
  assert.equal(equityOf(desk, eve), 19_384_034_000_00n);
});
