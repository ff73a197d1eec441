/**
 * One-minute candles, from trades. Candles that no transaction has written yet are kept here, and so is the present
 * minute.
 *
 * When an earlier state is restored, the candles since then are rebuilt from the fills that still count.
 *
 * Invariant: no lost fill or candle of the archive goes unnoticed. Fills and movements share one numbering without
 * gaps, and a minute without a candle has no fill.
 */

import { onGrid, parseDecimal } from '../../venue/contract/decimal.ts';
import type { MarketView } from '../../venue/views.ts';
import { ArchiveDamaged } from '../store/errors.ts';
import type { ArchiveStore } from '../store/store.ts';
import { type Row, toObject } from '../store/tables.ts';

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
  /** True if the effects of a command belong to the present state. */
  readonly #counts: (seq: number) => boolean;
  /** Fills up to this number are older than what is kept here. */
  #olderN: number;
  /** The first minute without any of them, once it is known. */
  #newFromMs: number | undefined;
  /** The newest candle of each market. */
  #current = new Map<string, Candle>();
  #changed = new Set<Candle>();
  #removedFrom: number | undefined;

  constructor(store: ArchiveStore, counts: (seq: number) => boolean) {
    this.#store = store;
    this.#counts = counts;
    this.#olderN = store.state.lastN;
  }

  add(market: MarketView, timeMs: number, ticks: number, lots: number, value: bigint): void {
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

  /** The candles for the next transaction, after it has removed all candles from `removedFrom` on. */
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
   * A state was restored that includes fills up to the number `lastN`. `pending`: fills that no transaction has written
   * yet.
   */
  replaced(pending: readonly Row[], lastN: number, markets: readonly MarketView[]): void {
    this.#olderN = Math.min(lastN, this.#store.state.lastN);
    this.#newFromMs = undefined;
    const from = lastN === 0 ? 0 : this.#earliestSince(pending, lastN);
    if (from === undefined) return;
    this.#removedFrom = Math.min(from, this.#removedFrom ?? from);
    this.#changed = new Set([...this.#changed].filter(({ startMs }) => startMs < from));
    this.#current = new Map();
    for (const fill of this.#countedSince(from, pending, lastN)) {
      const market = markets.find(({ symbol }) => symbol === fill.market);
      if (market === undefined) continue;
      const ticks = unitsOf(fill.price, market.tick);
      const lots = unitsOf(fill.size, market.lot);
      this.add(market, fill.timeMs, ticks, lots, market.notional(ticks, lots));
    }
  }

  /** The minute of the earliest fill that no longer counts. */
  #earliestSince(pending: readonly Row[], lastN: number): number | undefined {
    let earliest = Number.POSITIVE_INFINITY;
    const look = (row: Row): void => {
      const { n, timeMs } = storedFillOf(row);
      if (n > lastN) earliest = Math.min(earliest, timeMs);
    };
    for (const row of fillsBack(this.#store, this.#store.state.lastN, lastN)) look(row);
    pending.forEach(look);
    return earliest === Number.POSITIVE_INFINITY ? undefined : minuteOf(earliest);
  }

  /** Fills from a time on that still count, oldest first. */
  #countedSince(from: number, pending: readonly Row[], lastN: number): StoredFill[] {
    const found: StoredFill[] = [];
    /** False once a fill that counts is older. */
    const take = (row: Row): boolean => {
      const fill = storedFillOf(row);
      if (fill.n > lastN || !this.#counts(fill.seq)) return true;
      if (fill.timeMs >= from) found.push(fill);
      return fill.timeMs >= from;
    };
    if (pending.toReversed().every(take)) {
      for (const row of fillsBack(this.#store, this.#olderN)) if (!take(row)) break;
    }
    return found.reverse();
  }

  #stored(symbol: string, startMs: number): Candle | undefined {
    for (const candle of this.#changed) if (candle.market === symbol && candle.startMs === startMs) return candle;
    if (this.#removedFrom !== undefined && startMs >= this.#removedFrom) return undefined;
    const row = this.#store.row('candles', symbol, startMs);
    if (row === undefined) {
      this.#assertNew(symbol, startMs);
      return undefined;
    }
    const { valueUnits, ...candle } = toObject('candles', row);
    return { ...(candle as unknown as Candle), value: BigInt(valueUnits as string) };
  }

  /** Reads the fills of one minute, once per market after a start. @throws {ArchiveDamaged} */
  #assertNew(symbol: string, startMs: number): void {
    this.#newFromMs ??= this.#firstNewMs();
    if (startMs >= this.#newFromMs) return;
    for (const row of fillsBack(this.#store, this.#olderN)) {
      const { seq, timeMs, market } = storedFillOf(row);
      if (!this.#counts(seq)) continue;
      if (timeMs < startMs) return;
      if (market === symbol) throw new ArchiveDamaged(`the candle of ${symbol} at ${startMs} is missing`);
    }
  }

  #firstNewMs(): number {
    for (const row of fillsBack(this.#store, this.#olderN)) {
      const { seq, timeMs } = storedFillOf(row);
      if (this.#counts(seq)) return minuteOf(timeMs) + MINUTE_MS;
    }
    return 0;
  }
}

/** Fills backwards from a number, down to the one after `behind`. @throws {ArchiveDamaged} */
function* fillsBack(store: ArchiveStore, from: number, behind = 0): Generator<Row> {
  for (let n = from; n > behind; n -= 1) {
    const row = store.row('fills', n);
    if (row !== undefined) yield row;
    else store.known('movements', n);
  }
}

interface StoredFill {
  readonly n: number;
  readonly seq: number;
  readonly timeMs: number;
  readonly market: string;
  readonly price: string;
  readonly size: string;
}

function storedFillOf(row: Row): StoredFill {
  return toObject('fills', row) as unknown as StoredFill;
}

function fresh(market: string, startMs: number, ticks: number): Candle {
  const prices = { openTicks: ticks, highTicks: ticks, lowTicks: ticks, closeTicks: ticks };
  return { market, startMs, ...prices, volumeLots: 0, value: 0n, trades: 0 };
}

function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
}

function unitsOf(text: string, step: MarketView['tick']): number {
  const value = parseDecimal(text);
  const place = typeof value === 'string' ? value : onGrid(value, step);
  if (typeof place === 'string' || !('units' in place)) throw new RangeError(`${text} is not on the grid`);
  return place.units;
}
