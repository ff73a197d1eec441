/** semantics.md section 11, the one-way parts: positions, reduce-only, attached take-profit and stop-loss. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, stop } from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { PERP, scenarios, type World } from '../support/venue.ts';

/** Alice gets a position of `size` contracts at 100, long when positive. */
async function hold(w: World, size: number): Promise<void> {
  await w.rest(size > 0 ? 'SELL' : 'BUY', 100, Math.abs(size), PERP);
  await ok(w.alice.future(future(size > 0 ? 'BUY' : 'SELL', null, Math.abs(size))));
  assert.equal(await w.position(), size);
}

async function order(w: World, id: string): Promise<Json> {
  return ok(w.alice.futureOrder(id));
}

describe('ONE_WAY', () => {
  const it = scenarios();

  it('nets: buys and sells make one position, which may flip', { rule: '11.1' }, async (w) => {
    await hold(w, 10);
    await w.rest('BUY', 100, 25, PERP);
    await ok(w.alice.future(future('SELL', null, 4)));
    assert.equal(await w.position(), 6);
    await ok(w.alice.future(future('SELL', null, 16)));
    assert.equal(await w.position(), -10);
  });

  it('realises the result of what is closed into the wallet', { rule: '11.1' }, async (w) => {
    await hold(w, 1_000_000);
    await w.rest('BUY', 101, 1_000_000, PERP);
    const before = Number((await w.balance('USDT')).total);
    await ok(w.alice.future(future('SELL', null, 1_000_000)));
    // + 10 USDT of profit, less 0.055 % of 1,010 USDT
    assert.equal(Number((await w.balance('USDT')).total).toFixed(6), (before + 10 - 0.5555).toFixed(6));
  });

  it('shows the average entry price', async (w) => {
    await w.rest('SELL', 100, 10, PERP);
    await w.rest('SELL', 101, 10, PERP);
    await ok(w.alice.future(future('BUY', null, 20)));
    const [position] = (await w.account()).positions;
    assert.deepEqual([position.size, position.direction, position.entryPrice, position.mark], [20, 'LONG', 100.5, 100]);
  });
});

describe('reduce-only', () => {
  const it = scenarios();

  it('never grows or opens a position', { rule: ['1.7', '11.17'] }, async (w) => {
    await refused(w.alice.future(future('BUY', null, 10, { reduceOnly: true })), 33199120);
    await hold(w, -10);
    await refused(w.alice.future(future('SELL', 101, 10, { reduceOnly: true })), 33199120);
  });

  it('is clipped to the position at entry, and never flips it', { rule: '11.18' }, async (w) => {
    await hold(w, 10);
    await w.rest('BUY', 99, 50, PERP);
    const record = await one(w.alice.future(future('SELL', null, 25, { reduceOnly: true })));
    assert.deepEqual(
      [record.status, record.originalOrderSize, record.currentOrderSize, record.totalFilledSize],
      [4, 25, 10, 10],
    );
    assert.equal(await w.position(), 0);
  });

  it('at rest shrinks with the position, least aggressive first, and does not grow back', {
    rule: '11.20',
  }, async (w) => {
    await hold(w, 10);
    const near = await one(w.alice.future(future('SELL', 101, 6, { reduceOnly: true })));
    const far = await one(w.alice.future(future('SELL', 102, 6, { reduceOnly: true })));
    await w.rest('BUY', 99, 50, PERP);
    await ok(w.alice.future(future('SELL', null, 3)));
    // a position of 7 leaves 6 at 101 and 1 at 102
    assert.deepEqual(
      [(await order(w, near.orderID)).remainingSize, (await order(w, far.orderID)).remainingSize],
      [6, 1],
    );
    await w.rest('SELL', 100, 3, PERP);
    await ok(w.alice.future(future('BUY', 100, 3)));
    assert.equal((await order(w, far.orderID)).remainingSize, 1);
  });

  it('at rest several may be more than the position; the first fill brings them down to it', {
    rule: '11.20',
  }, async (w) => {
    await hold(w, 10);
    const far = await one(w.alice.future(future('SELL', 102, 10, { reduceOnly: true })));
    const near = await one(w.alice.future(future('SELL', 101, 10, { reduceOnly: true })));
    assert.deepEqual([far.status, near.status, (await order(w, far.orderID)).remainingSize], [2, 2, 10]);
    await ok(w.bob.future(future('BUY', 101, 1)));
    assert.equal((await order(w, near.orderID)).remainingSize, 9);
    assert.equal((await order(w, far.orderID)).status, 6);
  });

  it('at rest says in its history when it was reduced, and to what', { rule: ['3.18', '11.20'] }, async (w) => {
    await hold(w, 10);
    const { orderID } = await one(w.alice.future(future('SELL', 102, 10, { reduceOnly: true })));
    await w.rest('BUY', 99, 50, PERP);
    await ok(w.alice.future(future('SELL', null, 3)));
    const { events } = (await w.control.request('GET', `/orders/${orderID}`)) as Json;
    const { type, remaining } = events.at(-1);
    assert.deepEqual([type, remaining], ['reduced', '7']);
  });

  it('at rest is gone, with a reason, when the position is gone', { rule: '11.21' }, async (w) => {
    await hold(w, 10);
    const { orderID } = await one(w.alice.future(future('SELL', 101, 10, { reduceOnly: true })));
    await w.rest('BUY', 99, 10, PERP);
    await ok(w.alice.future(future('SELL', null, 10)));
    assert.equal((await order(w, orderID)).status, 6);
    assert.equal(((await w.control.request('GET', `/orders/${orderID}`)) as Json).order.reason, 'positionClosed');
    assert.deepEqual(await ok(w.alice.v3Orders()), []);
  });

  it('is clipped again at match time within one sweep', { rule: '11.19' }, async (w) => {
    await hold(w, 10);
    await ok(w.alice.future(future('SELL', 101, 10, { reduceOnly: true })));
    await ok(w.alice.future(future('SELL', 101.5, 10, { reduceOnly: true })));
    const taker = await one(w.bob.future(future('BUY', 102, 20, { time_in_force: 'IOC' })));
    assert.deepEqual([taker.totalFilledSize, taker.status], [10, 6]);
    assert.equal(await w.position(), 0);
  });

  for (const [what, body] of [
    ['STOP', stop('SELL', 95, 10)],
    ['TRIGGER', stop('SELL', 105, 10, { txType: 'TRIGGER' })],
    ['stop-limit', stop('SELL', 95, 10, { type: 'LIMIT', price: 94 })],
    ['trailing stop', { symbol: PERP, side: 'SELL', type: 'MARKET', size: 10, trailValue: 5 }],
  ] as const) {
    it(`a ${what} placed with a position goes with it; its size stays while the position shrinks`, {
      rule: '11.22',
    }, async (w) => {
      await hold(w, 10);
      const { orderID } = await one(w.alice.future({ ...body, reduceOnly: true }));
      await w.rest('BUY', 99, 10, PERP);
      await ok(w.alice.future(future('SELL', null, 4)));
      assert.deepEqual([(await order(w, orderID)).status, (await order(w, orderID)).remainingSize], [9, 10]);
      await ok(w.alice.future(future('SELL', null, 6)));
      assert.equal((await order(w, orderID)).status, 6);
      const told = (await w.control.request('GET', `/orders/${orderID}`)) as Json;
      assert.equal(told.order.reason, 'positionClosed');
    });

    it(`a ${what} placed before there is a position waits on when one comes and goes`, { rule: '11.23' }, async (w) => {
      const { orderID } = await one(w.alice.future({ ...body, reduceOnly: true }));
      await hold(w, 10);
      await w.rest('BUY', 99, 10, PERP);
      await ok(w.alice.future(future('SELL', null, 10)));
      assert.equal((await order(w, orderID)).status, 9);
    });
  }

  it('a trigger placed with a position goes with it after a restart of the venue, too', {
    rule: '11.22',
  }, async (w) => {
    await hold(w, 10);
    const { orderID } = await one(w.alice.future(stop('SELL', 95, 10, { reduceOnly: true })));
    await w.control.save('held');
    await w.control.restore('held');
    await w.rest('BUY', 99, 10, PERP);
    await ok(w.alice.future(future('SELL', null, 10)));
    assert.equal((await order(w, orderID)).status, 6);
  });

  it('needs no margin', { rule: '11.35' }, async (w) => {
    await hold(w, 1_000_000);
    const { available } = await w.balance('USDT');
    await ok(w.alice.future(future('SELL', 101, 1_000_000, { reduceOnly: true })));
    assert.equal((await w.balance('USDT')).available, available);
  });
});

describe('attached take-profit and stop-loss', () => {
  const it = scenarios();
  const attach = { takeProfitPrice: 110, stopLossPrice: 95 };

  async function parent(w: World, extra: Json = {}): Promise<string> {
    return (await one(w.alice.future(future('BUY', 100, 10, { ...attach, ...extra })))).orderID;
  }

  for (const field of ['takeProfitPrice', 'stopLossPrice'] as const) {
    it(`v2.3: ${field} with reduceOnly is malformed`, { rule: '11.32' }, async (w) => {
      for (const extra of [{}, { type: 'MARKET' }, { txType: 'STOP', triggerPrice: 105 }]) {
        const body = { ...future('BUY', 100, 10, { reduceOnly: true, [field]: attach[field] }), ...extra };
        await refused(w.alice.future(extra.type === undefined ? body : { ...body, price: 0 }), -2, field);
      }
    });
  }

  for (const field of ['takeProfitTriggerPrice', 'stopLossTriggerPrice']) {
    it(`v3: ${field} with reduceOnly is malformed`, { rule: '11.32' }, async (w) => {
      const common = { symbol: PERP, orderSide: 'BUY', orderSize: 10, reduceOnly: true, [field]: 105 };
      for (const kind of [
        { orderType: 'LIMIT', orderPrice: 100 },
        { orderType: 'MARKET' },
        { orderType: 'CONDITIONAL', triggerPrice: 101 },
      ]) {
        await refused(w.alice.v3({ ...common, ...kind }), -2, field);
      }
    });
  }

  it('do not exist before the first fill, then grow with the fills', { rule: '11.25' }, async (w) => {
    const id = await parent(w);
    assert.deepEqual([(await order(w, id)).takeProfitOrder.orderId, (await ok(w.alice.v3Orders())).length], ['', 1]);
    await ok(w.bob.future(future('SELL', 100, 4)));
    const { takeProfitOrder, stopLossOrder } = await order(w, id);
    const sizes = async () => [
      (await order(w, takeProfitOrder.orderId)).currentOrderSize,
      (await order(w, stopLossOrder.orderId)).currentOrderSize,
    ];
    assert.deepEqual(await sizes(), [4, 4]);
    await ok(w.bob.future(future('SELL', 100, 6)));
    assert.deepEqual(await sizes(), [10, 10]);
    assert.equal((await order(w, takeProfitOrder.orderId)).closeOrder, true);
  });

  it('are shown in the record of their parent each with its own price, on v2.3 and v3', {
    rule: '11.25',
  }, async (w) => {
    const id = await parent(w);
    await ok(w.bob.future(future('SELL', 100, 4)));
    const [row] = (await ok(w.alice.v3Orders())).filter(({ orderId }: Json) => orderId === id);
    for (const record of [await order(w, id), row]) {
      const { takeProfitOrder, stopLossOrder } = record;
      assert.deepEqual([takeProfitOrder.triggerPrice, stopLossOrder.triggerPrice], [110, 95]);
      assert.equal((await order(w, stopLossOrder.orderId)).triggerPrice, 95);
    }
  });

  it('have as their original size all that their parent has opened', { rule: ['1.37', '11.25'] }, async (w) => {
    const id = await parent(w);
    await ok(w.bob.future(future('SELL', 100, 4)));
    const { takeProfitOrder, stopLossOrder } = await order(w, id);
    const originals = async () => {
      const legs = [await order(w, takeProfitOrder.orderId), await order(w, stopLossOrder.orderId)];
      return legs.map((leg) => leg.originalOrderSize);
    };
    assert.deepEqual(await originals(), [4, 4]);
    await ok(w.bob.future(future('SELL', 100, 5)));
    assert.deepEqual(await originals(), [9, 9]);
  });

  it('cover only the part that opens', { rule: '11.24' }, async (w) => {
    await hold(w, -4);
    await w.rest('SELL', 100, 10, PERP);
    const { stopLossOrder } = await order(w, await parent(w));
    assert.equal((await order(w, stopLossOrder.orderId)).currentOrderSize, 6);
  });

  it('of a parent cancelled unfilled there are none', { rule: '11.28' }, async (w) => {
    const id = await parent(w);
    await ok(w.alice.cancelFuture({ orderID: id }));
    assert.deepEqual(await ok(w.alice.v3Orders()), []);
  });

  it('one fired cancels the other and closes the position', { rule: '11.26' }, async (w) => {
    await w.rest('SELL', 100, 10, PERP);
    const { takeProfitOrder, stopLossOrder } = await order(w, await parent(w));
    await w.rest('BUY', 109, 10, PERP);
    await w.price(PERP, { mark: 110 });
    assert.equal((await order(w, takeProfitOrder.orderId)).status, 4);
    assert.equal((await order(w, stopLossOrder.orderId)).status, 6);
    assert.equal(await w.position(), 0);
  });

  it('are gone when the position is', { rule: '11.27' }, async (w) => {
    await w.rest('SELL', 100, 10, PERP);
    await parent(w);
    assert.equal((await ok(w.alice.v3Orders())).length, 2);
    await w.rest('BUY', 99, 10, PERP);
    await ok(w.alice.future(future('SELL', null, 10)));
    assert.deepEqual(await ok(w.alice.v3Orders()), []);
  });

  it('one that fires and finds no book keeps waiting for the next observation', { rule: '11.30' }, async (w) => {
    await w.rest('SELL', 100, 10, PERP);
    const { stopLossOrder } = await order(w, await parent(w));
    await w.price(PERP, { mark: 94 });
    assert.equal((await order(w, stopLossOrder.orderId)).status, 9);
    await w.rest('BUY', 94, 4, PERP);
    await w.price(PERP, { mark: 93.9 });
    assert.deepEqual([await w.position(), (await order(w, stopLossOrder.orderId)).remainingSize], [6, 6]);
    await w.rest('BUY', 93, 10, PERP);
    await w.price(PERP, { mark: 93.8 });
    assert.deepEqual([await w.position(), (await order(w, stopLossOrder.orderId)).status], [0, 4]);
  });

  it('a take-profit filled in part leaves the stop-loss what is left of the position, and waits again with its rest', {
    rule: ['11.30', '11.31'],
  }, async (w) => {
    await w.rest('SELL', 100, 10, PERP);
    const { takeProfitOrder, stopLossOrder } = await order(w, await parent(w));
    await w.rest('BUY', 109.9, 1, PERP);
    await w.price(PERP, { mark: 110 });
    const left = async () => {
      const legs = [await order(w, takeProfitOrder.orderId), await order(w, stopLossOrder.orderId)];
      return legs.map(({ status, remainingSize, totalFilledSize }) => [status, remainingSize, totalFilledSize]);
    };
    assert.deepEqual(await left(), [
      [9, 9, 1],
      [9, 9, 0],
    ]);
    await w.rest('BUY', 94, 20, PERP);
    await w.price(PERP, { mark: 95 });
    assert.deepEqual(await left(), [
      [6, 9, 1],
      [4, 0, 9],
    ]);
    assert.equal(await w.position(), 0);
  });

  it('a stop-loss filled in part leaves the take-profit, and fires again at the next price that reaches it', {
    rule: ['11.30', '11.31'],
  }, async (w) => {
    await w.rest('SELL', 100, 10, PERP);
    const { takeProfitOrder, stopLossOrder } = await order(w, await parent(w));
    await w.rest('BUY', 95, 4, PERP);
    await w.price(PERP, { mark: 95 });
    assert.deepEqual([(await order(w, takeProfitOrder.orderId)).remainingSize, await w.position()], [6, 6]);
    await w.rest('BUY', 96, 1, PERP);
    await w.price(PERP, { mark: 96 });
    assert.equal(await w.position(), 6);
    await w.price(PERP, { mark: 95 });
    assert.deepEqual([(await order(w, takeProfitOrder.orderId)).remainingSize, await w.position()], [5, 5]);
    await w.price(PERP, { mark: 104 });
    await w.rest('BUY', 109, 5, PERP);
    await w.price(PERP, { mark: 110 });
    assert.deepEqual([(await order(w, stopLossOrder.orderId)).status, await w.position()], [6, 0]);
  });

  it('on the wrong side are refused with 302: of the order price, of MARKET of the reference', {
    rule: '11.29',
  }, async (w) => {
    await refused(w.alice.future(future('BUY', 100, 10, { takeProfitPrice: 100 })), 302, 'takeProfitPrice 100');
    await refused(w.alice.future(future('BUY', 100, 10, { stopLossPrice: 100 })), 302, 'stopLossPrice 100');
    await refused(w.alice.future(future('SELL', 100, 10, { takeProfitPrice: 101 })), 302, 'takeProfitPrice 101');
    await refused(w.alice.future(future('BUY', null, 10, { takeProfitPrice: 99 })), 302, 'takeProfitPrice 99');
    await w.price(PERP, { last: 120 });
    const byLast = { takeProfitPrice: 110, takeProfitTrigger: 'lastPrice' };
    await refused(w.alice.future(future('BUY', null, 10, byLast)), 302, 'takeProfitPrice 110');
  });

  it('come with MARKET orders and with triggers that fire', { rule: '11.25' }, async (w) => {
    await w.rest('SELL', 100, 10, PERP);
    const market = await one(w.alice.future(future('BUY', null, 10, attach)));
    assert.notEqual((await order(w, market.orderID)).stopLossOrder.orderId, '');
    await w.rest('SELL', 105, 10, PERP);
    const conditional = await one(w.alice.future(stop('BUY', 105, 10, { takeProfitPrice: 112, stopLossPrice: 96 })));
    assert.equal((await order(w, conditional.orderID)).stopLossOrder.orderId, '');
    await w.price(PERP, { mark: 105 });
    assert.notEqual((await order(w, conditional.orderID)).stopLossOrder.orderId, '');
  });

  it('v3 attaches them by takeProfitTriggerPrice and stopLossTriggerPrice', async (w) => {
    await w.rest('SELL', 100, 10, PERP);
    const placed = await ok(
      w.alice.v3({
        symbol: PERP,
        orderSide: 'BUY',
        orderType: 'LIMIT',
        orderSize: '10',
        orderPrice: '100',
        takeProfitTriggerPrice: '110',
        stopLossTriggerPrice: '95',
        stopLossTriggerType: 'LAST_PRICE',
      }),
    );
    assert.deepEqual([placed.type, placed.status, placed.positionDirection], [0, 4, null]);
    const rows = await ok(w.alice.v3Orders());
    assert.deepEqual(
      rows.map((row: Json) => [row.triggerPrice, row.triggerUseLastPrice, row.closeOrder]),
      [
        [110, false, true],
        [95, true, true],
      ],
    );
  });
});
