/** What a refusal says of a name that nobody knows here: the one that was meant, on every surface. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Json, ok, refused } from '../support/client.ts';
import { BTC, PERP, scenarios } from '../support/venue.ts';

describe('a path that nothing serves', () => {
  const it = scenarios();

  for (const [method, path, status, words] of [
    [
      'GET',
      '/spot/api/v3/user/open_orders',
      404,
      '/spot/api/v3.3/user/open_orders or /spot/api/v3.2/user/open_orders or',
    ],
    ['GET', '/futures/api/v4/user/open_orders', 404, 'did you mean /futures/api/v2.3/user/open_orders or'],
    ['GET', '/spot/api/v3/nowhere', 404, '/spot/api/ has /spot/api/v4, /spot/api/v3.3, /spot/api/v3.2, /spot/api/v3.1'],
    ['POST', '/spot/api/v4/trade/order', 405, 'use GET, OPTIONS, or POST /spot/api/v4/trade/orders'],
    ['PUT', '/spot/api/v4/trade/order', 405, 'use GET, OPTIONS, or PUT /spot/api/v4/trade/orders'],
  ] as const) {
    it(`${method} ${path} is refused with what there is`, async (w) => {
      const reply = await fetch(`${w.venue.url}${path}`, { method });
      assert.equal(reply.status, status);
      const text = await reply.text();
      assert.ok(text.includes(words), text);
    });
  }
});

describe('a name that a surface does not know', () => {
  const it = scenarios();

  const market = { symbol: BTC, orderType: 'MARKET', orderSide: 'BUY' };
  const limit = { symbol: BTC, orderType: 'LIMIT', orderSide: 'BUY', orderPrice: 99, orderSize: 1 };
  const future = { symbol: PERP, orderType: 'LIMIT', orderSide: 'BUY', orderPrice: 99, orderSize: 10 };

  it('spot v4: a MARKET BUY is sized by quoteOrderSize, a LIMIT by orderSize', async (w) => {
    await refused(
      w.alice.spot({ ...market, orderSize: 1 }),
      400,
      'orderSize is not a field of orderType MARKET, orderSide BUY: did you mean quoteOrderSize?',
    );
    await refused(w.alice.spot({ ...limit, quoteOrderSize: 1 }), 400, 'did you mean orderSize?');
  });

  it('spot v4: a stop sent as a plain order gets no hint that it is a limit price', async (w) => {
    await refused(
      w.alice.spot({ ...limit, stopPrice: 95 }),
      400,
      'stopPrice is not a field of orderType LIMIT: its fields are symbol',
    );
  });

  it('futures v3: the names of v2.3', async (w) => {
    for (const [name, meant] of [
      ['price', 'orderPrice'],
      ['size', 'orderSize'],
      ['side', 'orderSide'],
      ['time_in_force', 'timeInForce'],
      ['clOrderID', 'clOrderId'],
      ['takeProfitPrice', 'takeProfitTriggerPrice'],
    ] as const) {
      await refused(
        w.alice.v3({ ...future, [name]: '1' }),
        -2,
        `${name} is not a field of orderType LIMIT: did you mean ${meant}?`,
      );
    }
    const leverage = { symbol: PERP, leverage: 10, mode: 'CROSS' };
    const expected = 'mode is not a field of a leverage: its fields are symbol, leverage';
    await refused(w.alice.call('POST', '/futures/api/v3/trade/leverage', { body: leverage }), -2, expected);
  });

  it('spot v3.3 and futures v2.3 ignore it, and name it where a required field is missing', async (w) => {
    const body = { symbol: PERP, side: 'BUY', type: 'LIMIT', price: 99, orderSize: 10 };
    const expected = 'size is missing, and orderSize is not a field here: give a number such as 0.01';
    await refused(w.alice.future(body), -2, expected);
    const spot = { market: BTC, side: 'BUY', type: 'LIMIT', price: 99, size: 1 };
    const place = (order: Json) => w.alice.call('POST', '/spot/api/v3.3/order', { body: order });
    await refused(place(spot), 400, 'symbol is missing, and market is not a field here: give text');
    await refused(place({ ...spot, market: undefined }), 400, 'symbol is missing: give text');
  });

  it('an id under another name is named where an id is missing', async (w) => {
    const id = '00000000-0000-4000-8000-000000000000';
    const spot = 'orderId is missing, and orderID is not a field here: give orderId or clOrderId';
    await refused(w.alice.lookup({ orderID: id }), 400, spot);
    await refused(w.alice.cancelSpot({ orderID: id }), 400, spot);
    await refused(w.alice.cancelV3({ orderID: id }), -2, spot);
    const older = 'orderID is missing, and orderId is not a field here: give orderID or clOrderID';
    await refused(w.alice.futureOrder({ orderId: id }), -2, older);
  });

  it('cancels no market: an id under another name is refused where no id means all of it', async (w) => {
    const id = '00000000-0000-4000-8000-000000000000';
    await ok(w.alice.future({ symbol: PERP, side: 'BUY', type: 'LIMIT', price: 99, size: 10 }));
    await ok(w.alice.spot(limit));
    const spot = (query: Record<string, string>) =>
      w.alice.call('DELETE', '/spot/api/v3.3/order', { query: { symbol: BTC, ...query } });
    for (const name of ['orderId', 'id', 'clOrderId', 'clientOrderId', 'order_id']) {
      const expected = `${name} is not a parameter here: give orderID or clOrderID`;
      await refused(w.alice.cancelFuture({ [name]: id }), -2, expected);
      await refused(spot({ [name]: id }), 400, expected);
    }
    assert.equal((await ok(w.alice.cancelFuture({ color: 'blue' }))).length, 1);
    assert.equal((await ok(spot({ color: 'blue' }))).length, 1);
  });

  for (const [path, symbol, code, mention] of [
    ['/spot/api/v4/trade/fees', 'BTCUSDT', -7006, 'did you mean BTC-USDT?'],
    ['/spot/api/v3.3/user/fees', 'BTCUSDT', -7006, 'did you mean BTC-USDT?'],
    ['/public-api/market/v1/orderbook', 'BTCUSDT', -7006, 'did you mean BTC-USDT?'],
    ['/public-api/market/v1/orderbook', 'BTCPERP', -7006, 'did you mean BTC-PERP-USDT?'],
    ['/futures/api/v3/trade/positions', 'BTC-PERP-USDT', -7006, 'did you mean BTC-PERP?'],
    ['/futures/api/v2.3/user/positions', 'BTCPERP', -7006, 'did you mean BTC-PERP?'],
    ['/futures/api/v2.3/user/positions', 'BTCUSDT', -7006, 'use the spot routes; these routes have BTC-PERP'],
  ] as const) {
    it(`GET ${path}?symbol=${symbol}: ${mention}`, async (w) => {
      await refused(w.alice.call('GET', path, { query: { symbol } }), code, mention);
    });
  }
});

describe('a path without a route', () => {
  const it = scenarios();

  for (const [method, path, hint] of [
    ['POST', '/spot/api/v4/trade/orders/', ': did you mean /spot/api/v4/trade/orders?'],
    ['GET', '//spot/api/v4/trade/orders', ': did you mean /spot/api/v4/trade/orders?'],
    ['GET', '/futures/api/v2.3/user/walet', ': did you mean /futures/api/v2.3/user/wallet?'],
    ['POST', '/api/v2.3/order', ': did you mean /futures/api/v2.3/order?'],
    ['GET', '/spot/api/v4/trade/nothing/like/it', ''],
  ] as const) {
    it(`${method} ${path} is not carried out, and names the route that was meant, if one is close`, async (w) => {
      const response = await fetch(`${w.venue.url}${path}`, { method });
      const body = (await response.json()) as { code?: number; errorCode?: number; msg?: string; message?: string };
      assert.deepEqual([response.status, body.code ?? body.errorCode], [404, 404]);
      assert.ok((body.msg ?? body.message ?? '').endsWith(`no route at ${path}${hint}`), JSON.stringify(body));
    });
  }

  it('the control surface does the same, for those with its token', async (w) => {
    const ask = async (path: string, token = w.venue.controlToken) => {
      const response = await fetch(`${w.venue.control}${path}`, { headers: { authorization: `Bearer ${token}` } });
      return [response.status, await response.text()];
    };
    const [status, text] = await ask('/control/v1/acounts/alice');
    assert.equal(status, 404);
    assert.match(
      String(text),
      /acounts\/alice on the control surface: did you mean \/control\/v1\/accounts\/\{account\}\?/,
    );
    assert.match(String((await ask('/state'))[1]), /did you mean \/control\/v1\/state\?/);
    const [unknown, nothing] = await ask('/control/v1/acounts/alice', 'x');
    assert.equal(unknown, 401);
    assert.doesNotMatch(String(nothing), /did you mean/);
  });
});
