/** semantics.md section 3: time and the order of events. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  future,
  limit,
  oco,
  peg,
  sellMarket,
  stop,
  trailing,
  triggered,
  triggeredLimit,
  twap,
} from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { fund, join, leave } from '../support/positions.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';

/** Orders whose timers mix: expiries, TWAPs of both kinds, triggers that their prints set off. */
async function busyVenue(w: World): Promise<void> {
  for (let i = 0; i < 5; i++) {
    await w.rest('BUY', 99 - i, 0.2);
    await w.rest('SELL', 101 + i, 0.2);
  }
  await ok(w.alice.spot(twap('SELL')));
  await ok(w.alice.spot(twap('BUY', { makerFirst: true, randomizeSize: true, timePeriod: 61 })));
  await ok(w.alice.spot(triggered('SELL', 'STOP_LOSS', 97)));
  await ok(w.alice.spot(trailing('BUY', { trailValue: 3 })));
  for (const time of ['HALFSEC', 'HALFMIN', 'FIVEMIN']) {
    await ok(w.alice.future(future('BUY', 95, 10, { time_in_force: time })));
  }
}

async function openFutures(w: World): Promise<string[]> {
  return (await ok(w.alice.v3Orders())).map((row: Json) => row.timeInForce);
}

describe('time', () => {
  const it = scenarios();

  it('any two ways of reaching a time give the same state', { rule: '3.3' }, async (w) => {
    await w.control.save('before');
    await busyVenue(w);
    await w.control.save('busy');
    await w.advance(400_000);
    const inOneLeap = w.hash();
    await w.control.restore('busy');
    for (const ms of [1, 499, 500, 2000, 27_000, 30_000, 1, 39_999, 300_000]) await w.advance(ms);
    assert.equal(w.hash(), inOneLeap);
  });

  it('a deadline equal to now has passed', { rule: '3.4' }, async (w) => {
    await ok(w.alice.future(future('BUY', 95, 10, { time_in_force: 'HALFMIN' })));
    await w.advance(29_999);
    assert.deepEqual(await openFutures(w), ['HALFMIN']);
    await w.advance(1);
    assert.deepEqual(await openFutures(w), []);
  });

  it('moves first: an order that is due to expire is gone before the command at that time is checked', {
    rule: '3.1',
  }, async (w) => {
    const { orderID } = await one(w.alice.future(future('SELL', 99, 10, { time_in_force: 'HALFSEC' })));
    await w.advance(500);
    assert.equal((await one(w.bob.future(future('BUY', 99, 10, { time_in_force: 'IOC' })))).totalFilledSize, 0);
    assert.equal((await ok(w.alice.futureOrder(orderID))).status, 6);
  });
});

describe('what is due at the same time', () => {
  const it = scenarios();
  const MINUTE = 60_000;

  it('happens by kind: a whole minute of the mark before an expiry', { rule: '3.2' }, async (w) => {
    // The impact size on both sides of an index of 6,000, in their middle 12 above it.
    await w.price(PERP, { index: 6000 });
    await w.rest('BUY', 6010, 50_000, PERP);
    await w.rest('SELL', 6014, 50_000, PERP);
    await w.price(PERP, { last: 6100 });
    await w.advance(MINUTE - 500);
    // The sample at the minute moves the mark by 12 / 60: an order that would end at that very time fires first.
    const body = stop('BUY', 6000.2, 10, { type: 'LIMIT', price: 6014, time_in_force: 'HALFSEC' });
    const { orderID } = await one(w.alice.future(body));
    await w.advance(500);
    assert.equal((await ok(w.alice.futureOrder(orderID))).status, 4);
  });

  it('an expiry before the dead man’s switch: the order says which of them ended it', { rule: '3.2' }, async (w) => {
    const { orderID } = await one(w.alice.future(future('BUY', 95, 10, { time_in_force: 'HALFMIN' })));
    const other = await one(w.alice.future(future('BUY', 94)));
    await ok(w.alice.call('POST', '/futures/api/v2.3/order/cancelAllAfter', { body: { timeout: 30_000 } }));
    await w.advance(30_000);
    const reason = async (id: string) => {
      const { events } = (await w.control.request('GET', `/orders/${id}`)) as Json;
      return JSON.stringify(events.at(-1));
    };
    assert.match(await reason(orderID), /expired/);
    assert.match(await reason(other.orderID), /dead/i);
  });

  it('of one kind by age: the older TWAP has its child first', { rule: '3.2' }, async (w) => {
    const ids = [];
    for (let i = 0; i < 2; i++) ids.push((await one(w.alice.spot(twap()))).orderId);
    await w.rest('BUY', 99, 0.04);
    await w.advance(3000);
    const filled = async (id: string) => (await ok(w.alice.lookup(id))).totalFilledBaseSize;
    assert.deepEqual([await filled(ids[0]), await filled(ids[1])], [0.04, 0]);
  });
});

describe('the order of events', () => {
  const it = scenarios();

  it('an index change fires triggers before it moves pegs', { rule: '3.11' }, async (w) => {
    await w.rest('SELL', 102, 0.5);
    const pegged = await one(w.alice.spot(peg('BUY', 105)));
    const stopBuy = triggered('BUY', 'STOP_LOSS', 102, { triggerPriceType: 'INDEX_PRICE', quoteOrderSize: 51 });
    const { orderId } = await one(w.alice.spot(stopBuy));
    await w.price(BTC, { index: 102 });
    assert.equal(await w.state(orderId), 'ORDER_PARTIALLY_TRANSACTED');
    const { totalFilledBaseSize, currentPegPrice } = await ok(w.alice.lookup(pegged.orderId));
    assert.deepEqual([totalFilledBaseSize, currentPegPrice], [0, 102]);
  });

  it('an order fires at most once a command, however many prices of it reach its trigger', {
    rule: ['3.15', '4.23'],
  }, async (w) => {
    const carol = await join(w, 'carol', '1000');
    await w.rest('SELL', 100, 10, PERP);
    await ok(w.alice.future(future('BUY', 100, 10, { stopLossPrice: 95, stopLossTrigger: 'lastPrice' })));
    for (const [price, size] of [
      [95, 1],
      [94.9, 1],
      [94, 4],
      [90, 10],
    ]) {
      await w.rest('BUY', price, size, PERP);
    }
    await w.price(PERP, { mark: 95 });
    // Prints of 95 and 94.9: the first fires the stop, which takes 4 at 94. Its band reaches no further than 90.25, 5 %
    // below the mark. What it prints reaches its trigger, too, but it waits for the next command.
    await ok(carol.future(future('SELL', 94.9, 2)));
    assert.equal(await w.position(), 6);
    await w.price(PERP, { mark: 94, last: 93 });
    // 94 less 5 % is 89.3
    assert.equal(await w.position(), 0);
  });

  it('a stop that fires sets off the next one by its own print', { rule: '3.8' }, async (w) => {
    for (const price of [95, 90, 85]) await w.rest('BUY', price, 1);
    const ids = [];
    for (const trigger of [96, 95, 90])
      ids.push((await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', trigger)))).orderId);
    await w.price(BTC, { last: 96 });
    for (const id of ids) assert.equal(await w.state(id), 'ORDER_FULLY_TRANSACTED');
  });

  it('never a trigger in the middle of a match: the sweep has its fills before the stop that it sets off', {
    rule: ['3.5', '3.7'],
  }, async (w) => {
    await w.rest('SELL', 101, 1);
    await w.rest('SELL', 102, 1);
    const { orderId } = await one(w.alice.spot(triggered('BUY', 'STOP_LOSS', 101)));
    const sweep = await one(w.alice.spot(limit('BUY', 102, 2)));
    assert.deepEqual([sweep.status, sweep.avgFilledPrice], [4, 101.5]);
    assert.equal(await w.state(orderId), 'ORDER_CANCELLED');
  });

  it('a sweep that prints two prices shows both: stops at either fire', { rule: '3.9' }, async (w) => {
    await w.rest('SELL', 95, 1);
    await w.rest('SELL', 105, 1);
    await w.price(BTC, { last: 100 });
    const low = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95)));
    const high = await one(w.alice.spot(triggeredLimit('SELL', 'TAKE_PROFIT', 105, 106)));
    await ok(w.alice.spot(limit('BUY', 105, 2)));
    assert.notEqual(await w.state(low.orderId), 'TRIGGER_INSERTED');
    assert.equal((await ok(w.alice.lookup(high.orderId))).triggered, true);
  });

  it('of several triggers the nearest to the previous price fires first, whatever the side, then the older', {
    rule: '3.12',
  }, async (w) => {
    await w.rest('BUY', 90, 3);
    const far = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 92)));
    const near = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 97)));
    const sameButYounger = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 97)));
    const profit = await one(w.alice.spot(triggeredLimit('SELL', 'STOP_LOSS', 95, 94)));
    await w.price(BTC, { last: 91 });
    // 3 BTC of bids: 97 (older), 97 (younger), then the stop-limit of 95 cannot reach 90 and rests, then 92.
    assert.equal(await w.state(near.orderId), 'ORDER_FULLY_TRANSACTED');
    assert.equal(await w.state(sameButYounger.orderId), 'ORDER_FULLY_TRANSACTED');
    assert.equal(await w.state(profit.orderId), 'ORDER_INSERTED');
    assert.equal(await w.state(far.orderId), 'ORDER_FULLY_TRANSACTED');
    assert.deepEqual(await ok(w.bob.spotOrders()), []);
  });

  it('the nearest trigger has the book first, of equals the older one, however they were placed', {
    rule: '3.12',
  }, async (w) => {
    const fired = async (bids: number) => {
      await w.begin();
      await w.rest('BUY', 95, bids);
      const ids: string[] = [];
      for (const price of [92, 96, 97, 97]) {
        ids.push((await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', price)))).orderId);
      }
      await w.price(BTC, { last: 91 });
      return Promise.all(ids.map((id) => w.state(id)));
    };
    const [filled, cancelled] = ['ORDER_FULLY_TRANSACTED', 'ORDER_CANCELLED'];
    assert.deepEqual(await fired(1), [cancelled, cancelled, filled, cancelled]);
    assert.deepEqual(await fired(2), [cancelled, cancelled, filled, filled]);
    assert.deepEqual(await fired(3), [cancelled, filled, filled, filled]);
  });

  it('buys and sells that one price reaches fire together, by distance', { rule: '3.12' }, async (w) => {
    const [far, near] = [
      await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95))),
      await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 97))),
    ];
    await one(w.bob.spot(triggeredLimit('BUY', 'TAKE_PROFIT', 96, 95.5)));
    await w.price(BTC, { last: 91 });
    // 97 meets an empty book, then the BUY rests, then 95 finds it.
    assert.equal(await w.state(near.orderId), 'ORDER_CANCELLED');
    assert.equal(await w.state(far.orderId), 'ORDER_FULLY_TRANSACTED');
  });

  it('an account that a change of the mark has put below zero is closed before anybody acts on that change', {
    rule: ['3.14', '11.57', '11.63'],
  }, async (w) => {
    const carol = await join(w, 'carol', '100');
    await ok(w.alice.future(future('SELL', 100, 1_000_000)));
    await ok(carol.future(future('BUY', 100, 1_000_000)));
    await leave(w, '12', 'carol');
    const body = { txType: 'TRIGGER', triggerPrice: 97, reduceOnly: true };
    const profit = await one(w.alice.future(future('BUY', null, 1_000_000, body)));
    const ask = await w.rest('SELL', 95, 1_000_000, PERP);
    const had = Number((await w.balance('USDT')).total);
    // carol has lost 50 of 12: without bids she is closed against alice at 100 − 12 / 10. At 95 alice would have won 50.
    await w.price(PERP, { mark: 95 });
    assert.equal((Number((await w.balance('USDT')).total) - had).toFixed(8), '12.00000000');
    assert.equal((await w.balance('USDT', 'carol')).total, '0');
    assert.deepEqual([await w.position(), await w.position('carol'), await fund(w)], [0, 0, '0']);
    assert.equal((await ok(w.alice.futureOrder(profit.orderID))).status, 6);
    assert.equal((await ok(w.bob.futureOrder(ask.orderID))).status, 2);
  });

  it('an account that the trade of a reaction has put below zero, by the mark that it moves, is closed before anybody acts on that', {
    rule: '3.14',
  }, async (w) => {
    await w.price(PERP, { index: 6000, last: 6000 });
    await w.rest('BUY', 6010, 50_000, PERP);
    await w.rest('SELL', 6014, 50_000, PERP);
    await w.advance(60 * 60_000);
    await ok(w.bob.cancelFuture());
    // carol is long 1 BTC from dave at 6070, with 68. Of 6000, 6000 + 12 and last: at 6012 she has 10, at 6000 2 less than nothing.
    const [carol, dave] = [await join(w, 'carol', '100'), await join(w, 'dave', '1000')];
    await w.price(PERP, { mark: 6070 });
    await ok(dave.future(future('SELL', 6070, 100_000)));
    await ok(carol.future(future('BUY', 6070, 100_000)));
    await leave(w, '68', 'carol');
    await w.price(PERP, { mark: null, last: 6012 });
    assert.equal((await ok(carol.positions()))[0].liquidationInProgress, true);
    const ask = await w.rest('SELL', 5995, 100_000, PERP);
    await w.rest('BUY', 5990, 10, PERP);
    const body = { txType: 'TRIGGER', triggerPrice: 6000, reduceOnly: true };
    const profit = await one(dave.future(future('BUY', null, 100_000, body)));
    await ok(w.alice.future(stop('SELL', 6013, 10, { txType: 'TRIGGER', trigger: 'lastPrice' })));
    // alice's order fires and prints 5990: the mark is 6000. carol is closed against dave at 6002 before he buys at 5995.
    await w.price(PERP, { last: 6013 });
    assert.deepEqual([await w.position('alice'), await w.position('carol'), await w.position('dave')], [-10, 0, 0]);
    assert.deepEqual([(await w.balance('USDT', 'carol')).total, await fund(w)], ['0', '0']);
    const { status, totalFilledSize } = await ok(dave.futureOrder(profit.orderID));
    assert.deepEqual([status, totalFilledSize], [6, 0]);
    assert.equal((await ok(w.bob.futureOrder(ask.orderID))).status, 2);
  });

  it('a refused or killed FOK moves no last price and fires nobody', { rule: '3.18' }, async (w) => {
    await w.rest('SELL', 105, 0.5);
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'TAKE_PROFIT', 105)));
    const before = await w.control.state();
    assert.equal((await one(w.alice.spot(limit('BUY', 105, 1, { timeInForce: 'FOK' })))).status, 6);
    assert.equal(await w.state(orderId), 'TRIGGER_INSERTED');
    assert.equal((await w.control.state()).time, before.time);
  });

  it('a waiting order whose condition was seen fires even when the price is back', { rule: '3.19' }, async (w) => {
    await w.rest('SELL', 105, 0.1);
    await w.rest('BUY', 99, 1);
    const up = await one(w.alice.spot(triggeredLimit('SELL', 'TAKE_PROFIT', 105, 104)));
    await ok(w.alice.spot(limit('BUY', 105, 0.1)));
    const { triggered: fired, orderState } = await ok(w.alice.lookup(up.orderId));
    assert.deepEqual([fired, orderState], [true, 'ORDER_INSERTED']);
  });

  it('several prices in one call are all set, then evaluated once: a stop on each fires', {
    rule: '3.20',
  }, async (w) => {
    const ids = [];
    for (const type of ['LAST_PRICE', 'MARK_PRICE', 'INDEX_PRICE']) {
      const body = triggeredLimit('SELL', 'STOP_LOSS', 95, 94, { triggerPriceType: type });
      ids.push((await one(w.alice.spot(body))).orderId);
    }
    await w.price(BTC, { index: 95, mark: 95, last: 95 });
    for (const id of ids) assert.equal((await ok(w.alice.lookup(id))).triggered, true);
  });
});

describe('without a reference price', () => {
  const it = scenarios();

  it('CONDITIONAL and TRAILING wait, unarmed; OCO is 302, a TWAP BUY 301, MARKET ends 6 with nothing filled', {
    rule: ['3.21', '3.22', '3.23', '3.24'],
  }, async (w) => {
    await w.begin(null);
    const stopLoss = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95)));
    const trail = await one(w.alice.spot(trailing()));
    assert.deepEqual([stopLoss.status, trail.status], [9, 9]);
    assert.deepEqual((await ok(w.alice.lookup(trail.orderId))).orderDetail, { armed: false, extreme: null });
    await refused(w.alice.spot(oco()), 302, 'last');
    await refused(w.alice.spot(twap('BUY')), 301, 'last');
    const market = await one(w.alice.spot(sellMarket(1)));
    assert.deepEqual([market.status, market.totalFilledBaseSize], [6, 0]);
    await ok(w.alice.spot(limit('BUY', 500)));
    await w.cancelAll();
  });

  it('the first price arms a TRAILING and fires a CONDITIONAL that it satisfies, on spot', {
    rule: '3.21',
  }, async (w) => {
    await w.begin(null);
    const stopLoss = await one(w.alice.spot(triggeredLimit('SELL', 'STOP_LOSS', 95, 94)));
    const trail = await one(w.alice.spot(trailing()));
    await w.price(BTC, { index: 90 });
    assert.equal((await ok(w.alice.lookup(stopLoss.orderId))).triggered, true);
    assert.deepEqual((await ok(w.alice.lookup(trail.orderId))).orderDetail, { armed: true, extreme: 90 });
  });

  it('a perpetual takes no order before its first mark; then a trigger on last may be without its price, and waits', {
    rule: ['3.21', '5.11', '5.12'],
  }, async (w) => {
    await w.begin(null);
    const byLast = (kind: string) => ({ ...stop('SELL', 95, 1, { trigger: 'lastPrice' }), txType: kind });
    const reach = { symbol: PERP, orderSide: 'SELL', orderType: 'CONDITIONAL', orderSize: 1, triggerPrice: 95 };
    for (const reply of [w.alice.future(byLast('STOP')), w.alice.v3(reach), w.alice.future(future('BUY', 95, 1))]) {
      await refused(reply, 33001003, 'no mark yet');
    }
    // By hand there is a mark, and still no last price.
    await w.price(PERP, { mark: 100 });
    const stopLoss = await one(w.alice.future(byLast('STOP')));
    const takeProfit = await one(w.alice.future(byLast('TRIGGER')));
    assert.deepEqual([stopLoss.status, takeProfit.status], [9, 9]);
    const byMark = await one(w.alice.v3(reach));
    const fired = async (id: string) => (await ok(w.alice.futureOrder(id))).triggered;
    // The first index is the first last price: 90 is at or below 95. The mark stays where it was set.
    await w.price(PERP, { index: 90 });
    assert.deepEqual(await Promise.all([stopLoss.orderID, takeProfit.orderID].map(fired)), [true, false]);
    assert.equal(await fired(byMark.orderId), false);
    // It stood above its trigger: 95 is reached from there.
    await w.price(PERP, { mark: 95 });
    assert.equal(await fired(byMark.orderId), true);
  });
});

describe('futures triggers', () => {
  const it = scenarios();

  it('wait for the mark or the last price, each on its own', { rule: '6.5' }, async (w) => {
    const byMark = await one(w.alice.future(stop('SELL', 95)));
    const byLast = await one(w.alice.future(stop('SELL', 95, 10, { trigger: 'lastPrice' })));
    await w.price(PERP, { mark: 95 });
    assert.equal((await ok(w.alice.futureOrder(byMark.orderID))).triggered, true);
    assert.equal((await ok(w.alice.futureOrder(byLast.orderID))).triggered, false);
  });
});
