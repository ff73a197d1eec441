/** Made-up recordings in the form of Tardis: a walk of prices with a book around it, from a seed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Level, MarketEvent } from '../../src/recorded/events.ts';
import { writeTardis } from '../../src/recorded/tardis-writer.ts';

const START_US = Date.UTC(2026, 2, 1) * 1000;
const LEVELS = 30;

export interface MadeUp {
  readonly seconds: number;
  readonly seed: number;
  /** Whole units of price between two levels, as text with one decimal. */
  readonly symbol?: string;
  /** Seconds within which nothing is recorded, and after which the book begins anew. */
  readonly gap?: readonly [from: number, to: number];
}

/** Trades and books of a market around 100.0, ten messages a second; prices in tenths, sizes in thousandths. */
export function madeUpEvents({ seconds, seed, gap }: MadeUp): MarketEvent[] {
  const roll = dice(seed);
  const bids = new Map<number, number>();
  const asks = new Map<number, number>();
  const events: MarketEvent[] = [];
  let middle = 1000;
  let isNew = true;
  let id = 0;
  for (let i = 0; i < seconds * 10; i += 1) {
    const second = i / 10;
    const atUs = START_US + i * 100_000;
    if (gap !== undefined && second >= gap[0] && second < gap[1]) {
      isNew = true;
      continue;
    }
    middle += roll(3) - 1;
    const before = isNew ? new Map<string, number>() : sizesOf(bids, asks);
    if (isNew) {
      bids.clear();
      asks.clear();
    }
    refill(bids, -1, middle, roll);
    refill(asks, 1, middle, roll);
    for (let n = roll(4); n > 0; n -= 1) {
      const side = roll(2) === 0 ? 'buy' : 'sell';
      const price = side === 'buy' ? middle + 1 + roll(2) : middle - 1 - roll(2);
      id += 1;
      if (!isNew) {
        events.push({
          kind: 'trade',
          atUs: atUs - 50_000 + n * 1000,
          id: String(id),
          side,
          price: tenths(price),
          size: thousandths(1 + roll(900)),
        });
      }
    }
    const changed = changes(before, sizesOf(bids, asks));
    if (isNew) events.push({ kind: 'snapshot', atUs, bids: levelsOf(bids), asks: levelsOf(asks) });
    else events.push({ kind: 'levels', atUs, ...changed });
    isNew = false;
  }
  return events.sort((a, b) => a.atUs - b.atUs);
}

/** Writes both files into a folder. Returns their paths, trades first. */
export async function writeMadeUp(folder: string, options: MadeUp): Promise<string[]> {
  const { symbol = 'BTCUSDT' } = options;
  const [trades, book] = ['trades', 'incremental_book_L2'].map((type) =>
    join(folder, `made-up_${type}_2026-03-01_${symbol}.csv.gz`),
  );
  const writer = await writeTardis({ trades, book, exchange: 'made-up', symbol });
  await writer.write(madeUpEvents(options));
  await writer.close();
  return [trades, book];
}

/** Index, mark and funding of a perpetual, once a second. */
export function writeMadeUpTicker(
  folder: string,
  { seconds, symbol = 'BTCUSDT' }: MadeUp,
  markOf: (second: number) => number,
): string {
  const path = join(folder, `made-up_derivative_ticker_2026-03-01_${symbol}.csv.gz`);
  const columns =
    'exchange,symbol,timestamp,local_timestamp,funding_timestamp,funding_rate,predicted_funding_rate,open_interest,last_price,index_price,mark_price';
  const rows = Array.from({ length: seconds }, (_, second) => {
    const us = START_US + second * 1_000_000;
    return `made-up,${symbol},${us},${us},,0.0001,,,,100.0,${markOf(second).toFixed(1)}`;
  });
  writeFileSync(path, gzipSync(`${[columns, ...rows].join('\n')}\n`));
  return path;
}

function refill(levels: Map<number, number>, sign: number, middle: number, roll: (sides: number) => number): void {
  for (const price of levels.keys()) if ((price - middle) * sign < 1) levels.delete(price);
  for (let n = 1; n <= LEVELS; n += 1) {
    const price = middle + sign * n;
    if (!levels.has(price) || roll(4) === 0) levels.set(price, 100 + roll(5000));
  }
  for (const price of levels.keys()) if (Math.abs(price - middle) > LEVELS) levels.delete(price);
}

function sizesOf(bids: ReadonlyMap<number, number>, asks: ReadonlyMap<number, number>): Map<string, number> {
  return new Map([
    ...[...bids].map(([price, size]) => [`b${price}`, size] as const),
    ...[...asks].map(([price, size]) => [`a${price}`, size] as const),
  ]);
}

function changes(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): { bids: Level[]; asks: Level[] } {
  const found: { bids: Level[]; asks: Level[] } = { bids: [], asks: [] };
  const add = (key: string, size: number) => {
    (key.startsWith('b') ? found.bids : found.asks).push([tenths(Number(key.slice(1))), thousandths(size)]);
  };
  for (const key of before.keys()) if (!after.has(key)) add(key, 0);
  for (const [key, size] of after) if (before.get(key) !== size) add(key, size);
  return found;
}

function levelsOf(levels: ReadonlyMap<number, number>): Level[] {
  return [...levels].map(([price, size]): Level => [tenths(price), thousandths(size)]);
}

const tenths = (value: number) => plain(value, 1);
const thousandths = (value: number) => plain(value, 3);

function plain(value: number, places: number): string {
  return (value / 10 ** places).toFixed(places).replace(/\.?0+$/, '');
}

function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * sides);
  };
}
