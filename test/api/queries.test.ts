/** How queries are read: flags in any case, names without a value, filters, and the times of a window. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Surface } from '../../src/api/shared/surface.ts';
import { SURFACES } from '../../src/start.ts';
import { future, limit } from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { open } from '../support/positions.ts';
import { BTC, PERP, START_MS, scenarios, type World } from '../support/venue.ts';

const SPOT = '/spot/api/v3.3';
const FUTURES = '/futures/api/v2.3';
const DAY_MS = 86_400_000;

describe('open_orders by an id', () => {
  const it = scenarios();

  for (const [base, place] of [
    [SPOT, (w: World, clOrderID: string) => placeSpot(w, clOrderID)],
    [FUTURES, (w: World, clOrderID: string) => one(w.alice.future(future('BUY', 99, 10, { clOrderID })))],
  ] as const) {
    it(`${base}: orderID and clOrderID leave the one order; an order that is not open is no row`, async (w) => {
      const first = await place(w, 'first');
      const second = await place(w, 'second');
      const ids = async (query: Record<string, string>) =>
        (await ok(w.alice.call('GET', `${base}/user/open_orders`, { query }))).map(({ orderID }: Json) => orderID);
      assert.deepEqual(await ids({}), [first.orderID, second.orderID]);
      assert.deepEqual(await ids({ orderID: second.orderID }), [second.orderID]);
      assert.deepEqual(await ids({ clOrderID: 'first' }), [first.orderID]);
      assert.deepEqual(await ids({ orderID: second.orderID, clOrderID: 'first' }), [second.orderID]);
      assert.deepEqual(await ids({ symbol: second.symbol, orderID: second.orderID }), [second.orderID]);
      assert.deepEqual(await ids({ orderID: '00000000-0000-4000-8000-000000000000' }), []);
      assert.deepEqual(await ids({ clOrderID: 'third' }), []);
      await ok(w.alice.call('DELETE', `${base}/order`, { query: { symbol: first.symbol, orderID: first.orderID } }));
      assert.deepEqual(await ids({ orderID: first.orderID }), []);
    });
  }
});

describe('the open orders of spot v4 by an id', () => {
  const it = scenarios();

  it('are the one order, as on the older surfaces', async (w) => {
    const first = await one(w.alice.spot(limit('BUY', 99, 1, { clOrderId: 'first' })));
    const second = await one(w.alice.spot(limit('BUY', 98)));
    const ids = async (query: Record<string, string>) =>
      (await ok(w.alice.spotOrders(query))).map(({ orderId }: Json) => orderId);
    assert.deepEqual(await ids({}), [first.orderId, second.orderId]);
    assert.deepEqual(await ids({ orderId: second.orderId }), [second.orderId]);
    assert.deepEqual(await ids({ clOrderId: 'first', symbol: BTC }), [first.orderId]);
    assert.deepEqual(await ids({ orderId: 'nonsense' }), []);
    await refused(w.alice.spotOrders({ clOrderId: '' }), 400, 'clOrderId is empty: give text');
  });
});

function placeSpot(w: World, clOrderID: string): Promise<Json> {
  const body = { symbol: BTC, side: 'BUY', type: 'LIMIT', price: 99, size: 1, clOrderID };
  return one(w.alice.call('POST', `${SPOT}/order`, { body }));
}

describe('a flag of a query', () => {
  const it = scenarios();

  it('is true or false in any case, on every surface', async (w) => {
    await open(w, 10);
    await w.rest('SELL', 100, 1);
    await ok(w.alice.spot(limit('BUY', 100)));
    await w.advance(8 * DAY_MS);
    const histories: [string, Record<string, string>][] = [
      [`${SPOT}/user/trade_history`, { symbol: BTC }],
      [`${FUTURES}/user/trade_history`, {}],
      ['/spot/api/v4/trade/trade_history', { symbol: BTC }],
      ['/futures/api/v3/trade/trade_history', {}],
    ];
    for (const [path, query] of histories) {
      const count = async (includeOld: string) => {
        const body = await ok(w.alice.call('GET', path, { query: { ...query, includeOld } }));
        return (body.data ?? body).length;
      };
      for (const yes of ['true', 'True', 'TRUE']) assert.equal(await count(yes), 1, `${path} ${yes}`);
      for (const no of ['false', 'False', 'FALSE']) assert.equal(await count(no), 0, `${path} ${no}`);
      for (const none of ['1', 'yes', 'tru']) {
        const code = path.startsWith('/futures') ? -2 : 400;
        const expected = `includeOld is "${none}": give true or false`;
        await refused(w.alice.call('GET', path, { query: { ...query, includeOld: none } }), code, expected);
      }
    }
  });

  it('includeCancelled too', async (w) => {
    const { orderId } = await ok(w.alice.v3({ ...V3_LIMIT }));
    await ok(w.alice.cancelV3({ orderId }));
    const [row] = await ok(w.alice.v3Orders({ orderId, includeCancelled: 'True' }));
    assert.equal(row.orderState, 'ORDER_CANCELLED');
    await refused(w.alice.v3Orders({ orderId, includeCancelled: 'False' }), 400, 'Order not found');
  });

  it('in a body it is a JSON true or false, never text', async (w) => {
    await refused(w.alice.future(future('BUY', 99, 10, { postOnly: 'True' })), -2, 'give true or false');
  });
});

const V3_LIMIT = { symbol: PERP, orderType: 'LIMIT', orderSide: 'BUY', orderSize: 10, orderPrice: 99 };

describe('a parameter without a value', () => {
  const it = scenarios();

  const surfaces = SURFACES.filter(({ name }) => name === 'spot-v3.3' || name === 'futures-v2.3');
  for (const [surface, route] of surfaces.flatMap((surface) => gets(surface).map((route) => [surface, route] as const)))
    it(`was not given: GET ${surface.basePath}${route.path}`, async (w) => {
      const symbol = surface.basePath === SPOT ? BTC : PERP;
      const { orderID } =
        surface.basePath === SPOT ? await placeSpot(w, '') : await one(w.alice.future(future('BUY', 99)));
      const required: Record<string, string> = {
        ...(route.query?.required?.includes('symbol') && { symbol }),
        ...(route.path === '/order' && { orderID }),
      };
      const get = (query: Record<string, string>) => w.alice.call('GET', surface.basePath + route.path, { query });
      const plain = await ok(get(required));
      for (const name of Object.keys(route.query?.properties ?? {})) {
        if (name in required) continue;
        assert.deepEqual(await ok(get({ ...required, [name]: '' })), plain, name);
      }
      for (const name of Object.keys(required)) {
        const code = surface.envelope === 'A' ? -2 : 400;
        await refused(get({ ...required, [name]: '' }), code, `${name} is missing`);
      }
    });

  it('is malformed where it names what is cancelled: it must not cancel the whole market', async (w) => {
    await placeSpot(w, 'kept');
    await one(w.alice.future(future('BUY', 99)));
    for (const [base, symbol, code] of [
      [SPOT, BTC, 400],
      [FUTURES, PERP, -2],
    ] as const) {
      for (const id of ['orderID', 'clOrderID']) {
        const query = { symbol, [id]: '' };
        await refused(w.alice.call('DELETE', `${base}/order`, { query }), code, `${id} is empty`);
      }
      await refused(w.alice.call('DELETE', `${base}/order`, { query: { symbol: '' } }), code, 'symbol is empty');
      assert.equal((await ok(w.alice.call('GET', `${base}/user/open_orders`))).length, 1);
    }
  });

  it('is refused by name on the newer surfaces', async (w) => {
    await refused(w.alice.spotOrders({ symbol: '' }), 400, 'symbol is empty: give text');
    await refused(w.alice.v3Orders({ symbol: '' }), -2, 'symbol is empty: give text');
  });
});

function gets({ routes }: Surface) {
  return routes.filter(({ method, permission }) => method === 'GET' && permission !== null);
}

describe('the window of own trades', () => {
  const it = scenarios();

  const history = (w: World, query: Record<string, string>) =>
    w.alice.call('GET', `${FUTURES}/user/trade_history`, { query });

  it('without endTime reaches until now', async (w) => {
    await w.advance(20 * DAY_MS);
    await open(w, 10);
    assert.equal((await ok(history(w, { startTime: String(START_MS) }))).length, 1);
    await w.advance(1);
    assert.equal((await ok(history(w, { startTime: String(START_MS), includeOld: 'true' }))).length, 1);
  });

  it('that ends before it begins is refused, also by its serial ids', async (w) => {
    for (const [query, mention] of [
      [{ startTime: START_MS + 2, endTime: START_MS + 1 }, /startTime \d+ is after endTime \d+: give an earlier/],
      [{ startTime: START_MS + DAY_MS }, /startTime \d+ is after the venue's clock, 1767225600000: give an earlier/],
      [{ symbol: PERP, beforeSerialId: 5, afterSerialId: 5 }, /beforeSerialId 5 leaves no id after afterSerialId 5/],
      [{ symbol: PERP, beforeSerialId: 6, afterSerialId: 5 }, /beforeSerialId 6 leaves no id/],
    ] as const) {
      const text = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
      await refused(history(w, text), -2, mention);
    }
    assert.deepEqual(await ok(history(w, { symbol: PERP, beforeSerialId: '7', afterSerialId: '5' })), []);
  });

  it('of one instant is no error, nor is one from a millisecond after the newest trade on', async (w) => {
    await open(w, 10);
    const now = String(START_MS);
    assert.equal((await ok(history(w, { startTime: now, endTime: now }))).length, 1);
    assert.deepEqual(await ok(history(w, { startTime: String(START_MS + 1) })), []);
  });

  it('in seconds is refused with the milliseconds that were meant; 0 is the beginning', async (w) => {
    await open(w, 10);
    const seconds = String(START_MS / 1000);
    for (const field of ['startTime', 'endTime']) {
      const expected = `${field} ${seconds} looks like seconds: give milliseconds: ${START_MS}`;
      await refused(history(w, { [field]: seconds }), -2, expected);
      const query = { symbol: BTC, [field]: seconds };
      await refused(w.alice.call('GET', `${SPOT}/user/trade_history`, { query }), 400, expected);
      await refused(w.alice.call('GET', '/spot/api/v4/trade/trade_history', { query }), 400, expected);
    }
    assert.equal((await ok(history(w, { startTime: '0', includeOld: 'true' }))).length, 1);
  });
});
