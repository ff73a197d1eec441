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
