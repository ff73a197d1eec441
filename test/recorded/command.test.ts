/** `bourse recorded`, as a user runs it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedText } from '../../src/cli/recorded.ts';
import { openRecording } from '../../src/recorded/file.ts';
import { summaryOf } from '../../src/recorded/summary.ts';
import { Place } from '../cli/support.ts';
import { Folder, recorded } from './support.ts';

const TRADES = 'spot_BTCUSDT-trades-2024-08-08.zip';

test('in a pipe it prints a line of JSON for each file, and fails if one of them is refused', async () => {
  await using place = new Place();
  using folder = new Folder();
  const bad = folder.write('bad.csv', 'hello\n');
  const { code, stdout, stderr } = await place.run(['recorded', recorded(TRADES), bad, `${bad}.gone`]);
  const [trades, refused, gone] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(code, 1);
  assert.equal(stderr, '');
  assert.deepEqual(trades, {
    file: recorded(TRADES),
    format: 'Binance trades, spot',
    subject: 'trades',
    compression: 'zip',
    header: false,
    newestFirst: false,
    symbol: 'BTCUSDT',
    timeUnit: 'ms',
    first: '2024-08-08T23:54:15.342Z',
    last: '2024-08-08T23:54:34.070Z',
    rows: 300,
    events: { trade: 300 },
    priceStep: '0.01',
    sizeStep: '0.00001',
    notes: [],
  });
  assert.deepEqual([refused.file, refused.line], [bad, 1]);
  assert.match(refused.refused, /no known format/);
  assert.match(gone.refused, /ENOENT/);
});

test('on a terminal each file is a block, and nothing of a file reaches the terminal as an escape', async () => {
  using folder = new Folder();
  const header = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount';
  const path = folder.write('x.csv', `${header}\nx,\u001b[31mBTC,1723161254206000,1723161254206000,1,buy,0.50,25\n`);
  const text = recordedText([
    await summaryOf(await openRecording(path)),
    { file: 'b', line: 7, refused: 'price is \u001b' },
  ]);
  assert.ok(!text.includes('\u001b'));
  assert.match(text, / {2}symbol {4}\?\[31mBTC\n/);
  assert.match(text, / {2}steps {5}price 0.5, size 25\n/);
  assert.match(text, /\n\nb\n {2}refused {3}line 7: price is \?$/);
});

test('a summary has the steps of a market, and what a user should know', async () => {
  using folder = new Folder();
  const header = 'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount';
  const at = 1_723_161_254_206_000;
  const rows = [
    `x,B,${at},${at - 1500},false,bid,10,1`,
    `x,B,${at + 1},${at},true,bid,10.5,300`,
    `x,B,${at + 5},${at + 1},false,bid,11,0`,
    `x,B,${at + 2},${at + 3},false,ask,12.5,150`,
    `x,B,${at + 9},${at + 9},true,ask,12.5,150`,
  ];
  const summary = await summaryOf(await openRecording(folder.write('book.csv', [header, ...rows].join('\n'))));
  assert.deepEqual([summary.priceStep, summary.sizeStep], ['0.5', '150']);
  assert.deepEqual(summary.events, { snapshot: 2, levels: 2, gap: 1 });
  assert.deepEqual(summary.notes, [
    'skipped before the first snapshot: 1 row',
    'late: 1 row, by 3 µs at most',
    "the recorder's clock was behind the exchange's, by 1.5 ms at most",
    '1 gap in which the book is unknown',
  ]);
});
