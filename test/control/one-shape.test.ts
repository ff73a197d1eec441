/** An order has one shape: in lists of open ones, in lists of all, in its story, in the stream and in a past state. */
import assert from 'node:assert/strict';
import { oco, peg, stop, trailing, triggered, triggeredLimit, twap } from '../support/bodies.ts';
import { ControlStreamClient } from '../support/control-stream-client.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';
import { control } from './support.ts';

const scenario = scenarios();

type Order = Record<string, unknown> & { readonly orderId: string };

async function read(w: World, path: string) {
  const { status, body } = await control(w.venue, 'GET', path);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

function byId(orders: readonly Order[]): Map<string, Order> {
  return new Map(orders.map(({ queue: _, changes: __, relation: ___, ...order }) => [order.orderId, order as Order]));
}

async function listed(w: World): Promise<Map<string, Order>> {
  return byId((await read(w, '/accounts/alice/orders/all')).orders);
}

/** One order of each kind, and what they set off. */
async function placeEach(w: World): Promise<void> {
  await w.rest('SELL', 101, 100);
  await w.rest('BUY', 99, 0.4);
  const place = async (body: object) => {
    const { status, body: reply } = await control(w.venue, 'POST', '/accounts/alice/orders', body);
    assert.equal(status, 200, JSON.stringify(reply));
  };
  await place({ symbol: BTC, orderSide: 'SELL', orderType: 'LIMIT', orderPrice: 99, orderSize: 1, clOrderId: 'mine' });
  await place({ symbol: BTC, orderSide: 'BUY', orderType: 'MARKET', quoteOrderSize: 50 });
  await place(oco());
  await place(twap('BUY', { pausePrice: 90 }));
  await place(twap('SELL'));
  await place(peg('BUY', 100));
  await place(trailing());
  await place(trailing('BUY', { trailValue: 2, trailValueType: 'PERCENTAGE' }));
  await place(triggered('BUY', 'STOP_LOSS', 110));
  await place(triggeredLimit('SELL', 'STOP_LOSS', 90, 89));
  await w.rest('SELL', 100, 30, PERP);
  await place({
    symbol: PERP,
    side: 'BUY',
    type: 'LIMIT',
    price: 100,
    size: 50,
    takeProfitPrice: 120,
    stopLossPrice: 80,
  });
  await place(stop('SELL', 85));
}

scenario('the same fields with the same values wherever an open order is shown', async (w) => {
  await placeEach(w);
  const { seq } = await w.control.state();
  const open = byId((await read(w, '/accounts/alice/orders')).orders);
  const then = byId((await read(w, `/at/${seq}?show=orders&account=alice`)).orders);
  const all = await listed(w);
  assert.ok(open.size >= 13, `${open.size}`);
  for (const [id, order] of open) {
    assert.deepEqual(all.get(id), order);
    assert.deepEqual(then.get(id), order);
    const { order: told, siblings } = await read(w, `/orders/${id}`);
    assert.deepEqual(told, order);
    for (const sibling of byId(siblings).values()) assert.deepEqual(sibling, all.get(sibling.orderId));
  }
});

scenario('and an ended one too: it keeps its terms, and does nothing any more', async (w) => {
  const reader = await ControlStreamClient.open(w.venue);
  await reader.snapshot('orders:alice');
  await placeEach(w);
  await w.price(BTC, { index: 100, last: 90 });
  await w.price(PERP, { mark: 85 });
  await w.advance(10 * 60_000);
  await w.cancelAll();
  const all = await listed(w);
  const seen = new Map<string, Order>();
  while ([...all.keys()].some((id) => seen.get(id)?.live !== false)) {
    const { data } = await reader.nextOf('orders:alice');
    for (const [id, order] of byId(data.orders)) seen.set(id, order);
  }
  reader.close();
  assert.ok(all.size >= 15, `${all.size}`);
  for (const [id, order] of all) {
    assert.deepEqual(order, seen.get(id));
    assert.deepEqual((await read(w, `/orders/${id}`)).order, order);
    assert.deepEqual([order.live, order.nextDueMs, order.left], [false, null, null]);
    const details = order.details as { terms: object; progress: unknown } | null;
    if (details !== null) assert.deepEqual([Object.keys(details.terms).length > 0, details.progress], [true, null]);
  }
  const names = [...all.values()].map(({ details }) => (details as { name: string } | null)?.name);
  for (const name of ['oco', 'twap', 'peg', 'trailing', 'attachedTo']) assert.ok(names.includes(name), name);
});
