/** What a start may choose: recorded funding rates, a demo beside a recorded market, and traders who go on at its end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlClient, startVenue, type TestVenue } from '../../src/index.ts';
import { Folder } from '../recorded/support.ts';
import { writeMadeUp, writeMadeUpTicker } from './made-up.ts';
import { funding, PlayedVenue, references } from './support.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function ratesOf(driver: PlayedVenue): number[] {
  return driver.events.flatMap((event) => (event.type === 'fundingSet' ? [event.rateParts] : []));
}

test('a recorded funding rate is paid in place of the venue’s own, within the cap, and survives a restart', () => {
  let driver = new PlayedVenue({ market: 'BTC-PERP' });
  driver.play(references(600_000_000));
  driver.play(funding(12_345));
  driver = driver.reloadedPlayed();
  for (let hour = 0; hour < 8; hour += 1) driver.play(references(600_000_000), HOUR_MS);
  driver.play(funding(-90_000_000)); // 90 %: more than the cap of the market.
  for (let hour = 0; hour < 8; hour += 1) driver.play(references(600_000_000), HOUR_MS);
  const [first, second] = ratesOf(driver);
  assert.equal(first, 12_345);
  const cap = Number(driver.venue.markets[driver.market].spec.funding?.cap);
  assert.equal(second, Math.round(-cap * 1e8));
  assert.equal(driver.play(funding(100_000_001)).refusal?.reason, 'recordingUnfit');
});

const SYMBOL = 'ABC-PERP';

async function ratesWith(files: readonly string[], rule: 'own' | 'recorded'): Promise<number[]> {
  await using venue = await startVenue({
    replay: { files, market: SYMBOL, sizes: 'contracts', fit: true, time: 'keep', funding: rule },
    currencies: { ABC: { decimals: 8 } },
    markets: [
      {
        ...{ symbol: SYMBOL, kind: 'perpetual', base: 'ABC', quote: 'USDT', tick: '0.1', maxPrice: '1000' },
        ...{ step: '1', minSize: '1', maxSize: '100000', contractSize: '0.1' },
        funding: { intervalMs: MINUTE_MS },
      },
    ],
  });
  await venue.advance('130s');
  const reply = await fetch(`${venue.url}/futures/api/v2.3/funding_history?symbol=${SYMBOL}`);
  const rows = ((await reply.json()) as Record<string, { rate: number }[]>)[SYMBOL];
  return rows.map(({ rate }) => rate);
}

test('with --funding recorded a perpetual pays the rates of its files', async () => {
  using folder = new Folder();
  const made = { seconds: 130, seed: 12, symbol: SYMBOL };
  const files = [...(await writeMadeUp(folder.path, made)), writeMadeUpTicker(folder.path, made, () => 100)];
  assert.deepEqual(await ratesWith(files, 'recorded'), [0.0001, 0.0001]);
  assert.notDeepEqual(await ratesWith(files, 'own'), [0.0001, 0.0001]);
});

test('recorded funding rates of a market without funding are refused', async () => {
  using folder = new Folder();
  const files = await writeMadeUp(folder.path, { seconds: 5, seed: 2 });
  await assert.rejects(startVenue({ replay: { files, funding: 'recorded' } }), /BTC-USDT has no funding/);
});

/** The prices of the synthetic traders' open orders in a market. */
async function quotesOf(venue: TestVenue, symbol: string): Promise<Set<number>> {
  const control = new ControlClient({ url: venue.control, token: venue.controlToken });
  const pages = await Promise.all([1, 2, 3, 4].map((n) => control.openOrders(`trader-${n}`)));
  const orders = pages.flatMap(({ orders: page }) => page).filter((order) => order.symbol === symbol);
  return new Set(orders.map(({ price }) => Number(price)));
}

test('beside a recording the traders of a demo act in all other markets, and at its end they go on in this one', async () => {
  using folder = new Folder();
  const files = await writeMadeUp(folder.path, { seconds: 10, seed: 15 });
  await using venue = await startVenue({ demo: true, replay: { files, atEnd: 'traders' } });
  await venue.advance('9s');
  const recorded = await venue.book('BTC-USDT');
  assert.ok(recorded.bids.length > 5 && recorded.asks.length > 5, 'the recorded book');
  assert.equal((await quotesOf(venue, 'BTC-USDT')).size, 0);
  assert.ok((await quotesOf(venue, 'ETH-USDT')).size > 0);
  await venue.advance('5m');
  const { bids, asks } = await venue.book('BTC-USDT');
  assert.ok(bids.length > 0 && asks.length > 0);
  const prices = [...bids, ...asks].map(([price]) => Number(price));
  assert.deepEqual(new Set(prices), await quotesOf(venue, 'BTC-USDT'), 'nothing of the recorded book rests any more');
  assert.ok((await venue.audit()).ok);
});

test('only a demo has traders who could go on', async () => {
  using folder = new Folder();
  const files = await writeMadeUp(folder.path, { seconds: 5, seed: 2 });
  await assert.rejects(startVenue({ replay: { files, atEnd: 'traders' } }), /--at-end traders needs --demo/);
});
