/** What the control surface foresees: what is due next, and what prices would set off. And the lists beside it. */
import assert from 'node:assert/strict';
import { triggered } from '../support/bodies.ts';
import { BTC, PERP, START_MS, scenarios, type World } from '../support/venue.ts';
import { control } from './support.ts';

const scenario = scenarios();
const MINUTE = 60_000;

async function due(w: World, limit = 100) {
  return (await control(w.venue, 'GET', `/due?limit=${limit}`)).body.due;
}

async function preview(w: World, body: object) {
  return (await control(w.venue, 'POST', '/prices?preview=true', body)).body;
}

scenario('what is due next: each item with its time, its order or market, and a sentence', async (w) => {
  const twap = { symbol: BTC, orderSide: 'BUY', orderType: 'TWAP', orderSize: 1, timePeriod: 600 };
  const [{ orderId }] = (await w.alice.spot(twap)).body;
  const day = { symbol: PERP, side: 'BUY', type: 'LIMIT', price: 90, size: 1, time_in_force: 'HALFMIN' };
  await w.bob.future(day);
  await w.alice.call('POST', '/spot/api/v4/trade/orders/cancel_all_after', { body: { timeout: 45_000 } });
  const items = await due(w);
  const times = items.map(({ time }: { time: number }) => time);
  assert.deepEqual(times, times.toSorted());
  assert.deepEqual(
    items.map(({ kind, time, symbol, account }: Record<string, unknown>) => [
      kind,
      (time as number) - START_MS,
      symbol,
      account,
    ]),
    [
      ['algo', 30_000, BTC, 'alice'],
      ['expiry', 30_000, PERP, 'bob'],
      ['deadMan', 45_000, null, 'alice'],
      ['minute', MINUTE, PERP, null],
    ].sort((a, b) => (a[1] as number) - (b[1] as number) || (a[0] === 'expiry' ? -1 : 1)),
  );
  const part = items.find(({ kind }: { kind: string }) => kind === 'algo');
  assert.equal(part.orderId, orderId);
  assert.equal(part.sentence, `part 2 of 20 of the TWAP BUY order ${orderId.slice(0, 8)} of alice in BTC-USDT`);
  assert.deepEqual((await due(w, 1)).length, 1);
  assert.deepEqual(
    (await due(w, 2)).map(({ time }: { time: number }) => time),
    times.slice(0, 2),
  );
  assert.equal((await control(w.venue, 'GET', '/due?after=1')).status, 400);
});

scenario('a manual clock moves to what is due next, and says what that was', async (w) => {
  const next = async () => (await control(w.venue, 'POST', '/clock', { toNextDue: true })).body;
  const minute = await next();
  assert.equal(minute.time, START_MS + MINUTE);
  assert.deepEqual(
    minute.due.map(({ kind, symbol }: Record<string, string>) => [kind, symbol]),
    [['minute', PERP]],
  );
  assert.match(minute.due[0].sentence, /premium of BTC-PERP are sampled/);
  const twap = { symbol: BTC, orderSide: 'BUY', orderType: 'TWAP', orderSize: 1, timePeriod: 600 };
  const [{ orderId }] = (await w.alice.spot(twap)).body;
  const part = await next();
  assert.deepEqual([part.time, part.due[0].orderId], [START_MS + MINUTE + 30_000, orderId]);
  const [order] = (await control(w.venue, 'GET', '/accounts/alice/orders')).body.orders;
  assert.equal(order.details.progress.childrenDone, 2);
  for (const body of [{ toNextDue: false }, { toNextDue: true, advance: 1 }, { toNextDue: 'yes' }]) {
    assert.equal((await control(w.venue, 'POST', '/clock', body)).status, 400);
  }
});

scenario('where nothing is due it says so, and logs nothing', async (w) => {
  await w.begin(null);
  const { seq } = await w.control.state();
  const { status, body } = await control(w.venue, 'POST', '/clock', { toNextDue: true });
  assert.deepEqual([status, body.error.reason], [404, 'notAvailable']);
  assert.match(body.error.message, /nothing is due/);
  assert.equal((await w.control.state()).seq, seq);
});

scenario('a preview says which orders prices would fire, and changes nothing', async (w) => {
  const [{ orderId }] = (await w.alice.spot(triggered('SELL', 'STOP_LOSS', 95))).body;
  await w.alice.spot(triggered('SELL', 'STOP_LOSS', 90));
  const { seq, hash } = await w.control.state();
  const found = await preview(w, { symbol: BTC, last: 94 });
  assert.deepEqual(
    [found.prices.last, found.orders.map((order: { orderId: string }) => order.orderId), found.positions],
    ['94', [orderId], []],
  );
  assert.deepEqual((await preview(w, { symbol: BTC, last: 96 })).orders, []);
  const after = await w.control.state();
  assert.deepEqual([after.seq, after.hash], [seq, hash]);
  // And what it foresees happens.
  await w.price(BTC, { last: 94 });
  const { orders } = (await control(w.venue, 'GET', '/accounts/alice/orders')).body;
  assert.equal(
    orders.some((order: { orderId: string }) => order.orderId === orderId),
    false,
  );
});

scenario(
  'a preview says which positions a mark would put below maintenance, and an index moves the mark',
  async (w) => {
    await w.rest('SELL', 100, 1000, PERP);
    const { balances } = await w.account();
    await w.control.deposit('alice', 'USDT', -(Number(balances.USDT.available) - 0.1));
    await w.alice.future({ symbol: PERP, side: 'BUY', type: 'MARKET', size: 1000 });
    const [{ liquidationPrice }] = (await w.account()).positions;
    assert.ok(liquidationPrice > 0 && liquidationPrice < 100);
    const at = async (mark: number) => (await preview(w, { symbol: PERP, mark })).positions;
    assert.deepEqual(
      (await at(liquidationPrice)).map(({ account, symbol }: Record<string, string>) => [account, symbol]),
      [['alice', PERP]],
    );
    assert.deepEqual(await at(Math.ceil(liquidationPrice + 0.1)), []);
    assert.equal((await preview(w, { symbol: PERP, index: 100.5 })).prices.mark, '100.5');
    assert.equal((await preview(w, { symbol: PERP, mark: null, index: 102 })).prices.index, '102');
  },
);

scenario('in a halted market nothing fires', async (w) => {
  await w.alice.spot(triggered('SELL', 'STOP_LOSS', 95));
  await w.control.haltMarket(BTC);
  const found = await preview(w, { symbol: BTC, last: 90 });
  assert.deepEqual([found.halted, found.orders], [true, []]);
  await w.control.resumeMarket(BTC);
});

scenario('what is not exactly a preview is refused, and sets nothing', async (w) => {
  const { seq } = await w.control.state();
  for (const [path, body] of [
    ['/prices?preview=1', { symbol: BTC, last: 90 }],
    ['/prices?preview=', { symbol: BTC, last: 90 }],
    ['/prices?Preview=true', { symbol: BTC, last: 90 }],
    ['/prices?preview=true&dry=1', { symbol: BTC, last: 90 }],
    ['/prices?preview=true&preview=true', { symbol: BTC, last: 90 }],
    ['/prices?preview=true', { symbol: BTC, index: 90, feed: true }],
    ['/prices?preview=true', { symbol: BTC }],
    ['/clock?preview=true', { advance: 1 }],
    ['/reset?preview=true', {}],
  ] as const) {
    assert.equal((await control(w.venue, 'POST', path, body)).status, 400, path);
  }
  assert.equal((await control(w.venue, 'POST', '/prices?preview=true', { symbol: 'NOPE', last: 1 })).status, 404);
  assert.equal((await w.control.state()).seq, seq);
  const token = await w.control.createToken('looks', 'read');
  const body = { symbol: BTC, last: 90 };
  assert.equal((await control(w.venue, 'POST', '/prices?preview=true', body, token)).status, 200);
  assert.equal((await control(w.venue, 'POST', '/prices', body, token)).status, 403);
  await w.control.revokeToken('looks');
});

scenario('the summary of the markets has the last 24 hours, funding and open interest', async (w) => {
  await w.rest('SELL', 100, 10, PERP);
  await w.alice.future({ symbol: PERP, side: 'BUY', type: 'MARKET', size: 10 });
  const { markets, seq } = (await control(w.venue, 'GET', '/markets/summary')).body;
  assert.equal(seq, (await w.control.state()).seq);
  const perp = markets.find(({ symbol }: { symbol: string }) => symbol === PERP);
  assert.deepEqual([perp.last, perp.openInterest, perp.day.volume, perp.day.high], ['100', '10', '10', '100']);
  assert.equal(perp.nextFundingMs > START_MS, true);
  const page = (await control(w.venue, 'GET', '/markets/summary?limit=1')).body;
  assert.deepEqual([page.markets.length, page.next], [1, page.markets[0].symbol]);
});

scenario('the saved states by name, and the seq at which a fault last hit', async (w) => {
  await w.control.save('one');
  await w.control.save('two');
  const { snapshots } = (await control(w.venue, 'GET', '/snapshots')).body;
  assert.deepEqual(snapshots, [{ name: 'one' }, { name: 'two' }]);
  await w.control.armFault({ match: { path: '/spot/api/v3.3/time' }, status: 503 });
  assert.equal((await w.control.faults()).at(-1)?.lastHitSeq, null);
  await fetch(`${w.venue.url}/spot/api/v3.3/time`);
  assert.equal((await w.control.faults()).at(-1)?.lastHitSeq, (await w.control.state()).seq);
  await w.control.clearFaults();
});
