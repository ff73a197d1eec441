/** Parquet and Feather: the same events as from a CSV file with the same rows, whatever compresses them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { openRecording } from '../../src/recorded/file.ts';
import { lz4Block, lz4Frame } from '../../src/recorded/tables/lz4.ts';
import { eventsOf, Folder } from './support.ts';

const FILES = fileURLToPath(new URL('tables/', import.meta.url));

/** Why a test is left out. False: the package is there. */
function missing(name: string): string | false {
  try {
    createRequire(import.meta.url).resolve(name);
    return false;
  } catch {
    return `${name} is not installed`;
  }
}
const noParquet = missing('hyparquet');
const noFeather = missing('apache-arrow');

/** The rows of tables/made-up.py. */
const ROWS = Array.from({ length: 400 }, (_, i) => i);
const opens = ROWS.map((i) => 100 + ((i * 7) % 13) * 0.25);
const CANDLES = `date,open,high,low,close,volume\n${ROWS.map((i) => {
  const open = opens[i];
  return [1704067200000 + i * 60_000, open, open + 1.5, open - 0.75, (open + (i % 3) * 0.1).toFixed(2), (i % 5) * 1e-7];
}).join('\n')}\n`;
const TRADES = `timestamp,id,type,side,price,amount,cost\n${ROWS.map((i) =>
  [1704067200000 + i * 250, i, '', i % 2 ? 'buy' : 'sell', opens[i], 0.1 + i, 1].join(','),
).join('\n')}\n`;

async function sameAsText(name: string, text: string, written: string): Promise<void> {
  using folder = new Folder();
  assert.deepEqual(await eventsOf(FILES + name), await eventsOf(folder.write(written, text)));
}

for (const codec of ['SNAPPY', 'GZIP', 'BROTLI', 'ZSTD', 'LZ4']) {
  test(`a Parquet file of pandas with ${codec} has the candles of its columns`, { skip: noParquet }, () =>
    sameAsText(`MADE_UP_${codec}-1m.parquet`, CANDLES, 'MADE_UP-1m.csv'),
  );
}

test('a Feather file of freqtrade, which is LZ4, has its candles, and its trades', { skip: noFeather }, async () => {
  await sameAsText('MADE_UP-1m.feather', CANDLES, 'MADE_UP-1m.csv');
  await sameAsText('MADE_UP-trades.feather', TRADES, 'MADE_UP-trades.csv');
  const { format, symbol, subject } = await openRecording(`${FILES}MADE_UP-trades.feather`).then((recording) => ({
    format: recording.format,
    symbol: recording.reading.symbol,
    subject: recording.subject,
  }));
  assert.deepEqual([format, symbol, subject], ['freqtrade trades, Feather', 'MADE_UP', 'trades']);
});

test('a Feather file with ZSTD and nanoseconds has the same candles', { skip: noFeather }, () =>
  sameAsText('MADE_UP_ZSTD-1m.feather', CANDLES, 'MADE_UP-1m.csv'),
);

test('what is damaged, cut or within another compression is refused with a reason', async () => {
  using folder = new Folder();
  const parquet = readFileSync(`${FILES}MADE_UP_ZSTD-1m.parquet`);
  const feather = readFileSync(`${FILES}MADE_UP-1m.feather`);
  await assert.rejects(
    eventsOf(folder.write('a.parquet.gz', gzipSync(parquet))),
    /this is Parquet within a compressed/,
  );
  await assert.rejects(
    eventsOf(folder.write('a.feather.gz', gzipSync(feather))),
    /this is Feather within a compressed/,
  );
  const half = (file: Buffer) => file.subarray(0, file.length / 2);
  const reason = (kind: string, skip: string | false) =>
    skip === false ? new RegExp(`the ${kind} file is damaged, or of a kind that is not read`) : /npm install/;
  await assert.rejects(eventsOf(folder.write('half.parquet', half(parquet))), reason('Parquet', noParquet));
  await assert.rejects(eventsOf(folder.write('half.feather', half(feather))), reason('Feather', noFeather));
});

/** The file with this in the place of some bytes of its footer, whose length changes with it. */
function withFooter(file: Buffer, change: (footer: Buffer) => Buffer): Buffer {
  const length = file.readUInt32LE(file.length - 8);
  const footer = change(file.subarray(file.length - 8 - length, file.length - 8));
  const end = Buffer.from('....PAR1');
  end.writeUInt32LE(footer.length);
  return Buffer.concat([file.subarray(0, file.length - 8 - length), footer, end]);
}

test('a Parquet file that says a thousand million rows is refused before they are made', {
  skip: noParquet,
}, async () => {
  using folder = new Folder();
  // 400 and 1,000,000,000 as Thrift has them. The group's is the last but one of the footer, before the file's texts.
  const [rows, more] = [Buffer.of(0xa0, 0x06), Buffer.of(0x80, 0xa8, 0xd6, 0xb9, 0x07)];
  const file = withFooter(readFileSync(`${FILES}MADE_UP_ZSTD-1m.parquet`), (footer) => {
    const at = footer.lastIndexOf(rows);
    return Buffer.concat([footer.subarray(0, at), more, footer.subarray(at + rows.length)]);
  });
  await assert.rejects(
    eventsOf(folder.write('rows.parquet', file)),
    /a group of 1000000000 rows has columns of another/,
  );
});

test('a Parquet file with damage in several columns is refused once', { skip: noParquet }, async () => {
  using folder = new Folder();
  const file = readFileSync(`${FILES}MADE_UP_ZSTD-1m.parquet`);
  // The schema comes before the columns: so this names a column that is not in the schema.
  const damaged = withFooter(file.fill(0xff, 4, 1500), (footer) => {
    footer.write('other', footer.indexOf('close', footer.indexOf('close') + 1));
    return footer;
  });
  const leaked: unknown[] = [];
  const note = (error: unknown) => leaked.push(error);
  process.on('unhandledRejection', note);
  try {
    await assert.rejects(eventsOf(folder.write('damaged.parquet', damaged)), /the Parquet file is damaged/);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(leaked, []);
  } finally {
    process.off('unhandledRejection', note);
  }
});

test(
  'without the package, the refusal says what to install',
  { skip: noParquet === false && 'hyparquet is installed' },
  () =>
    assert.rejects(
      eventsOf(`${FILES}MADE_UP_ZSTD-1m.parquet`),
      /this is Parquet, which the package hyparquet reads: npm install hyparquet\. It is not installed with bourse/,
    ),
);

test('LZ4 copies what overlaps, and damage is refused, never read past the end', () => {
  // abc, then seven bytes from three back, then the last literals.
  const block = Uint8Array.of(0x33, 97, 98, 99, 3, 0, 0x50, 49, 50, 51, 52, 53);
  assert.equal(Buffer.from(lz4Block(block, 15)).toString(), 'abcabcabca12345');
  for (const [damage, length] of [
    [block.subarray(0, 8), 15],
    [block, 14],
    [block, 16],
    [Uint8Array.of(0x13, 97, 9, 0, 0x10, 98), 9],
    [Uint8Array.of(0xf0, 255), 300],
  ] as const) {
    assert.throws(() => lz4Block(damage, length), /the LZ4 data is damaged/);
  }
  assert.throws(() => lz4Frame(Uint8Array.of(1, 2, 3)), /the LZ4 data is damaged/);
  const head = [0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82];
  const whole = Uint8Array.of(...head, block.length, 0, 0, 0, ...block, 0, 0, 0, 0);
  assert.equal(Buffer.from(lz4Frame(whole)).toString(), 'abcabcabca12345');
  assert.throws(() => lz4Frame(whole.subarray(0, whole.length - 4)), /the LZ4 data is damaged/);
});
