/** The placements of spot v4. */
import { ALGOS } from '../../../src/api/algos/registry.ts';
import * as v4 from '../../../src/api/surfaces/spot-v4/schemas.ts';
import {
  buyMarket,
  limit,
  oco,
  peg,
  sellMarket,
  trailing,
  triggered,
  triggeredLimit,
  twap,
} from '../../support/bodies.ts';
import { BOTH_MINE, IOC, MINE, POST_ONLY, type Row, SIZE_2, trigger, type Variant } from './variant.ts';

const SPOT_V4 = '/spot/api/v4/trade/orders';

function activation(kind: 'trailing' | 'twap'): Record<string, Row> {
  const both = { activationTriggerPrice: 104, activationTriggerPriceType: 'INDEX_PRICE' };
  return {
    activationTriggerPrice: [104, { [kind]: { activation: '104', activationReference: 'last' } }],
    activationTriggerPriceType: [both, { [kind]: { activation: '104', activationReference: 'index' } }, 'all'],
  };
}

const V4_ALGO = `${SPOT_V4}/algo`;

/** The schema of a variant of an algo's body. */
function body(orderType: string, variant: number) {
  const found = ALGOS.find((algo) => algo.orderType === orderType)?.bodies[variant];
  if (found === undefined) throw new Error(`${orderType} has no variant ${variant}`);
  return found;
}

export const SPOT_V4_VARIANTS: readonly Variant[] = [
  {
    name: 'LIMIT',
    path: SPOT_V4,
    schema: v4.LIMIT,
    body: limit('SELL', 101),
    base: [{ side: 'SELL', kind: 'limit', state: 'working', price: '101', size: '1', timeInForce: 'GTC' }],
    rows: {
      clOrderId: MINE,
      orderSize: SIZE_2,
      orderPrice: [102, { price: '102' }],
      timeInForce: IOC,
      postOnly: POST_ONLY,
    },
  },
  {
    name: 'MARKET BUY',
    path: SPOT_V4,
    schema: v4.MARKET_BUY,
    body: buyMarket(50),
    base: [{ side: 'BUY', kind: 'market', state: 'working', quoteSize: '50' }],
    rows: { clOrderId: MINE, quoteOrderSize: [60, { quoteSize: '60' }] },
  },
  {
    name: 'MARKET SELL',
    path: SPOT_V4,
    schema: v4.MARKET_SELL,
    body: sellMarket(1),
    base: [{ side: 'SELL', kind: 'market', state: 'working', size: '1' }],
    rows: { clOrderId: MINE, orderSize: SIZE_2 },
  },
  {
    name: 'CONDITIONAL limit',
    path: V4_ALGO,
    schema: body('CONDITIONAL', 0),
    body: triggeredLimit('SELL', 'STOP_LOSS', 95, 94),
    base: [
      {
        side: 'SELL',
        kind: 'conditional',
        state: 'waiting',
        price: '94',
        size: '1',
        timeInForce: 'GTC',
        trigger: { rule: 'stop', reference: 'last', price: '95', limit: '94' },
      },
    ],
    rows: {
      clOrderId: MINE,
      triggerPrice: [96, trigger({ price: '96' })],
      triggerPriceType: ['INDEX_PRICE', trigger({ reference: 'index' })],
      orderSize: SIZE_2,
      orderPrice: [93, { price: '93', ...trigger({ limit: '93' }) }],
      timeInForce: IOC,
      postOnly: POST_ONLY,
    },
  },
  {
    name: 'CONDITIONAL market BUY',
    path: V4_ALGO,
    schema: body('CONDITIONAL', 1),
    body: triggered('BUY', 'STOP_LOSS', 105),
    base: [
      {
        side: 'BUY',
        kind: 'conditional',
        state: 'waiting',
        quoteSize: '50',
        trigger: { rule: 'stop', reference: 'last', price: '105' },
      },
    ],
    rows: {
      clOrderId: MINE,
      triggerPrice: [106, trigger({ price: '106' })],
      triggerPriceType: ['MARK_PRICE', trigger({ reference: 'mark' })],
      quoteOrderSize: [60, { quoteSize: '60' }],
    },
  },
  {
    name: 'CONDITIONAL market SELL',
    path: V4_ALGO,
    schema: body('CONDITIONAL', 2),
    body: triggered('SELL', 'TAKE_PROFIT', 105),
    base: [
      {
        side: 'SELL',
        kind: 'conditional',
        state: 'waiting',
        size: '1',
        trigger: { rule: 'profit', reference: 'last', price: '105' },
      },
    ],
    rows: {
      clOrderId: MINE,
      triggerPrice: [106, trigger({ price: '106' })],
      triggerPriceType: ['MARK_PRICE', trigger({ reference: 'mark' })],
      orderSize: SIZE_2,
    },
  },
  {
    name: 'OCO',
    path: V4_ALGO,
    schema: body('OCO', 0),
    body: oco(),
    base: [
      { side: 'SELL', kind: 'limit', state: 'working', price: '105', size: '1', timeInForce: 'GTC', leg: 'limit' },
      {
        side: 'SELL',
        kind: 'conditional',
        state: 'waiting',
        price: '94',
        size: '1',
        trigger: { rule: 'stop', reference: 'last', price: '95', limit: '94' },
        leg: 'stop',
      },
    ],
    rows: {
      clOrderId: BOTH_MINE,
      orderSize: [2, [{ size: '2' }, { size: '2' }]],
      takeProfitOrderPrice: [106, [{ price: '106' }, {}]],
      stopLossOrderPrice: [93, [{}, { price: '93', ...trigger({ limit: '93' }) }]],
      stopLossTriggerPrice: [96, [{}, trigger({ price: '96' })]],
      stopLossTriggerPriceType: ['INDEX_PRICE', [{}, trigger({ reference: 'index' })]],
      timeInForce: ['IOC', [{ timeInForce: 'IOC' }, {}]],
      postOnly: [true, [{ postOnly: true }, {}]],
    },
  },
  {
    name: 'PEG',
    path: V4_ALGO,
    schema: body('PEG', 0),
    body: peg('SELL', 101),
    base: [
      {
        side: 'SELL',
        kind: 'peg',
        state: 'working',
        price: '101',
        size: '1',
        timeInForce: 'GTC',
        peg: { stealth: '100', deviation: '0' },
      },
    ],
    rows: {
      clOrderId: MINE,
      orderSize: SIZE_2,
      orderPrice: [102, { price: '102' }],
      stealth: [10, { peg: { stealth: '10' } }],
      deviation: [0.5, { peg: { deviation: '0.5' } }],
    },
  },
  ...(['BUY', 'SELL'] as const).map(
    (side): Variant => ({
      name: `TRAILING ${side}`,
      path: V4_ALGO,
      schema: body('TRAILING', side === 'BUY' ? 0 : 1),
      body: trailing(side),
      base: [
        {
          side,
          kind: 'trailing',
          state: 'waiting',
          ...(side === 'BUY' ? { quoteSize: '50' } : { size: '1' }),
          trigger: { rule: 'stop', reference: 'last' },
          trailing: { distance: '10' },
        },
      ],
      rows: {
        clOrderId: MINE,
        trailValue: [5, { trailing: { distance: '5' } }],
        trailValueType: ['PERCENTAGE', { trailing: { distance: undefined, percent: '10' } }],
        triggerPriceType: ['INDEX_PRICE', trigger({ reference: 'index' })],
        ...(side === 'BUY' ? { quoteOrderSize: [60, { quoteSize: '60' }] } : { orderSize: SIZE_2 }),
        ...activation('trailing'),
      },
    }),
  ),
  {
    name: 'TWAP',
    path: V4_ALGO,
    schema: body('TWAP', 0),
    body: twap('SELL'),
    base: [
      {
        side: 'SELL',
        kind: 'twap',
        state: 'working',
        size: '1',
        twap: { periodMs: 60000, children: 20, makerFirst: false, randomizeSize: false },
      },
    ],
    rows: {
      clOrderId: MINE,
      orderSize: SIZE_2,
      timePeriod: [80, { twap: { periodMs: 80_000 } }],
      makerFirst: [true, { twap: { makerFirst: true } }],
      randomizeSize: [true, { twap: { randomizeSize: true } }],
      subTwapMaxOrderSize: [0.5, { twap: { maxChildSize: '0.5' } }],
      maxSpread: [0.01, { twap: { maxSpread: '0.01' } }],
      maxDistanceThroughBook: [0.02, { twap: { maxThroughBook: '0.02' } }],
      pausePrice: [90, { twap: { pausePrice: '90' } }],
      ...activation('twap'),
    },
  },
];
