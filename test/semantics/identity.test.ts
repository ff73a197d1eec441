/** semantics.md section 2: ids, client ids, identical requests, lookups and what stays readable. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, limit, oco, peg, sellMarket, trailing, triggered, twap } from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { BTC, PERP, scenarios } from '../support/venue.ts';

const HALF_HOUR_MS = 30 * 60_000;
const mine = { clOrderId: 'mine' };

describe('an order id', () => {
  const it = scenarios();

  it('is UUID text, another one for each order; both surfaces have the same kind', { rule: '2.1' }, async (w) => {
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push((await one(w.alice.spot(limit('BUY', 90 + i)))).orderId);
    for (const leg of await ok(w.alice.spot(oco()))) ids.push(leg.orderId);
    ids.push((await one(w.alice.future(future('BUY', 99)))).orderID);
    for (const id of ids) assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('requestId is the sequence number of the command', { rule: '2.2' }, async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 99)));
    const { seq } = await w.control.state();
    assert.equal((await ok(w.alice.lookup(orderId))).requestId, seq);
    await ok(w.alice.spot(limit('BUY', 98)));
    assert.equal((await w.control.state()).seq, seq + 1);
  });
});

describe('a client id', () => {
  const it = scenarios();

  it('has at most 64 UTF-16 units and no control characters; an empty one counts as not given', {
    rule: ['2.3', '2.4'],
  }, async (w) => {
    for (const clOrderId of ['x'.repeat(64), '😀'.repeat(32)])
      await ok(w.alice.spot(limit('BUY', 90, 1, { clOrderId })));
    for (const clOrderId of ['x'.repeat(65), `😀${'x'.repeat(63)}`, 'a\nb', '\u0001', '\u007f']) {
      await refused(w.alice.spot(limit('BUY', 90, 1, { clOrderId })), 400, 'clOrderId');
      await refused(w.alice.future(future('BUY', 90, 10, { clOrderID: clOrderId })), -2, 'clOrderID');
    }
    for (let i = 0; i < 2; i++) {
      const { orderId } = await one(w.alice.spot(limit('BUY', 90, 1, { clOrderId: '' })));
      assert.equal((await ok(w.alice.lookup(orderId))).clOrderId, null);
    }
  });

  it('is shared by both legs of an OCO; attached orders have none', { rule: '2.7' }, async (w) => {
    const legs = await ok(w.alice.spot(oco('SELL', mine)));
    for (const { orderId } of legs) assert.equal((await ok(w.alice.lookup(orderId))).clOrderId, 'mine');
    await w.rest('SELL', 100, 10, PERP);
    const parent = await one(w.alice.future(future('BUY', 100, 10, { clOrderID: 'p', stopLossPrice: 95 })));
    const { stopLossOrder } = await ok(w.alice.futureOrder(parent.orderID));
    assert.equal((await ok(w.alice.futureOrder(stopLossOrder.orderId))).clOrderID, '');
  });

  it('of a live order is refused to a second one with code 15, naming the live order', {
    rule: ['1.16', '2.8'],
  }, async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 99, 1, mine)));
    for (const body of [limit('SELL', 101, 2, mine), oco('SELL', mine), triggered('SELL', 'STOP_LOSS', 95, mine)]) {
      await refused(w.alice.spot(body), 15, orderId);
    }
  });

  it('belongs to account and product: others may use the same', { rule: '2.6' }, async (w) => {
    await ok(w.alice.spot(limit('BUY', 99, 1, mine)));
    await ok(w.bob.spot(limit('BUY', 99, 1, mine)));
    await ok(w.alice.future(future('BUY', 99, 10, { clOrderID: 'mine' })));
  });

  it('is free again when its order has ended, for another request', { rule: '2.9' }, async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 99, 1, mine)));
    await ok(w.alice.cancelSpot(orderId));
    await ok(w.alice.spot(limit('BUY', 98, 1, mine)));
  });

  it('is echoed exactly: emoji, right-to-left text, both normal forms, prototype names', { rule: '2.5' }, async (w) => {
    for (const id of ['😀'.repeat(32), 'שלום', '\u00e9', 'e\u0301', '__proto__', 'hasOwnProperty', ' a b ']) {
      assert.equal((await one(w.alice.spot(limit('BUY', 99, 1, { clOrderId: id })))).clOrderId, id);
      assert.equal((await ok(w.alice.lookup({ clOrderId: id }))).clOrderId, id);
    }
  });

  it('gives way to the order id where a look-up has both; with neither it is malformed', {
    rule: ['2.15', '2.22'],
  }, async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 99, 1, mine)));
    const other = await one(w.alice.spot(limit('BUY', 98)));
    assert.equal((await ok(w.alice.lookup({ orderId: other.orderId, ...mine }))).orderId, other.orderId);
    assert.equal((await ok(w.alice.lookup({ orderId, clOrderId: 'nobody' }))).orderId, orderId);
    await refused(w.alice.lookup({}), 400, 'orderId');
    await refused(w.alice.futureOrder({}), -2, 'orderID');
  });

  it('finds the live order, else the newest', { rule: '2.16' }, async (w) => {
    const first = await one(w.alice.spot(limit('BUY', 99, 1, mine)));
    await ok(w.alice.cancelSpot(first.orderId));
    const second = await one(w.alice.spot(limit('BUY', 98, 1, mine)));
    assert.equal((await ok(w.alice.lookup(mine))).orderId, second.orderId);
    await ok(w.alice.cancelSpot(second.orderId));
    const { data } = await refused(w.alice.lookup(mine), 16, 'Order not found', 404);
    assert.equal(data.orderId, second.orderId);
  });

  it('of an OCO finds the limit leg while it lives, then the stop leg', { rule: '2.17' }, async (w) => {
    const [limitLeg, stopLeg] = await ok(w.alice.spot(oco('SELL', mine)));
    assert.equal((await ok(w.alice.lookup(mine))).orderId, limitLeg.orderId);
    await w.price(BTC, { last: 95 });
    const released = await ok(w.alice.lookup(mine));
    assert.deepEqual([released.orderId, released.triggered], [stopLeg.orderId, true]);
  });

  it('cancels every live order that has it', async (w) => {
    await ok(w.alice.spot(oco('SELL', mine)));
    const cancelled = await ok(w.alice.cancelSpot(mine));
    assert.deepEqual(
      cancelled.map((leg: Json) => [leg.status, leg.orderPrice]),
      [
        [6, 105],
        [6, 94],
      ],
    );
  });
});

describe('an identical request', () => {
  const it = scenarios();

  it('within 60 s is refused with code 15 even when the first has ended, so that a retry never doubles an order', {
    rule: '2.10',
  }, async (w) => {
    await w.rest('BUY', 99, 5);
    const { orderId, status } = await one(w.alice.spot(sellMarket(1, mine)));
    assert.equal(status, 4);
    await w.advance(59_999);
    await refused(w.alice.spot(sellMarket(1, mine)), 15, orderId);
    await w.advance(1);
    assert.equal((await one(w.alice.spot(sellMarket(1, mine)))).status, 4);
  });

  it('is one with the same decimal values, however they are written, and whatever its headers', {
    rule: '2.11',
  }, async (w) => {
    await w.rest('BUY', 99, 5);
    await ok(w.alice.spot(sellMarket(0.5, mine)));
    await refused(w.alice.spot(sellMarket('0.50', mine)), 15);
    await refused(w.alice.spot({ ...mine, ...sellMarket('5e-1') }, { 'BROKER-ID': 'other' }), 15);
    await ok(w.alice.spot(sellMarket(0.6, mine)));
  });

  it('is not one without a client id, on another operation, or for another account', {
    rule: ['2.11', '2.12'],
  }, async (w) => {
    await w.rest('BUY', 99, 5);
    await ok(w.alice.spot(sellMarket(1)));
    await ok(w.alice.spot(sellMarket(1)));
    await ok(w.bob.spot(limit('BUY', 98, 1, { ...mine, timeInForce: 'IOC' })));
    await ok(w.alice.spot(limit('BUY', 98, 1, { ...mine, timeInForce: 'IOC' })));
    await refused(w.alice.spot(limit('BUY', 98, 1, { ...mine, timeInForce: 'IOC' })), 15);
  });

  it('does not count a refused one: the retry may succeed', { rule: '2.13' }, async (w) => {
    const body = future('SELL', 101, 10, { clOrderID: 'r', reduceOnly: true });
    await refused(w.alice.future(body), 33199120);
    await w.rest('SELL', 100, 10, PERP);
    await ok(w.alice.future(future('BUY', null)));
    await ok(w.alice.future(body));
  });
});

describe('duplicateClientIds: allow', () => {
  const it = scenarios({ markets: [{ symbol: BTC, duplicateClientIds: 'allow' }] });

  it("restores BTSE's laxity: two live orders, cancelled together by their id", { rule: '2.14' }, async (w) => {
    await ok(w.alice.spot(limit('BUY', 99, 1, mine)));
    await ok(w.alice.spot(limit('BUY', 99, 1, mine)));
    assert.equal((await ok(w.alice.cancelSpot(mine))).length, 2);
  });
});

describe('a live order', () => {
  const it = scenarios();

  for (const [kind, body, state] of [
    ['at rest', limit('BUY', 99), 'ORDER_INSERTED'],
    ['a trigger that waits', triggered('SELL', 'STOP_LOSS', 95), 'TRIGGER_INSERTED'],
    ['a trailing stop', trailing(), 'TRIGGER_INSERTED'],
    ['a peg', peg('BUY', 99), 'ORDER_INSERTED'],
    ['a TWAP that runs', twap(), 'ORDER_INSERTED'],
  ] as const) {
    it(`${kind}: the v4 look-up answers 200 with ${state}`, { rule: ['2.19', '2.27', '2.29'] }, async (w) => {
      const [{ orderId }] = await ok(w.alice.spot(body));
      assert.equal((await ok(w.alice.lookup(orderId))).orderState, state);
    });
  }

  it('partly filled: ORDER_PARTIALLY_TRANSACTED; a released stop-limit at rest: ORDER_INSERTED, triggered', {
    rule: ['2.27', '2.28'],
  }, async (w) => {
    await w.rest('SELL', 100, 0.4);
    const { orderId } = await one(w.alice.spot(limit('BUY', 100)));
    assert.equal((await ok(w.alice.lookup(orderId))).orderState, 'ORDER_PARTIALLY_TRANSACTED');
    await w.cancelAll();
    const [, stopLeg] = await ok(w.alice.spot(oco()));
    await w.price(BTC, { last: 95 });
    const { orderState, triggered: fired } = await ok(w.alice.lookup(stopLeg.orderId));
    assert.deepEqual([orderState, fired], ['ORDER_INSERTED', true]);
  });
});

describe('an ended order', () => {
  const it = scenarios();

  it('is known to the archive with all that happened to it, also when the venue has forgotten it', {
    rule: '2.25',
  }, async (w) => {
    await w.rest('BUY', 95, 0.4);
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95)));
    await w.price(BTC, { last: 95 });
    await w.advance(HALF_HOUR_MS);
    assert.equal(await w.state(orderId), 'unknown');
    const { order, events } = (await w.control.request('GET', `/orders/${orderId}`)) as Json;
    assert.deepEqual([order.orderId, order.state], [orderId, 'cancelled']);
    const types = events.map(({ type }: Json) => type);
    assert.deepEqual([types[0], types.at(-1)], ['accepted', 'ended']);
    assert.ok(types.includes('triggered'), String(types));
  });

  it("stays readable at v2.3 and in the v4 lookup's 404 for 30 minutes, then is not found", {
    rule: ['2.20', '2.21', '2.23', '2.24', '2.31'],
  }, async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 99, 1, mine)));
    await ok(w.alice.cancelSpot(orderId));
    const { orderID } = await one(w.alice.future(future('BUY', 99, 10, { clOrderID: 'f' })));
    await ok(w.alice.cancelFuture({ orderID }));
    await w.advance(HALF_HOUR_MS - 1);
    assert.equal((await ok(w.alice.futureOrder({ clOrderID: 'f' }))).status, 6);
    const { data } = await refused(w.alice.lookup(orderId), 16, 'ORDER_CANCELLED', 404);
    assert.deepEqual(data, { orderId, clOrderId: 'mine', orderState: 'ORDER_CANCELLED' });
    await w.advance(1);
    await refused(w.alice.futureOrder(orderID), 400, 'BAD_REQUEST: Order not found');
    assert.equal((await refused(w.alice.lookup(orderId), 16, 'Order not found', 404)).data, null);
  });

  it('cancelled again is the same not-found, with its final state', { rule: '2.26' }, async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 99, 1, mine)));
    await ok(w.alice.cancelSpot(orderId));
    const { data } = await refused(w.alice.cancelSpot(orderId), 16, 'Order not found');
    assert.equal(data.orderState, 'ORDER_CANCELLED');
    const { orderID } = await one(w.alice.future(future('BUY', 99)));
    await ok(w.alice.cancelFuture({ orderID }));
    await refused(w.alice.cancelFuture({ orderID }), 400, 'BAD_REQUEST: Order not found');
  });

  it("has the label of how it ended, and another account's looks like none", {
    rule: ['2.18', '2.20', '2.30', '2.32'],
  }, async (w) => {
    const body = limit('BUY', 99, 1);
    const filled = await one(w.alice.spot(body));
    await ok(w.bob.spot(sellMarket(1)));
    assert.equal(await w.state(filled.orderId), 'ORDER_FULLY_TRANSACTED');
    const expired = await one(w.alice.future(future('BUY', 99, 10, { time_in_force: 'HALFMIN' })));
    await w.advance(30_000);
    assert.equal((await ok(w.alice.futureOrder(expired.orderID))).status, 6);
    await w.rest('SELL', 99, 1);
    const rejected = await one(w.alice.spot({ ...body, postOnly: true }));
    assert.equal(await w.state(rejected.orderId), 'ORDER_REJECTED');
    assert.equal((await refused(w.bob.lookup(filled.orderId), 16, 'Order not found', 404)).data, null);
    await refused(w.bob.futureOrder(expired.orderID), 400, 'Order not found');
    await refused(w.bob.cancelSpot(filled.orderId), 16, 'Order not found');
  });
});

describe('lists and cancels', () => {
  const it = scenarios();

  it('v4 lists the open orders oldest first, of one pair or all, as STATUS_ACTIVE', { rule: '2.33' }, async (w) => {
    await w.price('ETH-USDT', { index: 100 });
    const first = await one(w.alice.spot(limit('BUY', 99)));
    const other = await one(w.alice.spot(limit('BUY', 99, 1, { symbol: 'ETH-USDT' })));
    const [, stopLeg] = await ok(w.alice.spot(oco()));
    const all = await ok(w.alice.spotOrders());
    assert.deepEqual(
      all.map((row: Json) => row.orderState),
      ['STATUS_ACTIVE', 'STATUS_ACTIVE', 'STATUS_ACTIVE', 'STATUS_ACTIVE'],
    );
    assert.deepEqual([all[0].orderId, all[1].orderId, all[3].orderId], [first.orderId, other.orderId, stopLeg.orderId]);
    const btc = await ok(w.alice.spotOrders({ symbol: BTC }));
    assert.deepEqual(
      btc.map((row: Json) => row.symbol),
      [BTC, BTC, BTC],
    );
    await refused(w.alice.spotOrders({ symbol: 'BTC-DOGE' }), -7006, 'BTC-DOGE');
    assert.deepEqual(await ok(w.bob.spotOrders()), []);
  });

  it('v3 lists, finds by id or client id, and refuses an unknown one', { rule: '2.33' }, async (w) => {
    const { orderID } = await one(w.alice.future(future('BUY', 99, 10, { clOrderID: 'f' })));
    const [row] = await ok(w.alice.v3Orders({ symbol: PERP }));
    assert.deepEqual(
      [row.orderId, row.orderState, row.orderSide, row.orderPrice],
      [orderID, 'STATUS_ACTIVE', 'BUY', 99],
    );
    assert.equal((await one(w.alice.v3Orders({ orderId: orderID }))).orderId, orderID);
    assert.equal((await one(w.alice.v3Orders({ clOrderId: 'f' }))).orderId, orderID);
    await refused(w.alice.v3Orders({ orderId: 'nonsense' }), 400, 'BAD_REQUEST: Order not found');
    await refused(w.alice.v3Orders({ symbol: 'BTC-PERP-USDT' }), -7006, 'BTC-PERP-USDT');
    await ok(w.alice.cancelV3({ orderId: orderID }));
    await refused(w.alice.v3Orders({ orderId: orderID }), 400, 'Order not found: it ended as ORDER_CANCELLED');
    const [ended] = await ok(w.alice.v3Orders({ orderId: orderID, includeCancelled: 'true' }));
    assert.equal(ended.orderState, 'ORDER_CANCELLED');
    assert.deepEqual(await ok(w.alice.v3Orders()), []);
  });

  it('v2.3 without an id cancels all orders of the market, and nothing to cancel is an empty array', async (w) => {
    assert.deepEqual(await ok(w.alice.cancelFuture()), []);
    await ok(w.alice.future(future('BUY', 99)));
    await ok(w.alice.future({ ...future('SELL', 105), type: 'OCO', triggerPrice: 95, stopPrice: 94 }));
    await w.price('ETH-PERP', { index: 100 });
    await ok(w.alice.future(future('BUY', 99, 10, { symbol: 'ETH-PERP' })));
    const cancelled = await ok(w.alice.cancelFuture());
    assert.deepEqual(
      cancelled.map((record: Json) => record.status),
      [6, 6, 6],
    );
    assert.deepEqual(await ok(w.alice.v3Orders()), await ok(w.alice.v3Orders({ symbol: 'ETH-PERP' })));
    await refused(w.alice.cancelFuture({ clOrderID: '' }), -2, 'clOrderID');
    await refused(w.alice.cancelFuture({ orderID: '' }), -2, 'orderID');
  });

  it('a cancel takes only an order of the market and product that it names', async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 99)));
    await refused(w.alice.cancelSpot(orderId, 'ETH-USDT'), 16, 'Order not found');
    await refused(w.alice.cancelV3({ orderId }), 400, 'Order not found');
    await refused(w.alice.cancelSpot({}), 400, 'orderId');
    await refused(w.alice.cancelV3({}), -2, 'orderId');
    await ok(w.alice.cancelSpot(orderId));
  });
});
