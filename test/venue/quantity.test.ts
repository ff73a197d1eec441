import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addMoney,
  ceilDiv,
  compareDecimals,
  type Decimal,
  type DecimalProblem,
  decimalNumber,
  decimalText,
  floorDiv,
  MAX_MONEY,
  MoneyOverflow,
  mulDivCeil,
  mulDivFloor,
  onGrid,
  parseDecimal,
  toUnits,
} from '../../src/venue/contract/decimal.ts';

function parsed(text: string): Decimal {
  const value = parseDecimal(text);
  assert.ok(typeof value !== 'string', `${text}: ${value}`);
  return value;
}

const READ: readonly [text: string, plain: string][] = [
  ['0', '0'],
  ['-0', '0'],
  ['-0.000', '0'],
  ['0e999999999', '0'],
  ['0e-999999999', '0'],
  ['1', '1'],
  ['-1', '-1'],
  ['1.50', '1.5'],
  ['100', '100'],
  ['0.00001', '0.00001'],
  ['1e3', '1000'],
  ['1E+3', '1000'],
  ['25e-1', '2.5'],
  ['1e-0', '1'],
  ['1e0000000000000000000003', '1000'],
  ['123456789012345', '123456789012345'],
  ['-0.123456789012345', '-0.123456789012345'],
  ['123456789012345000', '123456789012345000'],
  ['1.234567890123450000000000', '1.23456789012345'],
  ['0.000000000000000001', '0.000000000000000001'],
  ['1e-18', '0.000000000000000001'],
  ['1.5e-18', '0.0000000000000000015'],
  ['1e18', '1000000000000000000'],
  ['1000000000000000000', '1000000000000000000'],
  ['-1e18', '-1000000000000000000'],
  ['0.1e19', '1000000000000000000'],
  [`0.${'0'.repeat(50_000)}1e50001`, '1'],
  [`1${'0'.repeat(50_000)}e-50000`, '1'],
  [String(1e-7), '0.0000001'],
];

for (const [text, plain] of READ) {
  test(`${text.slice(0, 40)} reads as ${plain}`, () => {
    const { coefficient, scale } = parsed(text);
    assert.equal(decimalText(coefficient, scale), plain);
  });
}

const REFUSED: readonly [text: string, problem: DecimalProblem][] = [
  ['', 'not a number'],
  ['-', 'not a number'],
  ['+1', 'not a number'],
  [' 1', 'not a number'],
  ['1 ', 'not a number'],
  ['1\n', 'not a number'],
  ['1\u0000', 'not a number'],
  ['1,0', 'not a number'],
  ['1_000', 'not a number'],
  ['0x10', 'not a number'],
  ['01', 'not a number'],
  ['-01', 'not a number'],
  ['00', 'not a number'],
  ['00.1', 'not a number'],
  ['.5', 'not a number'],
  ['-.5', 'not a number'],
  ['5.', 'not a number'],
  ['5.e1', 'not a number'],
  ['1.2.3', 'not a number'],
  ['1e', 'not a number'],
  ['1e+', 'not a number'],
  ['1e1.5', 'not a number'],
  ['1e5e5', 'not a number'],
  ['e5', 'not a number'],
  ['--1', 'not a number'],
  ['NaN', 'not a number'],
  ['Infinity', 'not a number'],
  ['-Infinity', 'not a number'],
  ['true', 'not a number'],
  ['null', 'not a number'],
  ['1n', 'not a number'],
  ['１', 'not a number'],
  ['٣', 'not a number'],
  ['−1', 'not a number'],
  ['9007199254740993', 'too many digits'],
  ['1234567890123456', 'too many digits'],
  ['0.1234567890123456', 'too many digits'],
  ['1.000000000000001', 'too many digits'],
  [String(0.1 + 0.2), 'too many digits'],
  ['9'.repeat(60_000), 'too many digits'],
  ['1e309', 'out of range'],
  ['1e21', 'out of range'],
  ['1e+21', 'out of range'],
  ['1e19', 'out of range'],
  ['1.1e18', 'out of range'],
  ['2000000000000000000', 'out of range'],
  ['9e-19', 'out of range'],
  ['1e-400', 'out of range'],
  ['1e999999999', 'out of range'],
  ['-1e999999999', 'out of range'],
  ['1e-999999999', 'out of range'],
  [`1e${'9'.repeat(60_000)}`, 'out of range'],
];

for (const [text, problem] of REFUSED) {
  test(`${JSON.stringify(text.slice(0, 40))} is ${problem}`, () => {
    assert.equal(parseDecimal(text), problem);
  });
}

// Were the zeros written out, each would take seconds, and the suite would run into its time limit.
test('a huge exponent costs no more than a small one', () => {
  for (let i = 0; i < 10_000; i++) assert.equal(parseDecimal('1e999999999'), 'out of range');
});

/** Digits with at most 15 significant ones, and a power of ten that keeps them within range. */
const decimals = fc.record({
  coefficient: fc.bigInt({ min: -(10n ** 15n - 1n), max: 10n ** 15n - 1n }),
  exponent: fc.integer({ min: -18, max: 3 }),
});

test('every way to write a decimal reads as the same normal form', () => {
  fc.assert(
    fc.property(decimals, fc.integer({ min: -30, max: 30 }), fc.nat(20), ({ coefficient, exponent }, shift, zeros) => {
      fc.pre(coefficient !== 0n);
      const expected = parsed(`${coefficient}e${exponent}`);
      const shifted = `${coefficient}${'0'.repeat(zeros)}e${exponent - zeros}`;
      assert.deepEqual(parsed(shifted), expected);
      const scaled = coefficient * 10n ** 40n;
      assert.deepEqual(parsed(`${decimalText(scaled, 40 + shift)}E${exponent + shift}`), expected);
      assert.deepEqual(parsed(decimalText(expected.coefficient, expected.scale)), expected);
    }),
  );
});

test('a decimal is normal: no negative scale, no trailing zeros after the point, the value as written', () => {
  fc.assert(
    fc.property(decimals, ({ coefficient, exponent }) => {
      const value = parsed(`${coefficient}e${exponent}`);
      assert.ok(value.scale >= 0);
      assert.ok(value.scale === 0 || value.coefficient % 10n !== 0n);
      assert.equal(value.coefficient * 10n ** 20n, coefficient * 10n ** BigInt(20 + exponent + value.scale));
    }),
  );
});

test('a JSON number of at most 15 digits reads as what was written', () => {
  fc.assert(
    fc.property(decimals, ({ coefficient, exponent }) => {
      const text = `${coefficient}e${exponent}`;
      assert.deepEqual(parseDecimal(JSON.stringify(JSON.parse(text))), parseDecimal(text));
    }),
  );
});

test('whatever the text, only what JSON takes as a number is one', () => {
  const texts = fc.string({ unit: fc.constantFrom(...'0123456789.-+eE'), maxLength: 12 });
  fc.assert(
    fc.property(texts, (text) => {
      let isJsonNumber = true;
      try {
        JSON.parse(text);
      } catch {
        isJsonNumber = false;
      }
      assert.equal(parseDecimal(text) !== 'not a number', isJsonNumber, text);
    }),
    { numRuns: 2000 },
  );
});

test('decimal text is plain, and a scale that makes no sense is refused', () => {
  const cases: [bigint, number, string][] = [
    [0n, 0, '0'],
    [0n, 8, '0'],
    [5n, 8, '0.00000005'],
    [-5n, 1, '-0.5'],
    [1_000_000n, 6, '1'],
    [1_050_000n, 6, '1.05'],
    [-MAX_MONEY, 8, '-92233720368.54775807'],
  ];
  for (const [coefficient, scale, text] of cases) assert.equal(decimalText(coefficient, scale), text);
  for (const scale of [-1, 0.5, 81, Number.NaN]) assert.throws(() => decimalText(1n, scale), RangeError);
});

test('decimalNumber is the double nearest to the decimal', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.integer({ min: 0, max: 40 }), (integer, scale) => {
      assert.equal(decimalNumber(integer, scale), Number(`${integer}e-${scale}`));
    }),
  );
  assert.equal(decimalNumber(1234567, 3), 1234.567);
  assert.ok(Object.is(decimalNumber(-0, 3), 0));
  for (const bad of [0.5, 2 ** 53, Number.NaN]) assert.throws(() => decimalNumber(bad, 1), RangeError);
});

const GRID: readonly [value: string, step: string, place: ReturnType<typeof onGrid>][] = [
  ['100', '0.1', { units: 1000 }],
  ['100.1', '0.1', { units: 1001 }],
  ['100.10', '0.1', { units: 1001 }],
  ['1e2', '0.1', { units: 1000 }],
  ['0', '0.1', { units: 0 }],
  ['-2.5', '0.5', { units: -5 }],
  ['100.15', '0.1', { below: '100.1', above: '100.2' }],
  ['100.19999999', '0.1', { below: '100.1', above: '100.2' }],
  ['0.05', '0.1', { below: '0', above: '0.1' }],
  ['-0.05', '0.1', { below: '-0.1', above: '0' }],
  ['0.000011', '0.00001', { below: '0.00001', above: '0.00002' }],
  ['7', '2.5', { below: '5', above: '7.5' }],
  ['1.5', '1', { below: '1', above: '2' }],
  ['90071992547409', '0.01', { units: 9007199254740900 }],
  ['90071992547410', '0.01', 'out of range'],
  ['-90071992547410', '0.01', 'out of range'],
  ['1e18', '1e-18', 'out of range'],
];

for (const [value, step, place] of GRID) {
  test(`${value} on the grid of ${step}`, () => {
    assert.deepEqual(onGrid(parsed(value), parsed(step)), place);
  });
}

test('a grid ends at 2^53 - 1 steps on both sides', () => {
  const one = parsed('1');
  for (const sign of [1n, -1n]) {
    const last = sign * BigInt(Number.MAX_SAFE_INTEGER);
    assert.deepEqual(onGrid({ coefficient: last, scale: 0 }, one), { units: Number(last) });
    assert.equal(onGrid({ coefficient: last + sign, scale: 0 }, one), 'out of range');
  }
});

test('a value is on its grid, or strictly between two neighbours that are one step apart', () => {
  const stepSizes = fc.record({
    digits: fc.integer({ min: 1, max: 9999 }),
    exponent: fc.integer({ min: -12, max: 2 }),
  });
  fc.assert(
    fc.property(decimals, stepSizes, ({ coefficient, exponent }, { digits, exponent: stepExponent }) => {
      const value = parsed(`${coefficient}e${exponent}`);
      const step = parsed(`${digits}e${stepExponent}`);
      const scaled = (d: Decimal) => d.coefficient * 10n ** BigInt(40 - d.scale);
      const place = onGrid(value, step);
      if (place === 'out of range') {
        const steps = scaled(value) / scaled(step);
        assert.ok(steps * steps >= (2n ** 53n - 1n) ** 2n);
      } else if ('units' in place) {
        assert.equal(BigInt(place.units) * scaled(step), scaled(value));
      } else {
        const [below, above] = [exact(place.below), exact(place.above)];
        assert.ok(below < scaled(value) && scaled(value) < above);
        assert.equal(above - below, scaled(step));
        assert.equal(below % scaled(step), 0n);
      }
    }),
  );
});

/** Plain decimal text times 10^40, without the parser under test. */
function exact(text: string): bigint {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(40, '0'));
}

test('a grid without a positive step is refused', () => {
  for (const step of ['0', '-0.1']) assert.throws(() => onGrid(parsed('1'), parsed(step)), RangeError);
});

const integers = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
const divisors = integers.filter((divisor) => divisor !== 0n);

test('floorDiv and ceilDiv are the whole numbers around the quotient, for every sign', () => {
  const small = fc.bigInt({ min: -20n, max: 20n });
  fc.assert(
    fc.property(fc.oneof(integers, small), fc.oneof(divisors, small.filter(Boolean)), (a, b) => {
      const size = b < 0n ? -b : b;
      const below = a * (b < 0n ? -1n : 1n) - floorDiv(a, b) * size;
      assert.ok(below >= 0n && below < size);
      assert.equal(ceilDiv(a, b) - floorDiv(a, b), below === 0n ? 0n : 1n);
    }),
  );
});

test('decimals compare as what they are', () => {
  const digits = fc.tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.integer({ min: 0, max: 6 }));
  fc.assert(
    fc.property(digits, digits, ([a, i], [b, j]) => {
      const expected = Math.sign(a * 10 ** (6 - i) - b * 10 ** (6 - j));
      assert.equal(
        compareDecimals({ coefficient: BigInt(a), scale: i }, { coefficient: BigInt(b), scale: j }),
        expected + 0,
      );
    }),
  );
});

test('a decimal in smallest units is exact, or null where it is finer than they are', () => {
  assert.equal(toUnits(parsed('12.5'), 2), 1250n);
  assert.equal(toUnits(parsed('-0.01'), 2), -1n);
  assert.equal(toUnits(parsed('0'), 8), 0n);
  assert.equal(toUnits(parsed('3'), 0), 3n);
  assert.equal(toUnits(parsed('0.001'), 2), null);
  assert.equal(toUnits(parsed('0.5'), 0), null);
});

test('mulDiv keeps the product exact and rounds as its name says', () => {
  assert.equal(mulDivFloor(7n, 3n, 2n), 10n);
  assert.equal(mulDivCeil(7n, 3n, 2n), 11n);
  assert.equal(mulDivFloor(-7n, 3n, 2n), -11n);
  assert.equal(mulDivCeil(-7n, 3n, 2n), -10n);
  assert.equal(mulDivFloor(MAX_MONEY, MAX_MONEY, MAX_MONEY), MAX_MONEY);
  assert.throws(() => mulDivFloor(1n, 1n, 0n), RangeError);
  fc.assert(
    fc.property(integers, integers, divisors, (a, b, c) => {
      assert.equal(mulDivFloor(a, b, c), floorDiv(a * b, c));
      assert.equal(mulDivCeil(a, b, c), -mulDivFloor(-a, b, c));
    }),
  );
});

test('money is signed 64 bit, one more in either direction is an overflow', () => {
  assert.equal(MAX_MONEY, 9223372036854775807n);
  const least = -MAX_MONEY - 1n;
  for (const [a, b] of [
    [MAX_MONEY, 0n],
    [MAX_MONEY - 1n, 1n],
    [least, 0n],
    [least + 1n, -1n],
    [least, MAX_MONEY],
  ]) {
    assert.equal(addMoney(a, b), a + b);
  }
  for (const [a, b] of [
    [MAX_MONEY, 1n],
    [MAX_MONEY, MAX_MONEY],
    [least, -1n],
    [least, least],
  ]) {
    assert.throws(
      () => addMoney(a, b),
      (error) => error instanceof MoneyOverflow && error instanceof RangeError && error.name === 'MoneyOverflow',
    );
  }
});
