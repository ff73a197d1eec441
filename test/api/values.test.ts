import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../src/api/errors.ts';
import { JsonNumber, type JsonObject, parseBody } from '../../src/api/json.ts';
import type { Call } from '../../src/api/surface.ts';
import {
  choice,
  clientId,
  compare,
  decimal,
  fields,
  findMarket,
  finePrice,
  flag,
  optional,
  parts,
  priceTicks,
  quoteUnits,
  readDecimal,
  reader,
  requestDigest,
  sizeLots,
  text,
} from '../../src/api/values.ts';
import { defaultMarkets } from '../support/markets.ts';

const { spot, perpetual, venue } = defaultMarkets();
const call = { venue } as unknown as Call;

/** The reason and figures of the ApiError that `act` throws, as text. */
function refused(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return `${error.reason} ${JSON.stringify(error.params)}`;
    throw error;
  }
  return 'accepted';
}

const value = (written: string) => readDecimal('value', written);

describe('reading fields', () => {
  const schema = fields({
    symbol: text('the market'),
    side: choice(['BUY', 'SELL'], 'the side'),
    size: decimal('how much', { above: 0 }),
    stealth: optional(decimal('percent', { min: 1, max: 100 })),
    period: optional(decimal('seconds', { min: 60, max: 86_400, whole: true })),
    trigger: optional(decimal('a price', { zeroIsAbsent: true })),
    postOnly: optional(flag('post-only')),
    clOrderId: optional(clientId()),
  });
  const exact = reader(schema, { only: 'orderType PEG' });
  const older = reader(schema, { anyCase: true });
  const good = { symbol: 'BTC-USDT', side: 'BUY', size: '1' };

  test('numbers and numeric text are one', () => {
    for (const size of ['0.010', '1e-2', '0.01']) {
      const read = exact(parseBody(Buffer.from(`{"symbol":"x","side":"BUY","size":${size}}`)));
      assert.deepEqual(read, exact({ symbol: 'x', side: 'BUY', size }));
      assert.deepEqual(read.size, { coefficient: 1n, scale: 2 });
    }
  });

  test('absent, null and, where it means so, zero are undefined; an empty client id is null', () => {
    const read = exact({ ...good, stealth: null, trigger: new JsonNumber('0.0'), clOrderId: '' });
    assert.equal(read.stealth, undefined);
    assert.equal(read.trigger, undefined);
    assert.equal(read.postOnly, undefined);
    assert.equal(read.clOrderId, null);
  });

  test('the older surfaces take any case and ignore what they do not know', () => {
    assert.equal(older({ ...good, side: 'Buy', unknown: 'x' }).side, 'BUY');
  });

  const bad: readonly (readonly [JsonObject, RegExp])[] = [
    [{ ...good, side: 'Buy' }, /"field":"side","problem":"is \\"Buy\\"","expected":"give one of BUY, SELL"/],
    [{ ...good, stopPrice: '1' }, /"field":"stopPrice".*is no field of orderType PEG.*its fields are symbol, side/],
    [{ ...good, ['__proto__']: '1' }, /"field":"__proto__"/],
    [{ side: 'BUY', size: '1' }, /"field":"symbol","problem":"is missing"/],
    [{ ...good, side: null }, /"field":"side","problem":"is missing"/],
    [{ ...good, symbol: '' }, /"field":"symbol","problem":"is empty"/],
    [{ ...good, symbol: [] }, /"field":"symbol","problem":"is an array"/],
    [{ ...good, symbol: {} }, /"field":"symbol","problem":"is an object"/],
    [{ ...good, size: true }, /"field":"size","problem":"is true","expected":"give a number above 0"/],
    [{ ...good, size: '0' }, /"field":"size".*give a number above 0/],
    [{ ...good, size: '-1' }, /"field":"size".*give a number above 0/],
    [{ ...good, stealth: '0.99' }, /"field":"stealth".*give a number from 1 to 100/],
    [{ ...good, stealth: '100.01' }, /"field":"stealth".*give a number from 1 to 100/],
    [{ ...good, period: '59' }, /"field":"period".*give a whole number from 60 to 86400/],
    [{ ...good, period: '60.5' }, /"field":"period".*give a whole number from 60 to 86400/],
    [{ ...good, postOnly: 'true' }, /"field":"postOnly".*give true or false/],
    [{ ...good, postOnly: new JsonNumber('1') }, /"field":"postOnly","problem":"is 1"/],
    [{ ...good, clOrderId: new JsonNumber('7') }, /"field":"clOrderId".*text of at most 64 characters/],
    [{ ...good, clOrderId: 'x'.repeat(65) }, /"field":"clOrderId","problem":"has 65 characters"/],
    [{ ...good, clOrderId: 'a\nb' }, /"field":"clOrderId","problem":"holds a control character"/],
    [{ ...good, clOrderId: 'a\u0085' }, /control character/],
  ];
  for (const [body, expected] of bad) {
    test(`${JSON.stringify(body).slice(0, 80)}: refused`, () => {
      const source = Object.assign(Object.create(null), body);
      assert.match(
        refused(() => exact(source)),
        expected,
      );
    });
  }

  test('numbers that are none, or too long, or too large', () => {
    for (const size of [
      'NaN',
      'Infinity',
      '-Infinity',
      '',
      ' 1',
      '1 ',
      '1,0',
      '0x10',
      '1_000',
      '+1',
      '.5',
      '5.',
      '1e',
      'true',
    ]) {
      assert.match(
        refused(() => exact({ ...good, size })),
        /which is no number/,
        size,
      );
    }
    for (const size of ['9007199254740993', '0.30000000000000004', '1234567890123456']) {
      assert.match(
        refused(() => exact({ ...good, size })),
        /more than 15 significant digits/,
        size,
      );
    }
    for (const size of ['1e309', '1e21', '1e-400', '1e999999999', '-1e400']) {
      assert.match(
        refused(() => exact({ ...good, size })),
        /out of range/,
        size,
      );
    }
  });
});

describe("onto a market's grid", () => {
  const cases: readonly (readonly [string, () => unknown, RegExp | number | string])[] = [
    ['price', () => priceTicks(spot, 'orderPrice', value('60000.1')), 600_001],
    [
      'price off the tick',
      () => priceTicks(spot, 'orderPrice', value('60000.15')),
      /priceOffTick.*"below":"60000.1","above":"60000.2"/,
    ],
    ['price below the minimum', () => priceTicks(spot, 'p', value('0.05')), /priceBelowMinimum.*"minimum":"0.1"/],
    ['price of zero', () => priceTicks(spot, 'p', value('0')), /priceBelowMinimum/],
    ['price below zero', () => priceTicks(spot, 'p', value('-1')), /priceBelowMinimum/],
    [
      'price above the maximum',
      () => priceTicks(spot, 'p', value('10000000.1')),
      /priceAboveMaximum.*"maximum":"10000000"/,
    ],
    ['a huge price', () => priceTicks(spot, 'p', value('1e18')), /priceAboveMaximum/],
    ['size', () => sizeLots(spot, 'orderSize', value('0.01')), 1000],
    [
      'size off the step',
      () => sizeLots(spot, 'orderSize', value('0.000015')),
      /sizeOffStep.*"below":"0.00001","above":"0.00002"/,
    ],
    ['size of zero', () => sizeLots(spot, 's', value('0')), /sizeBelowMinimum.*"minimum":"0.00001"/],
    ['size below zero', () => sizeLots(spot, 's', value('-0.01')), /sizeBelowMinimum/],
    ['size above the maximum', () => sizeLots(spot, 's', value('100.00001')), /sizeAboveMaximum.*"maximum":"100"/],
    ['a huge size', () => sizeLots(spot, 's', value('1e18')), /sizeAboveMaximum/],
    ['contracts', () => sizeLots(perpetual, 'size', value('7')), 7],
    ['half a contract', () => sizeLots(perpetual, 'size', value('1.5')), /sizeOffStep.*"below":"1","above":"2"/],
    ['fine price', () => finePrice(spot, 'trailValue', value('100.0001')), 1_000_001],
    [
      'finer than fine',
      () => finePrice(spot, 'trailValue', value('0.00005')),
      /priceOffTick.*"below":"0","above":"0.0001"/,
    ],
    ['quote', () => quoteUnits(call, spot, 'quoteOrderSize', value('12.5')), '1250000000'],
    [
      'quote off its decimals',
      () => quoteUnits(call, spot, 'q', value('0.123456789')),
      /sizeOffStep.*"below":"0.12345678","above":"0.12345679"/,
    ],
    ['quote of zero', () => quoteUnits(call, spot, 'q', value('0')), /sizeBelowMinimum/],
    ['quote beyond money', () => quoteUnits(call, spot, 'q', value('1e12')), /sizeAboveMaximum/],
    ['parts', () => parts('deviation', value('-0.5')), -50_000_000],
    ['finer than parts', () => parts('deviation', value('0.000000001')), /malformed.*at most 8 decimals/],
  ];
  for (const [name, act, expected] of cases) {
    test(name, () => {
      if (expected instanceof RegExp) assert.match(refused(act), expected);
      else assert.equal(act(), expected);
    });
  }

  test('every price on the grid is accepted and none between', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), fc.integer({ min: 0, max: 9 }), (tenths, hundredth) => {
        const written = `${Math.floor(tenths / 10)}.${tenths % 10}${hundredth}`;
        const result = refused(() => assert.equal(priceTicks(spot, 'p', value(written)), tenths));
        assert.equal(result === 'accepted', hundredth === 0, written);
      }),
      { numRuns: 200 },
    );
  });
});

test('markets by the names that each surface knows', () => {
  assert.equal(findMarket(venue, 'spot', 'BTC-USDT'), spot);
  for (const name of ['BTC-PERP', 'BTC-PERP-USDT', 'BTCPFC'])
    assert.equal(findMarket(venue, 'futures', name, true), perpetual);
  assert.equal(findMarket(venue, 'futures', 'BTC-PERP'), perpetual);
  for (const name of ['BTC-PERP-USDT', 'BTCPFC', 'BTC-USDT', 'btc-perp', '']) {
    assert.match(
      refused(() => findMarket(venue, 'futures', name)),
      /unknownMarket/,
    );
  }
  assert.match(
    refused(() => findMarket(venue, 'spot', 'BTC-PERP')),
    /unknownMarket/,
  );
});

describe('the digest of a request', () => {
  const one = { symbol: 'BTC-USDT', size: value('0.010'), clOrderId: 'a' };

  test('is the same for the same values, however they were written or ordered', () => {
    const other = { clOrderId: 'a', size: value('1e-2'), symbol: 'BTC-USDT', postOnly: undefined };
    assert.equal(requestDigest('place', one, 'a'), requestDigest('place', other, 'a'));
  });

  test('is another for another operation, value or field', () => {
    const digests = [
      requestDigest('place', one, 'a'),
      requestDigest('algo', one, 'a'),
      requestDigest('place', { ...one, size: value('0.1') }, 'a'),
      requestDigest('place', { ...one, clOrderId: '0.1' }, '0.1'),
      requestDigest('place', { ...one, clOrderId: '0.10' }, '0.10'),
      requestDigest('place', { ...one, postOnly: false }, 'a'),
    ];
    assert.equal(new Set(digests).size, digests.length);
    for (const digest of digests) assert.match(digest ?? '', /^[\w-]{43}$/);
  });

  test('is none without a client id', () => {
    assert.equal(requestDigest('place', one, null), null);
    assert.equal(requestDigest('place', one, undefined), null);
  });
});

test('decimals compare as what they are', () => {
  const digits = fc.tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.integer({ min: 0, max: 6 }));
  fc.assert(
    fc.property(digits, digits, ([a, i], [b, j]) => {
      const expected = Math.sign(a * 10 ** (6 - i) - b * 10 ** (6 - j));
      assert.equal(compare({ coefficient: BigInt(a), scale: i }, { coefficient: BigInt(b), scale: j }), expected + 0);
    }),
  );
});
