/** Market v1, wallet v1 and the clock of spot v3.3, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { START_MS, World } from '../support/venue.ts';

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.close());

async function get(path: string): Promise<{ status: number; body: Record<string, never> & { data: never } }> {
  const response = await fetch(world.venue.url + path);
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const MARKETS = '/public-api/market/v1/markets';
const BOOK = '/public-api/market/v1/orderbook';

test('markets: the four defaults, quantities as text', async () => {
  const { status, body } = await get(MARKETS);
  assert.equal(status, 200);
  const { symbols } = body.data as { symbols: Record<string, unknown>[] };
  assert.deepEqual(
    symbols.map(({ symbol, type, tradeCurrency }) => [symbol, type, tradeCurrency]),
    [
      ['BTC-USDT', 'Spot', 'BTC'],
      ['ETH-USDT', 'Spot', 'ETH'],
      ['BTC-PERP-USDT', 'FuturesPerpetual', 'BTC-PERP'],
      ['ETH-PERP-USDT', 'FuturesPerpetual', 'ETH-PERP'],
    ],
  );
  assert.deepEqual(symbols[2], {
    symbol: 'BTC-PERP-USDT',
    type: 'FuturesPerpetual',
    category: 'CRYPTO',
    tradeCurrency: 'BTC-PERP',
    baseCurrency: 'BTC',
    quoteCurrency: 'USDT',
    displayName: 'BTC',
    active: true,
    minOrderPrice: '0.1',
    minPriceIncrement: '0.1',
    pricePrecision: 1,
    minOrderSize: '1',
    maxOrderSize: '7500000',
    minSizeIncrement: '1',
    sizePrecision: 0,
    contractSize: '0.00001',
    availableSettlement: ['USDT'],
  });
  assert.ok(!('contractSize' in symbols[0]));
  const { data, ...envelope } = body;
  assert.ok(data);
  assert.deepEqual(envelope, { code: 1, msg: 'Success', success: true, time: START_MS });
});

async function listed(query: Record<string, string>): Promise<string[]> {
  const { status, body } = await get(`${MARKETS}?${new URLSearchParams(query)}`);
  assert.equal(status, 200, JSON.stringify(body));
  return (body.data as { symbols: { symbol: string }[] }).symbols.map(({ symbol }) => symbol);
}

test('markets: one by its id or its symbol, and -7006 for another name', async () => {
  assert.deepEqual(await listed({ symbol: 'ETH-USDT' }), ['ETH-USDT']);
  for (const symbol of ['BTC-PERP', 'BTC-PERP-USDT']) assert.deepEqual(await listed({ symbol }), ['BTC-PERP-USDT']);
  const unknown = await get(`${MARKETS}?symbol=BTC-EUR`);
  assert.deepEqual([unknown.status, unknown.body.code], [400, -7006]);
});

test('markets: types leaves the markets of these types', async () => {
  const spot = ['BTC-USDT', 'ETH-USDT'];
  const perpetual = ['BTC-PERP-USDT', 'ETH-PERP-USDT'];
  assert.deepEqual(await listed({ types: '["FuturesPerpetual"]' }), perpetual);
  assert.deepEqual(await listed({ types: '["Spot"]' }), spot);
  assert.deepEqual(await listed({ types: '["Spot", "FuturesPerpetual"]' }), [...spot, ...perpetual]);
  assert.deepEqual(await listed({ types: '["FuturesTimeBased"]' }), []);
  assert.deepEqual(await listed({ types: '["Spot"]', symbol: 'BTC-PERP' }), []);
  for (const [types, problem] of [
    ['Spot', 'types is "Spot"'],
    ['"Spot"', 'types contains "Spot"'],
    ['["spot"]', 'types contains "spot"'],
    ['["Spot",1]', 'types contains 1'],
    ['{}', 'types contains {}'],
  ]) {
    const { status, body } = await get(`${MARKETS}?${new URLSearchParams({ types })}`);
    const expected = 'give a JSON array of Spot, FuturesPerpetual, FuturesTimeBased, such as ["FuturesPerpetual"]';
    assert.deepEqual([status, body.code, body.msg], [400, 400, `BADREQUEST: ${problem}: ${expected}`]);
  }
});

test('orderbook: a perpetual by its id or its symbol', async () => {
  await world.begin();
  await world.rest('BUY', 99, 10, 'BTC-PERP');
  for (const symbol of ['BTC-PERP', 'BTC-PERP-USDT']) {
    const { status, body } = await get(`${BOOK}?symbol=${symbol}`);
    assert.deepEqual([status, body.data], [200, { timestamp: START_MS, bids: [['99', '10']], asks: [] }]);
  }
});

test('orderbook: levels summed by price, best first, as deep as asked', async () => {
  await world.begin();
  for (const [side, price, size] of [
    ['BUY', 99, '1'],
    ['BUY', 99, '0.5'],
    ['BUY', 98, '2'],
    ['SELL', 101, '3'],
    ['SELL', 102, '4'],
  ] as const) {
    await world.rest(side, price, size);
  }
  const book = async (depth: string) => (await get(`${BOOK}?symbol=BTC-USDT${depth}`)).body.data;
  const bids = [
    ['99', '1.5'],
    ['98', '2'],
  ];
  const asks = [
    ['101', '3'],
    ['102', '4'],
  ];
  assert.deepEqual(await book(''), { timestamp: START_MS, bids, asks });
  assert.deepEqual(await book('&depth=50'), { timestamp: START_MS, bids, asks });
  assert.deepEqual(await book('&depth=1'), { timestamp: START_MS, bids: [bids[0]], asks: [asks[0]] });
});

test('orderbook: a hidden size is in no depth', async () => {
  await world.begin();
  const peg = { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'PEG', orderPrice: 99, orderSize: 1, stealth: 10 };
  assert.equal((await world.bob.spot(peg)).status, 200);
  const { body } = await get(`${BOOK}?symbol=BTC-USDT`);
  assert.deepEqual((body.data as { bids: string[][] }).bids, [['99', '0.1']]);
});

test('orderbook: what is wrong with the query is named', async () => {
  for (const [query, code, mention] of [
    ['', 400, /symbol is missing/],
    ['?symbol=X', -7006, /X/],
    ['?symbol=BTC-USDT&depth=0', 400, /depth is "0".*from 1 to 50/],
    ['?symbol=BTC-USDT&depth=51', 400, /depth/],
    ['?symbol=BTC-USDT&depth=1.5', 400, /depth/],
    ['?symbol=BTC-USDT&depth=x', 400, /depth/],
  ] as const) {
    const { status, body } = await get(BOOK + query);
    assert.deepEqual([status, body.code], [400, code], query);
    assert.match(String(body.msg), mention);
  }
});

test('assets: every currency as text, what orders hold is not available', async () => {
  await world.begin();
  const assets = async () => {
    const { status, body } = await world.alice.call('GET', '/public-api/wallet/v1/user/assets');
    assert.equal(status, 200);
    return Object.fromEntries(
      body.data.map((row: Record<string, string>) => [row.asset, [row.totalAmount, row.availableAmount]]),
    );
  };
  assert.deepEqual(await assets(), {
    USDT: ['1000000', '1000000'],
    USD: ['0', '0'],
    BTC: ['1000', '1000'],
    ETH: ['1000', '1000'],
  });
  await world.alice.spot({
    symbol: 'BTC-USDT',
    orderSide: 'BUY',
    orderType: 'LIMIT',
    orderPrice: '99.5',
    orderSize: '0.01',
  });
  assert.deepEqual((await assets()).USDT, ['1000000', '999999.005']);
});

test("time: the venue's clock, the epoch in seconds", async () => {
  await world.begin();
  await world.advance(1500);
  const { body } = await get('/spot/api/v3.3/time');
  assert.deepEqual(body, { iso: '2026-01-01T00:00:01.500Z', epoch: START_MS / 1000 + 1 });
});
