/** semantics.md section 4: matching, time in force, bands, self-trade and fees. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { buyMarket, future, limit, oco, peg, sellMarket, stop, triggeredLimit } from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { BTC, PERP, scenarios } from '../support/venue.ts';

const SECOND = 1000;
const VALID_MS = {
  HALFSEC: 500,
  HALFMIN: 30 * SECOND,
  FIVEMIN: 300 * SECOND,
  HOUR: 3600 * SECOND,
  TWELVEHOUR: 12 * 3600 * SECOND,
  DAY: 24 * 3600 * SECOND,
  WEEK: 7 * 24 * 3600 * SECOND,
  MONTH: 30 * 24 * 3600 * SECOND,
};

describe('matching', () => {
  const it = scenarios();

  it('trades at the resting price, better prices first, then the older order', { rule: ['4.1', '4.2'] }, async (w) => {
    const worse = await w.rest('SELL', 101, 1);
    const older = await w.rest('SELL', 100, 1);
    const younger = await w.rest('SELL', 100, 1);
    const taker = await one(w.alice.spot(limit('BUY', 105, 1.5)));
    assert.deepEqual([taker.status, taker.avgFilledPrice], [4, 100]);
    const left = await ok(w.bob.spotOrders());
    assert.deepEqual(
      left.map((row: Json) => row.orderId),
      [worse.orderId, younger.orderId],
    );
    assert.notEqual(older.orderId, younger.orderId);
    assert.deepEqual(
      left.map((row: Json) => row.remainingOrderBaseSize),
      [1, 0.5],
    );
  });

  it('rests the remainder of a limit order at its price', async (w) => {
    await w.rest('SELL', 100, 0.4);
    const { status, orderId } = await one(w.alice.spot(limit('BUY', 101, 1)));
    assert.equal(status, 5);
    const { orderPrice, remainingOrderBaseSize } = await ok(w.alice.lookup(orderId));
    assert.deepEqual([orderPrice, remainingOrderBaseSize], [101, 0.6]);
  });

  it('cancels the incoming remainder when it would meet the own order; earlier fills stay', {
    rule: '4.11',
  }, async (w) => {
    await w.rest('SELL', 100, 0.4);
    await ok(w.alice.spot(limit('SELL', 100.5)));
    const taker = await one(w.alice.spot(limit('BUY', 101, 1)));
    assert.deepEqual([taker.status, taker.totalFilledBaseSize], [6, 0.4]);
    assert.match(taker.message, /^self-trade/);
    assert.equal((await ok(w.alice.spotOrders())).length, 1);
  });
});

for (const [selfTrade, takerFills, ownLeft] of [
  ['cancelResting', 2, 0],
  ['cancelBoth', 1, 0],
] as const) {
  describe(`selfTrade: ${selfTrade}`, () => {
    const it = scenarios({ selfTrade });

    it(`lets the incoming order fill ${takerFills} of 2 and leaves ${ownLeft} own resting orders`, {
      rule: '4.12',
    }, async (w) => {
      await w.rest('SELL', 100, 1);
      await ok(w.alice.spot(limit('SELL', 100.5)));
      await w.rest('SELL', 101, 1);
      const taker = await one(w.alice.spot(limit('BUY', 101, 2)));
      assert.equal(taker.totalFilledBaseSize, takerFills);
      assert.equal(taker.status, takerFills === 2 ? 4 : 6);
      assert.equal((await ok(w.alice.spotOrders())).length, ownLeft);
    });
  });
}

describe('FOK and IOC', () => {
  const it = scenarios();

  it('a FOK fills whole or not at all', { rule: '4.15' }, async (w) => {
    await w.rest('SELL', 100, 0.6);
    await w.rest('SELL', 101, 0.4);
    const fok = (size: number, price: number) => one(w.alice.spot(limit('BUY', price, size, { timeInForce: 'FOK' })));
    assert.equal((await fok(1, 100.9)).status, 6);
    assert.equal((await fok(1.00001, 101)).status, 6);
    assert.equal((await ok(w.bob.spotOrders())).length, 2);
    const { status, avgFilledPrice } = await fok(1, 101);
    assert.deepEqual([status, avgFilledPrice], [4, 100.4]);
  });

  it('a FOK counts hidden size, and only what lies ahead of the first own order', {
    rule: ['4.16', '4.17'],
  }, async (w) => {
    await one(w.bob.spot(peg('SELL', 100, { stealth: 10 })));
    const fok = limit('BUY', 101, 1, { timeInForce: 'FOK' });
    assert.equal((await one(w.alice.spot(fok))).status, 4);
    await w.rest('SELL', 100, 0.5);
    await ok(w.alice.spot(limit('SELL', 100.5, 0.5)));
    await w.rest('SELL', 101, 0.5);
    const own = await one(w.alice.spot(fok));
    assert.deepEqual([own.status, own.totalFilledBaseSize], [6, 0]);
    assert.equal((await one(w.alice.spot({ ...fok, orderSize: 0.5 }))).status, 4);
  });

  it('a FOK counts a reduce-only maker at what its position allows', { rule: '4.16' }, async (w) => {
    await w.rest('SELL', 100, 5, PERP);
    await ok(w.alice.future(future('BUY', null, 5)));
    await ok(w.alice.future(future('SELL', 101, 5, { reduceOnly: true })));
    await ok(w.alice.future(future('SELL', 102, 5, { reduceOnly: true })));
    const fok = (size: number) => one(w.bob.future(future('BUY', 102, size, { time_in_force: 'FOK' })));
    assert.equal((await fok(6)).status, 6);
    assert.equal((await fok(5)).status, 4);
    assert.equal(await w.position(), 0);
  });

  it('a FOK that goes on past own orders counts what lies behind them', { rule: ['4.13', '4.17'] }, async (w) => {
    await w.rest('SELL', 100, 10, PERP);
    await ok(w.alice.future(future('BUY', null, 10)));
    await w.rest('BUY', 99, 4, PERP);
    const { orderID } = await one(w.alice.future(future('BUY', 98.5, 1)));
    await w.rest('BUY', 98, 6, PERP);
    const close = (size: number) =>
      one(w.alice.future(future('SELL', 98, size, { reduceOnly: true, time_in_force: 'FOK' })));
    await w.rest('BUY', 90, 1, PERP);
    assert.deepEqual([(await close(10)).status, await w.position()], [4, 0]);
    assert.equal((await ok(w.alice.futureOrder(orderID))).status, 6);
  });

  it('a FOK that fails past own orders leaves them where they are', { rule: ['4.13', '4.17'] }, async (w) => {
    await w.rest('SELL', 100, 10, PERP);
    await ok(w.alice.future(future('BUY', null, 10)));
    const { orderID } = await one(w.alice.future(future('BUY', 98.5, 1)));
    await w.rest('BUY', 98, 9, PERP);
    const body = future('SELL', 98, 10, { reduceOnly: true, time_in_force: 'FOK' });
    assert.equal((await one(w.alice.future(body))).status, 6);
    assert.deepEqual([(await ok(w.alice.futureOrder(orderID))).status, await w.position()], [2, 10]);
  });

  it('an IOC takes what is there and cancels the rest', { rule: '4.18' }, async (w) => {
    await w.rest('SELL', 100, 0.4);
    const { status, totalFilledBaseSize } = await one(w.alice.spot(limit('BUY', 100, 1, { timeInForce: 'IOC' })));
    assert.deepEqual([status, totalFilledBaseSize], [6, 0.4]);
    assert.deepEqual(await ok(w.alice.spotOrders()), []);
  });
});

describe('timed validity', () => {
  const it = scenarios();

  for (const [time, validMs] of Object.entries(VALID_MS)) {
    it(`${time} ends ${validMs} ms after acceptance, its fills kept`, { rule: ['4.20', '4.21'] }, async (w) => {
      await w.rest('SELL', 99, 4, PERP);
      const { orderID } = await one(w.alice.future(future('BUY', 99, 10, { time_in_force: time })));
      await w.advance(validMs - 1);
      assert.equal((await ok(w.alice.futureOrder(orderID))).status, 5);
      await w.advance(1);
      const { status, totalFilledSize, remainingSize } = await ok(w.alice.futureOrder(orderID));
      assert.deepEqual([status, totalFilledSize, remainingSize], [6, 4, 6]);
      assert.equal(await w.position(), 4);
    });
  }

  it('of a waiting stop-limit counts from acceptance too', { rule: ['4.20', '6.22'] }, async (w) => {
    const body = stop('BUY', 105, 10, { type: 'LIMIT', price: 105, time_in_force: 'HALFMIN' });
    const { orderID } = await one(w.alice.future(body));
    await w.advance(20_000);
    await w.price(PERP, { mark: 105 });
    await w.advance(9_999);
    assert.equal((await ok(w.alice.futureOrder(orderID))).status, 2);
    await w.advance(1);
    assert.equal((await ok(w.alice.futureOrder(orderID))).status, 6);
  });

  for (const [what, extra] of [
    ['stop that releases a MARKET order', {}],
    ['trailing stop', { txType: 'LIMIT', triggerPrice: 0, trailValue: 5 }],
  ] as const) {
    it(`of a waiting ${what} is kept, shown, and runs from placement`, {
      rule: ['1.33', '4.20', '6.22'],
    }, async (w) => {
      const placed = await one(w.alice.future({ ...stop('SELL', 90), ...extra, time_in_force: 'HALFMIN' }));
      assert.deepEqual([placed.status, placed.time_in_force], [9, 'HALFMIN']);
      const [row] = await ok(w.alice.call('GET', '/futures/api/v2.3/user/open_orders', { query: { symbol: PERP } }));
      assert.deepEqual([row.timeInForce, row.cancelDuration], ['HALFMIN', 30_000]);
      await w.advance(29_999);
      assert.equal((await ok(w.alice.futureOrder(placed.orderID))).status, 9);
      await w.advance(1);
      assert.equal((await ok(w.alice.futureOrder(placed.orderID))).status, 6);
    });
  }

  it('ends as a cancel that says so', { rule: '4.21' }, async (w) => {
    const { orderID } = await one(w.alice.future(future('BUY', 99, 10, { time_in_force: 'HALFMIN' })));
    await w.advance(30_000);
    const { order, events } = (await w.control.request('GET', `/orders/${orderID}`)) as Json;
    assert.equal(order.state, 'cancelled');
    assert.match(JSON.stringify(events.at(-1)), /expired/);
  });

  it('GTC has no end', async (w) => {
    const { orderID } = await one(w.alice.future(future('BUY', 99)));
    await w.advance(60 * 24 * 3600 * SECOND);
    assert.equal((await ok(w.alice.futureOrder(orderID))).status, 2);
  });
});

describe('MARKET', () => {
  const it = scenarios();

  it('sweeps at most to 5 % beyond the best price at entry, the rest is cancelled', { rule: '4.22' }, async (w) => {
    await w.rest('SELL', 100, 1);
    await w.rest('SELL', 105, 1);
    await w.rest('SELL', 105.1, 1);
    const buy = await one(w.alice.spot(buyMarket(1000)));
    assert.deepEqual([buy.status, buy.totalFilledBaseSize, buy.remainingOrderQuoteSize], [6, 2, 795]);
    await w.rest('BUY', 100, 1);
    await w.rest('BUY', 95, 1);
    await w.rest('BUY', 94.9, 1);
    const sell = await one(w.alice.spot(sellMarket(3)));
    assert.deepEqual([sell.status, sell.totalFilledBaseSize, sell.avgFilledPrice], [6, 2, 97.5]);
  });

  it('spot BUY is sized in quote only, SELL in base only', { rule: '4.24' }, async (w) => {
    await refused(w.alice.spot({ ...buyMarket(50), orderSize: 1 }), 400, 'orderSize is not a field');
    await refused(w.alice.spot({ symbol: BTC, orderType: 'MARKET', orderSide: 'BUY', orderSize: 1 }), 400);
    await refused(w.alice.spot({ ...sellMarket(1), quoteOrderSize: 50 }), 400, 'quoteOrderSize is not a field');
    await refused(w.alice.spot({ symbol: BTC, orderType: 'MARKET', orderSide: 'SELL', quoteOrderSize: 50 }), 400);
  });

  it('a BUY below the cost of one lot at the best price is refused with 301', { rule: '4.26' }, async (w) => {
    await w.rest('SELL', 100, 1);
    await refused(w.alice.spot(buyMarket('0.00099999')), 301, '0.001');
    assert.equal((await one(w.alice.spot(buyMarket('0.001')))).totalFilledBaseSize, 0.00001);
  });

  it('a BUY that has less than one lot left ends with 5, dust in remaining, the reserve returned, and is inactive', {
    rule: '4.27',
  }, async (w) => {
    await w.rest('SELL', 100, 1);
    const buy = await one(w.alice.spot(buyMarket('50.0005')));
    assert.deepEqual([buy.status, buy.totalFilledBaseSize, buy.remainingOrderQuoteSize], [5, 0.5, 0.0005]);
    assert.deepEqual(
      [buy.originalOrderQuoteSize, buy.currentOrderQuoteSize, buy.orderCurrency],
      [50.0005, 50.0005, 'quote'],
    );
    assert.equal(await w.state(buy.orderId), 'ORDER_PARTIALLY_TRANSACTED');
    const { total, reserved } = await w.balance('USDT');
    assert.deepEqual([total, reserved], ['999950', '0']);
  });

  it('a BUY that has just the cost of a lot left has no dust: it ends with 6', { rule: '4.27' }, async (w) => {
    for (const [quote, status] of [
      ['50.001', 6],
      ['50.00099999', 5],
    ]) {
      await w.rest('SELL', 100, 0.5);
      assert.equal((await one(w.alice.spot(buyMarket(quote)))).status, status);
    }
  });

  describe('with feeFrom quote', () => {
    const it = scenarios({ feeFrom: 'quote' });

    it('what is left and does not pay a lot and its fee is dust, too: 5', { rule: '4.27' }, async (w) => {
      await w.rest('SELL', 100, 1);
      // 1 BTC costs 100 and its fee; a lot 0.001 and its fee.
      const fee = 100 * 0.0002;
      const buy = await one(w.alice.spot(buyMarket(String(100 + fee + 0.001))));
      assert.deepEqual([buy.status, buy.totalFilledBaseSize, buy.remainingOrderQuoteSize], [5, 1, 0.001]);
    });
  });

  it('a BUY that has spent its money meets nobody any more, not even an own order', async (w) => {
    await w.rest('SELL', 100, 1);
    const own = await one(w.alice.spot(limit('SELL', 101)));
    assert.equal((await one(w.alice.spot(buyMarket('100.0005')))).status, 5);
    assert.equal(await w.state(own.orderId), 'ORDER_INSERTED');
  });

  it('spends exactly: what fits to the last unit leaves nothing', async (w) => {
    await w.rest('SELL', 100, 1);
    const { status, remainingOrderQuoteSize } = await one(w.alice.spot(buyMarket(50)));
    assert.deepEqual([status, remainingOrderQuoteSize], [5, 0]);
  });
});

describe('MARKET with a time in force', () => {
  const it = scenarios();
  const shown = (record: Json) => [record.status, record.time_in_force, record.totalFilledSize];

  it('FOK is all or nothing, and shown', { rule: ['1.33', '6.23'] }, async (w) => {
    await w.rest('SELL', 100, 9, PERP);
    const fok = future('BUY', null, 10, { time_in_force: 'FOK' });
    const none = await one(w.alice.future(fok));
    assert.deepEqual(shown(none), [6, 'FOK', 0]);
    assert.match(none.message, /^fill-or-kill/);
    await w.rest('SELL', 101, 1, PERP);
    assert.deepEqual(shown(await one(w.alice.future(fok))), [4, 'FOK', 10]);
  });

  it('IOC is what it does anyway, and shown', { rule: ['1.33', '6.23'] }, async (w) => {
    await w.rest('SELL', 100, 9, PERP);
    assert.deepEqual(shown(await one(w.alice.future(future('BUY', null, 10, { time_in_force: 'IOC' })))), [
      6,
      'IOC',
      9,
    ]);
  });

  it('of a stop: what it releases is all or nothing', { rule: '6.23' }, async (w) => {
    await w.rest('BUY', 95, 9, PERP);
    const few = await one(w.alice.future(stop('SELL', 95, 10, { time_in_force: 'FOK' })));
    assert.deepEqual(shown(few), [9, 'FOK', 0]);
    await w.price(PERP, { mark: 95 });
    assert.deepEqual(shown({ ...(await ok(w.alice.futureOrder(few.orderID))), time_in_force: 'FOK' }), [6, 'FOK', 0]);
    await w.price(PERP, { mark: 100 });
    await w.rest('BUY', 94.9, 1, PERP);
    const all = await one(w.alice.future(stop('SELL', 95, 10, { time_in_force: 'FOK' })));
    await w.price(PERP, { mark: 95 });
    const { status, timeInForce, totalFilledSize } = await ok(w.alice.futureOrder(all.orderID));
    assert.deepEqual([status, timeInForce, totalFilledSize], [4, 'FOK', 10]);
  });

  it('a spot v3.3 BUY with FOK spends all of its money or none of it', { rule: '6.23' }, async (w) => {
    await w.rest('SELL', 100, 1);
    const buy = (price: number) =>
      one(
        w.alice.call('POST', '/spot/api/v3.3/order', {
          body: { symbol: BTC, side: 'BUY', type: 'MARKET', price, time_in_force: 'FOK' },
        }),
      );
    const more = await buy(150);
    assert.deepEqual([more.status, more.time_in_force, (await w.balance('USDT')).total], [6, 'FOK', '1000000']);
    assert.deepEqual([(await buy(100)).status, (await w.balance('USDT')).total], [5, '999900']);
  });
});

describe('bands', () => {
  const it = scenarios();

  it('look at the index on spot and at the mark on futures', { rule: '4.29' }, async (w) => {
    await w.price(BTC, { mark: 200, last: 200 });
    await refused(w.alice.spot(limit('BUY', 111)), 33001003);
    await w.price(PERP, { mark: 200, last: 100 });
    await ok(w.alice.future(future('BUY', 220)));
    await refused(w.alice.future(future('BUY', 220.1)), 33001003, '220');
  });

  it('are off without a reference', { rule: '4.29' }, async (w) => {
    await w.begin(null);
    await ok(w.alice.spot(limit('SELL', 1)));
  });

  it('check a released limit order when it fires: 15 with the reason', { rule: ['4.31', '6.10'] }, async (w) => {
    const { orderId } = await one(w.alice.spot(triggeredLimit('SELL', 'STOP_LOSS', 95, 94)));
    await w.price(BTC, { index: 120 });
    await w.price(BTC, { last: 95 });
    assert.equal(await w.state(orderId), 'ORDER_REJECTED');
    const body = stop('BUY', 105, 10, { type: 'LIMIT', price: 120 });
    const { orderID } = await one(w.alice.future(body));
    await w.price(PERP, { mark: 105 });
    assert.equal((await ok(w.alice.futureOrder(orderID))).status, 15);
  });
});

describe('fees', () => {
  const it = scenarios();

  it('spot takes them from what is received: base of a BUY, quote of a SELL', { rule: ['4.33', '4.34'] }, async (w) => {
    await w.rest('SELL', 100, 1);
    await ok(w.alice.spot(limit('BUY', 100, 1)));
    assert.equal((await w.balance('BTC')).total, '1000.9998');
    assert.equal((await w.balance('USDT')).total, '999900');
    await w.rest('BUY', 100, 1);
    await ok(w.alice.spot(limit('SELL', 100, 1)));
    assert.equal((await w.balance('USDT')).total, '999999.98');
  });

  it('round up to the smallest unit, against the trader', { rule: '4.37' }, async (w) => {
    await w.rest('SELL', 100, '0.00001');
    await ok(w.alice.spot(limit('BUY', 100, '0.00001')));
    // 0.00001 × 0.0002 is a fifth of the smallest unit of BTC
    assert.equal((await w.balance('BTC')).total, '1000.00000999');
  });

  it('futures takes them from the wallet: maker 0.02 %, taker 0.055 %', { rule: ['4.33', '4.36'] }, async (w) => {
    await w.rest('SELL', 100, 1_000_000, PERP);
    await ok(w.alice.future(future('BUY', null, 1_000_000)));
    assert.equal((await w.balance('USDT')).total, '999999.45');
    assert.equal((await w.balance('USDT', 'bob')).total, '99999999.8');
  });
});

describe('rates of an account', () => {
  const it = scenarios({ fees: { [BTC]: { maker: '0', taker: '0.01' } } });

  it('come before those of the market', { rule: '4.33' }, async (w) => {
    await w.rest('SELL', 100, 1);
    await ok(w.alice.spot(limit('BUY', 100, 1)));
    assert.equal((await w.balance('BTC')).total, '1000.99');
    await ok(w.alice.spot(limit('SELL', 100, 1)));
    await ok(w.bob.spot(limit('BUY', 100, 1)));
    assert.equal((await w.balance('USDT')).total, '1000000');
  });
});

describe('feeFrom: quote', () => {
  const it = scenarios({ feeFrom: 'quote' });

  it('a BUY pays its fee in quote on top, reserved in advance', { rule: '4.35' }, async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 100, 1)));
    assert.equal((await w.balance('USDT')).reserved, '100.02');
    await ok(w.alice.cancelSpot(orderId));
    await w.rest('SELL', 100, 1);
    await ok(w.alice.spot(limit('BUY', 100, 1)));
    assert.deepEqual([(await w.balance('USDT')).total, (await w.balance('BTC')).total], ['999899.98', '1001']);
  });
});

describe('a small order', () => {
  const it = scenarios();

  it('below 5 USDT rests in the book and trades as any other', { rule: '4.47' }, async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 99, '0.00001')));
    const { body } = await w.alice.call('GET', '/public-api/market/v1/orderbook', { query: { symbol: BTC } });
    assert.deepEqual(body.data.bids, [['99', '0.00001']]);
    await ok(w.bob.spot(sellMarket('0.00001')));
    assert.equal(await w.state(orderId), 'ORDER_FULLY_TRANSACTED');
  });
});

describe('an OCO leg', () => {
  const it = scenarios();

  it('fills like any limit order, its partial fills included', async (w) => {
    const [leg] = await ok(w.alice.spot(oco()));
    await ok(w.bob.spot(limit('BUY', 105, 0.25)));
    assert.equal(await w.state(leg.orderId), 'ORDER_PARTIALLY_TRANSACTED');
  });
});

describe('a FOK that margin lets fill 2 of 3 contracts at once', () => {
  // Money has no decimals, so each fill and each margin is rounded to a whole yen.
  const symbol = 'A-PERP';
  const grid = { tick: '1', step: '1', minSize: '1', maxSize: '100', maxPrice: '60', contractSize: '1' };
  const terms = { base: 'BTC', quote: 'JPY', fees: { maker: '0', taker: '0' }, band: '0.5' };
  const riskTiers = [{ maxNotional: '1000000', initial: '0.1', maintenance: '0.05' }];
  const it = scenarios({
    currencies: { JPY: { decimals: 0 } },
    markets: [{ symbol, kind: 'perpetual', ...grid, ...terms, riskTiers }],
  });

  it('is filled, because after these two margin lets the third fill, too', { rule: '4.16' }, async (w) => {
    await w.venue.deposit('alice', 'JPY', 1000);
    await w.venue.deposit('bob', 'JPY', 1000);
    await w.price(symbol, { index: 36 });
    await ok(w.alice.call('POST', '/futures/api/v2.3/position_mode', { body: { symbol, positionMode: 'ISOLATED' } }));
    await w.rest('SELL', 36, 6, symbol);
    await ok(w.alice.future(future('BUY', null, 6, { symbol, positionMode: 'ISOLATED' })));
    await w.price(symbol, { index: 34.25 });
    await w.rest('BUY', 35, 6, symbol);
    const close = { symbol, positionMode: 'ISOLATED', reduceOnly: true, time_in_force: 'FOK' };
    const { status, totalFilledSize } = await one(w.alice.future(future('SELL', 35, 3, close)));
    assert.deepEqual([status, totalFilledSize], [4, 3]);
    const fills = await ok(w.alice.call('GET', '/futures/api/v2.3/user/trade_history', { query: { symbol } }));
    assert.deepEqual(
      fills.map((fill: Json) => fill.filledSize),
      [1, 2, 6],
    );
  });
});
