/** Requests in the style of BTSE's published samples: spaced JSON, zeros for what is not meant, older header names. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startVenue, type TestVenue } from '../../src/index.ts';
import { call, signature } from '../support/signing.ts';

let venue: TestVenue;
before(async () => {
  venue = await startVenue();
  await venue.setPrice('BTC-USDT', 60_000);
  await venue.setPrice('BTC-PERP', 60_000);
});
after(() => venue.close());

const FUTURES_ORDER = '/futures/api/v2.3/order';
const SPOT_ORDERS = '/spot/api/v4/trade/orders';
/** Python's json.dumps: a space after each comma and colon. */
const spaced = (body: object) =>
  JSON.stringify(body, null, 1).replace(/\n */g, ' ').replace('{ ', '{').replace(' }', '}');

test('the published futures sample, with its zeros and its 8500.0, places a plain limit order', async () => {
  const body =
    '{"postOnly":false,"price":8500.0,"reduceOnly":false,"side":"BUY","size":1,"stopPrice":0.0,"symbol":"BTC-PERP",' +
    '"time_in_force":"GTC","trailValue":0.0,"triggerPrice":0.0,"txType":"LIMIT","type":"LIMIT"}';
  const { status, body: reply } = await call(venue.url, venue.key, 'POST', FUTURES_ORDER, body);
  assert.equal(status, 200, JSON.stringify(reply));
  const [{ orderID, price, orderType, trigger, triggerPrice, time_in_force }] = reply;
  assert.deepEqual(
    [reply.length, price, orderType, trigger, triggerPrice, time_in_force],
    [1, 8500, 76, false, 0, 'GTC'],
  );
  const cancelled = await call(venue.url, venue.key, 'DELETE', `${FUTURES_ORDER}?symbol=BTC-PERP&orderID=${orderID}`);
  assert.deepEqual([cancelled.status, cancelled.body[0].status], [200, 6]);
});

test('a body with spaces is verified as it was sent, and not with one space less', async () => {
  const body = spaced({
    symbol: 'BTC-PERP',
    size: 1,
    price: 59000.5,
    side: 'BUY',
    type: 'LIMIT',
    time_in_force: 'GTC',
  });
  assert.match(body, /^\{"symbol": "BTC-PERP", "size": 1, /);
  const placed = await call(venue.url, venue.key, 'POST', FUTURES_ORDER, body);
  assert.equal(placed.status, 200, JSON.stringify(placed.body));
  const nonce = Date.now();
  const response = await fetch(venue.url + FUTURES_ORDER, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'request-api': venue.key.key,
      'request-nonce': String(nonce),
      'request-sign': signature(venue.key.secret, '/api/v2.3/order', nonce, body),
    },
    body: body.replace(', ', ','),
  });
  assert.equal(response.status, 401);
  assert.equal(((await response.json()) as { errorCode: number }).errorCode, -7);
});

test('capitals as in the older manuals are read on futures v2.3', async () => {
  const body = spaced({
    symbol: 'BTC-PERP-USDT',
    size: '1',
    price: '59000',
    side: 'Buy',
    type: 'Limit',
    txType: 'Limit',
  });
  const { status, body: reply } = await call(venue.url, venue.key, 'POST', FUTURES_ORDER, body);
  assert.equal(status, 200, JSON.stringify(reply));
  assert.deepEqual([reply[0].side, reply[0].symbol, reply[0].positionId], ['BUY', 'BTC-PERP', 'BTC-PERP-USDT']);
});

test('the older header names sign in the same way', async () => {
  const body = spaced({ symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 0.01, orderPrice: 59000 });
  const placed = await call(venue.url, venue.key, 'POST', SPOT_ORDERS, body, { family: 'btse' });
  assert.equal(placed.status, 200, JSON.stringify(placed.body));
  const id = placed.body[0].orderId;
  const found = await call(venue.url, venue.key, 'GET', `/spot/api/v4/trade/order?orderId=${id}`, undefined, {
    family: 'btse',
  });
  assert.deepEqual([found.status, found.body.orderState], [200, 'ORDER_INSERTED']);
});

test('a stop and an OCO in sample style reach the venue whole', async () => {
  const stop = spaced({
    symbol: 'BTC-PERP',
    size: 1,
    price: 0.0,
    side: 'SELL',
    type: 'MARKET',
    txType: 'STOP',
    triggerPrice: 59000.0,
    trigger: 'lastPrice',
    stopPrice: 0.0,
    trailValue: 0.0,
  });
  const stopped = await call(venue.url, venue.key, 'POST', FUTURES_ORDER, stop);
  assert.equal(stopped.status, 200, JSON.stringify(stopped.body));
  assert.deepEqual([stopped.body[0].status, stopped.body[0].triggerPrice], [9, 59_000]);
  const oco = spaced({
    symbol: 'BTC-PERP',
    size: 1,
    price: 61000,
    side: 'SELL',
    type: 'OCO',
    txType: 'LIMIT',
    stopPrice: 58990,
    triggerPrice: 59000,
    trigger: 'markPrice',
  });
  const both = await call(venue.url, venue.key, 'POST', FUTURES_ORDER, oco);
  assert.equal(both.status, 200, JSON.stringify(both.body));
  assert.deepEqual(
    both.body.map((record: { status: number }) => record.status),
    [9, 2],
  );
});

test('the samples of 2024 on spot v3.2 and futures v2.1, under the older header names, find the fields that they read', async () => {
  const zeros = {
    postOnly: false,
    stopPrice: 0.0,
    time_in_force: 'GTC',
    trailValue: 0.0,
    triggerPrice: 0.0,
    txType: 'LIMIT',
  };
  const cases = [
    ['/spot/api/v3.2', { symbol: 'BTC-USDT', size: 0.002, price: 8500.0, side: 'BUY', type: 'LIMIT', ...zeros }],
    [
      '/futures/api/v2.1',
      { symbol: 'BTCPFC', size: 1, price: 8500.0, side: 'BUY', type: 'LIMIT', reduceOnly: false, ...zeros },
    ],
  ] as const;
  const older = { family: 'btse' } as const;
  for (const [base, body] of cases) {
    const placed = await call(venue.url, venue.key, 'POST', `${base}/order`, spaced(body), older);
    assert.equal(placed.status, 200, JSON.stringify(placed.body));
    const [record] = placed.body;
    assert.deepEqual(
      [record.symbol, record.size, record.fillSize, record.originalSize],
      [body.symbol, body.size, 0, body.size],
    );
    const open = await call(
      venue.url,
      venue.key,
      'GET',
      `${base}/user/open_orders?symbol=${body.symbol}`,
      undefined,
      older,
    );
    const row = open.body.find(({ orderID }: { orderID: string }) => orderID === record.orderID);
    assert.deepEqual(
      [row.symbol, row.size, row.filledSize, row.price, row.side, row.orderState, row.orderType],
      [body.symbol, body.size, 0, 8500, 'BUY', 'STATUS_ACTIVE', 76],
    );
    const target = `${base}/order?symbol=${body.symbol}&orderID=${record.orderID}`;
    const cancelled = await call(venue.url, venue.key, 'DELETE', target, undefined, older);
    assert.deepEqual([cancelled.status, cancelled.body[0].status, cancelled.body[0].size], [200, 6, body.size]);
  }
});

test('a GET that is signed over path and query, as btse-mcp does, is read', async () => {
  const path = '/api/v2.1/user/positions?symbol=BTC-PERP';
  const { status, body } = await call(venue.url, venue.key, 'GET', `/futures${path}`, undefined, { path });
  assert.deepEqual([status, body], [200, []]);
});
