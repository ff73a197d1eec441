/**
 * The candles of minutes, hours and days, from trades. Those that no transaction has written yet are kept here, and so
 * are the newest ones of each market.
 *
 * When an earlier state is restored, the candles since then are rebuilt from the trades that count now.
 *
 * Invariant: no lost candle of the archive goes unnoticed. Each names the one before it in its market and level, and a
 * market's row names its newest minute.
 */
import { addLots, merged } from '../../market-data/candles.ts';
import { CANDLE_LEVELS, type CandleLevel } from '../../market-data/history.ts';
import { levelStartMs, NO_CANDLE } from '../store/candle-rows.ts';
import type { ArchiveStore, RemovedRows } from '../store/store.ts';
import { columnsOf, type Row, toObject, type Value } from '../store/tables.ts';
import type { MarketRows } from './market-rows.ts';

interface Candle {
  readonly market: string;
  readonly minutes: CandleLevel;
  readonly startMs: number;
  readonly openTicks: number;
  highTicks: number;
  lowTicks: number;
  closeTicks: number;
  volumeLots: number;
  cost: bigint;
  trades: number;
  readonly before: number;
}

/** A trade as candles need it. */
export interface CandleTrade {
  readonly timeMs: number;
  readonly priceTicks: number;
  readonly sizeLots: number;
}

export class Candles {
  readonly #store: ArchiveStore;
  readonly #markets: MarketRows;
  /** The newest candle of each level, by symbol. Empty: the market has none. */
  readonly #newest = new Map<string, Candle[]>();
  #changed = new Set<Candle>();
  /** By market and level: from which time on they are removed. */
  #removed = new Map<string, RemovedRows & { readonly from: number }>();

  constructor(store: ArchiveStore, markets: MarketRows) {
    this.#store = store;
    this.#markets = markets;
  }

  add(market: string, { timeMs, priceTicks, sizeLots }: CandleTrade): void {
    const newest = this.#newestOf(market);
    const cost = BigInt(priceTicks) * BigInt(sizeLots);
    CANDLE_LEVELS.forEach((minutes, i) => {
      const startMs = levelStartMs(minutes, timeMs);
      let candle = newest[i];
      if (candle?.startMs !== startMs) {
        candle = fresh(market, minutes, startMs, priceTicks, candle?.startMs ?? NO_CANDLE);
        newest[i] = candle;
      }
      candle.highTicks = Math.max(candle.highTicks, priceTicks);
      candle.lowTicks = Math.min(candle.lowTicks, priceTicks);
      candle.closeTicks = priceTicks;
      candle.volumeLots = addLots(candle.volumeLots, sizeLots);
      candle.cost += cost;
      candle.trades += 1;
      this.#changed.add(candle);
    });
    this.#markets.setCandle(market, newest[0].startMs);
  }

  /** The candles for the next transaction, after it has removed the `removed` ones. */
  get changed(): Row[] {
    return [...this.#changed].map((candle) => {
      const row: Record<string, Value> = { ...candle, cost: String(candle.cost) };
      return columnsOf('candles').map((name) => row[name]);
    });
  }

  get removed(): readonly RemovedRows[] {
    return [...this.#removed.values()];
  }

  written(): void {
    this.#changed = new Set();
    this.#removed = new Map();
  }

  /** Another state was restored: the market's trades from a time on are other ones now, given oldest first. */
  replaced(market: string, fromMs: number, trades: Iterable<CandleTrade>): void {
    const kept = this.#keptBefore(market, levelStartMs(1, fromMs));
    for (const candle of this.#changed) {
      if (candle.market === market && candle.startMs >= levelStartMs(candle.minutes, fromMs)) {
        this.#changed.delete(candle);
      }
    }
    for (const minutes of CANDLE_LEVELS) {
      const before = this.#removed.get(`${market} ${minutes}`)?.from ?? Number.POSITIVE_INFINITY;
      const from = Math.min(before, levelStartMs(minutes, fromMs));
      this.#removed.set(`${market} ${minutes}`, { table: 'candles', key: [market, minutes], from });
    }
    // The hour and the day that begin before that time stay, with what was traded before it.
    for (const candle of kept) if (candle.startMs >= levelStartMs(candle.minutes, fromMs)) this.#changed.add(candle);
    this.#newest.set(market, kept);
    this.#markets.setCandle(market, kept[0]?.startMs ?? NO_CANDLE);
    for (const trade of trades) this.add(market, trade);
  }

  /** The newest candle of each level without what was traded from a minute on. */
  #keptBefore(market: string, fromMs: number): Candle[] {
    const newest = this.#newestOf(market);
    const unwritten = new Map([...this.#changed].map((candle) => [keyOf(candle), candle]));
    const read = (minutes: CandleLevel, startMs: number): Candle | undefined => {
      if (startMs === NO_CANDLE) return undefined;
      return unwritten.get(keyOf({ market, minutes, startMs })) ?? this.#stored(market, minutes, startMs);
    };
    const kept: Candle[] = [];
    /** Candles of the level below, and the one that is left of it: the parts of the candle that is cut. */
    let parts: Candle[] = [];
    for (const [i, minutes] of CANDLE_LEVELS.entries()) {
      const cutMs = levelStartMs(minutes, fromMs);
      let candle: Candle | undefined = newest[i];
      while (candle !== undefined && candle.startMs >= cutMs) candle = read(minutes, candle.before);
      const cut = mergedOf(minutes, cutMs, parts, candle?.startMs ?? NO_CANDLE);
      const last = cut ?? candle;
      if (last === undefined) return [];
      kept.push(last);
      const nextMs = levelStartMs(CANDLE_LEVELS[i + 1] ?? minutes, fromMs);
      parts = cut === undefined ? [] : [cut];
      for (; candle !== undefined && candle.startMs >= nextMs; candle = read(minutes, candle.before)) {
        parts.unshift(candle);
      }
    }
    return kept;
  }

  #newestOf(market: string): Candle[] {
    let newest = this.#newest.get(market);
    if (newest === undefined) {
      const candleMs = this.#markets.candleMs(market);
      const read = (minutes: CandleLevel) => this.#stored(market, minutes, levelStartMs(minutes, candleMs));
      newest = candleMs === NO_CANDLE ? [] : CANDLE_LEVELS.map(read);
      this.#newest.set(market, newest);
    }
    return newest;
  }

  /** @throws {ArchiveDamaged} */
  #stored(market: string, minutes: CandleLevel, startMs: number): Candle {
    const { cost, ...candle } = toObject('candles', this.#store.known('candles', market, minutes, startMs));
    return { ...(candle as unknown as Candle), cost: BigInt(cost as string) };
  }
}

function keyOf({ market, minutes, startMs }: Pick<Candle, 'market' | 'minutes' | 'startMs'>): string {
  return `${market} ${minutes} ${startMs}`;
}

function fresh(market: string, minutes: CandleLevel, startMs: number, ticks: number, before: number): Candle {
  const prices = { openTicks: ticks, highTicks: ticks, lowTicks: ticks, closeTicks: ticks };
  return { market, minutes, startMs, ...prices, volumeLots: 0, cost: 0n, trades: 0, before };
}

/** Consecutive candles of the level below as one. Undefined: there are none. */
function mergedOf(minutes: CandleLevel, startMs: number, parts: readonly Candle[], before: number): Candle | undefined {
  const [first, ...others] = parts;
  if (first === undefined) return undefined;
  const trades = parts.reduce((sum, part) => sum + part.trades, 0);
  return { ...merged(startMs, [first, ...others]), market: first.market, minutes, before, trades };
}
