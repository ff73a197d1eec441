/** Recordings in scenarios: as the prices of a market, and as the whole market. A bot trades in each. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Scenario } from '../../src/scenario/load.ts';
import { reportHtml } from '../../src/scenario/report.ts';
import { type RunOptions, runScenario } from '../../src/scenario/run.ts';
import { FILES, recorded } from '../recorded/support.ts';

const folder = mkdtempSync(join(tmpdir(), 'bourse-recorded-scenario-'));
after(() => rmSync(folder, { recursive: true }));
const CLIENT = new URL('../../src/client/index.ts', import.meta.url).href;

const TRADES = 'binance_trades_2024-08-08_BTCUSDT.csv.gz';
const BOOK = 'binance_incremental_book_L2_2024-08-08_BTCUSDT.csv.gz';
for (const name of [TRADES, BOOK]) copyFileSync(recorded(name), join(folder, name));

/** Prices at 0, 1, 2, … s, as trades of Tardis. */
function tape(name: string, prices: readonly number[]): string {
  const rows = prices.map((price, i) => `x,BTCUSDT,${1.7e15 + i * 1e6},${1.7e15 + i * 1e6},${i},sell,${price},0.01`);
  writeFileSync(
    join(folder, name),
    `exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n${rows.join('\n')}\n`,
  );
  return name;
}

/** The price of the last recorded trade up to that time, µs. */
function tradedBefore(us: number): number {
  const rows = gunzipSync(readFileSync(recorded(TRADES)))
    .toString()
    .trim()
    .split('\n')
    .slice(1);
  return Number(rows.map((row) => row.split(',')).findLast(([, , time]) => Number(time) <= us)?.[6]);
}

/** A bot that does this once. */
function bot(name: string, act: string): string {
  const file = join(folder, name);
  writeFileSync(
    file,
    `import { BourseClient } from ${JSON.stringify(CLIENT)};
     const { BOURSE_URL: url, BOURSE_KEY: key, BOURSE_SECRET: secret, BOURSE_SYMBOLS: symbol } = process.env;
     const client = new BourseClient({ url, key, secret });
     ${act}\n`,
  );
  return `"${process.execPath}" "${file}"`;
}

const BASE: Scenario = { name: 'Yesterday', length: '10s' };
const run = (scenario: Partial<Scenario>, options: Partial<RunOptions> = {}) =>
  runScenario({ scenario: { ...BASE, ...scenario }, file: join(folder, 'mine.json'), bot: null, ...options });
const texts = (entries: readonly { readonly text: string }[]) => entries.map(({ text }) => text);

test('a bot trades against the prices of a recording, with the liquidity of the scenario around them', async () => {
  const fall = [60000, 60010, 59980, 59900, 59850, 59950];
  const result = await run(
    {
      prices: [{ symbol: 'BTC-PERP', moves: [{ recorded: tape('fall.csv', fall) }] }],
      liquidity: [{ symbol: 'BTC-PERP', size: 1000 }],
      expect: [
        { at: 0, price: { symbol: 'BTC-PERP', is: 60000 } },
        { at: '1s', price: { symbol: 'BTC-PERP', is: 60010 } },
        { at: '3500ms', price: { symbol: 'BTC-PERP', is: 59900 } },
        { at: '3s', fills: { is: 0 } },
        { at: '4s', position: { symbol: 'BTC-PERP', is: 10 } },
        { fills: { symbol: 'BTC-PERP', of: 'averagePrice', is: 59880 } },
        { price: { symbol: 'BTC-PERP', is: 59950 } },
        { price: { symbol: 'BTC-PERP', of: 'index', is: 59950 } },
      ],
    },
    {
      bot: bot(
        'rests.mjs',
        `const body = { symbol, side: 'BUY', type: 'LIMIT', size: 10, price: 59880 };
         await client.send('POST', '/futures/api/v2.3/order', { body });`,
      ),
    },
  );
  assert.deepEqual(texts(result.deviations), []);
  assert.deepEqual(
    result.prices['BTC-PERP'],
    fall.map((price, i) => [i * 1000, price]),
  );
});

test('a recording may begin later, in its middle, and be followed by a crash', async () => {
  const name = tape('rise.csv', [100, 101, 102, 103, 104, 105]);
  const moves = [
    { from: '2s', until: '4s', recorded: [name], skip: '1s' },
    { at: '6s', to: 50 },
  ];
  const result = await run({ prices: [{ symbol: 'BTC-PERP', start: 90, moves }] });
  assert.deepEqual(result.prices['BTC-PERP'], [
    [0, 90],
    [2000, 101],
    [3000, 102],
    [4000, 103],
    [6000, 50],
  ]);
});

test('a recorded book gives the index, its trades the last price, and candles both', async () => {
  const both = await run({
    length: '3s',
    prices: [{ symbol: 'BTC-USDT', moves: [{ recorded: [TRADES, BOOK] }] }],
    expect: [
      // The book begins a second before the trades: 61837.63 and .64 are its best levels.
      { at: 0, price: { symbol: 'BTC-USDT', of: 'index', is: 61837.7 } },
      { at: '2s', price: { symbol: 'BTC-USDT', is: tradedBefore(1_723_161_254_206_000 + 2e6).toFixed(1) } },
      { at: '2s', price: { symbol: 'BTC-USDT', of: 'index', is: 61837.7 } },
    ],
  });
  assert.deepEqual(texts(both.deviations), []);
  writeFileSync(
    join(folder, 'BTC_USDT-1m.json'),
    '[[1700000000000,100,110,90,105,5],[1700000060000,105,106,104,106,5],[1700000120000,106,120,106,118,5]]',
  );
  const candles = await run({
    length: '3m',
    prices: [{ symbol: 'BTC-USDT', moves: [{ recorded: 'BTC_USDT-1m.json' }] }],
    expect: [
      { at: 0, price: { symbol: 'BTC-USDT', is: 100 } },
      { at: '1m', price: { symbol: 'BTC-USDT', is: 105 } },
      { at: '2m', price: { symbol: 'BTC-USDT', of: 'index', is: 106 } },
      { price: { symbol: 'BTC-USDT', is: 118 } },
    ],
  });
  assert.deepEqual(texts(candles.deviations), []);
  const seen = candles.prices['BTC-USDT'].map(([, price]) => price);
  assert.deepEqual([Math.min(...seen), Math.max(...seen)], [90, 120]);
});

for (const [moves, problem] of [
  [[{ recorded: 'none.csv' }], /prices\[0\]\.moves\[0\]\.recorded: .*none\.csv/],
  [[{ recorded: 'README.md' }], /prices\[0\]\.moves\[0\]\.recorded: .*no known format begins with/],
  [[{ recorded: 'fall.csv', skip: '1h' }], /fall\.csv: it holds no price in that time/],
  [[{ from: '1s', recorded: 'fall.csv' }], /prices\[0\]\.start is required: only a recording from the beginning/],
  [[{ at: '1s', recorded: 'fall.csv' }], /moves\[0\] must be a jump \(at, to\), a ramp .* or a recording \(recorded\)/],
  [[{ recorded: 'fall.csv' }, { at: '5s', to: 1 }], /moves\[1\] begins before the end of the move before it/],
] as const) {
  test(`prices with ${JSON.stringify(moves)} are refused before the run`, async () => {
    tape('fall.csv', [60000, 60010]);
    copyFileSync(join(FILES, 'README.md'), join(folder, 'README.md'));
    await assert.rejects(run({ prices: [{ symbol: 'BTC-PERP', moves: [...moves] }] }), problem);
  });
}

test('a bot trades in a recorded market, with its books, and the report shows the tape', async () => {
  const result = await run(
    {
      length: '15s',
      venue: { replay: [TRADES, BOOK] },
      halts: [{ symbol: 'BTC-USDT', from: '12s', until: '13s' }],
      expect: [
        { at: '2s', position: { symbol: 'BTC-USDT', is: 0 } },
        { balance: { currency: 'BTC', above: 0 } },
        { fills: { symbol: 'BTC-USDT', of: 'size', is: 0.01 } },
        { fills: { symbol: 'BTC-USDT', of: 'averagePrice', above: 61800, below: 61900 } },
        { events: { kind: 'halt', is: 1 } },
      ],
    },
    {
      bot: bot(
        'buys.mjs',
        `const body = { symbol, orderSide: 'BUY', orderType: 'LIMIT', orderSize: 0.01, orderPrice: 61900 };
         await client.send('POST', '/spot/api/v4/trade/orders', { body });`,
      ),
    },
  );
  assert.deepEqual(texts(result.deviations), []);
  assert.ok(result.prices['BTC-USDT'].length > 3, JSON.stringify(result.prices));
  assert.match(reportHtml([result]), /Price of BTC-USDT/);
  assert.equal(basename(result.file), 'mine.json');
});

test('a recorded market has its own books, so liquidity is refused, and files that are wrong are too', async () => {
  await assert.rejects(
    run({ venue: { replay: TRADES }, liquidity: [{ symbol: 'BTC-USDT', size: 1, price: 1 }] }),
    /liquidity is not for a venue that plays a recording/,
  );
  await assert.rejects(
    run({ venue: { replay: { files: ['none.csv'] } } }),
    /mine\.json was refused:\n.*cannot be played.*none\.csv/,
  );
});
