/** semantics.md section 4: amending price, size and trigger price of a live order. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, limit, oco, peg, stop, trailing, triggered, triggeredLimit, twap } from '../support/bodies.ts';
import { type Json, ok, one, type Reply, refused } from '../support/client.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';

const AMENDED = 123;

/** Any spot order of alice's that lives: its id. */
async function lives(w: World, body: Json): Promise<string> {
  const records = await ok(w.alice.spot(body));
  assert.ok([2, 9].includes(records[0].status), JSON.stringify(records));
  return records[0].orderId;
}

/** Any futures v2.3 order of alice's that lives. */
async function futureLives(w: World, body: Json): Promise<string> {
  const { orderID, status } = await one(w.alice.future(body));
  assert.ok([2, 9].includes(status), `${status}`);
  return orderID;
}

async function look(w: World, orderId: string): Promise<Json> {
  return ok(w.alice.lookup(orderId));
}

async function lookFuture(w: World, orderID: string): Promise<Json> {
  return ok(w.alice.futureOrder(orderID));
}

/** Refused in the surface's envelope, and the venue is as it was. */
async function leavesNoTrace(w: World, reply: () => Promise<Reply>, code: number, mention: string | RegExp) {
  const before = w.hash();
  const body = await refused(reply(), code, mention);
  assert.equal(w.hash(), before);
  return body;
}

describe('an amend of a limit order', () => {
  const it = scenarios();

  it('answers with the record as it is now: status 123 while it lives', { rule: '4.8' }, async (w) => {
    const placed = await one(w.alice.spot(limit('BUY', 98, 1, { clOrderId: 'mine' })));
    await w.advance(5);
    const record = await one(w.alice.amendSpot(placed.orderId, { orderPrice: '99.5', orderSize: 2 }));
    assert.deepEqual(record, {
      ...placed,
      status: AMENDED,
      orderPrice: 99.5,
      currentOrderBaseSize: 2,
      remainingOrderBaseSize: 2,
      timestamp: placed.timestamp + 5,
    });
    const { orderPrice, currentOrderBaseSize, originalOrderBaseSize, timestamp } = await look(w, placed.orderId);
    assert.deepEqual(
      [orderPrice, currentOrderBaseSize, originalOrderBaseSize, timestamp],
      [99.5, 2, 1, placed.timestamp],
    );
  });

  it('on futures too, in the records of a placement (v2.3) and of a cancel (v3)', async (w) => {
    const placed = await one(w.alice.future(future('BUY', 98)));
    const amended = await one(w.alice.amendFuture(placed.orderID, { type: 'PRICE', value: 99 }));
    assert.deepEqual(amended, { ...placed, status: AMENDED, price: 99 });
    const row = await one(w.alice.amendV3(placed.orderID, { amendType: 'SIZE', orderSize: '12' }));
    const [cancelled] = await ok(w.alice.cancelV3({ orderId: placed.orderID }));
    assert.deepEqual(row, { ...cancelled, status: AMENDED });
    assert.deepEqual([row.orderSize, row.originalOrderSize, row.type], [12, 10, 76]);
  });

  for (const [what, changes, kept] of [
    ['a lower size keeps its place', { orderSize: 0.5 }, true],
    ['an equal price and size lose its place', { orderPrice: 100, orderSize: 1 }, false],
    ['an equal price with a lower size keeps it', { orderPrice: 100, orderSize: 0.5 }, true],
    ['a higher size loses it', { orderSize: 1.5 }, false],
  ] as const) {
    it(`${what} in the queue`, { rule: '4.3' }, async (w) => {
      const orderId = await lives(w, limit('BUY', 100));
      await w.rest('BUY', 100, 1);
      await ok(w.alice.amendSpot(orderId, changes));
      // Whose order comes first shows in what bob's own sell meets: alice's, or his own.
      await ok(w.bob.spot(limit('SELL', 100, 0.1, { timeInForce: 'IOC' })));
      assert.equal((await look(w, orderId)).totalFilledBaseSize, kept ? 0.1 : 0);
    });
  }

  it('a price that goes away and comes back loses its place', { rule: '4.3' }, async (w) => {
    const orderId = await lives(w, limit('BUY', 100));
    await w.rest('BUY', 100, 1);
    for (const orderPrice of [99, 100]) await ok(w.alice.amendSpot(orderId, { orderPrice }));
    await ok(w.bob.spot(limit('SELL', 100, 0.1, { timeInForce: 'IOC' })));
    assert.equal((await look(w, orderId)).totalFilledBaseSize, 0);
  });

  it('a new price that crosses matches at the resting price; status 4 when it filled at once', {
    rule: ['4.7', '4.8'],
  }, async (w) => {
    await w.rest('SELL', 101, 2);
    const orderId = await lives(w, limit('BUY', 99));
    const record = await one(w.alice.amendSpot(orderId, { orderPrice: 105 }));
    assert.deepEqual(
      [record.status, record.orderPrice, record.avgFilledPrice, record.totalFilledBaseSize],
      [4, 105, 101, 1],
    );
    const { total, reserved } = await w.balance('USDT');
    assert.deepEqual([total, reserved], ['999899', '0']);
  });

  it('what a crossing amend leaves unfilled rests at the new price, status 123', {
    rule: ['4.7', '4.8'],
  }, async (w) => {
    await w.rest('SELL', 100, 4, PERP);
    const orderID = await futureLives(w, future('BUY', 99));
    const record = await one(w.alice.amendFuture(orderID, { type: 'PRICE', value: 101 }));
    assert.deepEqual(
      [record.status, record.filledSize, record.totalFilledSize, record.remainingSize, record.avgFilledPrice],
      [AMENDED, 4, 4, 6, 100],
    );
    const { status, price, remainingSize } = await lookFuture(w, orderID);
    assert.deepEqual([status, price, remainingSize], [5, 101, 6]);
  });

  it('a crossing amend that would meet the own order ends cancelled: self-trade', { rule: '4.11' }, async (w) => {
    const sell = await lives(w, limit('SELL', 101));
    const buy = await lives(w, limit('BUY', 99));
    const record = await one(w.alice.amendSpot(buy, { orderPrice: 101 }));
    assert.equal(record.status, 6);
    assert.match(record.message, /^self-trade/);
    assert.equal(await w.state(sell), 'ORDER_INSERTED');
  });

  it('a post-only order amended into a cross is refused, the order and its place unchanged', {
    rule: '4.6',
  }, async (w) => {
    await w.rest('SELL', 101, 1);
    const orderId = await lives(w, limit('BUY', 100, 1, { postOnly: true }));
    await w.rest('BUY', 100, 1);
    for (const changes of [{ orderPrice: 101 }, { orderPrice: 102, orderSize: 3 }]) {
      await leavesNoTrace(w, () => w.alice.amendSpot(orderId, changes), 302, 'post-only');
    }
    await ok(w.bob.spot(limit('SELL', 100, 0.1, { timeInForce: 'IOC' })));
    assert.equal((await look(w, orderId)).totalFilledBaseSize, 0.1);
    assert.equal((await one(w.alice.amendSpot(orderId, { orderPrice: 100.9 }))).status, AMENDED);
  });

  it('a timed order keeps the end that it had from its acceptance', { rule: '4.20' }, async (w) => {
    const orderID = await futureLives(w, future('BUY', 98, 10, { time_in_force: 'HALFMIN' }));
    await w.advance(20_000);
    await ok(w.alice.amendFuture(orderID, { type: 'ALL', orderPrice: 99, orderSize: 20 }));
    await w.advance(9_999);
    assert.equal((await lookFuture(w, orderID)).status, 2);
    await w.advance(1);
    assert.equal((await lookFuture(w, orderID)).status, 6);
  });

  it('is named by the client id, of which the live order is meant; the order id wins', async (w) => {
    const ended = await lives(w, limit('BUY', 90, 1, { clOrderId: 'mine' }));
    await ok(w.alice.cancelSpot(ended));
    const live = await lives(w, limit('BUY', 91, 1, { clOrderId: 'mine' }));
    const other = await lives(w, limit('BUY', 92));
    const named = { symbol: BTC, clOrderId: 'mine', orderPrice: 93 };
    const path = '/spot/api/v4/trade/orders';
    assert.equal((await one(w.alice.call('PUT', path, { body: named }))).orderId, live);
    assert.equal((await one(w.alice.call('PUT', path, { body: { ...named, orderId: other } }))).orderId, other);
  });
});

describe('the amended size', () => {
  const it = scenarios();

  /** A BUY of 1 at 100 of which 0.4 is filled. */
  async function partlyFilled(w: World): Promise<string> {
    const orderId = await lives(w, limit('BUY', 100));
    await ok(w.bob.spot(limit('SELL', 100, 0.4)));
    return orderId;
  }

  it('is the new unfilled size on spot v4', { rule: '4.5' }, async (w) => {
    const orderId = await partlyFilled(w);
    const record = await one(w.alice.amendSpot(orderId, { orderSize: 0.5 }));
    assert.deepEqual(
      [record.originalOrderBaseSize, record.currentOrderBaseSize, record.remainingOrderBaseSize],
      [1, 0.9, 0.5],
    );
    assert.equal((await w.balance('USDT')).reserved, '50');
  });

  it('is the new total with totalAmountMode', { rule: ['4.4', '4.5'] }, async (w) => {
    const orderId = await partlyFilled(w);
    const record = await one(w.alice.amendSpot(orderId, { orderSize: 0.5, totalAmountMode: true }));
    assert.deepEqual([record.currentOrderBaseSize, record.remainingOrderBaseSize], [0.5, 0.1]);
    for (const orderSize of [0.4, 0.3]) {
      await leavesNoTrace(
        w,
        () => w.alice.amendSpot(orderId, { orderSize, totalAmountMode: true }),
        301,
        `orderSize ${orderSize} is not above the filled size 0.4`,
      );
    }
  });

  it('is the new total on futures; at or below the filled size it is refused', { rule: '4.4' }, async (w) => {
    const orderID = await futureLives(w, future('BUY', 100));
    await ok(w.bob.future(future('SELL', 100, 4)));
    const grown = await one(w.alice.amendFuture(orderID, { type: 'SIZE', value: 15 }));
    assert.deepEqual([grown.currentOrderSize, grown.remainingSize, grown.originalOrderSize], [15, 11, 10]);
    const shrunk = await one(w.alice.amendV3(orderID, { amendType: 'SIZE', orderSize: 5 }));
    assert.deepEqual([shrunk.currentOrderSize, shrunk.remainingSize], [5, 1]);
    await leavesNoTrace(w, () => w.alice.amendFuture(orderID, { type: 'SIZE', value: 4 }), 301, 'value 4 is not above');
    await leavesNoTrace(
      w,
      () => w.alice.amendV3(orderID, { amendType: 'ALL', orderPrice: 99, orderSize: 3 }),
      301,
      'orderSize 3 is not above',
    );
  });

  it('of a reduce-only order is clipped to the position', async (w) => {
    await w.rest('SELL', 100, 10, PERP);
    await ok(w.alice.future(future('BUY', null, 10)));
    const orderID = await futureLives(w, future('SELL', 101, 4, { reduceOnly: true }));
    const { currentOrderSize, originalOrderSize } = await one(
      w.alice.amendFuture(orderID, { type: 'SIZE', value: 25 }),
    );
    assert.deepEqual([currentOrderSize, originalOrderSize], [10, 4]);
  });
});

describe('an amend is checked as a new order is', () => {
  const it = scenarios();

  it('money: a raise is reserved, a cut given back, and what is not there is refused', async (w) => {
    const orderId = await lives(w, limit('BUY', 99));
    for (const [changes, reserved] of [
      [{ orderPrice: 98 }, '98'],
      [{ orderSize: 3 }, '294'],
      [{ orderPrice: 100, orderSize: 1 }, '100'],
    ] as const) {
      await ok(w.alice.amendSpot(orderId, changes));
      assert.equal((await w.balance('USDT')).reserved, reserved);
    }
    await w.venue.deposit('alice', 'USDT', '-999850');
    await leavesNoTrace(
      w,
      () => w.alice.amendSpot(orderId, { orderSize: 2 }),
      51523,
      'not enough USDT: 100 needed, 50 available',
    );
    const sell = await lives(w, limit('SELL', 105, 100));
    await w.venue.deposit('alice', 'BTC', '-900');
    await leavesNoTrace(w, () => w.alice.amendSpot(sell, { orderPrice: 104, orderSize: 100.1 }), 4003, 'orderSize');
    await ok(w.alice.amendSpot(sell, { orderPrice: 104 }));
    assert.equal((await w.balance('BTC')).reserved, '100');
  });

  it('margin: what the raised order needs in place of what it had', async (w) => {
    const orderID = await futureLives(w, future('BUY', 99));
    await w.venue.deposit('alice', 'USDT', '-999999.9998');
    await leavesNoTrace(
      w,
      () => w.alice.amendFuture(orderID, { type: 'SIZE', value: 19 }),
      33199101,
      'not enough USDT',
    );
    await ok(w.alice.amendFuture(orderID, { type: 'SIZE', value: 18 }));
    const [{ margin }] = [await w.balance('USDT')];
    assert.equal(margin, '0.00019781');
  });

  it('band, tick, step, minimum and maximum', async (w) => {
    const orderId = await lives(w, limit('BUY', 99));
    const orderID = await futureLives(w, future('BUY', 99));
    const spot = (changes: Json) => () => w.alice.amendSpot(orderId, changes);
    const swap = (changes: Json) => () => w.alice.amendFuture(orderID, changes);
    await leavesNoTrace(w, spot({ orderPrice: 110.1 }), 33001003, 'ends at 110');
    await leavesNoTrace(w, swap({ type: 'PRICE', value: 110.1 }), 33001003, 'ends at 110');
    await leavesNoTrace(w, spot({ orderPrice: 99.05 }), 302, 'orderPrice 99.05 is off the tick');
    await leavesNoTrace(w, swap({ type: 'PRICE', value: '99.05' }), 302, 'value 99.05 is off the tick');
    await leavesNoTrace(w, spot({ orderPrice: 10_000_000.1 }), 302, 'maximum');
    await leavesNoTrace(w, spot({ orderSize: 0.000015 }), 301, 'orderSize 0.000015 is off the step');
    await leavesNoTrace(w, swap({ type: 'SIZE', value: 1.5 }), 301, 'value 1.5 is off the step');
    await leavesNoTrace(w, spot({ orderSize: 100.1 }), 4003, 'orderSize 100.1 is above the maximum');
    await leavesNoTrace(w, swap({ type: 'SIZE', value: 7_500_001 }), 4051, 'value 7500001 is above the maximum');
    await leavesNoTrace(w, spot({ orderSize: 0 }), 301, 'orderSize 0 is below the minimum');
  });

  it('the band holds for a changed price alone: an order that the band has left may shrink', async (w) => {
    const orderId = await lives(w, limit('BUY', 105));
    await w.price(BTC, { index: 90 });
    assert.equal((await one(w.alice.amendSpot(orderId, { orderSize: 0.5 }))).status, AMENDED);
    assert.equal((await one(w.alice.amendSpot(orderId, { orderPrice: 105, orderSize: 0.4 }))).status, AMENDED);
    await leavesNoTrace(w, () => w.alice.amendSpot(orderId, { orderPrice: 104 }), 33001003, 'ends at 99');
  });

  it('attached prices stay on their sides of the order price', async (w) => {
    const orderID = await futureLives(w, future('BUY', 99, 10, { takeProfitPrice: 105, stopLossPrice: 95 }));
    const change = (value: number) => () => w.alice.amendFuture(orderID, { type: 'PRICE', value });
    await leavesNoTrace(w, change(95), 302, 'stopLossPrice 95 is on the wrong side');
    await leavesNoTrace(w, change(105), 302, 'takeProfitPrice 105 is on the wrong side');
    assert.equal((await one(change(96)())).status, AMENDED);
  });
});

describe('what cannot be amended', () => {
  const it = scenarios();

  for (const [kind, body] of [
    ['a PEG', peg('BUY', 95)],
    ['a TWAP', twap()],
    ['a TRAILING', trailing()],
  ] as const) {
    it(`price, size or trigger of ${kind} on spot: it is an algo order`, { rule: ['4.9', '4.10'] }, async (w) => {
      const orderId = await lives(w, body);
      for (const [changes, field] of [
        [{ orderPrice: 96 }, 'orderPrice'],
        [{ orderSize: 0.5 }, 'orderSize'],
        [{ triggerPrice: 96 }, 'triggerPrice'],
      ] as const) {
        await leavesNoTrace(w, () => w.alice.amendSpot(orderId, changes), 400, `the ${field} of this`);
      }
    });
  }

  it('a peg or a trailing stop on futures', { rule: ['4.9', '4.10'] }, async (w) => {
    const body = { symbol: PERP, side: 'BUY', price: 95, size: 10 };
    const { orderID } = await one(w.alice.call('POST', '/futures/api/v2.3/order/peg', { body }));
    await leavesNoTrace(w, () => w.alice.amendFuture(orderID, { type: 'PRICE', value: 96 }), 400, 'algo order');
    const trails = await futureLives(w, future('SELL', null, 10, { trailValue: 5 }));
    await leavesNoTrace(w, () => w.alice.amendFuture(trails, { type: 'SIZE', value: 5 }), 400, 'algo order');
    await leavesNoTrace(w, () => w.alice.amendFuture(trails, { type: 'TRIGGERPRICE', value: 90 }), 400, 'trigger');
  });

  it('price and size of either OCO leg: they belong to a group', { rule: '4.9' }, async (w) => {
    for (const { orderId } of await ok(w.alice.spot(oco()))) {
      await leavesNoTrace(w, () => w.alice.amendSpot(orderId, { orderPrice: 106 }), 400, 'a group of orders');
      await leavesNoTrace(w, () => w.alice.amendSpot(orderId, { orderSize: 0.5 }), 400, 'a group of orders');
    }
  });

  it('price and size of a waiting trigger on spot: its trigger price alone can be', { rule: '4.9' }, async (w) => {
    const orderId = await lives(w, triggeredLimit('SELL', 'STOP_LOSS', 95, 94));
    await leavesNoTrace(w, () => w.alice.amendSpot(orderId, { orderPrice: 93 }), 400, 'only the trigger price');
    await leavesNoTrace(w, () => w.alice.amendSpot(orderId, { orderSize: 0.5 }), 400, 'only the trigger price');
  });

  it('the price of a trigger that releases a market order', async (w) => {
    const orderID = await futureLives(w, stop('SELL', 95));
    await leavesNoTrace(w, () => w.alice.amendFuture(orderID, { type: 'PRICE', value: 94 }), 400, 'market order');
  });

  it('a trigger price where none waits: a plain order, and a trigger that has fired', async (w) => {
    const plain = await lives(w, limit('BUY', 99));
    await leavesNoTrace(w, () => w.alice.amendSpot(plain, { triggerPrice: 98 }), 400, 'triggerPrice');
    const released = await lives(w, triggeredLimit('BUY', 'STOP_LOSS', 100, 99));
    assert.equal((await look(w, released)).triggered, true);
    await leavesNoTrace(w, () => w.alice.amendSpot(released, { triggerPrice: 101 }), 400, 'triggerPrice');
    assert.equal((await one(w.alice.amendSpot(released, { orderPrice: 98 }))).status, AMENDED);
  });

  it('an order that is not there, has ended, is another account’s or of another market: not found', async (w) => {
    const ended = await lives(w, limit('BUY', 90));
    await ok(w.alice.cancelSpot(ended));
    const theirs = await w.rest('BUY', 90, 1);
    const live = await lives(w, limit('BUY', 91));
    const change = { orderPrice: 92 };
    for (const id of ['nonsense', '3c7a1f0e-0000-4000-8000-000000000000', theirs.orderId]) {
      const { data } = await leavesNoTrace(w, () => w.alice.amendSpot(id, change), 16, 'Order not found');
      assert.equal(data, null);
    }
    const { data } = await leavesNoTrace(w, () => w.alice.amendSpot(ended, change), 16, 'Order not found');
    assert.deepEqual(data, { orderId: ended, clOrderId: null, orderState: 'ORDER_CANCELLED' });
    await leavesNoTrace(w, () => w.alice.amendSpot(live, change, 'ETH-USDT'), 16, 'Order not found');
    await leavesNoTrace(
      w,
      () => w.alice.amendFuture(live, { type: 'PRICE', value: 92 }),
      400,
      'BAD_REQUEST: Order not found',
    );
    await leavesNoTrace(
      w,
      () => w.alice.amendV3(live, { amendType: 'PRICE', orderPrice: 92 }),
      400,
      'BAD_REQUEST: Order not found',
    );
  });
});

describe('the trigger price of a waiting trigger', () => {
  const it = scenarios();

  it('of a CONDITIONAL moves; what was submitted is kept', { rule: '4.10' }, async (w) => {
    await w.rest('BUY', 90, 5);
    const orderId = await lives(w, triggered('SELL', 'STOP_LOSS', 95));
    const record = await one(w.alice.amendSpot(orderId, { triggerPrice: 97 }));
    assert.equal(record.status, AMENDED);
    const { triggerPrice, triggerOriginalPrice, triggered: fired } = await look(w, orderId);
    assert.deepEqual([triggerPrice, triggerOriginalPrice, fired], [97, 95, false]);
    await w.price(BTC, { last: 97.1 });
    assert.equal(await w.state(orderId), 'TRIGGER_INSERTED');
    await w.price(BTC, { last: 97 });
    assert.equal(await w.state(orderId), 'ORDER_FULLY_TRANSACTED');
  });

  it('of a CONDITIONAL no longer fires at the old price', async (w) => {
    await w.rest('BUY', 85, 5);
    const orderId = await lives(w, triggered('SELL', 'STOP_LOSS', 95));
    await ok(w.alice.amendSpot(orderId, { triggerPrice: 90 }));
    await w.price(BTC, { last: 95 });
    assert.equal(await w.state(orderId), 'TRIGGER_INSERTED');
    await w.price(BTC, { last: 90 });
    assert.equal(await w.state(orderId), 'ORDER_FULLY_TRANSACTED');
  });

  it('that already holds fires right after the amend, whose record still waits', { rule: '6.4' }, async (w) => {
    await w.rest('BUY', 99, 5);
    const orderId = await lives(w, triggered('SELL', 'STOP_LOSS', 95));
    const record = await one(w.alice.amendSpot(orderId, { triggerPrice: 105 }));
    assert.deepEqual([record.status, record.totalFilledBaseSize], [AMENDED, 0]);
    assert.equal(await w.state(orderId), 'ORDER_FULLY_TRANSACTED');
  });

  it('amended before there is any reference waits for the first one', async (w) => {
    await w.begin(null);
    const orderId = await lives(w, triggered('SELL', 'STOP_LOSS', 95));
    await ok(w.alice.amendSpot(orderId, { triggerPrice: 90 }));
    await w.price(BTC, { last: 95 });
    assert.equal(await w.state(orderId), 'TRIGGER_INSERTED');
  });

  it('of a futures STOP moves by TRIGGERPRICE, and with price and size by ALL', { rule: '4.10' }, async (w) => {
    const body = { ...stop('SELL', 95), type: 'LIMIT', price: 94 };
    const orderID = await futureLives(w, body);
    assert.equal((await one(w.alice.amendFuture(orderID, { type: 'TRIGGERPRICE', value: 96 }))).triggerPrice, 96);
    const all = { type: 'ALL', triggerPrice: 97, orderPrice: 95, orderSize: 8 };
    const record = await one(w.alice.amendFuture(orderID, all));
    assert.deepEqual(
      [record.status, record.triggerPrice, record.price, record.currentOrderSize, record.originalOrderSize],
      [AMENDED, 97, 95, 8, 10],
    );
    const row = await one(w.alice.amendV3(orderID, { amendType: 'TRIGGER_PRICE', triggerPrice: '98' }));
    assert.equal(row.triggerPrice, 98);
    await w.price(PERP, { mark: 98 });
    const { status, price, remainingSize, triggerOriginalPrice } = await lookFuture(w, orderID);
    assert.deepEqual([status, price, remainingSize, triggerOriginalPrice], [2, 95, 8, 95]);
  });

  it('of a v3 CONDITIONAL is reached from the side on which the reference is at the amend', {
    rule: '6.7',
  }, async (w) => {
    const body = { symbol: PERP, orderSide: 'SELL', orderType: 'CONDITIONAL', orderSize: 10, triggerPrice: 95 };
    const { orderId } = await one(w.alice.v3(body));
    await ok(w.alice.amendV3(orderId, { amendType: 'TRIGGER_PRICE', triggerPrice: 105 }));
    assert.equal((await lookFuture(w, orderId)).status, 9);
    await w.price(PERP, { mark: 105 });
    assert.equal((await lookFuture(w, orderId)).triggered, true);
  });

  it('of an OCO stop leg moves, on its side of the reference', { rule: '4.10' }, async (w) => {
    const [, { orderId }] = await ok(w.alice.spot(oco()));
    assert.equal((await one(w.alice.amendSpot(orderId, { triggerPrice: 96 }))).status, AMENDED);
    await leavesNoTrace(w, () => w.alice.amendSpot(orderId, { triggerPrice: 101 }), 302, 'must be below 100');
    await leavesNoTrace(w, () => w.alice.amendSpot(orderId, { triggerPrice: 100 }), 302, 'must be below 100');
    await w.price(BTC, { last: 96 });
    assert.equal((await look(w, orderId)).triggered, true);
  });

  it('of an attached stop-loss moves, on its side of the reference', { rule: '4.10' }, async (w) => {
    await w.rest('SELL', 100, 10, PERP);
    const parent = await one(w.alice.future(future('BUY', 100, 10, { stopLossPrice: 95 })));
    const { stopLossOrder } = await lookFuture(w, parent.orderID);
    const change = (value: number) => w.alice.amendFuture(stopLossOrder.orderId, { type: 'TRIGGERPRICE', value });
    assert.equal((await one(change(97))).triggerPrice, 97);
    await leavesNoTrace(w, () => change(101), 302, 'wrong side');
    await w.rest('BUY', 96, 10, PERP);
    await w.price(PERP, { mark: 97 });
    assert.equal(await w.position(), 0);
  });

  it('stays within the trigger-limit distance of its limit price', { rule: '4.30' }, async (w) => {
    const orderId = await lives(w, triggeredLimit('SELL', 'STOP_LOSS', 95, 94));
    await leavesNoTrace(w, () => w.alice.amendSpot(orderId, { triggerPrice: 99.5 }), 33001001, 'cannot exceed 5 %');
    assert.equal((await one(w.alice.amendSpot(orderId, { triggerPrice: 98 }))).status, AMENDED);
  });
});

describe('a malformed amend', () => {
  const it = scenarios();

  for (const [problem, changes, mention] of [
    ['nothing to change', {}, 'give orderPrice, orderSize or triggerPrice'],
    ['a field of another name', { price: 99 }, 'price is not a field of an amend'],
    ['a price of 0', { orderPrice: 0 }, 'orderPrice is 0'],
    ['a price that is no number', { orderPrice: 'x' }, 'orderPrice is "x"'],
    ['a mode that is no flag', { orderSize: 1, totalAmountMode: 'true' }, 'totalAmountMode'],
  ] as const) {
    it(`on spot v4: ${problem}`, async (w) => {
      const orderId = await lives(w, limit('BUY', 98));
      await leavesNoTrace(w, () => w.alice.amendSpot(orderId, changes), 400, mention);
    });
  }

  for (const [problem, changes, mention] of [
    ['no type', { value: 99 }, 'type is missing: give one of PRICE, SIZE, TRIGGERPRICE, ALL'],
    ['an unknown type', { type: 'TRIGGER_PRICE', value: 99 }, 'give one of PRICE, SIZE, TRIGGERPRICE, ALL'],
    ['no value', { type: 'PRICE', orderPrice: 99 }, 'type PRICE requires value'],
    ['ALL with nothing but zeros', { type: 'ALL', orderPrice: 0, orderSize: 0, triggerPrice: 0 }, 'type ALL requires'],
  ] as const) {
    it(`on futures v2.3: ${problem}`, async (w) => {
      const orderID = await futureLives(w, future('BUY', 98));
      await leavesNoTrace(w, () => w.alice.amendFuture(orderID, changes), -2, mention);
    });
  }

  it('on futures v2.3 types are taken in any case, and other names ignored', async (w) => {
    const orderID = await futureLives(w, future('BUY', 98));
    const changes = { type: 'price', value: 99, orderSize: 5, slide: true };
    const { price, currentOrderSize } = await one(w.alice.amendFuture(orderID, changes));
    assert.deepEqual([price, currentOrderSize], [99, 10]);
  });

  for (const [problem, changes, mention] of [
    ['no amendType', { orderPrice: 99 }, 'amendType is missing: give one of PRICE, SIZE, ALL, TRIGGER_PRICE'],
    ['amendType in another case', { amendType: 'price', orderPrice: 99 }, 'amendType is "price"'],
    ['PRICE without a price', { amendType: 'PRICE' }, 'orderPrice is missing'],
    ['PRICE with a size', { amendType: 'PRICE', orderPrice: 99, orderSize: 5 }, 'orderSize is not a field of'],
    [
      'a price that slides',
      { amendType: 'PRICE', slide: true, orderPrice: 99 },
      'slide is not a field of amendType PRICE',
    ],
    ['ALL with nothing', { amendType: 'ALL' }, 'give orderPrice, orderSize or triggerPrice'],
  ] as const) {
    it(`on futures v3: ${problem}`, async (w) => {
      const orderID = await futureLives(w, future('BUY', 98));
      await leavesNoTrace(w, () => w.alice.amendV3(orderID, changes), -2, mention);
    });
  }

  it('without an id, on every surface', async (w) => {
    const put = (path: string, body: Json) => () => w.alice.call('PUT', path, { body });
    const spot = put('/spot/api/v4/trade/orders', { symbol: BTC, orderPrice: 99 });
    await leavesNoTrace(w, spot, 400, 'give orderId or clOrderId');
    const legacy = put('/futures/api/v2.3/order', { symbol: PERP, type: 'PRICE', value: 99, clOrderID: '' });
    await leavesNoTrace(w, legacy, -2, 'give orderID or clOrderID');
    const v3 = put('/futures/api/v3/trade/orders', { symbol: PERP, amendType: 'PRICE', orderPrice: 99 });
    await leavesNoTrace(w, v3, -2, 'give orderId or clOrderId');
  });
});
