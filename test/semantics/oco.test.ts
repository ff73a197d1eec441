/** semantics.md section 7: OCO. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { future, limit, oco } from '../support/bodies.ts';
import { type Json, ok, one, refused } from '../support/client.ts';
import { open } from '../support/positions.ts';
import { BTC, PERP, scenarios, type World } from '../support/venue.ts';

async function place(w: World, side: 'BUY' | 'SELL' = 'SELL', extra: Json = {}): Promise<[string, string]> {
  const [limitLeg, stopLeg] = await ok(w.alice.spot(oco(side, extra)));
  return [limitLeg.orderId, stopLeg.orderId];
}

const FUTURES_OCO = { ...future('SELL', 105), type: 'OCO', triggerPrice: 95, stopPrice: 94 };

describe('OCO', () => {
  const it = scenarios();

  it('replies with the take-profit leg first: types 76, status 2 and 9, at their prices', {
    rule: '7.1',
  }, async (w) => {
    const records = await ok(w.alice.spot(oco()));
    assert.deepEqual(
      records.map((record: Json) => [record.type, record.status, record.orderPrice]),
      [
        [76, 2, 105],
        [76, 9, 94],
      ],
    );
  });

  it('take-profit filled: the stop leg is cancelled', { rule: '7.8' }, async (w) => {
    const [profit, loss] = await place(w);
    await ok(w.bob.spot(limit('BUY', 105)));
    assert.deepEqual([await w.state(profit), await w.state(loss)], ['ORDER_FULLY_TRANSACTED', 'ORDER_CANCELLED']);
    assert.equal((await w.balance('BTC')).reserved, '0');
  });

  it('stop fired: the take-profit leg is cancelled before the stop enters, which then rests or fills', {
    rule: ['7.2', '7.9'],
  }, async (w) => {
    await w.rest('BUY', 94, 0.4);
    const [profit, loss] = await place(w);
    await w.price(BTC, { last: 95 });
    assert.equal(await w.state(profit), 'ORDER_CANCELLED');
    const record = await ok(w.alice.lookup(loss));
    assert.deepEqual(
      [record.orderState, record.orderPrice, record.totalFilledBaseSize, record.timeInForce],
      ['ORDER_PARTIALLY_TRANSACTED', 94, 0.4, 'GTC'],
    );
    assert.equal((await w.balance('BTC')).reserved, '0.6');
  });

  it('take-profit partly filled: the stop leg shrinks to what is left; the two never trade more than the size', {
    rule: ['7.10', '7.11'],
  }, async (w) => {
    const [profit, loss] = await place(w);
    await ok(w.bob.spot(limit('BUY', 105, 0.3)));
    const record = await ok(w.alice.lookup(loss));
    assert.deepEqual([record.originalOrderBaseSize, record.currentOrderBaseSize], [1, 0.7]);
    await w.rest('BUY', 94, 5);
    await w.price(BTC, { last: 95 });
    assert.deepEqual([await w.state(profit), await w.state(loss)], ['ORDER_CANCELLED', 'ORDER_FULLY_TRANSACTED']);
    assert.equal((await w.balance('BTC')).total, '999');
  });

  for (const [first, leg] of [
    ['limit', 0],
    ['stop', 1],
  ] as const) {
    it(`cancelling the ${first} leg cancels both, and both records come back, limit leg first`, {
      rule: '7.12',
    }, async (w) => {
      const ids = await place(w);
      const records = await ok(w.alice.cancelSpot(ids[leg]));
      assert.deepEqual(
        records.map((record: Json) => [record.orderId, record.status]),
        [
          [ids[0], 6],
          [ids[1], 6],
        ],
      );
      assert.equal((await w.balance('BTC')).reserved, '0');
    });
  }

  it('a BUY is mirrored', async (w) => {
    const [profit, loss] = await place(w, 'BUY');
    await w.rest('SELL', 106, 1);
    await w.price(BTC, { last: 105 });
    assert.deepEqual([await w.state(profit), await w.state(loss)], ['ORDER_CANCELLED', 'ORDER_FULLY_TRANSACTED']);
    assert.equal((await w.balance('USDT')).total, '999894');
  });

  it('needs take-profit > ref > stop trigger on SELL, the reverse on BUY, by the reference of the stop: else 302', {
    rule: '7.6',
  }, async (w) => {
    await w.price(BTC, { mark: 200 });
    const wrong = (body: Json, field: string) => refused(w.alice.spot(body), 302, field);
    await wrong(oco('SELL', { takeProfitOrderPrice: 100 }), 'takeProfitOrderPrice 100');
    await wrong(oco('SELL', { stopLossTriggerPrice: 100, stopLossOrderPrice: 99 }), 'stopLossTriggerPrice 100');
    await wrong(oco('BUY', { takeProfitOrderPrice: 100 }), 'takeProfitOrderPrice 100');
    await wrong(oco('BUY', { stopLossTriggerPrice: 100, stopLossOrderPrice: 101 }), 'stopLossTriggerPrice 100');
    await wrong(oco('SELL', { stopLossTriggerPriceType: 'MARK_PRICE' }), 'takeProfitOrderPrice 105');
    await ok(w.alice.spot(oco('SELL', { stopLossTriggerPriceType: 'MARK_PRICE', takeProfitOrderPrice: 201 })));
  });

  it('an IOC take-profit that fills 0.4 of 1 leaves the stop leg the other 0.6, which it reserves and sells', {
    rule: ['1.24', '7.13', '7.14'],
  }, async (w) => {
    await w.rest('BUY', 105, 0.4);
    const [profit, loss] = await ok(w.alice.spot(oco('SELL', { timeInForce: 'IOC' })));
    const sizes = (leg: Json) => [leg.status, leg.totalFilledBaseSize, leg.currentOrderBaseSize];
    assert.deepEqual(
      [sizes(profit), sizes(loss)],
      [
        [6, 0.4, 1],
        [9, 0, 0.6],
      ],
    );
    const { reserved, total } = await w.balance('BTC');
    assert.deepEqual([reserved, total], ['0.6', '999.6']);
    await w.rest('BUY', 94, 5);
    await w.price(BTC, { last: 95 });
    assert.equal(await w.state(loss.orderId), 'ORDER_FULLY_TRANSACTED');
    assert.deepEqual([(await w.balance('BTC')).total, (await w.balance('BTC')).reserved], ['999', '0']);
  });

  for (const timeInForce of ['IOC', 'FOK']) {
    it(`a BUY whose ${timeInForce} take-profit finds nothing keeps its stop leg, which reserves its own price`, {
      rule: ['1.24', '7.13', '7.14'],
    }, async (w) => {
      const [profit, loss] = await place(w, 'BUY', { timeInForce });
      assert.deepEqual([await w.state(profit), await w.state(loss)], ['ORDER_CANCELLED', 'TRIGGER_INSERTED']);
      assert.equal((await w.balance('USDT')).reserved, '106');
      const [{ status }] = await ok(w.alice.cancelSpot(loss));
      assert.equal(status, 6);
      assert.equal((await w.balance('USDT')).reserved, '0');
    });
  }

  it('a stop leg left alone by its take-profit is found under their client id', {
    rule: ['2.17', '7.14'],
  }, async (w) => {
    const [, loss] = await place(w, 'SELL', { timeInForce: 'IOC', clOrderId: 'pair' });
    assert.equal((await ok(w.alice.lookup({ clOrderId: 'pair' }))).orderId, loss);
  });

  it('both legs count as wrapper orders and share a request', { rule: '1.34' }, async (w) => {
    const [profit, loss] = await place(w);
    const [a, b] = [await ok(w.alice.lookup(profit)), await ok(w.alice.lookup(loss))];
    assert.deepEqual([a.wrapperOrder, b.wrapperOrder, a.requestId === b.requestId], [true, true, true]);
  });
});

interface Told {
  readonly order: { readonly timeInForce: string | null; readonly reason: string | null };
}

describe('the legs of an OCO', () => {
  const it = scenarios();

  const told = async (w: World, id: string) => ((await w.control.request('GET', `/orders/${id}`)) as Told).order;

  it('without a time in force are GTC: the limit leg from the start, the stop leg once released', {
    rule: ['7.2', '7.13'],
  }, async (w) => {
    const DAYS_40 = 40 * 86_400_000;
    const [profit, loss] = await place(w);
    assert.deepEqual([(await told(w, profit)).timeInForce, (await told(w, loss)).timeInForce], ['GTC', null]);
    await w.advance(DAYS_40);
    await w.price(BTC, { index: 100 });
    await w.price(BTC, { last: 95 });
    assert.equal((await told(w, loss)).timeInForce, 'GTC');
    await w.advance(DAYS_40);
    assert.equal(await w.state(loss), 'ORDER_INSERTED');
  });

  it('say why they ended: by the other leg, by the client, by the book', {
    rule: ['7.7', '7.8', '7.9', '7.12'],
  }, async (w) => {
    const reasons = async (legs: string[]) => Promise.all(legs.map(async (id) => (await told(w, id)).reason));
    const filled = await place(w);
    await ok(w.bob.spot(limit('BUY', 105)));
    assert.deepEqual(await reasons(filled), [null, 'ocoSiblingFilled']);
    await w.price(BTC, { last: 100 });
    const fired = await place(w);
    await w.price(BTC, { last: 95 });
    assert.deepEqual(await reasons(fired), ['ocoSiblingTriggered', null]);
    await ok(w.alice.cancelSpot(fired[1]));
    await w.price(BTC, { last: 100 });
    for (const leg of [0, 1]) {
      // The limit leg goes first, whichever was named.
      const cancelled = await place(w);
      await ok(w.alice.cancelSpot(cancelled[leg]));
      assert.deepEqual(await reasons(cancelled), ['cancelledByClient', 'ocoCancelled']);
    }
    await w.rest('BUY', 105, 1);
    const crossing = await place(w, 'SELL', { postOnly: true });
    assert.deepEqual(await reasons(crossing), ['postOnlyWouldMatch', 'ocoLimitLegRejected']);
  });

  it('the limit leg has to lie inside the price band', { rule: ['4.28', '4.29', '7.6'] }, async (w) => {
    // By last, which is far from the index, either is on its right side; the band is 90 to 110.
    await w.price(BTC, { last: 60 });
    const sell = (price: number) =>
      w.alice.spot(oco('SELL', { takeProfitOrderPrice: price, stopLossTriggerPrice: 50, stopLossOrderPrice: 49 }));
    await refused(sell(89.9), 33001003, '89.9');
    await ok(sell(90));
    await w.price(BTC, { last: 140 });
    const buy = (price: number) =>
      w.alice.spot(oco('BUY', { takeProfitOrderPrice: price, stopLossTriggerPrice: 150, stopLossOrderPrice: 151 }));
    await refused(buy(110.1), 33001003, '110.1');
    await ok(buy(110));
    await w.price(PERP, { last: 60 });
    const future = (price: number) =>
      w.alice.future({ ...FUTURES_OCO, trigger: 'lastPrice', price, triggerPrice: 50, stopPrice: 49 });
    await refused(future(89.9), 33001003, '89.9');
    await ok(future(90));
  });
});

describe('an OCO left with less than the minimum size', () => {
  const it = scenarios({ markets: [{ symbol: BTC, minSize: '0.1' }] });

  it('keeps its stop leg as it is: the rest still trades, never more than the size', {
    rule: ['7.10', '7.11'],
  }, async (w) => {
    const [, loss] = await place(w);
    await ok(w.bob.spot(limit('BUY', 105, 0.95)));
    assert.equal((await ok(w.alice.lookup(loss))).currentOrderBaseSize, 0.05);
    await w.rest('BUY', 94, 5);
    await w.price(BTC, { last: 95 });
    assert.equal(await w.state(loss), 'ORDER_FULLY_TRANSACTED');
    assert.equal((await w.balance('BTC')).total, '999');
  });
});

describe('futures OCO', () => {
  const it = scenarios();

  it('needs price, triggerPrice and stopPrice; txType may be left out, LIMIT or STOP', {
    rule: ['7.3', '7.4'],
  }, async (w) => {
    for (const field of ['price', 'triggerPrice', 'stopPrice']) {
      await refused(w.alice.future({ ...FUTURES_OCO, [field]: 0 }), -2, field);
    }
    for (const txType of ['LIMIT', 'STOP']) await ok(w.alice.future({ ...FUTURES_OCO, txType }));
    await refused(w.alice.future({ ...FUTURES_OCO, txType: 'TRIGGER' }), -2, 'txType');
  });

  it('needs price > ref > triggerPrice on SELL, the reverse on BUY, by the mark or the last price: else 302', {
    rule: '7.6',
  }, async (w) => {
    await w.price(PERP, { last: 110 });
    const buy = { ...FUTURES_OCO, side: 'BUY', price: 95, triggerPrice: 105, stopPrice: 106 };
    for (const wrong of [
      { ...FUTURES_OCO, price: 100 },
      { ...FUTURES_OCO, triggerPrice: 100 },
      { ...FUTURES_OCO, trigger: 'lastPrice' },
      { ...buy, price: 100 },
      { ...buy, triggerPrice: 100 },
    ]) {
      await refused(w.alice.future(wrong), 302);
    }
    for (const right of [FUTURES_OCO, buy]) await ok(w.alice.future(right));
  });

  it('replies with the stop leg first, shows stopPrice as its price, and waits for the mark by default', {
    rule: ['7.3', '7.4', '7.5'],
  }, async (w) => {
    const [loss, profit] = await ok(w.alice.future(FUTURES_OCO));
    assert.deepEqual([loss.status, loss.price, loss.triggerPrice, loss.trigger], [9, 94, 95, true]);
    assert.deepEqual([profit.status, profit.price, profit.triggerPrice, profit.trigger], [2, 105, 0, false]);
    await w.price(PERP, { last: 95 });
    assert.equal((await ok(w.alice.futureOrder(loss.orderID))).triggered, false);
    await w.price(PERP, { mark: 95 });
    assert.equal((await ok(w.alice.futureOrder(loss.orderID))).status, 2);
    assert.equal((await ok(w.alice.futureOrder(profit.orderID))).status, 6);
  });

  it('with a timed validity that runs out keeps its stop leg', { rule: '7.14' }, async (w) => {
    const legs = await ok(w.alice.future({ ...FUTURES_OCO, time_in_force: 'HALFMIN' }));
    await ok(w.bob.future(future('BUY', 105, 4)));
    await w.advance(30_000);
    const rows = await Promise.all(legs.map(({ orderID }: Json) => ok(w.alice.futureOrder(orderID))));
    assert.deepEqual(
      rows.map((row) => [row.status, row.remainingSize]),
      [
        [9, 6],
        [6, 6],
      ],
    );
    await w.price(PERP, { mark: 95 });
    assert.equal((await ok(w.alice.futureOrder(legs[0].orderID))).status, 2);
  });

  describe('reduceOnly', () => {
    /** Alice is long 10; returns what is told of both legs: status and what is left, the take-profit first. */
    async function long(w: World): Promise<() => Promise<[number, number][]>> {
      await open(w, 10);
      const [loss, profit] = await ok(w.alice.future({ ...FUTURES_OCO, reduceOnly: true }));
      return async () => {
        const rows = await Promise.all(
          [profit, loss].map(({ orderID }: Json) => ok(w.alice.futureOrder(orderID)) as Promise<Json>),
        );
        return rows.map((row) => [row.status, row.remainingSize]);
      };
    }

    it('shrinks in both legs with its position', { rule: '7.15' }, async (w) => {
      const legs = await long(w);
      await w.rest('BUY', 99, 50, PERP);
      await ok(w.alice.future(future('SELL', null, 3)));
      assert.deepEqual(await legs(), [
        [2, 7],
        [9, 7],
      ]);
      await w.rest('BUY', 94, 20, PERP);
      await w.price(PERP, { mark: 95 });
      assert.deepEqual([(await legs())[1], await w.position()], [[4, 0], 0]);
    });

    it('goes with its position, both legs', { rule: '7.15' }, async (w) => {
      const legs = await long(w);
      await w.rest('BUY', 99, 10, PERP);
      await ok(w.alice.future(future('SELL', null, 10)));
      assert.deepEqual(
        (await legs()).map(([status]) => status),
        [6, 6],
      );
      assert.deepEqual(await ok(w.alice.v3Orders()), []);
    });

    it('whose take-profit leg expires keeps its stop leg, which shrinks with the position and goes with it', {
      rule: ['7.14', '7.15'],
    }, async (w) => {
      await open(w, 10);
      const [loss] = await ok(w.alice.future({ ...FUTURES_OCO, reduceOnly: true, time_in_force: 'HALFMIN' }));
      await w.advance(30_000);
      const left = async () => {
        const { status, remainingSize } = await ok(w.alice.futureOrder(loss.orderID));
        return [status, remainingSize];
      };
      assert.deepEqual(await left(), [9, 10]);
      await w.rest('BUY', 99, 10, PERP);
      await ok(w.alice.future(future('SELL', null, 3)));
      assert.deepEqual(await left(), [9, 7]);
      await ok(w.alice.future(future('SELL', null, 7)));
      assert.deepEqual(await left(), [6, 7]);
    });

    it('whose take-profit leg makes room for a nearer one keeps its stop leg', {
      rule: ['7.14', '7.15'],
    }, async (w) => {
      const legs = await long(w);
      await ok(w.alice.future(future('SELL', 101, 10, { reduceOnly: true })));
      await ok(w.bob.future(future('BUY', 101, 4)));
      assert.deepEqual(await legs(), [
        [6, 10],
        [9, 6],
      ]);
    });
  });

  it('v3 replies with the take-profit leg first', { rule: '7.5' }, async (w) => {
    const [profit, loss] = await ok(
      w.alice.v3({
        symbol: PERP,
        orderSide: 'SELL',
        orderType: 'OCO',
        orderSize: '10',
        takeProfitOrderPrice: '105',
        stopLossOrderPrice: '94',
        stopLossTriggerPrice: '95',
        stopLossTriggerType: 'LAST_PRICE',
      }),
    );
    assert.deepEqual([profit.status, profit.orderPrice, loss.status, loss.orderPrice], [2, 105, 9, 94]);
    await w.price(PERP, { last: 95 });
    assert.equal((await ok(w.alice.futureOrder(loss.orderId))).triggered, true);
    assert.equal((await one(w.alice.cancelV3({ orderId: loss.orderId }))).status, 6);
  });
});
