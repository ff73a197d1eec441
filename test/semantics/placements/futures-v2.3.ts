/** The placements of futures v2.3. */
import * as v23 from '../../../src/api/surfaces/futures-v2.3/schemas.ts';
import { future } from '../../support/bodies.ts';
import { PERP } from '../../support/venue.ts';
import {
  attached,
  BOTH_MINE,
  HEDGE,
  IOC,
  MINE,
  POST_ONLY,
  REDUCES,
  type Row,
  SIZE_20,
  trigger,
  type Variant,
} from './variant.ts';

const FUTURES_V23 = '/futures/api/v2.3/order';

const FUTURES_V23_ORDER = { path: FUTURES_V23, schema: v23.CREATE_BODY } as const;
const MARK_TO_LAST: Row = ['lastPrice', trigger({ reference: 'last' })];
const V23_COMMON = { clOrderID: MINE, size: SIZE_20, reduceOnly: REDUCES, positionMode: HEDGE };
const V23_ATTACHED = attached('Price', 'Trigger', 'lastPrice');
const V23_NO_ATTACHED = {
  takeProfitPrice: 90,
  takeProfitTrigger: 'lastPrice',
  stopLossPrice: 110,
  stopLossTrigger: 'lastPrice',
};

export const FUTURES_V23_VARIANTS: readonly Variant[] = [
  {
    name: 'LIMIT',
    ...FUTURES_V23_ORDER,
    body: future('SELL', 101),
    base: [
      {
        side: 'SELL',
        kind: 'limit',
        state: 'working',
        price: '101',
        size: '10',
        timeInForce: 'GTC',
        positionMode: 'ONE_WAY',
      },
    ],
    rows: {
      ...V23_COMMON,
      price: [102, { price: '102' }],
      time_in_force: ['HOUR', { timeInForce: 'HOUR' }],
      postOnly: POST_ONLY,
      ...V23_ATTACHED,
    },
    ignored: { stopPrice: 95, triggerPrice: 95, trigger: 'lastPrice', trailValue: 5 },
  },
  {
    name: 'MARKET',
    ...FUTURES_V23_ORDER,
    body: future('SELL', null),
    base: [{ side: 'SELL', kind: 'market', state: 'working', size: '10', positionMode: 'ONE_WAY' }],
    rows: { ...V23_COMMON, time_in_force: IOC, ...V23_ATTACHED },
    ignored: {
      price: 99,
      postOnly: true,
      stopPrice: 95,
      triggerPrice: 95,
      trigger: 'lastPrice',
      trailValue: 0,
    },
  },
  ...(['STOP', 'TRIGGER'] as const).flatMap((txType): Variant[] => [
    {
      name: `${txType} LIMIT`,
      ...FUTURES_V23_ORDER,
      body: future('SELL', 94, 10, { txType, triggerPrice: 95 }),
      base: [
        {
          side: 'SELL',
          kind: 'conditional',
          state: 'waiting',
          price: '94',
          size: '10',
          timeInForce: 'GTC',
          trigger: { rule: txType === 'STOP' ? 'stop' : 'profit', reference: 'mark', price: '95', limit: '94' },
          positionMode: 'ONE_WAY',
        },
      ],
      rows: {
        ...V23_COMMON,
        price: [93, { price: '93', ...trigger({ limit: '93' }) }],
        triggerPrice: [96, trigger({ price: '96' })],
        trigger: MARK_TO_LAST,
        time_in_force: IOC,
        postOnly: POST_ONLY,
        ...V23_ATTACHED,
      },
      ignored: { stopPrice: 95, trailValue: 5 },
    },
    {
      name: `${txType} MARKET`,
      ...FUTURES_V23_ORDER,
      body: future('SELL', null, 10, { txType, triggerPrice: 95 }),
      base: [
        {
          side: 'SELL',
          kind: 'conditional',
          state: 'waiting',
          size: '10',
          trigger: { rule: txType === 'STOP' ? 'stop' : 'profit', reference: 'mark', price: '95' },
          positionMode: 'ONE_WAY',
        },
      ],
      rows: {
        ...V23_COMMON,
        triggerPrice: [96, trigger({ price: '96' })],
        trigger: MARK_TO_LAST,
        time_in_force: ['HOUR', { timeInForce: 'HOUR' }],
        ...V23_ATTACHED,
      },
      ignored: { price: 94, postOnly: true, stopPrice: 95, trailValue: 0 },
    },
  ]),
  {
    name: 'trailing',
    ...FUTURES_V23_ORDER,
    body: future('SELL', null, 10, { trailValue: 5 }),
    base: [
      {
        side: 'SELL',
        kind: 'trailing',
        state: 'waiting',
        size: '10',
        trigger: { rule: 'stop', reference: 'mark' },
        trailing: { distance: '5' },
        positionMode: 'ONE_WAY',
      },
    ],
    rows: {
      ...V23_COMMON,
      trailValue: [6, { trailing: { distance: '6' } }],
      trigger: MARK_TO_LAST,
      time_in_force: ['HOUR', { timeInForce: 'HOUR' }],
    },
    ignored: { price: 94, postOnly: true, stopPrice: 95, triggerPrice: 95, ...V23_NO_ATTACHED },
  },
  {
    name: 'OCO',
    ...FUTURES_V23_ORDER,
    // The stop leg comes first in the reply.
    body: { symbol: PERP, side: 'SELL', type: 'OCO', size: 10, price: 105, triggerPrice: 95, stopPrice: 94 },
    base: [
      {
        side: 'SELL',
        kind: 'conditional',
        state: 'waiting',
        price: '94',
        size: '10',
        trigger: { rule: 'stop', reference: 'mark', price: '95', limit: '94' },
        leg: 'stop',
        positionMode: 'ONE_WAY',
      },
      {
        side: 'SELL',
        kind: 'limit',
        state: 'working',
        price: '105',
        size: '10',
        timeInForce: 'GTC',
        leg: 'limit',
        positionMode: 'ONE_WAY',
      },
    ],
    rows: {
      clOrderID: BOTH_MINE,
      size: [20, [{ size: '20' }, { size: '20' }]],
      price: [106, [{}, { price: '106' }]],
      triggerPrice: [96, [trigger({ price: '96' }), {}]],
      stopPrice: [93, [{ price: '93', ...trigger({ limit: '93' }) }, {}]],
      trigger: ['lastPrice', [trigger({ reference: 'last' }), {}]],
      time_in_force: ['IOC', [{}, { timeInForce: 'IOC' }]],
      postOnly: [true, [{}, { postOnly: true }]],
      reduceOnly: [true, [{ reduceOnly: true }, { reduceOnly: true }]],
      positionMode: ['HEDGE', [{ positionMode: 'HEDGE' }, { positionMode: 'HEDGE' }]],
    },
    ignored: { trailValue: 5, ...V23_NO_ATTACHED },
  },
  {
    name: 'PEG',
    path: `${FUTURES_V23}/peg`,
    schema: v23.PEG_BODY,
    body: { symbol: PERP, side: 'SELL', price: 101, size: 10 },
    base: [
      {
        side: 'SELL',
        kind: 'peg',
        state: 'working',
        price: '101',
        size: '10',
        timeInForce: 'GTC',
        peg: { stealth: '100', deviation: '0' },
        positionMode: 'ONE_WAY',
      },
    ],
    rows: {
      clOrderID: MINE,
      size: SIZE_20,
      price: [102, { price: '102' }],
      stealth: [10, { peg: { stealth: '10' } }],
      deviation: [0.5, { peg: { deviation: '0.5' } }],
      positionMode: HEDGE,
    },
  },
  {
    name: 'TP and SL of a position',
    path: `${FUTURES_V23}/bind/tpsl`,
    schema: v23.BIND_BODY,
    body: { symbol: PERP, side: 'SELL', takeProfitPrice: 110, stopLossPrice: 90 },
    // The stop-loss comes first in the reply.
    base: [
      {
        side: 'SELL',
        kind: 'conditional',
        state: 'waiting',
        size: '10',
        reduceOnly: true,
        trigger: { rule: 'stop', reference: 'mark', price: '90' },
        attachedTo: { role: 'stopLoss' },
        positionMode: 'ONE_WAY',
      },
      {
        side: 'SELL',
        kind: 'conditional',
        state: 'waiting',
        size: '10',
        reduceOnly: true,
        trigger: { rule: 'profit', reference: 'mark', price: '110' },
        attachedTo: { role: 'takeProfit' },
        positionMode: 'ONE_WAY',
      },
    ],
    rows: {
      takeProfitPrice: [111, [{}, trigger({ price: '111' })]],
      takeProfitTrigger: ['lastPrice', [{}, trigger({ reference: 'last' })]],
      stopLossPrice: [91, [trigger({ price: '91' }), {}]],
      stopLossTrigger: ['lastPrice', [trigger({ reference: 'last' }), {}]],
    },
    ignored: { positionMode: 'ONE_WAY', positionId: `${PERP}-USDT` },
    closes: true,
    attaches: true,
  },
  {
    name: 'close_position LIMIT',
    path: `${FUTURES_V23}/close_position`,
    schema: v23.CLOSE_POSITION_BODY,
    body: { symbol: PERP, type: 'LIMIT', price: 101 },
    base: [
      {
        side: 'SELL',
        kind: 'limit',
        state: 'working',
        price: '101',
        size: '10',
        timeInForce: 'GTC',
        reduceOnly: true,
        positionMode: 'ONE_WAY',
      },
    ],
    rows: { price: [102, { price: '102' }], postOnly: POST_ONLY },
    ignored: { positionId: `${PERP}-USDT` },
    closes: true,
  },
  {
    name: 'close_position MARKET',
    path: `${FUTURES_V23}/close_position`,
    schema: v23.CLOSE_POSITION_BODY,
    body: { symbol: PERP, type: 'MARKET' },
    base: [{ side: 'SELL', kind: 'market', state: 'working', size: '10', reduceOnly: true, positionMode: 'ONE_WAY' }],
    rows: {},
    ignored: { price: 99, postOnly: true, positionId: `${PERP}-USDT` },
    closes: true,
  },
];
