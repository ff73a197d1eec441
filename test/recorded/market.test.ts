/** Files of one market become one stream in the order of exchange time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MarketEvent } from '../../src/recorded/events.ts';
import { openMarket } from '../../src/recorded/market.ts';
import { RecordingRefused } from '../../src/recorded/refused.ts';
import { eventsOf, Folder, recorded } from './support.ts';

const AT = 1_723_161_254_206_000;
const TARDIS = 'exchange,symbol,timestamp,local_timestamp,';
const row = (atUs: number, ...cells: unknown[]) => `x,BTCUSDT,${AT + atUs},${AT + atUs},${cells.join(',')}\n`;
const trades = (...times: number[]) =>
  `${TARDIS}id,side,price,amount\n${times.map((at) => row(at, at, 'buy', 10, 1)).join('')}`;

async function marketEvents(paths: string[]): Promise<MarketEvent[]> {
  const events: MarketEvent[] = [];
  for await (const batch of (await openMarket(paths)).batches()) events.push(...batch);
  return events;
}

test('at equal times trades come before the book, then quotes, references and candles', async () => {
  using folder = new Folder();
  const paths = [
    folder.write('BTCUSDT-1m.json', `[[${AT / 1000},10,11,9,10,1],[${AT / 1000 + 60_000},10,11,9,10,1]]`),
    folder.write('quotes.csv', `${TARDIS}ask_amount,ask_price,bid_price,bid_amount\n${row(0, 1, 11, 10, 1)}`),
    folder.write(
      'book.csv',
      `${TARDIS}is_snapshot,side,price,amount\n${row(0, true, 'bid', 10, 1)}${row(5, false, 'bid', 10, 2)}${row(9, false, 'bid', 10, 3)}`,
    ),
    folder.write('trades.csv', trades(0, 0, 5, 7)),
  ];
  for (const order of [paths, paths.toReversed()]) {
    assert.deepEqual(
      (await marketEvents(order)).map(({ kind, atUs }) => `${kind} ${atUs - AT}`),
      [
        'trade 0',
        'trade 0',
        'snapshot 0',
        'quote 0',
        'candle 0',
        'trade 5',
        'levels 5',
        'trade 7',
        'levels 9',
        'candle 60000000',
      ],
    );
  }
});

test('files of several days follow each other, whatever their order; empty ones say nothing', async () => {
  using folder = new Folder();
  const paths = [
    folder.write('3.csv', trades(90)),
    folder.write('0.csv', trades()),
    folder.write('4.csv', trades()),
    folder.write('1.csv', trades(1, 5)),
  ];
  assert.deepEqual(
    (await marketEvents(paths)).map(({ atUs }) => atUs - AT),
    [1, 5, 90],
  );
});

test('a late row keeps its time, and holds up nothing that is due', async () => {
  using folder = new Folder();
  const quotes = `${TARDIS}ask_amount,ask_price,bid_price,bid_amount\n${row(6, 1, 11, 10, 1)}${row(20, 1, 11, 10, 1)}`;
  const events = await marketEvents([
    folder.write('trades.csv', trades(3, 10, 4, 12)),
    folder.write('quotes.csv', quotes),
  ]);
  assert.deepEqual(
    events.map(({ kind, atUs }) => `${kind} ${atUs - AT}`),
    ['trade 3', 'quote 6', 'trade 10', 'trade 4', 'trade 12', 'quote 20'],
  );
});

test('the same file twice, and files of two markets, are refused', async () => {
  using folder = new Folder();
  const day = folder.write('1.csv', trades(0, 3600e6 / 60, 120e6));
  await assert.rejects(marketEvents([day, day]), (error) => {
    assert.ok(error instanceof RecordingRefused);
    assert.match(error.reason, /give files of the same kind that follow each other/);
    return true;
  });
  await assert.rejects(
    marketEvents([
      recorded('binance_trades_2024-08-08_BTCUSDT.csv.gz'),
      recorded('spot_BTCUSDT-aggTrades-2024-08-08.zip'),
    ]),
    /give files of the same kind that follow each other/,
  );
  const other = folder.write('2.csv', trades(0).replace('x,BTCUSDT', 'x,ETHUSDT'));
  await assert.rejects(openMarket([day, other]), /this is ETHUSDT, and .*1.csv is BTCUSDT: one market at a time/);
  const dashed = folder.write('3.csv', trades(130e6).replace('x,BTCUSDT', 'x,BTC-USDT'));
  assert.equal((await openMarket([day, dashed])).symbol, 'BTCUSDT');
});

test('recorded trades and book: every event is there, none before an earlier one', async () => {
  const paths = [
    recorded('binance_incremental_book_L2_2024-08-08_BTCUSDT.csv.gz'),
    recorded('binance_trades_2024-08-08_BTCUSDT.csv.gz'),
  ];
  const events = await marketEvents(paths);
  const apart = await Promise.all(paths.map((path) => eventsOf(path)));
  assert.equal(events.length, apart.flat().length);
  assert.ok(events.every(({ atUs }, i) => i === 0 || atUs >= events[i - 1].atUs));
  assert.deepEqual(
    events.filter(({ kind }) => kind === 'trade'),
    apart[1],
  );
});

test('a reader that stops early leaves no file open', async () => {
  const market = await openMarket([recorded('binance_trades_2024-08-08_BTCUSDT.csv.gz')]);
  for await (const [first] of market.batches()) {
    assert.equal(first.kind, 'trade');
    break;
  }
});
