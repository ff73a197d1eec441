/** What it costs to refuse a topic: anyone may ask for hundreds in a frame, without a login. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Publishers, type Socket, STREAM_PATHS, socketAt, topicOf } from '../../src/api/streams/topics.ts';
import type { Venue } from '../../src/venue/venue.ts';
import type { MarketView } from '../../src/venue/views.ts';

test('a topic of an unknown market reads the names of the markets, and composes no error of the other surfaces', () => {
  let reads = 0;
  const spec = { base: 'BTC', quote: 'USDT' };
  const market = (product: string, symbol: string) => ({
    product,
    symbol,
    get spec() {
      reads += 1;
      return spec;
    },
  });
  const markets = [
    ...Array.from({ length: 100 }, (_, i) => market('spot', `BTC${i}-USDT`)),
    ...Array.from({ length: 100 }, (_, i) => market('futures', `BTC${i}-PERP`)),
  ] as unknown as MarketView[];
  const venue = { markets, marketBySymbol: () => undefined } as unknown as Venue;
  for (const path of STREAM_PATHS) {
    for (const name of [
      'update:BTX-USDT_0',
      'tradeHistoryApi:BTX-USDT',
      'tradeHistoryApiV3:BTX-PERP',
      'nope:BTX-PERP',
    ]) {
      reads = 0;
      const topic = topicOf(venue, socketAt(path) as Socket, name, {} as Publishers);
      assert.equal(topic.kind, 'refused');
      // The names of a perpetual have three reads: twice for the socket's product and for the hint.
      assert.ok(reads <= 2 * 3 * 100, `${path} ${name}: ${reads} reads`);
    }
  }
});
