/**
 * semantics.md section 13: an index that comes from a feed jumps only when confirmed, and goes stale when the feed stops;
 * section 5: what a trader may do meanwhile.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { future, limit, oco, stop, trailing, triggered, triggeredLimit, twap } from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { join as joins, leave, MILLION, open } from '../support/positions.ts';
import { BTC, PERP, scenarios, World } from '../support/venue.ts';

/** `staleAfter` of the default markets. */
const STALE_AFTER_MS = 60_000;

async function feed(w: World, ...values: (number | string)[]): Promise<void> {
  for (const index of values) await w.price(BTC, { index, feed: true });
}

async function market(w: World, symbol = BTC): Promise<Json> {
  const { markets } = (await w.control.request('GET', '/markets')) as Json;
  return markets.find((found: Json) => found.symbol === symbol);
}

const indexOf = async (w: World) => (await market(w)).index;
const statusOf = async (w: World, symbol = BTC) => (await market(w, symbol)).status;

/** The feed has given 100, and stopped. */
async function stopped(w: World): Promise<void> {
  await feed(w, 100);
  await w.advance(STALE_AFTER_MS + 1);
  assert.equal(await statusOf(w), 'stale');
}

const pick = ({ margin, available }: Json) => ({ margin, available });

const byIndex = { triggerPriceType: 'INDEX_PRICE' };

describe('a feed that jumps', () => {
  const it = scenarios();

  for (const [values, index] of [
    [[101], '101'],
    [[99], '99'],
    [['101.0001'], '100'],
    [['98.9999'], '100'],
    [[110, 110], '110'],
    [[110, '111.1'], '111.1'],
    [[110, '111.1001'], '100'],
    [[110, 114, 113], '113'],
    [[110, 101], '101'],
    [[110, 101, 110], '101'],
  ] as const) {
    it(`from 100 over ${values.join(', ')} is at ${index}`, { rule: ['13.1', '13.2'] }, async (w) => {
      await feed(w, ...values);
      assert.equal(await indexOf(w), index);
    });
  }

  it('fires nothing with a pending value, and everything with the one that confirms it', {
    rule: '13.2',
  }, async (w) => {
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'TAKE_PROFIT', 105, byIndex)));
    await feed(w, 110);
    assert.equal(await w.state(orderId), 'TRIGGER_INSERTED');
    await feed(w, 109);
    assert.notEqual(await w.state(orderId), 'TRIGGER_INSERTED');
  });

  it('is taken where it is the first value of all', { rule: '13.1' }, async (w) => {
    await w.begin(null);
    await feed(w, 500);
    assert.equal(await indexOf(w), '500');
  });

  it('is no concern of prices set manually: they are always taken, and a pending value is forgotten', {
    rule: '13.4',
  }, async (w) => {
    await feed(w, 110);
    await w.price(BTC, { index: 150 });
    assert.equal(await indexOf(w), '150');
    await feed(w, 110);
    assert.equal(await indexOf(w), '150');
  });

  it('gives the index alone: mark and last of a feed are refused', async (w) => {
    for (const prices of [
      { index: 100, mark: 100 },
      { index: 100, last: 100 },
    ]) {
      await assert.rejects(w.price(BTC, { ...prices, feed: true }), { status: 400, message: /feed sets the index/ });
    }
  });
});

/** BTC-PERP: the feed has given 100, and then a value that is held. */
async function holds(w: World, index: number): Promise<void> {
  for (const value of [100, index]) await w.price(PERP, { index: value, feed: true });
  const { index: taken, mark } = await market(w, PERP);
  assert.deepEqual([taken, mark], ['100', '100']);
}

describe('while a jump is pending', () => {
  const it = scenarios();

  for (const [side, value] of [
    ['SELL', 104],
    ['BUY', 96],
  ] as const) {
    it(`a ${side} at the mark of 100 has the open loss that it has at ${value}, until the feed is back`, {
      rule: '5.13',
    }, async (w) => {
      const carol = await joins(w, 'carol', '51.1');
      const dave = await joins(w, 'dave', '51.09');
      await holds(w, value);
      // 1,000 USDT: 1 % and twice the taker fee of 0.055 % are 11.1, and 10 BTC × 4 are 40.
      const order = future(side, 100, MILLION);
      await refused(dave.future(order), 33199101);
      assert.equal((await one(carol.future(order))).status, 2);
      assert.deepEqual(pick(await w.balance('USDT', 'carol')), { margin: '51.1', available: '0' });
      await w.price(PERP, { index: 100, feed: true });
      assert.deepEqual(pick(await w.balance('USDT', 'carol')), { margin: '11.1', available: '40' });
    });
  }

  it('the mark counts where it is the worse of the two', { rule: '5.13' }, async (w) => {
    await holds(w, 104);
    await ok(w.alice.future(future('BUY', 103, MILLION)));
    // 1,030 × 1.11 %, and 3 a BTC over the mark: at 104 it would be none
    assert.equal((await w.balance('USDT')).margin, '41.433');
  });

  for (const [what, size, value] of [
    ['short', -MILLION, 104],
    ['long', MILLION, 96],
  ] as const) {
    it(`what is available has the loss that a ${what} position has at ${value}`, { rule: '5.13' }, async (w) => {
      await open(w, size);
      const had = await w.balance('USDT');
      await holds(w, value);
      const has = await w.balance('USDT');
      assert.equal(Number(had.available) - Number(has.available), 40);
      assert.equal(has.total, had.total);
    });

    it(`the profit of a ${what} position at the value is not available`, { rule: ['5.5', '5.13'] }, async (w) => {
      await open(w, -size);
      const { available } = await w.balance('USDT');
      await holds(w, value);
      assert.equal((await w.balance('USDT')).available, available);
    });
  }

  for (const [value, filled] of [
    [null, 500_000],
    [98.9, 250_000],
  ] as const) {
    it(`of a close into 98.7 and 98.5, ${filled} contracts are filled with ${value ?? 'nothing'} pending`, {
      rule: ['5.13', '5.14', '5.28', '5.29'],
    }, async (w) => {
      await open(w, MILLION);
      await leave(w, '14.5');
      for (const price of [98.7, 98.5]) await w.rest('BUY', price, 250_000, PERP);
      if (value !== null) await holds(w, value);
      // At 98.9 there are 3.5 of equity for 4.945 of maintenance: no price below the bankruptcy price. It is
      // (1000 − 14.5) / 10 / (1 − 0.055 %) = 98.604…, and with 3.25 + 0.13571… lost by the first fill 98.571….
      const { totalFilledSize, status } = await one(
        w.alice.future(future('SELL', 98, 500_000, { time_in_force: 'IOC' })),
      );
      assert.deepEqual([totalFilledSize, status], [filled, value === null ? 4 : 6]);
      assert.equal(await w.position(), MILLION - filled);
    });
  }

  it('nobody is liquidated by the value, and who it leaves below maintenance is by the one that confirms it', {
    rule: ['5.15', '13.2'],
  }, async (w) => {
    await open(w, MILLION);
    await leave(w, '15.9');
    await w.rest('BUY', 99, MILLION, PERP);
    await holds(w, 98.9);
    assert.equal(await w.position(), MILLION);
    await w.price(PERP, { index: 98.9, feed: true });
    // The mark is 98.9: 4.9 of equity for 4.945. A quarter at 99 loses 2.5 and 0.2 % of 247.5, which leaves enough:
    // 12.905 − 7.5 × 1.1 = 4.655 for 1.2 × 741.75 × 0.5 % = 4.4505.
    assert.equal(await w.position(), 750_000);
    assert.equal((await w.balance('USDT')).total, '12.905');
  });

  for (const [rule, held, became] of [
    ['pays nothing with money that the value will cost', 96.5, 'ORDER_CANCELLED'],
    ['is filled where enough is left', 98, 'ORDER_FULLY_TRANSACTED'],
  ] as const) {
    it(`a spot order that rests ${rule}`, { rule: ['5.3', '5.16'] }, async (w) => {
      await open(w, MILLION);
      await leave(w, '130');
      // It reserves 99 of 130 USDT: 31 are left, of which the position loses 35 at 96.5, and 20 at 98.
      const { orderId } = await one(w.alice.spot(limit('BUY', 99, 1)));
      await holds(w, held);
      await one(w.bob.spot(limit('SELL', 99, 1)));
      assert.equal((await w.alice.lookup(orderId)).body.data.orderState, became);
    });
  }

  for (const [size, filled] of [
    [1, 1],
    [2, 0],
  ] as const) {
    it(`a FOK over ${size} is filled for ${filled}: a spot order that may not pay leaves its money to the next one`, {
      rule: ['4.16', '5.16'],
    }, async (w) => {
      await open(w, MILLION);
      await leave(w, '230');
      // They reserve 197 of 230 USDT. The position loses 35 of the 33 that are left; without the first order 132 are left.
      const bids: string[] = [];
      for (const price of [99, 98]) bids.push((await one(w.alice.spot(limit('BUY', price, 1)))).orderId);
      await holds(w, 96.5);
      const { filledBaseSize } = await one(w.bob.spot(limit('SELL', 98, size, { timeInForce: 'FOK' })));
      assert.equal(Number(filledBaseSize), filled);
      const states = await Promise.all(bids.map((id) => w.state(id)));
      const gone = ['ORDER_CANCELLED', 'ORDER_FULLY_TRANSACTED'];
      assert.deepEqual(states, filled === 1 ? gone : ['ORDER_INSERTED', 'ORDER_INSERTED']);
    });
  }

  it('a halted market counts at the mark that it will resume with, in the same way', { rule: '5.17' }, async (w) => {
    await open(w, MILLION);
    const { available } = await w.balance('USDT');
    await w.control.haltMarket(PERP);
    await w.price(PERP, { index: 96 });
    assert.equal(Number(available) - Number((await w.balance('USDT')).available), 40);
    await w.price(PERP, { index: 104 });
    assert.equal((await w.balance('USDT')).available, available);
  });
});

describe('an indexJump', () => {
  test('of more than the lowest initial rate is refused', { rule: '13.3' }, async () => {
    const config = { markets: [{ symbol: PERP, indexJump: '0.0101' }] };
    await assert.rejects(World.open(config), /indexJump must be at most 0\.01, the lowest initial rate/);
  });
});

describe('a feed that stops', () => {
  const it = scenarios();

  it('for longer than staleAfter is stale, which the status of its market says; a value makes it fresh', {
    rule: '13.20',
  }, async (w) => {
    await feed(w, 100);
    await w.advance(STALE_AFTER_MS);
    assert.equal(await statusOf(w), 'active');
    await w.advance(1);
    assert.deepEqual([await statusOf(w), await statusOf(w, PERP)], ['stale', 'active']);
    await feed(w, 100);
    assert.equal(await statusOf(w), 'active');
  });

  it('counts from its last value that was taken: a pending one renews nothing', { rule: '13.20' }, async (w) => {
    await feed(w, 100);
    await w.advance(40_000);
    await feed(w, 101);
    await w.advance(40_000);
    await feed(w, 120);
    await w.advance(20_000);
    assert.equal(await statusOf(w), 'active');
    await w.advance(1);
    assert.equal(await statusOf(w), 'stale');
    await feed(w, 119);
    assert.deepEqual([await statusOf(w), await indexOf(w)], ['active', '119']);
  });

  it('never makes manual prices stale', { rule: '13.21' }, async (w) => {
    await w.advance(24 * 3_600_000);
    assert.equal(await statusOf(w), 'active');
    await stopped(w);
    await w.price(BTC, { index: 100 });
    assert.equal(await statusOf(w), 'active');
    await w.advance(24 * 3_600_000);
    assert.equal(await statusOf(w), 'active');
  });

  it('suspends triggers on the index, and on a spot mark that follows it; those on last go on', {
    rule: '13.19',
  }, async (w) => {
    await stopped(w);
    const place = async (triggerPriceType: string) => {
      return (await one(w.alice.spot(triggeredLimit('SELL', 'STOP_LOSS', 100, 99, { triggerPriceType })))).orderId;
    };
    const ids = [await place('INDEX_PRICE'), await place('MARK_PRICE'), await place('LAST_PRICE')];
    const fired = async () => Promise.all(ids.map(async (id) => (await ok(w.alice.lookup(id))).triggered));
    assert.deepEqual(await fired(), [false, false, true]);
    await feed(w, 100);
    assert.deepEqual(await fired(), [true, true, true]);
  });

  it('suspends no trigger on a mark that was set manually', { rule: '13.21' }, async (w) => {
    await stopped(w);
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95, { triggerPriceType: 'MARK_PRICE' })));
    await w.price(BTC, { mark: 95 });
    assert.notEqual(await w.state(orderId), 'TRIGGER_INSERTED');
  });

  it('suspends the stop of an OCO, the arming of a trailing stop and an activation, until a value is taken', {
    rule: '13.19',
  }, async (w) => {
    await stopped(w);
    const [, leg] = await ok(
      w.alice.spot(oco('SELL', { stopLossTriggerPriceType: 'INDEX_PRICE', stopLossOrderPrice: 95 })),
    );
    const trail = await one(w.alice.spot(trailing('SELL', byIndex)));
    const delayed = { activationTriggerPrice: 100, activationTriggerPriceType: 'INDEX_PRICE' };
    const late = await one(w.alice.spot(twap('SELL', delayed)));
    await ok(w.alice.amendSpot(leg.orderId, { triggerPrice: 99.5 }));
    const detail = async (id: string) => (await ok(w.alice.lookup(id))).orderDetail;
    assert.deepEqual(await detail(trail.orderId), { armed: false, extreme: null });
    assert.equal((await detail(late.orderId)).pausedBy, 'activation');
    await feed(w, 99.5);
    assert.equal((await ok(w.alice.lookup(leg.orderId))).triggered, true);
    assert.deepEqual(await detail(trail.orderId), { armed: true, extreme: 99.5 });
    await feed(w, 100);
    assert.equal((await detail(late.orderId)).pausedBy, 'book');
  });

  it('stops no trading on spot', async (w) => {
    await stopped(w);
    await w.rest('SELL', 100, 1);
    assert.equal((await one(w.alice.spot(limit('BUY', 100)))).status, 4);
  });
});

describe('while the feed of a perpetual is stale', () => {
  const it = scenarios();
  const code = 33001003;

  async function stale(w: World): Promise<void> {
    await w.price(PERP, { index: 100, feed: true });
    await w.advance(STALE_AFTER_MS + 1);
    assert.equal(await statusOf(w, PERP), 'stale');
  }

  it('orders of any kind may only reduce, until a value is taken', { rule: '5.18' }, async (w) => {
    await open(w, 100);
    await stale(w);
    for (const body of [future('BUY', 99, 10), future('BUY', null, 10), future('SELL', 101, 101)]) {
      await refused(w.alice.future(body), code, 'stale index');
    }
    // 60 of the position, and then no more than the other 40
    await ok(w.alice.future(future('SELL', 101, 60)));
    await refused(w.alice.future(future('SELL', 101, 41)), code, 'stale index');
    await ok(w.alice.future(future('SELL', 101, 40)));
    await w.price(PERP, { index: 100, feed: true });
    await ok(w.alice.future(future('BUY', 99, 10)));
  });

  it('an amend that makes more of an opening order is refused, one that makes less is taken', {
    rule: '5.18',
  }, async (w) => {
    const { orderID } = await one(w.alice.future(future('BUY', 99, 10)));
    await stale(w);
    const amend = (size: number) => w.alice.amendFuture(orderID, { type: 'SIZE', value: size });
    await refused(amend(11), code, 'stale index');
    assert.equal((await one(amend(9))).status, 123);
  });

  it('a stop on last that fires is checked then: it reduces, or is rejected', { rule: '5.19' }, async (w) => {
    await open(w, 100);
    const byLast = { trigger: 'lastPrice' };
    const closes = await one(w.alice.future(stop('SELL', 99, 100, byLast)));
    const opens = await one(w.alice.future(stop('BUY', 101, 10, byLast)));
    await stale(w);
    // bob is short 100: his bid reduces
    await w.rest('BUY', 99, 100, PERP);
    await w.price(PERP, { last: 101 });
    await w.price(PERP, { last: 99 });
    assert.equal((await ok(w.alice.futureOrder(opens.orderID))).status, 15);
    const { events } = (await w.control.request('GET', `/orders/${opens.orderID}`)) as Json;
    assert.match(JSON.stringify(events.at(-1)), /stale ?index/i);
    assert.equal((await ok(w.alice.futureOrder(closes.orderID))).status, 4);
    assert.equal(await w.position(), 0);
  });
});

describe('a restart', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'bourse-feed-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const open = () => World.open({ data: join(folder, 'data'), masterKeyFile: join(folder, 'master.key') });

  test('keeps what a feed holds, and when it will have stopped', { rule: '13.2' }, async () => {
    const first = await open();
    await first.begin();
    await feed(first, 100, 110);
    await first.advance(STALE_AFTER_MS);
    await first.control.save('held');
    const hash = first.hash();
    await first.close();

    const second = await open();
    assert.equal(second.hash(), hash);
    for (const way of ['by the log', 'by a saved state']) {
      if (way !== 'by the log') await second.control.restore('held');
      assert.deepEqual([await statusOf(second), await indexOf(second)], ['active', '100'], way);
      await second.advance(1);
      assert.equal(await statusOf(second), 'stale', way);
      await feed(second, 110);
      assert.deepEqual([await statusOf(second), await indexOf(second)], ['active', '110'], way);
    }
    await second.close();
  });
});
