/**
 * An insurance fund below zero (semantics.md section 11). No sequence of commands is known that leads there, for nobody gets
 * below zero by own orders: so the state of this file is that of a venue one account of which has lost money that it had.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '../../src/api/control/metrics.ts';
import { deficitView } from '../../src/api/control/views.ts';
import { BTC_PERP, Desk, genesis } from './support.ts';

const FINE = 1000;
const USDT = 100_000_000n;
const [MAKER, DAVE, CAROL] = [0, 1, 2];

/** Carol is long 1 BTC from dave at 60,000. */
function long(desk: Desk): void {
  desk.limit(DAVE, BTC_PERP, 1, 600_000, 100_000);
  desk.limit(CAROL, BTC_PERP, 0, 600_000, 100_000);
}

/** Carol is long and short 0.1 BTC at 60,000. */
function hedged(desk: Desk): void {
  for (const side of [0, 1] as const) {
    desk.limit(DAVE, BTC_PERP, side, 600_000, 10_000);
    desk.limit(CAROL, BTC_PERP, side === 0 ? 1 : 0, 600_000, 10_000, { positionMode: 'HEDGE' });
  }
}

/** Of carol's money so much is gone that at the mark she has 33 USDT less than nothing. */
function bankruptAtItsMark(open = long): Desk {
  const account = (name: string, USDT: string) => ({ name, balances: { USDT }, fees: {}, keys: [] });
  const accounts = [account('maker', '10000000'), account('dave', '10000000'), account('carol', '700')];
  const desk = new Desk(genesis({ accounts }));
  desk.prices(BTC_PERP, { index: 600_000 * FINE });
  open(desk);
  const had = totalOf(desk, CAROL) ?? 0n;
  const saved = JSON.parse(desk.venue.save());
  const { accounts: saveds, ledger } = saved.desk.state;
  const currency = saveds[CAROL].totals.indexOf(String(had));
  saveds[CAROL].totals[currency] = String(-33n * USDT);
  ledger.withdrawals[currency] = String(had + 33n * USDT);
  return new Desk(JSON.stringify(saved));
}

function line(desk: Desk) {
  const found = desk.venue.audit().currencies.find(({ currency }) => currency.code === 'USDT');
  assert.ok(found);
  assert.equal(found.line.difference, 0n);
  return { insurance: found.line.insurance, deficit: found.line.deficit };
}

function totalOf(desk: Desk, account: number): bigint | undefined {
  return desk.venue.balances(account).find(({ currency }) => currency.code === 'USDT')?.total;
}

function mark(desk: Desk, ticks: number): void {
  desk.prices(BTC_PERP, { mark: ticks * FINE });
}

test('who is deleveraged gets no worse price than the mark before: where the bankruptcy price is worse, the difference is the fund’s', {
  rule: ['11.25', '11.26'],
}, () => {
  const desk = bankruptAtItsMark();
  const dave = totalOf(desk, DAVE) ?? 0n;
  // 43 below zero at 59,990: bankrupt at 60,033, which is above the mark before.
  mark(desk, 599_900);
  const closed = desk.events.flatMap((event) => (event.type === 'deleveraged' ? [[event.account, event.notional]] : []));
  assert.deepEqual(closed, [[DAVE, 60_000n * USDT]]);
  assert.deepEqual(desk.venue.positions(CAROL), []);
  assert.deepEqual([totalOf(desk, CAROL), totalOf(desk, DAVE)], [0n, dave]);
  assert.deepEqual(line(desk), { insurance: -33n * USDT, deficit: 33n * USDT });
});

test('what a cross account owes when its last position is closed is made good by the fund in the same step', {
  rule: '11.28',
}, () => {
  const desk = bankruptAtItsMark(hedged);
  const dave = totalOf(desk, DAVE);
  mark(desk, 599_900);
  // The legs close against each other, and nobody is left to take 33 from.
  assert.deepEqual(desk.venue.positions(CAROL), []);
  assert.deepEqual([totalOf(desk, CAROL), totalOf(desk, DAVE)], [0n, dave]);
  assert.deepEqual(line(desk), { insurance: -33n * USDT, deficit: 33n * USDT });
});

test('a fund below zero is a deficit in audit, health and metrics, and later liquidation fees fill it first', {
  rule: '11.27',
}, async () => {
  const desk = bankruptAtItsMark();
  const metrics = new Metrics([]);
  metrics.watch({ venue: desk.venue, waiting: 0, epoch: 1 });
  const gauge = async (name: string) => {
    const found = new RegExp(`^bourse_insurance_${name}\\{currency="USDT"\\} (.*)$`, 'm').exec(await metrics.text());
    return found?.[1];
  };
  assert.deepEqual([deficitView(desk.venue), await gauge('deficit')], [{}, '0']);
  mark(desk, 599_900);
  assert.equal(line(desk).deficit, 33n * USDT);
  assert.deepEqual(deficitView(desk.venue), { deficit: { USDT: '33' } });
  assert.deepEqual([await gauge('deficit'), await gauge('fund')], ['33', '0']);

  // Carol begins anew with 667: two quarters at 59,590 pay 59.59.
  desk.run({ type: 'deposit', account: CAROL, currency: 'USDT', amount: String(700n * USDT) });
  mark(desk, 600_000);
  long(desk);
  desk.limit(MAKER, BTC_PERP, 0, 595_900, 1_000_000);
  mark(desk, 596_200);
  assert.equal(desk.venue.positions(CAROL)[0].size, 50_000);
  assert.deepEqual(line(desk), { insurance: 26_590_000_00n, deficit: 0n });
  assert.deepEqual(deficitView(desk.venue), {});
  assert.deepEqual([await gauge('deficit'), await gauge('fund')], ['0', '26.59']);
});
