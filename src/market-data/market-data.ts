/**
 * Market data of a running venue: trades, the last 24 hours, candles, funding rates. The newest of it is in memory
 * (market-memory.ts), the rest in the archive.
 *
 * Invariants:
 * - The memory of a market holds everything up to the venue's last command, or there is no memory. In a venue that began
 *   empty the first trade creates it. Otherwise the first request builds it from the archive, which names the command
 *   that it reaches. What is heard meanwhile is held, and what the
 *   archive does not have is added.
 * - A reset, a restored snapshot and a rebuild drop every memory. So all data are those of the branch that counts.
 * - A market's numbers, texts and times are the same from the memory and from the archive. A test compares them.
 *
 * Cost to the venue: 30 to 40 ns a trade. Nothing for a market without a memory.
 */

import { DAY_MS, MINUTE_MS } from '../config/times.ts';
import type { EventHandlers, FundingSet, Traded } from '../venue/contract/events.ts';
import type { Venue } from '../venue/venue.ts';
import type { MarketView } from '../venue/views.ts';
import { type Candle, type CandleRange, coarser, firstFrom, merged, withMade, withoutGaps } from './candles.ts';
import {
  type AskHistory,
  CANDLE_LEVELS,
  type FormerTerms,
  type FundingRate,
  type MarketQuestion,
  type QuestionOf,
  type RatesQuery,
  type TradesQuery,
} from './history.ts';
import { MarketMemory, MOST_RATES, memoryFromMs } from './market-memory.ts';
import type { Summary } from './minute-ring.ts';
import { candleNumber, candleStartMs, type Resolution } from './resolution.ts';
import type { PublicTrade } from './trade-ring.ts';

const ANY_TRADE = {
  fromMs: 0,
  toMs: Number.POSITIVE_INFINITY,
  fromId: 0,
  toId: Number.POSITIVE_INFINITY,
  oldestFirst: false,
} as const;
/** The trades of a minute that make its candle in the past. If there were more, it begins with a later one. */
const MOST_OF_MINUTE = 50_000;
/** The trades that make the candles of a branch that was left. If there were more, they begin with a later one. */
const MOST_OF_LEFT = 50_000;
/** Events that are held while a memory is built. If there are more, the build starts over. */
const MOST_HELD = 10_000;
/** The maximum number of builds for one request. */
const MOST_ATTEMPTS = 5;

/** The part of the engine that is needed. Its venue may be replaced. */
export interface FollowedVenue {
  readonly venue: Venue;
  listen(listener: EventHandlers): () => void;
}

/** The last 24 hours, from the beginning of the minute that was 24 hours ago. Prices in ticks; null: no trade yet. */
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

/** What was known of a market after a command. */
export interface PastOfMarket {
  /** The newest ones, newest first. */
  readonly trades: readonly PublicTrade[];
  /** Oldest first. The last one is that of the last trade, with the trades that had happened. */
  readonly candles: readonly Candle[];
}

export interface PastRange {
  /** The command whose effects it includes, and no later ones. */
  readonly seq: number;
  /** Its branch was left. */
  readonly isLeft: boolean;
  readonly resolution: Resolution;
  /** The most trades, and the most candles. */
  readonly mostTrades: number;
  readonly mostCandles: number;
}

/** Something that happened in a market while its memory was built. */
interface Held {
  readonly seq: number;
  readonly timeMs: number;
  readonly event: Traded | FundingSet;
}

/** A market whose memory exists, or is being built. */
interface Remembered {
  memory: MarketMemory | null;
  /** The memory has the events up to this command from the archive. */
  upToSeq: number;
  held: Held[];
  ready: Promise<MarketMemory>;
}

/**
 * Minutes of a market that no trade made: the past of a demo, before its first trade. Oldest first. `markets`: all of
 * the venue.
 */
export type MadeCandles = (market: MarketView, markets: readonly MarketView[]) => Promise<readonly Candle[]>;

export interface MarketDataOptions {
  /** Absent: every candle is of trades. */
  readonly made?: MadeCandles | undefined;
  readonly ask: AskHistory;
  /** The error to throw while a memory cannot be built. */
  readonly busy: (problem: string) => Error;
}

export class MarketData {
  readonly #engine: FollowedVenue;
  readonly #ask: AskHistory;
  readonly #busy: (problem: string) => Error;
  readonly #made: MadeCandles;
  /** Markets that are not here have no past, so their memory begins empty. */
  #hasNoPast: boolean;
  /** By number of the market. */
  #markets: (Remembered | undefined)[] = [];

  /** To be created before the first command of the engine. */
  constructor(engine: FollowedVenue, { ask, busy, made = async () => [] }: MarketDataOptions) {
    this.#engine = engine;
    this.#ask = ask;
    this.#busy = busy;
    this.#made = made;
    this.#hasNoPast = engine.venue.seq <= 1;
    engine.listen({
      traded: (event) => this.#happened(event),
      fundingSet: (event) => this.#happened(event),
      stateReplaced: () => {
        this.#markets = [];
        this.#hasNoPast = false;
      },
    });
  }

  /** Newest first; the oldest first on request. */
  async trades(market: MarketView, query: TradesQuery): Promise<readonly PublicTrade[]> {
    const found = (await this.#memory(market)).trades(query);
    return found ?? this.#past({ type: 'trades', market: market.symbol, query });
  }

  /** The newest ones, newest first. */
  newest(market: MarketView, limit: number): Promise<readonly PublicTrade[]> {
    return this.trades(market, { ...ANY_TRADE, limit });
  }

  /** Oldest first, without gaps from the first trade on. */
  async candles(market: MarketView, range: CandleRange, nowMs: number): Promise<readonly Candle[]> {
    const traded = await this.#traded(market, range, nowMs);
    return withMade(range, await this.#made(market, this.#engine.venue.markets), traded);
  }

  async #traded(market: MarketView, range: CandleRange, nowMs: number): Promise<readonly Candle[]> {
    const found = (await this.#memory(market)).candles(range, nowMs);
    if (found !== null) return found;
    const { resolution } = range;
    const level = CANDLE_LEVELS.findLast((minutes) => resolution % minutes === 0) ?? 1;
    const fromMs = candleStartMs(resolution, range.first);
    const toMs = candleStartMs(resolution, range.last + 1) - 1;
    const { candles, before } = await this.#past({ type: 'candles', market: market.symbol, level, fromMs, toMs });
    return withoutGaps(range, coarser(resolution, candles), before?.closeTicks ?? null);
  }

  /** The terms that a market had after a command. Null: those of now. */
  formerTerms(market: MarketView, seq: number): Promise<FormerTerms | null> {
    return this.#past({ type: 'formerTerms', market: market.symbol, seq });
  }

  /** Trades and candles as they were after a command, under the terms of now: nothing of a later one is in them. */
  async pastOf(market: MarketView, range: PastRange): Promise<PastOfMarket> {
    const { seq, isLeft, resolution, mostTrades, mostCandles } = range;
    const ask = (fromMs: number, limit: number) => {
      const query = { ...ANY_TRADE, fromMs, toSeq: seq, limit };
      return this.#past({ type: 'trades', market: market.symbol, query });
    };
    const trades = await ask(0, mostTrades);
    const [newest] = trades;
    if (newest === undefined) return { trades, candles: [] };
    const number = candleNumber(resolution, newest.timeMs);
    if (isLeft) {
      // Candles are kept of the present branch only.
      const fromMs = candleStartMs(resolution, number - mostCandles + 1);
      return { trades, candles: candlesOf(resolution, await ask(fromMs, MOST_OF_LEFT), number - mostCandles + 1) };
    }
    const nowMs = this.#engine.venue.timeMs;
    const minute = candleNumber(1, newest.timeMs);
    const startMs = candleStartMs(resolution, number);
    const before = { resolution, first: number - mostCandles + 1, last: number - 1 };
    const minutes = { resolution: 1, first: candleNumber(1, startMs), last: minute - 1 } as const;
    const whole = minutes.first > minutes.last ? [] : await this.candles(market, minutes, nowMs);
    const rest = (await ask(candleStartMs(1, minute), MOST_OF_MINUTE)).toReversed().map(candleOfTrade);
    const parts = [...whole.filter(({ volumeLots }) => volumeLots > 0), ...rest] as [Candle, ...Candle[]];
    return { trades, candles: [...(await this.candles(market, before, nowMs)), merged(startMs, parts)] };
  }

  async day(market: MarketView, nowMs: number): Promise<DayStatistics> {
    const fromMs = Math.floor((nowMs - DAY_MS) / MINUTE_MS) * MINUTE_MS;
    const since = (await this.#memory(market)).since(fromMs);
    const { beforeTicks, trades } = since.beforeTicks === null ? await this.#withMade(market, fromMs, since) : since;
    if (trades === null) {
      const still = { openTicks: beforeTicks, highTicks: beforeTicks, lowTicks: beforeTicks };
      return { fromMs, ...still, volumeLots: 0, cost: 0n };
    }
    const { openTicks, highTicks, lowTicks, volumeLots, cost } = trades;
    return { fromMs, openTicks: beforeTicks ?? openTicks, highTicks, lowTicks, volumeLots, cost };
  }

  /** A summary that has no trade before it, with what was made up before the first one. */
  async #withMade(market: MarketView, fromMs: number, { trades }: Summary): Promise<Summary> {
    const made = await this.#made(market, this.#engine.venue.markets);
    const begin = firstFrom(made, fromMs);
    const parts = [...made.slice(begin), ...(trades === null ? [] : [trades])];
    const [first, ...rest] = parts;
    return {
      beforeTicks: made[begin - 1]?.closeTicks ?? null,
      trades: first === undefined ? null : merged(fromMs, [first, ...rest]),
    };
  }

  /** Newest first. */
  async rates(market: MarketView, query: RatesQuery): Promise<readonly FundingRate[]> {
    const found = (await this.#memory(market)).rates(query);
    return found ?? this.#past({ type: 'rates', market: market.symbol, query });
  }

  #past<Type extends MarketQuestion['type']>(question: QuestionOf<Type>) {
    return this.#ask(question, this.#engine.venue.seq);
  }

  /** The memory of a market, built if necessary. */
  async #memory(market: MarketView): Promise<MarketMemory> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      // A reset may have given the number to another market.
      if (this.#engine.venue.markets[market.index]?.symbol !== market.symbol) break;
      const remembered = this.#remembered(market);
      const memory = remembered.memory ?? (await remembered.ready);
      // The state may have been replaced meanwhile, or too much have happened.
      if (this.#markets[market.index] === remembered) return memory;
    }
    const isThere = this.#engine.venue.markets.some(({ symbol }) => symbol === market.symbol);
    const problem = isThere
      ? `the market data of ${market.symbol} are being rebuilt: try again later`
      : `a reset removed ${market.symbol} during the request: try again later`;
    throw this.#busy(problem);
  }

  #remembered(market: MarketView): Remembered {
    const known = this.#markets[market.index];
    if (known !== undefined) return known;
    const memory = new MarketMemory();
    const begun: Remembered = { memory, upToSeq: 0, held: [], ready: Promise.resolve(memory) };
    this.#markets[market.index] = begun;
    if (!this.#hasNoPast) {
      begun.memory = null;
      begun.ready = this.#build(market, begun);
    }
    return begun;
  }

  async #build(market: MarketView, begun: Remembered): Promise<MarketMemory> {
    try {
      const fromMs = memoryFromMs(this.#engine.venue.timeMs);
      const past = await this.#past({ type: 'recent', market: market.symbol, fromMs, most: MOST_RATES });
      const memory = new MarketMemory(past);
      for (const { seq, timeMs, event } of begun.held) if (seq > past.seq) add(memory, timeMs, event);
      begun.held = [];
      begun.upToSeq = past.seq;
      begun.memory = memory;
      return memory;
    } catch (error) {
      this.#drop(market.index, begun);
      throw error;
    }
  }

  #drop(market: number, begun: Remembered): void {
    if (this.#markets[market] === begun) this.#markets[market] = undefined;
  }

  #happened(event: Traded | FundingSet): void {
    const { market } = event;
    const { venue } = this.#engine;
    let remembered = this.#markets[market];
    if (remembered === undefined) {
      if (!this.#hasNoPast) return;
      remembered = this.#remembered(venue.markets[market]);
    }
    const { memory, held } = remembered;
    if (memory === null) {
      if (held.length === MOST_HELD) this.#drop(market, remembered);
      else held.push({ seq: venue.seq, timeMs: venue.timeMs, event });
    } else if (venue.seq > remembered.upToSeq) {
      add(memory, venue.timeMs, event);
    }
  }
}

function add(memory: MarketMemory, timeMs: number, event: Traded | FundingSet): void {
  if (event.type === 'fundingSet') memory.funded({ timeMs, rateParts: event.rateParts });
  else memory.traded(event.tradeId, timeMs, event.priceTicks, event.sizeLots, event.takerSide);
}

/** The candles of trades, newest first, without gaps from the first trade on. `first`: the number of the first candle. */
function candlesOf(resolution: Resolution, trades: readonly PublicTrade[], first: number): Candle[] {
  const traded = coarser(resolution, trades.toReversed().map(candleOfTrade));
  const last = candleNumber(resolution, trades[0].timeMs);
  return withoutGaps({ resolution, first, last }, traded, null);
}

function candleOfTrade({ timeMs: startMs, priceTicks, sizeLots }: PublicTrade): Candle {
  const prices = { openTicks: priceTicks, highTicks: priceTicks, lowTicks: priceTicks, closeTicks: priceTicks };
  return { startMs, ...prices, volumeLots: sizeLots, cost: BigInt(priceTicks) * BigInt(sizeLots) };
}
