/** Market data before SIGKILL and after the restart, and after a reset and a return to a saved state, are the same. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratch, VenueProcess } from './process.ts';

const ETH = 'ETH-USDT';
const PERP = 'BTC-PERP';
const PATHS = [
  '/public-api/market/v1/ticker/24hr',
  `/public-api/market/v1/trades?symbol=${ETH}&limit=500`,
  ...[1, 5, 60, 1440, 10_080, 43_200].map(
    (resolution) => `/public-api/market/v1/klines?symbol=${ETH}&limit=300&resolution=${resolution}`,
  ),
  `/public-api/market/v1/recentFundingHistory?symbol=${PERP}&period=7D`,
  '/spot/api/v3.3/market_summary',
  `/spot/api/v3.3/trades?symbol=${ETH}&afterSerialId=1`,
  `/futures/api/v2.3/funding_history?symbol=${PERP}`,
];

async function shown(venue: VenueProcess): Promise<Record<string, unknown>> {
  const replies = PATHS.map(async (path) => {
    const response = await fetch(venue.ready.http + path);
    const body = await response.json();
    assert.equal(response.status, 200, JSON.stringify(body));
    return [path, body];
  });
  return Object.fromEntries(await Promise.all(replies));
}

async function trade(venue: VenueProcess, price: number): Promise<void> {
  const order = { symbol: ETH, orderType: 'LIMIT', orderSize: 0.5, orderPrice: price } as const;
  await venue.bob.placeSpotOrder({ ...order, orderSide: 'SELL' });
  await venue.alice.placeSpotOrder({ ...order, orderSide: 'BUY' });
}

async function prices(venue: VenueProcess): Promise<void> {
  await venue.control.setPrices(ETH, { index: 5000 });
  await venue.control.setPrices(PERP, { index: 100_000 });
}

test('a venue that was killed shows the market data that it had shown, and each branch shows its own', async () => {
  const folder = join(scratch, 'market-data');
  const start = () => VenueProcess.start(folder, '--clock', 'manual');
  let venue = await start();
  await prices(venue);
  for (let minute = 0; minute < 40; minute += 1) {
    await trade(venue, 4990 + (minute % 20));
    await venue.control.advance(minute % 7 === 0 ? 3_600_000 : 60_000);
  }
  const before = await shown(venue);
  assert.equal((before[PATHS[1]] as { data: unknown[] }).data.length, 40);
  await venue.kill();
  venue = await start();
  assert.deepEqual(await shown(venue), before);

  await venue.control.save('here');
  await trade(venue, 5010);
  assert.notDeepEqual(await shown(venue), before);
  await venue.control.restore('here');
  assert.deepEqual(await shown(venue), before);
  await venue.control.reset();
  const empty = await shown(venue);
  assert.deepEqual((empty[PATHS[1]] as { data: unknown[] }).data, []);
  await venue.kill();
  venue = await start();
  assert.deepEqual(await shown(venue), empty);
  await venue.control.restore('here');
  assert.deepEqual(await shown(venue), before);
  await venue.stop();
});
