/** semantics.md section 6: triggers. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, limit, stop, triggered, triggeredLimit } from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';

async function fired(w: World, orderId: string): Promise<boolean> {
  return (await w.state(orderId)) !== 'TRIGGER_INSERTED';
}

describe('direction', () => {
  const it = scenarios();

  for (const [side, kind, trigger, not, yes] of [
    ['BUY', 'STOP_LOSS', 105, 104.9, 105],
    ['SELL', 'STOP_LOSS', 95, 95.1, 95],
    ['BUY', 'TAKE_PROFIT', 95, 95.1, 95],
    ['SELL', 'TAKE_PROFIT', 105, 104.9, 105],
  ] as const) {
    it(`spot ${kind} ${side} at ${trigger} waits at ${not} and fires at ${yes}`, {
      rule: ['6.1', '6.2', '6.3'],
    }, async (w) => {
      const { orderId } = await one(w.alice.spot(triggered(side, kind, trigger)));
      await w.price(BTC, { last: not });
      assert.equal(await fired(w, orderId), false);
      await w.price(BTC, { last: yes });
      assert.equal(await fired(w, orderId), true);
    });

    it(`spot ${kind} ${side} fires when the price jumps past ${trigger}`, { rule: ['6.1', '6.2'] }, async (w) => {
      const { orderId } = await one(w.alice.spot(triggered(side, kind, trigger)));
      await w.price(BTC, { last: yes > 100 ? 150 : 50 });
      assert.equal(await fired(w, orderId), true);
    });
  }

  for (const [side, txType, trigger, not, yes] of [
    ['BUY', 'STOP', 105, 104.9, 105],
    ['SELL', 'STOP', 95, 95.1, 95],
    ['BUY', 'TRIGGER', 95, 95.1, 95],
    ['SELL', 'TRIGGER', 105, 104.9, 105],
  ] as const) {
    it(`futures ${txType} ${side} at ${trigger} waits at a mark of ${not} and fires at ${yes}`, {
      rule: ['6.1', '6.2', '6.3'],
    }, async (w) => {
      const { orderID } = await one(w.alice.future(stop(side, trigger, 10, { txType })));
      await w.price(PERP, { mark: not });
      assert.equal((await ok(w.alice.futureOrder(orderID))).triggered, false);
      await w.price(PERP, { mark: yes });
      assert.equal((await ok(w.alice.futureOrder(orderID))).triggered, true);
    });
  }

  it('a v3 CONDITIONAL fires from whichever side the reference stood on, at once when equal', {
    rule: '6.7',
  }, async (w) => {
    const body = { symbol: PERP, orderSide: 'BUY', orderType: 'CONDITIONAL', orderSize: 1 };
    const at = async (triggerPrice: number) => (await one(w.alice.v3({ ...body, triggerPrice }))).orderId;
    const [above, below, equal] = [await at(105), await at(95), await at(100)];
    const isFired = async (id: string) => (await ok(w.alice.futureOrder(id))).triggered;
    assert.deepEqual([await isFired(above), await isFired(below), await isFired(equal)], [false, false, true]);
    await w.price(PERP, { mark: 95 });
    assert.deepEqual([await isFired(above), await isFired(below)], [false, true]);
    await w.price(PERP, { mark: 106 });
    assert.equal(await isFired(above), true);
  });

  it('a price finer than the tick fires only when the trigger is surely reached', { rule: '13.18' }, async (w) => {
    const up = await one(w.alice.spot(triggered('SELL', 'TAKE_PROFIT', 105, { triggerPriceType: 'INDEX_PRICE' })));
    const down = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95, { triggerPriceType: 'INDEX_PRICE' })));
    await w.price(BTC, { index: '104.9999' });
    await w.price(BTC, { index: '95.0001' });
    assert.deepEqual([await fired(w, up.orderId), await fired(w, down.orderId)], [false, false]);
    await w.price(BTC, { index: '105.0001' });
    await w.price(BTC, { index: '94.9999' });
    assert.deepEqual([await fired(w, up.orderId), await fired(w, down.orderId)], [true, true]);
  });
});

describe('only the chosen price counts', () => {
  const it = scenarios();

  for (const [type, name] of [
    ['LAST_PRICE', 'last'],
    ['MARK_PRICE', 'mark'],
    ['INDEX_PRICE', 'index'],
  ] as const) {
    it(`spot ${type}`, { rule: '6.5' }, async (w) => {
      await w.price(BTC, { mark: 100, last: 100 });
      const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95, { triggerPriceType: type })));
      for (const other of ['last', 'mark', 'index'].filter((other) => other !== name)) {
        await w.price(BTC, { [other]: 95 });
        assert.equal(await fired(w, orderId), false, other);
      }
      await w.price(BTC, { [name]: 95 });
      assert.equal(await fired(w, orderId), true);
    });
  }

  it('spot mark is the index unless it was set manually', { rule: '6.6' }, async (w) => {
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95, { triggerPriceType: 'MARK_PRICE' })));
    await w.price(BTC, { mark: 100 });
    await w.price(BTC, { index: 95 });
    assert.equal(await fired(w, orderId), false);
    await w.price(BTC, { mark: null });
    assert.equal(await fired(w, orderId), true);
  });

  it('spot mark follows no quotes and no trades', { rule: '6.6' }, async (w) => {
    const { orderId } = await one(
      w.alice.spot(triggered('BUY', 'STOP_LOSS', 100.1, { triggerPriceType: 'MARK_PRICE' })),
    );
    await w.rest('BUY', 108, 50);
    await w.rest('SELL', 108.1, 50);
    await ok(w.alice.spot(limit('BUY', 108.1, 1)));
    await w.advance(10 * 60_000);
    assert.equal(await fired(w, orderId), false);
    await w.price(BTC, { index: 100.1 });
    assert.equal(await fired(w, orderId), true);
  });

  it('a trade moves last and fires what waits for it', { rule: '6.5' }, async (w) => {
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95)));
    await w.rest('BUY', 95, 1);
    await ok(w.alice.spot(limit('SELL', 95, 0.5)));
    assert.equal(await fired(w, orderId), true);
  });
});

describe('firing', () => {
  const it = scenarios();

  it('keeps the id and releases a MARKET order, filled as far as the book goes', { rule: '6.8' }, async (w) => {
    await w.rest('BUY', 94, 0.4);
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95)));
    await w.price(BTC, { last: 95 });
    assert.equal(await w.state(orderId), 'ORDER_CANCELLED');
    assert.equal((await w.balance('BTC')).total, '999.6');
    assert.equal((await w.balance('BTC')).reserved, '0');
  });

  it('releases a LIMIT order that rests, shows triggered and keeps what was submitted', {
    rule: ['6.8', '6.11'],
  }, async (w) => {
    const { orderId } = await one(w.alice.spot(triggeredLimit('SELL', 'STOP_LOSS', 95, 97)));
    await w.price(BTC, { last: 94 });
    const record = await ok(w.alice.lookup(orderId));
    assert.deepEqual(
      [record.orderState, record.triggered, record.triggerPrice, record.triggerOriginalPrice, record.orderPrice],
      ['ORDER_INSERTED', true, 95, 95, 97],
    );
    await ok(w.bob.spot(limit('BUY', 97, 1)));
    assert.equal(await w.state(orderId), 'ORDER_FULLY_TRANSACTED');
  });

  it('releases a futures MARKET of type 77 and a LIMIT of type 76 under the same id', {
    rule: ['6.8', '6.11'],
  }, async (w) => {
    await w.rest('SELL', 105, 10, PERP);
    const market = await one(w.alice.future(stop('BUY', 105)));
    const resting = await one(w.alice.future(stop('BUY', 105, 10, { type: 'LIMIT', price: 104 })));
    await w.price(PERP, { mark: 105 });
    const shown = async (id: string) => {
      const { status, orderType, price, triggered: isTriggered } = await ok(w.alice.futureOrder(id));
      return [status, orderType, price, isTriggered];
    };
    assert.deepEqual(await shown(market.orderID), [4, 77, 105, true]);
    assert.deepEqual(await shown(resting.orderID), [2, 76, 104, true]);
  });

  it('is an event of its own in the history of the order, status 10, before those of what it becomes: 4, 2 and 6, 15', {
    rule: '6.9',
  }, async (w) => {
    await w.rest('BUY', 95, 1);
    const filled = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95)));
    const cancelled = await one(w.alice.spot(triggeredLimit('SELL', 'STOP_LOSS', 95, 97)));
    const rejected = await one(w.alice.spot(triggeredLimit('SELL', 'STOP_LOSS', 95, 94, { postOnly: true })));
    await w.rest('BUY', 94, 1);
    await w.price(BTC, { last: 95 });
    await ok(w.alice.cancelSpot(cancelled.orderId));
    const history = async ({ orderId }: Json) => {
      const { events } = (await w.control.request('GET', `/orders/${orderId}`)) as Json;
      const told = events.filter(({ status }: Json) => status !== undefined);
      return told.map(({ type, status }: Json) => `${type} ${status}`);
    };
    assert.deepEqual(await history(filled), ['accepted 9', 'triggered 10', 'ended 4']);
    assert.deepEqual(await history(cancelled), ['accepted 9', 'triggered 10', 'rested 2', 'ended 6']);
    assert.deepEqual(await history(rejected), ['accepted 9', 'triggered 10', 'ended 15']);
  });

  it('honours the time in force of the released limit order', { rule: '6.10' }, async (w) => {
    await w.rest('BUY', 94, 0.4);
    const ioc = await one(w.alice.spot(triggeredLimit('SELL', 'STOP_LOSS', 95, 94, { timeInForce: 'IOC' })));
    const fok = await one(w.alice.spot(triggeredLimit('SELL', 'STOP_LOSS', 95, 94, { timeInForce: 'FOK' })));
    await w.price(BTC, { last: 95 });
    assert.deepEqual([await w.state(ioc.orderId), await w.state(fok.orderId)], ['ORDER_CANCELLED', 'ORDER_CANCELLED']);
    assert.equal((await w.balance('BTC')).total, '999.6');
  });

  it('checks post-only at release', { rule: ['6.10', '6.19'] }, async (w) => {
    const body = triggeredLimit('SELL', 'STOP_LOSS', 95, 96, { postOnly: true });
    const rests = await one(w.alice.spot(body));
    await w.price(BTC, { last: 95 });
    assert.equal(await w.state(rests.orderId), 'ORDER_INSERTED');
    await w.price(BTC, { last: 100 });
    await w.cancelAll();
    await w.rest('BUY', 96, 1);
    const rejected = await one(w.alice.spot(body));
    await w.price(BTC, { last: 95 });
    assert.equal(await w.state(rejected.orderId), 'ORDER_REJECTED');
  });

  it('checks a reduce-only trigger when it fires, and clips it to the position', { rule: '11.23' }, async (w) => {
    await w.rest('SELL', 100, 4, PERP);
    const { orderID } = await one(w.alice.future(stop('SELL', 95, 10, { reduceOnly: true })));
    const other = await one(w.alice.future(stop('SELL', 94, 10, { reduceOnly: true })));
    await ok(w.alice.future(future('BUY', null, 4)));
    await w.rest('BUY', 95, 10, PERP);
    await w.price(PERP, { mark: 95 });
    const clipped = await ok(w.alice.futureOrder(orderID));
    assert.deepEqual([clipped.status, clipped.totalFilledSize], [4, 4]);
    assert.equal(await w.position(), 0);
    await w.price(PERP, { mark: 94 });
    assert.equal((await ok(w.alice.futureOrder(other.orderID))).status, 15);
  });

  it('a BUY sized in quote spends its amount', async (w) => {
    await w.rest('SELL', 105, 1);
    const { orderId } = await one(w.alice.spot(triggered('BUY', 'STOP_LOSS', 105, { quoteOrderSize: 52.5 })));
    await w.price(BTC, { last: 105 });
    assert.equal(await w.state(orderId), 'ORDER_PARTIALLY_TRANSACTED');
    assert.equal((await w.balance('USDT')).total, '999947.5');
  });

  it('a waiting trigger can be cancelled, and its money is free again', async (w) => {
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95)));
    const [record] = await ok(w.alice.cancelSpot(orderId));
    assert.deepEqual([record.status, record.type], [6, 77]);
    await w.price(BTC, { last: 95 });
    assert.equal(await w.state(orderId), 'ORDER_CANCELLED');
  });
});

describe('what a trigger order needs', () => {
  const it = scenarios();

  const without = (body: Json, field: string) => {
    const { [field]: _, ...rest } = body;
    return rest;
  };

  for (const [kind, body, mention] of [
    ['a limit variant orderSize', without(triggeredLimit('SELL', 'STOP_LOSS', 95, 94), 'orderSize'), 'orderSize'],
    ['a limit variant orderPrice', without(triggeredLimit('SELL', 'STOP_LOSS', 95, 94), 'orderPrice'), 'orderPrice'],
    ['a market SELL orderSize', without(triggered('SELL', 'STOP_LOSS', 95), 'orderSize'), 'orderSize'],
    ['a market BUY quoteOrderSize', without(triggered('BUY', 'STOP_LOSS', 105), 'quoteOrderSize'), 'quoteOrderSize'],
    ['a market BUY no orderSize', triggered('BUY', 'STOP_LOSS', 105, { orderSize: 1 }), 'orderSize'],
    ['a market SELL no quoteOrderSize', triggered('SELL', 'STOP_LOSS', 95, { quoteOrderSize: 1 }), 'quoteOrderSize'],
    ['a market variant no timeInForce', triggered('SELL', 'STOP_LOSS', 95, { timeInForce: 'GTC' }), 'timeInForce'],
    ['a market variant no postOnly', triggered('SELL', 'STOP_LOSS', 95, { postOnly: true }), 'postOnly'],
  ] as const) {
    it(`spot: ${kind}`, { rule: ['6.17', '6.18'] }, async (w) => {
      const { seq } = await w.control.state();
      await refused(w.alice.spot(body), 400, mention);
      assert.equal((await w.control.state()).seq, seq);
    });
  }

  for (const txType of ['STOP', 'TRIGGER']) {
    it(`futures ${txType}: a triggerPrice, and with type LIMIT a price`, { rule: '6.20' }, async (w) => {
      await refused(w.alice.future(future('BUY', null, 10, { txType })), -2, 'triggerPrice');
      await refused(w.alice.future(stop('BUY', 105, 10, { txType, type: 'LIMIT' })), -2, 'price');
      for (const extra of [{}, { type: 'LIMIT', price: 104 }]) {
        assert.equal((await one(w.alice.future(stop('BUY', 150, 10, { txType, ...extra })))).status, 9);
      }
    });
  }

  for (const [what, extra] of [
    ['a LIMIT order', { type: 'LIMIT', price: 95 }],
    ['a MARKET order', { type: 'MARKET' }],
    ['txType LIMIT', { type: 'LIMIT', price: 95, txType: 'LIMIT' }],
    ['a trailing stop', { type: 'MARKET', trailValue: 5 }],
  ] as const) {
    it(`futures v2.3: a triggerPrice with ${what} and no txType that waits is malformed: it must not trade at once`, {
      rule: '6.21',
    }, async (w) => {
      await w.rest('BUY', 95, 10, PERP);
      const { seq } = await w.control.state();
      await refused(w.alice.future({ symbol: PERP, side: 'SELL', size: 10, triggerPrice: 90, ...extra }), -2, 'txType');
      assert.equal((await w.control.state()).seq, seq);
    });
  }

  it('spot kinds are STOP_LOSS and TAKE_PROFIT with their _LIMIT variants, no others', async (w) => {
    for (const triggerOrderType of ['STOP', 'TAKE_PROFIT_MARKET', '']) {
      await refused(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95, { triggerOrderType })), 400, 'triggerOrderType');
    }
  });
});

describe('codes', () => {
  const it = scenarios();

  it('v2.3: triggerOrderType 1001 for STOP, 1002 for TRIGGER, triggerStopPrice the limit, zeros on plain orders', {
    rule: ['1.28', '6.12'],
  }, async (w) => {
    const shown = async (body: Json) => {
      const { orderID } = await one(w.alice.future(body));
      const { triggerOrderType, triggerStopPrice, triggerOriginalPrice, triggerOrder } = await ok(
        w.alice.futureOrder(orderID),
      );
      return [triggerOrder, triggerOrderType, triggerOriginalPrice, triggerStopPrice];
    };
    assert.deepEqual(await shown(stop('BUY', 105)), [true, 1001, 105, 0]);
    assert.deepEqual(await shown(stop('BUY', 95, 10, { txType: 'TRIGGER', type: 'LIMIT', price: 94 })), [
      true,
      1002,
      95,
      94,
    ]);
    assert.deepEqual(await shown(future('BUY', 99)), [false, 0, 0, 0]);
  });
});
