/** What a command set off is told in order, below what caused it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyLines } from '../../src/story/why.ts';
import { BUY, SELL } from '../../src/venue/contract/units.ts';
import { BTC_PERP, BTC_USDT, genesis } from '../venue/support.ts';
import { readWhy, StoryDriver } from './support.ts';

const [MAKER, BOT, DEMO_1, DEMO_2, TRADER] = [0, 1, 2, 3, 4];
/** Ticks of BTC-PERP and BTC-USDT are tenths. */
const ticks = (price: number) => Math.round(price * 10);
const fine = (price: number) => ticks(price) * 1000;

function marketOf(): StoryDriver {
  const account = (name: string, USDT = '1000000') => ({ name, balances: { USDT, BTC: '100' }, fees: {}, keys: [] });
  const accounts = [account('maker'), account('bot'), account('demo-1'), account('demo-2'), account('trader-2', '250')];
  return new StoryDriver(genesis({ accounts, insuranceFund: { USDT: '100000' } }));
}

test('a print that fires three stops, and a mark that liquidates', () => {
  const driver = marketOf();
  driver.prices(BTC_PERP, { index: fine(60_000), mark: fine(60_000), last: ticks(60_000) });
  driver.limit(MAKER, BTC_PERP, SELL, ticks(60_010), 100_000);
  for (const [account, size] of [
    [BOT, 12_000],
    [DEMO_1, 6400],
    [DEMO_2, 3000],
    [TRADER, 20_000],
  ]) {
    driver.limit(account, BTC_PERP, BUY, ticks(60_010), size);
  }
  driver.limit(MAKER, BTC_PERP, BUY, ticks(59_785), 50_000);
  const oco = { price: ticks(60_500), stopTrigger: ticks(59_800), stopReference: 'last', stopPrice: ticks(59_750) };
  driver.place(BOT, BTC_PERP, SELL, { kind: 'oco', size: 12_000, ...oco, reduceOnly: true });
  const stop = { kind: 'conditional', rule: 'stop', reference: 'last', price: null, reduceOnly: true };
  driver.place(DEMO_1, BTC_PERP, SELL, { ...stop, trigger: ticks(59_850), size: 6400 });
  driver.place(DEMO_2, BTC_PERP, SELL, { ...stop, trigger: ticks(59_900), size: 3000 });

  const answer = driver.why(() => driver.prices(BTC_PERP, { last: ticks(59_790), mark: fine(59_000) }));

  assert.deepEqual(readWhy(answer), [
    'Prices of BTC-PERP are set',
    '  1 Mark of BTC-PERP 60,000.0 → 59,000.0',
    '    3-8 Liquidation of trader-2 (its equity of 41.3989 USDT was below the maintenance margin of 59 USDT)',
    '      3 Liquidation order of trader-2: SELL 5,000, a quarter of the position',
    '      4-8 trader-2 sold 5,000 at 59,785.0 to maker (fee of 5.9785 USDT to the insurance fund)',
    '  2 Last of BTC-PERP 60,010.0 → 59,790.0',
    '    9-14 Stop of demo-2 fired: last 59,790.0 is below its trigger of 59,900.0, sold 3,000 at 59,785.0 to maker',
    '    15-20 Stop of demo-1 fired: last 59,790.0 is below its trigger of 59,850.0, sold 6,400 at 59,785.0 to maker',
    '    22 Stop leg of bot fired: last 59,790.0 is below its trigger of 59,800.0',
    '      21 Limit leg of bot cancelled, 12,000 left: the other leg fired',
    '      23-27 sold 12,000 at 59,785.0 to maker',
  ]);
});

test('a stop that a trade of another stop fires lies below that trade', () => {
  const driver = marketOf();
  driver.prices(BTC_USDT, { index: fine(100), last: ticks(100) });
  driver.limit(MAKER, BTC_USDT, BUY, ticks(99), 1000);
  driver.limit(MAKER, BTC_USDT, BUY, ticks(98), 10_000);
  const stop = { kind: 'conditional', rule: 'stop', reference: 'last', price: null };
  driver.place(BOT, BTC_USDT, SELL, { ...stop, trigger: ticks(99.5), size: 2000 });
  driver.place(DEMO_1, BTC_USDT, SELL, { ...stop, trigger: ticks(98.5), size: 1000 });

  const answer = driver.why(() => driver.limit(DEMO_2, BTC_USDT, SELL, ticks(99), 500));

  assert.deepEqual(readWhy(answer), [
    'demo-2 places SELL 0.005 BTC-USDT, limit 99.0',
    '  1 Limit order of demo-2 accepted',
    '  2-4 demo-2 sold 0.005 BTC at 99.0 to maker',
    '    5 Stop of bot fired: last 99.0 is below its trigger of 99.5',
    '      6-10 sold 0.02 BTC at 98.0 to 99.0 to maker',
    '        11-14 Stop of demo-1 fired: last 98.0 is below its trigger of 98.5, sold 0.01 BTC at 98.0 to maker',
  ]);
});

test('a timer that fell due on the way of an advance says what was due', () => {
  const driver = marketOf();
  driver.prices(BTC_USDT, { index: fine(100), last: ticks(100) });
  driver.limit(MAKER, BTC_USDT, SELL, ticks(100), 100_000);
  driver.limit(BOT, BTC_USDT, BUY, ticks(90), 1000, { timeInForce: 'FIVEMIN' });

  const answer = driver.why(() => driver.advance(600_000));

  assert.deepEqual(readWhy(answer), [
    'The clock is moved to 00:10:00',
    '  1 Limit order of bot cancelled, 0.01 BTC left: its time in force was over',
  ]);
});

test('a refused command set off nothing, and says why', () => {
  const driver = marketOf();
  const answer = driver.why(() =>
    driver.run({ type: 'cancel', account: BOT, product: 'spot', market: null, order: 77, clientId: null }),
  );
  assert.match(readWhy(answer)[0], /^bot cancels order [0-9a-f]{8}: refused, because there was no such live order$/);
  assert.deepEqual([answer.count, whyLines(answer.effects)], [0, []]);
});

test('new terms are said from what to what, with force and with the liquidations that began', () => {
  const driver = marketOf();
  driver.prices(BTC_PERP, { index: fine(60_000), mark: fine(60_000), last: ticks(60_000) });
  driver.limit(MAKER, BTC_PERP, SELL, ticks(60_000), 20_000);
  driver.limit(TRADER, BTC_PERP, BUY, ticks(60_000), 20_000);
  const spec = driver.venue.markets[BTC_PERP].spec;
  const riskTiers = spec.riskTiers.map((tier) => ({ ...tier, initial: '0.9', maintenance: '0.8' }));
  const change = (terms: object, force = false) =>
    readWhy(driver.why(() => driver.run({ type: 'changeMarket', market: BTC_PERP, terms, force })));

  const [refused] = change({ riskTiers });
  const [asked, ...effects] = change({ riskTiers }, true);

  const tiers =
    'initial margin of tier 1 0.01 → 0.9, maintenance margin of tier 1 0.005 → 0.8, initial margin of tier 2 0.02 → 0.9, ' +
    'maintenance margin of tier 2 0.01 → 0.8, initial margin of tier 3 0.05 → 0.9, maintenance margin of tier 3 0.025 → 0.8';
  assert.equal(
    refused,
    `Terms of BTC-PERP are changed: ${tiers} and 2 more terms; refused, because it would put accounts below maintenance`,
  );
  assert.equal(asked, `Terms of BTC-PERP are changed by force: ${tiers} and 2 more terms`);
  assert.deepEqual(effects, [
    `  1 BTC-PERP has new terms (${tiers}, initial margin of tier 4 0.1 → 0.9 and maintenance margin of tier 4 0.05 → 0.8)`,
    '    1 Liquidation of trader-2: the book has nothing to close it with (its equity of 243.4 USDT was below the maintenance margin of 9,600 USDT)',
  ]);
  const others = { fees: { ...spec.fees, taker: '0.0004' }, maxOpenOrders: 50, maxBasis: null, staleAfterMs: 0 };
  assert.deepEqual(change(others), [
    'Terms of BTC-PERP are changed: taker fee 0.00055 → 0.0004, max open orders 500 → 50 and stale after 60,000 ms → 0 ms',
    '  1 BTC-PERP has new terms',
  ]);
});

test('a freeze reads as a freeze, and own fees as fees', () => {
  const driver = marketOf();
  const change = (changes: object) =>
    readWhy(driver.why(() => driver.run({ type: 'changeAccount', account: BOT, ...changes })));

  assert.deepEqual(change({ frozen: 'cancelOnly' }), ['bot is frozen: cancelOnly', '  1 bot is frozen: cancelOnly']);
  assert.deepEqual(change({ frozen: null }), ['bot is not frozen any more', '  1 bot is not frozen any more']);
  const fees = { 'BTC-USDT': { maker: '0.0001', taker: '0.00050' } };
  assert.deepEqual(change({ fees }), [
    'Fees of bot are changed: maker fee in BTC-USDT 0.0002 → 0.0001 and taker fee in BTC-USDT 0.0002 → 0.00050',
    '  1 bot has new fees',
  ]);
  assert.deepEqual(change({ fees }), ['Terms of bot are changed, and stay as they were', '  1 bot keeps its terms']);
  assert.deepEqual(change({ fees: { 'BTC-USDT': null }, frozen: 'everything' }), [
    'bot is frozen: everything. Fees of bot are changed: fees in BTC-USDT are those of the market again',
    '  1 bot is frozen: everything, and has new fees',
  ]);
  const [unknown] = change({ fees: { 'SOL-USDT': { maker: '0', taker: '0' } } });
  assert.match(
    unknown,
    /^Fees of bot are changed: maker fee in SOL-USDT 0 and taker fee in SOL-USDT 0; refused, because /,
  );
});
