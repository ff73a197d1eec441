/** Spot v3.3: the same orders under the older names, and the rules that are its own (semantics.md section 4). */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Json, ok, one, refused } from '../support/client.ts';
import { BTC, scenarios, type World } from '../support/venue.ts';

const ORDER = '/spot/api/v3.3/order';
const MINUTE = 60_000;

const place = (w: World, body: Json, path = ORDER) =>
  w.alice.call('POST', path, { body: { symbol: BTC, side: 'BUY', type: 'LIMIT', ...body } });
const limit = (w: World, body: Json = {}) => place(w, { price: 99, size: 1, ...body });
const find = (w: World, query: Record<string, string>) => w.alice.call('GET', ORDER, { query });
const amend = (w: World, body: Json) => w.alice.call('PUT', ORDER, { body: { symbol: BTC, ...body } });
const cancel = (w: World, query: Record<string, string> = {}) =>
  w.alice.call('DELETE', ORDER, { query: { symbol: BTC, ...query } });
const openOrders = (w: World, query: Record<string, string> = {}) =>
  w.alice.call('GET', '/spot/api/v3.3/user/open_orders', { query });

describe('a spot v3.3 order', () => {
  const it = scenarios();

  it('rests, is looked up by either id, amended to a new total, and cancelled', async (w) => {
    const placed = await one(limit(w, { clOrderID: 'mine' }));
    assert.deepEqual(
      [placed.status, placed.orderType, placed.clOrderID, placed.price, placed.remainingOrderBaseSize],
      [2, 76, 'mine', 99, 1],
    );
    for (const query of [{ orderID: placed.orderID }, { clOrderID: 'mine' }] as Record<string, string>[]) {
      const { orderID, status, originalOrderBaseSize } = await ok(find(w, query));
      assert.deepEqual([orderID, status, originalOrderBaseSize], [placed.orderID, 2, 1]);
    }
    const amended = await one(amend(w, { orderID: placed.orderID, type: 'ALL', orderPrice: 98, orderSize: 2 }));
    assert.deepEqual([amended.status, amended.price, amended.currentOrderBaseSize], [123, 98, 2]);
    const [row] = await ok(openOrders(w, { symbol: BTC }));
    assert.deepEqual([row.orderID, row.orderState, row.price], [placed.orderID, 'STATUS_ACTIVE', 98]);
    assert.deepEqual(
      (await ok(cancel(w, { clOrderID: 'mine' }))).map(({ status }: Json) => status),
      [6],
    );
    assert.deepEqual(await ok(openOrders(w)), []);
    assert.deepEqual(await ok(cancel(w)), []);
  });

  it('that has ended stays readable for 30 minutes of venue time', { rule: ['2.23', '2.24'] }, async (w) => {
    const { orderID } = await one(limit(w));
    await ok(cancel(w, { orderID }));
    assert.equal((await ok(find(w, { orderID }))).status, 6);
    await w.advance(30 * MINUTE - 1);
    assert.equal((await ok(find(w, { orderID }))).status, 6);
    await w.advance(1);
    await refused(find(w, { orderID }), 16, 'Order not found');
  });

  it('takes enum values in any case, ignores names that it does not know, and a price of 0 was not given', {
    rule: ['4.41', '4.42', '4.44', '4.46'],
  }, async (w) => {
    const body = { side: 'Buy', type: 'Limit', time_in_force: 'gtc', color: 'blue', triggerPrice: 0, stopPrice: 0 };
    const placed = await one(limit(w, { ...body, trailValue: 0, quoteOrderSize: 5 }));
    assert.deepEqual([placed.status, placed.trigger, placed.triggerPrice], [2, false, 0]);
    await refused(limit(w, { price: 0 }), 400, 'price');
    await refused(place(w, { type: 'MARKET', price: 0 }), 400, 'price');
  });

  it('MARKET BUY spends its price, or buys its size where it has no price; SELL has a size', {
    rule: ['4.24', '4.25', '4.43'],
  }, async (w) => {
    await w.rest('SELL', 100, 5);
    await w.rest('BUY', 99, 5);
    const spent = await one(place(w, { type: 'MARKET', price: 50 }));
    assert.deepEqual([spent.status, spent.totalFilledBaseSize, spent.orderCurrency], [5, 0.5, 'quote']);
    const sized = await one(place(w, { type: 'MARKET', size: 0.25 }));
    assert.deepEqual([sized.status, sized.totalFilledBaseSize, sized.orderCurrency], [4, 0.25, 'base']);
    await refused(place(w, { type: 'MARKET', size: 0.25, price: 50 }), 400, 'size');
    const sold = await one(place(w, { side: 'SELL', type: 'MARKET', size: 0.5 }));
    assert.deepEqual([sold.status, sold.totalFilledBaseSize, sold.avgFilledPrice], [4, 0.5, 99]);
    await refused(place(w, { side: 'SELL', type: 'MARKET', size: 0.5, price: 99 }), 400, 'price');
    await refused(place(w, { side: 'SELL', type: 'MARKET' }), 400, 'size');
  });

  it('STOP and TRIGGER wait for the index unless lastPrice is asked for, then enter under their own id', async (w) => {
    await w.rest('BUY', 99, 5);
    const stop = await one(place(w, { side: 'SELL', type: 'MARKET', txType: 'STOP', size: 1, triggerPrice: 95 }));
    assert.deepEqual([stop.status, stop.trigger, stop.triggerPrice], [9, true, 95]);
    const last = { side: 'SELL', type: 'LIMIT', txType: 'STOP', price: 95, triggerPriceType: 'LAST_PRICE' };
    const other = await one(place(w, { ...last, size: 1, triggerPrice: 96 }));
    const profit = { side: 'SELL', type: 'MARKET', txType: 'TRIGGER', size: 1, triggerPrice: 104 };
    const gain = await one(place(w, profit));
    await w.price(BTC, { index: 95 });
    assert.equal((await ok(find(w, { orderID: stop.orderID }))).status, 4);
    for (const { orderID } of [other, gain]) assert.equal((await ok(find(w, { orderID }))).status, 9);
    await w.price(BTC, { last: 96 });
    assert.equal((await ok(find(w, { orderID: other.orderID }))).status, 4);
    await refused(place(w, { side: 'SELL', type: 'MARKET', txType: 'STOP', size: 1 }), 400, 'triggerPrice');
    const bought = { type: 'MARKET', txType: 'STOP', triggerPrice: 105 };
    assert.equal((await one(place(w, { ...bought, price: 50 }))).originalOrderQuoteSize, 50);
    await refused(place(w, { ...bought, size: 1 }), 400, 'price');
  });

  it('OCO rests its limit leg first in the reply; cancelling either leg takes both', async (w) => {
    const legs: Json[] = await ok(
      place(w, { type: 'OCO', price: 95, size: 1, triggerPrice: 105, stopPrice: 106, clOrderID: 'both' }),
    );
    assert.deepEqual(
      legs.map(({ status, price, clOrderID }) => [status, price, clOrderID]),
      [
        [2, 95, 'both'],
        [9, 106, 'both'],
      ],
    );
    const ended: Json[] = await ok(cancel(w, { orderID: legs[1].orderID }));
    assert.deepEqual(
      ended.map(({ status }) => status),
      [6, 6],
    );
    await refused(place(w, { type: 'OCO', price: 95, size: 1, triggerPrice: 105 }), 400, 'stopPrice');
  });

  it('trails by trailValue; a SELL may have it negative', { rule: '8.15' }, async (w) => {
    const trail = await one(place(w, { side: 'SELL', type: 'MARKET', size: 1, trailValue: -5 }));
    assert.deepEqual([trail.status, trail.orderType, trail.triggerPrice], [9, 84, 95]);
    await w.price(BTC, { index: 103 });
    assert.equal((await ok(find(w, { orderID: trail.orderID }))).triggerPrice, 98);
    await refused(place(w, { type: 'MARKET', price: 10, trailValue: -5 }), 400, 'trailValue');
  });

  it('PEG comes by its own route without a type, or by type; stealth is required', async (w) => {
    const peg = { price: 101, size: 1, deviation: -1 };
    const byRoute = { symbol: BTC, side: 'BUY', ...peg, stealth: 10 };
    const placed = await one(w.alice.call('POST', `${ORDER}/peg`, { body: byRoute }));
    assert.deepEqual([placed.status, placed.orderType, placed.stealth], [2, 80, 10]);
    assert.equal((await one(place(w, { type: 'PEG', ...peg, stealth: 100 }))).orderType, 80);
    await refused(place(w, { type: 'PEG', ...peg }), 400, 'stealth');
    await refused(w.alice.call('POST', ORDER, { body: byRoute }), 400, 'type');
  });

  it("is cancelled by the dead man's switch, and by one cancel of its pair", async (w) => {
    for (const price of [97, 98]) await one(limit(w, { price }));
    await ok(w.alice.call('POST', `${ORDER}/cancelAllAfter`, { body: { timeout: 1000 } }));
    await w.advance(1000);
    assert.deepEqual(await ok(openOrders(w)), []);
    for (const price of [97, 98]) await one(limit(w, { price }));
    assert.equal((await ok(cancel(w))).length, 2);
    await refused(cancel(w, { clOrderID: '' }), 400, 'clOrderID');
  });

  it('shows its trades, newest first, as soon as the reply is there, and when the venue has forgotten it', {
    rule: '2.25',
  }, async (w) => {
    await w.rest('SELL', 100, 5);
    await one(place(w, { type: 'MARKET', size: 0.25, clOrderID: 'first' }));
    const { orderID } = await one(place(w, { type: 'MARKET', size: 0.5 }));
    const history = (query: Record<string, string> = {}) =>
      ok(w.reader.call('GET', '/spot/api/v3.3/user/trade_history', { query: { symbol: BTC, ...query } }));
    const rows: Json[] = await history();
    assert.deepEqual(
      rows.map(({ filledSize, filledPrice, side }) => [filledSize, filledPrice, side]),
      [
        [0.5, 100, 'BUY'],
        [0.25, 100, 'BUY'],
      ],
    );
    assert.equal(rows[0].orderId, orderID);
    assert.equal((await history({ clOrderID: 'first' })).length, 1);
    assert.equal((await history({ count: '1' })).length, 1);
    await w.advance(31 * MINUTE);
    await refused(find(w, { orderID }), 16, 'Order not found');
    assert.deepEqual(await history(), rows);
  });

  it('is nobody else’s, and needs the permission', async (w) => {
    const { orderID } = await one(limit(w));
    await refused(w.bob.call('GET', ORDER, { query: { orderID } }), 16, 'Order not found');
    await refused(w.reader.call('GET', ORDER, { query: { orderID } }), 10002, 'trading', 403);
    await refused(place(w, { symbol: 'XX-YY', price: 1, size: 1 }), -7006, 'XX-YY');
  });
});
