/** semantics.md section 13, as far as it is in force: index, mark and last set by hand. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, limit, triggered } from '../support/bodies.ts';
import { ok, one } from '../support/client.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';

async function prices(w: World, symbol: string): Promise<(string | null)[]> {
  const { markets } = (await w.control.request('GET', '/markets')) as {
    markets: { symbol: string; index: string; mark: string; last: string }[];
  };
  const market = markets.find((found) => found.symbol === symbol);
  return market === undefined ? [] : [market.index, market.mark, market.last];
}

describe('prices', () => {
  const it = scenarios();

  it('last is seeded once from the first index, and moves with trades after that', async (w) => {
    await w.price(BTC, { index: 105 });
    assert.deepEqual(await prices(w, BTC), ['105', '105', '100']);
    await w.rest('SELL', 101, 1);
    await ok(w.alice.spot(limit('BUY', 101, 0.1)));
    assert.deepEqual(await prices(w, BTC), ['105', '105', '101']);
  });

  it('mark is the index unless set by hand, and stays until it is set to null', async (w) => {
    await w.price(PERP, { mark: 120 });
    await w.price(PERP, { index: 105 });
    assert.deepEqual((await prices(w, PERP)).slice(0, 2), ['105', '120']);
    await w.price(PERP, { mark: null });
    assert.deepEqual((await prices(w, PERP)).slice(0, 2), ['105', '105']);
  });

  it('may be set without a trade, and then fire what waits for last', async (w) => {
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95)));
    await w.price(BTC, { last: 95 });
    assert.notEqual(await w.state(orderId), 'TRIGGER_INSERTED');
    assert.equal((await prices(w, BTC))[2], '95');
  });

  it('set by hand never go stale', async (w) => {
    const { orderID } = await one(w.alice.future({ ...future('BUY', null), txType: 'STOP', triggerPrice: 105 }));
    await w.advance(3_600_000);
    await w.price(PERP, { mark: 105 });
    assert.equal((await ok(w.alice.futureOrder(orderID))).triggered, true);
  });
});
