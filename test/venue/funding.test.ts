/** Funding and the mark price (semantics.md sections 11 and 13), against a venue without a wire. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_MARKETS } from '../../src/config/defaults.ts';
import { liveState } from '../support/live-state.ts';
import { BTC_PERP, genesis, VenueDriver } from './support.ts';

const FINE = 1000;
const HOUR_MS = 3_600_000;

function wallet(driver: VenueDriver, account: number): bigint {
  return driver.venue.balances(account).find(({ currency }) => currency.code === 'USDT')?.total ?? 0n;
}

/** alice short and bob long 100,000 contracts at 60,000.0, with a book 0.3 % over the index, of the impact size on both sides. */
function premiumBook(impact = 50_000): VenueDriver {
  const driver = new VenueDriver();
  driver.prices(BTC_PERP, { index: 600_000 * FINE });
  driver.limit(0, BTC_PERP, 1, 600_000, 100_000);
  driver.limit(1, BTC_PERP, 0, 600_000, 100_000);
  driver.limit(0, BTC_PERP, 1, 601_900, impact);
  driver.limit(1, BTC_PERP, 0, 601_800, impact);
  return driver;
}

test('a book above the index: after eight hours longs pay shorts a third of the mean premium, cents to the fund', () => {
  const driver = premiumBook();
  const before = [wallet(driver, 0), wallet(driver, 1)];
  driver.advance(8 * HOUR_MS - 1);
  const market = driver.venue.marketBySymbol('BTC-PERP');
  const value = (BigInt(market?.mark ?? 0) * 100_000n * 100n) / 1000n;
  driver.advance(1);
  assert.equal(market?.fundingRate, 100_000); // 0.3 % / 3 = 0.1 %
  const paid = before[1] - wallet(driver, 1);
  const received = wallet(driver, 0) - before[0];
  assert.equal(paid, (value * 100_000n + 99_999_999n) / 100_000_000n);
  assert.equal(received, (value * 100_000n) / 100_000_000n);
  assert.ok(driver.venue.audit().ok);
});

test('a side thinner than the impact size counts nothing: no funding', () => {
  const driver = premiumBook(49_999);
  const before = wallet(driver, 1);
  driver.advance(8 * HOUR_MS);
  assert.equal(driver.venue.marketBySymbol('BTC-PERP')?.fundingRate, 0);
  assert.equal(wallet(driver, 1), before);
});

test('the rate is capped at 0.375 %', () => {
  const driver = premiumBook();
  driver.prices(BTC_PERP, { index: 590_000 * FINE }); // the bids are 2 % above it: 0.666 % without the cap
  driver.advance(8 * HOUR_MS);
  assert.equal(driver.venue.marketBySymbol('BTC-PERP')?.fundingRate, 375_000);
});

test('mark follows the index while there are no samples, and is the median of three afterwards', () => {
  const driver = premiumBook();
  const market = driver.venue.marketBySymbol('BTC-PERP');
  assert.equal(market?.mark, 600_000 * FINE);
  driver.advance(60_000);
  // Bids of 601,800 and asks of 601,900 count as 601,500 (0.25 %): a basis of 1,500 / 60 = 25 ticks; last is still the index.
  assert.deepEqual(liveState(driver.venue).markets[BTC_PERP].basis, [1_500 * FINE]);
  assert.equal(market?.mark, 600_000 * FINE);
  driver.limit(1, BTC_PERP, 0, 601_900, 5); // last 601,900: the median is index + basis
  assert.equal(market?.mark, 600_025 * FINE);
  driver.limit(0, BTC_PERP, 1, 601_900, 5); // 49,995 asks are less than the impact size, and are filled up again
  driver.advance(59 * 60_000);
  assert.equal(market?.mark, 601_500 * FINE); // sixty such samples: as far from the index as a mark can be
});

test('quotes smaller than the impact size give no basis, whatever they quote', () => {
  const driver = premiumBook(49_999);
  const market = driver.venue.marketBySymbol('BTC-PERP');
  driver.limit(1, BTC_PERP, 0, 601_900, 5);
  driver.advance(60 * 60_000);
  assert.deepEqual(liveState(driver.venue).markets[BTC_PERP].basis, new Array(60).fill(0));
  assert.equal(market?.mark, 600_000 * FINE);
});

test('a mark set manually stays until it is released', () => {
  const driver = new VenueDriver();
  driver.prices(BTC_PERP, { index: 600_000 * FINE, mark: 610_000 * FINE });
  driver.prices(BTC_PERP, { index: 590_000 * FINE });
  const market = driver.venue.marketBySymbol('BTC-PERP');
  assert.equal(market?.mark, 610_000 * FINE);
  driver.prices(BTC_PERP, { mark: null });
  assert.equal(market?.mark, 590_000 * FINE);
});

test('where a tick is coarser than maxBasis the mark lies between ticks: it never leaves the index further than that', {
  rule: '13.12',
}, () => {
  const coarse = { ...DEFAULT_MARKETS[BTC_PERP], tick: '1000' };
  const markets = DEFAULT_MARKETS.map((market, i) => (i === BTC_PERP ? coarse : market));
  const driver = new VenueDriver(genesis({ markets }));
  // In fine units of a tick of 1000: 60,490 and 60,510 stay what they are; 60,100 is within 0.25 % of the tick 60,000.
  for (const [index, mark] of [
    [60_490, 60_490],
    [60_510, 60_510],
    [60_100, 60_000],
  ]) {
    driver.prices(BTC_PERP, { index });
    assert.equal(driver.venue.markets[BTC_PERP].mark, mark);
  }
});
