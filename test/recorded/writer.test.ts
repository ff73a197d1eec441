/** What is written in the form of Tardis is read again as the same events. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { MarketEvent } from '../../src/recorded/events.ts';
import { openMarket } from '../../src/recorded/market.ts';
import { writeTardis } from '../../src/recorded/tardis-writer.ts';
import { eventsOf, Folder, recorded } from './support.ts';

const AT = 1_723_161_254_206_000;

function optionsIn(folder: Folder, begin = '') {
  return {
    trades: `${folder.path}/${begin}trades.csv.gz`,
    book: `${folder.path}/${begin}book.csv.gz`,
    exchange: 'bourse',
    symbol: 'BTC-USDT',
  };
}

/** Writes events in pieces of `size`. */
async function write(folder: Folder, events: readonly MarketEvent[], size = events.length, begin = '') {
  const options = optionsIn(folder, begin);
  const writer = await writeTardis(options);
  for (let i = 0; i < events.length; i += size) await writer.write(events.slice(i, i + size));
  await writer.close();
  return options;
}

async function readAgain({ trades, book }: { trades: string; book: string }): Promise<MarketEvent[]> {
  const events: MarketEvent[] = [];
  for await (const batch of (await openMarket([trades, book])).batches()) events.push(...batch);
  return events;
}

const trade = (at: number, id: string): MarketEvent => ({
  kind: 'trade',
  atUs: AT + at,
  id,
  side: 'unknown',
  price: '0.0000001',
  size: '12345678901234567890',
});

const EVENTS: MarketEvent[] = [
  { kind: 'snapshot', atUs: AT, bids: [], asks: [] },
  trade(1, ''),
  trade(1, '2'),
  { kind: 'levels', atUs: AT + 1, bids: [['10', '1']], asks: [] },
  // Messages at one time stay apart.
  { kind: 'levels', atUs: AT + 1, bids: [['10', '0']], asks: [['11', '1']] },
  { kind: 'levels', atUs: AT + 1, bids: [], asks: [['11', '2']] },
  { kind: 'gap', atUs: AT + 1, untilUs: AT + 900 },
  trade(500, '3'),
  {
    kind: 'snapshot',
    atUs: AT + 900,
    bids: [],
    asks: [
      ['12', '1'],
      ['13', '0.5'],
    ],
  },
];

test('every kind of event that the form has comes back, empty books and messages at one time included', async () => {
  using folder = new Folder();
  assert.deepEqual(await readAgain(await write(folder, EVENTS)), EVENTS);
});

test('recorded trades and book, written and read again, are the same; written again, the same bytes', async () => {
  using folder = new Folder();
  const sources = {
    trades: recorded('binance_trades_2024-08-08_BTCUSDT.csv.gz'),
    book: recorded('binance_incremental_book_L2_2024-08-08_BTCUSDT.csv.gz'),
  };
  const events = await readAgain(sources);
  const first = await write(folder, events);
  const again = await readAgain(first);
  assert.deepEqual(again, events);
  const second = await write(folder, again, 7, 'again-');
  assert.deepEqual(readFileSync(second.trades), readFileSync(first.trades));
  assert.deepEqual(readFileSync(second.book), readFileSync(first.book));
});

test('a file has its name when it is whole, and none is overwritten', async () => {
  using folder = new Folder();
  const options = optionsIn(folder);
  const writer = await writeTardis(options);
  await writer.write(EVENTS);
  assert.ok(!existsSync(options.trades) && !existsSync(options.book));
  await assert.rejects(writeTardis(options), { code: 'EEXIST' });
  await writer.close();
  assert.deepEqual(readdirSync(folder.path).sort(), ['book.csv.gz', 'trades.csv.gz']);
  await assert.rejects(writeTardis(options), /trades.csv.gz exists: choose another name/);
});

test('if the second file cannot be made, nothing is left of the first', async () => {
  using folder = new Folder();
  const options = optionsIn(folder);
  writeFileSync(options.book, '');
  await assert.rejects(writeTardis(options), /book.csv.gz exists/);
  assert.deepEqual(readdirSync(folder.path), ['book.csv.gz']);
  await assert.rejects(writeTardis({ ...options, trades: `${folder.path}/none/x.gz` }), { code: 'ENOENT' });
});

test('what the form does not have is refused', async () => {
  using folder = new Folder();
  const writer = await writeTardis(optionsIn(folder));
  const snapshot: MarketEvent = { kind: 'snapshot', atUs: AT, bids: [['1', '1']], asks: [] };
  const cases: [MarketEvent[], RegExp][] = [
    [[{ kind: 'levels', atUs: AT, bids: [['1', '1']], asks: [] }], /a book begins with a snapshot/],
    [[snapshot, snapshot], /leave the first one out/],
    [[{ kind: 'quote', atUs: AT }], /have no quote/],
    [[trade(0, 'a,b')], /has the id "a,b", which fits into no cell/],
  ];
  for (const [events, reason] of cases) await assert.rejects(writer.write(events), reason);
  await writer.close();
  await assert.rejects(writeTardis({ ...optionsIn(folder, 'b-'), symbol: 'a,b' }), /"a,b" must be a word/);
});

test('files without an event are read as such', async () => {
  using folder = new Folder();
  const { trades, book } = await write(folder, []);
  assert.deepEqual([await eventsOf(trades), await eventsOf(book)], [[], []]);
});
