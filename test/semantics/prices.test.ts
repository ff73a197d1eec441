/**
 * semantics.md section 13: index, mark and last by hand, and the mark of perpetuals, which section 5 says when to see.
 * What comes from feeds: feeds.test.ts.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { future, limit, stop, triggered } from '../support/bodies.ts';
import { ok, one, refused } from '../support/client.ts';
import { join, leave } from '../support/positions.ts';
import { BTC, PERP, scenarios, World } from '../support/venue.ts';

const MINUTE = 60_000;

async function prices(w: World, symbol: string): Promise<(string | null)[]> {
  const { markets } = (await w.control.request('GET', '/markets')) as {
    markets: { symbol: string; index: string; mark: string; last: string }[];
  };
  const market = markets.find((found) => found.symbol === symbol);
  return market === undefined ? [] : [market.index, market.mark, market.last];
}

describe('prices', () => {
  const it = scenarios();

  it('last is seeded once from the first index, and moves with trades after that', {
    rule: ['13.15', '13.16'],
  }, async (w) => {
    await w.price(BTC, { index: 105 });
    assert.deepEqual(await prices(w, BTC), ['105', '105', '100']);
    await w.rest('SELL', 101, 1);
    await ok(w.alice.spot(limit('BUY', 101, 0.1)));
    assert.deepEqual(await prices(w, BTC), ['105', '105', '101']);
  });

  it('last is not seeded again: neither by a second index nor after a trade', { rule: '13.16' }, async (w) => {
    await w.price(PERP, { index: 101 });
    await w.price(PERP, { index: 102 });
    assert.equal((await prices(w, PERP))[2], '100');
    await w.begin(null);
    await w.rest('SELL', 55, 1);
    await ok(w.alice.spot(limit('BUY', 55, 0.1)));
    await w.price(BTC, { index: 60 });
    assert.deepEqual(await prices(w, BTC), ['60', '60', '55']);
  });

  for (const symbol of [BTC, PERP]) {
    it(`a mark of ${symbol} set manually stays through index, trades and minutes, until it is set to null`, {
      rule: '13.14',
    }, async (w) => {
      await w.price(symbol, { mark: 110 });
      await w.price(symbol, { index: 105 });
      await w.rest('SELL', 104, 1, symbol);
      await ok(symbol === BTC ? w.alice.spot(limit('BUY', 104)) : w.alice.future(future('BUY', 104, 1)));
      await w.advance(10 * MINUTE);
      assert.deepEqual(await prices(w, symbol), ['105', '110', '104']);
      await w.price(symbol, { mark: null });
      assert.deepEqual(await prices(w, symbol), ['105', '105', '104']);
    });
  }

  it('a mark finer than the tick fires a stop only when it is surely reached', { rule: '13.18' }, async (w) => {
    const { orderID } = await one(w.alice.future(stop('SELL', 95)));
    await w.price(PERP, { mark: '95.0001' });
    assert.equal((await ok(w.alice.futureOrder(orderID))).triggered, false);
    await w.price(PERP, { mark: '94.9999' });
    assert.equal((await ok(w.alice.futureOrder(orderID))).triggered, true);
  });

  it('may be set without a trade, and then fire what waits for last', { rule: '13.17' }, async (w) => {
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95)));
    await w.price(BTC, { last: 95 });
    assert.notEqual(await w.state(orderId), 'TRIGGER_INSERTED');
    assert.equal((await prices(w, BTC))[2], '95');
  });

  it('set manually never go stale', { rule: '13.21' }, async (w) => {
    const { orderID } = await one(w.alice.future({ ...future('BUY', null), txType: 'STOP', triggerPrice: 105 }));
    await w.advance(3_600_000);
    await w.price(PERP, { mark: 105 });
    assert.equal((await ok(w.alice.futureOrder(orderID))).triggered, true);
  });
});

describe('the mark of a perpetual', () => {
  const scenario = scenarios();

  /** At an index of 6,000 `maxBasis` is 15; a tick is 0.1, and so is a sample of 6 in the mean of sixty. */
  const INDEX = 6000;
  /** The impact size of the funding: half a BTC. */
  const IMPACT = 50_000;
  const HOUR = 60 * MINUTE;
  const INTERVAL = 8 * HOUR;

  const it = (sentence: string, options: test.TestOptions, body: (w: World) => Promise<void>) =>
    scenario(sentence, options, async (w) => {
      await w.price(PERP, { index: INDEX, last: INDEX });
      await body(w);
    });

  const markOf = async (w: World) => (await prices(w, PERP))[1];

  /** Quotes of bob's, in place of those that he has. */
  async function quotes(w: World, bid: number, ask: number, size = 2 * IMPACT): Promise<void> {
    await ok(w.bob.cancelFuture());
    await w.rest('BUY', bid, size, PERP);
    await w.rest('SELL', ask, size, PERP);
  }

  /** The last trade is at `price`: alice buys a contract from the ask that stands there. */
  async function trades(w: World, price: number): Promise<void> {
    assert.equal((await one(w.alice.future(future('BUY', price, 1, { time_in_force: 'IOC' })))).status, 4);
  }

  it('is the median of index with funding, index + basis, and last', { rule: '13.5' }, async (w) => {
    await quotes(w, 6010, 6014);
    await w.advance(HOUR);
    // 6000, 6000 + 12, last 6000
    assert.equal(await markOf(w), '6000');
    await trades(w, 6014);
    // 6000, 6012, last 6014
    assert.equal(await markOf(w), '6012');
    await w.price(PERP, { index: 6020 });
    // 6020, 6032, last 6014
    assert.equal(await markOf(w), '6020');
    await w.price(PERP, { last: 6025 });
    assert.equal(await markOf(w), '6025');
    await w.price(PERP, { last: 6040 });
    assert.equal(await markOf(w), '6032');
  });

  for (const [side, bid, ask, last, mark] of [
    ['above', 6090, 6096, 6100, '6015'],
    ['below', 5904, 5910, 5900, '5985'],
  ] as const) {
    it(`stays within maxBasis of the index, ${side} it: 0.25 % of 6,000 is 15`, { rule: '13.7' }, async (w) => {
      await quotes(w, bid, ask);
      await w.price(PERP, { last });
      await w.advance(INTERVAL);
      // The rate is 0.375 %, its cap. The median of 6000 ± 22.5, 6000 ± 15 and last is the first of them.
      assert.equal(await markOf(w), mark);
    });
  }

  it('takes (impact bid + impact ask) / 2 − index at whole minutes of venue time, and at no other moment', {
    rule: ['13.9', '13.10'],
  }, async (w) => {
    await quotes(w, 6010, 6014);
    await w.price(PERP, { last: 6100 });
    await w.advance(MINUTE - 1);
    assert.equal(await markOf(w), '6000');
    await w.advance(1);
    // 12 / 60
    assert.equal(await markOf(w), '6000.2');
    await quotes(w, 6002, 6010);
    await w.advance(MINUTE - 1);
    assert.equal(await markOf(w), '6000.2');
    await w.advance(1);
    // (12 + 6) / 60
    assert.equal(await markOf(w), '6000.3');
    await ok(w.bob.cancelFuture());
    await w.advance(10 * MINUTE);
    // ten minutes more without quotes, which count 0
    assert.equal(await markOf(w), '6000.3');
  });

  it('looks at the average price of the impact size, through the levels', { rule: '13.10' }, async (w) => {
    await w.price(PERP, { last: 6100 });
    await w.rest('BUY', 6012, IMPACT / 2, PERP);
    await w.rest('BUY', 6006, IMPACT, PERP);
    await w.rest('SELL', 6015, IMPACT, PERP);
    await w.advance(MINUTE);
    // (9 + 15) / 2 / 60
    assert.equal(await markOf(w), '6000.2');
  });

  for (const [what, bid, ask, last, mark] of [
    ['an ask of 6,300 counts as 6,015: (9 + 15) / 2 / 60', 6009, 6300, 6100, '6000.2'],
    ['a bid of 5,700 counts as 5,985: (−15 − 9) / 2 / 60', 5700, 5991, 5900, '5999.8'],
  ] as const) {
    it(`holds each of the two within maxBasis of the index: ${what}`, { rule: '13.10' }, async (w) => {
      await quotes(w, bid, ask);
      await w.price(PERP, { last });
      await w.advance(MINUTE);
      assert.equal(await markOf(w), mark);
    });
  }

  it('takes no sample of a one-sided book', { rule: '13.11' }, async (w) => {
    await w.price(PERP, { last: 6100 });
    await w.rest('BUY', 6090, IMPACT, PERP);
    await w.advance(HOUR);
    assert.equal(await markOf(w), '6000');
  });

  it('follows no quotes smaller than the impact size, and no print', { rule: ['13.11', '13.13'] }, async (w) => {
    await quotes(w, 6540, 6546, IMPACT - 1);
    await trades(w, 6546);
    assert.deepEqual(await prices(w, PERP), ['6000', '6000', '6546']);
    await w.advance(HOUR);
    assert.equal(await markOf(w), '6000');
  });

  for (const [what, bid, ask, last, mark] of [
    ['a bid of 5,400 counts: (−15 − 9) / 2', 5400, 5991, 5900, '5988'],
    ['one a tick lower does not', 5399.9, 5991, 5900, '6000'],
    ['an ask of 6,600 counts: (9 + 15) / 2', 6009, 6600, 6100, '6012'],
    ['one a tick higher does not', 6009, 6600.1, 6100, '6000'],
  ] as const) {
    it(`looks inside the band of 10 % around the index: ${what}`, { rule: '13.11' }, async (w) => {
      await quotes(w, bid, ask);
      await w.price(PERP, { last });
      await w.advance(HOUR);
      assert.equal(await markOf(w), mark);
    });
  }

  it('has the sum of the last 60 samples over 60: the sixty-first drops the first', { rule: '13.9' }, async (w) => {
    await w.price(PERP, { last: 6100 });
    await quotes(w, 6010, 6014);
    await w.advance(MINUTE);
    await quotes(w, 6000, 6006);
    await w.advance(59 * MINUTE);
    // (12 + 59 × 3) / 60 = 3.15, and the tick nearer to the index
    assert.equal(await markOf(w), '6003.1');
    await w.advance(MINUTE);
    assert.equal(await markOf(w), '6003');
  });

  for (const [bid, ask, last, mark] of [
    [6090, 6096, 6100, '6000.2'],
    [5904, 5910, 5900, '5999.8'],
  ] as const) {
    it(`lies on the tick nearest the index: 6,000 ± 15 / 60 is ${mark}`, { rule: '13.12' }, async (w) => {
      await quotes(w, bid, ask);
      await w.price(PERP, { last });
      await w.advance(MINUTE);
      assert.equal(await markOf(w), mark);
    });
  }

  it('has the rate of the last settled interval in its first candidate: × time left / interval', {
    rule: ['13.5', '13.6'],
  }, async (w) => {
    await quotes(w, 6018, 6024);
    await w.advance(INTERVAL - 1);
    // before the first settlement the rate is 0: 6000, 6000 + 15, last 6000
    assert.equal(await markOf(w), '6000');
    await w.advance(1);
    // 0.3 % / 3 = 0.1 %, for the whole of the next interval: 6006, 6015, 6000
    assert.equal(await markOf(w), '6006');
    // what the quotes of the running interval make of its rate is not in the mark
    await quotes(w, 6036, 6042);
    await w.advance(INTERVAL / 4);
    assert.equal(await markOf(w), '6004.5');
    await w.advance(INTERVAL / 4);
    assert.equal(await markOf(w), '6003');
    await w.advance(INTERVAL / 2);
    // 0.6 % / 3
    assert.equal(await markOf(w), '6012');
  });

  it('on spot is the index, whatever the book and last', { rule: '6.6' }, async (w) => {
    await w.rest('BUY', 104, 1);
    await w.rest('SELL', 106, 1);
    await w.advance(10 * MINUTE);
    await w.price(BTC, { last: 105 });
    assert.deepEqual(await prices(w, BTC), ['100', '100', '105']);
  });

  it('fires what waits for it when a trade or a minute moves it', { rule: '13.5' }, async (w) => {
    await quotes(w, 6010, 6014);
    await w.advance(HOUR);
    const byTrade = await one(w.alice.future(stop('BUY', 6012)));
    const byMinute = await one(w.alice.future(stop('BUY', 6012.1)));
    const fired = async ({ orderID }: { orderID: string }) => (await ok(w.alice.futureOrder(orderID))).triggered;
    await trades(w, 6014);
    assert.deepEqual([await fired(byTrade), await fired(byMinute)], [true, false]);
    await quotes(w, 6015, 6018);
    await w.advance(MINUTE);
    // (59 × 12 + 15) / 60 = 12.05
    assert.equal(await fired(byMinute), false);
    await w.advance(MINUTE);
    assert.equal(await fired(byMinute), true);
  });

  it('is seen once after a match, not at each of its prints: last is seen at both', {
    rule: ['3.9', '3.10', '5.25'],
  }, async (w) => {
    await quotes(w, 6010, 6014);
    await w.advance(HOUR);
    await w.price(PERP, { last: 6012 });
    await ok(w.bob.cancelFuture());
    const byMark = await one(w.alice.future(stop('SELL', 6005)));
    const byLast = await one(w.alice.future(stop('SELL', 6005, 10, { trigger: 'lastPrice' })));
    await w.rest('SELL', 6003, 10, PERP);
    await w.rest('SELL', 6009, 10, PERP);
    const carol = await join(w, 'carol', '1000');
    assert.equal((await one(carol.future(future('BUY', 6009, 20)))).avgFilledPrice, 6006);
    // Of 6000, 6012 and the first print the median would be 6003; after the second it is 6009.
    assert.equal(await markOf(w), '6009');
    const fired = async ({ orderID }: { orderID: string }) => (await ok(w.alice.futureOrder(orderID))).triggered;
    assert.deepEqual([await fired(byLast), await fired(byMark)], [true, false]);
  });
});

describe('fills of one command', () => {
  const it = scenarios();

  it('are checked at the mark before it: what the first prints does not stop the second', {
    rule: '5.25',
  }, async (w) => {
    await w.price(PERP, { index: 6000, last: 6000 });
    await w.rest('BUY', 6010, 50_000, PERP);
    await w.rest('SELL', 6014, 50_000, PERP);
    await w.advance(60 * MINUTE);
    await ok(w.bob.cancelFuture());
    const carol = await join(w, 'carol', '100');
    await w.price(PERP, { mark: 6040 });
    await w.rest('SELL', 6040, 100_000, PERP);
    await ok(carol.future(future('BUY', 6040, 100_000)));
    await leave(w, '68', 'carol');
    // Of 6000, 6000 + 12 and last: 6012. She has 68 − 28 = 40.
    await w.price(PERP, { mark: null, last: 6012 });
    await w.rest('BUY', 5990, 1_000, PERP);
    await w.rest('BUY', 5960, 40_000, PERP);
    const sells = async (size: number) => {
      return (await one(carol.future(future('SELL', 5960, size, { time_in_force: 'IOC' })))).totalFilledSize;
    };
    // At 6012: 40 less 22 × 0.01 and 52 × 0.2, less fees of 0.69, are 28.69 for 0.79 × 6012 × 0.5 % = 23.75. The first fill
    // alone would make the mark 6000: below maintenance, and 5960 is beyond the bankruptcy price of about 5975.
    assert.equal(await sells(21_000), 21_000);
    assert.deepEqual(await prices(w, PERP), ['6000', '6000', '5960']);
    // Now it is so, for her next order and for her liquidation, too.
    assert.equal(await sells(20_000), 0);
    assert.equal(await w.position('carol'), 79_000);
  });
});

describe('a maxBasis', () => {
  test('of more than half of the lowest maintenance rate is refused', { rule: '13.8' }, async () => {
    const config = { markets: [{ symbol: PERP, maxBasis: '0.0026' }] };
    await assert.rejects(World.open(config), /maxBasis must be at most 0\.0025, half of the lowest maintenance rate/);
  });
});

describe('without a mark', () => {
  const it = scenarios();

  for (const [from, first] of [
    ['its first index', { index: 100 }],
    ['a mark by hand', { mark: 100 }],
  ] as const) {
    it(`a perpetual takes no order: it has one from ${from} on`, { rule: ['5.11', '5.12'] }, async (w) => {
      await w.begin(null);
      const bodies = [future('BUY', 100, 10), future('SELL', null, 10), stop('SELL', 95)];
      for (const body of bodies) await refused(w.alice.future(body), 33001003, 'no mark yet');
      await w.price(PERP, { last: 100 });
      await refused(w.alice.future(bodies[0]), 33001003, 'no mark yet');
      await w.price(PERP, first);
      assert.equal((await one(w.alice.future(bodies[0]))).status, 2);
    });
  }
});
