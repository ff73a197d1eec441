/** Attacks with numbers: what is written is what is meant, exactly, or it is refused; nothing is rounded, nothing hangs. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ALGO,
  aim,
  attack,
  FUTURES,
  FUTURES_V3,
  ORDERS,
  RESTING,
  RESTING_FUTURE,
  RESTING_V3,
  refusedWith,
  unchanged,
} from './target.ts';

const at = aim();

const SPOT = { symbol: 'BTC-USDT', orderSide: 'BUY' };
const PEG = { ...SPOT, orderType: 'PEG', orderPrice: '95', orderSize: '0.01', stealth: 10 };
const TWAP = { ...SPOT, orderType: 'TWAP', orderSize: '0.1', timePeriod: 600 };
const TRAILING = {
  ...SPOT,
  orderType: 'TRAILING',
  orderSide: 'SELL',
  orderSize: '0.01',
  trailValue: '5',
  trailValueType: 'PERCENTAGE',
};
const OCO = {
  ...SPOT,
  orderType: 'OCO',
  orderSide: 'SELL',
  orderSize: '0.01',
  takeProfitOrderPrice: '110',
  stopLossOrderPrice: '89',
  stopLossTriggerPrice: '90',
  stopLossTriggerPriceType: 'LAST_PRICE',
};
const MARKET_BUY = { ...SPOT, orderType: 'MARKET', quoteOrderSize: '1' };
const STOP = { ...RESTING_FUTURE, txType: 'STOP', side: 'SELL', triggerPrice: 90, price: 89 };

/** Every number that a placement has, with a placement that is good but for it. */
const FIELDS: readonly (readonly [path: string, good: object, field: string])[] = [
  [ORDERS, RESTING, 'orderSize'],
  [ORDERS, RESTING, 'orderPrice'],
  [ORDERS, MARKET_BUY, 'quoteOrderSize'],
  [ALGO, PEG, 'stealth'],
  [ALGO, { ...PEG, deviation: 1 }, 'deviation'],
  [ALGO, TWAP, 'timePeriod'],
  [ALGO, TWAP, 'orderSize'],
  [ALGO, { ...TWAP, subTwapMaxOrderSize: 1 }, 'subTwapMaxOrderSize'],
  [ALGO, TRAILING, 'trailValue'],
  [ALGO, OCO, 'takeProfitOrderPrice'],
  [ALGO, OCO, 'stopLossTriggerPrice'],
  [FUTURES, RESTING_FUTURE, 'size'],
  [FUTURES, RESTING_FUTURE, 'price'],
  [FUTURES, STOP, 'triggerPrice'],
  [FUTURES_V3, RESTING_V3, 'orderSize'],
  [FUTURES_V3, RESTING_V3, 'orderPrice'],
];

/** As they stand in the body. Each is refused wherever a number belongs. */
const NEVER: Record<string, string> = {
  NaN: 'NaN',
  Infinity: 'Infinity',
  '-Infinity': '-Infinity',
  '1e309': '1e309',
  '-1e309': '-1e309',
  '1e-400': '1e-400',
  '0.1+0.2': '0.30000000000000004',
  '1e21': '1e21',
  '2^53 + 1': '9007199254740993',
  '1e999999999': '1e999999999',
  '1e-999999999': '1e-999999999',
  'a thousand digits': '1'.repeat(1000),
  'a thousand decimals': `0.${'1'.repeat(1000)}`,
  'text NaN': '"NaN"',
  'text Infinity': '"Infinity"',
  'text 1,0': '"1,0"',
  'text with a space before': '" 1"',
  'text with a space behind': '"1 "',
  'text 0x10': '"0x10"',
  'text 0b1': '"0b1"',
  'text 1n': '"1n"',
  'text 1_0': '"1_0"',
  'text +1': '"+1"',
  'text .5': '".5"',
  'text 5.': '"5."',
  'text 01': '"01"',
  'text 1e': '"1e"',
  'text 1e309': '"1e309"',
  'text of 16 digits': '"1.000000000000001"',
  'Arabic digits': '"١٢"',
  'full-width digits': '"１２"',
  'text with a NUL': '"1\\u0000"',
  'empty text': '""',
  true: 'true',
  false: 'false',
  'an array': '[1]',
  'an object': '{"value":1}',
  'a date': '"2026-01-01"',
};

function withField(good: object, field: string, literal: string): string {
  return JSON.stringify({ ...good, [field]: '\u0001' }).replace('"\\u0001"', literal);
}

function malformedOn(path: string): number {
  return path.startsWith('/futures') ? -2 : 400;
}

describe('never a number', () => {
  for (const [name, literal] of Object.entries(NEVER)) {
    attack(name, at, async (target) => {
      for (const [path, good, field] of FIELDS) {
        const startedMs = performance.now();
        const answer = await target.send(target.alice, 'POST', path, withField(good, field, literal));
        refusedWith(answer, 400, malformedOn(path), /body|number|NUL/);
        assert.ok(performance.now() - startedMs < 1000, `${field} took long`);
      }
    });
  }
});

describe('numbers that no order can have', () => {
  for (const literal of ['0', '-0', '0.0', '0e5', '"0"', '"-0"', '-1', '"-1"', '-0.00001', '1e18', '-1e18']) {
    attack(literal, at, async (target) => {
      for (const [path, good, field] of FIELDS) {
        if (field === 'deviation') continue;
        const answer = await target.send(target.alice, 'POST', path, withField(good, field, literal));
        assert.equal(answer.status, 400, `${path} ${field} ${literal} ${JSON.stringify(answer.body)}`);
        assert.match(answer.body.msg ?? answer.body.message, new RegExp(field), `${field} is not named`);
      }
    });
  }
});

describe('off the grid', () => {
  const cases: readonly (readonly [
    path: string,
    good: object,
    field: string,
    value: string,
    code: number,
    nearest: RegExp,
  ])[] = [
    [ORDERS, RESTING, 'orderPrice', '95.01', 302, /95 and 95\.1/],
    [ORDERS, RESTING, 'orderPrice', '95.00000000001', 302, /95 and 95\.1/],
    [ORDERS, RESTING, 'orderPrice', '0.05', 302, /minimum of 0\.1/],
    [ORDERS, RESTING, 'orderPrice', '10000000.1', 302, /maximum of 10000000/],
    [ORDERS, RESTING, 'orderSize', '0.000011', 301, /0\.00001 and 0\.00002/],
    [ORDERS, RESTING, 'orderSize', '0.000001', 301, /0 and 0\.00001|minimum of 0\.00001/],
    [ORDERS, RESTING, 'orderSize', '100.00001', 4003, /maximum of 100/],
    [FUTURES, RESTING_FUTURE, 'price', '95.01', 302, /95 and 95\.1/],
    [FUTURES, RESTING_FUTURE, 'size', '1.5', 301, /1 and 2/],
    [FUTURES, RESTING_FUTURE, 'size', '7500001', 4051, /maximum of 7500000/],
    [FUTURES_V3, RESTING_V3, 'orderPrice', '95.01', 302, /95 and 95\.1/],
    [FUTURES_V3, RESTING_V3, 'orderSize', '0.5', 301, /0 and 1|minimum of 1/],
    [ORDERS, MARKET_BUY, 'quoteOrderSize', '1.000000001', 301, /1 and 1\.00000001/],
    [ALGO, OCO, 'stopLossTriggerPrice', '90.05', 302, /90 and 90\.1/],
  ];
  for (const [path, good, field, value, code, nearest] of cases) {
    attack(`${field} ${value} on ${path}`, at, async (target) => {
      for (const literal of [value, `"${value}"`]) {
        const answer = await target.send(target.alice, 'POST', path, withField(good, field, literal));
        refusedWith(answer, 400, code, nearest);
        assert.match(answer.body.msg ?? answer.body.message, new RegExp(field));
      }
    });
  }
});

describe('the same number, however it is written', () => {
  const spellings = [
    '0.01',
    '"0.01"',
    '0.010',
    '"0.010"',
    '1e-2',
    '1E-2',
    '"1e-2"',
    '0.1e-1',
    '10e-3',
    '0.0100000000000000000000',
  ];
  for (const literal of spellings) {
    test(literal, async () => {
      const target = at();
      const answer = await target.send(target.alice, 'POST', ORDERS, withField(RESTING, 'orderSize', literal));
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal(answer.body[0].originalOrderBaseSize, 0.01);
      await target.cancel(target.alice, answer.body[0].orderId);
    });
  }

  test('text 1 is one', async () => {
    const target = at();
    const answer = await target.send(target.alice, 'POST', ORDERS, { ...RESTING, orderSize: '1' });
    assert.equal(answer.body[0].originalOrderBaseSize, 1);
    await target.cancel(target.alice, answer.body[0].orderId);
  });

  test('two spellings of one request with a client id are one request, also when its order has ended', async () => {
    const target = at();
    const body = (literal: string) => withField({ ...RESTING, clOrderId: 'spelled' }, 'orderSize', literal);
    const placed = await target.send(target.alice, 'POST', ORDERS, body('0.020'));
    assert.equal(placed.status, 200);
    await target.cancel(target.alice, placed.body[0].orderId);
    await unchanged(target, async () => {
      const again = await target.send(target.alice, 'POST', ORDERS, body('"2e-2"'));
      refusedWith(again, 400, 15, /same request/);
    });
  });
});
