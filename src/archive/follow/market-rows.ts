/** The rows of `markets`: terms, and the numbers that prove that no trade, funding rate, candle or former terms are missing. */
import type { MarketSpec } from '../../venue/contract/market-spec.ts';
import { NO_CANDLE } from '../store/candle-rows.ts';
import { ArchiveDamaged } from '../store/errors.ts';
import type { ArchiveStore } from '../store/store.ts';
import { columnsOf, type Row, toObject, type Value } from '../store/tables.ts';

interface MarketRow {
  terms: Terms;
  trades: number;
  rates: number;
  /** Start of the newest minute with trades, or NO_CANDLE. */
  candleMs: number;
  formerTerms: number;
  /** The number of trades that are written. */
  writtenTrades: number;
}

/** What the archive keeps of a market's terms. None of them can be changed while the market is listed. */
type Terms = Readonly<Record<string, Value>>;

export class MarketRows {
  readonly #rows = new Map<string, MarketRow>();
  readonly #changed = new Set<string>();
  /** Rows of `former_terms` that wait. */
  #former: Row[] = [];

  constructor(store: ArchiveStore) {
    for (const row of store.rows('markets')) {
      const { trades, rates, candleMs, formerTerms, ...terms } = toObject('markets', row);
      const numbers = { trades, rates, candleMs, formerTerms } as Record<string, number>;
      const { trades: writtenTrades } = numbers;
      this.#rows.set(terms.symbol as string, { terms, ...numbers, writtenTrades } as MarketRow);
    }
  }

  get symbols(): readonly string[] {
    return [...this.#rows.keys()];
  }

  /**
   * A market that was listed, or that the state has which was entered. What was traded under its symbol stays. `seq`: of the
   * present command. `lastN`: the number of the last fill or movement. True: the symbol had other terms before, which are kept.
   */
  list({ symbol, kind, base, quote, tick, step, contractSize }: MarketSpec, seq: number, lastN: number): boolean {
    const terms: Terms = { symbol, kind, base, quote, tick, step, contractSize };
    const known = this.#rows.get(symbol);
    if (known === undefined) {
      const numbers = { trades: 0, rates: 0, candleMs: NO_CANDLE, formerTerms: 0, writtenTrades: 0 };
      this.#rows.set(symbol, { terms, ...numbers });
      this.#changed.add(symbol);
      return false;
    }
    if (Object.entries(terms).every(([name, value]) => value === known.terms[name])) return false;
    known.formerTerms += 1;
    const former: Terms = { ...known.terms, market: symbol, number: known.formerTerms, seq, n: lastN };
    this.#former.push(columnsOf('former_terms').map((name) => former[name]));
    known.terms = terms;
    this.#changed.add(symbol);
    return true;
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
      const { terms, trades, rates, candleMs, formerTerms } = this.#known(symbol);
      const row: Record<string, Value> = { ...terms, trades, rates, candleMs, formerTerms };
      return columnsOf('markets').map((name) => row[name]);
    });
  }

  /** The terms that symbols have lost since `written`. */
  get former(): readonly Row[] {
    return this.#former;
  }

  written(): void {
    for (const symbol of this.#changed) {
      const row = this.#known(symbol);
      row.writtenTrades = row.trades;
    }
    this.#changed.clear();
    this.#former = [];
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
