/** semantics.md sections 1 and 14: the status in a reply, the null rules of the records, and the v4 lookup kind by kind. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  buyMarket,
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
import { type Client, type Json, ok, one } from '../support/client.ts';
import { BTC, PERP, START_MS, scenarios, type World } from '../support/venue.ts';

const V33 = '/spot/api/v3.3/order';
const FUTURES_OCO = { ...future('SELL', 105), type: 'OCO', triggerPrice: 95, stopPrice: 94 };

function v3(side: 'BUY' | 'SELL', price: number, extra: Json = {}): Json {
  return { symbol: PERP, orderSide: side, orderType: 'LIMIT', orderSize: 10, orderPrice: price, ...extra };
}

describe('the status in the reply to a placement', () => {
  const it = scenarios();

  const SURFACES: [name: string, place: (c: Client, extra: Json) => Promise<Json>, immediate: Json][] = [
    ['spot v4', (c, extra) => one(c.spot(limit('BUY', 100, 1, extra))), { timeInForce: 'IOC' }],
    ['futures v2.3', (c, extra) => one(c.future(future('BUY', 100, 10, extra))), { time_in_force: 'IOC' }],
    ['futures v3', (c, extra) => ok(c.v3(v3('BUY', 100, extra))), { timeInForce: 'IOC' }],
  ];

  for (const [surface, place, immediate] of SURFACES) {
    it(`${surface}: 2 at rest, 5 partly filled and at rest, 4 filled, 6 ended, 15 rejected`, {
      rule: '1.20',
    }, async (w) => {
      const symbol = surface === 'spot v4' ? BTC : PERP;
      const size = surface === 'spot v4' ? 1 : 10;
      const asks = async (share: number) => {
        await w.cancelAll();
        if (share > 0) await w.rest('SELL', 100, size * share, symbol);
      };
      const statuses = [];
      for (const [share, extra] of [
        [0, {}],
        [0.4, {}],
        [1, {}],
        [0.4, immediate],
        [0.4, { postOnly: true }],
      ] as const) {
        await asks(share);
        statuses.push((await place(w.alice, extra)).status);
      }
      assert.deepEqual(statuses, [2, 5, 4, 6, 15]);
    });
  }

  it('is taken after the own matching and before what that sets off', { rule: '1.19' }, async (w) => {
    await w.rest('SELL', 105, 0.4);
    const { orderId: theirs } = await one(w.bob.spot(triggered('SELL', 'TAKE_PROFIT', 105)));
    const record = await one(w.alice.spot(limit('BUY', 105, 1)));
    assert.deepEqual([record.status, record.totalFilledBaseSize], [5, 0.4]);
    // Its print released bob's order, which took the rest.
    assert.equal(await w.state(record.orderId), 'ORDER_FULLY_TRANSACTED');
    assert.equal((await w.bob.lookup(theirs)).body.data.orderState, 'ORDER_CANCELLED');
  });

  it('is 9 for every trigger that waits, also where its condition holds: it fires as its own event', {
    rule: '1.21',
  }, async (w) => {
    for (const [body, holds] of [
      [triggered('SELL', 'STOP_LOSS', 95), triggered('SELL', 'STOP_LOSS', 101)],
      [triggered('SELL', 'TAKE_PROFIT', 105), triggered('SELL', 'TAKE_PROFIT', 99)],
      [trailing('SELL'), null],
    ]) {
      assert.equal((await one(w.alice.spot(body))).status, 9);
      if (holds === null) continue;
      const record = await one(w.alice.spot(holds));
      assert.equal(record.status, 9);
      assert.equal(await w.state(record.orderId), 'ORDER_CANCELLED');
    }
    for (const txType of ['STOP', 'TRIGGER']) {
      for (const price of [90, 110]) {
        const record = await one(w.alice.future(stop('BUY', price, 10, { txType })));
        const holds = (txType === 'STOP') === (price === 90);
        assert.equal(record.status, 9);
        assert.equal((await ok(w.alice.futureOrder(record.orderID))).triggered, holds, `${txType} at ${price}`);
      }
    }
    assert.equal((await ok(w.alice.spot(oco())))[1].status, 9);
    assert.equal((await ok(w.alice.future(FUTURES_OCO)))[0].status, 9);
  });

  it('is 2 for a TWAP, running or waiting for its activation', { rule: '1.22' }, async (w) => {
    assert.equal((await one(w.alice.spot(twap()))).status, 2);
    assert.equal((await one(w.alice.spot(twap('SELL', { activationTriggerPrice: 105 })))).status, 2);
  });
});

describe('null rules of the records', () => {
  const it = scenarios();

  it('message: null on spot v4 and empty on futures where there is nothing to say', { rule: '1.26' }, async (w) => {
    assert.equal((await one(w.alice.spot(limit('BUY', 99)))).message, null);
    assert.equal((await one(w.alice.future(future('BUY', 99)))).message, '');
    assert.equal((await ok(w.alice.v3(v3('BUY', 99)))).message, '');
  });

  it('stealth and deviation are on algo orders alone', { rule: '1.27' }, async (w) => {
    const plain = await one(w.alice.future(future('BUY', 99)));
    assert.deepEqual(['stealth' in plain, 'deviation' in plain], [false, false]);
    const body = { symbol: PERP, side: 'BUY', price: 99, size: 10, stealth: 50, deviation: -1 };
    const pegged = await one(w.alice.call('POST', '/futures/api/v2.3/order/peg', { body }));
    assert.deepEqual([pegged.stealth, pegged.deviation], [50, -1]);
  });

  it('positionDirection: left out on v2.3 and null on v3 in ONE_WAY', { rule: '1.29' }, async (w) => {
    assert.equal('positionDirection' in (await one(w.alice.future(future('BUY', 99)))), false);
    assert.equal((await ok(w.alice.v3(v3('BUY', 99)))).positionDirection, null);
    const hedged = { positionMode: 'HEDGE', symbol: 'ETH-PERP' };
    await w.price('ETH-PERP', { index: 100 });
    assert.equal((await one(w.alice.future(future('BUY', 99, 10, hedged)))).positionDirection, 'LONG');
    assert.equal((await ok(w.alice.v3(v3('SELL', 101, { symbol: 'ETH-PERP' })))).positionDirection, 'SHORT');
  });

  it('v2.3 price of a MARKET order is the average of its fills, 0 without any', { rule: '1.30' }, async (w) => {
    assert.equal((await one(w.alice.future(future('BUY', null)))).price, 0);
    await w.rest('SELL', 100, 5, PERP);
    await w.rest('SELL', 101, 5, PERP);
    assert.equal((await one(w.alice.future(future('BUY', null)))).price, 100.5);
  });

  it('v2.3 time_in_force is always a value, GTC where none was given', { rule: ['1.31', '1.33'] }, async (w) => {
    for (const body of [future('BUY', 99), future('BUY', null), stop('BUY', 105), FUTURES_OCO]) {
      for (const record of await ok(w.alice.future(body))) assert.equal(record.time_in_force, 'GTC');
    }
    assert.equal((await one(w.alice.future(future('BUY', 99, 10, { time_in_force: 'DAY' })))).time_in_force, 'DAY');
  });

  it('v3 timeInForce is always a value, GTC where none was given', { rule: '1.31' }, async (w) => {
    const market = { symbol: PERP, orderSide: 'BUY', orderType: 'MARKET', orderSize: 10 };
    const waits = { ...market, orderType: 'CONDITIONAL', triggerPrice: 105 };
    const placed = [await ok(w.alice.v3(v3('BUY', 99))), await ok(w.alice.v3(market)), await one(w.alice.v3(waits))];
    const listed: Json[] = await ok(w.alice.v3Orders());
    assert.equal(listed.length, 2);
    for (const record of [...placed, ...listed]) assert.equal(record.timeInForce, 'GTC');
  });

  it('spot v4 time_in_force is null for MARKET, TWAP, TRAILING, market triggers and a waiting stop leg, else as given', {
    rule: ['1.32', '1.33'],
  }, async (w) => {
    const times = async (body: Json) => (await ok(w.alice.spot(body))).map((record: Json) => record.time_in_force);
    assert.deepEqual(await times(sellMarket(1)), [null]);
    assert.deepEqual(await times(buyMarket(50)), [null]);
    assert.deepEqual(await times(twap()), [null]);
    assert.deepEqual(await times(trailing()), [null]);
    assert.deepEqual(await times(triggered('SELL', 'STOP_LOSS', 95)), [null]);
    assert.deepEqual(await times(oco()), ['GTC', null]);
    assert.deepEqual(await times(limit('BUY', 99)), ['GTC']);
    assert.deepEqual(await times(peg('BUY', 99)), ['GTC']);
    assert.deepEqual(await times(triggeredLimit('SELL', 'STOP_LOSS', 95, 94, { timeInForce: 'FOK' })), ['FOK']);
  });

  it('orderValue is price × current size in USDT, at the reference where there is no price', {
    rule: ['1.35', '1.36'],
  }, async (w) => {
    const worth = async (body: Json) => {
      const [{ orderId }] = await ok(w.alice.spot(body));
      return (await ok(w.alice.lookup(orderId))).orderValue;
    };
    assert.equal(await worth(limit('BUY', 98, 2)), 196);
    await w.price(BTC, { index: 101, last: 102 });
    assert.equal(await worth(triggered('SELL', 'STOP_LOSS', 95)), 101);
    assert.equal(await worth(triggered('BUY', 'STOP_LOSS', 105)), 50);
    const shrunk = await one(w.alice.spot(limit('BUY', 98, 2)));
    await ok(w.alice.amendSpot(shrunk.orderId, { orderSize: 1.5 }));
    assert.equal((await ok(w.alice.lookup(shrunk.orderId))).orderValue, 147);
    assert.equal(shrunk.userQuoteCurrency, 'USDT');
  });

  it('orderValue is cut to the smallest unit of the currency', { rule: '1.35' }, async (w) => {
    await w.price(BTC, { index: '100.0001' });
    const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95, { orderSize: '0.00001' })));
    // 0.001000001
    assert.equal((await ok(w.alice.lookup(orderId))).orderValue, 0.001);
  });

  it('both OCO legs say wrapperOrder, other orders do not', { rule: '1.34' }, async (w) => {
    const said = async (body: Json) => {
      const records: Json[] = await ok(w.alice.spot(body));
      return Promise.all(records.map(async ({ orderId }) => (await ok(w.alice.lookup(orderId))).wrapperOrder));
    };
    assert.deepEqual(
      [await said(oco()), await said(limit('BUY', 99)), await said(twap())],
      [[true, true], [false], [false]],
    );
  });
});

/** The columns of the table in section 14, and what a kind of order has beyond: `extra`, null for all others. */
const COLUMNS = [
  'orderType',
  'triggerOrder',
  'triggerOrderType',
  'orderPrice',
  'triggerPrice',
  'triggerStopPrice',
  'timeInForce',
  'orderCurrency',
] as const;
const EXTRAS = [
  'activationPrice',
  'activationPriceType',
  'trailValue',
  'trailValueType',
  'pegPriceMin',
  'pegPriceMax',
  'pegPriceDeviation',
  'currentPegPrice',
] as const;
const TRAIL = { trailValue: 10, trailValueType: 'DISTANCE' };

const KINDS: [kind: string, body: Json, columns: unknown[], extra?: Json][] = [
  ['LIMIT', limit('BUY', 99), [76, false, 0, 99, null, null, 'GTC', 'base']],
  ['CONDITIONAL stop market SELL', triggered('SELL', 'STOP_LOSS', 95), [77, true, 1001, 0, 95, null, null, 'base']],
  ['CONDITIONAL stop market BUY', triggered('BUY', 'STOP_LOSS', 105), [77, true, 1001, 0, 105, null, null, 'quote']],
  [
    'CONDITIONAL profit market SELL',
    triggered('SELL', 'TAKE_PROFIT', 105),
    [77, true, 1002, 0, 105, null, null, 'base'],
  ],
  ['CONDITIONAL stop limit', triggeredLimit('SELL', 'STOP_LOSS', 95, 94), [76, true, 1001, 94, 95, 94, 'GTC', 'base']],
  [
    'CONDITIONAL profit limit IOC',
    triggeredLimit('SELL', 'TAKE_PROFIT', 105, 104, { timeInForce: 'IOC' }),
    [76, true, 1002, 104, 105, 104, 'IOC', 'base'],
  ],
  ['TRAILING SELL', trailing('SELL'), [84, true, 1001, 0, 90, null, null, 'base'], TRAIL],
  ['TRAILING BUY', trailing('BUY'), [84, true, 1001, 0, 110, null, null, 'quote'], TRAIL],
  [
    'TRAILING unarmed',
    trailing('SELL', { activationTriggerPrice: 105 }),
    [84, true, 1001, 0, null, null, null, 'base'],
    { ...TRAIL, activationPrice: 105, activationPriceType: 'LAST_PRICE' },
  ],
  [
    'PEG BUY',
    peg('BUY', 99.5, { deviation: -1 }),
    [80, false, 0, 99.5, null, null, 'GTC', 'base'],
    { pegPriceMax: 99.5, pegPriceDeviation: -0.01, currentPegPrice: 99 },
  ],
  [
    'PEG SELL',
    peg('SELL', 101, { deviation: 2 }),
    [80, false, 0, 101, null, null, 'GTC', 'base'],
    { pegPriceMin: 101, pegPriceDeviation: 0.02, currentPegPrice: 102 },
  ],
  ['TWAP', twap(), [82, false, 0, 0, null, null, null, 'base']],
  [
    'TWAP with activation',
    twap('SELL', { activationTriggerPrice: 105, activationTriggerPriceType: 'INDEX_PRICE' }),
    [82, false, 0, 0, null, null, null, 'base'],
    { activationPrice: 105, activationPriceType: 'INDEX_PRICE' },
  ],
];

function row(record: Json, columns: readonly string[]): unknown[] {
  return columns.map((column) => record[column]);
}

describe('the v4 lookup', () => {
  const it = scenarios();

  async function isShown(w: World, orderId: string, columns: unknown[], extra: Json = {}): Promise<void> {
    const record = await ok(w.alice.lookup(orderId));
    assert.deepEqual(row(record, COLUMNS), columns);
    assert.deepEqual(
      row(record, EXTRAS),
      EXTRAS.map((name) => extra[name] ?? null),
    );
    const [used, unused] = record.orderCurrency === 'base' ? ['Base', 'Quote'] : ['Quote', 'Base'];
    assert.ok(record[`originalOrder${used}Size`] > 0);
    assert.equal(record[`originalOrder${unused}Size`], null);
  }

  for (const [kind, body, columns, extra] of KINDS) {
    it(`shows ${kind} as the table says`, {
      rule: ['1.28', '6.12', '14.1', '14.3', '14.4', '14.5', '14.6', '14.7', '14.8', '14.9', '14.10'],
    }, async (w) => {
      const { orderId } = await one(w.alice.spot(body));
      await isShown(w, orderId, columns, extra);
    });
  }

  it('shows the legs of an OCO as the table says: the stop leg without time in force, GTC once released', {
    rule: ['14.1', '14.2'],
  }, async (w) => {
    const [profit, loss] = await ok(w.alice.spot(oco()));
    await isShown(w, profit.orderId, [76, false, 0, 105, null, null, 'GTC', 'base']);
    await isShown(w, loss.orderId, [76, true, 1001, 94, 95, 94, null, 'base']);
    await w.price(BTC, { last: 95 });
    await isShown(w, loss.orderId, [76, true, 1001, 94, 95, 94, 'GTC', 'base']);
  });

  it('shows no detail but of algos', { rule: ['2.34', '2.35', '2.36', '2.37'] }, async (w) => {
    for (const body of [limit('BUY', 99), triggered('SELL', 'STOP_LOSS', 95)]) {
      const { orderId } = await one(w.alice.spot(body));
      assert.equal((await ok(w.alice.lookup(orderId))).orderDetail, null);
    }
    for (const [body, names] of [
      [twap(), ['children', 'childrenDone', 'nextChildAt', 'pausedBy']],
      [peg('BUY', 99), ['displayedSize', 'waitingFor']],
      [trailing(), ['armed', 'extreme']],
    ] as const) {
      const { orderId } = await one(w.alice.spot(body));
      assert.deepEqual(Object.keys((await ok(w.alice.lookup(orderId))).orderDetail), names);
    }
  });

  it('shows a limit trigger as 76, which its placement shows as 77 as every CONDITIONAL', {
    rule: '6.16',
  }, async (w) => {
    const placed = await one(w.alice.spot(triggeredLimit('SELL', 'STOP_LOSS', 95, 94)));
    assert.equal(placed.type, 77);
    assert.equal((await ok(w.alice.lookup(placed.orderId))).orderType, 76);
  });

  it('says triggerUseLastPrice for LAST_PRICE alone, and a percentage as a fraction', {
    rule: ['6.13', '6.14', '6.15'],
  }, async (w) => {
    for (const [type, uses] of [
      ['LAST_PRICE', true],
      ['MARK_PRICE', false],
      ['INDEX_PRICE', false],
    ] as const) {
      const { orderId } = await one(w.alice.spot(triggered('SELL', 'STOP_LOSS', 95, { triggerPriceType: type })));
      assert.equal((await ok(w.alice.lookup(orderId))).triggerUseLastPrice, uses);
    }
    const percent = trailing('SELL', { trailValueType: 'PERCENTAGE', trailValue: 2.5 });
    const { orderId } = await one(w.alice.spot(percent));
    const record = await ok(w.alice.lookup(orderId));
    assert.deepEqual([record.triggerTrailingStopDeviation, record.triggerOriginalPrice], [0.025, 97.5]);
  });
});

describe('a time in force that was given', () => {
  const it = scenarios();

  it('is shown by each surface, in the reply, the look-up and the list', { rule: '1.33' }, async (w) => {
    const older = { symbol: BTC, side: 'BUY', type: 'LIMIT', price: 99, size: 1, time_in_force: 'HOUR' };
    const spot = await one(w.alice.call('POST', V33, { body: older }));
    const found = await ok(w.alice.call('GET', V33, { query: { orderID: spot.orderID } }));
    assert.deepEqual([spot.time_in_force, found.timeInForce], ['HOUR', 'HOUR']);
    const day = await one(w.alice.future(future('BUY', 99, 10, { time_in_force: 'DAY' })));
    const dayFound = await ok(w.alice.futureOrder(day.orderID));
    assert.deepEqual([day.time_in_force, dayFound.timeInForce], ['DAY', 'DAY']);
    const week = await ok(w.alice.v3(v3('BUY', 98, { timeInForce: 'WEEK' })));
    assert.equal(week.timeInForce, 'WEEK');
    const listed = (await ok(w.alice.v3Orders())).map((row: Json) => row.timeInForce);
    const algo = { symbol: PERP, orderSide: 'SELL', orderType: 'CONDITIONAL', orderSize: 10, triggerPrice: 95 };
    const month = await one(w.alice.v3({ ...algo, orderPrice: 94, timeInForce: 'MONTH' }));
    assert.equal(month.timeInForce, 'MONTH');
    assert.deepEqual(listed.sort(), ['DAY', 'WEEK']);
  });
});

describe('the time in a record', () => {
  const it = scenarios();
  const SECOND = 1000;

  const SURFACES: [name: string, place: (c: Client) => Promise<Json>, change: Changes][] = [
    [
      'spot v4',
      (c) => one(c.spot(limit('BUY', 99))),
      {
        amend: (c, id) => one(c.amendSpot(id, { orderPrice: 98 })),
        look: (c, id) => ok(c.lookup(id)),
        cancel: (c, id) => one(c.cancelSpot(id)),
      },
    ],
    [
      'spot v3.3',
      (c) => one(c.call('POST', V33, { body: { symbol: BTC, side: 'BUY', type: 'LIMIT', price: 99, size: 1 } })),
      {
        amend: (c, orderID) => one(c.call('PUT', V33, { body: { symbol: BTC, orderID, type: 'PRICE', value: 98 } })),
        look: (c, orderID) => ok(c.call('GET', V33, { query: { orderID } })),
        cancel: (c, orderID) => one(c.call('DELETE', V33, { query: { symbol: BTC, orderID } })),
      },
    ],
    [
      'futures v2.3',
      (c) => one(c.future(future('BUY', 99))),
      {
        amend: (c, id) => one(c.amendFuture(id, { type: 'PRICE', value: 98 })),
        look: (c, id) => ok(c.futureOrder(id)),
        cancel: (c, orderID) => one(c.cancelFuture({ orderID })),
      },
    ],
    [
      'futures v3',
      (c) => ok(c.v3(v3('BUY', 99))),
      {
        amend: (c, id) => one(c.amendV3(id, { amendType: 'PRICE', orderPrice: 98 })),
        look: async (c, id) => (await ok(c.v3Orders())).find((row: Json) => row.orderId === id),
        cancel: (c, orderId) => one(c.cancelV3({ orderId })),
      },
    ],
  ];

  for (const [surface, place, { amend, look, cancel }] of SURFACES) {
    it(`${surface}: what a request did has the time of that, the look-up the time of the order`, async (w) => {
      const placed = await place(w.alice);
      const id = placed.orderID ?? placed.orderId;
      await w.advance(SECOND);
      const amended = await amend(w.alice, id);
      await w.advance(SECOND);
      const found = await look(w.alice, id);
      const cancelled = await cancel(w.alice, id);
      assert.deepEqual(
        [placed, amended, found, cancelled].map(({ timestamp }) => timestamp - START_MS),
        [0, SECOND, 0, 2 * SECOND],
      );
    });
  }
});

interface Changes {
  readonly amend: (c: Client, id: string) => Promise<Json>;
  readonly look: (c: Client, id: string) => Promise<Json>;
  readonly cancel: (c: Client, id: string) => Promise<Json>;
}

describe('sizes in any record', () => {
  const it = scenarios();

  it('original never changes; current is filled and unfilled as last amended; remaining is what is left of it', {
    rule: ['1.37', '1.38', '1.39', '1.42'],
  }, async (w) => {
    const sizes = (record: Json) => [
      record.originalOrderSize,
      record.currentOrderSize,
      record.totalFilledSize,
      record.remainingSize,
    ];
    const { orderID } = await one(w.alice.future(future('BUY', 100)));
    const now = async () => sizes(await ok(w.alice.futureOrder(orderID)));
    assert.deepEqual(await now(), [10, 10, 0, 10]);
    await ok(w.bob.future(future('SELL', 100, 4)));
    assert.deepEqual(await now(), [10, 10, 4, 6]);
    await ok(w.alice.amendFuture(orderID, { type: 'SIZE', value: 25 }));
    assert.deepEqual(await now(), [10, 25, 4, 21]);
    assert.deepEqual(sizes(await one(w.alice.cancelFuture({ orderID }))), [10, 25, 4, 21]);
    assert.deepEqual(await now(), [10, 25, 4, 21]);
  });

  it('filledSize on futures is what this command filled', { rule: ['1.40', '1.42'] }, async (w) => {
    await w.rest('SELL', 100, 4, PERP);
    const placed = await one(w.alice.future(future('BUY', 100)));
    await w.rest('SELL', 101, 3, PERP);
    const amended = await one(w.alice.amendFuture(placed.orderID, { type: 'PRICE', value: 101 }));
    const cancelled = await one(w.alice.cancelFuture({ orderID: placed.orderID }));
    assert.deepEqual(
      [placed, amended, cancelled].map((record) => [record.filledSize, record.totalFilledSize]),
      [
        [4, 4],
        [3, 7],
        [0, 7],
      ],
    );
  });
});
