/** The newest market data of one market: its last trades, its last 1,500 minutes, its last funding rates. */

import { MINUTE_MS } from '../config/times.ts';
import type { Side } from '../venue/contract/units.ts';
import { type Candle, type CandleRange, coarser, withoutGaps } from './candles.ts';
import type { FundingRate, RatesQuery, Recent, TradesQuery } from './history.ts';
import { MinuteRing, RING_MINUTES, type Summary } from './minute-ring.ts';
import { candleNumber, candleStartMs } from './resolution.ts';
import { type PublicTrade, RING_TRADES, TradeRing } from './trade-ring.ts';

export const MOST_RATES = 1000;

/** The first minute that the memory of a market covers. */
export function memoryFromMs(nowMs: number): number {
  return (candleNumber(1, nowMs) - RING_MINUTES + 1) * MINUTE_MS;
}

export class MarketMemory {
  readonly #trades = new TradeRing();
  readonly #minutes = new MinuteRing();
  /** Oldest first. */
  readonly #rates: FundingRate[] = [];

  /** Begins with what the archive has, or with a market that has no past. */
  constructor(past?: Recent) {
    if (past === undefined) return;
    for (const { tradeId, timeMs, priceTicks, sizeLots, takerSide } of past.trades.toReversed()) {
      this.#trades.add(tradeId, timeMs, priceTicks, sizeLots, takerSide);
    }
    if (past.before !== null) this.#minutes.beginAfter(past.before.startMs, past.before.closeTicks);
    for (const candle of past.candles) this.#minutes.put(candle);
    this.#rates.push(...past.rates.toReversed());
  }

  traded(tradeId: number, timeMs: number, priceTicks: number, sizeLots: number, takerSide: Side): void {
    this.#trades.add(tradeId, timeMs, priceTicks, sizeLots, takerSide);
    this.#minutes.add(timeMs, priceTicks, sizeLots);
  }

  funded(rate: FundingRate): void {
    if (this.#rates.length === MOST_RATES) this.#rates.shift();
    this.#rates.push(rate);
  }

  /** The trades of a query, as the archive orders them. Null: the memory may lack some of them. */
  trades(query: TradesQuery): PublicTrade[] | null {
    const { fromMs, toMs, fromId, toId, limit, oldestFirst } = query;
    const found: PublicTrade[] = [];
    /** True: every trade that the memory lacks is outside the query. */
    let reachesBack = this.#trades.size < RING_TRADES;
    for (let back = 0; back < this.#trades.size; back += 1) {
      const trade = this.#trades.fromNewest(back);
      if (trade.timeMs < fromMs || trade.tradeId <= fromId) reachesBack = true;
      if (trade.timeMs < fromMs || trade.tradeId < fromId) break;
      if (trade.timeMs > toMs || trade.tradeId > toId) continue;
      found.push(trade);
      if (found.length === limit && !oldestFirst) return found;
    }
    if (!reachesBack) return null;
    return oldestFirst ? found.reverse().slice(0, limit) : found;
  }

  /** The candles of a range without gaps. Null: it begins before the minutes of the memory. */
  candles(range: CandleRange, nowMs: number): Candle[] | null {
    const fromMs = candleStartMs(range.resolution, range.first);
    if (fromMs < memoryFromMs(nowMs)) return null;
    const toMs = Math.min(candleStartMs(range.resolution, range.last + 1) - 1, nowMs);
    const candles = coarser(range.resolution, this.#minutes.candles(fromMs, toMs));
    return withoutGaps(range, candles, this.#minutes.since(fromMs).beforeTicks);
  }

  /** What was traded from a minute on. The memory covers it. */
  since(fromMs: number): Summary {
    return this.#minutes.since(fromMs);
  }

  /** Newest first. Null: the memory may lack some of them. */
  rates({ fromMs, toMs, limit }: RatesQuery): FundingRate[] | null {
    const found = this.#rates.filter(({ timeMs }) => timeMs >= fromMs && timeMs <= toMs).toReversed();
    const reachesBack = this.#rates.length < MOST_RATES || this.#rates[0].timeMs < fromMs;
    return reachesBack || found.length >= limit ? found.slice(0, limit) : null;
  }
}
