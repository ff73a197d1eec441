/**
 * An insurance fund below zero (semantics.md section 11). By commands that takes fees of half a trade (test/model/found.test.ts),
 * for nobody gets below zero by own orders: so the state of this file is that of a venue one account of which has lost money that
 * it had.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTC_PERP, genesis, VenueDriver } from './support.ts';

const FINE = 1000;
const USDT = 100_000_000n;
/** The place of USDT among the currencies. */
const CURRENCY = 3;
const [MAKER, DAVE, CAROL, ERIN] = [0, 1, 2, 3];

/** Carol is long 1 BTC from dave at 60,000. */
function long(driver: VenueDriver): void {
  driver.limit(DAVE, BTC_PERP, 1, 600_000, 100_000);
  driver.limit(CAROL, BTC_PERP, 0, 600_000, 100_000);
}

/** Carol is long and short 0.1 BTC at 60,000. */
function hedged(driver: VenueDriver): void {
  for (const side of [0, 1] as const) {
    driver.limit(DAVE, BTC_PERP, side, 600_000, 10_000);
    driver.limit(CAROL, BTC_PERP, side === 0 ? 1 : 0, 600_000, 10_000, { positionMode: 'HEDGE' });
  }
}

/** Of the money of some so much is gone that at the mark they have 33 USDT less than nothing. */
function bankruptAtItsMark(open = long, poor: readonly number[] = [CAROL]): VenueDriver {
  const account = (name: string, USDT: string) => ({ name, balances: { USDT }, fees: {}, keys: [] });
  const accounts = [
    account('maker', '10000000'),
    account('dave', '10000000'),
    account('carol', '700'),
    account('erin', '700'),
  ];
  const driver = new VenueDriver(genesis({ accounts }));
  driver.prices(BTC_PERP, { index: 600_000 * FINE });
  open(driver);
  const saved = JSON.parse(driver.venue.save());
  const { accounts: savedAccounts, ledger } = saved.desk.state;
  for (const account of poor) {
    const had = totalOf(driver, account) ?? 0n;
    savedAccounts[account].totals[CURRENCY] = String(-33n * USDT);
    ledger.withdrawals[CURRENCY] = String(BigInt(ledger.withdrawals[CURRENCY]) + had + 33n * USDT);
  }
  return new VenueDriver(JSON.stringify(saved));
}

function line(driver: VenueDriver) {
  const found = driver.venue.audit().currencies.find(({ currency }) => currency.code === 'USDT');
  assert.ok(found);
  assert.equal(found.line.difference, 0n);
  return { insurance: found.line.insurance, deficit: found.line.deficit };
}

function totalOf(driver: VenueDriver, account: number): bigint | undefined {
  return driver.venue.balances(account).find(({ currency }) => currency.code === 'USDT')?.total;
}

function mark(driver: VenueDriver, ticks: number): void {
  driver.prices(BTC_PERP, { mark: ticks * FINE });
}

test('who is deleveraged gets no worse price than the mark before: where the bankruptcy price is worse, the difference is the fund’s', {
  rule: ['11.63', '11.64'],
}, () => {
  const driver = bankruptAtItsMark();
  const dave = totalOf(driver, DAVE) ?? 0n;
  // 43 below zero at 59,990: bankrupt at 60,033, which is above the mark before.
  mark(driver, 599_900);
  const closed = driver.events.flatMap((event) =>
    event.type === 'deleveraged' ? [[event.account, event.notional]] : [],
  );
  assert.deepEqual(closed, [[DAVE, 60_000n * USDT]]);
  assert.deepEqual(driver.venue.positions(CAROL), []);
  assert.deepEqual([totalOf(driver, CAROL), totalOf(driver, DAVE)], [0n, dave]);
  assert.deepEqual(line(driver), { insurance: -33n * USDT, deficit: 33n * USDT });
});

test('what a cross account owes when its last position is closed is made good by the fund in the same step', {
  rule: ['11.60', '11.68'],
}, () => {
  const driver = bankruptAtItsMark(hedged);
  const dave = totalOf(driver, DAVE);
  mark(driver, 599_900);
  // The legs close against each other, and nobody is left to take 33 from.
  assert.deepEqual(driver.venue.positions(CAROL), []);
  assert.deepEqual([totalOf(driver, CAROL), totalOf(driver, DAVE)], [0n, dave]);
  assert.deepEqual(line(driver), { insurance: -33n * USDT, deficit: 33n * USDT });
});

test('later liquidation fees fill a deficit first', { rule: '11.67' }, () => {
  const driver = bankruptAtItsMark();
  mark(driver, 599_900);
  assert.deepEqual(line(driver), { insurance: -33n * USDT, deficit: 33n * USDT });
  // Carol begins anew with 667: two quarters at 59,590 pay 59.59.
  driver.run({ type: 'deposit', account: CAROL, currency: 'USDT', amount: String(700n * USDT) });
  mark(driver, 600_000);
  long(driver);
  driver.limit(MAKER, BTC_PERP, 0, 595_900, 1_000_000);
  mark(driver, 596_200);
  assert.equal(driver.venue.positions(CAROL)[0].size, 50_000);
  assert.deepEqual(line(driver), { insurance: 26_590_000_00n, deficit: 0n });
});

test('a position without equity is deleveraged last, whatever its value', { rule: '11.58' }, () => {
  // Erin is short as much as dave is, and has nothing left: she is not the first to be closed against carol, though of
  // little equity and a large value.
  const short = (driver: VenueDriver) => {
    long(driver);
    driver.limit(MAKER, BTC_PERP, 0, 600_000, 100_000);
    driver.limit(ERIN, BTC_PERP, 1, 600_000, 100_000);
  };
  const driver = bankruptAtItsMark(short, [CAROL, ERIN]);
  mark(driver, 599_900);
  // Carol against dave; then erin, who is 23 below zero, against the maker.
  const closed = driver.events.flatMap((event) =>
    event.type === 'deleveraged' ? [[event.bankruptAccount, event.account]] : [],
  );
  assert.deepEqual(closed, [
    [CAROL, DAVE],
    [ERIN, MAKER],
  ]);
});
