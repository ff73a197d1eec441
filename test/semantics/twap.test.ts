/** semantics.md section 10: TWAP. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { limit, twap } from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { BTC, START_MS, scenarios, World } from '../support/venue.ts';

async function place(w: World, body: Json): Promise<string> {
  return (await one(w.alice.spot(body))).orderId;
}

async function filled(w: World, id: string): Promise<number> {
  return (await ok(w.alice.lookup(id))).totalFilledBaseSize;
}

async function detail(w: World, id: string): Promise<Json> {
  return (await ok(w.alice.lookup(id))).orderDetail;
}

/** The base that alice has sold so far, from her balance (spot SELL: no base fee). */
async function sold(w: World): Promise<number> {
  return Math.round((1000 - Number((await w.balance('BTC')).total)) * 1e5) / 1e5;
}

/** Sizes of the children, one step after the other. */
async function childSizes(w: World, steps: number, stepMs: number): Promise<number[]> {
  const sizes = [await sold(w)];
  let total = sizes[0];
  for (let i = 1; i < steps; i++) {
    await w.advance(stepMs);
    const now = await sold(w);
    sizes.push(Math.round((now - total) * 1e5) / 1e5);
    total = now;
  }
  return sizes;
}

const rounded = (values: number[]) => Math.round(values.reduce((a, b) => a + b, 0) * 1e5) / 1e5;

describe('the schedule', () => {
  const it = scenarios();

  it('60 s are twenty children, three seconds apart, the first at the start; all filled is a full order', {
    rule: ['10.6', '10.25'],
  }, async (w) => {
    await w.rest('BUY', 100, 50);
    const id = await place(w, twap('SELL'));
    assert.deepEqual(await detail(w, id), {
      children: 20,
      childrenDone: 1,
      nextChildAt: START_MS + 3000,
      pausedBy: null,
    });
    assert.equal(await filled(w, id), 0.05);
    await w.advance(2999);
    assert.equal(await filled(w, id), 0.05);
    await w.advance(1);
    assert.equal(await filled(w, id), 0.1);
    await w.advance(53_999);
    assert.equal(await filled(w, id), 0.95);
    await w.advance(1);
    assert.equal(await w.state(id), 'ORDER_FULLY_TRANSACTED');
    assert.equal(await sold(w), 1);
  });

  for (const [timePeriod, children] of [
    [60, 20],
    [61, 20],
    [600, 20],
    [601, 21],
    [3600, 120],
    [86_400, 2880],
  ]) {
    it(`${timePeriod} s are ${children} children`, { rule: '10.2' }, async (w) => {
      const id = await place(w, twap('SELL', { timePeriod, orderSize: 100 }));
      assert.equal((await detail(w, id)).children, children);
    });
  }

  it('child i is due at start + i × period / n, in whole milliseconds', { rule: '10.6' }, async (w) => {
    const id = await place(w, twap('SELL', { timePeriod: 61 }));
    const due = [];
    for (let i = 1; i < 20; i++) {
      const at = (await detail(w, id)).nextChildAt;
      due.push(at - START_MS);
      await w.advance(at - (await w.control.state()).time);
    }
    assert.deepEqual(
      due,
      Array.from({ length: 19 }, (_, i) => Math.floor(((i + 1) * 61_000) / 20)),
    );
  });

  it('a due time between two milliseconds is the earlier one', { rule: '10.6' }, async (w) => {
    const id = await place(w, twap('SELL', { orderSize: '0.00007', timePeriod: 61 }));
    const due = [];
    for (let i = 1; i < 7; i++) {
      const at = (await detail(w, id)).nextChildAt;
      due.push(at - START_MS);
      await w.advance(at - (await w.control.state()).time);
    }
    // 61 000 / 7 = 8714.28…
    assert.deepEqual(due, [8714, 17_428, 26_142, 34_857, 43_571, 52_285]);
  });

  it('a child takes floor(what is left / children left) on the lot grid, the last the rest: together exactly the total', {
    rule: '10.7',
  }, async (w) => {
    await w.rest('BUY', 100, 50);
    await place(w, twap('SELL', { orderSize: '0.00107' }));
    const sizes = await childSizes(w, 20, 3000);
    // 107 lots in 20: thirteen of 5, then as the division comes out
    assert.equal(rounded(sizes), 0.00107);
    let left = 107;
    const expected = Array.from({ length: 20 }, (_, i) => {
      const lots = Math.floor(left / (20 - i));
      left -= lots;
      return lots / 1e5;
    });
    assert.deepEqual(sizes, expected);
  });

  it('fewer children where one would be below the minimum size, down to one', { rule: '10.3' }, async (w) => {
    assert.equal((await detail(w, await place(w, twap('SELL', { orderSize: '0.00007' })))).children, 7);
    await w.cancelAll();
    const single = await place(w, twap('SELL', { orderSize: '0.00001' }));
    assert.equal((await detail(w, single)).children, 1);
  });

  it('more children where one would exceed the cap, one a second at most; if none fits it is refused with 301', {
    rule: ['10.4', '10.5'],
  }, async (w) => {
    const id = await place(w, twap('SELL', { subTwapMaxOrderSize: 0.02 }));
    assert.equal((await detail(w, id)).children, 50);
    await refused(w.alice.spot(twap('SELL', { subTwapMaxOrderSize: 0.016 })), 301, '0.01667');
    const random = await place(w, twap('SELL', { subTwapMaxOrderSize: 0.03, randomizeSize: true }));
    assert.equal((await detail(w, random)).children, 50);
  });

  it('what is left at the end of the period is cancelled: 6, the fills kept', { rule: '10.25' }, async (w) => {
    await w.rest('BUY', 100, 0.3);
    const id = await place(w, twap('SELL'));
    await w.advance(59_999);
    assert.equal(await filled(w, id), 0.3);
    await w.advance(1);
    assert.equal(await w.state(id), 'ORDER_CANCELLED');
  });

  it('cancelling it cancels its child at once', { rule: '10.26' }, async (w) => {
    await w.rest('SELL', 100.5, 1);
    await ok(w.bob.spot(limit('SELL', 101)));
    const id = await place(w, twap('SELL', { makerFirst: true }));
    assert.equal((await w.balance('BTC')).reserved, '0.05');
    const [record] = await ok(w.alice.cancelSpot(id));
    assert.deepEqual([record.status, record.type, record.orderDetailType], [6, 82, 'TWAP']);
    assert.equal((await w.balance('BTC')).reserved, '0');
  });

  it('its children are not orders of their own', { rule: '10.17' }, async (w) => {
    await w.rest('SELL', 101, 1);
    const id = await place(w, twap('SELL', { makerFirst: true }));
    const rows = await ok(w.alice.spotOrders());
    assert.deepEqual(
      rows.map((row: Json) => row.orderId),
      [id],
    );
  });
});

describe('twapIntervalMs', () => {
  const it = scenarios({ markets: [{ symbol: BTC, twapIntervalMs: 7000 }] });

  it('sets the interval, rounded up to a whole number of children', { rule: '10.2' }, async (w) => {
    assert.equal((await detail(w, await place(w, twap('SELL')))).children, 9);
  });
});

describe('catching up', () => {
  const it = scenarios();

  it('what a child misses is spread over the children left, at most three planned children at once', {
    rule: '10.10',
  }, async (w) => {
    await place(w, twap('SELL'));
    await w.advance(45_000);
    await w.rest('BUY', 100, 50);
    // children 0 … 15 found nothing: four are left for 1 BTC, of at most 0.15 each
    const before = await sold(w);
    assert.equal(before, 0);
    const sizes = [];
    for (let i = 0; i < 4; i++) {
      const from = await sold(w);
      await w.advance(3000);
      sizes.push(Math.round(((await sold(w)) - from) * 1e5) / 1e5);
    }
    assert.deepEqual(sizes, [0.15, 0.15, 0.15, 0.15]);
  });

  it('caps win: what they leave is cancelled at the end', { rule: '10.12' }, async (w) => {
    const id = await place(w, twap('SELL', { subTwapMaxOrderSize: 0.05 }));
    await w.advance(29_999);
    await w.rest('BUY', 100, 50);
    await w.advance(30_001);
    assert.equal(await w.state(id), 'ORDER_CANCELLED');
    assert.equal(await sold(w), 0.5);
  });
});

describe('randomizeSize', () => {
  const it = scenarios();

  it('varies the children between 0.5 and 1.5 of the plan, and together they are the total', {
    rule: ['10.7', '10.8'],
  }, async (w) => {
    await w.rest('BUY', 100, 50);
    await place(w, twap('SELL', { orderSize: 10, randomizeSize: true }));
    const sizes = await childSizes(w, 20, 3000);
    assert.equal(rounded(sizes), 10);
    assert.ok(new Set(sizes).size > 10, String(sizes));
    let left = 10;
    for (let i = 0; i < 19; i++) {
      const plan = left / (20 - i);
      assert.ok(sizes[i] >= plan * 0.5 - 1e-5 && sizes[i] <= plan * 1.5 + 1e-5, `child ${i} of ${sizes}`);
      left -= sizes[i];
    }
  });
});

describe('the sizes of a random TWAP', () => {
  /** Of a venue of its own with this seed, whose sequence numbers are the same. */
  async function sizesOf(seed: number): Promise<number[]> {
    const w = await World.open({ seed });
    await w.begin();
    await w.rest('BUY', 100, 50);
    await place(w, twap('SELL', { orderSize: 10, randomizeSize: true, timePeriod: 60 }));
    const sizes = await childSizes(w, 5, 3000);
    await w.close();
    return sizes;
  }

  test('follow from the venue’s seed, the order and the child alone', { rule: '10.8' }, async () => {
    assert.deepEqual(await sizesOf(1), await sizesOf(1));
    assert.notDeepEqual(await sizesOf(1), await sizesOf(2));
  });

  const it = scenarios();

  it('have more children where one and a half times the planned one would exceed the cap', {
    rule: ['10.4', '10.5'],
  }, async (w) => {
    const children = async (cap: number, randomizeSize: boolean) => {
      const terms = { orderSize: 1, subTwapMaxOrderSize: cap, randomizeSize };
      return (await detail(w, await place(w, twap('SELL', terms)))).children;
    };
    assert.deepEqual([await children(0.06, false), await children(0.06, true)], [20, 25]);
    assert.deepEqual([await children(0.075, true), await children(0.074, true)], [20, 21]);
    await refused(w.alice.spot(twap('SELL', { subTwapMaxOrderSize: 0.0249, randomizeSize: true })), 301, '0.025');
    await ok(w.alice.spot(twap('SELL', { subTwapMaxOrderSize: 0.0249 })));
  });

  it('are never below the minimum nor above the cap', { rule: '10.9' }, async (w) => {
    await w.rest('BUY', 100, 50);
    await place(w, twap('SELL', { orderSize: 1, randomizeSize: true, subTwapMaxOrderSize: 0.08 }));
    for (const size of await childSizes(w, 20, 3000)) assert.ok(size >= 0.00001 && size <= 0.08, String(size));
    await w.begin();
    await w.rest('BUY', 100, 50);
    await place(w, twap('SELL', { orderSize: '0.00002', randomizeSize: true }));
    assert.deepEqual(await childSizes(w, 2, 30_000), [0.00001, 0.00001]);
  });
});

describe('a child that is refused', () => {
  const it = scenarios();

  it('never ends its parent: one that meets the own order is tried again with the next', {
    rule: '10.18',
  }, async (w) => {
    await ok(w.alice.spot(limit('BUY', 100, 1)));
    const id = await place(w, twap('SELL'));
    await w.advance(3000);
    assert.deepEqual([await filled(w, id), await w.state(id)], [0, 'ORDER_INSERTED']);
    await w.rest('BUY', 100, 50);
    await w.advance(3000);
    assert.ok((await filled(w, id)) >= 0.05);
  });

  it('is part of its parent: fills are the parent’s, in its records and in its history', {
    rule: '10.16',
  }, async (w) => {
    await w.rest('BUY', 100, 50);
    const id = await place(w, twap('SELL'));
    await w.advance(3000);
    assert.equal(await filled(w, id), 0.1);
    const { events } = (await w.control.request('GET', `/orders/${id}`)) as Json;
    const fills = events.filter(({ type }: Json) => type === 'traded');
    assert.deepEqual(
      fills.map(({ size }: Json) => size),
      ['0.05', '0.05'],
    );
  });
});

describe('taker children', () => {
  const it = scenarios();

  it('go at most maxDistanceThroughBook beyond the best opposite price, without it the band of the market', {
    rule: '10.13',
  }, async (w) => {
    const soldBy = async (extra: Json) => {
      await w.begin();
      await w.rest('BUY', 100, 0.01);
      await w.rest('BUY', 99, 0.01);
      await w.rest('BUY', 95, 0.01);
      await w.rest('BUY', 94, 0.01);
      await place(w, twap('SELL', extra));
      return sold(w);
    };
    assert.equal(await soldBy({ maxDistanceThroughBook: 0 }), 0.01);
    assert.equal(await soldBy({ maxDistanceThroughBook: 0.01 }), 0.02);
    assert.equal(await soldBy({ maxDistanceThroughBook: 0.06 }), 0.04);
    assert.equal(await soldBy({}), 0.03);
    assert.equal(await soldBy({ maxDistanceThroughBook: -1 }), 0.03);
  });

  it('never rest', { rule: '10.13' }, async (w) => {
    const id = await place(w, twap('SELL'));
    assert.deepEqual([await filled(w, id), (await w.balance('BTC')).reserved], [0, '0']);
    assert.equal((await one(w.bob.spot(limit('BUY', 100, 1, { timeInForce: 'IOC' })))).totalFilledBaseSize, 0);
  });
});

describe('makerFirst', () => {
  const it = scenarios();

  it('places post-only at the own best price, and what is left goes taker when the next child is due', {
    rule: ['10.14', '10.15'],
  }, async (w) => {
    await w.rest('SELL', 101, 1);
    await w.rest('BUY', 99, 1);
    const id = await place(w, twap('SELL', { makerFirst: true }));
    assert.equal(await filled(w, id), 0);
    await w.advance(3000);
    const { totalFilledBaseSize, avgFilledPrice } = await ok(w.alice.lookup(id));
    assert.deepEqual([totalFilledBaseSize, avgFilledPrice], [0.05, 99]);
  });

  it('is filled at its own price while it rests', { rule: '10.14' }, async (w) => {
    const ask = await w.rest('SELL', 101, 1);
    await w.rest('BUY', 99, 1);
    const id = await place(w, twap('SELL', { makerFirst: true }));
    await ok(w.bob.cancelSpot(ask.orderId));
    await ok(w.bob.spot(limit('BUY', 101, 0.05)));
    const { totalFilledBaseSize, avgFilledPrice } = await ok(w.alice.lookup(id));
    assert.deepEqual([totalFilledBaseSize, avgFilledPrice], [0.05, 101]);
  });

  it('goes taker at once where the own side is empty', { rule: '10.14' }, async (w) => {
    await w.rest('BUY', 99, 1);
    assert.equal(await filled(w, await place(w, twap('SELL', { makerFirst: true }))), 0.05);
  });

  it('ends the last child at start + period in one step', { rule: '10.15' }, async (w) => {
    await w.rest('SELL', 101, 1);
    await w.rest('BUY', 99, 5);
    const id = await place(w, twap('SELL', { makerFirst: true }));
    await w.advance(59_999);
    assert.equal(await filled(w, id), 0.95);
    await w.advance(1);
    assert.equal(await w.state(id), 'ORDER_FULLY_TRANSACTED');
    assert.equal(await sold(w), 1);
  });
});

describe('pauses', () => {
  const it = scenarios();

  it('skips a child while spread / mid is above maxSpread, and resumes at the next due child', {
    rule: ['2.35', '10.19', '10.22'],
  }, async (w) => {
    await w.rest('BUY', 99, 50);
    const far = await w.rest('SELL', 101, 1);
    const id = await place(w, twap('SELL', { maxSpread: 0.01 }));
    assert.deepEqual([(await detail(w, id)).pausedBy, await filled(w, id)], ['spread', 0]);
    await ok(w.bob.cancelSpot(far.orderId));
    await w.rest('SELL', 99.9, 1);
    assert.equal((await detail(w, id)).pausedBy, 'spread');
    await w.advance(3000);
    assert.equal((await detail(w, id)).pausedBy, null);
    assert.ok((await filled(w, id)) > 0.05);
  });

  it('equal to maxSpread is no pause', { rule: '10.19' }, async (w) => {
    await w.rest('BUY', 99, 50);
    await w.rest('SELL', 101, 1);
    assert.equal(await filled(w, await place(w, twap('SELL', { maxSpread: 0.02 }))), 0.05);
  });

  it('a one-sided book is infinitely wide, and the own child is not counted', { rule: '10.19' }, async (w) => {
    await w.rest('BUY', 99, 50);
    assert.equal((await detail(w, await place(w, twap('SELL', { maxSpread: 1 })))).pausedBy, 'spread');
    await w.cancelAll();
    await w.rest('BUY', 99, 50);
    const ask = await w.rest('SELL', 99.5, 1);
    const id = await place(w, twap('SELL', { maxSpread: 0.01, makerFirst: true }));
    assert.equal((await detail(w, id)).pausedBy, null);
    await ok(w.bob.cancelSpot(ask.orderId));
    await w.advance(3000);
    assert.deepEqual([(await detail(w, id)).pausedBy, (await w.balance('BTC')).reserved], ['spread', '0']);
  });

  it('skips while last is beyond pausePrice: BUY above, SELL below; at it goes on', {
    rule: ['2.35', '10.20', '10.22'],
  }, async (w) => {
    await w.rest('SELL', 100, 50);
    const buy = await place(w, twap('BUY', { pausePrice: 104 }));
    await w.price(BTC, { last: 104.1 });
    const before = await filled(w, buy);
    await w.advance(3000);
    assert.deepEqual([await filled(w, buy), (await detail(w, buy)).pausedBy], [before, 'price']);
    await w.price(BTC, { last: 104 });
    await w.advance(3000);
    assert.ok((await filled(w, buy)) > before);
    await w.cancelAll();
    await w.price(BTC, { last: 95.9 });
    const sell = await place(w, twap('SELL', { pausePrice: 96 }));
    assert.equal((await detail(w, sell)).pausedBy, 'price');
  });

  it('withdraws a resting maker child when the pause begins', { rule: '10.21' }, async (w) => {
    await w.rest('SELL', 101, 1);
    await w.rest('BUY', 99, 5);
    const id = await place(w, twap('SELL', { makerFirst: true, pausePrice: 96 }));
    assert.equal((await w.balance('BTC')).reserved, '0.05');
    await w.price(BTC, { last: 95 });
    await w.advance(3000);
    assert.deepEqual([(await w.balance('BTC')).reserved, await filled(w, id)], ['0', 0]);
  });

  it('a taker child that finds no book says so', { rule: '2.35' }, async (w) => {
    const id = await place(w, twap('SELL'));
    assert.deepEqual([(await detail(w, id)).pausedBy, (await detail(w, id)).childrenDone], ['book', 1]);
    await w.rest('BUY', 99, 5);
    await w.advance(3000);
    assert.equal((await detail(w, id)).pausedBy, null);
    assert.ok((await filled(w, id)) > 0.05);
  });

  it('a taker child that meets own orders alone says so, and they are gone', { rule: ['2.35', '4.13'] }, async (w) => {
    const { orderId } = await one(w.alice.spot(limit('BUY', 99, 1)));
    const id = await place(w, twap('SELL'));
    assert.deepEqual([(await detail(w, id)).pausedBy, await filled(w, id)], ['ownOrder', 0]);
    assert.equal(await w.state(orderId), 'ORDER_CANCELLED');
  });

  it('the end does not move, and a cancel works in a pause', { rule: ['10.11', '10.26'] }, async (w) => {
    await w.rest('BUY', 99, 5);
    const id = await place(w, twap('SELL', { maxSpread: 0.01 }));
    await w.advance(60_000);
    assert.equal(await w.state(id), 'ORDER_CANCELLED');
    const other = await place(w, twap('SELL', { maxSpread: 0.01 }));
    assert.equal((await one(w.alice.cancelSpot(other))).status, 6);
  });
});

describe('activation', () => {
  const it = scenarios();

  it('delays the start until the price is reached from whichever side it stood on; the period counts from there', {
    rule: ['2.35', '10.23'],
  }, async (w) => {
    await w.rest('BUY', 100, 50);
    const above = await place(w, twap('SELL', { activationTriggerPrice: 105 }));
    const below = await place(w, twap('SELL', { activationTriggerPrice: 95 }));
    await w.advance(100_000);
    assert.deepEqual(await detail(w, above), {
      children: 20,
      childrenDone: 0,
      nextChildAt: null,
      pausedBy: 'activation',
    });
    await w.price(BTC, { last: 106 });
    assert.equal(await filled(w, above), 0.05);
    assert.equal(await filled(w, below), 0);
    await w.advance(57_000);
    assert.equal(await w.state(above), 'ORDER_FULLY_TRANSACTED');
    await w.price(BTC, { last: 94 });
    assert.equal(await filled(w, below), 0.05);
  });

  it('starts at once when the price equals it, and watches LAST_PRICE by default', {
    rule: ['10.23', '10.24'],
  }, async (w) => {
    await w.rest('BUY', 100, 50);
    const equal = await place(w, twap('SELL', { activationTriggerPrice: 100 }));
    assert.equal(await filled(w, equal), 0.05);
    const byIndex = await place(
      w,
      twap('SELL', { activationTriggerPrice: 105, activationTriggerPriceType: 'INDEX_PRICE' }),
    );
    await w.price(BTC, { last: 105 });
    assert.equal((await detail(w, byIndex)).pausedBy, 'activation');
    await w.price(BTC, { index: 105 });
    assert.equal((await detail(w, byIndex)).childrenDone, 1);
  });

  it('one that waits can be cancelled', { rule: '10.26' }, async (w) => {
    const id = await place(w, twap('SELL', { activationTriggerPrice: 105 }));
    assert.equal((await one(w.alice.cancelSpot(id))).status, 6);
    await w.price(BTC, { last: 105 });
    assert.equal(await w.state(id), 'ORDER_CANCELLED');
  });
});
