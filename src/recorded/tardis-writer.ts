/**
 * Writes a market in the form of Tardis: trades and incremental_book_L2, as gzip. What it writes is read again as the same events.
 *
 * - The files have the name NAME.partial until `close` has synced them, so a file with its real name is whole.
 * - No file is overwritten.
 * - Equal events give equal bytes, however they are divided into calls.
 * - A reader takes rows of one local_timestamp as one message. So that messages stay apart, local_timestamp is the exchange time,
 *   but later than that of the message before.
 */
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import type { Level, LevelsEvent, MarketEvent, SnapshotEvent } from './events.ts';
import { BOOK, TRADES } from './formats/tardis.ts';

/** Higher levels cost time and save little. */
const GZIP_LEVEL = 6;
/** A snapshot of an empty book needs a row: a level that does not rest. */
const EMPTY: Level = ['1', '0'];

export interface TardisWriterOptions {
  /** Paths of the files, which must not exist. */
  readonly trades: string;
  readonly book: string;
  /** What the columns of the same name say in each row. */
  readonly exchange: string;
  readonly symbol: string;
}

/** Begins the two files of a market. Throws if one of them exists, or if a name would not fit into a cell. */
export async function writeTardis(options: TardisWriterOptions): Promise<TardisWriter> {
  for (const name of [options.exchange, options.symbol]) {
    if (!/^[^,"\s]+$/.test(name))
      throw new RangeError(`${JSON.stringify(name)} must be a word without commas and quotes`);
  }
  const trades = await File.create(options.trades, TRADES);
  try {
    return new TardisWriter(options, trades, await File.create(options.book, BOOK));
  } catch (error) {
    await trades.discard();
    throw error;
  }
}

export class TardisWriter {
  readonly #begin: string;
  readonly #trades: File;
  readonly #book: File;
  #tradesUs = 0;
  #bookUs = 0;
  #lastInBook: 'nothing' | 'snapshot' | 'levels' = 'nothing';

  constructor({ exchange, symbol }: TardisWriterOptions, trades: File, book: File) {
    this.#begin = `${exchange},${symbol}`;
    this.#trades = trades;
    this.#book = book;
  }

  /**
   * Adds events, in the order of time, and waits while the disk is behind. Gaps need no row: the snapshot after one shows it.
   * Throws a RangeError for what the form does not have: quotes, references, candles, levels before the first snapshot, and a
   * snapshot right after another, which would be read as its continuation.
   */
  async write(events: readonly MarketEvent[]): Promise<void> {
    let trades = '';
    let book = '';
    for (const event of events) {
      if (event.kind === 'trade') {
        const { atUs, id, side, price, size } = event;
        if (/[,"\s]/.test(id))
          throw new RangeError(`a trade has the id ${JSON.stringify(id)}, which fits into no cell`);
        this.#tradesUs = Math.max(this.#tradesUs, atUs);
        trades += `${this.#begin},${atUs},${this.#tradesUs},${id},${side},${price},${size}\n`;
      } else if (event.kind === 'snapshot' || event.kind === 'levels') book += this.#message(event);
      else if (event.kind !== 'gap') throw new RangeError(`trades and incremental_book_L2 have no ${event.kind}`);
    }
    await this.#trades.write(trades);
    await this.#book.write(book);
  }

  #message({ kind, atUs, bids, asks }: SnapshotEvent | LevelsEvent): string {
    if (kind === 'levels' && this.#lastInBook === 'nothing') throw new RangeError('a book begins with a snapshot');
    if (kind === 'snapshot' && this.#lastInBook === 'snapshot') {
      throw new RangeError('a snapshot follows another without a change between them: leave the first one out');
    }
    this.#lastInBook = kind;
    this.#bookUs = Math.max(this.#bookUs + 1, atUs);
    const begin = `${this.#begin},${atUs},${this.#bookUs},${kind === 'snapshot'}`;
    const rows = (side: 'bid' | 'ask', levels: readonly Level[]) =>
      levels.map(([price, size]) => `${begin},${side},${price},${size}\n`).join('');
    const empty = kind === 'snapshot' && bids.length + asks.length === 0;
    return rows('bid', empty ? [EMPTY] : bids) + rows('ask', asks);
  }

  /** Ends both files, syncs them and gives them their names. */
  async close(): Promise<void> {
    await this.#trades.close();
    await this.#book.close();
  }
}

/** A gzip file that gets its name when it is whole. */
class File {
  readonly #path: string;
  readonly #gzip: Gzip;
  readonly #written: Promise<void>;

  private constructor(path: string, gzip: Gzip, written: Promise<void>) {
    this.#path = path;
    this.#gzip = gzip;
    this.#written = written;
    // Reported by the next call that waits for the file.
    written.catch(() => {});
  }

  static async create(path: string, columns: readonly string[]): Promise<File> {
    if (existsSync(path)) throw new RangeError(`${path} exists: choose another name`);
    const gzip = createGzip({ level: GZIP_LEVEL });
    const output = createWriteStream(`${path}.partial`, { flags: 'wx', flush: true });
    await once(output, 'open');
    const file = new File(path, gzip, pipeline(gzip, output));
    await file.write(`${columns.join(',')}\n`);
    return file;
  }

  async write(text: string): Promise<void> {
    if (text === '' || this.#gzip.write(text)) return;
    await Promise.race([once(this.#gzip, 'drain'), this.#written]);
  }

  /** Ends the file and removes it. */
  async discard(): Promise<void> {
    this.#gzip.destroy();
    await this.#written.catch(() => {});
    await rm(`${this.#path}.partial`, { force: true });
  }

  async close(): Promise<void> {
    this.#gzip.end();
    await this.#written;
    await rename(`${this.#path}.partial`, this.#path);
    const folder = await open(dirname(this.#path));
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}
