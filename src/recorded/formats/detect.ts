/** What a file is: the known formats in turn, and a reason by name for those that are known and not read. */
import { RecordingRefused, shown } from '../refused.ts';
import type { Source } from '../source.ts';
import { BINANCE_HEADERS, binance } from './binance.ts';
import { BYBIT_HEADERS, bybit } from './bybit.ts';
import { candles } from './candles.ts';
import type { Format, Head, Recognise } from './format.ts';
import { BOOK, QUOTES, TICKER, TRADES, tardis } from './tardis.ts';

const FORMATS: readonly Recognise[] = [tardis, binance, bybit, candles];

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'Tardis trades': TRADES,
  'Tardis incremental_book_L2': BOOK,
  'Tardis quotes': QUOTES,
  'Tardis derivative_ticker': TICKER,
  ...BINANCE_HEADERS,
  ...BYBIT_HEADERS,
};

const CONVERT = 'Export it as CSV with the columns of Tardis (docs/recorded.md).';

/** Formats that are refused by what their files begin with. */
const BINARY: readonly (readonly [magic: string, reason: string])[] = [
  ['PAR1', 'this is Parquet within a compressed file: unpack it. Parquet compresses by itself.'],
  ['ARROW1', 'this is Feather within a compressed file: unpack it. Feather compresses by itself.'],
  ['\x93NUMPY', `this is a NumPy array (hftbacktest), which is not read. ${CONVERT}`],
  ['DBN', `this is Databento's DBN, which is not read. Databento exports CSV. ${CONVERT}`],
];

/** Formats that are refused by their name, which may be that of the file in an archive. */
const NAMED: readonly (readonly [name: RegExp, reason: string])[] = [
  [
    /bookDepth/,
    'Binance bookDepth has sums of the book by bands of price: it is no book, so nothing can be replayed from it.',
  ],
  [/\.np[yz]$/, `this is a NumPy array (hftbacktest), which is not read. ${CONVERT}`],
  [/\.dbn$/, `this is Databento's DBN, which is not read. Databento exports CSV. ${CONVERT}`],
  [/\.tar$/, 'this is a tar archive: unpack it, and give the files in it.'],
  [/premiumIndex/, 'the premium index is no price, and nothing is replayed from it.'],
];

/** Throws RecordingRefused for what its name or its first bytes show to be unreadable. `text` is the decompressed beginning. */
export function refuseKnown({ path, name }: Pick<Source, 'path' | 'name'>, text: string): void {
  const catalog = /data\/(trade_tick|quote_tick|order_book|bar)/.test(path) && name.endsWith('.parquet');
  if (catalog) throw new RecordingRefused(path, `this is a Nautilus catalog, which is not read. ${CONVERT}`);
  for (const [pattern, reason] of NAMED) if (pattern.test(name)) throw new RecordingRefused(path, reason);
  for (const [magic, reason] of BINARY) if (text.startsWith(magic)) throw new RecordingRefused(path, reason);
  if (text.includes('\0')) throw new RecordingRefused(path, 'this is no text: only CSV and JSON are read.');
  if (/^timestamp,percentage,depth,notional/.test(text)) throw new RecordingRefused(path, NAMED[0][1]);
}

/** The format of a file. Throws RecordingRefused if it has none of those that are read. */
export function formatOf(head: Head): Format {
  for (const recognise of FORMATS) {
    const format = recognise(head);
    if (format !== undefined) return format;
  }
  const [first = ''] = head.lines;
  if (first === '') throw new RecordingRefused(head.path, 'the file is empty');
  throw new RecordingRefused(head.path, almost(first) ?? unknown(first), 1);
}

/** The reason for a header that is almost a known one. */
function almost(line: string): string | undefined {
  const found = line.split(',');
  let best: { name: string; columns: readonly string[]; missing: string[] } | undefined;
  for (const [name, columns] of Object.entries(HEADERS)) {
    const missing = columns.filter((column) => !found.includes(column));
    if (missing.length > columns.length / 2) continue;
    if (best === undefined || missing.length < best.missing.length) best = { name, columns, missing };
  }
  if (best === undefined) return undefined;
  const { name, columns, missing } = best;
  const extra = found.filter((column) => !columns.includes(column));
  const parts = [
    missing.length > 0 ? `lacks ${missing.join(', ')}` : '',
    extra.length > 0 ? `has ${extra.map(shown).join(', ')}` : '',
  ].filter((part) => part !== '');
  const wrong = parts.length > 0 ? parts.join(' and ') : 'has another order of columns';
  return `this is almost ${name}, but ${wrong}: its columns are ${columns.join(',')}`;
}

function unknown(line: string): string {
  const separated = line.includes(';') ? ' Columns must be separated by commas.' : '';
  return `no known format begins with ${shown(line)}.${separated} docs/recorded.md has those that are read.`;
}
