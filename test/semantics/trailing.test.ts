/** semantics.md section 8: TRAILING. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, limit, trailing } from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';

async function place(w: World, body: Json): Promise<string> {
  return (await one(w.alice.spot(body))).orderId;
}

async function stopOf(w: World, orderId: string): Promise<number | null> {
  return (await ok(w.alice.lookup(orderId))).triggerPrice;
}

async function lasts(w: World, ...prices: number[]): Promise<void> {
  for (const last of prices) await w.price(BTC, { last });
}

describe('TRAILING', () => {
  const it = scenarios();

  it('SELL fires at 98 after a high of 108 with distance 10', { rule: ['8.1', '8.2', '8.7'] }, async (w) => {
    const id = await place(w, trailing('SELL'));
    assert.equal(await stopOf(w, id), 90);
    await lasts(w, 103, 108, 104, 98.1);
    assert.equal(await stopOf(w, id), 98);
    assert.equal(await w.state(id), 'TRIGGER_INSERTED');
    await lasts(w, 98);
    assert.notEqual(await w.state(id), 'TRIGGER_INSERTED');
  });

  it('BUY fires at 102 after a low of 92 with distance 10', { rule: ['8.1', '8.2', '8.7'] }, async (w) => {
    const id = await place(w, trailing('BUY'));
    assert.equal(await stopOf(w, id), 110);
    await lasts(w, 97, 92, 96, 101.9);
    assert.equal(await stopOf(w, id), 102);
    await lasts(w, 102);
    assert.notEqual(await w.state(id), 'TRIGGER_INSERTED');
  });

  it('only ever tightens, and passing the stop fires it as touching does', { rule: ['8.4', '8.5'] }, async (w) => {
    const id = await place(w, trailing('SELL'));
    await lasts(w, 108, 101, 105);
    assert.equal(await stopOf(w, id), 98);
    await lasts(w, 50);
    assert.notEqual(await w.state(id), 'TRIGGER_INSERTED');
  });

  it('a percentage of 5 means 5 %', { rule: '8.2' }, async (w) => {
    const percent = { trailValueType: 'PERCENTAGE', trailValue: 5 };
    const sell = await place(w, trailing('SELL', percent));
    const buy = await place(w, trailing('BUY', percent));
    await lasts(w, 104);
    assert.deepEqual([await stopOf(w, sell), await stopOf(w, buy)], [98.8, 105]);
    await lasts(w, 99);
    assert.deepEqual([await stopOf(w, sell), await stopOf(w, buy)], [98.8, 104]);
  });

  it('the stop lies on the tick, away from the market: SELL down, BUY up', { rule: '8.6' }, async (w) => {
    await lasts(w, 100.3);
    const percent = { trailValueType: 'PERCENTAGE', trailValue: 5 };
    // 100.3 × 0.95 = 95.285 and 100.3 × 1.05 = 105.315
    assert.equal(await stopOf(w, await place(w, trailing('SELL', percent))), 95.2);
    assert.equal(await stopOf(w, await place(w, trailing('BUY', percent))), 105.4);
  });

  it('follows the price of its type, LAST_PRICE by default', { rule: ['8.7', '8.9'] }, async (w) => {
    const byLast = await place(w, trailing('SELL'));
    const byMark = await place(w, trailing('SELL', { triggerPriceType: 'MARK_PRICE' }));
    const byIndex = await place(w, trailing('SELL', { triggerPriceType: 'INDEX_PRICE' }));
    await w.price(BTC, { mark: 120 });
    assert.deepEqual([await stopOf(w, byLast), await stopOf(w, byMark), await stopOf(w, byIndex)], [90, 110, 90]);
    await w.price(BTC, { index: 109 });
    assert.deepEqual([await stopOf(w, byLast), await stopOf(w, byMark), await stopOf(w, byIndex)], [90, 110, 99]);
  });

  it('fires a MARKET order', { rule: '8.5' }, async (w) => {
    await w.rest('BUY', 97, 0.4);
    const id = await place(w, trailing('SELL'));
    await lasts(w, 108, 98);
    assert.equal(await w.state(id), 'ORDER_CANCELLED');
    assert.equal((await w.balance('BTC')).total, '999.6');
  });

  it('is armed only when the activation price is reached, from whichever side the reference stood on', {
    rule: ['8.8', '8.10'],
  }, async (w) => {
    const above = await place(w, trailing('SELL', { activationTriggerPrice: 105 }));
    const below = await place(w, trailing('SELL', { activationTriggerPrice: 96 }));
    assert.deepEqual([await stopOf(w, above), await stopOf(w, below)], [null, null]);
    await lasts(w, 104);
    assert.deepEqual([await stopOf(w, above), await stopOf(w, below)], [null, null]);
    await lasts(w, 96);
    assert.deepEqual([await stopOf(w, above), await stopOf(w, below)], [null, 86]);
    await lasts(w, 106);
    assert.deepEqual([await stopOf(w, above), await stopOf(w, below)], [96, 96]);
    const { activationPrice, orderDetail } = await ok(w.alice.lookup(above));
    assert.deepEqual([activationPrice, orderDetail], [105, { armed: true, extreme: 106 }]);
  });

  it('is armed at once when the activation price equals the reference', { rule: '8.8' }, async (w) => {
    assert.equal(await stopOf(w, await place(w, trailing('SELL', { activationTriggerPrice: 100 }))), 90);
  });

  it('activates by its own price type, the trigger type by default', { rule: '8.9' }, async (w) => {
    const byMark = { activationTriggerPrice: 105, activationTriggerPriceType: 'MARK_PRICE' };
    const own = await place(w, trailing('SELL', byMark));
    const byTrigger = await place(
      w,
      trailing('SELL', { activationTriggerPrice: 105, triggerPriceType: 'INDEX_PRICE' }),
    );
    await w.price(BTC, { mark: 105 });
    assert.deepEqual([await stopOf(w, own), await stopOf(w, byTrigger)], [90, null]);
    await w.price(BTC, { index: 105 });
    assert.equal(await stopOf(w, byTrigger), 95);
    assert.equal((await ok(w.alice.lookup(byTrigger))).activationPriceType, 'INDEX_PRICE');
  });

  it('takes every print of a sweep into its extreme: 95 tightens a BUY to 105, where the next print fires it', {
    rule: ['3.9', '3.11', '8.3'],
  }, async (w) => {
    await w.rest('SELL', 95, 1);
    await w.rest('SELL', 105, 1);
    const id = await place(w, trailing('BUY'));
    await ok(w.alice.spot(limit('BUY', 105, 2)));
    assert.notEqual(await w.state(id), 'TRIGGER_INSERTED');
  });

  it('that a print of a sweep activates begins with that print', { rule: '3.9' }, async (w) => {
    await w.rest('SELL', 95, 1);
    await w.rest('SELL', 104, 1);
    const id = await place(w, trailing('BUY', { activationTriggerPrice: 96 }));
    await ok(w.alice.spot(limit('BUY', 105, 2)));
    assert.deepEqual((await ok(w.alice.lookup(id))).orderDetail, { armed: true, extreme: 95 });
  });

  it('a price before activation is no extreme', { rule: ['8.1', '8.8'] }, async (w) => {
    await lasts(w, 104);
    const id = await place(w, trailing('SELL', { activationTriggerPrice: 95 }));
    await lasts(w, 200, 95);
    assert.deepEqual([await stopOf(w, id), (await ok(w.alice.lookup(id))).orderDetail.extreme], [85, 95]);
  });
});

describe('a malformed TRAILING', () => {
  const it = scenarios();

  for (const [problem, side, extra, field] of [
    ['a value of 0', 'SELL', { trailValue: 0 }, 'trailValue'],
    ['a negative value', 'SELL', { trailValue: -1 }, 'trailValue'],
    ['a percentage of 100', 'SELL', { trailValue: 100, trailValueType: 'PERCENTAGE' }, 'trailValue'],
    ['a SELL sized in quote', 'SELL', { quoteOrderSize: 50 }, 'quoteOrderSize'],
    ['a BUY sized in base', 'BUY', { orderSize: 1 }, 'orderSize'],
  ] as const) {
    it(`has ${problem}`, { rule: ['8.11', '8.12'] }, async (w) => {
      await refused(w.alice.spot(trailing(side, extra)), 400, field);
    });
  }

  it('is not refused below: 99.99 %, and a distance beyond the price itself, which can not fire', async (w) => {
    const percent = await place(w, trailing('SELL', { trailValue: 99.99, trailValueType: 'PERCENTAGE' }));
    assert.equal((await ok(w.alice.lookup(percent))).orderDetail.armed, true);
    const beyond = await place(w, trailing('SELL', { trailValue: 150 }));
    await lasts(w, 1);
    assert.equal(await w.state(beyond), 'TRIGGER_INSERTED');
  });
});

describe('futures trailing stops', () => {
  const it = scenarios();

  it('take no takeProfitPrice and no stopLossPrice', { rule: '8.14' }, async (w) => {
    for (const extra of [{ takeProfitPrice: 110 }, { stopLossPrice: 80 }]) {
      await refused(w.alice.future(future('SELL', null, 10, { trailValue: 10, ...extra })), -2, Object.keys(extra)[0]);
    }
  });

  for (const txType of [undefined, 'LIMIT', 'STOP', 'TRIGGER']) {
    it(`with txType ${txType} need no triggerPrice, are type 77 and follow the mark`, {
      rule: ['6.14', '8.13'],
    }, async (w) => {
      const body = future('SELL', null, 10, { trailValue: 10, ...(txType && { txType }) });
      const { status, orderType, orderID } = await one(w.alice.future(body));
      assert.deepEqual([status, orderType], [9, 77]);
      await w.price(PERP, { last: 200 });
      await w.price(PERP, { mark: 108 });
      const record = await ok(w.alice.futureOrder(orderID));
      assert.deepEqual([record.triggerPrice, record.triggerOriginalPrice, record.trailValue], [98, 90, 10]);
      await w.price(PERP, { mark: 98 });
      assert.equal((await ok(w.alice.futureOrder(orderID))).triggered, true);
    });
  }

  it('a negative value of a SELL is its magnitude; lastPrice follows last', { rule: '8.15' }, async (w) => {
    const body = future('SELL', null, 10, { trailValue: -10, trigger: 'lastPrice' });
    const { orderID } = await one(w.alice.future(body));
    await w.price(PERP, { last: 108 });
    assert.equal((await ok(w.alice.futureOrder(orderID))).triggerPrice, 98);
  });

  it('v3 takes distance and percentage by trailTriggerPriceType', async (w) => {
    const body = {
      symbol: PERP,
      orderSide: 'BUY',
      orderType: 'TRAILING',
      orderSize: '10',
      trailValueType: 'PERCENTAGE',
    };
    const row = await one(w.alice.v3({ ...body, trailValue: '2.5', trailTriggerPriceType: 'LAST_PRICE' }));
    assert.deepEqual([row.status, row.type, row.triggerPrice], [9, 0, 102.5]);
    const [listed] = await ok(w.alice.v3Orders());
    assert.equal(listed.orderType, 77);
    assert.deepEqual([listed.trailValue, listed.trailValueType, listed.triggerType], [2.5, 'PERCENTAGE', 'LAST_PRICE']);
    const distance = await one(w.alice.v3({ ...body, trailValueType: 'DISTANCE', trailValue: '5' }));
    assert.equal(distance.triggerPrice, 105);
  });

  it('reduce-only is checked when it fires', { rule: '11.23' }, async (w) => {
    const { orderID } = await one(w.alice.future(future('SELL', null, 10, { trailValue: 5, reduceOnly: true })));
    await w.price(PERP, { mark: 95 });
    assert.equal((await ok(w.alice.futureOrder(orderID))).status, 15);
  });
});
