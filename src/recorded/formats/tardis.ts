/**
 * Tardis CSV: trades, incremental_book_L2, book_snapshot_N, quotes and derivative_ticker. Each begins with exchange, symbol,
 * timestamp and local_timestamp, and is in the order of local_timestamp.
 */
import { priceOf, rateOf, sizeOf } from '../decimal.ts';
import type { Level, MarketEvent, ReferenceEvent } from '../events.ts';
import { RowProblem, shown } from '../refused.ts';
import { Times } from '../times.ts';
import { BookRows } from './book-rows.ts';
import { cellsOf, type Format, type Head, type Reading, type RowReader } from './format.ts';
import { TAKER_SIDES, tradeRows } from './trade-rows.ts';

const COMMON = ['exchange', 'symbol', 'timestamp', 'local_timestamp'];
export const TRADES = [...COMMON, 'id', 'side', 'price', 'amount'];
export const BOOK = [...COMMON, 'is_snapshot', 'side', 'price', 'amount'];
export const QUOTES = [...COMMON, 'ask_amount', 'ask_price', 'bid_price', 'bid_amount'];
export const TICKER = [
  ...COMMON,
  'funding_timestamp',
  'funding_rate',
  'predicted_funding_rate',
  'open_interest',
  'last_price',
  'index_price',
  'mark_price',
];
const SYMBOL = 1;
const TIME = 2;
const LOCAL = 3;
/** More rows at one local_timestamp are no message of an exchange. */
const MAX_MESSAGE = 1_000_000;

export function tardis({ lines }: Head): Format | undefined {
  const header = lines[0] ?? '';
  const common = { skip: 1, rows: 'lines', newestFirst: false } as const;
  if (header === TRADES.join(',')) {
    return { ...common, name: 'Tardis trades', subject: 'trades', reader: trades };
  }
  if (header === BOOK.join(',')) {
    return {
      ...common,
      name: 'Tardis incremental_book_L2',
      subject: 'book',
      reader: (reading) => new BookReader(reading),
    };
  }
  if (header === QUOTES.join(',')) {
    return { ...common, name: 'Tardis quotes', subject: 'quotes', reader: quotes };
  }
  if (header === TICKER.join(',')) {
    return { ...common, name: 'Tardis derivative_ticker', subject: 'references', reader: ticker };
  }
  const depth = snapshotDepth(header);
  if (depth === 0) return undefined;
  const columns = header.split(',');
  return {
    ...common,
    name: `Tardis book_snapshot_${depth}`,
    subject: 'book',
    reader: (reading) => bookSnapshots(reading, columns, depth),
  };
}

/** How many levels the rows of book_snapshot_N have; 0 if the header is of something else. */
function snapshotDepth(header: string): number {
  const depth = (header.split(',').length - COMMON.length) / 4;
  if (!Number.isInteger(depth) || depth < 1) return 0;
  const levels = Array.from({ length: depth }, (_, i) =>
    ['asks', 'bids'].flatMap((side) => [`${side}[${i}].price`, `${side}[${i}].amount`]),
  );
  return header === [...COMMON, ...levels.flat()].join(',') ? depth : 0;
}

/** The cells of a row of the wanted symbol and its exchange time. */
function rowOf(reading: Reading, line: string, columns: readonly string[]): [string[], number] | undefined {
  const cells = cellsOf(line, columns);
  if (!reading.takes(cells[SYMBOL])) return undefined;
  const atUs = reading.at(cells[TIME], 'timestamp');
  reading.noteLocal(reading.locals.us(cells[LOCAL], 'local_timestamp'), atUs);
  return [cells, atUs];
}

function trades(reading: Reading): RowReader {
  const columns = { names: TRADES, time: TIME, id: 4, side: 5, price: 6, size: 7, sides: TAKER_SIDES };
  return tradeRows(reading, columns, (line) => rowOf(reading, line, TRADES)?.[0]);
}

class BookReader implements RowReader {
  readonly #reading: Reading;
  readonly #book: BookRows;
  /** The message that is being collected: its local_timestamp and is_snapshot as the file has them. */
  #local = '';
  #isSnapshot = '';
  #atUs = 0;
  #bids: Level[] = [];
  #asks: Level[] = [];

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#book = new BookRows(reading);
  }

  row(line: string, out: MarketEvent[]): void {
    const cells = cellsOf(line, BOOK);
    if (!this.#reading.takes(cells[SYMBOL])) return;
    const [, , time, local, isSnapshot, side, price, amount] = cells;
    if (local !== this.#local || isSnapshot !== this.#isSnapshot) this.#begin(local, isSnapshot, time, out);
    else this.#atUs = Math.max(this.#atUs, this.#reading.times.us(time, 'timestamp'));
    const level: Level = [priceOf(price, 'price'), sizeOf(amount, 'amount')];
    if (side === 'bid') this.#bids.push(level);
    else if (side === 'ask') this.#asks.push(level);
    else throw new RowProblem(`side is ${shown(side)}, and bid or ask is needed`);
    if (this.#bids.length + this.#asks.length > MAX_MESSAGE) {
      throw new RowProblem(`more than ${MAX_MESSAGE} rows have this local_timestamp`);
    }
  }

  #begin(local: string, isSnapshot: string, time: string, out: MarketEvent[]): void {
    this.end(out);
    if (isSnapshot !== 'true' && isSnapshot !== 'false') {
      throw new RowProblem(`is_snapshot is ${shown(isSnapshot)}, and true or false is needed`);
    }
    this.#atUs = this.#reading.at(time, 'timestamp');
    this.#reading.noteLocal(this.#reading.locals.us(local, 'local_timestamp'), this.#atUs);
    this.#local = local;
    this.#isSnapshot = isSnapshot;
  }

  end(out: MarketEvent[]): void {
    const [bids, asks] = [this.#bids, this.#asks];
    if (bids.length + asks.length === 0) return;
    this.#bids = [];
    this.#asks = [];
    if (this.#isSnapshot === 'false') this.#book.update(this.#atUs, bids, asks, out);
    else if (this.#book.lastWasSnapshot) this.#book.more(this.#atUs, bids, asks, out);
    else this.#book.snapshot(this.#atUs, bids, asks, out);
  }
}

function bookSnapshots(reading: Reading, columns: readonly string[], depth: number): RowReader {
  return {
    row(line, out) {
      const [cells, atUs] = rowOf(reading, line, columns) ?? [];
      if (cells === undefined || atUs === undefined) return;
      const levels = (first: number) =>
        Array.from({ length: depth }, (_, i) => COMMON.length + 4 * i + first).flatMap((column) => {
          const level = levelOf(cells, column, column + 1, columns);
          return level === undefined ? [] : [level];
        });
      out.push({ kind: 'snapshot', atUs, bids: levels(2), asks: levels(0) });
    },
  };
}

function quotes(reading: Reading): RowReader {
  return {
    row(line, out) {
      const [cells, atUs] = rowOf(reading, line, QUOTES) ?? [];
      if (cells === undefined || atUs === undefined) return;
      const bid = levelOf(cells, 6, 7, QUOTES);
      const ask = levelOf(cells, 5, 4, QUOTES);
      out.push({ kind: 'quote', atUs, ...(bid && { bid }), ...(ask && { ask }) });
    },
  };
}

/** A level, or undefined where both cells are empty. */
function levelOf(
  cells: readonly string[],
  price: number,
  amount: number,
  columns: readonly string[],
): Level | undefined {
  if (cells[price] === '' && cells[amount] === '') return undefined;
  return [priceOf(cells[price], columns[price]), sizeOf(cells[amount], columns[amount])];
}

function ticker(reading: Reading): RowReader {
  const fundings = new Times();
  return {
    row(line, out) {
      const [cells, atUs] = rowOf(reading, line, TICKER) ?? [];
      if (cells === undefined || atUs === undefined) return;
      const [, , , , fundingTime, fundingRate, , , , index, mark] = cells;
      const event: ReferenceEvent = {
        kind: 'reference',
        atUs,
        ...(index !== '' && { index: priceOf(index, 'index_price') }),
        ...(mark !== '' && { mark: priceOf(mark, 'mark_price') }),
        ...(fundingRate !== '' && { fundingRate: rateOf(fundingRate, 'funding_rate') }),
        ...(fundingTime !== '' && { fundingAtUs: fundings.us(fundingTime, 'funding_timestamp') }),
      };
      if (Object.keys(event).length > 2) out.push(event);
    },
  };
}
