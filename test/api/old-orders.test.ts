/** GET order with includeOld: the archive gives the record of an order that the venue has forgotten. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, limit } from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { setMode } from '../support/positions.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';

const SPOT = '/spot/api/v3.3';
const FUTURES = '/futures/api/v2.3';
const FORGOTTEN_MS = 31 * 60_000;

const spot = (body: Json): Json => ({ symbol: BTC, side: 'BUY', ...body });
const SPOT_ORDERS: Json[] = [
  { type: 'LIMIT', price: 99.5, size: 1.25, clOrderID: 'mine', time_in_force: 'HOUR' },
  { type: 'LIMIT', price: 101, size: 2, postOnly: true },
  { type: 'LIMIT', txType: 'STOP', triggerPrice: 105, price: 106, size: 1 },
  { type: 'MARKET', txType: 'STOP', triggerPrice: 105, price: 50 },
  { type: 'OCO', price: 95, triggerPrice: 105, stopPrice: 106, size: 1 },
  { side: 'SELL', type: 'MARKET', trailValue: 5.5, size: 1 },
  { type: 'PEG', price: 101, size: 1, deviation: -1.5, stealth: 20 },
  { type: 'LIMIT', price: 100, size: 1.5 },
  { type: 'MARKET', price: 77.77 },
  { type: 'MARKET', size: 0.5 },
].map(spot);
const FUTURES_ORDERS: Json[] = [
  future('BUY', 99, 10, { clOrderID: 'mine', takeProfitPrice: 110, stopLossPrice: 90, time_in_force: 'DAY' }),
  future('BUY', 100, 30, { takeProfitPrice: 110 }),
  future('BUY', null, 20, { txType: 'STOP', triggerPrice: 105 }),
  future('SELL', 94, 10, { txType: 'STOP', triggerPrice: 95, trigger: 'lastPrice' }),
  future('BUY', null, 10, { trailValue: 5 }),
  future('BUY', 95, 10, { type: 'OCO', triggerPrice: 105, stopPrice: 106 }),
];

/** Looks all up while the venue holds them, and again when only the archive does. */
async function compare(w: World, base: string, ids: readonly string[]): Promise<void> {
  const look = (orderID: string, more = {}) => w.alice.call('GET', `${base}/order`, { query: { orderID, ...more } });
  const known: Json[] = [];
  for (const id of ids) {
    const record = await ok(look(id));
    assert.deepEqual(await ok(look(id, { includeOld: 'true' })), record);
    known.push(record);
  }
  await w.advance(FORGOTTEN_MS);
  for (const [i, id] of ids.entries()) {
    await refused(look(id), base === SPOT ? 16 : 400, 'Order not found');
    const record = await ok(look(id, { includeOld: 'true' }));
    assert.deepEqual(record, known[i]);
  }
}

describe('an order that ended long ago', () => {
  const it = scenarios();

  it('of spot has the record that it had when it ended', async (w) => {
    await w.rest('SELL', 100, 1);
    await w.rest('SELL', 100.5, 5);
    const ids: string[] = [];
    for (const body of SPOT_ORDERS) {
      for (const { orderID } of await ok(w.alice.call('POST', `${SPOT}/order`, { body }))) ids.push(orderID);
    }
    const amend = { symbol: BTC, orderID: ids[0], type: 'PRICE', value: 98 };
    await ok(w.alice.call('PUT', `${SPOT}/order`, { body: amend }));
    await w.price(BTC, { index: 106, last: 106 });
    await w.advance(1000);
    await ok(w.alice.call('DELETE', `${SPOT}/order`, { query: { symbol: BTC } }));
    await compare(w, SPOT, ids);
    await compare(w, '/spot/api/v3.2', []);
    const old = { query: { orderID: ids[0], includeOld: 'True' } };
    assert.equal((await ok(w.alice.call('GET', '/spot/api/v3.2/order', old))).size, 1.25);
  });

  it('of futures, too', async (w) => {
    await w.rest('SELL', 100, 50, PERP);
    const ids: string[] = [];
    for (const body of FUTURES_ORDERS) {
      for (const { orderID } of await ok(w.alice.future(body))) ids.push(orderID);
    }
    const attached: Json[] = await ok(w.alice.call('GET', `${FUTURES}/user/open_orders`));
    ids.push(...attached.filter(({ closeOrder }) => closeOrder).map(({ orderID }) => orderID));
    await w.price(PERP, { index: 105, mark: 105, last: 105 });
    await ok(w.alice.cancelFuture());
    await compare(w, FUTURES, ids);
  });

  it('of an isolated position', async (w) => {
    await setMode(w, 'ISOLATED');
    await w.rest('SELL', 100, 50, PERP);
    const { orderID } = await one(w.alice.future(future('BUY', 100, 10)));
    await compare(w, FUTURES, [orderID]);
  });

  it('of another account, of the other product, of a branch that was left, or unknown, is not found', async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 99)));
    await ok(w.alice.cancelSpot(orderId));
    await w.advance(FORGOTTEN_MS);
    const query = { orderID: orderId, includeOld: 'true' };
    await ok(w.alice.call('GET', `${SPOT}/order`, { query }));
    await refused(w.bob.call('GET', `${SPOT}/order`, { query }), 16, 'Order not found');
    await refused(w.alice.call('GET', `${FUTURES}/order`, { query }), 400, 'Order not found');
    for (const orderID of ['nonsense', '00000000-0000-4000-8000-000000000000']) {
      const unknown = { query: { orderID, includeOld: 'true' } };
      await refused(w.alice.call('GET', `${SPOT}/order`, unknown), 16, 'Order not found');
    }
    await w.begin();
    await refused(w.alice.call('GET', `${SPOT}/order`, { query }), 16, 'Order not found');
  });

  it('is found by its client id, if it is the newest one with it', async (w) => {
    const query = { clOrderID: 'mine', includeOld: 'true' };
    const look = async (base = SPOT) => (await ok(w.alice.call('GET', `${base}/order`, { query }))).orderID;
    const ended = async (clOrderId: string, price: number) => {
      const { orderId } = await one(w.alice.spot(limit('BUY', price, 1, { clOrderId })));
      await ok(w.alice.cancelSpot(orderId));
      return orderId;
    };
    await ended('mine', 99);
    const second = await ended('mine', 98);
    await ended('mina', 99);
    await ended('minf', 99);
    assert.equal(await look(), second);
    await w.advance(FORGOTTEN_MS);
    assert.equal(await look(), second);
    assert.equal(await look('/spot/api/v3.2'), second);
    await refused(w.alice.call('GET', `${FUTURES}/order`, { query }), 400, 'Order not found');
    await refused(w.bob.call('GET', `${SPOT}/order`, { query }), 16, 'Order not found');
    for (const clOrderID of ['min', 'minee', 'a', 'z']) {
      const unknown = { query: { clOrderID, includeOld: 'true' } };
      await refused(w.alice.call('GET', `${SPOT}/order`, unknown), 16, 'Order not found');
    }
    const live = (await one(w.alice.spot(limit('BUY', 98, 1, { clOrderId: 'mine' })))).orderId;
    assert.equal(await look(), live);
    const future = await one(
      w.alice.future({ symbol: PERP, side: 'BUY', type: 'LIMIT', price: 99, size: 1, clOrderID: 'mine' }),
    );
    await ok(w.alice.cancelFuture());
    await w.advance(FORGOTTEN_MS);
    assert.equal(await look(FUTURES), future.orderID);
    assert.equal(await look('/futures/api/v2.2'), future.orderID);
  });

  it('of a branch that was left is not found by its client id, an older one that counts is', async (w) => {
    const query = { clOrderID: 'mine', includeOld: 'true' };
    const ended = async (price: number) => {
      const { orderId } = await one(w.alice.spot(limit('BUY', price, 1, { clOrderId: 'mine' })));
      await ok(w.alice.cancelSpot(orderId));
      return orderId;
    };
    const first = await ended(99);
    await w.advance(FORGOTTEN_MS);
    await w.control.save('here');
    await ended(98);
    await w.control.restore('here');
    assert.equal((await ok(w.alice.call('GET', `${SPOT}/order`, { query }))).orderID, first);
    await w.begin();
    await refused(w.alice.call('GET', `${SPOT}/order`, { query }), 16, 'Order not found');
  });
});
