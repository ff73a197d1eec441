/** Lists, fees, pegs on futures and cancelling everything: shapes and null rules. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, limit, oco, stop } from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { BTC, PERP, START_MS, scenarios, type World } from '../support/venue.ts';

const LEGACY = '/futures/api/v2.3';
const V4 = '/spot/api/v4/trade';

describe('fees', () => {
  const it = scenarios({
    fees: { [BTC]: { maker: '0', taker: '0.001' }, [PERP]: { maker: '0.0001', taker: '0.0005' } },
  });

  const read = (w: World, path: string, query: Record<string, string> = {}) => w.reader.call('GET', path, { query });

  it('of spot: own rates where the account has some, else those of the market', async (w) => {
    const rows = [
      { symbol: BTC, makerFee: 0, takerFee: 0.001 },
      { symbol: 'ETH-USDT', makerFee: 0.0002, takerFee: 0.0002 },
    ];
    assert.deepEqual(await ok(read(w, `${V4}/fees`)), rows);
    assert.deepEqual(await ok(read(w, `${V4}/fees`, { symbol: BTC })), [rows[0]]);
    await refused(read(w, `${V4}/fees`, { symbol: PERP }), -7006);
  });

  it('of futures, by each name of a market', async (w) => {
    const rows = [
      { symbol: PERP, makerFee: 0.0001, takerFee: 0.0005 },
      { symbol: 'ETH-PERP', makerFee: 0.0002, takerFee: 0.00055 },
    ];
    assert.deepEqual(await ok(read(w, `${LEGACY}/user/fees`)), rows);
    for (const symbol of [PERP, 'BTC-PERP-USDT', 'BTCPFC']) {
      assert.deepEqual(await ok(read(w, `${LEGACY}/user/fees`, { symbol })), [rows[0]]);
    }
    await refused(read(w, `${LEGACY}/user/fees`, { symbol: BTC }), -7006);
  });
});

describe('the open orders of futures v2.3', () => {
  const it = scenarios();

  const list = (w: World, query: Record<string, string> = {}) =>
    w.reader.call('GET', `${LEGACY}/user/open_orders`, { query });

  it('are rows of the look-up, with the state, the validity and the position beside it', async (w) => {
    const { orderID } = await one(w.alice.future(future('BUY', 99, 10, { clOrderID: 'mine' })));
    assert.deepEqual(await ok(list(w)), [
      {
        ...(await ok(w.alice.futureOrder(orderID))),
        vendorName: null,
        botID: null,
        orderState: 'STATUS_ACTIVE',
        cancelDuration: 0,
        orderDetailType: null,
        positionMode: 'ONE_WAY',
        positionId: 'BTC-PERP-USDT',
      },
    ]);
  });

  it('positionDirection is there in HEDGE', async (w) => {
    await ok(w.alice.future(future('SELL', 105, 10, { positionMode: 'HEDGE' })));
    const [{ positionDirection, positionId }] = await ok(list(w));
    assert.deepEqual([positionDirection, positionId], ['SHORT', 'BTC-PERP-USDT|SHORT']);
  });

  it('oldest first, of one market or all, by an id or a client id; an order that is not open is no row', async (w) => {
    await w.price('ETH-PERP', { index: 100 });
    const first = await one(w.alice.future(future('BUY', 99, 10, { clOrderID: 'mine' })));
    const second = await one(w.alice.future(future('BUY', 98, 10, { symbol: 'ETH-PERP' })));
    const ids = async (query: Record<string, string> = {}) =>
      (await ok(list(w, query))).map((row: Json) => row.orderID);
    assert.deepEqual(await ids(), [first.orderID, second.orderID]);
    assert.deepEqual(await ids({ symbol: 'BTCPFC' }), [first.orderID]);
    assert.deepEqual(await ids({ orderID: second.orderID, clOrderID: 'mine' }), [second.orderID]);
    assert.deepEqual(await ids({ clOrderID: 'mine' }), [first.orderID]);
    assert.deepEqual(await ids({ orderID: 'nonsense' }), []);
    await ok(w.alice.cancelFuture({ orderID: first.orderID }));
    assert.deepEqual(await ids({ clOrderID: 'mine' }), []);
  });

  for (const [time, waits, duration] of [
    ['GTC', false, 0],
    ['HALFMIN', false, 30_000],
    ['DAY', false, 86_400_000],
    ['IOC', true, -1],
    ['FOK', true, -1],
  ] as const) {
    it(`cancelDuration of ${time} is ${duration}`, async (w) => {
      const order = waits ? { ...stop('BUY', 105), type: 'LIMIT', price: 106 } : future('BUY', 99);
      await ok(w.alice.future({ ...order, time_in_force: time }));
      assert.equal((await ok(list(w)))[0].cancelDuration, duration);
    });
  }

  it("shows nobody else's", async (w) => {
    await w.rest('BUY', 99, 10, PERP);
    assert.deepEqual(await ok(list(w)), []);
  });
});

describe('a peg on futures v2.3', () => {
  const it = scenarios();

  const place = (w: World, extra: Json = {}) =>
    w.alice.call('POST', `${LEGACY}/order/peg`, {
      body: { symbol: PERP, side: 'Buy', price: 101, size: 10, ...extra },
    });

  it('is of type 80, with stealth and deviation in percent', async (w) => {
    const record = await one(place(w, { clOrderID: 'peg', stealth: 20, deviation: -1 }));
    const { orderType, price, status, stealth, deviation, clOrderID, time_in_force } = record;
    assert.deepEqual(
      { orderType, price, status, stealth, deviation, clOrderID, time_in_force },
      { orderType: 80, price: 101, status: 2, stealth: 20, deviation: -1, clOrderID: 'peg', time_in_force: 'GTC' },
    );
    const found = await ok(w.alice.futureOrder(record.orderID));
    assert.deepEqual(
      [found.orderType, found.pegPriceMin, found.pegPriceMax, found.pegPriceDeviation, found.stealth],
      [80, 0, 101, -0.01, 0.2],
    );
    assert.equal((await ok(w.alice.v3Orders()))[0].orderType, 80);
    assert.equal((await one(w.alice.cancelFuture({ orderID: record.orderID }))).orderType, 80);
  });

  it('stealth is 100 and deviation 0 where they are not given; other orders have neither', async (w) => {
    const { stealth, deviation } = await one(place(w));
    assert.deepEqual([stealth, deviation], [100, 0]);
    const plain = await one(w.alice.future(future('BUY', 99)));
    assert.deepEqual(['stealth' in plain, 'deviation' in plain], [false, false]);
  });

  it('rests at its offset from the index, follows it, and is shown slice by slice', async (w) => {
    await ok(place(w, { deviation: -1, stealth: 20 }));
    const bids = async () =>
      (await ok(w.alice.call('GET', '/public-api/market/v1/orderbook', { query: { symbol: 'BTC-PERP-USDT' } }))).data
        .bids;
    assert.deepEqual(await bids(), [['99', '2']]);
    await w.price(PERP, { index: 101 });
    assert.deepEqual(await bids(), [['99.9', '2']]);
    assert.equal((await one(w.bob.future(future('SELL', 99, 5)))).status, 4);
    assert.deepEqual(await bids(), [['99.9', '1']]);
    assert.equal(await w.position(), 5);
  });

  it('its numbers have bounds, and it has the checks of an order', async (w) => {
    for (const [extra, code, mention] of [
      [{ stealth: 0 }, -2, 'stealth is 0: give a number from 1 to 100'],
      [{ stealth: 101 }, -2, 'stealth is 101'],
      [{ deviation: 10.5 }, -2, 'deviation is 10.5: give a number from -10 to 10'],
      [{ price: 0 }, -2, 'price is 0'],
      [{ price: 100.05 }, 302, 'off the tick'],
      [{ size: 1.5 }, 301, 'off the step'],
      [{ size: 7_500_001 }, 4051, 'maximum'],
      [{ symbol: BTC }, -7006, BTC],
      [{ positionMode: 'BOTH' }, -2, 'ONE_WAY, HEDGE, ISOLATED'],
    ] as const) {
      await refused(place(w, extra), code, mention);
    }
  });

  it('the identical request, and a live client id, are refused', async (w) => {
    const { orderID } = await one(place(w, { clOrderID: 'peg' }));
    await refused(place(w, { clOrderID: 'peg' }), 15, orderID);
    await ok(w.alice.cancelFuture({ orderID }));
    await refused(place(w, { clOrderID: 'peg' }), 15, 'the same request');
  });
});

describe('cancelling all orders on spot v4', () => {
  const it = scenarios();

  const cancelAll = (w: World, query: Record<string, string>) => w.alice.call('DELETE', `${V4}/orders/all`, { query });

  async function place(w: World): Promise<string[]> {
    await w.price('ETH-USDT', { index: 100 });
    const placed = [
      ...(await ok(w.alice.spot(limit('BUY', 90)))),
      ...(await ok(w.alice.spot(oco()))),
      ...(await ok(w.alice.spot(limit('BUY', 91, 1, { symbol: 'ETH-USDT' })))),
    ];
    return placed.map(({ orderId }) => orderId);
  }

  it('of one pair, oldest first, OCO legs together', async (w) => {
    const ids = await place(w);
    const records = await ok(cancelAll(w, { symbol: BTC }));
    assert.deepEqual(
      records.map((record: Json) => [record.orderId, record.status, record.timestamp]),
      ids.slice(0, 3).map((id) => [id, 6, START_MS]),
    );
    assert.equal((await ok(w.alice.spotOrders())).length, 1);
  });

  it('of every pair with ALL; futures orders stay', async (w) => {
    await place(w);
    await ok(w.alice.future(future('BUY', 90)));
    await w.rest('BUY', 89, 1);
    assert.equal((await ok(cancelAll(w, { symbol: 'ALL' }))).length, 4);
    assert.deepEqual(await ok(w.alice.spotOrders()), []);
    assert.equal((await ok(w.alice.v3Orders())).length, 1);
    assert.equal((await ok(w.bob.spotOrders())).length, 1);
  });

  it('nothing to cancel is an empty list; a missing or unknown symbol is refused', async (w) => {
    assert.deepEqual(await ok(cancelAll(w, { symbol: 'ALL' })), []);
    await refused(cancelAll(w, {}), 400, 'symbol is missing');
    await refused(cancelAll(w, { symbol: 'all' }), -7006, 'all');
  });
});
