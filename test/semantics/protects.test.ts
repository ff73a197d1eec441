/** semantics.md section 4: what protects or closes is never disarmed by an own resting order. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, limit, oco, sellMarket, stop, trailing, triggered, triggeredLimit, twap } from '../support/bodies.ts';
import { type Json, ok, one } from '../support/client.ts';
import { open } from '../support/positions.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';

/** Why an order ended, as its history tells. */
async function reason(w: World, orderId: string): Promise<string> {
  const { order } = (await w.control.request('GET', `/orders/${orderId}`)) as Json;
  return order.reason;
}

describe('an own bid at the best price', () => {
  const it = scenarios();

  /** Alice bids 0.1 at 95, ahead of what others bid. */
  async function ownBid(w: World): Promise<string> {
    await w.rest('BUY', 94.9, 5);
    return (await one(w.alice.spot(limit('BUY', 95, 0.1)))).orderId;
  }

  for (const [what, body] of [
    ['a stop that releases a MARKET order', triggered('SELL', 'STOP_LOSS', 96)],
    ['a stop that releases a LIMIT order', triggeredLimit('SELL', 'STOP_LOSS', 96, 94.5)],
    ['a trailing stop', trailing('SELL', { trailValue: 4 })],
    ['the stop leg of an OCO', oco('SELL', { stopLossTriggerPrice: 96, stopLossOrderPrice: 94.5 })],
  ] as const) {
    it(`gives way to ${what}, which fills 1`, { rule: '4.13' }, async (w) => {
      const own = await ownBid(w);
      const fired = (await ok(w.alice.spot(body))).at(-1).orderId;
      await w.price(BTC, { last: 96 });
      assert.equal(await w.state(fired), 'ORDER_FULLY_TRANSACTED');
      assert.equal(await reason(w, own), 'selfTrade');
      assert.equal((await w.balance('BTC')).total, '999');
    });
  }

  it('gives way to the taker child of a TWAP', { rule: '4.13' }, async (w) => {
    const own = await ownBid(w);
    const { orderId } = await one(w.alice.spot(twap('SELL')));
    assert.equal((await ok(w.alice.lookup(orderId))).totalFilledBaseSize, 0.05);
    assert.equal(await reason(w, own), 'selfTrade');
  });

  it('does not give way to an order that neither protects nor closes', { rule: ['4.11', '4.13'] }, async (w) => {
    const own = await ownBid(w);
    assert.equal((await one(w.alice.spot(sellMarket(1)))).status, 6);
    assert.equal(await w.state(own), 'ORDER_INSERTED');
  });
});

describe('an own limit leg of an OCO that gives way', () => {
  const it = scenarios();

  it('leaves its stop leg alone with what is left', { rule: ['4.13', '7.14'] }, async (w) => {
    await w.rest('BUY', 94.9, 5);
    const bids = oco('BUY', { takeProfitOrderPrice: 95, orderSize: 0.5 });
    const [profit, loss] = await ok(w.alice.spot(bids));
    await ok(w.alice.spot(triggered('SELL', 'STOP_LOSS', 96)));
    await w.price(BTC, { last: 96 });
    assert.equal(await reason(w, profit.orderId), 'selfTrade');
    assert.equal(await w.state(loss.orderId), 'TRIGGER_INSERTED');
    assert.equal((await w.balance('USDT')).reserved, '53');
  });
});

for (const selfTrade of ['cancelIncoming', 'cancelBoth'] as const) {
  describe(`a long of 10 with an own bid ahead of the others' (selfTrade: ${selfTrade})`, () => {
    const it = scenarios({ selfTrade });

    /** Returns the own bid, and that it ended for a self-trade while the whole position was closed. */
    async function closes(w: World, close: () => Promise<unknown>): Promise<void> {
      await open(w, 10);
      const { orderID } = await one(w.alice.future(future('BUY', 99, 1)));
      await w.rest('BUY', 98.9, 20, PERP);
      await close();
      assert.equal(await reason(w, orderID), 'selfTrade');
      assert.equal(await w.position(), 0);
    }

    for (const [what, body] of [
      ['STOP', stop('SELL', 96)],
      ['TRIGGER', stop('SELL', 104, 10, { txType: 'TRIGGER' })],
      ['reduce-only STOP', stop('SELL', 96, 10, { reduceOnly: true })],
      ['trailing stop', { symbol: PERP, side: 'SELL', type: 'MARKET', size: 10, trailValue: 4 }],
    ] as const) {
      it(`is closed by a ${what}`, { rule: '4.13' }, async (w) => {
        await closes(w, async () => {
          await ok(w.alice.future(body));
          await w.price(PERP, { mark: what === 'TRIGGER' ? 104 : 96 });
        });
      });
    }

    it('is closed by a reduce-only order', { rule: '4.13' }, async (w) => {
      await closes(w, () => ok(w.alice.future(future('SELL', null, 10, { reduceOnly: true }))));
    });

    it('is closed by a close of the position', { rule: '4.13' }, async (w) => {
      const body = { symbol: PERP, type: 'MARKET' };
      await closes(w, () => ok(w.alice.call('POST', '/futures/api/v2.3/order/close_position', { body })));
    });

    it('is closed by its attached stop-loss', { rule: '4.13' }, async (w) => {
      await w.rest('SELL', 100, 10, PERP);
      await ok(w.alice.future(future('BUY', null, 10, { stopLossPrice: 96 })));
      const { orderID } = await one(w.alice.future(future('BUY', 99, 1)));
      await w.rest('BUY', 98.9, 20, PERP);
      await w.price(PERP, { mark: 96 });
      assert.deepEqual([await reason(w, orderID), await w.position()], ['selfTrade', 0]);
    });
  });
}

describe('a stop-limit that has fired and rests', () => {
  const it = scenarios();

  it('still goes on past an own order when it is amended into it', { rule: ['4.7', '4.13'] }, async (w) => {
    const { orderId } = await one(w.alice.spot(triggeredLimit('SELL', 'STOP_LOSS', 96, 95)));
    await w.price(BTC, { last: 96 });
    const { orderId: own } = await one(w.alice.spot(limit('BUY', 94, 1)));
    await w.rest('BUY', 93.5, 1);
    const [{ status }] = await ok(w.alice.amendSpot(orderId, { orderPrice: 93.5 }));
    assert.equal(status, 4);
    assert.equal(await reason(w, own), 'selfTrade');
  });
});
