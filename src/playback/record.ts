/**
 * Writes what happened in a market of a venue as a recording: its trades and its book, in the form of Tardis, from the log. A
 * venue may be writing the log: what it has finished is read.
 *
 * Whatever happened can then be played again (player.ts). A recording that is played without users and recorded again is the
 * same file, byte for byte, if it is played whole (`--depth all`) and keeps its time (`--time keep`).
 */
import { join } from 'node:path';
import { LogReplayer } from '../engine/replay/log-replayer.ts';
import { type Progress, progressOf } from '../engine/replay/recovery.ts';
import { existingStorage } from '../log/open.ts';
import { decimalOf } from '../recorded/decimal.ts';
import type { Level, MarketEvent } from '../recorded/events.ts';
import { type TardisWriter, writeTardis } from '../recorded/tardis-writer.ts';
import type { BookLevel, Traded } from '../venue/contract/events.ts';
import { BUY, SELL, type Side } from '../venue/contract/units.ts';
import { Venue } from '../venue/venue.ts';
import type { MarketView } from '../venue/views.ts';

export interface RecordOptions {
  /** The folder for the two files. */
  readonly out: string;
  /** Folders that the beginning of the log was moved to. */
  readonly cold?: readonly string[];
  readonly onProgress?: (progress: Progress) => void;
}

export interface RecordedFiles {
  readonly trades: string;
  readonly book: string;
  /** Rows of trades, and messages of the book. */
  readonly counts: { readonly trades: number; readonly messages: number };
}

/** What a recording calls the venue. */
const EXCHANGE = 'bourse';
const ALL_LEVELS = Number.MAX_SAFE_INTEGER;

/** @throws {RangeError} there is no such market, or the log does not begin here @throws as the log does */
export async function recordMarket(folder: string, symbol: string, options: RecordOptions): Promise<RecordedFiles> {
  const storage = existingStorage(folder, options.cold);
  const moved = await storage.source.moved();
  if (moved !== undefined) {
    throw new RangeError(`the beginning of the log was moved to ${moved.where}: give that folder with --cold`);
  }
  const report = await progressOf(storage, undefined, options.onProgress);
  const tape = new Tape(symbol);
  const replayer = new LogReplayer(tape.venue, {
    apply: (venue, seq, timeMs, command) => tape.apply(venue, seq, timeMs, command),
  });
  let files: Omit<RecordedFiles, 'counts'> | undefined;
  let writer: TardisWriter | undefined;
  const write = async () => {
    const events = tape.take();
    if (events.length === 0) return;
    if (writer === undefined) {
      const day = new Date(events[0].atUs / 1000).toISOString().slice(0, 10);
      const path = (type: string) => join(options.out, `${EXCHANGE}_${type}_${day}_${symbol}.csv.gz`);
      files = { trades: path('trades'), book: path('incremental_book_L2') };
      writer = await writeTardis({ ...files, exchange: EXCHANGE, symbol });
    }
    await writer.write(events);
  };
  for await (const entry of storage.source.read()) {
    replayer.take(entry);
    report(entry);
    await write();
  }
  replayer.finish();
  await write();
  await writer?.close();
  if (files === undefined) throw new RangeError(`there was never a market ${symbol}`);
  return { ...files, counts: tape.counts };
}

/** What one market does, command by command. */
class Tape {
  readonly venue: Venue;
  readonly counts = { trades: 0, messages: 0 };
  readonly #symbol: string;
  #events: MarketEvent[] = [];
  #levels: readonly BookLevel[] = [];
  /** The book is to be written whole. */
  #isNew = false;

  constructor(symbol: string) {
    this.#symbol = symbol;
    this.venue = new Venue({
      traded: (trade) => {
        if (this.#isOurs(trade.market)) this.#traded(trade);
      },
      bookChanged: ({ market, levels }) => {
        if (this.#isOurs(market)) this.#levels = levels;
      },
      marketListed: ({ market }) => {
        // A market of the genesis is listed before the venue can be read.
        if (this.venue.genesis === null || this.#isOurs(market)) this.#isNew = true;
      },
      stateReplaced: () => {
        this.#isNew = true;
      },
    });
  }

  readonly apply = (venue: Venue, seq: number, timeMs: number, command: Parameters<Venue['apply']>[2]): void => {
    venue.applySilently(seq, timeMs, command);
    const market = this.#market;
    if (market !== undefined && (this.#isNew || this.#levels.length > 0)) this.#message(market);
    this.#isNew = false;
    this.#levels = [];
  };

  take(): MarketEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  get #market(): MarketView | undefined {
    return this.venue.marketBySymbol(this.#symbol);
  }

  #isOurs(market: number): boolean {
    return this.#market?.index === market;
  }

  #traded({ tradeId, takerSide, priceTicks, sizeLots }: Traded): void {
    const market = this.#market as MarketView;
    this.counts.trades += 1;
    this.#events.push({
      kind: 'trade',
      atUs: this.venue.timeMs * 1000,
      id: String(tradeId),
      side: takerSide === BUY ? 'buy' : 'sell',
      price: plain(market.priceText(priceTicks)),
      size: plain(market.sizeText(sizeLots)),
    });
  }

  #message(market: MarketView): void {
    const level = ({ priceTicks, sizeLots }: Omit<BookLevel, 'side'>): Level => [
      plain(market.priceText(priceTicks)),
      plain(market.sizeText(sizeLots)),
    ];
    const changed = (side: Side, order: 1 | -1) =>
      this.#levels
        .filter((each) => each.side === side)
        .sort((a, b) => order * (a.priceTicks - b.priceTicks))
        .map(level);
    const whole = (side: Side) => market.depth(side, ALL_LEVELS).map(level);
    this.counts.messages += 1;
    this.#events.push({
      kind: this.#isNew ? 'snapshot' : 'levels',
      atUs: this.venue.timeMs * 1000,
      bids: this.#isNew ? whole(BUY) : changed(BUY, -1),
      asks: this.#isNew ? whole(SELL) : changed(SELL, 1),
    });
  }
}

/** Without zeros at the end, so that the same value has the same text in markets of different steps. */
function plain(text: string): string {
  return decimalOf(text) as string;
}
