/** What unmodified ccxt makes of the market data: every method that its `has` declares for them, in its unified shape. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startVenue, type TestVenue } from '../../src/index.ts';
import { connect, reset, SPOT, SWAP } from './support.ts';

const BEGIN_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const METHODS = [
  'fetchTicker',
  'fetchTickers',
  'fetchTrades',
  'fetchOHLCV',
  'fetchFundingRate',
  'fetchFundingRates',
  'fetchFundingRateHistory',
  'fetchOpenInterest',
  'fetchOpenInterests',
  'fetchLeverageTiers',
  'fetchMarketLeverageTiers',
] as const;

let venue: TestVenue;
const btse = () => connect(venue, venue.keys[0]);

/** A trade a minute on both markets for half an hour, then nine hours without any, over a settlement of funding. */
before(async () => {
  venue = await startVenue({
    accounts: [
      { name: 'trader', balances: { USDT: '1000000', BTC: '10' } },
      { name: 'maker', balances: { USDT: '1000000', BTC: '10' } },
    ],
  });
  await reset(venue);
  const maker = connect(venue, venue.keys[1]);
  for (let minute = 0; minute < 30; minute += 1) {
    const price = 60_000 + minute;
    for (const [symbol, size] of [
      [SPOT, 0.01],
      [SWAP, 100],
    ] as const) {
      await maker.createOrder(symbol, 'limit', 'sell', size, price);
      await btse().createOrder(symbol, 'limit', 'buy', size, price);
    }
    await venue.advance(MINUTE_MS);
  }
  for (const [symbol, size] of [
    [SPOT, 0.02],
    [SWAP, 200],
  ] as const) {
    await maker.createOrder(symbol, 'limit', 'buy', size, 59_990);
    await maker.createOrder(symbol, 'limit', 'sell', size, 60_040);
  }
  await venue.advance('9h');
});
after(() => venue.close());

test('ccxt has these methods for btse', () => {
  const { has } = btse();
  for (const name of METHODS) assert.equal(has[name], true, name);
});

for (const [symbol, base, quote, size] of [
  [SPOT, 0.3, 18_004.35, 0.02],
  [SWAP, 0.03, 1_800.435, 200],
] as const) {
  test(`the ticker of ${symbol}: prices, volumes in both currencies, the best of the book`, async () => {
    const ticker = await btse().fetchTicker(symbol);
    const { last, open, high, low, change, previousClose, baseVolume, quoteVolume } = ticker;
    assert.deepEqual([last, open, high, low, change, previousClose], [60_029, 60_000, 60_029, 60_000, 29, 60_000]);
    assert.deepEqual([baseVolume, quoteVolume], [base, quote]);
    assert.deepEqual([ticker.bid, ticker.bidVolume, ticker.ask, ticker.askVolume], [59_990, size, 60_040, size]);
    assert.equal(ticker.timestamp, BEGIN_MS + 9 * HOUR_MS + 30 * MINUTE_MS);
    assert.ok(Math.abs((ticker.percentage as number) - 0.0483) < 0.0001);
  });

  test(`the trades of ${symbol}: the newest, oldest first`, async () => {
    const trades = await btse().fetchTrades(symbol, undefined, 5);
    assert.deepEqual(
      trades.map(({ id, price, side, timestamp }) => [id, price, side, timestamp]),
      [25, 26, 27, 28, 29].map((n) => [String(n + 1), 60_000 + n, 'buy', BEGIN_MS + n * MINUTE_MS]),
    );
    assert.equal(trades[0].symbol, symbol);
    assert.equal((await btse().fetchTrades(symbol, BEGIN_MS + 20 * MINUTE_MS)).length, 10);
  });

  test(`the candles of ${symbol}: of any resolution, a range, without gaps`, async () => {
    const from = BEGIN_MS + 25 * MINUTE_MS;
    const minutes = await btse().fetchOHLCV(symbol, '1m', from, 8);
    assert.deepEqual(
      minutes.map(([time, open, high, low, close]) => [time, open, high, low, close]),
      [25, 26, 27, 28, 29, 29, 29, 29].map((n, i) => [
        from + i * MINUTE_MS,
        ...[60_000 + n, 60_000 + n, 60_000 + n, 60_000 + n],
      ]),
    );
    assert.deepEqual(
      minutes.map(([, , , , , volume]) => (volume as number) > 0),
      [true, true, true, true, true, false, false, false],
    );
    const [hour, ...others] = await btse().fetchOHLCV(symbol, '1h', BEGIN_MS, 300);
    assert.deepEqual(hour, [BEGIN_MS, 60_000, 60_029, 60_000, 60_029, quote]);
    assert.equal(others.length, 9);
    for (const timeframe of Object.keys(btse().timeframes)) {
      assert.ok((await btse().fetchOHLCV(symbol, timeframe)).length > 0, timeframe);
    }
    const until = await btse().fetchOHLCV(symbol, '1m', from, undefined, { until: from + 2 * MINUTE_MS });
    assert.equal(until.length, 3);
    const paged = await btse().fetchOHLCV(symbol, '1m', BEGIN_MS, 570, {
      paginate: true,
      until: BEGIN_MS + 9 * HOUR_MS,
    });
    assert.ok(paged.length > 500, String(paged.length));
  });
}

test('all tickers, and some', async () => {
  assert.deepEqual(Object.keys(await btse().fetchTickers()).sort(), [SPOT, SWAP, 'ETH/USDT', 'ETH/USDT:USDT'].sort());
  assert.deepEqual(Object.keys(await btse().fetchTickers([SWAP])), [SWAP]);
});

test('the funding rate, its next settlement, and its history', async () => {
  const rate = await btse().fetchFundingRate(SWAP);
  assert.equal(rate.nextFundingTimestamp, BEGIN_MS + 16 * HOUR_MS);
  assert.equal(rate.interval, '8h');
  const rates = await btse().fetchFundingRates();
  assert.deepEqual(Object.keys(rates).sort(), [SWAP, 'ETH/USDT:USDT'].sort());
  const history = await btse().fetchFundingRateHistory(SWAP);
  assert.deepEqual(
    history.map(({ timestamp, fundingRate }) => [timestamp, fundingRate]),
    [[BEGIN_MS + 8 * HOUR_MS, rate.fundingRate]],
  );
});

test('the open interest in contracts and in USDT', async () => {
  const interest = await btse().fetchOpenInterest(SWAP);
  assert.equal(interest.openInterestAmount, 3000);
  assert.ok(Math.abs((interest.openInterestValue as number) - 1800) < 5, String(interest.openInterestValue));
  assert.deepEqual(Object.keys(await btse().fetchOpenInterests()).sort(), [SWAP, 'ETH/USDT:USDT'].sort());
});

test('the risk tiers of one perpetual and of all', async () => {
  const tiers = await btse().fetchMarketLeverageTiers(SWAP);
  assert.deepEqual([tiers[0].tier, tiers[0].minNotional], [1, 0]);
  for (const [i, { maxNotional }] of tiers.entries()) {
    if (i > 0) assert.equal(tiers[i].minNotional, tiers[i - 1].maxNotional);
    assert.ok((maxNotional as number) > (tiers[i].minNotional as number));
  }
  assert.deepEqual(Object.keys(await btse().fetchLeverageTiers()).sort(), [SWAP, 'ETH/USDT:USDT'].sort());
});

test('an unknown market is BadSymbol, and spot has no funding rate', async () => {
  const client = btse();
  await client.loadMarkets();
  await assert.rejects(client.publicGetPublicApiMarketV1Ticker24hr({ symbol: 'NO-SUCH' }), /BadSymbol|no market/);
  await assert.rejects(client.fetchFundingRate(SPOT), /does not support spot/);
});
