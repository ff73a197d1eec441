/** semantics.md section 11: positions, leverage and position mode as the routes show and change them. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future } from '../support/bodies.ts';
import { type Client, type Json, ok, one, type Reply, refused } from '../support/client.ts';
import { PERP, START_MS, scenarios, type World } from '../support/venue.ts';

const LEGACY = '/futures/api/v2.3';
const V3 = '/futures/api/v3/trade';
/** 10 BTC: 1,000 USDT at 100. */
const MILLION = 1_000_000;

const get = (client: Client, path: string, query: Record<string, string> = {}) => client.call('GET', path, { query });
const post = (client: Client, path: string, body: Json) => client.call('POST', path, { body });

/** Alice opens `size` contracts at 100: long when positive. */
async function open(w: World, size: number, extra: Json = {}): Promise<Json> {
  await w.rest(size > 0 ? 'SELL' : 'BUY', 100, Math.abs(size), PERP);
  return one(w.alice.future(future(size > 0 ? 'BUY' : 'SELL', null, Math.abs(size), extra)));
}

async function hedge(w: World, positionMode = 'HEDGE'): Promise<void> {
  await ok(post(w.alice, `${LEGACY}/position_mode`, { symbol: PERP, positionMode }));
}

async function leavesNoTrace(w: World, reply: () => Promise<Reply>, code: number, mention: string | RegExp) {
  const before = w.hash();
  await refused(reply(), code, mention);
  assert.equal(w.hash(), before);
}

describe('the list of positions', () => {
  const it = scenarios();

  const LONG_ROW = {
    marginType: 91,
    entryPrice: 100,
    markPrice: 110,
    symbol: PERP,
    side: 'BUY',
    orderValue: 1100,
    settleWithAsset: 'USDT',
    unrealizedProfitLoss: 100,
    totalMaintenanceMargin: 5.5,
    size: MILLION,
    liquidationPrice: 0,
    isolatedLeverage: 0,
    adlScoreBucket: 2,
    liquidationInProgress: false,
    timestamp: START_MS,
    takeProfitOrder: null,
    stopLossOrder: null,
    positionMode: 'ONE_WAY',
    positionId: 'BTC-PERP-USDT',
    currentLeverage: 0.00109989,
    contractSize: 0.00001,
    walletName: 'CROSS@',
  };

  it('shows a position at its mark; positionDirection is left out on v2.3, null on v3', {
    rule: '11.13',
  }, async (w) => {
    await open(w, MILLION);
    await w.price(PERP, { mark: 110 });
    assert.deepEqual(await ok(w.alice.positions()), [LONG_ROW]);
    assert.deepEqual(await ok(get(w.alice, `${V3}/positions`)), [{ ...LONG_ROW, positionDirection: null }]);
  });

  it('a short has side SELL and a positive size', async (w) => {
    await open(w, -MILLION);
    await w.price(PERP, { mark: 110 });
    const [{ side, size, orderValue, unrealizedProfitLoss }] = await ok(w.alice.positions());
    assert.deepEqual([side, size, orderValue, unrealizedProfitLoss], ['SELL', MILLION, 1100, -100]);
  });

  it('a flat position is absent; a symbol picks its market, by each of its names on v2.3', async (w) => {
    assert.deepEqual(await ok(w.alice.positions()), []);
    await open(w, 10);
    for (const symbol of ['BTC-PERP', 'BTC-PERP-USDT', 'BTCPFC']) {
      assert.equal((await ok(w.alice.positions({ symbol }))).length, 1);
    }
    assert.deepEqual(await ok(w.alice.positions({ symbol: 'ETH-PERP' })), []);
    assert.equal((await ok(get(w.alice, `${V3}/positions`, { symbol: PERP }))).length, 1);
    await refused(get(w.alice, `${V3}/positions`, { symbol: 'BTC-PERP-USDT' }), -7006);
    await w.rest('BUY', 100, 10, PERP);
    await ok(w.alice.future(future('SELL', null, 10)));
    assert.deepEqual(await ok(w.alice.positions()), []);
  });

  it('names the attached orders', async (w) => {
    await open(w, 10, { takeProfitPrice: 110, stopLossPrice: 95, stopLossTrigger: 'lastPrice' });
    const [{ takeProfitOrder, stopLossOrder }] = await ok(w.alice.positions());
    const [profit, loss] = await ok(w.alice.v3Orders());
    assert.deepEqual(takeProfitOrder, {
      orderId: profit.orderId,
      side: 'SELL',
      triggerPrice: 110,
      triggerUseLastPrice: false,
    });
    assert.deepEqual(stopLossOrder, {
      orderId: loss.orderId,
      side: 'SELL',
      triggerPrice: 95,
      triggerUseLastPrice: true,
    });
  });

  it('its currentLeverage in ISOLATED is its value over its own money and what it wins or loses', async (w) => {
    await hedge(w, 'ISOLATED');
    await open(w, MILLION, { positionMode: 'ISOLATED' });
    await w.price(PERP, { mark: 101 });
    const [{ currentLeverage, orderValue }] = await ok(w.alice.positions());
    const [{ margin, unrealised }] = (await w.account('alice')).positions;
    assert.equal(Number(unrealised), 10);
    assert.ok(Math.abs(currentLeverage - orderValue / (Number(margin) + 10)) < 1e-6, `${currentLeverage}`);
  });

  it('its liquidation price is where the position is liquidated', { rule: '11.41' }, async (w) => {
    await open(w, MILLION);
    await w.rest('BUY', 95.4, 2 * MILLION, PERP);
    await w.venue.deposit('alice', 'USDT', '-999949.45');
    const [{ liquidationPrice }] = await ok(w.alice.positions());
    // 50 + 10 × (p − 100) = 0.005 × 10 × p
    assert.equal(liquidationPrice, 95.4773);
    await w.price(PERP, { mark: 95.4774 });
    assert.equal(await w.position(), MILLION);
    await w.price(PERP, { mark: 95.4773 });
    assert.ok((await w.position()) < MILLION);
  });

  it('its liquidation price leaves what positions in other markets need', { rule: '11.41' }, async (w) => {
    await w.price('ETH-PERP', { index: 100 });
    await w.rest('SELL', 100, 10_000, 'ETH-PERP');
    await one(w.alice.future(future('BUY', null, 10_000, { symbol: 'ETH-PERP' })));
    await open(w, MILLION);
    await w.rest('BUY', 95.4, 2 * MILLION, PERP);
    const { total } = await w.balance('USDT');
    await w.venue.deposit('alice', 'USDT', (50.5 - Number(total)).toFixed(8));
    const [{ liquidationPrice }] = await ok(w.alice.positions({ symbol: PERP }));
    // 50.5 + 10 × (p − 100) = 0.005 × 10 × p + 0.005 × 100
    assert.equal(liquidationPrice, 95.4773);
    await w.price(PERP, { mark: 95.4774 });
    assert.equal(await w.position(), MILLION);
    await w.price(PERP, { mark: 95.4773 });
    assert.ok((await w.position()) < MILLION);
  });

  it('HEDGE: a LONG and a SHORT row', { rule: ['11.14', '11.16'] }, async (w) => {
    await hedge(w);
    await open(w, 20);
    await open(w, -10);
    for (const path of [`${LEGACY}/user/positions`, `${V3}/positions`]) {
      const rows = await ok(get(w.alice, path));
      assert.deepEqual(
        rows.map((row: Json) => [row.positionMode, row.positionDirection, row.positionId, row.side, row.size]),
        [
          ['HEDGE', 'LONG', 'BTC-PERP-USDT|LONG', 'BUY', 20],
          ['HEDGE', 'SHORT', 'BTC-PERP-USDT|SHORT', 'SELL', 10],
        ],
      );
    }
  });

  it('ISOLATED: a row each, with margin type 92, its own wallet and leverage', {
    rule: ['11.15', '11.16'],
  }, async (w) => {
    await hedge(w, 'ISOLATED');
    const opened = await open(w, MILLION);
    await open(w, -10);
    const [long, short] = await ok(w.alice.positions());
    assert.deepEqual(
      [long.marginType, long.isolatedLeverage, long.positionDirection, long.positionId, long.walletName],
      [92, 10, 'LONG', opened.positionId, 'ISOLATED@BTC-PERP-USDT'],
    );
    assert.deepEqual([short.positionDirection, short.size], ['SHORT', 10]);
    // margin: 1000 × (0.1 + 2 × 0.00055) × 1.01
    assert.equal(long.currentLeverage, 9.79326419);
    const wallet = async (name: string) => (await ok(get(w.alice, `${LEGACY}/user/wallet`, { wallet: name })))[0];
    const isolated = await wallet('ISOLATED@BTC-PERP-USDT');
    assert.equal(isolated.marginBalance, 102.11202111);
    assert.deepEqual(isolated.assetsInUse, isolated.assets);
    assert.equal((await wallet('CROSS@')).maintenanceMargin, 0);
    await refused(get(w.alice, `${LEGACY}/user/wallet`, { wallet: 'ISOLATED@DOGE' }), -2, 'ISOLATED@BTC-PERP-USDT');
  });

  it('ISOLATED: what is left of an order whose position was closed opens another one, within the five', {
    rule: ['11.4', '11.7'],
  }, async (w) => {
    await hedge(w, 'ISOLATED');
    const { orderID } = await one(w.alice.future(future('BUY', 100, 20)));
    await ok(w.bob.future(future('SELL', 100, 10)));
    for (let i = 0; i < 4; i++) await ok(w.alice.future(future('BUY', 90 + i, 10)));
    await refused(w.alice.future(future('BUY', 89)), 304, 'at most 5 isolated positions');
    await w.rest('BUY', 101, 10, PERP);
    await ok(w.alice.future(future('SELL', null, 10, { reduceOnly: true })));
    assert.deepEqual(await ok(w.alice.positions()), []);
    assert.equal((await ok(get(w.alice, `${LEGACY}/user/open_orders`, { orderID })))[0].positionId, '');
    await refused(w.alice.future(future('BUY', 89)), 304, 'at most 5 isolated positions');
    await ok(w.bob.future(future('SELL', 100, 10)));
    const rows = await ok(w.alice.positions());
    assert.deepEqual(
      rows.map((row: Json) => [row.positionId, row.size]),
      [['BTC-PERP-USDT|2#1', 10]],
    );
  });

  it('needs the permission to read alone; changes need that to trade', async (w) => {
    assert.deepEqual(await ok(get(w.reader, `${LEGACY}/user/positions`)), []);
    assert.deepEqual(await ok(get(w.reader, `${V3}/positions`)), []);
    for (const path of [`${LEGACY}/leverage`, `${LEGACY}/position_mode`, `${LEGACY}/order/close_position`]) {
      assert.equal((await post(w.reader, path, {})).status, 403);
    }
  });
});

describe('closing a position', () => {
  const it = scenarios();

  const legacy = (w: World, body: Json) => post(w.alice, `${LEGACY}/order/close_position`, { symbol: PERP, ...body });
  const v3 = (w: World, body: Json) =>
    w.alice.call('DELETE', `${V3}/positions`, { body: { symbol: PERP, orderType: 'MARKET', ...body } });

  it('by MARKET takes the whole of it from the book', async (w) => {
    await open(w, 10);
    await w.rest('BUY', 99, 25, PERP);
    const record = await one(legacy(w, { type: 'MARKET', price: 0 }));
    assert.deepEqual(
      [record.status, record.side, record.orderType, record.price, record.originalOrderSize],
      [4, 'SELL', 77, 99, 10],
    );
    assert.equal(await w.position(), 0);
  });

  it('by LIMIT rests, reduce-only, and needs a price', async (w) => {
    await open(w, -10);
    const record = await one(legacy(w, { type: 'limit', price: 98, postOnly: true }));
    assert.deepEqual([record.status, record.side, record.price, record.postOnly], [2, 'BUY', 98, true]);
    assert.equal((await ok(w.alice.futureOrder(record.orderID))).reduceOnly, true);
    await leavesNoTrace(w, () => legacy(w, { type: 'LIMIT', price: 0 }), -2, 'type LIMIT requires price');
    await leavesNoTrace(w, () => legacy(w, { type: 'MARKET', price: 98 }), -2, 'omit price');
    await leavesNoTrace(w, () => legacy(w, { type: 'MARKET', postOnly: true }), -2, 'omit postOnly');
  });

  it('on v3 too: a row of the shape of a cancel', async (w) => {
    await open(w, 10);
    await w.rest('BUY', 99, 10, PERP);
    const row = await one(v3(w, { positionId: 'BTC-PERP-USDT' }));
    assert.deepEqual(
      [row.status, row.type, row.orderSide, row.orderPrice, row.totalFilledSize],
      [4, 77, 'SELL', 99, 10],
    );
    await open(w, 10);
    const limit = await one(v3(w, { orderType: 'LIMIT', orderPrice: '105', postOnly: true }));
    assert.deepEqual([limit.status, limit.reduceOnly, limit.orderPrice], [2, true, 105]);
    await leavesNoTrace(w, () => v3(w, { orderPrice: 105 }), -2, 'orderPrice is not allowed with orderType MARKET');
    await leavesNoTrace(w, () => v3(w, { size: 5 }), -2, 'size is not a field of orderType MARKET');
    await leavesNoTrace(w, () => v3(w, { orderType: 'LIMIT' }), -2, 'orderPrice is missing');
  });

  it('without one is refused: 33199120; by an id of none: 135', async (w) => {
    await leavesNoTrace(w, () => legacy(w, { type: 'MARKET' }), 33199120, 'no open position on BTC-PERP');
    await leavesNoTrace(w, () => v3(w, { positionId: 'BTC-PERP-USDT' }), 33199120, 'no open position');
    await open(w, 10);
    for (const positionId of ['ETH-PERP-USDT', 'BTC-PERP-USDT|LONG', 'x']) {
      await leavesNoTrace(w, () => legacy(w, { type: 'MARKET', positionId }), 135, positionId);
      await leavesNoTrace(w, () => v3(w, { positionId }), 135, positionId);
    }
  });

  it('in HEDGE and ISOLATED names the one that is meant', async (w) => {
    for (const mode of ['HEDGE', 'ISOLATED']) {
      await w.begin();
      await hedge(w, mode);
      await open(w, 20);
      await open(w, 30);
      await open(w, -10);
      const ids = (await ok(w.alice.positions())).map((row: Json) => row.positionId);
      await leavesNoTrace(w, () => legacy(w, { type: 'MARKET' }), -2, `the position mode of BTC-PERP is ${mode}`);
      await w.rest('SELL', 101, 100, PERP);
      const closed = await one(legacy(w, { type: 'MARKET', positionId: ids.at(-1) }));
      assert.deepEqual([closed.status, closed.side, closed.originalOrderSize], [4, 'BUY', 10]);
      assert.deepEqual([closed.positionId, closed.positionDirection], [ids.at(-1), 'SHORT']);
      await w.rest('BUY', 99, 100, PERP);
      // ISOLATED: the second one, although a reduce-only order alone would take the oldest.
      const long = mode === 'HEDGE' ? ids[0] : ids[1];
      assert.equal((await one(v3(w, { positionId: long }))).originalOrderSize, mode === 'HEDGE' ? 50 : 30);
      const left = (await ok(w.alice.positions())).map((row: Json) => [row.positionId, row.size]);
      assert.deepEqual(left, mode === 'HEDGE' ? [] : [[ids[0], 20]]);
    }
  });
});

describe('closing a position that no order of the market may be as large or as small as', () => {
  const it = scenarios({ markets: [{ symbol: PERP, minSize: '10', maxSize: '100' }] });

  const close = (w: World, body: Json) => post(w.alice, `${LEGACY}/order/close_position`, { symbol: PERP, ...body });

  it('larger than the largest order: one order closes all of it, by MARKET and by LIMIT', async (w) => {
    for (let i = 0; i < 3; i++) await open(w, 100);
    const reduce = future('SELL', 105, 300, { reduceOnly: true });
    await leavesNoTrace(w, () => w.alice.future(reduce), 4051, 'the maximum');
    const limit = await one(close(w, { type: 'LIMIT', price: 105 }));
    assert.deepEqual([limit.status, limit.originalOrderSize, limit.remainingSize], [2, 300, 300]);
    for (let i = 0; i < 3; i++) await w.rest('BUY', 99, 100, PERP);
    const market = await one(close(w, { type: 'MARKET' }));
    assert.deepEqual([market.status, market.originalOrderSize, market.totalFilledSize], [4, 300, 300]);
    assert.deepEqual(await ok(w.alice.positions()), []);
    assert.equal((await ok(w.alice.futureOrder(limit.orderID))).status, 6);
  });

  it('smaller than the smallest order, too', async (w) => {
    await open(w, 15);
    await w.rest('BUY', 99, 20, PERP);
    await ok(w.alice.future(future('SELL', null, 10)));
    await leavesNoTrace(w, () => w.alice.future(future('SELL', null, 5, { reduceOnly: true })), 301, 'the minimum');
    assert.equal((await one(close(w, { type: 'MARKET' }))).totalFilledSize, 5);
    assert.deepEqual(await ok(w.alice.positions()), []);
  });
});

describe('attaching to a position where the open orders are at their most', () => {
  const it = scenarios({ markets: [{ symbol: PERP, maxOpenOrders: 3 }] });

  const bind = (w: World, body: Json) => post(w.alice, `${LEGACY}/order/bind/tpsl`, { symbol: PERP, ...body });

  it('is refused: 304; what it replaces makes room for it', async (w) => {
    await open(w, 10);
    await ok(w.alice.future(future('BUY', 90)));
    await ok(w.alice.future(future('BUY', 91)));
    await leavesNoTrace(w, () => bind(w, { takeProfitPrice: 110, stopLossPrice: 95 }), 304, 'at most 3 open orders');
    await ok(bind(w, { stopLossPrice: 95 }));
    await leavesNoTrace(w, () => bind(w, { takeProfitPrice: 110 }), 304, 'at most 3 open orders');
    await ok(bind(w, { stopLossPrice: 96 }));
    assert.equal((await ok(w.alice.positions()))[0].stopLossOrder.triggerPrice, 96);
  });

  it('those that an order brings along with its first fill are made all the same', async (w) => {
    await ok(w.alice.future(future('BUY', 90)));
    await ok(w.alice.future(future('BUY', 91)));
    await open(w, 10, { takeProfitPrice: 110, stopLossPrice: 95 });
    assert.equal((await ok(w.alice.v3Orders())).length, 4);
    await ok(bind(w, { stopLossPrice: 96 }));
    await leavesNoTrace(w, () => w.alice.future(future('BUY', 92)), 304, 'at most 3 open orders');
  });
});

describe('attaching take-profit and stop-loss to a position', () => {
  const it = scenarios();

  const bind = (w: World, body: Json) => post(w.alice, `${LEGACY}/order/bind/tpsl`, { symbol: PERP, ...body });

  it('makes reduce-only triggers of its size, the stop-loss first', async (w) => {
    await open(w, 10);
    const records = await ok(bind(w, { takeProfitPrice: 110, stopLossPrice: 95, stopLossTrigger: 'lastPrice' }));
    assert.deepEqual(
      records.map((r: Json) => [r.status, r.orderType, r.side, r.price, r.triggerPrice, r.remainingSize, r.trigger]),
      [
        [9, 77, 'SELL', 0, 95, 10, true],
        [9, 77, 'SELL', 0, 110, 10, true],
      ],
    );
    const [{ takeProfitOrder, stopLossOrder }] = await ok(w.alice.positions());
    assert.deepEqual([stopLossOrder.orderId, takeProfitOrder.orderId], [records[0].orderID, records[1].orderID]);
    assert.deepEqual([stopLossOrder.triggerUseLastPrice, takeProfitOrder.triggerUseLastPrice], [true, false]);
  });

  it('one fires: the position is closed and the other goes', async (w) => {
    await open(w, 10);
    const [loss, profit] = await ok(bind(w, { takeProfitPrice: 110, stopLossPrice: 95 }));
    await w.rest('BUY', 94, 10, PERP);
    await w.price(PERP, { mark: 95 });
    assert.equal(await w.position(), 0);
    const status = async ({ orderID }: Json) => (await ok(w.alice.futureOrder(orderID))).status;
    assert.deepEqual([await status(loss), await status(profit)], [4, 6]);
  });

  it('takes the place of what was attached in the same role', async (w) => {
    await open(w, 10, { takeProfitPrice: 110, stopLossPrice: 95 });
    const [{ orderID }] = await ok(bind(w, { stopLossPrice: 97 }));
    const rows = await ok(w.alice.v3Orders());
    assert.deepEqual(
      rows.map((row: Json) => row.triggerPrice),
      [110, 97],
    );
    assert.equal((await ok(w.alice.positions()))[0].stopLossOrder.orderId, orderID);
  });

  it('is refused without a price, on the wrong side of the mark, without a position', async (w) => {
    await leavesNoTrace(w, () => bind(w, { stopLossPrice: 95 }), 33199120, 'no open position');
    await open(w, 10);
    await leavesNoTrace(w, () => bind(w, { takeProfitPrice: 0 }), -2, 'give takeProfitPrice, stopLossPrice or both');
    await leavesNoTrace(w, () => bind(w, { stopLossPrice: 101 }), 302, 'stopLossPrice 101 is on the wrong side');
    await leavesNoTrace(w, () => bind(w, { takeProfitPrice: 99 }), 302, 'takeProfitPrice 99 is on the wrong side');
    await leavesNoTrace(w, () => bind(w, { side: 'BUY', stopLossPrice: 95 }), 33199120, 'the position is 10');
    await leavesNoTrace(w, () => bind(w, { positionMode: 'HEDGE', stopLossPrice: 95 }), 133, 'the mode is ONE_WAY');
    await w.control.haltMarket(PERP);
    await leavesNoTrace(w, () => bind(w, { stopLossPrice: 95 }), -7016, 'halted');
  });

  it('in HEDGE the side names the position, in ISOLATED its id', async (w) => {
    await hedge(w);
    await open(w, 20);
    await open(w, -10);
    await leavesNoTrace(w, () => bind(w, { stopLossPrice: 95 }), -2, 'positionId');
    const long = await one(bind(w, { side: 'SELL', stopLossPrice: 95 }));
    assert.deepEqual([long.positionId, long.positionDirection, long.remainingSize], ['BTC-PERP-USDT|LONG', 'LONG', 20]);
    const short = await one(bind(w, { side: 'buy', stopLossPrice: 105 }));
    assert.deepEqual([short.positionId, short.side, short.remainingSize], ['BTC-PERP-USDT|SHORT', 'BUY', 10]);
    await w.begin();
    await hedge(w, 'ISOLATED');
    await open(w, 20);
    const { positionId } = await open(w, 30);
    const isolated = await one(bind(w, { positionId, takeProfitPrice: 105 }));
    assert.deepEqual([isolated.positionId, isolated.remainingSize], [positionId, 30]);
  });
});

describe('attaching take-profit and stop-loss to a position on v3', () => {
  const it = scenarios();

  const bind = (w: World, body: Json) => post(w.alice, `${V3}/positions/tpsl`, { symbol: PERP, ...body });

  it('makes reduce-only triggers of its size, the stop-loss first', async (w) => {
    await open(w, 10);
    const [loss, profit] = await ok(
      bind(w, { takeProfitTriggerPrice: '110', stopLossTriggerPrice: '95', stopLossTriggerType: 'LAST_PRICE' }),
    );
    assert.deepEqual(
      [loss, profit].map((r: Json) => [r.status, r.orderSide, r.triggerOrder, r.triggerPrice, r.remainingSize]),
      [
        [9, 'SELL', true, 95, 10],
        [9, 'SELL', true, 110, 10],
      ],
    );
    const [row] = await ok(get(w.alice, `${V3}/positions`));
    assert.deepEqual([row.stopLossOrder.orderId, row.takeProfitOrder.orderId], [loss.orderId, profit.orderId]);
    assert.equal(row.stopLossOrder.triggerUseLastPrice, true);
  });

  it('takes the place of what was attached in the same role, and closes the position when it fires', async (w) => {
    await open(w, 10, { stopLossPrice: 95 });
    await ok(bind(w, { stopLossTriggerPrice: 97 }));
    assert.equal((await ok(w.alice.v3Orders())).length, 1);
    await w.rest('BUY', 96, 10, PERP);
    await w.price(PERP, { mark: 97 });
    assert.equal(await w.position(), 0);
  });

  it('the mode decides what names the position: nothing, orderSide, positionId', async (w) => {
    await leavesNoTrace(w, () => bind(w, { stopLossTriggerPrice: 95 }), 33199120, 'no open position');
    await hedge(w);
    await open(w, 20);
    await open(w, -10);
    await leavesNoTrace(w, () => bind(w, { stopLossTriggerPrice: 95 }), -2, 'positionId is missing');
    assert.equal((await one(bind(w, { orderSide: 'BUY', stopLossTriggerPrice: 105 }))).remainingSize, 10);
    await w.begin();
    await hedge(w, 'ISOLATED');
    await open(w, 20);
    const { positionId } = await open(w, 30);
    assert.equal((await one(bind(w, { positionId, takeProfitTriggerPrice: 105 }))).remainingSize, 30);
  });

  it('is refused in its own words', async (w) => {
    await open(w, 10);
    await leavesNoTrace(w, () => bind(w, {}), -2, 'give takeProfitTriggerPrice, stopLossTriggerPrice or both');
    await leavesNoTrace(
      w,
      () => bind(w, { stopLossTriggerPrice: 101 }),
      302,
      'stopLossTriggerPrice 101 is on the wrong',
    );
    await leavesNoTrace(w, () => bind(w, { stopLossPrice: 95 }), -2, 'stopLossPrice is not a field of');
    await leavesNoTrace(
      w,
      () => bind(w, { positionMode: 'HEDGE', stopLossTriggerPrice: 95 }),
      133,
      'the mode is ONE_WAY',
    );
  });
});

for (const [surface, path, exact] of [
  ['v2.3', LEGACY, false],
  ['v3', V3, true],
] as const) {
  describe(`leverage on ${surface}`, () => {
    const it = scenarios();

    const rows = (w: World) => ok(get(w.alice, `${path}/leverage`, { symbol: PERP }));
    const set = (w: World, body: Json) => post(w.alice, `${path}/leverage`, { symbol: PERP, ...body });
    const row = (leverage: number, marginMode: string, positionDirection: string | null) => ({
      symbol: PERP,
      leverage,
      marginMode,
      positionDirection,
    });

    it('is the maximum of the tier at first: 0, one CROSS row in ONE_WAY, LONG and SHORT otherwise', {
      rule: '11.33',
    }, async (w) => {
      assert.deepEqual(await rows(w), [row(0, 'CROSS', null)]);
      await hedge(w);
      assert.deepEqual(await rows(w), [row(0, 'CROSS', 'LONG'), row(0, 'CROSS', 'SHORT')]);
      await hedge(w, 'ISOLATED');
      assert.deepEqual(await rows(w), [row(10, 'ISOLATED', 'LONG'), row(10, 'ISOLATED', 'SHORT')]);
    });

    it('CROSS: the margin follows, 0 is the maximum again', async (w) => {
      await open(w, MILLION);
      const margin = async () => (await w.balance('USDT')).margin;
      assert.equal(await margin(), '11.1');
      assert.deepEqual(await ok(set(w, { leverage: 20, marginMode: 'CROSS' })), {
        symbol: PERP,
        timestamp: START_MS,
        status: 20,
        type: 93,
        message: '',
      });
      assert.deepEqual([await margin(), await rows(w)], ['51.1', [row(20, 'CROSS', null)]]);
      await ok(set(w, { leverage: 0 }));
      assert.deepEqual([await margin(), await rows(w)], ['11.1', [row(0, 'CROSS', null)]]);
    });

    it('without marginMode it is the isolated one, which a cross account does not use', async (w) => {
      await ok(set(w, { leverage: '25' }));
      assert.deepEqual(await rows(w), [row(0, 'CROSS', null)]);
      await hedge(w, 'ISOLATED');
      assert.deepEqual(await rows(w), [row(25, 'ISOLATED', 'LONG'), row(25, 'ISOLATED', 'SHORT')]);
      await open(w, 10);
      assert.equal((await ok(w.alice.positions()))[0].isolatedLeverage, 25);
    });

    it('of one position in HEDGE', async (w) => {
      await hedge(w);
      await ok(set(w, { leverage: 20, positionId: 'BTC-PERP-USDT|SHORT' }));
      assert.deepEqual(await rows(w), [row(0, 'CROSS', 'LONG'), row(20, 'CROSS', 'SHORT')]);
      await ok(set(w, { leverage: 5, marginMode: 'CROSS', positionMode: 'HEDGE' }));
      assert.deepEqual(await rows(w), [row(5, 'CROSS', 'LONG'), row(5, 'CROSS', 'SHORT')]);
      await leavesNoTrace(w, () => set(w, { leverage: 5, positionId: 'BTC-PERP-USDT' }), 135, 'BTC-PERP-USDT');
    });

    it('of one isolated position: its margin moves with it', async (w) => {
      await hedge(w, 'ISOLATED');
      const { positionId } = await open(w, MILLION);
      await open(w, 10);
      const before = Number((await w.balance('USDT')).total);
      await ok(set(w, { leverage: 20, positionId }));
      const [first, second] = await ok(w.alice.positions());
      assert.deepEqual([first.isolatedLeverage, second.isolatedLeverage], [20, 10]);
      // 1000 × (0.05 + 0.0011) × 1.01 in place of 1000 × (0.1 + 0.0011) × 1.01
      assert.equal((Number((await w.balance('USDT')).total) - before).toFixed(6), '50.500000');
    });

    it('is refused out of the range of the tier: 13; not a whole number; where the margin is not there', {
      rule: '11.39',
    }, async (w) => {
      await leavesNoTrace(w, () => set(w, { leverage: 101, marginMode: 'CROSS' }), 13, 'is out of range: 0 to 100');
      await leavesNoTrace(w, () => set(w, { leverage: 0, marginMode: 'ISOLATED' }), 13, 'is out of range: 1 to 100');
      await leavesNoTrace(w, () => set(w, { leverage: 2.5 }), -2, 'leverage is 2.5');
      await leavesNoTrace(w, () => set(w, { leverage: -1 }), -2, 'leverage is -1');
      await leavesNoTrace(w, () => set(w, { leverage: 5, positionMode: 'HEDGE' }), 133, 'the mode is ONE_WAY');
      await open(w, MILLION);
      await w.venue.deposit('alice', 'USDT', '-999900');
      await leavesNoTrace(w, () => set(w, { leverage: 10, marginMode: 'CROSS' }), 33199101, 'not enough USDT');
      assert.deepEqual(await rows(w), [row(0, 'CROSS', null)]);
    });

    it('a larger exposure allows less: the tier sets the maximum', async (w) => {
      await w.price(PERP, { index: 60_000 });
      await w.rest('SELL', 60_000, 200_000, PERP);
      await ok(w.alice.future(future('BUY', null, 200_000)));
      await leavesNoTrace(w, () => set(w, { leverage: 51, marginMode: 'CROSS' }), 13, 'is out of range: 0 to 50');
      await ok(set(w, { leverage: 50, marginMode: 'CROSS' }));
    });

    it(`names other than its own are ${exact ? 'refused' : 'ignored'}`, async (w) => {
      const reply = set(w, { leverage: 5, marginmode: 'CROSS' });
      if (exact) await refused(reply, -2, 'marginmode is not a field of a leverage');
      else assert.equal((await ok(reply)).status, 20);
    });
  });

  describe(`position mode on ${surface}`, () => {
    const it = scenarios();

    const set = (w: World, positionMode: string) =>
      post(w.alice, `${path}/position_mode`, { symbol: PERP, positionMode });

    it('is ONE_WAY in every market at first', async (w) => {
      const rows = [
        { symbol: PERP, positionMode: 'ONE_WAY' },
        { symbol: 'ETH-PERP', positionMode: 'ONE_WAY' },
      ];
      assert.deepEqual(await ok(get(w.alice, `${path}/position_mode`)), rows);
      assert.deepEqual(await ok(get(w.alice, `${path}/position_mode`, { symbol: PERP })), [rows[0]]);
    });

    it('changes for one market, and orders follow it', async (w) => {
      assert.deepEqual(await ok(set(w, 'HEDGE')), {
        symbol: PERP,
        timestamp: START_MS,
        status: 20,
        type: 129,
        message: '',
      });
      const rows = await ok(get(w.alice, `${path}/position_mode`));
      assert.deepEqual(
        rows.map((row: Json) => row.positionMode),
        ['HEDGE', 'ONE_WAY'],
      );
      const record = await one(w.alice.future(future('SELL', 105)));
      assert.deepEqual(
        [record.positionMode, record.positionDirection, record.positionId],
        ['HEDGE', 'SHORT', 'BTC-PERP-USDT|SHORT'],
      );
    });

    it('an order that names another mode switches where there is nothing', { rule: '11.10' }, async (w) => {
      await ok(w.alice.future(future('BUY', 90, 10, { positionMode: 'HEDGE' })));
      const [{ positionMode }] = await ok(get(w.alice, `${path}/position_mode`, { symbol: PERP }));
      assert.equal(positionMode, 'HEDGE');
    });

    it('stays with an order or a position there: 134 by its own call, 133 by an order', {
      rule: ['11.10', '11.11'],
    }, async (w) => {
      const order = await one(w.alice.future(future('BUY', 90)));
      await leavesNoTrace(w, () => set(w, 'HEDGE'), 134, '0 positions and 1 orders');
      const other = future('BUY', 91, 10, { positionMode: 'ISOLATED' });
      await leavesNoTrace(w, () => w.alice.future(other), 133, 'ISOLATED');
      await ok(w.alice.cancelFuture({ orderID: order.orderID }));
      await open(w, 10);
      await leavesNoTrace(w, () => set(w, 'ISOLATED'), 134, '1 positions and 0 orders');
      assert.equal((await ok(set(w, 'ONE_WAY'))).status, 20);
    });

    it('an unknown mode is malformed', async (w) => {
      await leavesNoTrace(w, () => set(w, 'BOTH'), -2, 'give one of ONE_WAY, HEDGE, ISOLATED');
    });
  });
}

describe('enum values of position requests', () => {
  const it = scenarios();

  it('are taken in any case on v2.3, for so its clients send them', { rule: '4.46' }, async (w) => {
    await ok(post(w.alice, `${LEGACY}/position_mode`, { symbol: PERP, positionMode: 'Hedge' }));
    const leverage = { symbol: PERP, leverage: 5, marginMode: 'cross', positionMode: 'hedge' };
    await ok(post(w.alice, `${LEGACY}/leverage`, leverage));
    await ok(post(w.alice, `${LEGACY}/risk_limit`, { symbol: PERP, riskLimitLevel: 2, positionMode: 'hedge' }));
    await open(w, 10);
    const attach = { symbol: PERP, side: 'Sell', takeProfitPrice: 110, takeProfitTrigger: 'LASTPRICE' };
    const attached = await one(post(w.alice, `${LEGACY}/order/bind/tpsl`, { ...attach, positionMode: 'hedge' }));
    assert.equal((await ok(w.alice.futureOrder(attached.orderID))).triggerUseLastPrice, true);
    const [{ positionId }] = await ok(w.alice.positions());
    const closing = await one(
      post(w.alice, `${LEGACY}/order/close_position`, { symbol: PERP, type: 'Market', positionId }),
    );
    assert.equal(closing.orderType, 77);
  });
});

describe('the largest leverage of a tier whose rate divides no whole number', () => {
  const it = scenarios({
    markets: [{ symbol: PERP, riskTiers: [{ maxNotional: '1000000', initial: '0.03', maintenance: '0.01' }] }],
  });

  it('is rounded down: 33 at 3 %', { rule: '11.39' }, async (w) => {
    const body = { symbol: PERP, marginMode: 'CROSS' };
    await refused(post(w.alice, `${LEGACY}/leverage`, { ...body, leverage: 34 }), 13, '0 to 33');
    await ok(post(w.alice, `${LEGACY}/leverage`, { ...body, leverage: 33 }));
  });
});
