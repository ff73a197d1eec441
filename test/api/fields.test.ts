import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { choice, clientId, decimal, fields, flag, optional, reader, text } from '../../src/api/shared/fields.ts';
import { JsonNumber, type JsonObject, parseBody } from '../../src/api/shared/json.ts';
import { refused } from './support.ts';

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
    [{ ...good, side: 'Buy' }, /"field":"side","problem":"is \\"Buy\\": give one of BUY, SELL/],
    [{ ...good, stopPrice: '1' }, /"field":"stopPrice".*is not a field of orderType PEG.*its fields are symbol, side/],
    [
      { ...good, sde: '1' },
      /is not a field of orderType PEG: did you mean side\? Its fields are symbol, side, .*clOrderId/,
    ],
    [{ ...good, side: 'x'.repeat(1000) }, /"problem":"is \\"x{80}…\\": give one of BUY, SELL/],
    [{ ...good, ['__proto__']: '1' }, /"field":"__proto__"/],
    [{ side: 'BUY', size: '1' }, /"field":"symbol","problem":"is missing/],
    [{ ...good, side: null }, /"field":"side","problem":"is missing/],
    [{ ...good, symbol: '' }, /"field":"symbol","problem":"is empty/],
    [{ ...good, symbol: [] }, /"field":"symbol","problem":"is an array/],
    [{ ...good, symbol: {} }, /"field":"symbol","problem":"is an object/],
    [{ ...good, size: true }, /"field":"size","problem":"is true: give a number above 0/],
    [{ ...good, size: '0' }, /"field":"size".*give a number above 0/],
    [{ ...good, size: '-1' }, /"field":"size".*give a number above 0/],
    [{ ...good, stealth: '0.99' }, /"field":"stealth".*give a number from 1 to 100/],
    [{ ...good, stealth: '100.01' }, /"field":"stealth".*give a number from 1 to 100/],
    [{ ...good, period: '59' }, /"field":"period".*give a whole number from 60 to 86400/],
    [{ ...good, period: '60.5' }, /"field":"period".*give a whole number from 60 to 86400/],
    [{ ...good, postOnly: 'true' }, /"field":"postOnly".*give true or false/],
    [{ ...good, postOnly: new JsonNumber('1') }, /"field":"postOnly","problem":"is 1/],
    [{ ...good, clOrderId: new JsonNumber('7') }, /"field":"clOrderId".*text of at most 64 characters/],
    [{ ...good, clOrderId: 'x'.repeat(65) }, /"field":"clOrderId","problem":"has 65 characters/],
    [{ ...good, clOrderId: 'a\nb' }, /"field":"clOrderId","problem":"contains a control character/],
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

  test('a flag that is missing is asked for in words', () => {
    const needed = reader(fields({ on: flag('on or off') }));
    assert.match(
      refused(() => needed(Object.create(null))),
      /"field":"on".*give true or false/,
    );
  });

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
        /which is not a number/,
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
