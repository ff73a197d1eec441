/**
 * Market data are the same from the memory of a running venue, from the archive, after a restart, and by a naive
 * recount of the venue's trades: for any sequence of trades, waits, saved and restored states and resets.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marketAnswer } from '../../src/archive/read/market-history.ts';
import type { Candle, CandleRange } from '../../src/market-data/candles.ts';
import type { FundingRate, TradesQuery } from '../../src/market-data/history.ts';
import { type DayStatistics, MarketData } from '../../src/market-data/market-data.ts';
import { candleNumber, candleStartMs, RESOLUTIONS } from '../../src/market-data/resolution.ts';
import type { PublicTrade } from '../../src/market-data/trade-ring.ts';
import type { EventHandlers } from '../../src/venue/contract/events.ts';
import type { MarketView } from '../../src/venue/views.ts';
import { projected } from '../archive/support.ts';
import { seeded } from '../sim/seeded.ts';
import { BTC_PERP, BTC_USDT, VenueDriver } from '../venue/support.ts';

const ETH_USDT = 1;
const MARKETS = [BTC_USDT, ETH_USDT, BTC_PERP];
const MIDDLE = 600_000;
const FINE = 1000;
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const SEEDS = 6;
const STEPS = 500;

/** What the venue's events come to, kept in the simplest way. */
interface Recount {
  trades: PublicTrade[][];
  rates: FundingRate[][];
}

function nothing(): Recount {
  return { trades: [[], [], [], []], rates: [[], [], [], []] };
}

class Life {
  readonly driver = new VenueDriver();
  readonly random: () => number;
  recount = nothing();
  readonly saved = new Map<string, Recount>();
  readonly archive;
  archived = 0;
  /** Has followed the venue from its start. */
  readonly followed: MarketData;

  constructor(seed: number) {
    this.random = seeded(seed);
    const { venue } = this.driver;
    venue.listen({
      traded: ({ market, tradeId, priceTicks, sizeLots, takerSide }) => {
        this.recount.trades[market].push({ tradeId, timeMs: venue.timeMs, priceTicks, sizeLots, takerSide });
      },
      fundingSet: ({ market, rateParts }) => {
        this.recount.rates[market].push({ timeMs: venue.timeMs, rateParts });
      },
    });
    this.archive = projected([], this.below(9) + 1);
    this.followed = this.marketData();
    this.price();
  }

  below(most: number): number {
    return Math.floor(this.random() * most);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)];
  }

  /** As a start creates it. */
  marketData(): MarketData {
    const { venue } = this.driver;
    const engine = {
      venue,
      listen: (listener: EventHandlers) => {
        venue.listen(listener);
        return () => {};
      },
    };
    return new MarketData(engine, {
      ask: async (question) => marketAnswer(this.upToDate(), question) as never,
      busy: (problem) => new Error(problem),
    });
  }

  upToDate() {
    const more = this.driver.log.slice(this.archived);
    this.archived = this.driver.log.length;
    if (more.length > 0) this.archive.go(more);
    return this.archive.store;
  }

  price(): void {
    for (const market of MARKETS) this.driver.prices(market, { index: MIDDLE * FINE });
  }

  trade(): void {
    const market = this.pick(MARKETS);
    const price = MIDDLE + this.below(4001) - 2000;
    const side = this.pick([0, 1] as const);
    const size = (this.below(50) + 1) * 10;
    this.driver.limit(1, market, side === 0 ? 1 : 0, price, size);
    this.driver.limit(0, market, side, price, size);
  }

  /** One random step. */
  step(): void {
    const choice = this.random();
    if (choice < 0.55) this.trade();
    else if (choice < 0.6) for (let i = 0; i < 120; i += 1) this.trade();
    else if (choice < 0.95) this.driver.advance(this.pick([10, SECOND_MS, MINUTE_MS, 7 * MINUTE_MS, 7_000_000]));
    else if (choice < 0.96) this.driver.advance(this.pick([1, 2, 40]) * DAY_MS);
    else if (choice < 0.975) this.save(this.pick(['a', 'b', 'c']));
    else if (choice < 0.995) this.restore(this.pick(['a', 'b', 'c']));
    else this.reset();
  }

  save(name: string): void {
    this.driver.run({ type: 'saveSnapshot', name });
    this.saved.set(name, structuredClone(this.recount));
  }

  restore(name: string): void {
    const saved = this.saved.get(name);
    if (saved === undefined) return;
    this.recount = structuredClone(saved);
    this.driver.run({ type: 'restoreSnapshot', name });
  }

  reset(): void {
    this.recount = nothing();
    this.driver.run({ type: 'reset' });
    this.price();
  }
}

function naiveTrades(all: readonly PublicTrade[], query: TradesQuery): PublicTrade[] {
  const found = all.filter(
    ({ timeMs, tradeId }) =>
      timeMs >= query.fromMs && timeMs <= query.toMs && tradeId >= query.fromId && tradeId <= query.toId,
  );
  return (query.oldestFirst ? found : found.toReversed()).slice(0, query.limit);
}

function naiveCandle(startMs: number, trades: readonly PublicTrade[], close: number | undefined): Candle[] {
  const prices = trades.map(({ priceTicks }) => priceTicks);
  const volumeLots = trades.reduce((sum, { sizeLots }) => sum + sizeLots, 0);
  const cost = trades.reduce((sum, { priceTicks, sizeLots }) => sum + BigInt(priceTicks) * BigInt(sizeLots), 0n);
  if (prices.length === 0) {
    if (close === undefined) return [];
    prices.push(close);
  }
  const [openTicks, closeTicks] = [prices[0], prices[prices.length - 1]];
  const [highTicks, lowTicks] = [Math.max(...prices), Math.min(...prices)];
  return [{ startMs, openTicks, highTicks, lowTicks, closeTicks, volumeLots, cost }];
}

function naiveCandles(all: readonly PublicTrade[], { resolution, first, last }: CandleRange): Candle[] {
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const [from, to] = [candleStartMs(resolution, first + i), candleStartMs(resolution, first + i + 1)];
    const close = all.findLast(({ timeMs }) => timeMs < from)?.priceTicks;
    return naiveCandle(
      from,
      all.filter(({ timeMs }) => timeMs >= from && timeMs < to),
      close,
    );
  }).flat();
}

function naiveDay(all: readonly PublicTrade[], nowMs: number): DayStatistics {
  const fromMs = nowMs - DAY_MS - (nowMs % MINUTE_MS);
  const before = all.findLast(({ timeMs }) => timeMs < fromMs)?.priceTicks;
  const [candle] = naiveCandle(
    fromMs,
    all.filter(({ timeMs }) => timeMs >= fromMs),
    before,
  );
  if (candle === undefined)
    return { fromMs, openTicks: null, highTicks: null, lowTicks: null, volumeLots: 0, cost: 0n };
  const { openTicks, highTicks, lowTicks, volumeLots, cost } = candle;
  return { fromMs, openTicks: before ?? openTicks, highTicks, lowTicks, volumeLots, cost };
}

function tradesQuery(life: Life, all: readonly PublicTrade[], nowMs: number): TradesQuery {
  const some = all.length === 0 ? { tradeId: 5, timeMs: nowMs } : life.pick(all);
  const bounds = [
    { fromMs: some.timeMs },
    { toMs: some.timeMs },
    { fromId: some.tradeId },
    { toId: some.tradeId, fromId: some.tradeId - 20 },
    { fromMs: some.timeMs, toMs: some.timeMs + 10 * MINUTE_MS },
    {},
  ];
  const most = Number.POSITIVE_INFINITY;
  const limit = life.pick([1, 50, 500]);
  return {
    fromMs: 0,
    toMs: most,
    fromId: 0,
    toId: most,
    limit,
    oldestFirst: life.random() < 0.3,
    ...life.pick(bounds),
  };
}

async function agree(life: Life, sources: readonly MarketData[]): Promise<void> {
  const nowMs = life.driver.venue.timeMs;
  for (const market of MARKETS) {
    const view = life.driver.venue.markets[market];
    const { trades, rates } = life.recount;
    const same = async <T>(expected: T, actual: (data: MarketData, of: MarketView) => Promise<T>, what: string) => {
      for (const data of sources) assert.deepEqual(await actual(data, view), expected, what);
    };
    const query = tradesQuery(life, trades[market], nowMs);
    await same<readonly PublicTrade[]>(
      naiveTrades(trades[market], query),
      (data, of) => data.trades(of, query),
      `trades ${JSON.stringify(query)}`,
    );
    const resolution = life.pick(RESOLUTIONS);
    const last = candleNumber(resolution, nowMs) - life.pick([0, 0, 1, 30]);
    const range = { resolution, first: last - life.pick([0, 9, 60]), last };
    await same<readonly Candle[]>(
      naiveCandles(trades[market], range),
      (data, of) => data.candles(of, range, nowMs),
      `candles ${JSON.stringify(range)}`,
    );
    await same(naiveDay(trades[market], nowMs), (data, of) => data.day(of, nowMs), '24 hours');
    const fromMs = nowMs - life.pick([DAY_MS, 100 * DAY_MS]);
    const limit = life.pick([3, 1000]);
    await same<readonly FundingRate[]>(
      rates[market]
        .filter(({ timeMs }) => timeMs >= fromMs)
        .toReversed()
        .slice(0, limit),
      (data, of) => data.rates(of, { fromMs, toMs: nowMs, limit }),
      'funding rates',
    );
  }
}

for (let seed = 1; seed <= SEEDS; seed += 1) {
  test(`memory, archive and recount agree after any steps (seed ${seed})`, async () => {
    const life = new Life(seed);
    let late = life.marketData();
    for (let step = 0; step < STEPS; step += 1) {
      life.step();
      if (life.random() < 0.9) continue;
      // A start at this moment, and one that has followed since an earlier check.
      await agree(life, [life.followed, late, life.marketData()]);
      if (life.random() < 0.2) late = life.marketData();
    }
    for (const _ of life.upToDate().check());
    assert.ok(life.recount.trades.length > 0);
  });
}
