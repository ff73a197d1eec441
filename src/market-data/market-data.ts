/**
 * Market data of a running venue: its last trades, the statistics of the last 24 hours, candles, funding rates. The
 * newest of it is in memory: 500 trades, 1,500 minutes and 1,000 funding rates of each market.
 *
 * Invariant: it holds every trade since the start, or since the state was last replaced.
 *
 * Cost to the venue: about 50 ns a trade.
 */
import type { EventHandlers, Traded } from '../venue/contract/events.ts';
import type { Venue } from '../venue/venue.ts';
import type { MarketView } from '../venue/views.ts';
import { type Candle, type CandleRange, coarser, withoutGaps } from './candles.ts';
import { MinuteRing, RING_MINUTES } from './minute-ring.ts';
import { candleStartMs, MINUTE_MS } from './resolution.ts';
import { type PublicTrade, RING_TRADES, TradeRing } from './trade-ring.ts';

export const RING_RATES = 1000;
const DAY_MS = 86_400_000;

/** The part of the engine that is needed. Its venue may be replaced. */
export interface RunningVenue {
  readonly venue: Venue;
  listen(listener: EventHandlers): () => void;
}

export interface FundingRate {
  readonly timeMs: number;
  readonly rateParts: number;
}

/** Which trades. All bounds are included. */
export interface TradesQuery {
  readonly fromMs: number;
  readonly toMs: number;
  readonly fromId: number;
  readonly toId: number;
  readonly limit: number;
  /** Which ones, if there are more than the limit. */
  readonly oldestFirst: boolean;
}

/** The last 24 hours, from the beginning of the minute that was 24 hours ago. Prices in ticks, null without any trade. */
export interface DayStatistics {
  readonly fromMs: number;
  /** The price of the last trade before them, or of the first one in them. */
  readonly openTicks: number | null;
  readonly highTicks: number | null;
  readonly lowTicks: number | null;
  readonly volumeLots: number;
  /** Ticks × lots. */
  readonly cost: bigint;
}

class Recent {
  readonly trades = new TradeRing();
  readonly minutes = new MinuteRing();
  readonly rates: FundingRate[] = [];
  /** True: it holds all trades that there ever were, unless the ring has dropped some. */
  readonly whole: boolean;

  constructor(whole: boolean) {
    this.whole = whole;
  }
}

export class MarketData {
  readonly #engine: RunningVenue;
  /** By number of the market. */
  #markets: Recent[] = [];

  constructor(engine: RunningVenue) {
    this.#engine = engine;
    engine.listen({
      traded: (event) => this.#traded(event),
      fundingSet: ({ market, rateParts }) => this.#funded(market, rateParts),
      stateReplaced: () => {
        this.#markets = [];
      },
    });
  }

  /** Newest first; the oldest first on request. */
  async trades(market: MarketView, query: TradesQuery): Promise<PublicTrade[]> {
    const { trades } = await this.#recent(market.index);
    const found: PublicTrade[] = [];
    const all = Array.from({ length: trades.size }, (_, back) => trades.fromNewest(back));
    for (const trade of query.oldestFirst ? all.reverse() : all) {
      if (found.length === query.limit) break;
      const { timeMs, tradeId } = trade;
      const isAsked =
        timeMs >= query.fromMs && timeMs <= query.toMs && tradeId >= query.fromId && tradeId <= query.toId;
      if (isAsked) found.push(trade);
    }
    return found;
  }

  /** The newest ones, newest first. */
  newest(market: MarketView, limit: number): Promise<PublicTrade[]> {
    const [most, least] = [Number.POSITIVE_INFINITY, 0];
    return this.trades(market, { fromMs: least, toMs: most, fromId: least, toId: most, limit, oldestFirst: false });
  }

  /** Oldest first, without gaps from the first trade on. */
  async candles(market: MarketView, range: CandleRange, nowMs: number): Promise<Candle[]> {
    const { minutes } = await this.#recent(market.index);
    const fromMs = candleStartMs(range.resolution, range.first);
    const toMs = Math.min(candleStartMs(range.resolution, range.last + 1) - 1, nowMs);
    const { beforeTicks } = minutes.since(fromMs);
    return withoutGaps(range, coarser(range.resolution, minutes.candles(fromMs, toMs)), beforeTicks);
  }

  async day(market: MarketView, nowMs: number): Promise<DayStatistics> {
    const { minutes } = await this.#recent(market.index);
    const fromMs = Math.floor((nowMs - DAY_MS) / MINUTE_MS) * MINUTE_MS;
    const { beforeTicks, trades } = minutes.since(fromMs);
    if (trades === null) {
      const still = { openTicks: beforeTicks, highTicks: beforeTicks, lowTicks: beforeTicks };
      return { fromMs, ...still, volumeLots: 0, cost: 0n };
    }
    const { openTicks, highTicks, lowTicks, volumeLots, cost } = trades;
    return { fromMs, openTicks: beforeTicks ?? openTicks, highTicks, lowTicks, volumeLots, cost };
  }

  /** Newest first, from `fromMs` to `toMs`. */
  async funding(market: MarketView, fromMs: number, toMs: number, limit: number): Promise<FundingRate[]> {
    const { rates } = await this.#recent(market.index);
    const asked = rates.filter(({ timeMs }) => timeMs >= fromMs && timeMs <= toMs);
    return asked.reverse().slice(0, limit);
  }

  async #recent(market: number): Promise<Recent> {
    this.#markets[market] ??= new Recent(true);
    return this.#markets[market];
  }

  #traded({ market, tradeId, priceTicks, sizeLots, takerSide }: Traded): void {
    this.#markets[market] ??= new Recent(true);
    const { trades, minutes } = this.#markets[market];
    const { timeMs } = this.#engine.venue;
    trades.add(tradeId, timeMs, priceTicks, sizeLots, takerSide);
    minutes.add(timeMs, priceTicks, sizeLots);
  }

  #funded(market: number, rateParts: number): void {
    this.#markets[market] ??= new Recent(true);
    const { rates } = this.#markets[market];
    if (rates.length === RING_RATES) rates.shift();
    rates.push({ timeMs: this.#engine.venue.timeMs, rateParts });
  }
}

export { RING_MINUTES, RING_TRADES };
