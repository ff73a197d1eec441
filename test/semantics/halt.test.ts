/** semantics.md section 4, halted markets: cancels only; triggers, TWAP and pegs wait; expiry runs. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buyMarket, future, limit, oco, peg, stop, trailing, triggered, twap } from '../support/bodies.ts';
import { type Json, ok, one, type Reply, refused } from '../support/client.ts';
import { fund, leave } from '../support/positions.ts';
import { BTC, PERP, scenarios, World } from '../support/venue.ts';

const HALTED = -7016;

async function leavesNoTrace(w: World, reply: () => Promise<Reply>) {
  const before = w.hash();
  await refused(reply(), HALTED, /is halted: it accepts cancels only/);
  assert.equal(w.hash(), before);
}

describe('a halted market', () => {
  const it = scenarios();

  it('refuses orders of every kind, on every surface', { rule: ['1.18', '4.38'] }, async (w) => {
    await w.control.haltMarket(BTC);
    await w.control.haltMarket(PERP);
    for (const body of [
      limit('BUY', 90),
      buyMarket(50),
      oco(),
      triggered('SELL', 'STOP_LOSS', 95),
      trailing(),
      twap(),
    ]) {
      await leavesNoTrace(w, () => w.alice.spot(body));
    }
    await leavesNoTrace(w, () => w.alice.spot(peg('BUY', 95)));
    await leavesNoTrace(w, () => w.alice.future(future('BUY', 90)));
    await leavesNoTrace(w, () => w.alice.future(stop('SELL', 95)));
    const v3 = { symbol: PERP, orderSide: 'BUY', orderType: 'LIMIT', orderSize: 10, orderPrice: 90 };
    await leavesNoTrace(w, () => w.alice.v3(v3));
  });

  it('refuses amends', { rule: '4.38' }, async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 90)));
    const { orderID } = await one(w.alice.future(future('BUY', 90)));
    await w.control.haltMarket(BTC);
    await w.control.haltMarket(PERP);
    await leavesNoTrace(w, () => w.alice.amendSpot(orderId, { orderSize: 0.5 }));
    await leavesNoTrace(w, () => w.alice.amendFuture(orderID, { type: 'SIZE', value: 5 }));
    await leavesNoTrace(w, () => w.alice.amendV3(orderID, { amendType: 'PRICE', orderPrice: 91 }));
  });

  it('takes cancels: by id, by client id, all of them', { rule: '4.38' }, async (w) => {
    const first = await one(w.alice.spot(limit('BUY', 90)));
    await ok(w.alice.spot(limit('BUY', 91, 1, { clOrderId: 'mine' })));
    await ok(w.alice.spot(oco()));
    await w.control.haltMarket(BTC);
    assert.equal((await one(w.alice.cancelSpot(first.orderId))).status, 6);
    assert.equal((await one(w.alice.cancelSpot({ clOrderId: 'mine' }))).status, 6);
    const rest = await ok(w.alice.call('DELETE', '/spot/api/v4/trade/orders/all', { query: { symbol: BTC } }));
    assert.deepEqual(
      rest.map((record: Json) => record.status),
      [6, 6],
    );
    assert.equal((await w.balance('USDT')).reserved, '0');
  });

  it('answers look-ups and lists', async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 90)));
    await w.control.haltMarket(BTC);
    assert.equal(await w.state(orderId), 'ORDER_INSERTED');
    assert.equal((await ok(w.alice.spotOrders())).length, 1);
  });

  it('lets orders expire', { rule: '4.40' }, async (w) => {
    const { orderID } = await one(w.alice.future(future('BUY', 90, 10, { time_in_force: 'HALFMIN' })));
    await w.control.haltMarket(PERP);
    await w.advance(30_000);
    assert.equal((await ok(w.alice.futureOrder(orderID))).status, 6);
  });

  it('is halted alone: other markets trade', async (w) => {
    await w.control.haltMarket(BTC);
    await w.rest('SELL', 100, 10, PERP);
    assert.equal((await one(w.alice.future(future('BUY', null, 10)))).status, 4);
  });

  it('trades again when it is resumed, with the orders that it had', async (w) => {
    await w.rest('SELL', 101, 1);
    await w.control.haltMarket(BTC);
    await w.control.resumeMarket(BTC);
    assert.equal((await one(w.alice.spot(limit('BUY', 101)))).status, 4);
  });
});

const ETH = 'ETH-PERP';

describe('during a halt', () => {
  const it = scenarios();

  it('a trigger waits whatever the price does, and fires on resuming where the price still holds', {
    rule: '4.39',
  }, async (w) => {
    await w.rest('BUY', 94, 5);
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95)));
    await w.control.haltMarket(BTC);
    await w.price(BTC, { last: 95 });
    assert.equal(await w.state(orderId), 'TRIGGER_INSERTED');
    await w.control.resumeMarket(BTC);
    assert.equal(await w.state(orderId), 'ORDER_FULLY_TRANSACTED');
  });

  it('a price that came and went again has fired nothing', async (w) => {
    await w.rest('BUY', 94, 5);
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95)));
    await w.control.haltMarket(BTC);
    await w.price(BTC, { last: 95 });
    await w.price(BTC, { last: 100 });
    await w.control.resumeMarket(BTC);
    assert.equal(await w.state(orderId), 'TRIGGER_INSERTED');
  });

  it('a stop on futures waits for the mark', { rule: '4.39' }, async (w) => {
    await w.rest('BUY', 94, 10, PERP);
    const { orderID } = await one(w.alice.future(stop('SELL', 95)));
    await w.control.haltMarket(PERP);
    await w.price(PERP, { mark: 94 });
    assert.equal((await ok(w.alice.futureOrder(orderID))).status, 9);
    await w.control.resumeMarket(PERP);
    assert.equal((await ok(w.alice.futureOrder(orderID))).status, 4);
  });

  it('a trailing stop does not follow; on resuming it goes on from the price of then', { rule: '4.39' }, async (w) => {
    await w.rest('BUY', 90, 5);
    const { orderId } = await one(w.alice.spot(trailing()));
    await w.control.haltMarket(BTC);
    await w.price(BTC, { last: 120 });
    await w.price(BTC, { last: 105 });
    const triggerPrice = async () => (await ok(w.alice.lookup(orderId))).triggerPrice;
    assert.equal(await triggerPrice(), 90);
    await w.control.resumeMarket(BTC);
    assert.equal(await triggerPrice(), 95);
  });

  /** Alice is long 10 BTC and 10 ETH from 100 with 50 USDT; there are bids at 98. */
  async function thinLongs(w: World): Promise<void> {
    await w.price(ETH, { index: 100 });
    for (const [symbol, size] of [
      [PERP, 1_000_000],
      [ETH, 100_000],
    ] as const) {
      await w.rest('SELL', 100, size, symbol);
      await ok(w.alice.future(future('BUY', null, size, { symbol })));
      await w.rest('BUY', 98, size, symbol);
    }
    await w.venue.deposit('alice', 'USDT', '-999948.9');
  }

  it('a liquidation closes the larger loss in another market', { rule: '11.70' }, async (w) => {
    await thinLongs(w);
    await w.price(PERP, { mark: 98.5 });
    await w.control.haltMarket(PERP);
    // Equity 50 − 15 − 30, maintenance 9.8.
    await w.price(ETH, { mark: 97 });
    assert.equal(await w.position('alice', PERP), 1_000_000);
    assert.ok((await w.position('alice', ETH)) < 100_000);
  });

  it('a liquidation does not wait for a halted market with the larger loss: what can be closed is closed', {
    rule: '11.70',
  }, async (w) => {
    await thinLongs(w);
    await w.price(PERP, { mark: 97.5 });
    await w.control.haltMarket(PERP);
    await w.rest('BUY', 98.3, 100_000, ETH);
    // Equity 50 − 25 − 17, maintenance 9.79. Each quarter of ETH pays 0.4915; all four leave 6.034 for 1.2 × 4.875.
    await w.price(ETH, { mark: 98.3 });
    assert.deepEqual([await w.position('alice', PERP), await w.position('alice', ETH)], [1_000_000, 0]);
    assert.deepEqual([(await w.balance('USDT')).total, await fund(w)], ['31.034', '1.966']);
    await w.control.resumeMarket(PERP);
    assert.equal(await w.position('alice', PERP), 1_000_000);
  });

  it('a position counts at the mark of the halt’s beginning: the mark that moves on closes nothing elsewhere', {
    rule: '11.69',
  }, async (w) => {
    await thinLongs(w);
    await w.control.haltMarket(PERP);
    // At 90 there would be 50 − 100; at 100, less 10 in ETH, 40 for 9.95.
    await w.price(PERP, { mark: 90 });
    await w.price(ETH, { mark: 99 });
    const rows = await ok(w.alice.positions());
    assert.deepEqual(
      rows.map(({ size, liquidationInProgress }: Json) => [size, liquidationInProgress]),
      [
        [1_000_000, false],
        [100_000, false],
      ],
    );
    // Nobody takes out what the resume will cost: 50 − 10 − 100, less the margins.
    assert.ok(Number((await w.balance('USDT')).available) < -70);
    await w.price(PERP, { mark: 99.5 });
    await w.control.resumeMarket(PERP);
    assert.deepEqual([await w.position('alice', PERP), await w.position('alice', ETH)], [1_000_000, 100_000]);
  });

  it('the mark of its beginning is the mark before when it resumes: nobody is deleveraged at a worse one', {
    rule: ['11.63', '11.64', '11.69'],
  }, async (w) => {
    await w.rest('SELL', 100, 1_000_000, PERP);
    await ok(w.alice.future(future('BUY', null, 1_000_000)));
    await leave(w, '20');
    const before = Number((await w.balance('USDT', 'bob')).total);
    await w.control.haltMarket(PERP);
    for (const mark of [101, 99, 97]) await w.price(PERP, { mark });
    assert.equal(await w.position(), 1_000_000);
    await w.control.resumeMarket(PERP);
    // alice is bankrupt at 98: bob, who has gained 30 by the change, gets 20 of it.
    assert.deepEqual([await w.position(), (await w.balance('USDT')).total, await fund(w)], [0, '0', '0']);
    const gained = Number((await w.balance('USDT', 'bob')).total) - before;
    assert.deepEqual([await w.position('bob'), gained.toFixed(3)], [0, '20.000']);
  });

  it('orders that wait for a first price learn from the first one after the halt which way to wait', async (w) => {
    await w.begin(null);
    const body = { symbol: PERP, orderSide: 'SELL', orderType: 'CONDITIONAL', orderSize: 10, triggerPrice: 95 };
    // A perpetual takes no order before it has a mark; set by hand, that is no last price yet.
    await refused(w.alice.v3(body), 33001003, 'no mark yet');
    await w.price(PERP, { mark: 100 });
    const { orderId } = await one(w.alice.v3({ ...body, triggerType: 'LAST_PRICE' }));
    const delayed = await one(w.alice.spot(twap('SELL', { activationTriggerPrice: 105 })));
    for (const symbol of [BTC, PERP]) {
      await w.control.haltMarket(symbol);
      await w.price(symbol, { index: 100 });
      await w.control.resumeMarket(symbol);
    }
    assert.equal((await ok(w.alice.futureOrder(orderId))).status, 9);
    await w.price(PERP, { last: 95 });
    assert.equal((await ok(w.alice.futureOrder(orderId))).triggered, true);
    await w.price(BTC, { last: 105 });
    assert.equal((await ok(w.alice.lookup(delayed.orderId))).orderDetail.pausedBy, 'book');
  });

  it('a peg keeps its price; on resuming it moves to the index of then', { rule: '4.39' }, async (w) => {
    const { orderId } = await one(w.alice.spot(peg('BUY', 120)));
    const price = async () => (await ok(w.alice.lookup(orderId))).currentPegPrice;
    await w.control.haltMarket(BTC);
    await w.price(BTC, { index: 103 });
    assert.equal(await price(), 100);
    await w.control.resumeMarket(BTC);
    assert.equal(await price(), 103);
  });

  it('a TWAP skips its children, and catches up within its time', { rule: ['2.35', '4.39'] }, async (w) => {
    await w.rest('BUY', 99, 5);
    const { orderId } = await one(w.alice.spot(twap()));
    await w.control.haltMarket(BTC);
    await w.advance(15_000);
    const waiting = await ok(w.alice.lookup(orderId));
    assert.deepEqual([waiting.totalFilledBaseSize, waiting.orderDetail.pausedBy], [0.05, 'halt']);
    await w.control.resumeMarket(BTC);
    await w.advance(45_000);
    assert.equal(await w.state(orderId), 'ORDER_FULLY_TRANSACTED');
  });

  it('the maker child of a TWAP is withdrawn while it is paused', async (w) => {
    await w.rest('SELL', 101, 5);
    const { orderId } = await one(w.alice.spot(twap('SELL', { makerFirst: true })));
    assert.equal((await w.balance('BTC')).reserved, '0.05');
    await w.control.haltMarket(BTC);
    await w.advance(3000);
    assert.equal((await w.balance('BTC')).reserved, '0');
    assert.equal((await ok(w.alice.lookup(orderId))).orderDetail.pausedBy, 'halt');
  });

  it('a TWAP whose time is over ends, what is left cancelled', async (w) => {
    await w.rest('BUY', 99, 5);
    const { orderId } = await one(w.alice.spot(twap()));
    await w.control.haltMarket(BTC);
    await w.advance(60_000);
    assert.equal(await w.state(orderId), 'ORDER_CANCELLED');
    assert.equal((await w.balance('BTC')).total, '999.95');
  });
});

describe('the control surface', () => {
  const it = scenarios();

  async function status(w: World, symbol: string): Promise<string> {
    const { markets } = (await w.control.request('GET', '/markets')) as Json;
    return markets.find((market: Json) => market.symbol === symbol).status;
  }

  it('shows the state of a market, there and in the market list', async (w) => {
    assert.equal(await status(w, BTC), 'active');
    const halted = (await w.control.request('POST', '/markets/BTC-USDT/halt')) as Json;
    assert.deepEqual([halted.symbol, halted.status], [BTC, 'halted']);
    assert.equal(await status(w, BTC), 'halted');
    const { body } = await w.alice.call('GET', '/public-api/market/v1/markets');
    const active = Object.fromEntries(body.data.symbols.map((row: Json) => [row.symbol, row.active]));
    assert.deepEqual([active[BTC], active['BTC-PERP-USDT']], [false, true]);
    await w.control.request('POST', '/markets/BTC-USDT/resume');
    assert.equal(await status(w, BTC), 'active');
  });

  it('takes the id of the markets API, too', async (w) => {
    await w.control.haltMarket('BTC-PERP-USDT');
    assert.equal(await status(w, PERP), 'halted');
  });

  it('halting twice, or resuming what is not halted, changes nothing', async (w) => {
    await w.control.haltMarket(BTC);
    const hash = w.hash();
    await w.control.haltMarket(BTC);
    assert.equal(w.hash(), hash);
    await w.control.resumeMarket(BTC);
    await w.control.resumeMarket(BTC);
    assert.equal(await status(w, BTC), 'active');
  });

  it('an unknown market is 404', async (w) => {
    for (const what of ['halt', 'resume']) {
      const request = w.control.request('POST', `/markets/DOGE-USDT/${what}`);
      await assert.rejects(request, { status: 404 });
    }
  });
});

describe('a restart', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'bourse-halt-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  test('finds the market as halted as it was', async () => {
    const options = { data: join(folder, 'data'), masterKeyFile: join(folder, 'master.key') };
    const first = await World.open(options);
    await first.begin();
    await first.rest('BUY', 94, 5);
    const { orderId } = await one(first.alice.spot(triggered('SELL', 'STOP_LOSS', 95)));
    await first.control.haltMarket(BTC);
    await first.price(BTC, { last: 95 });
    const hash = first.hash();
    await first.close();

    const second = await World.open(options);
    assert.equal(second.hash(), hash);
    await leavesNoTrace(second, () => second.alice.spot(limit('BUY', 90)));
    await second.control.resumeMarket(BTC);
    assert.equal(await second.state(orderId), 'ORDER_FULLY_TRANSACTED');
    await second.close();
  });
});
