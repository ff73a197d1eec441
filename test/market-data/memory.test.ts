/** The memory of a market while it is built from the archive: what happens meanwhile is counted once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marketAnswer } from '../../src/archive/read/market-history.ts';
import { MarketData } from '../../src/market-data/market-data.ts';
import { MarketMemory, MOST_RATES } from '../../src/market-data/market-memory.ts';
import { MinuteRing, RING_MINUTES } from '../../src/market-data/minute-ring.ts';
import type { EventHandlers } from '../../src/venue/contract/events.ts';
import { Venue } from '../../src/venue/venue.ts';
import { projected } from '../archive/support.ts';
import { seeded } from '../sim/seeded.ts';
import { BTC_USDT, START_MS, VenueDriver } from '../venue/support.ts';

function engineOf(venue: Venue) {
  return {
    venue,
    listen: (listener: EventHandlers) => {
      venue.listen(listener);
      return () => {};
    },
  };
}

class Building {
  readonly driver = new VenueDriver();
  readonly archive = projected([], 1);
  archived = 0;
  /** Called instead of the archive, which answers when it is done. */
  meanwhile: () => void = () => {};
  readonly data: MarketData;

  constructor() {
    const { venue } = this.driver;
    this.driver.prices(BTC_USDT, { index: 600_000_000 });
    this.data = new MarketData(engineOf(venue), {
      ask: async (question) => {
        const { store } = this.upToDate();
        const answer = marketAnswer(store, question);
        this.meanwhile();
        return answer as never;
      },
      busy: (problem) => new Error(problem),
    });
  }

  upToDate() {
    this.archive.go(this.driver.log.slice(this.archived));
    this.archived = this.driver.log.length;
    return this.archive;
  }

  trade(): void {
    this.driver.limit(1, BTC_USDT, 1, 600_000, 10);
    this.driver.limit(0, BTC_USDT, 0, 600_000, 10);
  }

  async ids(): Promise<number[]> {
    const { venue } = this.driver;
    const trades = await this.data.newest(venue.markets[BTC_USDT], 100);
    return trades.map(({ tradeId }) => tradeId);
  }
}

test('a trade that happens while the memory is built is added to it, once', async () => {
  const building = new Building();
  building.trade();
  building.meanwhile = () => {
    building.trade();
    building.meanwhile = () => {};
  };
  assert.deepEqual(await building.ids(), [2, 1]);
  building.trade();
  assert.deepEqual(await building.ids(), [3, 2, 1]);
});

test('a trade that the archive has before the venue is counted once', async () => {
  const { driver, archive } = new Building();
  for (let i = 0; i < 3; i += 1) {
    driver.limit(1, BTC_USDT, 1, 600_000, 10);
    driver.limit(0, BTC_USDT, 0, 600_000, 10);
  }
  archive.go(driver.log);
  // The venue has applied less than is durable: the archive may be ahead of it.
  const venue = new Venue();
  let applied = 0;
  const apply = (most: number): void => {
    for (; applied < most; applied += 1) venue.apply(applied + 1, START_MS, JSON.parse(driver.log[applied]));
  };
  apply(driver.log.length - 4);
  const data = new MarketData(engineOf(venue), {
    ask: async (question) => {
      const answer = marketAnswer(archive.store, question);
      apply(driver.log.length - 2);
      return answer as never;
    },
    busy: (problem) => new Error(problem),
  });
  const ids = async () => (await data.newest(venue.markets[BTC_USDT], 100)).map(({ tradeId }) => tradeId);
  assert.deepEqual(await ids(), [3, 2, 1]);
  apply(driver.log.length);
  assert.deepEqual(await ids(), [3, 2, 1]);
});

test('a state that is replaced while the memory is built begins it again', async () => {
  const building = new Building();
  building.trade();
  building.driver.run({ type: 'saveSnapshot', name: 'one' });
  building.trade();
  building.meanwhile = () => {
    building.driver.run({ type: 'restoreSnapshot', name: 'one' });
    building.meanwhile = () => {};
  };
  assert.deepEqual(await building.ids(), [1]);
});

test('a memory that could not be built is built by the next request', async () => {
  const building = new Building();
  building.trade();
  building.meanwhile = () => {
    throw new Error('the archive is behind');
  };
  await assert.rejects(building.ids(), /the archive is behind/);
  building.meanwhile = () => {};
  building.trade();
  assert.deepEqual(await building.ids(), [2, 1]);
});

test('a market that trades faster than its memory can be built is busy, and is asked again later', async () => {
  const building = new Building();
  building.trade();
  building.meanwhile = () => {
    building.driver.run({ type: 'reset' });
    building.driver.prices(BTC_USDT, { index: 600_000_000 });
  };
  await assert.rejects(building.ids(), /are being rebuilt: try again later/);
  building.meanwhile = () => {};
  assert.deepEqual(await building.ids(), []);
});

const MINUTE_MS = 60_000;

test('the last trade before a day is remembered when another minute takes its place', () => {
  const minutes = new MinuteRing();
  minutes.add(10 * MINUTE_MS, 100, 1);
  minutes.add((10 + RING_MINUTES) * MINUTE_MS, 200, 1);
  const { beforeTicks, trades } = minutes.since((10 + RING_MINUTES - 1440) * MINUTE_MS);
  assert.deepEqual([beforeTicks, trades?.openTicks, trades?.volumeLots], [100, 200, 1]);
});

test('a day that begins before 1970 has only the minutes with trades', () => {
  const minutes = new MinuteRing();
  assert.deepEqual(minutes.since(-1440 * MINUTE_MS), { beforeTicks: null, trades: null });
  minutes.add(0, 100, 1);
  minutes.add(3 * MINUTE_MS, 90, 1);
  const { beforeTicks, trades } = minutes.since(-1440 * MINUTE_MS);
  assert.equal(beforeTicks, null);
  assert.deepEqual([trades?.openTicks, trades?.highTicks, trades?.lowTicks, trades?.volumeLots], [100, 100, 90, 2]);
});

test('costs are exact in a market at the bounds, in a minute and over a day', () => {
  const random = seeded(7);
  const PRICES = [2 ** 53 - 1, 94_906_265, 94_906_263, 3, 1];
  const SIZES = [94_906_265, 94_906_264, 2 ** 32 - 1, 5, 1];
  const pick = (from: readonly number[]) => from[Math.floor(random() * from.length)];
  const minutes = new MinuteRing();
  const costs = new Map<number, bigint>();
  for (let i = 0; i < 20_000; i += 1) {
    const [minute, price, size] = [1 + Math.floor(i / 20), pick(PRICES), pick(SIZES)];
    minutes.add(minute * MINUTE_MS, price, size);
    costs.set(minute, (costs.get(minute) ?? 0n) + BigInt(price) * BigInt(size));
  }
  const candles = minutes.candles(MINUTE_MS, 1000 * MINUTE_MS);
  assert.deepEqual(
    candles.map(({ cost }) => cost),
    [...costs.values()],
  );
  const whole = [...costs.values()].reduce((sum, cost) => sum + cost, 0n);
  assert.equal(minutes.since(MINUTE_MS).trades?.cost, whole);
  const restored = new MinuteRing();
  for (const candle of candles) restored.put(candle);
  restored.add(1000 * MINUTE_MS, 1, 1);
  assert.equal(restored.since(MINUTE_MS).trades?.cost, whole + 1n);
});

test('small costs that add up to more than a double holds are exact', () => {
  const minutes = new MinuteRing();
  // Each is below 2^53. Their sum is odd and above it, where doubles are even.
  for (let i = 0; i < 3; i += 1) minutes.add(MINUTE_MS, 94_906_265, 47_453_133);
  assert.equal(minutes.since(MINUTE_MS).trades?.cost, 3n * 94_906_265n * 47_453_133n);
});

test('a memory that has dropped funding rates leaves older ones to the archive', () => {
  const memory = new MarketMemory();
  for (let i = 0; i <= MOST_RATES; i += 1) memory.funded({ timeMs: i, rateParts: i });
  const rates = (fromMs: number, limit: number) =>
    memory.rates({ fromMs, toMs: MOST_RATES, limit })?.map(({ timeMs }) => timeMs);
  assert.deepEqual(rates(MOST_RATES - 1, 5), [MOST_RATES, MOST_RATES - 1]);
  assert.deepEqual(rates(0, 2), [MOST_RATES, MOST_RATES - 1]);
  assert.equal(rates(0, MOST_RATES + 1), undefined);
});
