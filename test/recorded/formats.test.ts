/** Each format becomes events: the same ones whatever the compression, header, unit of time and order of the file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MarketEvent } from '../../src/recorded/events.ts';
import { eventsOf, Folder, read, recorded } from './support.ts';

const AT = 1_723_161_254_206_000;
const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;

const TRADES: MarketEvent[] = [
  { kind: 'trade', atUs: AT, id: '7', side: 'sell', price: '61837.6', size: '0.02' },
  { kind: 'trade', atUs: AT + 5000, id: '8', side: 'buy', price: '61837.63', size: '0.0000001' },
];
const TARDIS = 'exchange,symbol,timestamp,local_timestamp,';
const TARDIS_TRADES = `${TARDIS}id,side,price,amount
binance,BTCUSDT,${AT},${AT - 1_260_000},7,sell,61837.60,0.02
binance,BTCUSDT,${AT + 5000},${AT - 1_250_000},8,buy,61837.63,1e-7
`;
const MS = AT / 1000;

interface Case {
  readonly name: string;
  readonly content: string;
  readonly format: string;
  readonly unit: string;
}

/** The two trades above, in each format that has trades. */
const TRADE_FILES: Case[] = [
  { name: 'binance_trades_2024-08-08_BTCUSDT.csv', content: TARDIS_TRADES, format: 'Tardis trades', unit: 'µs' },
  {
    name: 'BTCUSDT-trades-2024-08-08.csv',
    content: `7,61837.60000000,0.02000000,1236.752,${MS},True,True\n8,61837.63,0.00000010,0.006183763,${MS + 5},False,True\n`,
    format: 'Binance trades, spot',
    unit: 'ms',
  },
  {
    name: 'spot_BTCUSDT-trades-2025-08.csv',
    content: `7,61837.60000000,0.02000000,1236.752,${AT},True,True\n8,61837.63,0.00000010,0.006,${AT + 5000},False,True`,
    format: 'Binance trades, spot',
    unit: 'µs',
  },
  {
    name: 'BTCUSDT-trades-2024-08-07.csv',
    content: `id,price,qty,quote_qty,time,is_buyer_maker\r\n7,61837.6,0.02,1236.7,${MS},true\r\n8,61837.63,1E-7,0.006,${MS + 5},false\r\n`,
    format: 'Binance trades, futures',
    unit: 'ms',
  },
  {
    name: 'BTCUSDT-trades-2020-08-07.csv',
    content: `7,61837.6,0.02,1236.7,${MS},true\n8,61837.63,0.0000001,0.006,${MS + 5},false\n\n`,
    format: 'Binance trades, futures',
    unit: 'ms',
  },
  {
    name: 'BTCUSDT-aggTrades-2024-08-08.csv',
    content: `7,61837.6,0.02,1,1,${MS},True,True\n8,61837.63,0.0000001,2,2,${MS + 5},False,True\n`,
    format: 'Binance aggTrades, spot',
    unit: 'ms',
  },
  {
    name: 'BTCUSDT-aggTrades-2024-08-07.csv',
    content: `agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker
7,61837.6,0.02,1,1,${MS},true\n8,61837.63,0.0000001,2,2,${MS + 5},false\n`,
    format: 'Binance aggTrades, futures',
    unit: 'ms',
  },
  {
    name: 'BTCUSDT-aggTrades-2020-08-07.csv',
    content: `7,61837.6,0.02,1,1,${MS},true\n8,61837.63,0.0000001,2,2,${MS + 5},false\n`,
    format: 'Binance aggTrades, futures',
    unit: 'ms',
  },
  {
    name: 'BTCUSDT2024-08-08.csv',
    content: `timestamp,symbol,side,size,price,tickDirection,trdMatchID,grossValue,homeNotional,foreignNotional
${MS / 1000},BTCUSDT,Sell,0.02,61837.60,ZeroMinusTick,7,1e+11,0.02,1236.7
${(MS + 5) / 1000},BTCUSDT,Buy,1e-07,61837.63,PlusTick,8,1e+3,1e-07,0.006\n`,
    format: 'Bybit trades, derivatives',
    unit: 's',
  },
  {
    name: 'BTCUSDT2020-08-08.csv',
    content: `timestamp,symbol,side,size,price,tickDirection,trdMatchID,grossValue,homeNotional,foreignNotional
${(MS + 5) / 1000},BTCUSDT,Buy,1e-07,61837.63,PlusTick,8,1e+3,1e-07,0.006
${MS / 1000},BTCUSDT,Sell,0.02,61837.60,ZeroMinusTick,7,1e+11,0.02,1236.7\n`,
    format: 'Bybit trades, derivatives',
    unit: 's',
  },
  {
    name: 'BTCUSDT_2024-08-08.csv',
    content: `id,timestamp,price,volume,side,rpi\n7,${MS},61837.6,0.02,sell,0\n8,${MS + 5},61837.63,0.0000001,buy,1\n`,
    format: 'Bybit trades, spot',
    unit: 'ms',
  },
  {
    name: 'BTCUSDT-trades.json',
    content: `[[${MS},"7",null,"sell",61837.6,0.02,1236.752],\n [${MS + 5},"8",null,"buy",61837.63,1e-07,0.006]]`,
    format: 'trades, JSON arrays',
    unit: 'ms',
  },
];

for (const { name, content, format, unit } of TRADE_FILES) {
  test(`${format} (${name}) has the same trades as csv, gzip and zip`, async () => {
    using folder = new Folder();
    for (const path of folder.writeAll(name, content)) {
      const { recording, events } = await read(path);
      assert.deepEqual(events, TRADES, path);
      assert.equal(recording.format, format);
      assert.equal(recording.reading.times.unit, unit);
      assert.equal(recording.reading.symbol, 'BTCUSDT');
      assert.equal(recording.reading.rows, 2);
    }
  });
}

test('the unit of time shows in its magnitude, whatever the format promises', async () => {
  using folder = new Folder();
  for (const [unit, digits] of [
    ['s', -6],
    ['ms', -3],
    ['µs', 0],
    ['ns', 3],
  ] as const) {
    const at = (us: number) => (digits < 0 ? String(us / 10 ** -digits) : `${us}${'9'.repeat(digits)}`);
    const content = TARDIS_TRADES.replace(String(AT), at(AT)).replace(String(AT + 5000), at(AT + 5000));
    const { recording, events } = await read(folder.write(`${unit}.csv`, content));
    assert.deepEqual(events, TRADES, unit);
    assert.equal(recording.reading.times.unit, unit);
  }
});

test('a local clock behind the exchange shows in the pass, and changes no time', async () => {
  using folder = new Folder();
  const { recording, events } = await read(folder.write('trades.csv', TARDIS_TRADES));
  assert.deepEqual(recording.reading.localAheadUs, { least: -1_260_000, most: -1_255_000 });
  assert.equal(events[0].atUs, AT);
});

const BOOK_HEADER = `${TARDIS}is_snapshot,side,price,amount`;
/** Rows of a book: local_timestamp in ms after AT, is_snapshot, side, price, amount. */
function bookFile(
  ...rows: [local: number, isSnapshot: boolean, side: 'bid' | 'ask', price: string, size: string][]
): string {
  const lines = rows.map(([local, isSnapshot, side, price, size]) =>
    ['x', 'BTCUSDT', AT + local * 1000, AT + local * 1000 + 7, isSnapshot, side, price, size].join(','),
  );
  return [BOOK_HEADER, ...lines, ''].join('\n');
}

test('a book: rows before the first snapshot count for nothing, and rows of one local_timestamp are one message', async () => {
  using folder = new Folder();
  const content = bookFile(
    [0, false, 'bid', '9', '1'],
    [0, false, 'ask', '11', '1'],
    [1, true, 'bid', '10', '1.50'],
    [1, true, 'bid', '9', '2'],
    [1, true, 'ask', '11.0', '3'],
    [2, true, 'ask', '12', '4'],
    [3, false, 'bid', '9', '0'],
    [3, false, 'ask', '11', '2.5'],
    [4, false, 'bid', '10', '1'],
  );
  for (const path of folder.writeAll('book.csv', content)) {
    const { recording, events } = await read(path);
    assert.deepEqual(events, [
      {
        kind: 'snapshot',
        atUs: AT + 1000,
        bids: [
          ['10', '1.5'],
          ['9', '2'],
        ],
        asks: [['11', '3']],
      },
      { kind: 'levels', atUs: AT + 2000, bids: [], asks: [['12', '4']] },
      { kind: 'levels', atUs: AT + 3000, bids: [['9', '0']], asks: [['11', '2.5']] },
      { kind: 'levels', atUs: AT + 4000, bids: [['10', '1']], asks: [] },
    ]);
    assert.equal(recording.reading.beforeSnapshot, 2);
  }
});

test('a book: a snapshot after updates discards the book, and the time between is a gap', async () => {
  using folder = new Folder();
  const content = bookFile(
    [1, true, 'bid', '10', '1'],
    [2, false, 'bid', '10', '2'],
    [50, true, 'bid', '8', '1'],
    [51, false, 'bid', '8', '0'],
  );
  assert.deepEqual(
    (await eventsOf(folder.write('book.csv', content))).map(({ kind, atUs }) => [kind, atUs - AT]),
    [
      ['snapshot', 1000],
      ['levels', 2000],
      ['gap', 2000],
      ['snapshot', 50_000],
      ['levels', 51_000],
    ],
  );
});

test('book_snapshot_N: each row is the whole book, and empty cells are levels that are not there', async () => {
  using folder = new Folder();
  const header = `${TARDIS}asks[0].price,asks[0].amount,bids[0].price,bids[0].amount,asks[1].price,asks[1].amount,bids[1].price,bids[1].amount`;
  const content = `${header}\nx,BTCUSDT,${AT},${AT},11,1,10,2,12,3,,\n`;
  assert.deepEqual(await eventsOf(folder.write('book.csv', content)), [
    {
      kind: 'snapshot',
      atUs: AT,
      bids: [['10', '2']],
      asks: [
        ['11', '1'],
        ['12', '3'],
      ],
    },
  ]);
});

test('quotes of Tardis and Binance; a side without an order is absent', async () => {
  using folder = new Folder();
  const tardis = `${TARDIS}ask_amount,ask_price,bid_price,bid_amount\nx,BTCUSDT,${AT},${AT},1.0,11,10,2\nx,BTCUSDT,${AT},${AT},,,10,2\n`;
  const full: MarketEvent = { kind: 'quote', atUs: AT, bid: ['10', '2'], ask: ['11', '1'] };
  assert.deepEqual(await eventsOf(folder.write('quotes.csv', tardis)), [
    full,
    { kind: 'quote', atUs: AT, bid: ['10', '2'] },
  ]);
  const header = 'update_id,best_bid_price,best_bid_qty,best_ask_price,best_ask_qty,transaction_time,event_time';
  const binance = folder.write('BTCUSDT-bookTicker-2024-01-01.csv', `${header}\n5,10,2,11,1,${MS},${MS + 1}\n`);
  assert.deepEqual(await eventsOf(binance), [full]);
  // Its first number could be a time in ms, and is none.
  const bare = folder.write('BTCUSDT-bookTicker-2023-06-01.csv', `3600000000000,10,2,11,1,${MS},${MS + 1}\n`);
  assert.deepEqual(await eventsOf(bare), [full]);
});

test('derivative_ticker: index, mark and funding; empty cells are absent, and a row without any is nothing', async () => {
  using folder = new Folder();
  const header = `${TARDIS}funding_timestamp,funding_rate,predicted_funding_rate,open_interest,last_price,index_price,mark_price`;
  const common = `x,BTCUSDT,${AT},${AT}`;
  const content = `${header}\n${common},${AT + MINUTE},-0.00010,,5,60000,60001.5,60002\n${common},,,,5,,60001.50,\n${common},,,,5,,,\n`;
  assert.deepEqual(await eventsOf(folder.write('ticker.csv', content)), [
    { kind: 'reference', atUs: AT, index: '60001.5', mark: '60002', fundingRate: '-0.0001', fundingAtUs: AT + MINUTE },
    { kind: 'reference', atUs: AT, index: '60001.5' },
  ]);
});

const OPEN = Math.floor(AT / MINUTE) * MINUTE;
const CANDLES: MarketEvent[] = [
  { kind: 'candle', atUs: OPEN, closeUs: OPEN + MINUTE, open: '10', high: '12', low: '9', close: '11', volume: '5' },
  {
    kind: 'candle',
    atUs: OPEN + MINUTE,
    closeUs: OPEN + 2 * MINUTE,
    open: '11',
    high: '11',
    low: '10.5',
    close: '10.5',
    volume: '0',
  },
];
const iso = (us: number) => new Date(us / 1000).toISOString();

const CANDLE_FILES: [name: string, content: string, format: string][] = [
  [
    'BTC_USDT-1m.json',
    `[[${OPEN / 1000},10.0,12,9,11,5.0],[${OPEN / 1000 + 60_000}, 11, 11, 10.50, 1.05e1, 0]]`,
    'OHLCV, JSON arrays',
  ],
  ['candles.csv', `${OPEN / 1e6},10,12,9,11,5\n${OPEN / 1e6 + 60},11,11,10.5,10.5,0\n`, 'OHLCV, CSV without a header'],
  [
    'XBTUSD_1.csv',
    `${OPEN / 1e6},10,12,9,11,5,17\n${OPEN / 1e6 + 60},11,11,10.5,10.5,0,0\n`,
    'OHLCV, CSV without a header',
  ],
  [
    'yours.csv',
    `"Date","Open","High","Low","Close","Adj Close","Volume"\n"${iso(OPEN)}",10,12,9,11,1,5\n${iso(OPEN + MINUTE).slice(0, 19)},11,11,10.5,10.5,1,0\n`,
    'OHLCV, CSV with a header',
  ],
  [
    'Binance_BTCUSDT_minute.csv',
    `https://www.CryptoDataDownload.com
Unix,Date,Symbol,Open,High,Low,Close,Volume USDT,Volume BTC,tradecount
${OPEN / 1000 + 60_000},2024-08-08 23:55:00,BTCUSDT,11,11,10.5,10.5,0,0,0
${OPEN / 1000},2024-08-08 23:54:00,BTCUSDT,10,12,9,11,55,5,17\n`,
    'CryptoDataDownload',
  ],
];

for (const [name, content, format] of CANDLE_FILES) {
  test(`${format} (${name}) has the same candles as csv, gzip and zip`, async () => {
    using folder = new Folder();
    for (const path of folder.writeAll(name, content)) {
      const { recording, events } = await read(path);
      assert.deepEqual(events, CANDLES, path);
      assert.equal(recording.format, format);
    }
  });
}

test('Binance klines: with a header or not, in ms or µs, each with the volume that takers bought', async () => {
  using folder = new Folder();
  const expected = CANDLES.map((candle, i) => ({ ...candle, takerBuyVolume: ['2', '0'][i] }));
  const header =
    'open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore\n';
  const rows = (unit: number) =>
    [0, 1]
      .map((i) => {
        const at = (OPEN + i * MINUTE) / unit;
        const prices = ['10.0,12,9,11,5', '11,11,10.5,10.5,0'][i];
        return `${at},${prices},${at + MINUTE / unit - 1},55,3,${[2, 0][i]},22,0\n`;
      })
      .join('');
  for (const [unit, head] of [
    [1000, ''],
    [1000, header],
    [1, ''],
  ] as const) {
    for (const path of folder.writeAll('BTCUSDT-1m-2024-08-08.csv', head + rows(unit))) {
      const { recording, events } = await read(path);
      assert.deepEqual(events, expected);
      assert.equal(recording.reading.symbol, 'BTCUSDT');
      assert.equal(recording.hasHeader, head !== '');
    }
  }
});

test('candles of mark and index prices and of funding rates are references, at their opening', async () => {
  using folder = new Folder();
  const candle = (open: string) => `[[${MS},${open},99,0.1,1,0]]`;
  const cases: [string, string, object][] = [
    ['futures/BTC_USDT_USDT-1h-mark.json', '10.50', { mark: '10.5' }],
    ['futures/BTC_USDT_USDT-1h-index.json', '10.50', { index: '10.5' }],
    ['futures/BTC_USDT_USDT-8h-funding_rate.json', '-0.0001', { fundingRate: '-0.0001', fundingAtUs: AT }],
  ];
  for (const [name, open, value] of cases) {
    assert.deepEqual(await eventsOf(folder.write(name, candle(open))), [{ kind: 'reference', atUs: AT, ...value }]);
  }
  const klines = `${MS},10,12,9,11,0,${MS + 59_999},0,60,0,0,0\n`;
  const index = folder.write('indexPriceKlines/BTCUSDT/1m/BTCUSDT-1m-2024-08-08.csv', klines);
  assert.deepEqual(await eventsOf(index), [{ kind: 'reference', atUs: AT, index: '10' }]);
});

test('a row of a file of funding rates is a payment: its rate counts from the payment before', async () => {
  using folder = new Folder();
  const hour = 3_600_000;
  const rows = ['0.0001', '-0.0002', '0.0003'].map((rate, i) => `[${MS + i * 8 * hour},${rate},0,0,0,0]`);
  const file = folder.write('futures/BTC_USDT_USDT-8h-funding_rate.json', `[${rows.join(',')}]`);
  const at = (i: number) => AT + i * 8 * hour * 1000;
  assert.deepEqual(await eventsOf(file), [
    { kind: 'reference', atUs: at(0), fundingRate: '0.0001', fundingAtUs: at(0) },
    { kind: 'reference', atUs: at(0), fundingRate: '-0.0002', fundingAtUs: at(1) },
    { kind: 'reference', atUs: at(1), fundingRate: '0.0003', fundingAtUs: at(2) },
  ]);
});

test('one candle lasts as long as the name of its file says', async () => {
  using folder = new Folder();
  const content = `[[${MS},10,12,9,11,5]]`;
  const [candle] = await eventsOf(folder.write('BTC_USDT-4h.json', content));
  assert.ok(candle.kind === 'candle');
  assert.equal(candle.closeUs - candle.atUs, 4 * 60 * MINUTE);
  await assert.rejects(eventsOf(folder.write('candle.json', content)), /row 1: how long a candle lasts is unknown/);
});

test('Bybit ob500: snapshots and deltas; a count that goes back makes a gap up to the next snapshot', async () => {
  using folder = new Folder();
  const line = (type: string, at: number, u: number, b: unknown[], a: unknown[]) =>
    JSON.stringify({
      topic: 'orderbook.500.BTCUSDT',
      type,
      ts: MS + at,
      data: { s: 'BTCUSDT', b, a, u, seq: 1 },
      cts: MS + at - 1,
    });
  const content = [
    line('delta', 0, 4, [['9', '1']], []),
    line('snapshot', 1, 5, [['10', '1']], [['11', '2.0']]),
    line('delta', 101, 6, [], [['11', '0']]),
    line('delta', 201, 3, [['10', '7']], []),
    line('snapshot', 301, 4, [['9', '1']], []),
  ].join('\n');
  for (const path of folder.writeAll('2024-12-01_BTCUSDT_ob500.data', content)) {
    const { recording, events } = await read(path);
    assert.deepEqual(events, [
      { kind: 'snapshot', atUs: AT, bids: [['10', '1']], asks: [['11', '2']] },
      { kind: 'levels', atUs: AT + 100_000, bids: [], asks: [['11', '0']] },
      { kind: 'gap', atUs: AT + 100_000, untilUs: AT + 300_000 },
      { kind: 'snapshot', atUs: AT + 300_000, bids: [['9', '1']], asks: [] },
    ]);
    assert.equal(recording.reading.beforeSnapshot, 2);
  }
});

test('recorded files: the trades of Tardis and of Binance are the same', async () => {
  const tardis = await read(recorded('binance_trades_2024-08-08_BTCUSDT.csv.gz'));
  const binance = await read(recorded('spot_BTCUSDT-trades-2024-08-08.zip'));
  assert.equal(tardis.events.length, 300);
  assert.deepEqual(tardis.events, binance.events);
  assert.equal(binance.recording.reading.symbol, 'BTCUSDT');
});

test('recorded files: book, quotes and aggTrades', async () => {
  const book = await eventsOf(recorded('binance_incremental_book_L2_2024-08-08_BTCUSDT.csv.gz'));
  assert.deepEqual(
    book.map(({ kind }) => kind),
    ['snapshot', 'levels', 'levels', 'levels', 'levels'],
  );
  const [snapshot] = book;
  assert.ok(snapshot.kind === 'snapshot');
  assert.deepEqual([snapshot.bids.length, snapshot.asks.length], [50, 50]);
  assert.deepEqual(
    [snapshot.bids[0], snapshot.asks[0]],
    [
      ['61837.63', '3.78826'],
      ['61837.64', '1.54698'],
    ],
  );
  const quotes = await eventsOf(recorded('binance_quotes_2024-08-08_BTCUSDT.csv.gz'));
  assert.equal(quotes.length, 300);
  assert.deepEqual(quotes[0], {
    kind: 'quote',
    atUs: 1_723_161_254_087_000,
    bid: ['61837.63', '3.78826'],
    ask: ['61837.64', '1.54698'],
  });
  const aggregated = await eventsOf(recorded('spot_BTCUSDT-aggTrades-2024-08-08.zip'));
  assert.equal(aggregated.length, 300);
});
