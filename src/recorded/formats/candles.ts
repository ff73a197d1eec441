/**
 * Candles: Binance klines (with a header or not), JSON arrays as ccxt and freqtrade write them, and CSV by the names of its columns.
 * Series of mark and index prices and of funding rates, which the name or the folder of a file shows, become references instead.
 */
import { compareDecimals, decimalOf, priceOf, rateOf, sizeOf } from '../decimal.ts';
import type { MarketEvent } from '../events.ts';
import { RowProblem } from '../refused.ts';
import { timeOf, timeText } from '../times.ts';
import {
  bareCells,
  type Format,
  goesBackwards,
  type Head,
  type Reading,
  type RowReader,
  sized,
  symbolInName,
} from './format.ts';
import { TAKER_SIDES, tradeRows } from './trade-rows.ts';

const KLINES = [
  'open_time',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'close_time',
  'quote_volume',
  'count',
  'taker_buy_volume',
  'taker_buy_quote_volume',
  'ignore',
];
const PLAIN = ['time', 'open', 'high', 'low', 'close', 'volume'];
const PLAIN_WITH_COUNT = [...PLAIN, 'count'];
const ARRAY_TRADES = ['time', 'id', 'type', 'side', 'price', 'amount', 'cost'];
/** The most precise one first. */
const TIME_NAMES = ['unix', 'open_time', 'opentime', 'timestamp', 'time', 'datetime', 'date'];
const UNIT_US: Readonly<Record<string, number>> = {
  s: 1e6,
  m: 60e6,
  h: 3600e6,
  d: 86_400e6,
  w: 604_800e6,
};

/** Places of columns. */
interface CandleColumns {
  readonly names: readonly string[];
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly closeTime?: number;
  readonly takerBuyVolume?: number;
  readonly symbol?: number;
}

const IN_ORDER = { time: 0, open: 1, high: 2, low: 3, close: 4, volume: 5 };

/** What the open price of each row is. */
type Meaning = 'candle' | 'mark' | 'index' | 'fundingRate';

export function candles(head: Head): Format | undefined {
  return klines(head) ?? byHeader(head) ?? withoutHeader(head) ?? jsonArray(head) ?? freqtradeTrades(head);
}

function klines(head: Head): Format | undefined {
  const first = cells(head, 0);
  const header = first.length === KLINES.length && first[0].toLowerCase().replace('_', '') === 'opentime';
  if (!header && (first.length !== KLINES.length || !first.every(isNumber))) return undefined;
  const columns = { ...IN_ORDER, names: KLINES, closeTime: 6, takerBuyVolume: 9 };
  return csv(head, 'Binance klines', columns, header ? 1 : 0);
}

function withoutHeader(head: Head): Format | undefined {
  const first = cells(head, 0);
  const names = [PLAIN, PLAIN_WITH_COUNT].find(({ length }) => length === first.length);
  if (names === undefined || timeOf(first[0]) === undefined || !first.slice(1).every(isNumber)) return undefined;
  return csv(head, 'OHLCV, CSV without a header', { ...IN_ORDER, names }, 0);
}

/** A header within the first two lines: CryptoDataDownload has an address above it. */
function byHeader(head: Head): Format | undefined {
  const at = head.lines.slice(0, 2).findIndex((line) => /(^|,)\s*"?open"?\s*(,|$)/i.test(line));
  if (at < 0) return undefined;
  const names = cells(head, at);
  const lower = names.map((name) => name.toLowerCase());
  const place = (name: string) => lower.indexOf(name);
  const time = TIME_NAMES.map(place).find((index) => index >= 0);
  const [open, high, low, close] = ['open', 'high', 'low', 'close'].map(place);
  const symbol = lower.findIndex((name) => name === 'symbol' || name === 'tic');
  const volume = volumePlace(lower, symbol < 0 ? '' : (cells(head, at + 1)[symbol] ?? ''));
  if (time === undefined || [open, high, low, close, volume].some((index) => index < 0)) return undefined;
  const columns = { names, time, open, high, low, close, volume, ...(symbol >= 0 && { symbol }) };
  const name = /cryptodatadownload/i.test(head.lines[0]) ? 'CryptoDataDownload' : 'OHLCV, CSV with a header';
  return csv(head, name, columns, at + 1);
}

/** `volume`, or of `volume btc` and `volume usdt` the one in the currency that the symbol begins with. */
function volumePlace(names: readonly string[], symbol: string): number {
  const plain = names.indexOf('volume');
  if (plain >= 0) return plain;
  const base = names.findIndex(
    (name) => name.startsWith('volume ') && symbol.toLowerCase().startsWith(name.slice('volume '.length)),
  );
  return base >= 0 ? base : names.findIndex((name) => name.startsWith('volume'));
}

/** `[[time, open, high, low, close, volume], …]`, or trades as freqtrade keeps them. */
function jsonArray(head: Head): Format | undefined {
  const text = head.lines.join('\n');
  if (!/^\s*\[\s*\[/.test(text)) return undefined;
  const rows = [...text.matchAll(/\[([^[\]]*)\]/g)].map(([, row]) => bareCells(row));
  const [first] = rows;
  const common = { symbol: symbolInName(head.name), skip: 0, rows: 'arrays' } as const;
  const newestFirst = goesBackwards(rows.map(([time]) => time));
  if (first?.length === ARRAY_TRADES.length && Object.hasOwn(TAKER_SIDES, first[3])) {
    const columns = { names: ARRAY_TRADES, time: 0, id: 1, side: 3, price: 4, size: 5, sides: TAKER_SIDES };
    const reader = (reading: Reading) => tradeRows(reading, columns, (row) => sized(bareCells(row), ARRAY_TRADES));
    return { ...common, name: 'trades, JSON arrays', subject: 'trades', newestFirst, reader };
  }
  if (first?.length !== PLAIN.length) return undefined;
  const columns = { ...IN_ORDER, names: PLAIN };
  const times = rows.map(([time]) => time);
  return series(head, 'OHLCV, JSON arrays', columns, times, { ...common, newestFirst }, (row) =>
    sized(bareCells(row), PLAIN),
  );
}

/** As freqtrade keeps them in files that are no JSON. */
function freqtradeTrades(head: Head): Format | undefined {
  const names = cells(head, 0);
  if (names.join() !== ['timestamp', ...ARRAY_TRADES.slice(1)].join()) return undefined;
  const columns = { names, time: 0, id: 1, side: 3, price: 4, size: 5, sides: TAKER_SIDES };
  return {
    name: 'freqtrade trades, CSV with a header',
    subject: 'trades',
    symbol: symbolInName(head.name),
    skip: 1,
    rows: 'lines',
    newestFirst: goesBackwards(head.lines.slice(1).map((line) => bareCells(line)[0])),
    reader: (reading) => tradeRows(reading, columns, (row) => sized(bareCells(row), names)),
  };
}

function csv(head: Head, name: string, columns: CandleColumns, skip: number): Format {
  const times = head.lines.slice(skip).map((line) => bareCells(line)[columns.time] ?? '');
  const common = { symbol: symbolInName(head.name), skip, rows: 'lines', newestFirst: goesBackwards(times) } as const;
  return series(head, name, columns, times, common, (row) => sized(bareCells(row), columns.names));
}

function series(
  head: Head,
  name: string,
  columns: CandleColumns,
  times: readonly string[],
  common: Pick<Format, 'symbol' | 'skip' | 'rows' | 'newestFirst'>,
  cellsOfRow: (row: string) => readonly string[],
): Format {
  const meaning = meaningOf(head.path);
  if (meaning !== 'candle') {
    return {
      ...common,
      name: `${name} of ${meaning === 'fundingRate' ? 'funding rates' : `${meaning} prices`}`,
      subject: 'references',
      reader: (reading) => referenceRows(reading, columns, meaning, cellsOfRow),
    };
  }
  const intervalUs = intervalOf(times, head.name);
  const { newestFirst } = common;
  return {
    ...common,
    name,
    subject: 'candles',
    reader: (reading) => candleRows(reading, columns, { intervalUs, newestFirst }, cellsOfRow),
  };
}

/** Files of mark prices and the like have the columns of candles, and only their names differ. */
function meaningOf(path: string): Meaning {
  if (/-mark\.|markPriceKlines/.test(path)) return 'mark';
  if (/-index\.|indexPriceKlines/i.test(path) && !/premiumIndex/i.test(path)) return 'index';
  return /-funding_rate\./.test(path) ? 'fundingRate' : 'candle';
}

/** The smallest distance of two candles, or what the name of the file says if there is only one. */
function intervalOf(times: readonly string[], name: string): number | undefined {
  const us = times.flatMap((text) => timeOf(text)?.[1] ?? []).sort((a, b) => a - b);
  const distances = us.slice(1).flatMap((at, i) => (at > us[i] ? [at - us[i]] : []));
  if (distances.length > 0) return Math.min(...distances);
  const [, count, unit] = /[-_](\d+)([smhdw])(?![a-z])/i.exec(name) ?? [];
  return count === undefined ? undefined : Number(count) * UNIT_US[unit.toLowerCase()];
}

function candleRows(
  reading: Reading,
  columns: CandleColumns,
  { intervalUs, newestFirst }: { intervalUs: number | undefined; newestFirst: boolean },
  cellsOfRow: (row: string) => readonly string[],
): RowReader {
  const { names, symbol } = columns;
  let previousUs: number | undefined;
  return {
    row(text: string, out: MarketEvent[]): void {
      const row = cellsOfRow(text);
      if (symbol !== undefined && !reading.takes(row[symbol])) return;
      const atUs = reading.at(row[columns.time], names[columns.time]);
      if (previousUs !== undefined && (newestFirst ? atUs >= previousUs : atUs <= previousUs)) {
        throw new RowProblem(
          `the candle of ${timeText(atUs)} is not ${newestFirst ? 'before' : 'after'} the one above it`,
        );
      }
      previousUs = atUs;
      const price = (column: number) => priceOf(row[column], names[column]);
      const [open, high, low, close] = [columns.open, columns.high, columns.low, columns.close].map(price);
      for (const value of [open, close]) {
        if (compareDecimals(value, high) > 0 || compareDecimals(value, low) < 0) {
          throw new RowProblem(`its price ${value} is not between low ${low} and high ${high}`);
        }
      }
      const closeUs = closeOf(row, atUs);
      const { takerBuyVolume } = columns;
      out.push({
        kind: 'candle',
        atUs,
        closeUs,
        open,
        high,
        low,
        close,
        volume: sizeOf(row[columns.volume], names[columns.volume]),
        ...(takerBuyVolume !== undefined && {
          takerBuyVolume: sizeOf(row[takerBuyVolume], names[takerBuyVolume]),
        }),
      });
    },
  };

  /** Binance closes a candle one unit of time before the next one opens. */
  function closeOf(row: readonly string[], atUs: number): number {
    const { closeTime } = columns;
    if (closeTime !== undefined) {
      const lastUs = reading.times.us(row[closeTime], names[closeTime]);
      const closeUs = lastUs + (reading.times.unit === 'ms' ? 1000 : 1);
      if (closeUs <= atUs) throw new RowProblem(`${names[closeTime]} is before ${names[columns.time]}`);
      return closeUs;
    }
    if (intervalUs === undefined) {
      throw new RowProblem('how long a candle lasts is unknown: put it into the name of the file, as in BTC_USDT-1m');
    }
    return atUs + intervalUs;
  }
}

function referenceRows(
  reading: Reading,
  columns: CandleColumns,
  meaning: 'mark' | 'index' | 'fundingRate',
  cellsOfRow: (row: string) => readonly string[],
): RowReader {
  const { names, symbol, time, open } = columns;
  let lastUs: number | undefined;
  return {
    row(text: string, out: MarketEvent[]): void {
      const row = cellsOfRow(text);
      if (symbol !== undefined && !reading.takes(row[symbol])) return;
      const atUs = reading.at(row[time], names[time]);
      if (meaning !== 'fundingRate') {
        out.push({ kind: 'reference', atUs, [meaning]: priceOf(row[open], names[open]) });
        return;
      }
      // A row is a payment, and an event is a rate that is to be paid: it counts from the payment before.
      const fundingRate = rateOf(row[open], 'funding rate');
      out.push({ kind: 'reference', atUs: Math.min(lastUs ?? atUs, atUs), fundingRate, fundingAtUs: atUs });
      lastUs = atUs;
    },
  };
}

function cells({ lines }: Head, at: number): string[] {
  return bareCells(lines[at] ?? '');
}

function isNumber(text: string): boolean {
  return decimalOf(text) !== undefined;
}
