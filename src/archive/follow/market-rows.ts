/** The rows of `markets`: terms, and the numbers that prove that no trade, funding rate or candle is missing. */
import type { MarketSpec } from '../../venue/contract/market-spec.ts';
import { NO_CANDLE } from '../store/candle-rows.ts';
import { ArchiveDamaged } from '../store/errors.ts';
import type { ArchiveStore } from '../store/store.ts';
import { columnsOf, type Row, toObject, type Value } from '../store/tables.ts';

interface MarketRow {
  terms: Record<string, Value>;
  trades: number;
  rates: number;
  /** Start of the newest minute with trades, or NO_CANDLE. */
  candleMs: number;
  /** The number of trades that are written. */
  writtenTrades: number;
}

export class MarketRows {
  readonly #rows = new Map<string, MarketRow>();
  readonly #changed = new Set<string>();

  constructor(store: ArchiveStore) {
    for (const row of store.rows('markets')) {
      const { trades, rates, candleMs, ...terms } = toObject('markets', row);
      const numbers = { trades: trades as number, rates: rates as number, candleMs: candleMs as number };
      this.#rows.set(terms.symbol as string, { terms, ...numbers, writtenTrades: numbers.trades });
    }
  }

  get symbols(): readonly string[] {
    return [...this.#rows.keys()];
  }

  /** Listed, or listed again after a reset: what was traded under that symbol stays. */
  list({ symbol, kind, base, quote, tick, step, contractSize }: MarketSpec): void {
    const terms = { symbol, kind, base, quote, tick, step, contractSize };
    const known = this.#rows.get(symbol);
    if (known !== undefined) known.terms = terms;
    else this.#rows.set(symbol, { terms, trades: 0, rates: 0, candleMs: NO_CANDLE, writtenTrades: 0 });
    this.#changed.add(symbol);
  }

  /** The number of the next trade or rate. */
  next(what: 'trades' | 'rates', symbol: string): number {
    const row = this.#changing(symbol);
    row[what] += 1;
    return row[what];
  }

  candleMs(symbol: string): number {
    return this.#known(symbol).candleMs;
  }

  setCandle(symbol: string, startMs: number): void {
    this.#changing(symbol).candleMs = startMs;
  }

  writtenTrades(symbol: string): number {
    return this.#known(symbol).writtenTrades;
  }

  /** The rows of markets that have changed since `written`. */
  get changed(): Row[] {
    return [...this.#changed].map((symbol) => {
      const { terms, trades, rates, candleMs } = this.#known(symbol);
      const row: Record<string, Value> = { ...terms, trades, rates, candleMs };
      return columnsOf('markets').map((name) => row[name]);
    });
  }

  written(): void {
    for (const symbol of this.#changed) {
      const row = this.#known(symbol);
      row.writtenTrades = row.trades;
    }
    this.#changed.clear();
  }

  #changing(symbol: string): MarketRow {
    this.#changed.add(symbol);
    return this.#known(symbol);
  }

  #known(symbol: string): MarketRow {
    const row = this.#rows.get(symbol);
    if (row === undefined) throw new ArchiveDamaged(`the market ${symbol} is missing`);
    return row;
  }
}
