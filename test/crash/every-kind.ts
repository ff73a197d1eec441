/**
 * One order of every kind that can wait, on both products and in every position mode: the orders of `twin.test.ts`,
 * their traders, and how each ends there. All markets are at 100 then. They rise to 110 and fall to 89.
 */

export type Trader = 'alice' | 'carol' | 'dave';
type Fields = Readonly<Record<string, unknown>>;

export interface Kind {
  /** Names the order in the test's messages. */
  readonly name: string;
  readonly by: Trader;
  readonly path: string;
  readonly body: Fields;
  /** The status of each record of the reply: 2 at rest or running, 5 partly filled, 9 waiting. */
  readonly alive: readonly number[];
  /** How each ends according to the archive: its state, and why. */
  readonly ends: readonly string[];
}

const FILLED = ['filled'];
/** Gave way to an order of its own account that a trigger has fired. */
const GAVE_WAY = ['cancelled selfTrade'];
const BY_CLIENT = ['cancelled cancelledByClient'];
const DEAD_MAN = ['cancelled deadMansSwitch'];

const SPOT = '/spot/api/v4/trade/orders';
const SPOT_ALGO = `${SPOT}/algo`;
const V23 = '/futures/api/v2.3/order';
const V23_PEG = `${V23}/peg`;
const V3_ALGO = '/futures/api/v3/trade/orders/algo';
const PERP = 'BTC-PERP';
/** One BTC in contracts. */
const ONE_BTC = 100_000;

function spot(
  name: string,
  body: Fields,
  alive: readonly number[],
  ends: readonly string[],
  by: Trader = 'alice',
): Kind {
  const path = body.orderType === 'LIMIT' ? SPOT : SPOT_ALGO;
  return { name: `spot ${name}`, by, path, body: { symbol: 'BTC-USDT', ...body }, alive, ends };
}

function future(
  name: string,
  body: Fields,
  alive: readonly number[],
  ends: readonly string[],
  by: Trader = 'alice',
  path = V23,
): Kind {
  return { name: `futures ${name}`, by, path, body: { symbol: PERP, size: ONE_BTC, ...body }, alive, ends };
}

const limit = (orderPrice: number, more: Fields = {}) => {
  return { orderType: 'LIMIT', orderSide: 'BUY', orderPrice, orderSize: 1, ...more };
};
const conditional = (triggerOrderType: string, triggerPrice: number, more: Fields = {}) => ({
  orderType: 'CONDITIONAL',
  orderSide: 'SELL',
  triggerOrderType,
  triggerPrice,
  triggerPriceType: 'LAST_PRICE',
  ...more,
});
const trailing = (trailValue: number, more: Fields = {}) => {
  return { orderType: 'TRAILING', orderSide: 'SELL', orderSize: 1, trailValue, trailValueType: 'DISTANCE', ...more };
};
const peg = (orderPrice: number, stealth: number, more: Fields) => {
  return { orderType: 'PEG', orderSide: 'BUY', orderPrice, orderSize: 1, stealth, ...more };
};
const twap = (timePeriod: number, more: Fields = {}) => {
  return { orderType: 'TWAP', orderSide: 'BUY', orderSize: 2, timePeriod, ...more };
};

const SPOT_KINDS: readonly Kind[] = [
  spot('LIMIT', limit(91), [2], FILLED),
  spot('LIMIT that is too far away to be filled', limit(60), [2], BY_CLIENT),
  spot('LIMIT post-only', limit(92, { postOnly: true }), [2], GAVE_WAY),
  spot('LIMIT partly filled', limit(99.5, { orderSize: 3 }), [2], FILLED),
  spot('stop-loss', conditional('STOP_LOSS', 95, { orderSize: 1 }), [9], FILLED),
  spot('stop-loss BUY', conditional('STOP_LOSS', 104, { orderSide: 'BUY', quoteOrderSize: 50 }), [9], ['partlyFilled']),
  spot('stop-loss limit', conditional('STOP_LOSS_LIMIT', 94, { orderSize: 1, orderPrice: 93.5 }), [9], FILLED),
  spot(
    'take-profit by mark',
    conditional('TAKE_PROFIT', 105, { orderSize: 1, triggerPriceType: 'MARK_PRICE' }),
    [9],
    FILLED,
  ),
  spot(
    'take-profit limit by index, post-only',
    conditional('TAKE_PROFIT_LIMIT', 106, {
      orderSize: 1,
      orderPrice: 109,
      triggerPriceType: 'INDEX_PRICE',
      postOnly: true,
    }),
    [9],
    GAVE_WAY,
  ),
  spot(
    'OCO',
    {
      orderType: 'OCO',
      orderSide: 'SELL',
      orderSize: 2,
      takeProfitOrderPrice: 107,
      stopLossTriggerPrice: 92,
      stopLossOrderPrice: 91.5,
      stopLossTriggerPriceType: 'LAST_PRICE',
    },
    [2, 9],
    // Its limit leg gives way, and the stop leg continues alone.
    [...GAVE_WAY, ...FILLED],
  ),
  spot(
    'OCO BUY',
    {
      orderType: 'OCO',
      orderSide: 'BUY',
      orderSize: 1,
      takeProfitOrderPrice: 80,
      stopLossTriggerPrice: 109,
      stopLossOrderPrice: 110,
      stopLossTriggerPriceType: 'MARK_PRICE',
    },
    [2, 9],
    ['cancelled ocoSiblingTriggered', 'filled'],
    'dave',
  ),
  spot('TRAILING armed', trailing(6), [9], FILLED),
  spot(
    'TRAILING armed, in percent, BUY',
    { ...trailing(7), orderSize: undefined, orderSide: 'BUY', trailValueType: 'PERCENTAGE', quoteOrderSize: 80 },
    [9],
    ['partlyFilled'],
    'dave',
  ),
  spot('TRAILING not armed', trailing(3, { activationTriggerPrice: 108 }), [9], FILLED),
  spot('TRAILING never armed', trailing(3, { activationTriggerPrice: 150 }), [9], BY_CLIENT),
  spot('PEG with stealth', peg(99, 20, { deviation: -3 }), [2], FILLED),
  spot('PEG SELL', peg(100, 100, { orderSide: 'SELL', orderSize: 3, deviation: 0.4 }), [2], FILLED, 'carol'),
  spot('TWAP', twap(60), [2], FILLED),
  spot(
    'TWAP randomised, maker first',
    twap(120, { randomizeSize: true, makerFirst: true }),
    [2],
    ['cancelled windowOver'],
  ),
  spot('TWAP paused by price', twap(60, { pausePrice: 90 }), [2], ['cancelled windowOver']),
  spot(
    'TWAP that waits for its activation',
    twap(60, { activationTriggerPrice: 106, randomizeSize: true }),
    [2],
    FILLED,
  ),
  spot("LIMIT under a dead man's switch", limit(70), [2], DEAD_MAN, 'dave'),
];

const TIMES = ['HALFSEC', 'HALFMIN', 'FIVEMIN', 'HOUR', 'TWELVEHOUR', 'DAY', 'WEEK', 'MONTH', 'GTC'];
const sell = { side: 'SELL' };
const stop = (txType: 'STOP' | 'TRIGGER', triggerPrice: number, more: Fields = {}) => {
  return { side: 'SELL', type: 'MARKET', txType, triggerPrice, ...more };
};

const FUTURES_KINDS: readonly Kind[] = [
  ...TIMES.map((time_in_force, i) =>
    future(
      `LIMIT ${time_in_force}`,
      { side: 'BUY', type: 'LIMIT', price: 60 + i, time_in_force },
      [2],
      time_in_force === 'GTC' ? BY_CLIENT : ['cancelled expired'],
    ),
  ),
  future('LIMIT that is filled', { side: 'BUY', type: 'LIMIT', price: 93 }, [2], FILLED),
  future('LIMIT post-only', { side: 'BUY', type: 'LIMIT', price: 94, postOnly: true }, [2], FILLED),
  future(
    'LIMIT reduce-only',
    { ...sell, type: 'LIMIT', price: 109, reduceOnly: true },
    [2],
    ['cancelled positionClosed'],
  ),
  future('stop', stop('STOP', 96, { trigger: 'lastPrice' }), [9], FILLED),
  future('stop limit', stop('STOP', 95, { type: 'LIMIT', price: 94.5 }), [9], FILLED),
  future('stop reduce-only', stop('STOP', 92, { reduceOnly: true }), [9], ['cancelled positionClosed']),
  future('take-profit', stop('TRIGGER', 106), [9], FILLED),
  future('take-profit limit', stop('TRIGGER', 107, { type: 'LIMIT', price: 107.5 }), [9], FILLED),
  future('stop with TP and SL to come', stop('STOP', 91, { takeProfitPrice: 80, stopLossPrice: 105 }), [9], FILLED),
  future(
    'OCO',
    { ...sell, type: 'OCO', price: 108, triggerPrice: 93, stopPrice: 92.5 },
    [9, 2],
    ['cancelled ocoSiblingFilled', 'filled'],
  ),
  future('TRAILING', { ...sell, type: 'MARKET', trailValue: 5, trigger: 'lastPrice' }, [9], FILLED),
  future('PEG with stealth', { ...sell, price: 101, stealth: 25, deviation: 2 }, [2], FILLED, 'alice', V23_PEG),
  future(
    'LIMIT with TP and SL, partly filled',
    {
      ...{ side: 'BUY', type: 'LIMIT', price: 99.5, takeProfitPrice: 106, stopLossPrice: 95 },
    },
    [2],
    FILLED,
  ),
  future('HEDGE LIMIT reduce-only', { ...sell, type: 'LIMIT', price: 105, reduceOnly: true }, [2], FILLED, 'carol'),
  future('HEDGE stop of the short', { ...stop('STOP', 104), side: 'BUY', reduceOnly: true }, [9], FILLED, 'carol'),
  future(
    'ISOLATED LIMIT',
    { symbol: 'ETH-PERP', side: 'BUY', type: 'LIMIT', price: 90, size: 10_000 },
    [2],
    ['cancelled liquidation'],
    'carol',
  ),
  future("LIMIT under a dead man's switch", { side: 'BUY', type: 'LIMIT', price: 70 }, [2], DEAD_MAN, 'dave'),
  {
    name: 'futures v3 CONDITIONAL',
    by: 'alice',
    path: V3_ALGO,
    body: { symbol: PERP, orderType: 'CONDITIONAL', orderSide: 'BUY', orderSize: ONE_BTC, triggerPrice: 97 },
    alive: [9],
    ends: FILLED,
  },
  {
    name: 'futures v3 TRAILING, in percent',
    by: 'dave',
    path: V3_ALGO,
    body: {
      ...{ symbol: PERP, orderType: 'TRAILING', orderSide: 'BUY', orderSize: ONE_BTC },
      ...{ trailValue: 4, trailValueType: 'PERCENTAGE', trailTriggerPriceType: 'LAST_PRICE' },
    },
    alive: [9],
    ends: FILLED,
  },
];

export const EVERY_KIND: readonly Kind[] = [...SPOT_KINDS, ...FUTURES_KINDS];
