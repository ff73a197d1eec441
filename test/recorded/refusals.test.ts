/** What is wrong with a file is said with the file, the line and the reason, and never read as something else. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { RecordingRefused } from '../../src/recorded/refused.ts';
import { eventsOf, Folder, recorded, zip } from './support.ts';

const AT = 1_723_161_254_206_000;
const TARDIS = 'exchange,symbol,timestamp,local_timestamp,';
const TRADES = `${TARDIS}id,side,price,amount\n`;
const BOOK = `${TARDIS}is_snapshot,side,price,amount\n`;
const row = (...cells: unknown[]) => `x,BTCUSDT,${AT},${AT},${cells.join(',')}\n`;
const GOOD = row(1, 'buy', 10, 1);

/** Refused: the content, the line, a part of the reason. */
const CASES: Readonly<
  Record<string, [content: string | Buffer, line: number | undefined, reason: RegExp, name?: string]>
> = {
  'an empty file': ['', undefined, /the file is empty/],
  'a file with something else': ['hello\nworld\n', 1, /no known format begins with "hello"/],
  'columns apart by semicolons': ['time;open;high\n1;2;3\n', 1, /Columns must be separated by commas/],
  'a header with a wrong column': [
    `${TARDIS}id,side,price,size\n${GOOD}`,
    1,
    /this is almost Tardis trades, but lacks amount and has "size"/,
  ],
  'a header in another order': [`${TARDIS}id,price,side,amount\n${GOOD}`, 1, /another order of columns/],
  'a row with too few columns': [`${TRADES}${GOOD}x,BTCUSDT,${AT}`, 3, /it has 3 columns instead of 8/],
  'a row with too many columns': [`${TRADES}${row(1, 'buy', 10, 1, 1)}`, 2, /it has 9 columns/],
  'a price that is no number': [`${TRADES}${GOOD}${row(1, 'buy', 'abc', 1)}`, 3, /price is "abc", which is no number/],
  'a price that is NaN': [`${TRADES}${row(1, 'buy', 'NaN', 1)}`, 2, /no number/],
  'a price that is empty': [`${TRADES}${row(1, 'buy', '', 1)}`, 2, /price is empty/],
  'a price of 0': [`${TRADES}${row(1, 'buy', '0.0', 1)}`, 2, /price is 0/],
  'a negative price': [`${TRADES}${row(1, 'buy', '-1', 1)}`, 2, /price is -1, and must not be negative/],
  'a trade without size': [`${TRADES}${row(1, 'buy', '1', 0)}`, 2, /amount is 0/],
  'a huge exponent': [`${TRADES}${row(1, 'buy', '1e999999999', 1)}`, 2, /no number/],
  'a number of 100 digits': [`${TRADES}${row(1, 'buy', '1'.repeat(100), 1)}`, 2, /no number/],
  'a side that is no side': [
    `${TRADES}${row(1, 'constructor', 10, 1)}`,
    2,
    /side is "constructor", and one of buy, sell/,
  ],
  'a time that is no time': [`${TRADES}x,BTCUSDT,12,${AT},1,buy,1,1\n`, 2, /timestamp is "12", which is no time/],
  'a time that is empty': [`${TRADES}x,BTCUSDT,,${AT},1,buy,1,1\n`, 2, /timestamp is empty/],
  'times in two units': [
    `${TRADES}${GOOD}x,BTCUSDT,${AT / 1000},${AT},1,buy,1,1\n`,
    3,
    /is a time in ms, and the rows above have µs/,
  ],
  'rows far out of order': [
    `${TRADES}${GOOD}x,BTCUSDT,${AT - 3600e6},${AT},1,buy,1,1\n`,
    3,
    /its time is 3600 s before that of a row above: sort the file/,
  ],
  'two symbols': [`${TRADES}${GOOD}x,ETHUSDT,${AT},${AT},1,buy,1,1\n`, 3, /"ETHUSDT" after "BTCUSDT": choose one/],
  'a side of a book that is no side': [`${BOOK}${row('true', 'buy', 10, 1)}`, 2, /side is "buy", and bid or ask/],
  'is_snapshot that is no truth value': [`${BOOK}${row('1', 'bid', 10, 1)}`, 2, /is_snapshot is "1"/],
  'a JSON array that ends early': [
    '[[1723161254206,1,2,1,2,5],[1723161314206,1,2,1,2,5],[17231613',
    2,
    /does not end: the file is truncated/,
  ],
  'JSON after the array': ['[[1723161254206,1,2,1,2,5],[1723161314206,1,2,1,2,5]] []', 2, /follows the end/],
  'a candle without a value': [
    '[[1723161254206,1,2,1,2,5],[1723161314206,1,2,1,null,5]]',
    2,
    /close is "null", which is no number/,
  ],
  'a candle outside its range': [
    '1723161254,1,2,1,2,5\n1723161314,1,2,1,3,5\n',
    2,
    /3 is not between low 1 and high 2/,
  ],
  'the same candle twice': [
    '1723161254,1,2,1,2,5\n1723161314,1,2,1,2,5\n1723161314,1,2,1,2,5\n',
    3,
    /is not after the one above/,
  ],
  bookDepth: ['timestamp,percentage,depth,notional\n', undefined, /sums of the book by bands/, 'X-bookDepth-1.csv'],
  'bookDepth with another name': ['timestamp,percentage,depth,notional\n', undefined, /sums of the book by bands/],
  npz: [zip([{ name: 'data.npy', content: '\x93NUMPY' }]), undefined, /NumPy array \(hftbacktest\)/, 'a.npz'],
  DBN: ['DBN\x01\0\0', undefined, /Databento's DBN/],
  'compressed DBN': [zstdCompressSync('DBN\x01\0\0'), undefined, /Databento's DBN/, 'x.dbn.zst'],
  Parquet: ['PAR1\0\0', undefined, /Parquet/],
  Feather: ['ARROW1\0\0', undefined, /Feather/, 'BTC_USDT-1m.feather'],
  'a Nautilus catalog': [
    'PAR1\0\0',
    undefined,
    /this is a Nautilus catalog/,
    'data/trade_tick/BTCUSDT.BINANCE/p.parquet',
  ],
  'a tar archive': [gzipSync('x'), undefined, /tar archive: unpack it/, 'BTCUSDT_T_DEPTH_2023-06-30.tar.gz'],
  'binary data': ['\x01\x02\0\x03', undefined, /this is no text/],
  'a zip archive of two files': [
    zip([
      { name: 'a.csv', content: 'a' },
      { name: 'b.csv', content: 'b' },
    ]),
    undefined,
    /has 2 files, and one is needed \(a.csv, b.csv\)/,
  ],
  'an empty zip archive': [Buffer.concat([Buffer.from('PK\x03\x04'), zip([])]), undefined, /has 0 files/],
  'a zip archive whose directory says that its file takes no room': [
    withoutRoom(zip([{ name: 'a.csv', content: TRADES }])),
    undefined,
    /the zip archive is damaged/,
  ],
  'an encrypted zip archive': [zip([{ name: 'a', content: 'a', encrypted: true }]), undefined, /is encrypted/],
};

for (const [what, [content, line, reason, name = 'recording.csv']] of Object.entries(CASES)) {
  test(`${what} is refused`, async () => {
    using folder = new Folder();
    const path = folder.write(name, content);
    await assert.rejects(eventsOf(path), (error) => {
      assert.ok(error instanceof RecordingRefused, String((error as Error).stack));
      assert.equal(error.file, path);
      assert.equal(error.line, line);
      assert.match(error.reason, reason);
      assert.ok(error.message.startsWith(line === undefined ? `${path}: ` : path), error.message);
      return true;
    });
  });
}

/** The directory of an archive follows its file, and has the compressed size 20 bytes behind its entry's signature. */
function withoutRoom(archive: Buffer): Buffer {
  archive.writeUInt32LE(0, archive.indexOf(Buffer.from('PK\x01\x02')) + 20);
  return archive;
}

const COMPRESSED = ['binance_trades_2024-08-08_BTCUSDT.csv.gz', 'spot_BTCUSDT-trades-2024-08-08.zip'];

for (const name of COMPRESSED) {
  test(`${name} is refused wherever it is cut`, async () => {
    using folder = new Folder();
    const whole = readFileSync(recorded(name));
    for (let length = 1; length < whole.length; length += 211) {
      const path = folder.write(name, whole.subarray(0, length));
      await assert.rejects(eventsOf(path), RecordingRefused, `${length} bytes`);
    }
  });

  test(`${name} with a flipped byte is refused, or has the same events`, async () => {
    using folder = new Folder();
    const whole = readFileSync(recorded(name));
    const expected = await eventsOf(recorded(name));
    for (let at = 0; at < whole.length; at += 101) {
      const flipped = Buffer.from(whole);
      flipped[at] ^= 0xff;
      try {
        assert.deepEqual(await eventsOf(folder.write(name, flipped)), expected, `byte ${at}`);
      } catch (error) {
        assert.ok(error instanceof RecordingRefused, `byte ${at}: ${(error as Error).stack}`);
      }
    }
  });
}

test('a truncated gzip file is refused with the line that was reached', async () => {
  using folder = new Folder();
  const rows = Array.from({ length: 50_000 }, (_, i) => row(i, 'buy', 10 + (i % 7), i + 1)).join('');
  const whole = gzipSync(TRADES + rows);
  const path = folder.write('trades.csv.gz', whole.subarray(0, whole.length - 100));
  await assert.rejects(eventsOf(path), (error) => {
    assert.ok(error instanceof RecordingRefused);
    assert.ok((error.line ?? 0) > 1000, error.message);
    assert.match(error.message, /trades.csv.gz, line \d+: the gzip data ends early: the file is truncated/);
    return true;
  });
});

test('of a file with several symbols one can be chosen', async () => {
  using folder = new Folder();
  const eth = `x,ETHUSDT,${AT},${AT},1,buy,1,1\n`;
  const path = folder.write('x_trades_2024-08-08_PERPETUALS.csv', `${TRADES}${GOOD}${eth}${GOOD}`);
  assert.equal((await eventsOf(path, { symbol: 'BTCUSDT' })).length, 2);
  assert.equal((await eventsOf(path, { symbol: 'ETHUSDT' })).length, 1);
});

test('a file that does not exist, and a folder', async () => {
  using folder = new Folder();
  await assert.rejects(eventsOf(`${folder.path}/none.csv`), { code: 'ENOENT' });
  await assert.rejects(eventsOf(folder.path), /this is not a file/);
});
