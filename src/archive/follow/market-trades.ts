/**
 * Rows of markets that wait for a transaction: public trades, funding rates, terms, and the candles of the present
 * timeline.
 */
import type { EventOf } from '../../venue/contract/events.ts';
import { sideText } from '../../venue/contract/units.ts';
import type { Venue } from '../../venue/venue.ts';
import { levelStartMs } from '../store/candle-rows.ts';
import type { ArchiveState } from '../store/state.ts';
import type { ArchiveStore } from '../store/store.ts';
import { type Bounds, numberedRows } from '../store/stretches.ts';
import { type Row, toObject, type Value } from '../store/tables.ts';
import { includes, lastCommon, type Timeline } from '../store/timeline.ts';
import type { AccountRowsOptions } from './account-rows.ts';
import { Candles, type CandleTrade } from './candles.ts';
import { MarketRows } from './market-rows.ts';

export class MarketTrades {
  readonly #store: ArchiveStore;
  readonly #state: ArchiveState;
  readonly #replica: () => Venue;
  readonly #markets: MarketRows;
  readonly #candles: Candles;
  #trades: Row[] = [];
  #funding: Row[] = [];

  constructor({ store, state, replica }: AccountRowsOptions) {
    this.#store = store;
    this.#state = state;
    this.#replica = replica;
    this.#markets = new MarketRows(store);
    this.#candles = new Candles(store, this.#markets);
  }

  /** What waits for the transaction. */
  get rows() {
    const [markets, former, candles] = [this.#markets.changed, this.#markets.former, this.#candles.changed];
    return { market_trades: this.#trades, funding: this.#funding, markets, former_terms: former, candles };
  }

  /** The candles that the transaction removes. */
  get removed() {
    return this.#candles.removed;
  }

  written(): void {
    this.#trades = [];
    this.#funding = [];
    this.#markets.written();
    this.#candles.written();
  }

  listed(index: number): void {
    const { seq, markets } = this.#replica();
    const hadOtherTerms = this.#markets.list(markets[index].spec, seq, this.#state.lastN);
    if (hadOtherTerms) this.#state.former_terms += 1;
  }

  /** `n`: the number of the trade. */
  traded(n: number, { market, tradeId, priceTicks, sizeLots, takerSide }: EventOf<'traded'>): void {
    const { seq, timeMs, markets } = this.#replica();
    const { symbol } = markets[market];
    const place = [symbol, this.#markets.next('trades', symbol), n, seq, timeMs];
    this.#trades.push([...place, tradeId, priceTicks, sizeLots, sideText(takerSide)]);
    this.#state.market_trades += 1;
    this.#candles.add(symbol, { timeMs, priceTicks, sizeLots });
  }

  funded({ market, rateParts }: EventOf<'fundingSet'>): void {
    const { seq, timeMs, markets } = this.#replica();
    const { symbol } = markets[market];
    this.#funding.push([symbol, this.#markets.next('rates', symbol), seq, timeMs, rateParts]);
    this.#state.funding += 1;
  }

  /**
   * The state left a timeline and entered another one: candles change from the first trade on that counts in only one, and
   * markets have the terms of that state.
   */
  entered(left: Timeline, entered: Timeline): void {
    for (const { index } of this.#replica().markets) this.listed(index);
    for (const symbol of this.#markets.symbols) this.#replaceCandles(symbol, left, entered);
  }

  #replaceCandles(symbol: string, left: Timeline, entered: Timeline): void {
    const unwritten = this.#trades.filter(([market]) => market === symbol);
    const since = lastCommon(left, entered) + 1;
    const times = [left, entered].flatMap((timeline) => {
      const [first] = this.#tradesIn(timeline, symbol, unwritten, ['seq', since, Number.POSITIVE_INFINITY]);
      return first === undefined ? [] : [first.timeMs];
    });
    if (times.length === 0) return;
    // From the beginning of the minute: it may have trades that both have.
    const fromMs = levelStartMs(1, Math.min(...times));
    const counted = this.#tradesIn(entered, symbol, unwritten, ['timeMs', fromMs, Number.POSITIVE_INFINITY]);
    this.#candles.replaced(symbol, fromMs, counted);
  }

  /** The trades of a market in a timeline, oldest first, written or not. */
  *#tradesIn(timeline: Timeline, symbol: string, unwritten: readonly Row[], bounds: Bounds): Generator<CandleTrade> {
    const rows = this.#markets.writtenTrades(symbol);
    const query = { table: 'market_trades', key: [symbol], rows, bounds: [bounds], oldestFirst: true } as const;
    for (const row of numberedRows(this.#store, query, timeline)) yield candleTradeOf(toObject('market_trades', row));
    const [column, least] = bounds;
    for (const row of unwritten) {
      const trade = toObject('market_trades', row);
      if (includes(timeline, trade.seq as number) && (trade[column] as number) >= least) yield candleTradeOf(trade);
    }
  }
}

function candleTradeOf({ timeMs, priceTicks, sizeLots }: Record<string, Value>): CandleTrade {
  return { timeMs: timeMs as number, priceTicks: priceTicks as number, sizeLots: sizeLots as number };
}
