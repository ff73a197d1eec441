/**
 * Candles of one minute, from trades. What a transaction has not taken yet is kept here, and so is the minute that trades
 * fall into now.
 *
 * When a state of before is put back, the candles since then are made again, from the fills that still count.
 */
import type { Market } from '../venue/market.ts';
import { onGrid, parseDecimal } from '../venue/quantity.ts';
import type { ArchiveStore } from './store.ts';
import { type Row, toObject } from './tables.ts';

const MINUTE_MS = 60_000;

interface Candle {
  readonly market: string;
  readonly startMs: number;
  readonly openTicks: number;
  highTicks: number;
  lowTicks: number;
  closeTicks: number;
  volumeLots: number;
  value: bigint;
  trades: number;
}

export class Candles {
  readonly #store: ArchiveStore;
  /** By market: the newest one. */
  #current = new Map<string, Candle>();
  #changed = new Set<Candle>();
  #removedFrom: number | undefined;

  constructor(store: ArchiveStore) {
    this.#store = store;
  }

  add(market: Market, timeMs: number, ticks: number, lots: number, value: bigint): void {
    const startMs = minuteOf(timeMs);
    let candle = this.#current.get(market.symbol);
    if (candle?.startMs !== startMs) {
      candle = this.#stored(market.symbol, startMs) ?? fresh(market.symbol, startMs, ticks);
      this.#current.set(market.symbol, candle);
    }
    candle.highTicks = Math.max(candle.highTicks, ticks);
    candle.lowTicks = Math.min(candle.lowTicks, ticks);
    candle.closeTicks = ticks;
    candle.volumeLots += lots;
    candle.value += value;
    candle.trades += 1;
    this.#changed.add(candle);
  }

  /** What the next transaction has to write, after it has removed all candles from `removedFrom` on. */
  get changed(): Row[] {
    return [...this.#changed].map((candle) => {
      const { market, startMs, openTicks, highTicks, lowTicks, closeTicks, volumeLots, value, trades } = candle;
      return [market, startMs, openTicks, highTicks, lowTicks, closeTicks, volumeLots, String(value), trades];
    });
  }

  get removedFrom(): number | undefined {
    return this.#removedFrom;
  }

  written(): void {
    this.#changed = new Set();
    this.#removedFrom = undefined;
  }

  /**
   * A state was put back that fills up to the number `lastN` led to. `pending`: fills that no transaction has taken yet;
   * `counts` says whether what a command did belongs to that state.
   */
  replaced(pending: readonly Row[], lastN: number, markets: readonly Market[], counts: (seq: number) => boolean): void {
    const from = lastN === 0 ? 0 : this.#earliestSince(pending, lastN);
    if (from === undefined) return;
    this.#removedFrom = Math.min(from, this.#removedFrom ?? from);
    this.#changed = new Set([...this.#changed].filter(({ startMs }) => startMs < from));
    this.#current = new Map();
    for (const fill of this.#countedSince(from, pending, lastN, counts)) {
      const market = markets.find(({ symbol }) => symbol === fill.market);
      if (market === undefined) continue;
      const ticks = unitsOf(fill.price, market.tick);
      const lots = unitsOf(fill.size, market.lot);
      this.add(market, fill.timeMs, ticks, lots, market.notional(ticks, lots));
    }
  }

  /** The minute of the earliest fill that was left. */
  #earliestSince(pending: readonly Row[], lastN: number): number | undefined {
    let earliest = Number.POSITIVE_INFINITY;
    const look = (row: Row): void => {
      const { n, timeMs } = fillOf(row);
      if (n > lastN) earliest = Math.min(earliest, timeMs);
    };
    for (const row of this.#store.rows('fills', 'n > ?', lastN)) look(row);
    pending.forEach(look);
    return earliest === Number.POSITIVE_INFINITY ? undefined : minuteOf(earliest);
  }

  /** Fills from a time on that still count, oldest first. */
  #countedSince(from: number, pending: readonly Row[], lastN: number, counts: (seq: number) => boolean): Fill[] {
    const found: Fill[] = [];
    /** False once a fill that counts is older. */
    const take = (row: Row): boolean => {
      const fill = fillOf(row);
      if (fill.n > lastN || !counts(fill.seq)) return true;
      if (fill.timeMs >= from) found.push(fill);
      return fill.timeMs >= from;
    };
    if (pending.toReversed().every(take)) {
      for (const row of this.#store.rows('fills', 'n <= ? ORDER BY n DESC', lastN)) if (!take(row)) break;
    }
    return found.reverse();
  }

  #stored(symbol: string, startMs: number): Candle | undefined {
    for (const candle of this.#changed) if (candle.market === symbol && candle.startMs === startMs) return candle;
    if (this.#removedFrom !== undefined && startMs >= this.#removedFrom) return undefined;
    const [row] = this.#store.rows('candles', 'market = ? AND startMs = ?', symbol, startMs);
    if (row === undefined) return undefined;
    const { valueUnits, ...candle } = toObject('candles', row);
    return { ...(candle as unknown as Candle), value: BigInt(valueUnits as string) };
  }
}

interface Fill {
  readonly n: number;
  readonly seq: number;
  readonly timeMs: number;
  readonly market: string;
  readonly price: string;
  readonly size: string;
}

function fillOf(row: Row): Fill {
  return toObject('fills', row) as unknown as Fill;
}

function fresh(market: string, startMs: number, ticks: number): Candle {
  const prices = { openTicks: ticks, highTicks: ticks, lowTicks: ticks, closeTicks: ticks };
  return { market, startMs, ...prices, volumeLots: 0, value: 0n, trades: 0 };
}

function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
}

function unitsOf(text: string, step: Market['tick']): number {
  const value = parseDecimal(text);
  const place = typeof value === 'string' ? value : onGrid(value, step);
  if (typeof place === 'string' || !('units' in place)) throw new RangeError(`${text} is not on the grid`);
  return place.units;
}
