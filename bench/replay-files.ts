/**
 * Made-up recordings for replay.ts, in the form of Tardis: a book as dense as that of a busy perpetual, and trades alone. Rows are
 * written as text, piece by piece, so a file of millions of rows needs no memory.
 */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

const AT_US = Date.UTC(2026, 2, 1) * 1000;
/** Levels a side, one a tick. */
const LEVELS = 1200;
const PIECE = 500;

export interface BookSize {
  readonly seconds: number;
  /** Of the book, in a second. */
  readonly messages: number;
  readonly rowsAMessage: number;
  /** In a second. */
  readonly trades: number;
}

/** As BTCUSDT perpetual of Binance in six minutes of a busy night: 445,262 rows, 6,547 messages and 21,308 trades in 345 s. */
export const BUSY: BookSize = { seconds: 345, messages: 19, rowsAMessage: 68, trades: 62 };

/** Writes trades and book. Returns the paths. */
export async function writeBook(folder: string, size: BookSize): Promise<string[]> {
  const [trades, book] = ['trades', 'incremental_book_L2'].map((type) =>
    join(folder, `busy_${type}_2026-03-01_BTCUSDT.csv.gz`),
  );
  const walk = new Walk();
  const tradeRows: string[] = [];
  await write(book, 'is_snapshot,side,price,amount', function* () {
    let id = 0;
    yield* walk.snapshot();
    for (let message = 1; message < size.seconds * size.messages; message += 1) {
      const atUs = AT_US + Math.floor((message * 1e6) / size.messages);
      for (
        let n = Math.floor(id * (size.messages / size.trades));
        n < message;
        n = Math.floor(id * (size.messages / size.trades))
      ) {
        id += 1;
        tradeRows.push(walk.trade(atUs - 1000 + (id % 900), id));
      }
      yield* walk.message(atUs, size.rowsAMessage);
    }
  });
  await write(trades, 'id,side,price,amount', () => tradeRows);
  return [trades, book];
}

/** Writes so many trades, a hundred in a second. Returns the path. */
export async function writeTrades(folder: string, count: number): Promise<string> {
  const path = join(folder, 'many_trades_2026-03-01_BTCUSDT.csv.gz');
  const walk = new Walk();
  await write(path, 'id,side,price,amount', function* () {
    for (let id = 1; id <= count; id += 1) {
      if (id % 10 === 0) walk.move();
      yield walk.trade(AT_US + id * 10_000, id);
    }
  });
  return path;
}

/** A price that wanders, and sizes around it. Prices in tenths, sizes in thousandths. */
class Walk {
  #state = 1;
  #middle = 600_000;

  #roll(sides: number): number {
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) >>> 0;
    return (this.#state >>> 8) % sides;
  }

  move(): void {
    this.#middle += this.#roll(3) - 1;
  }

  *snapshot(): Generator<string> {
    for (let n = 1; n <= LEVELS; n += 1) {
      for (const sign of [-1, 1]) yield this.#level(AT_US, true, sign, this.#middle + sign * n, 1 + this.#roll(9000));
    }
  }

  /** More than half of the rows are near the middle. Every fifth message moves it, and what it passes is gone. */
  *message(atUs: number, rows: number): Generator<string> {
    const before = this.#middle;
    if (this.#roll(5) === 0) this.move();
    let left = rows;
    if (this.#middle !== before) {
      const sign = this.#middle > before ? 1 : -1;
      yield this.#level(atUs, false, sign, this.#middle, 0);
      yield this.#level(atUs, false, -sign, before, 1 + this.#roll(9000));
      left -= 2;
    }
    for (; left > 0; left -= 1) {
      const sign = this.#roll(2) === 0 ? -1 : 1;
      const away = this.#roll(10) < 6 ? 1 + this.#roll(60) : 61 + this.#roll(LEVELS - 61);
      const lots = away > 1 && this.#roll(4) === 0 ? 0 : 1 + this.#roll(9000);
      yield this.#level(atUs, false, sign, this.#middle + sign * away, lots);
    }
  }

  trade(atUs: number, id: number): string {
    const buys = this.#roll(2) === 0;
    const price = this.#middle + (buys ? 1 : -1);
    return `${row(atUs)},${id},${buys ? 'buy' : 'sell'},${price / 10},${(1 + this.#roll(900)) / 1000}`;
  }

  #level(atUs: number, isSnapshot: boolean, sign: number, price: number, lots: number): string {
    return `${row(atUs)},${isSnapshot},${sign < 0 ? 'bid' : 'ask'},${price / 10},${lots / 1000}`;
  }
}

function row(atUs: number): string {
  return `busy,BTCUSDT,${atUs},${atUs + 652}`;
}

async function write(path: string, columns: string, rows: () => Iterable<string>): Promise<void> {
  await pipeline(
    function* () {
      yield `exchange,symbol,timestamp,local_timestamp,${columns}\n`;
      let piece: string[] = [];
      for (const row of rows()) {
        piece.push(row);
        if (piece.length < PIECE) continue;
        yield `${piece.join('\n')}\n`;
        piece = [];
      }
      if (piece.length > 0) yield `${piece.join('\n')}\n`;
    },
    createGzip({ level: 1 }),
    createWriteStream(path),
  );
}
