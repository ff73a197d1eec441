/** What a format is to the rest of this room, and what the readers of all formats share. */
import type { MarketEvent, Subject } from '../events.ts';
import { RowProblem, shown } from '../refused.ts';
import { TimeOrder, Times, timeOf } from '../times.ts';

/** The beginning of a file, from which its format is recognised. */
export interface Head {
  readonly path: string;
  /** Of the file, without the ending of its compression. */
  readonly name: string;
  /** Complete lines, without empty ones at the end. */
  readonly lines: readonly string[];
}

/** Turns rows into events. */
export interface RowReader {
  /** Adds the events that are complete with this row. Throws RowProblem. */
  row(text: string, out: MarketEvent[]): void;
  /** Adds what the end of the file completes. */
  end?(out: MarketEvent[]): void;
}

/** A format as one file has it. */
export interface Format {
  /** For people, such as `Binance trades, spot`. */
  readonly name: string;
  readonly subject: Subject;
  /** From the name of the file. Most formats have it in each row instead. */
  readonly symbol?: string;
  /** Lines before the first row. */
  readonly skip: number;
  readonly rows: 'lines' | 'arrays';
  readonly newestFirst: boolean;
  reader(reading: Reading): RowReader;
}

/** Says what a file is, or undefined if it is something else. */
export type Recognise = (head: Head) => Format | undefined;

/** What one pass over a file has seen so far. */
export class Reading {
  readonly times = new Times();
  /** Those of the recorder's clock. */
  readonly locals = new Times();
  readonly order: TimeOrder;
  /** The symbol of the rows: of the file's name, of the first row, or the wanted one. */
  symbol: string | undefined;
  readonly #wanted: boolean;
  rows = 0;
  /** Rows of a book before its first snapshot, which say nothing. */
  beforeSnapshot = 0;
  /** Rows of symbols that were not wanted. */
  otherSymbols = 0;
  /** By how much the recorder's clock was ahead of the exchange's, in microseconds. */
  localAheadUs: { least: number; most: number } | undefined;

  constructor(newestFirst: boolean, wanted: string | undefined, named: string | undefined) {
    this.order = new TimeOrder(newestFirst);
    this.#wanted = wanted !== undefined;
    this.symbol = wanted ?? named;
  }

  /** Whether a row is of the symbol that is read. Throws RowProblem for a second symbol if none was chosen. */
  takes(symbol: string): boolean {
    this.symbol ??= symbol;
    if (symbol === this.symbol) return true;
    if (!this.#wanted) {
      throw new RowProblem(`the symbol is ${shown(symbol)} after ${shown(this.symbol)}: choose one of them`);
    }
    this.otherSymbols += 1;
    return false;
  }

  /** The time of a row, in microseconds, checked against the rows above. */
  at(text: string, column: string): number {
    const us = this.times.us(text, column);
    this.order.see(us);
    return us;
  }

  noteLocal(localUs: number, atUs: number): void {
    const ahead = localUs - atUs;
    const { least, most } = this.localAheadUs ?? { least: ahead, most: ahead };
    this.localAheadUs = { least: Math.min(least, ahead), most: Math.max(most, ahead) };
  }
}

/** The cells of a line of CSV. None of these formats quotes a cell. */
export function cellsOf(line: string, columns: readonly string[]): string[] {
  return sized(line.split(','), columns);
}

/** The cells, if there are as many as columns. */
export function sized(cells: string[], columns: readonly string[]): string[] {
  if (cells.length === columns.length) return cells;
  throw new RowProblem(`it has ${cells.length} columns instead of ${columns.length} (${columns.join(', ')})`);
}

/** The cells of a row, without spaces and quotes around them. No cell has a comma in it. */
export function bareCells(row: string): string[] {
  return row.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
}

/** Whether the times of the head go backwards. */
export function goesBackwards(times: readonly string[]): boolean {
  const us = times.flatMap((text) => timeOf(text)?.[1] ?? []);
  return us.length > 1 && us[0] > us[us.length - 1];
}

/** The symbol in names such as `BTCUSDT-trades-2024-01-01.csv`, `spot_BTCUSDT-1m-2024-01.csv` and `BTC_USDT-1m.json`. */
export function symbolInName(name: string): string | undefined {
  return /^(?:spot_|futures_)?([\p{L}\p{N}_]+?)-(?:trades|aggTrades|bookTicker|\d+[smhdwM])(?![a-z])/iu.exec(name)?.[1];
}
