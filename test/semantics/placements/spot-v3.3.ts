/** The placements of spot v3.3. */
import * as v33 from '../../../src/api/surfaces/spot-v3.3/schemas.ts';
import { BTC } from '../../support/venue.ts';
import { BOTH_MINE, IOC, MINE, POST_ONLY, type Row, SIZE_2, trigger, type Variant } from './variant.ts';

const SPOT_V33 = '/spot/api/v3.3/order';

const SPOT_V33_ORDER = { path: SPOT_V33, schema: v33.CREATE_BODY } as const;
const INDEX_TO_LAST: Row = ['LAST_PRICE', trigger({ reference: 'last' })];

export const SPOT_V33_VARIANTS: readonly Variant[] = [
  {
    name: 'LIMIT',
    ...SPOT_V33_ORDER,
    body: { symbol: BTC, side: 'SELL', type: 'LIMIT', price: 101, size: 1 },
    base: [{ side: 'SELL', kind: 'limit', state: 'working', price: '101', size: '1', timeInForce: 'GTC' }],
    rows: {
      clOrderID: MINE,
      size: SIZE_2,
      price: [102, { price: '102' }],
      time_in_force: ['HOUR', { timeInForce: 'HOUR' }],
      postOnly: POST_ONLY,
    },
    ignored: { stopPrice: 95, triggerPrice: 95, triggerPriceType: 'LAST_PRICE', trailValue: 5 },
  },
  {
    name: 'MARKET SELL',
    ...SPOT_V33_ORDER,
    body: { symbol: BTC, side: 'SELL', type: 'MARKET', size: 1 },
    base: [{ side: 'SELL', kind: 'market', state: 'working', size: '1' }],
    rows: { clOrderID: MINE, size: SIZE_2, time_in_force: IOC },
    ignored: {
      price: 99,
      postOnly: true,
      stopPrice: 95,
      triggerPrice: 95,
      triggerPriceType: 'LAST_PRICE',
      trailValue: 0,
    },
  },
  {
    name: 'STOP LIMIT',
    ...SPOT_V33_ORDER,
    body: { symbol: BTC, side: 'SELL', type: 'LIMIT', txType: 'STOP', triggerPrice: 95, price: 94, size: 1 },
    base: [
      {
        side: 'SELL',
        kind: 'conditional',
        state: 'waiting',
        price: '94',
        size: '1',
        timeInForce: 'GTC',
        trigger: { rule: 'stop', reference: 'index', price: '95', limit: '94' },
      },
    ],
    rows: {
      clOrderID: MINE,
      size: SIZE_2,
      price: [93, { price: '93', ...trigger({ limit: '93' }) }],
      triggerPrice: [96, trigger({ price: '96' })],
      triggerPriceType: INDEX_TO_LAST,
      time_in_force: IOC,
      postOnly: POST_ONLY,
    },
    ignored: { stopPrice: 95, trailValue: 5 },
  },
  {
    name: 'TRIGGER MARKET BUY',
    ...SPOT_V33_ORDER,
    body: { symbol: BTC, side: 'BUY', type: 'MARKET', txType: 'TRIGGER', triggerPrice: 95, price: 50 },
    base: [
      {
        side: 'BUY',
        kind: 'conditional',
        state: 'waiting',
        quoteSize: '50',
        trigger: { rule: 'profit', reference: 'index', price: '95' },
      },
    ],
    rows: {
      clOrderID: MINE,
      price: [60, { quoteSize: '60' }],
      triggerPrice: [96, trigger({ price: '96' })],
      triggerPriceType: INDEX_TO_LAST,
      time_in_force: ['HOUR', { timeInForce: 'HOUR' }],
    },
    ignored: { size: 1, postOnly: true, stopPrice: 95, trailValue: 0 },
  },
  {
    name: 'trailing SELL',
    ...SPOT_V33_ORDER,
    body: { symbol: BTC, side: 'SELL', type: 'MARKET', trailValue: 5, size: 1 },
    base: [
      {
        side: 'SELL',
        kind: 'trailing',
        state: 'waiting',
        size: '1',
        trigger: { rule: 'stop', reference: 'index' },
        trailing: { distance: '5' },
      },
    ],
    rows: {
      clOrderID: MINE,
      size: SIZE_2,
      trailValue: [6, { trailing: { distance: '6' } }],
      triggerPriceType: INDEX_TO_LAST,
      time_in_force: ['HOUR', { timeInForce: 'HOUR' }],
    },
    ignored: { price: 99, postOnly: true, stopPrice: 95, triggerPrice: 95 },
  },
  {
    name: 'OCO',
    ...SPOT_V33_ORDER,
    body: { symbol: BTC, side: 'SELL', type: 'OCO', price: 105, triggerPrice: 95, stopPrice: 94, size: 1 },
    base: [
      { side: 'SELL', kind: 'limit', state: 'working', price: '105', size: '1', timeInForce: 'GTC', leg: 'limit' },
      {
        side: 'SELL',
        kind: 'conditional',
        state: 'waiting',
        price: '94',
        size: '1',
        trigger: { rule: 'stop', reference: 'index', price: '95', limit: '94' },
        leg: 'stop',
      },
    ],
    rows: {
      clOrderID: BOTH_MINE,
      size: [2, [{ size: '2' }, { size: '2' }]],
      price: [106, [{ price: '106' }, {}]],
      triggerPrice: [96, [{}, trigger({ price: '96' })]],
      stopPrice: [93, [{}, { price: '93', ...trigger({ limit: '93' }) }]],
      triggerPriceType: ['LAST_PRICE', [{}, trigger({ reference: 'last' })]],
      time_in_force: ['IOC', [{ timeInForce: 'IOC' }, {}]],
      postOnly: [true, [{ postOnly: true }, {}]],
    },
    ignored: { trailValue: 5 },
  },
  {
    name: 'PEG',
    path: `${SPOT_V33}/peg`,
    schema: v33.PEG_BODY,
    body: { symbol: BTC, side: 'SELL', price: 101, size: 1, stealth: 100 },
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
      clOrderID: MINE,
      size: SIZE_2,
      price: [102, { price: '102' }],
      stealth: [10, { peg: { stealth: '10' } }],
      deviation: [0.5, { peg: { deviation: '0.5' } }],
    },
  },
];
