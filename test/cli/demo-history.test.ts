import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { request, startVenue, type TestVenue, VenueError } from '../../src/index.ts';
import { Place, stop } from './support.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** [seconds, open, high, low, close, volume] */
type Candle = readonly [number, number, number, number, number, number];

const SURFACES: Readonly<Record<string, string>> = {
  'BTC-USDT': '/spot/api/v3.3',
  'ETH-USDT': '/spot/api/v3.3',
  'BTC-PERP': '/futures/api/v2.3',
  'ETH-PERP': '/futures/api/v2.3',
};
const START_PRICES: Readonly<Record<string, number>> = { BTC: 60_000, ETH: 3_000 };

/** How often a client asks again while an archive is being rebuilt. The venue itself waits seconds each time. */
const MOST_BUSY = 30;

/** Oldest first. */
async function candles(url: string, symbol: string, query: Record<string, number>): Promise<Candle[]> {
  for (let busy = 0; ; busy += 1) {
    try {
      const found = await request(url, 'GET', `${SURFACES[symbol]}/ohlcv`, { query: { symbol, ...query } });
      return (found as Candle[]).toReversed();
    } catch (error) {
      if (!(error instanceof VenueError) || error.status !== 503 || busy === MOST_BUSY) throw error;
    }
  }
}

/** Without gaps, each opening where the one before it closed, each within its own bounds. */
function assertJoined(found: readonly Candle[], seconds: number): void {
  for (const [i, [time, open, high, low, close, volume]] of found.entries()) {
    assert.ok(low <= Math.min(open, close) && high >= Math.max(open, close) && volume >= 0);
    if (volume === 0) assert.deepEqual([high, low, close], [open, open, open], 'flat without trades');
    const before = found[i - 1];
    if (before === undefined) continue;
    assert.equal(time - before[0], seconds);
    assert.equal(open, before[4]);
  }
}

function demo(demoHistory?: number, clock: 'real' | 'manual' = 'manual'): Promise<TestVenue> {
  return startVenue({ demo: true, seed: 7, clock, ...(demoHistory !== undefined && { demoHistory }) });
}

const START_MS = Date.UTC(2026, 0, 1);

test('a demo has candles before its start, which join its first price without a jump', async () => {
  await using venue = await demo(48);
  for (const symbol of Object.keys(SURFACES)) {
    const minutes = await candles(venue.url, symbol, {
      start: START_MS - 300 * MINUTE_MS,
      end: START_MS - 1,
      resolution: 1,
    });
    assert.equal(minutes.length, 300);
    assertJoined(minutes, 60);
    const [, , , , close] = minutes[299] as Candle;
    assert.equal(close, START_PRICES[symbol.slice(0, 3)]);
    const hours = await candles(venue.url, symbol, {
      start: START_MS - 100 * HOUR_MS,
      end: START_MS - 1,
      resolution: 60,
    });
    assert.equal(hours.length, 48);
    assertJoined(hours, 3600);
  }
  const perpetual = await candles(venue.url, 'BTC-PERP', {
    start: START_MS - HOUR_MS,
    end: START_MS - 1,
    resolution: 1,
  });
  const spot = await candles(venue.url, 'BTC-USDT', { start: START_MS - HOUR_MS, end: START_MS - 1, resolution: 1 });
  const prices = (found: Candle[]) => found.map(([time, open, high, low, close]) => [time, open, high, low, close]);
  assert.deepEqual(prices(perpetual), prices(spot), 'a perpetual has the prices of its spot pair');
});

test('trades continue the candles that were made up, and the last 24 hours have both', async () => {
  await using venue = await demo(48);
  await venue.advance('30m');
  const day = await candles(venue.url, 'BTC-USDT', { start: START_MS, end: START_MS, resolution: 1440 });
  const before = await candles(venue.url, 'BTC-USDT', { start: START_MS - 120 * MINUTE_MS, resolution: 1 });
  assert.equal(before.length, 151);
  assert.ok((day[0] as Candle)[5] > 0);
  const [summary] = (await request(venue.url, 'GET', '/spot/api/v3.3/market_summary', {
    query: { symbol: 'BTC-USDT' },
  })) as { high24Hr: number; low24Hr: number; volume: number }[];
  const window = await candles(venue.url, 'BTC-USDT', { start: START_MS - 23.5 * HOUR_MS, resolution: 60 });
  assert.equal(summary.high24Hr, Math.max(...window.map(([, , high]) => high)));
  assert.equal(summary.low24Hr, Math.min(...window.map(([, , , low]) => low)));
});

test('a shorter past is the end of a longer one, and neither changes the venue', async () => {
  const found = await Promise.all(
    [0, 24, 48, undefined].map(async (hours) => {
      await using venue = await demo(hours);
      await venue.advance('10m');
      const all = await candles(venue.url, 'ETH-PERP', {
        start: START_MS - 300 * HOUR_MS,
        end: START_MS - 1,
        resolution: 60,
      });
      return { hash: venue.stateHash(), all };
    }),
  );
  const [none, day, two, unsaid] = found as [
    (typeof found)[0],
    (typeof found)[0],
    (typeof found)[0],
    (typeof found)[0],
  ];
  assert.deepEqual([none.all, unsaid.all], [[], []], 'a manual clock has none by default');
  assert.deepEqual(two.all.slice(-24), day.all);
  assert.equal(new Set(found.map(({ hash }) => hash)).size, 1);
});

test('a started demo has 48 hours, the same after a restart and with a rebuilt archive, and none with 0', async () => {
  await using place = new Place();
  const first = await place.start(['--demo', '--data', place.data]);
  const query = { symbol: 'BTC-PERP', resolution: '1', limit: 300 };
  const ticker = await request(first.ready.http, 'GET', '/public-api/market/v1/klines', { query });
  assert.ok(JSON.stringify(ticker).length > 300 * 40, 'klines too');
  const now = Date.now();
  const range = { start: now - 60 * HOUR_MS, end: now - 2 * HOUR_MS, resolution: 60 };
  const before = await candles(first.ready.http, 'BTC-PERP', range);
  // Of 49 candles, the first and the last in part, those of the present and the last hour are left out.
  assert.ok(before.length >= 46 && before.length <= 47, `${before.length} hours`);
  const { stderr } = await stop(first);
  assert.match(stderr, /the candles of the 48 hours before the first start are made up/);

  const second = await place.start(['--demo', '--data', place.data]);
  assert.deepEqual(await candles(second.ready.http, 'BTC-PERP', range), before);
  await stop(second);

  rmSync(join(place.data, 'archive.db'));
  const third = await place.start(['--demo', '--data', place.data]);
  assert.deepEqual(await candles(third.ready.http, 'BTC-PERP', range), before);
  await stop(third);

  const none = await place.start(['--demo', '--data', place.data, '--demo-history', '0']);
  assert.deepEqual(await candles(none.ready.http, 'BTC-PERP', range), []);
  await stop(none);

  const refused = await place.run(['start', '--demo', '--demo-history', '721']);
  assert.match(refused.stderr, /^bourse: option '--demo-history <hours>'.* at most 720 hours/);
});
