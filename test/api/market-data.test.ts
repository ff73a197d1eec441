/** Market data over HTTP: tickers, trades, candles, summaries, grouped books, funding rates, risk limits. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Json } from '../support/client.ts';
import { assertDocumented } from '../support/documented.ts';
import { leave, MILLION, open } from '../support/positions.ts';
import { BTC, PERP, START_MS, scenarios, type World } from '../support/venue.ts';

const MARKET = '/public-api/market/v1';
const SPOT = '/spot/api/v3.3';
const FUTURES = '/futures/api/v2.3';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

async function raw(w: World, path: string, query: Record<string, string | number> = {}) {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const response = await fetch(`${w.venue.url}${path}?${parameters}`);
  const body: Json = await response.json();
  assertDocumented('GET', path, response.status, body);
  return { status: response.status, body };
}

async function get(w: World, path: string, query: Record<string, string | number> = {}): Promise<Json> {
  const { status, body } = await raw(w, path, query);
  assert.equal(status, 200, JSON.stringify(body));
  return path.startsWith(MARKET) || path.endsWith('risk_limit') ? body.data : body;
}

/** Bob's order rests, and alice's takes it. */
async function trade(w: World, side: 'BUY' | 'SELL', price: number, size: number, symbol = BTC): Promise<void> {
  await w.rest(side === 'BUY' ? 'SELL' : 'BUY', price, size, symbol);
  const body = symbol.includes('PERP')
    ? w.alice.future({ symbol, side, type: 'LIMIT', price, size })
    : w.alice.spot({ symbol, orderSide: side, orderType: 'LIMIT', orderPrice: price, orderSize: size });
  assert.equal((await body).status, 200);
}

describe('trades', () => {
  const it = scenarios();

  it('of market v1: newest first, quantities as text, the side of the taker', async (w) => {
    await trade(w, 'BUY', 100.5, 0.5);
    await w.advance(1000);
    await trade(w, 'SELL', 100, 0.25);
    assert.deepEqual(await get(w, `${MARKET}/trades`, { symbol: BTC }), [
      { id: 2, timestamp: START_MS + 1000, price: '100', size: '0.25', quoteSize: '25', side: 'SELL' },
      { id: 1, timestamp: START_MS, price: '100.5', size: '0.5', quoteSize: '50.25', side: 'BUY' },
    ]);
    assert.equal((await get(w, `${MARKET}/trades`, { symbol: BTC, limit: 1 })).length, 1);
    assert.deepEqual(await get(w, `${MARKET}/trades`, { symbol: PERP }), []);
  });

  it('of spot v3.3 and futures v2.3: numbers, filtered by time and serial id', async (w) => {
    for (const price of [100, 101, 102, 103]) {
      await trade(w, 'BUY', price, 10, PERP);
      await w.advance(1000);
    }
    const [newest] = await get(w, `${FUTURES}/trades`, { symbol: PERP });
    const expected = { price: 103, size: 10, side: 'BUY', symbol: PERP, serialId: 4, timestamp: START_MS + 3000 };
    assert.deepEqual(newest, expected);
    const ids = async (query: Record<string, string | number>): Promise<number[]> => {
      const rows = await get(w, `${FUTURES}/trades`, { symbol: 'BTC-PERP-USDT', ...query });
      return rows.map(({ serialId }: Json) => serialId);
    };
    assert.deepEqual(await ids({}), [4, 3, 2, 1]);
    assert.deepEqual(await ids({ count: 2 }), [4, 3]);
    assert.deepEqual(await ids({ beforeSerialId: 4, count: 2 }), [3, 2]);
    assert.deepEqual(await ids({ afterSerialId: 1, count: 2 }), [3, 2]);
    assert.deepEqual(await ids({ startTime: START_MS + 1000, endTime: START_MS + 2000 }), [3, 2]);
    assert.deepEqual(await ids({ start: START_MS / 1000 + 1, end: START_MS / 1000 + 2 }), [3, 2]);
    assert.deepEqual(await get(w, `${SPOT}/trades`, { symbol: BTC }), []);
    const late = await raw(w, `${FUTURES}/trades`, { symbol: PERP, startTime: 99_999_999_999 });
    assert.match(JSON.stringify(late.body), /is after the latest time, 9999999999999/);
    const turned = await raw(w, `${FUTURES}/funding_history`, { symbol: PERP, from: START_MS + 1, to: START_MS });
    assert.match(JSON.stringify([turned.status, turned.body]), /400.*from .* is after to/);
    const wrong = await raw(w, `${FUTURES}/trades`, { symbol: PERP, startTime: 2, endTime: 1 });
    assert.equal(wrong.status, 400);
  });
});

describe('candles', () => {
  const it = scenarios();

  it('have the prices and the quote volume of their minute, and are flat without trades', async (w) => {
    await trade(w, 'BUY', 100, 1);
    await trade(w, 'BUY', 103, 2);
    await trade(w, 'SELL', 99, 1);
    await w.advance(2 * MINUTE_MS);
    await trade(w, 'BUY', 101, 1);
    const begin = START_MS / 1000;
    assert.deepEqual(await get(w, `${SPOT}/ohlcv`, { symbol: BTC, resolution: 1 }), [
      [begin + 120, 101, 101, 101, 101, 101],
      [begin + 60, 99, 99, 99, 99, 0],
      [begin, 100, 103, 99, 99, 405],
    ]);
    assert.deepEqual(await get(w, `${MARKET}/klines`, { symbol: BTC, resolution: 5 }), [
      [String(begin), '100', '103', '99', '101', '506'],
    ]);
  });

  it('are chosen by start, end and limit, in seconds or milliseconds', async (w) => {
    for (let minute = 0; minute < 12; minute += 1) {
      await trade(w, 'BUY', 100 + minute / 10, 1);
      await w.advance(MINUTE_MS);
    }
    const begin = START_MS / 1000;
    const minutes = async (query: Record<string, string | number>): Promise<number[]> => {
      const rows: string[][] = await get(w, `${MARKET}/klines`, { symbol: BTC, resolution: 1, ...query });
      return rows.map(([seconds]) => (Number(seconds) - begin) / 60);
    };
    assert.deepEqual(await minutes({}), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    assert.deepEqual(await minutes({ limit: 2 }), [12, 11]);
    assert.deepEqual(await minutes({ limit: 2, start: begin + 61 }), [3, 2]);
    assert.deepEqual(await minutes({ start: begin + 60, end: begin + 180 }), [3, 2, 1]);
    assert.deepEqual(await minutes({ start: START_MS + MINUTE_MS, end: START_MS + 3 * MINUTE_MS }), [3, 2, 1]);
    assert.deepEqual(await minutes({ limit: 2, end: begin + 180 }), [3, 2]);
    assert.deepEqual(await minutes({ start: begin + 7200 }), []);
  });

  it('of a range that begins before 1970 are those that were traded', async (w) => {
    await trade(w, 'BUY', 100, 1);
    // Then the memory of the market does not reach back to the trade.
    await w.advance(30 * HOUR_MS);
    for (const [path, query] of [
      [`${SPOT}/ohlcv`, { resolution: 1, end: 0 }],
      [`${MARKET}/klines`, { resolution: 1, end: 0 }],
      [`${MARKET}/klines`, { resolution: 10_080, end: 0, limit: 300 }],
    ] as const) {
      assert.deepEqual(await get(w, path, { symbol: BTC, ...query }), []);
    }
    const [candle, ...others] = await get(w, `${SPOT}/ohlcv`, { symbol: BTC, resolution: 43_200, end: START_MS });
    assert.deepEqual([candle.slice(1), others], [[100, 100, 100, 100, 100], []]);
  });

  it('of too long a range, without a resolution or of another one are refused', async (w) => {
    await w.advance(6 * HOUR_MS);
    const begin = START_MS / 1000;
    const range = { symbol: BTC, resolution: 1, start: begin, end: begin + 18_000 };
    const long = await raw(w, `${MARKET}/klines`, range);
    assert.deepEqual(
      [long.status, long.body.code, long.body.msg],
      [400, 10010004, 'BADREQUEST: resolution too small for the requested time range. Records returned exceeds 300'],
    );
    assert.equal((await raw(w, `${SPOT}/ohlcv`, { symbol: BTC })).status, 400);
    assert.equal((await raw(w, `${SPOT}/ohlcv`, { symbol: BTC, resolution: 7 })).status, 400);
  });
});

describe('the last 24 hours', () => {
  const it = scenarios();

  it('without a trade are those of the price that was set', async (w) => {
    const ticker = await get(w, `${MARKET}/ticker/24hr`, { symbol: BTC });
    assert.deepEqual(ticker, {
      symbol: BTC,
      lastPrice: '100',
      openPrice: '100',
      highPrice: '100',
      lowPrice: '100',
      amount: '0',
      volume: '0',
      openTime: START_MS / 1000 - 86_400,
      closeTime: START_MS / 1000,
      priceChange: '0',
      priceChangePercent: '0',
      prevClosePrice: '100',
      bidPrice: '0',
      bidQty: '0',
      askPrice: '0',
      askQty: '0',
    });
  });

  it('open with the last trade before them', async (w) => {
    await trade(w, 'BUY', 100, 1);
    await w.advance(HOUR_MS);
    await trade(w, 'BUY', 110, 2);
    const shown = async () => {
      const { openPrice, highPrice, lowPrice, lastPrice, amount, volume, priceChange, priceChangePercent } = await get(
        w,
        `${MARKET}/ticker/24hr`,
        { symbol: BTC },
      );
      return [openPrice, highPrice, lowPrice, lastPrice, amount, volume, priceChange, priceChangePercent];
    };
    assert.deepEqual(await shown(), ['100', '110', '100', '110', '3', '320', '10', '0.1']);
    await w.advance(23 * HOUR_MS + MINUTE_MS);
    assert.deepEqual(await shown(), ['100', '110', '110', '110', '2', '220', '10', '0.1']);
    await w.advance(48 * HOUR_MS);
    assert.deepEqual(await shown(), ['110', '110', '110', '110', '0', '0', '0', '0']);
  });

  it('of all markets: only perpetuals have funding', async (w) => {
    await w.advance(HOUR_MS);
    const rows: Json[] = await get(w, `${MARKET}/ticker/24hr`);
    assert.deepEqual(
      rows.map(({ symbol, fundingRate }) => [symbol, fundingRate]),
      [
        ['BTC-USDT', undefined],
        ['ETH-USDT', undefined],
        ['BTC-PERP-USDT', '0'],
        ['ETH-PERP-USDT', '0'],
      ],
    );
    const { nextFundingTime, fundingIntervalMinutes } = rows[2];
    assert.deepEqual([nextFundingTime, fundingIntervalMinutes], [START_MS + 8 * HOUR_MS, 480]);
    assert.equal((await get(w, `${MARKET}/ticker/24hr`, { types: '["Spot"]' })).length, 2);
    const indices = await get(w, `${MARKET}/ticker/indices`, { symbol: PERP });
    assert.deepEqual(indices, [{ symbol: 'BTC-PERP-USDT', indexPrice: '100', markPrice: '100' }]);
  });

  it('in market_summary: every field of BTSE, whole numbers where clients demand them', async (w) => {
    await trade(w, 'BUY', 100, 1);
    await w.rest('BUY', 99, 1);
    await w.rest('SELL', 101, 1);
    assert.deepEqual(await get(w, `${SPOT}/market_summary`, { symbol: BTC }), [
      {
        symbol: BTC,
        last: 100,
        lowestAsk: 101,
        highestBid: 99,
        percentageChange: 0,
        volume: 100,
        high24Hr: 100,
        low24Hr: 100,
        base: 'BTC',
        quote: 'USDT',
        active: true,
        size: 1,
        minValidPrice: 0.1,
        minPriceIncrement: 0.1,
        minOrderSize: 0.00001,
        maxOrderSize: 100,
        minSizeIncrement: 0.00001,
        openInterest: 0,
        openInterestUSD: 0,
        contractStart: 0,
        contractEnd: 0,
        timeBasedContract: false,
        openTime: 0,
        closeTime: 0,
        startMatching: 0,
        inactiveTime: 0,
        fundingRate: 0,
        contractSize: 0,
        maxPosition: 0,
        minRiskLimit: 0,
        maxRiskLimit: 0,
        availableSettlement: null,
        futures: false,
        isMarketOpenToOtc: false,
        isMarketOpenToSpot: true,
      },
    ]);
    const [perp, ...others] = await get(w, `${FUTURES}/market_summary`, { listFullAttributes: 'true' });
    assert.equal(others.length, 1);
    assert.deepEqual([perp.symbol, perp.base, perp.quote, perp.futures], [PERP, 'BTC', 'USDT', true]);
    assert.deepEqual([perp.fundingIntervalMinutes, perp.fundingTime], [480, START_MS + 8 * HOUR_MS]);
    for (const name of ['contractStart', 'maxPosition', 'minRiskLimit', 'maxRiskLimit']) {
      assert.ok(Number.isInteger(perp[name]), name);
    }
  });
});

describe('prices, books, funding and risk limits', () => {
  const it = scenarios();

  it('price: a list, also of one market', async (w) => {
    const spot = [{ symbol: BTC, indexPrice: 100, lastPrice: 100, markPrice: 0 }];
    assert.deepEqual(await get(w, `${SPOT}/price`, { symbol: BTC }), spot);
    const [perp, ...others] = await get(w, `${FUTURES}/price`);
    assert.deepEqual([perp, others.length], [{ symbol: PERP, indexPrice: 100, lastPrice: 100, markPrice: 100 }, 1]);
    const unknown = await raw(w, `${FUTURES}/price`, { symbol: 'NO-PERP' });
    assert.deepEqual([unknown.status, unknown.body.errorCode], [400, -7006]);
  });

  it('orderbook: prices with the decimals of the tick; groups round bids down and asks up', async (w) => {
    for (const [price, size] of [
      [99.9, 1],
      [99.6, 2],
      [99.4, 4],
    ]) {
      await w.rest('BUY', price, size);
    }
    for (const [price, size] of [
      [100.1, 1],
      [100.5, 2],
      [100.6, 4],
    ]) {
      await w.rest('SELL', price, size);
    }
    const rows = async (path: string, query: Record<string, string | number>) => {
      const { buyQuote, sellQuote, symbol, timestamp } = await get(w, path, { symbol: BTC, ...query });
      assert.deepEqual([symbol, timestamp], [BTC, START_MS]);
      return [buyQuote, sellQuote].map((side: Json[]) => side.map(({ price, size }) => `${price} ${size}`));
    };
    assert.deepEqual(await rows(`${SPOT}/orderbook/L2`, { depth: 2 }), [
      ['99.9 1', '99.6 2'],
      ['100.1 1', '100.5 2'],
    ]);
    assert.deepEqual(await rows(`${SPOT}/orderbook`, { group: 1, depth: 1 }), [
      ['99.5 3', '99.0 4'],
      ['100.5 3', '101.0 4'],
    ]);
    assert.deepEqual(await rows(`${SPOT}/orderbook`, { group: 2, limit_bids: 1 }), [['99.0 7'], ['101.0 7']]);
    assert.equal((await raw(w, `${SPOT}/orderbook`, { symbol: BTC, group: 9 })).status, 400);
  });

  it('funding rates: newest first, in seconds on v2.3, in milliseconds on market v1', async (w) => {
    await w.advance(17 * HOUR_MS);
    const settled = [16, 8].map((hours) => START_MS + hours * HOUR_MS);
    const history = await get(w, `${FUTURES}/funding_history`);
    assert.deepEqual(Object.keys(history), [PERP, 'ETH-PERP']);
    assert.deepEqual(
      history[PERP],
      settled.map((ms) => ({ time: ms / 1000, rate: 0, symbol: PERP })),
    );
    assert.equal((await get(w, `${FUTURES}/funding_history`, { symbol: PERP, count: 1 }))[PERP].length, 1);
    assert.deepEqual(
      await get(w, `${MARKET}/recentFundingHistory`, { symbol: PERP, period: '7D' }),
      settled.map((timestamp) => ({ timestamp, rate: '0' })),
    );
    assert.equal((await raw(w, `${MARKET}/recentFundingHistory`, { symbol: PERP })).status, 400);
  });

  it('open interest: the contracts of all long positions, and their value at the mark', async (w) => {
    await trade(w, 'BUY', 100, 300, PERP);
    await trade(w, 'SELL', 100, 100, PERP);
    const { openInterest, openInterestUSD } = await get(w, `${MARKET}/ticker/24hr`, { symbol: PERP });
    assert.deepEqual([openInterest, openInterestUSD], ['200', '0.2']);
    const [summary] = await get(w, `${FUTURES}/market_summary`, { symbol: PERP });
    assert.deepEqual([summary.openInterest, summary.openInterestUSD], [200, 0.2]);
  });

  it('liquidations are in trades and candles, and do not set the last price', async (w) => {
    await open(w, MILLION);
    await leave(w, '20');
    await w.rest('BUY', 98.4, 2 * MILLION, PERP);
    await w.price(PERP, { mark: 98.49 });
    const [newest] = await get(w, `${FUTURES}/trades`, { symbol: PERP });
    assert.deepEqual([newest.price, newest.size, newest.side], [98.4, MILLION / 4, 'SELL']);
    const ticker = await get(w, `${MARKET}/ticker/24hr`, { symbol: PERP });
    const { lastPrice, lowPrice, amount, openInterest } = ticker;
    assert.deepEqual([lastPrice, lowPrice, amount, openInterest], ['100', '98.4', '1500000', '500000']);
    const [candle] = await get(w, `${FUTURES}/ohlcv`, { symbol: PERP, resolution: 1 });
    assert.deepEqual(candle.slice(1, 5), [100, 100, 98.4, 98.4]);
  });

  it('risk limits: one object for a symbol on market v1, a list otherwise', async (w) => {
    const one = await get(w, `${MARKET}/riskLimits`, { symbol: 'BTC-PERP-USDT' });
    assert.equal(one.symbol, 'BTC-PERP-USDT');
    assert.deepEqual(
      one.riskLimits.map(({ level }: Json) => level),
      one.riskLimits.map((_: Json, i: number) => i + 1),
    );
    assert.equal((await get(w, `${MARKET}/riskLimits`)).length, 2);
    const [first] = await get(w, `${FUTURES}/market/risk_limit`, { symbol: PERP });
    assert.deepEqual([first.symbol, first.riskLevel, first.riskLimitValue], [PERP, 1, one.riskLimits[0].value]);
    assert.equal(first.maxLeverage, Math.floor(1 / first.initialMarginRate));
  });
});
