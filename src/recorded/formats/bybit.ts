/** Bybit: the daily trades of derivatives and of spot, and books of 500 levels as lines of JSON (`ob500`). */
import { priceOf, sizeOf } from '../decimal.ts';
import type { Level, MarketEvent } from '../events.ts';
import { RowProblem } from '../refused.ts';
import { BookRows } from './book-rows.ts';
import { cellsOf, type Format, goesBackwards, type Head, type Reading, type RowReader } from './format.ts';
import { TAKER_SIDES, tradeRows } from './trade-rows.ts';

const TRADING = [
  'timestamp',
  'symbol',
  'side',
  'size',
  'price',
  'tickDirection',
  'trdMatchID',
  'grossValue',
  'homeNotional',
  'foreignNotional',
];
const SPOT = ['id', 'timestamp', 'price', 'volume', 'side'];
/** Newer files say which trades met retail orders that the book does not show. */
const HIDDEN = 'rpi';
export const BYBIT_HEADERS = { 'Bybit trades, derivatives': TRADING, 'Bybit trades, spot': SPOT };

export function bybit({ lines, name }: Head): Format | undefined {
  const first = lines[0] ?? '';
  if (first.startsWith('{')) return isBook(first) ? book() : undefined;
  const names = first.split(',');
  const known = (base: readonly string[]) =>
    [base, [...base, HIDDEN]].some((header) => header.join(',').toLowerCase() === first.toLowerCase());
  const common = { skip: 1, rows: 'lines', subject: 'trades' } as const;
  const backwards = (column: number) => goesBackwards(lines.slice(1).map((line) => line.split(',')[column] ?? ''));
  if (known(TRADING)) {
    const columns = { names, time: 0, symbol: 1, side: 2, size: 3, price: 4, id: 6, sides: TAKER_SIDES };
    return {
      ...common,
      name: 'Bybit trades, derivatives',
      newestFirst: backwards(0),
      reader: (reading) => tradeRows(reading, columns, (line) => cellsOf(line, names)),
    };
  }
  if (!known(SPOT)) return undefined;
  const columns = { names, id: 0, time: 1, price: 2, size: 3, side: 4, sides: TAKER_SIDES };
  return {
    ...common,
    name: 'Bybit trades, spot',
    symbol: /^([A-Z0-9]+)_\d{4}-\d{2}/.exec(name)?.[1],
    newestFirst: backwards(1),
    reader: (reading) => tradeRows(reading, columns, (line) => cellsOf(line, names)),
  };
}

function isBook(line: string): boolean {
  return line.includes('"type"') && /"topic":\s*"orderbook\./.test(line);
}

function book(): Format {
  return {
    name: 'Bybit order book, JSON lines',
    subject: 'book',
    skip: 0,
    rows: 'lines',
    newestFirst: false,
    reader: bookReader,
  };
}

/** `u` counts the messages of a connection. It starts again at 1 with the snapshot after a restart of Bybit's service. */
function bookReader(reading: Reading): RowReader {
  const rows = new BookRows(reading);
  let last = Number.NEGATIVE_INFINITY;
  return {
    row(line: string, out: MarketEvent[]): void {
      const { type, symbol, time, bids, asks, update } = messageOf(line);
      if (!reading.takes(symbol)) return;
      const atUs = reading.at(time, 'ts');
      if (type === 'snapshot') rows.snapshot(atUs, bids, asks, out);
      else {
        if (update <= last) rows.lost();
        rows.update(atUs, bids, asks, out);
      }
      last = update;
    },
    end(out: MarketEvent[]): void {
      rows.end(out);
    },
  };
}

interface Message {
  readonly type: 'snapshot' | 'delta';
  readonly symbol: string;
  readonly time: string;
  readonly update: number;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

function messageOf(line: string): Message {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new RowProblem('it is no JSON');
  }
  const { type, ts, cts, data } = (value ?? {}) as Record<string, unknown>;
  const { s, b, a, u } = (data ?? {}) as Record<string, unknown>;
  if ((type !== 'snapshot' && type !== 'delta') || typeof s !== 'string' || typeof u !== 'number') {
    throw new RowProblem('it is no message of an order book with type, ts and data {s, b, a, u}');
  }
  // The time of the matching engine, where the file has it, is the one that trades have.
  return { type, symbol: s, time: String(cts ?? ts), update: u, bids: levelsOf(b, 'b'), asks: levelsOf(a, 'a') };
}

function levelsOf(value: unknown, name: string): Level[] {
  if (!Array.isArray(value)) throw new RowProblem(`${name} is no list of levels`);
  return value.map((level) => {
    if (!Array.isArray(level) || level.length < 2) throw new RowProblem(`${name} has something that is no level`);
    const [price, size] = level.map(String);
    return [priceOf(price, `a price of ${name}`), sizeOf(size, `a size of ${name}`)];
  });
}
