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
  rule: '11.17',
}, () => {
  const desk = leveragedLong();
  desk.limit(0, BTC_PERP, 0, 595_900, 1_000_000);
  const resting = desk.limit(2, BTC_PERP, 1, 640_000, 10, { reduceOnly: true }).orders[0].key;
  mark(desk, 596_200);
  assert.equal(desk.venue.order(2, 'futures', resting)?.ending?.reason, 'liquidation');
  const kinds = liquidations(desk);
  assert.ok(kinds.length >= 1 && kinds.length <= 4, `${kinds}`);
  assert.ok(
    kinds.every((kind) => kind === 'partial'),
    `${kinds}`,
  );
  assert.equal(sizeOf(desk, 2), 100_000 - 25_000 * kinds.length);
  assert.ok(fundOf(desk) > 0n);
});

test('liquidation prints are no last price', () => {
  const desk = leveragedLong();
  desk.limit(0, BTC_PERP, 0, 595_900, 1_000_000);
  mark(desk, 596_200);
  assert.equal(desk.venue.marketBySymbol('BTC-PERP')?.last, 600_000 * FINE);
});

test('where the fee is no longer left the whole position goes, and the fund gives the difference to the bankruptcy price', {
  rule: '11.17',
}, () => {
  const desk = leveragedLong('1000');
  desk.limit(0, BTC_PERP, 0, 592_000, 1_000_000);
  mark(desk, 592_500);
  assert.deepEqual(liquidations(desk), ['forced']);
  assert.equal(sizeOf(desk, 2), 0);
  assert.ok(equityOf(desk, 2) >= 0n && equityOf(desk, 2) <= 1n, `${equityOf(desk, 2)}`);
  assert.ok(fundOf(desk) < 1000n * USDT && fundOf(desk) > 800n * USDT, `${fundOf(desk)}`);
});

test('a book better than the bankruptcy price: the fund takes the difference', () => {
  const desk = leveragedLong();
  desk.limit(0, BTC_PERP, 0, 595_000, 1_000_000);
  mark(desk, 593_400);
  assert.deepEqual(liquidations(desk), ['forced']);
  assert.equal(sizeOf(desk, 2), 0);
  assert.ok(fundOf(desk) > 0n);
  assert.ok(equityOf(desk, 2) >= 0n && equityOf(desk, 2) <= 1n, `${equityOf(desk, 2)}`);
});

test('an empty fund and equity below zero: the position is closed against the most profitable short at the bankruptcy price', () => {
  const desk = leveragedLong();
  desk.limit(0, BTC_PERP, 0, 585_000, 1_000_000);
  mark(desk, 590_000);
  assert.equal(sizeOf(desk, 2), 0);
  assert.equal(sizeOf(desk, 1), 0);
  const closed = desk.events.filter((event) => event.type === 'deleveraged');
  assert.deepEqual(
    closed.map((event) => event.type === 'deleveraged' && [event.account, event.sizeLots]),
    [[1, 100_000]],
  );
  assert.equal(fundOf(desk), 0n);
  assert.ok(equityOf(desk, 2) >= 0n && equityOf(desk, 2) <= 1n, `${equityOf(desk, 2)}`);
});

test('no book and equity left: it waits, and is liquidated when a book comes', () => {
  const desk = leveragedLong();
  mark(desk, 596_000);
  assert.equal(sizeOf(desk, 2), 100_000);
  desk.limit(0, BTC_PERP, 0, 595_900, 1_000_000);
  assert.ok(sizeOf(desk, 2) < 100_000);
  assert.ok(desk.venue.audit().ok);
});

test('an isolated position is liquidated on its own money; the wallet stays', () => {
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
  assert.ok(equityOf(desk, eve) > 19_300n * USDT, `${equityOf(desk, eve)}`);
});
