/** semantics.md section 13: index, mark and last by hand, and the mark of perpetuals. What comes from feeds: feeds.test.ts. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, limit, stop, triggered } from '../support/bodies.ts';
import { ok, one } from '../support/client.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';

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

  it('last is seeded once from the first index, and moves with trades after that', { rule: '13.7' }, async (w) => {
    await w.price(BTC, { index: 105 });
    assert.deepEqual(await prices(w, BTC), ['105', '105', '100']);
    await w.rest('SELL', 101, 1);
    await ok(w.alice.spot(limit('BUY', 101, 0.1)));
    assert.deepEqual(await prices(w, BTC), ['105', '105', '101']);
  });

  it('last is not seeded again: neither by a second index nor after a trade', { rule: '13.7' }, async (w) => {
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
    it(`a mark of ${symbol} set by hand stays through index, trades and minutes, until it is set to null`, {
      rule: '13.6',
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

  it('a mark finer than the tick fires a stop only when it is surely reached', { rule: '13.8' }, async (w) => {
    const { orderID } = await one(w.alice.future(stop('SELL', 95)));
    await w.price(PERP, { mark: '95.0001' });
    assert.equal((await ok(w.alice.futureOrder(orderID))).triggered, false);
    await w.price(PERP, { mark: '94.9999' });
    assert.equal((await ok(w.alice.futureOrder(orderID))).triggered, true);
  });

  it('may be set without a trade, and then fire what waits for last', { rule: '13.7' }, async (w) => {
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95)));
    await w.price(BTC, { last: 95 });
    assert.notEqual(await w.state(orderId), 'TRIGGER_INSERTED');
    assert.equal((await prices(w, BTC))[2], '95');
  });

  it('set by hand never go stale', { rule: '13.9' }, async (w) => {
    const { orderID } = await one(w.alice.future({ ...future('BUY', null), txType: 'STOP', triggerPrice: 105 }));
    await w.advance(3_600_000);
    await w.price(PERP, { mark: 105 });
    assert.equal((await ok(w.alice.futureOrder(orderID))).triggered, true);
  });
});

describe('the mark of a perpetual', () => {
  const it = scenarios();

  const markOf = async (w: World) => (await prices(w, PERP))[1];

  /** Quotes of bob's that are too small to be the funding rate's. */
  async function quotes(w: World, bid: number, ask: number): Promise<void> {
    await ok(w.bob.cancelFuture());
    await w.rest('BUY', bid, 10, PERP);
    await w.rest('SELL', ask, 10, PERP);
  }

  /** The last trade is at `price`: alice buys a contract from the ask that stands there. */
  async function trades(w: World, price: number): Promise<void> {
    await ok(w.alice.future(future('BUY', price, 1, { time_in_force: 'IOC' })));
  }

  it('is the median of index with funding, index + mean basis, and last', { rule: '13.2' }, async (w) => {
    await quotes(w, 100.2, 100.6);
    await w.advance(MINUTE);
    // 100, 100 + 0.4, last 100
    assert.equal(await markOf(w), '100');
    await trades(w, 100.6);
    // 100, 100.4, last 100.6
    assert.equal(await markOf(w), '100.4');
    await w.price(PERP, { index: 101 });
    // 101, 101.4, last 100.6
    assert.equal(await markOf(w), '101');
    await w.price(PERP, { last: 101.2 });
    assert.equal(await markOf(w), '101.2');
  });

  it('takes mid − index at whole minutes of venue time, and at no other moment', { rule: '13.3' }, async (w) => {
    await quotes(w, 100.2, 100.6);
    await w.price(PERP, { last: 101 });
    await w.advance(MINUTE - 1);
    assert.equal(await markOf(w), '100');
    await w.advance(1);
    assert.equal(await markOf(w), '100.4');
    await quotes(w, 100.4, 101);
    await w.advance(MINUTE - 1);
    assert.equal(await markOf(w), '100.4');
    await w.advance(1);
    // the mean of 0.4 and 0.7
    assert.equal(await markOf(w), '100.55');
  });

  it('takes no sample of a one-sided book', { rule: '13.3' }, async (w) => {
    await w.price(PERP, { last: 101 });
    await w.rest('BUY', 100.8, 10, PERP);
    await w.advance(10 * MINUTE);
    assert.equal(await markOf(w), '100');
  });

  it('has the mean of the last 60 samples: the sixty-first drops the first', { rule: '13.3' }, async (w) => {
    await w.price(PERP, { last: 101 });
    await quotes(w, 100.4, 101);
    await w.advance(MINUTE);
    await quotes(w, 100, 100.2);
    await w.advance(59 * MINUTE);
    // (0.7 + 59 × 0.1) / 60, down to a thousandth of the tick
    assert.equal(await markOf(w), '100.11');
    await w.advance(MINUTE);
    assert.equal(await markOf(w), '100.1');
  });

  it('has the funding to come in its first candidate: rate × time left / interval', { rule: '13.2' }, async (w) => {
    await w.rest('BUY', 100.3, 10_000, PERP);
    await w.rest('SELL', 100.5, 10_000, PERP);
    await w.advance(MINUTE);
    // 100 × (1 + 0.1 % × 479 / 480) = 100.0997…, 100 + 0.4, last 100
    assert.equal(await markOf(w), '100.0997');
    await w.advance(239 * MINUTE);
    // half of the interval is left
    assert.equal(await markOf(w), '100.05');
  });

  it('on spot is the index, whatever the book and last', async (w) => {
    await w.rest('BUY', 104, 1);
    await w.rest('SELL', 106, 1);
    await w.advance(10 * MINUTE);
    await w.price(BTC, { last: 105 });
    assert.deepEqual(await prices(w, BTC), ['100', '100', '105']);
  });

  it('fires what waits for it when a trade or a minute moves it', { rule: '13.2' }, async (w) => {
    await quotes(w, 100.2, 100.6);
    await w.advance(MINUTE);
    const byTrade = await one(w.alice.future(stop('BUY', 100.4)));
    const byMinute = await one(w.alice.future(stop('BUY', 100.5)));
    const fired = async ({ orderID }: { orderID: string }) => (await ok(w.alice.futureOrder(orderID))).triggered;
    await trades(w, 100.6);
    assert.deepEqual([await fired(byTrade), await fired(byMinute)], [true, false]);
    await quotes(w, 100.4, 101);
    await w.price(PERP, { last: 101 });
    await w.advance(MINUTE);
    assert.equal(await fired(byMinute), true);
  });
});
