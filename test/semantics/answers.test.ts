/** semantics.md section 1: three kinds of answer to a placement, and what the records say. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { buyMarket, future, limit, oco, sellMarket, stop, triggered, triggeredLimit, twap } from '../support/bodies.ts';
import { type Json, ok, one, type Reply, refused } from '../support/client.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';

/** Refused with the code and text, and the venue is as before, its sequence number included where it was not logged. */
async function leavesNoTrace(w: World, reply: () => Promise<Reply>, code: number, mention: string | RegExp) {
  const before = w.hash();
  const body = await refused(reply(), code, mention);
  assert.equal(w.hash(), before);
  return body;
}

describe('a malformed request', () => {
  const it = scenarios();

  it('is refused without being logged: the sequence number stays', { rule: ['1.1', '1.2'] }, async (w) => {
    const { seq } = await w.control.state();
    await leavesNoTrace(w, () => w.alice.spot(limit('BUY', 'x')), 400, 'orderPrice');
    await leavesNoTrace(
      w,
      () => w.alice.future(future('BUY', 99, 10, { side: 'UP' })),
      -2,
      'side is "UP": give one of BUY, SELL',
    );
    await leavesNoTrace(w, () => w.alice.v3({ symbol: PERP, orderType: 'PEG' }), -2, 'CONDITIONAL, OCO, TRAILING');
    assert.equal((await w.control.state()).seq, seq);
  });

  it('names the field, what was wrong and what is valid', { rule: ['1.1', '10.1'] }, async (w) => {
    const { msg } = await refused(w.alice.spot(twap('SELL', { timePeriod: 30 })), 400);
    assert.equal(msg, 'BADREQUEST: timePeriod is 30: give a whole number from 60 to 86400');
  });

  it('says where a kind of order belongs that is not placed there', { rule: '10.1' }, async (w) => {
    const v3 = (orderType: string) => w.alice.v3({ symbol: PERP, orderType });
    const at = (path: string, orderType: string) => w.alice.call('POST', path, { body: { orderType } });
    for (const [call, code, said] of [
      [() => v3('TWAP'), -2, 'give one of CONDITIONAL, OCO, TRAILING; TWAP is for spot'],
      [() => v3('PEG'), -2, 'POST /futures/api/v2.3/order/peg'],
      [() => at('/futures/api/v3/trade/orders/algo', 'LIMIT'), -2, 'placed at POST /futures/api/v3/trade/orders'],
      [() => at('/futures/api/v3/trade/orders', 'OCO'), -2, 'placed at POST /futures/api/v3/trade/orders/algo'],
      [() => at('/spot/api/v4/trade/orders/algo', 'MARKET'), 400, 'placed at POST /spot/api/v4/trade/orders'],
      [() => at('/spot/api/v4/trade/orders', 'TWAP'), 400, 'placed at POST /spot/api/v4/trade/orders/algo'],
      [
        () => w.alice.future(future('BUY', 99, 10, { type: 'twap' })),
        -2,
        'give one of LIMIT, MARKET, OCO; TWAP is for spot',
      ],
      [() => w.alice.future(future('BUY', 99, 10, { type: 'CONDITIONAL' })), -2, 'txType STOP or TRIGGER'],
    ] as const) {
      await leavesNoTrace(w, call, code, said);
    }
  });

  it('post-only with IOC or FOK is one, on every surface', { rule: '4.19' }, async (w) => {
    for (const time of ['IOC', 'FOK']) {
      await refused(w.alice.spot(limit('BUY', 99, 1, { postOnly: true, timeInForce: time })), 400, 'postOnly');
      await refused(w.alice.spot(oco('SELL', { postOnly: true, timeInForce: time })), 400, 'postOnly');
      await refused(w.alice.future(future('BUY', 99, 10, { postOnly: true, time_in_force: time })), -2, 'postOnly');
      const v3 = { symbol: PERP, orderSide: 'BUY', orderType: 'LIMIT', orderSize: 1, orderPrice: 99 };
      await refused(w.alice.v3({ ...v3, postOnly: true, timeInForce: time }), -2, 'postOnly');
    }
  });

  it('an unknown name or one of another variant is refused on v4 and v3, ignored on v2.3', {
    rule: ['4.41', '4.42'],
  }, async (w) => {
    await refused(
      w.alice.spot(limit('SELL', 101, 1, { stopPrice: 95 })),
      400,
      'stopPrice is not a field of orderType LIMIT',
    );
    await refused(w.alice.spot(sellMarket(1, { orderPrice: 95 })), 400, 'orderPrice is not a field');
    await refused(w.alice.spot(sellMarket(1, { timeInForce: 'IOC' })), 400, 'timeInForce is not a field');
    const v3 = { symbol: PERP, orderSide: 'SELL', orderType: 'LIMIT', orderSize: 1, orderPrice: 101 };
    await refused(w.alice.v3({ ...v3, stopPrice: 95 }), -2, 'stopPrice is not a field of orderType LIMIT');
    await refused(w.alice.v3({ ...v3, trailValue: 5 }), -2, 'trailValue is not a field');
    await ok(w.alice.future(future('SELL', 101, 10, { stopPrice: 95, nonsense: true })));
  });

  it('0 for a price is no price on futures, malformed on spot v4; a price on MARKET is malformed everywhere', {
    rule: ['4.43', '4.44', '4.45'],
  }, async (w) => {
    const zeros = { stopPrice: 0, triggerPrice: 0.0, trailValue: '0', takeProfitPrice: 0, stopLossPrice: 0 };
    assert.equal((await one(w.alice.future(future('BUY', 99, 10, zeros)))).status, 2);
    const v3 = { symbol: PERP, orderSide: 'BUY', orderType: 'MARKET', orderSize: 1 };
    await ok(w.alice.v3({ ...v3, orderPrice: 0, stopLossTriggerPrice: 0 }));
    await refused(w.alice.v3({ ...v3, orderPrice: 99 }), -2, 'orderPrice');
    await refused(w.alice.future(future('BUY', null, 10, { price: 99 })), -2, 'price');
    await refused(w.alice.future(stop('BUY', 105, 10, { price: 99 })), -2, 'price');
    await refused(w.alice.spot(twap('SELL', { pausePrice: 0 })), 400, 'pausePrice');
    await refused(w.alice.spot(buyMarket(50, { orderPrice: 99 })), 400, 'orderPrice');
  });
});

describe('a refusal by a pre-trade check', () => {
  const it = scenarios({ markets: [{ symbol: 'ETH-USDT', maxOpenOrders: 3 }] });

  it('no money: 51523 on spot, 33199101 on futures, with the figures', { rule: ['1.3', '1.6'] }, async (w) => {
    await w.price(BTC, { index: 50_000 });
    await leavesNoTrace(
      w,
      () => w.alice.spot(limit('BUY', 50_000, 20.1)),
      51523,
      'not enough USDT: 1005000 needed, 1000000 available',
    );
    await leavesNoTrace(w, () => w.alice.spot(buyMarket('1000000.00000001')), 51523, '1000000.00000001 needed');
    for (let i = 0; i < 10; i++) await ok(w.alice.spot(limit('SELL', 60_000, 100)));
    await leavesNoTrace(
      w,
      () => w.alice.spot(limit('SELL', 60_000, 0.5)),
      51523,
      'not enough BTC: 0.5 needed, 0 available',
    );
    await w.price(PERP, { index: 1_000_000 });
    await leavesNoTrace(w, () => w.alice.future(future('BUY', 1_000_000, 2_000_000)), 33199101, 'USDT');
  });

  it('reduce-only without a position to reduce: 33199120', { rule: '1.7' }, async (w) => {
    await leavesNoTrace(w, () => w.alice.future(future('SELL', 101, 10, { reduceOnly: true })), 33199120, 'BTC-PERP');
    await w.rest('SELL', 100, 10, PERP);
    await ok(w.alice.future(future('BUY', null)));
    await leavesNoTrace(w, () => w.alice.future(future('BUY', 99, 10, { reduceOnly: true })), 33199120, '10');
  });

  it('a price outside the band: 33001003, one-sided', { rule: ['1.8', '4.28'] }, async (w) => {
    await leavesNoTrace(w, () => w.alice.spot(limit('BUY', 110.1)), 33001003, '110');
    await leavesNoTrace(w, () => w.alice.spot(limit('SELL', 89.9)), 33001003, '90');
    await leavesNoTrace(w, () => w.alice.future(future('BUY', 110.1)), 33001003, '110');
    await leavesNoTrace(w, () => w.alice.future(future('SELL', 89.9)), 33001003, '90');
    for (const [side, price] of [
      ['BUY', 110],
      ['BUY', 1],
      ['SELL', 90],
      ['SELL', 900],
    ] as const) {
      await w.cancelAll();
      await ok(w.alice.spot(limit(side, price)));
      await ok(w.alice.future(future(side, price)));
    }
  });

  it('a limit too far from its trigger: 33001001 on spot, nothing on futures', { rule: ['1.9', '4.30'] }, async (w) => {
    await leavesNoTrace(w, () => w.alice.spot(triggeredLimit('SELL', 'STOP_LOSS', 95, 90.2)), 33001001, '5 %');
    await leavesNoTrace(w, () => w.alice.spot(oco('SELL', { stopLossOrderPrice: 90 })), 33001001, '5 %');
    await ok(w.alice.spot(triggeredLimit('SELL', 'STOP_LOSS', 95, 90.3)));
    await ok(w.alice.future(stop('SELL', 95, 10, { type: 'LIMIT', price: 50 })));
  });

  it('above the maximum size: 4003 on spot, 4051 on futures', { rule: '1.10' }, async (w) => {
    await leavesNoTrace(w, () => w.alice.spot(limit('BUY', 99, '100.00001')), 4003, '100');
    await leavesNoTrace(w, () => w.alice.future(future('BUY', 99, 7_500_001)), 4051, '7500000');
  });

  it('off the step or below the minimum size: 301', { rule: '1.11' }, async (w) => {
    await leavesNoTrace(w, () => w.alice.spot(limit('BUY', 99, '0.000015')), 301, '0.00001 and 0.00002');
    await leavesNoTrace(w, () => w.alice.spot(limit('BUY', 99, '0.000009')), 301, /0\.00001/);
    await leavesNoTrace(w, () => w.alice.future(future('BUY', 99, 1.5)), 301, '1 and 2');
  });

  it('off the tick, below the minimum price or on the wrong side: 302', { rule: '1.12' }, async (w) => {
    await leavesNoTrace(w, () => w.alice.spot(limit('BUY', '99.05')), 302, '99 and 99.1');
    await leavesNoTrace(w, () => w.alice.spot(limit('BUY', '0.09')), 302, '0.1');
    await leavesNoTrace(w, () => w.alice.spot(limit('SELL', '10000000.1')), 302, '10000000');
    await leavesNoTrace(
      w,
      () => w.alice.spot(oco('SELL', { takeProfitOrderPrice: 99 })),
      302,
      'takeProfitOrderPrice 99',
    );
    await leavesNoTrace(
      w,
      () => w.alice.spot(oco('SELL', { stopLossTriggerPrice: 101 })),
      302,
      'stopLossTriggerPrice 101',
    );
    await leavesNoTrace(
      w,
      () => w.alice.future(future('BUY', 99, 10, { takeProfitPrice: 98 })),
      302,
      'takeProfitPrice 98',
    );
  });

  it('too many open orders: 304, an OCO counts two', { rule: '1.13' }, async (w) => {
    const eth = (extra: Json) => w.alice.spot({ ...limit('BUY', 99), symbol: 'ETH-USDT', ...extra });
    await w.price('ETH-USDT', { index: 100 });
    await ok(eth({}));
    await ok(eth({}));
    await leavesNoTrace(w, () => w.alice.spot(oco('SELL', { symbol: 'ETH-USDT' })), 304, '3');
    await ok(eth({}));
    await leavesNoTrace(w, () => eth({}), 304, '3');
    await ok(w.alice.spot(limit('BUY', 99)));
  });

  it('another position mode with an order there: 133; a live client id: 15; an unknown market: -7006', {
    rule: ['1.14', '1.16', '1.17'],
  }, async (w) => {
    await ok(w.alice.future(future('BUY', 98)));
    await leavesNoTrace(w, () => w.alice.future(future('BUY', 99, 10, { positionMode: 'HEDGE' })), 133, 'HEDGE');
    const { orderId } = await one(w.alice.spot(limit('BUY', 99, 1, { clOrderId: 'a' })));
    await leavesNoTrace(w, () => w.alice.spot(limit('BUY', 98, 1, { clOrderId: 'a' })), 15, orderId);
    await leavesNoTrace(w, () => w.alice.spot(limit('BUY', 98, 1, { symbol: PERP })), -7006, PERP);
    await leavesNoTrace(w, () => w.alice.future(future('BUY', 98, 1, { symbol: BTC })), -7006, BTC);
  });
});

describe('an accepted order that the book ends', () => {
  const it = scenarios();

  it('post-only that would match is rejected with 15, an own resting order included', { rule: '1.4' }, async (w) => {
    await w.rest('SELL', 100, 1);
    const rejected = await one(w.alice.spot(limit('BUY', 100, 1, { postOnly: true })));
    assert.deepEqual([rejected.status, rejected.totalFilledBaseSize, rejected.remainingOrderBaseSize], [15, 0, 1]);
    assert.match(rejected.message, /post-only/);
    await w.cancelAll();
    await ok(w.alice.spot(limit('SELL', 100)));
    assert.equal((await one(w.alice.spot(limit('BUY', 100, 1, { postOnly: true })))).status, 15);
    assert.equal((await one(w.alice.spot(limit('BUY', 99.9, 1, { postOnly: true })))).status, 2);
  });

  it('the remainder of IOC and MARKET, and a FOK that cannot fill, end with 6, sizes and a reason', {
    rule: '1.5',
  }, async (w) => {
    const sizes = (r: Json) => [r.status, r.totalFilledBaseSize, r.remainingOrderBaseSize, r.currentOrderBaseSize];
    await w.rest('SELL', 100, 0.4);
    const fok = await one(w.alice.spot(limit('BUY', 100, 1, { timeInForce: 'FOK' })));
    assert.deepEqual([...sizes(fok), fok.message.slice(0, 12)], [6, 0, 1, 1, 'fill-or-kill']);
    const ioc = await one(w.alice.spot(limit('BUY', 100, 1, { timeInForce: 'IOC' })));
    assert.deepEqual([...sizes(ioc), ioc.message.slice(0, 19)], [6, 0.4, 0.6, 1, 'immediate-or-cancel']);
    await w.rest('BUY', 99, 0.4);
    const market = await one(w.alice.spot(sellMarket(1)));
    assert.deepEqual([...sizes(market), market.message.slice(0, 12)], [6, 0.4, 0.6, 1, 'market order']);
    const nothing = await one(w.alice.spot(sellMarket(1)));
    assert.deepEqual(sizes(nothing), [6, 0, 1, 1]);
  });

  it('an OCO shows its stop leg with 6 where the limit leg was filled, 9 where it ended by itself, 15 where it was rejected', {
    rule: ['1.23', '1.24', '1.25', '7.7'],
  }, async (w) => {
    const statuses = async (body: Json) => (await ok(w.alice.spot(body))).map((leg: Json) => leg.status);
    assert.deepEqual(await statuses(oco('SELL', { timeInForce: 'IOC' })), [6, 9]);
    await w.rest('BUY', 105, 1);
    assert.deepEqual(await statuses(oco('SELL', { postOnly: true })), [15, 15]);
    assert.deepEqual(await statuses(oco('SELL')), [4, 6]);
  });

  it('a trigger whose condition holds already is answered with 9, then fires', { rule: ['1.21', '6.4'] }, async (w) => {
    await w.rest('BUY', 99, 1);
    const { status, orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 101)));
    assert.equal(status, 9);
    assert.equal(await w.state(orderId), 'ORDER_FULLY_TRANSACTED');
    const future9 = await one(w.alice.future(stop('BUY', 99)));
    assert.equal(future9.status, 9);
    assert.equal((await ok(w.alice.futureOrder(future9.orderID))).triggered, true);
  });

  it('the record of a sweep shows its last match and its total', { rule: ['1.40', '1.41', '1.42'] }, async (w) => {
    await w.rest('SELL', 100, 0.3);
    await w.rest('SELL', 101, 0.2);
    const spot = await one(w.alice.spot(limit('BUY', 101, 1)));
    assert.deepEqual([spot.filledBaseSize, spot.totalFilledBaseSize, spot.status], [0.2, 0.5, 5]);
    await w.rest('SELL', 100, 3, PERP);
    await w.rest('SELL', 101, 2, PERP);
    const perp = await one(w.alice.future(future('BUY', 101)));
    assert.deepEqual([perp.filledSize, perp.totalFilledSize, perp.status], [5, 5, 5]);
  });

  it('remaining is current less filled in ended orders too', { rule: '1.39' }, async (w) => {
    await w.rest('SELL', 100, 3, PERP);
    const { orderID } = await one(w.alice.future(future('BUY', 100)));
    await ok(w.alice.cancelFuture({ orderID }));
    const ended = await ok(w.alice.futureOrder(orderID));
    assert.deepEqual(
      [ended.status, ended.originalOrderSize, ended.currentOrderSize, ended.totalFilledSize, ended.remainingSize],
      [6, 10, 10, 3, 7],
    );
  });
});
