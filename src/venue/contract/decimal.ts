/**
 * Exact quantities: decimal text to scaled integers and back, positions on a tick or lot grid, and arithmetic of money.
 *
 * Invariant: nothing here rounds silently. Text that has no exact value gives a named problem. A value off its grid
 * comes back with its two valid neighbours. A product is rounded only in the direction that the function names.
 * Cost: parsing is one pass over the text. A huge exponent is only compared, never expanded.
 */

/** An exact decimal: coefficient / 10^scale. Normalised: scale >= 0, and no trailing zeros after the point. */
export interface Decimal {
  readonly coefficient: bigint;
  readonly scale: number;
}

export type DecimalProblem = 'not a number' | 'too many digits' | 'out of range';

/** Place of a decimal on a grid: the whole number of steps, or the nearest valid values on both sides as text. */
export type GridPlace = { readonly units: number } | { readonly below: string; readonly above: string };

/** Accepted significant digits. A JSON number (an IEEE double) distinguishes all such decimals, too. */
const MAX_DIGITS = 15;
/** Accepted magnitudes except zero: 10^-18 to 10^18, both included. */
const MAX_EXPONENT = 18;
/** The largest scale of texts and grids: 15 digits down to 10^-18, and one decimal scaled by another. */
const MAX_SCALE = 80;

const POWERS: readonly bigint[] = Array.from({ length: MAX_SCALE + 1 }, (_, exponent) => 10n ** BigInt(exponent));
/** Powers of ten that a double holds exactly, so that one division by them is correctly rounded. */
const EXACT_DOUBLE_POWERS: readonly number[] = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

const ZERO: Decimal = { coefficient: 0n, scale: 0 };

const CHAR_0 = 48;
const CHAR_9 = 57;
const CHAR_DOT = 46;
const CHAR_MINUS = 45;
const CHAR_PLUS = 43;
const CHAR_E = 69;
const CHAR_LOWER_E = 101;

function isDigit(code: number): boolean {
  return code >= CHAR_0 && code <= CHAR_9;
}

/**
 * Reads a number in JSON syntax (optional minus, no plus, no leading zeros, fraction, exponent) exactly as written. At
 * most 15 significant digits, not counting zeros at either end. Magnitude 1e-18 to 1e18, or zero. "-0" is zero.
 */
export function parseDecimal(text: string): Decimal | DecimalProblem {
  const end = text.length;
  const negative = text.charCodeAt(0) === CHAR_MINUS;
  const start = negative ? 1 : 0;

  // Zeros go into `digits` only when a later non-zero digit shows that they are not trailing zeros.
  let digits = 0;
  let digitCount = 0;
  let trailingZeros = 0;
  let pointAt = -1;
  let at = start;
  for (; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === CHAR_DOT && pointAt < 0) {
      pointAt = at;
      continue;
    }
    if (!isDigit(code)) break;
    if (code === CHAR_0) {
      if (digitCount > 0) trailingZeros++;
      continue;
    }
    digitCount += trailingZeros + 1;
    if (digitCount <= MAX_DIGITS) digits = digits * EXACT_DOUBLE_POWERS[trailingZeros + 1] + (code - CHAR_0);
    trailingZeros = 0;
  }
  const integerDigits = (pointAt < 0 ? at : pointAt) - start;
  const fractionDigits = pointAt < 0 ? 0 : at - pointAt - 1;
  if (integerDigits === 0 || (pointAt >= 0 && fractionDigits === 0)) return 'not a number';
  if (integerDigits > 1 && text.charCodeAt(start) === CHAR_0) return 'not a number';

  const written = at < end ? parseExponent(text, at) : 0;
  if (Number.isNaN(written)) return 'not a number';
  if (digitCount === 0) return ZERO;
  if (digitCount > MAX_DIGITS) return 'too many digits';

  const exponent = written - fractionDigits + trailingZeros;
  const leading = exponent + digitCount - 1;
  if (leading < -MAX_EXPONENT || leading > MAX_EXPONENT) return 'out of range';
  if (leading === MAX_EXPONENT && digits !== 1) return 'out of range';
  const coefficient = BigInt(negative ? -digits : digits);
  return exponent < 0 ? { coefficient, scale: -exponent } : { coefficient: coefficient * POWERS[exponent], scale: 0 };
}

/**
 * The exponent part that begins at `at` and must reach the end of the text. NaN if it is malformed. Above 2^53 it is
 * inexact or infinite, but that is out of range anyway.
 */
function parseExponent(text: string, at: number): number {
  const mark = text.charCodeAt(at);
  if (mark !== CHAR_E && mark !== CHAR_LOWER_E) return Number.NaN;
  const sign = text.charCodeAt(at + 1);
  const first = sign === CHAR_MINUS || sign === CHAR_PLUS ? at + 2 : at + 1;
  if (first >= text.length) return Number.NaN;
  let exponent = 0;
  for (let i = first; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (!isDigit(code)) return Number.NaN;
    exponent = exponent * 10 + (code - CHAR_0);
  }
  return sign === CHAR_MINUS ? -exponent : exponent;
}

function powerOfTen(scale: number): bigint {
  const power = POWERS[scale];
  if (power === undefined) throw new RangeError(`scale must be a whole number from 0 to ${MAX_SCALE}, not ${scale}`);
  return power;
}

/** coefficient / 10^scale as plain text: no exponent, no trailing zeros, "0" for zero. */
export function decimalText(coefficient: bigint, scale: number): string {
  if (scale === 0) return coefficient.toString();
  const power = powerOfTen(scale);
  const size = coefficient < 0n ? -coefficient : coefficient;
  const sign = coefficient < 0n ? '-' : '';
  const whole = size / power;
  const rest = size % power;
  if (rest === 0n) return `${sign}${whole}`;
  const fraction = rest.toString().padStart(scale, '0');
  let end = fraction.length;
  while (fraction.charCodeAt(end - 1) === CHAR_0) end--;
  return `${sign}${whole}.${fraction.slice(0, end)}`;
}

/** integer / 10^scale as the nearest double, which prints as the intended decimal. `integer` must be a safe integer. */
export function decimalNumber(integer: number, scale: number): number {
  if (!Number.isSafeInteger(integer)) throw new RangeError(`a safe integer is needed, not ${integer}`);
  const power = EXACT_DOUBLE_POWERS[scale];
  // One division of two exact doubles is correctly rounded. For larger scales, parsing the text is. Adding 0 turns -0
  // into 0.
  return power === undefined ? Number(decimalText(BigInt(integer), scale)) : integer / power + 0;
}

/** Negative, zero or positive as a is below, equal to or above b. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const alike = a.scale === b.scale || b.coefficient === 0n;
  const left = alike ? a.coefficient : a.coefficient * powerOfTen(b.scale);
  const right = alike ? b.coefficient : b.coefficient * powerOfTen(a.scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** `value` in units of 10^-decimals, such as the smallest units of a currency. Null if that is not a whole number. */
export function toUnits(value: Decimal, decimals: number): bigint | null {
  if (value.scale > decimals) return null;
  return value.coefficient * powerOfTen(decimals - value.scale);
}

/**
 * `value` as a whole number of `step`s (step > 0), or its nearest valid neighbours. 'out of range' from 2^53 steps on.
 */
export function onGrid(value: Decimal, step: Decimal): GridPlace | 'out of range' {
  if (step.coefficient <= 0n) throw new RangeError('a grid needs a step above zero');
  const inDoubles = stepsInDoubles(value, step);
  if (inDoubles !== undefined) return { units: inDoubles };
  const dividend = value.coefficient * powerOfTen(step.scale);
  const divisor = step.coefficient * powerOfTen(value.scale);
  const units = floorDiv(dividend, divisor);
  if (units > BigInt(Number.MAX_SAFE_INTEGER) || units < -BigInt(Number.MAX_SAFE_INTEGER)) return 'out of range';
  if (units * divisor === dividend) return { units: Number(units) };
  return {
    below: decimalText(units * step.coefficient, step.scale),
    above: decimalText((units + 1n) * step.coefficient, step.scale),
  };
}

/** How many steps the value is, if that is whole and all figures on the way are exact as doubles. Otherwise undefined. */
function stepsInDoubles(value: Decimal, step: Decimal): number | undefined {
  // Undefined if the value has more decimals than the step. Then the dividend is NaN, which is not exact.
  const power = EXACT_DOUBLE_POWERS[step.scale - value.scale];
  const dividend = Number(value.coefficient) * power;
  const divisor = Number(step.coefficient);
  const isExact = Math.abs(dividend) <= Number.MAX_SAFE_INTEGER && divisor <= Number.MAX_SAFE_INTEGER;
  return isExact && dividend % divisor === 0 ? dividend / divisor : undefined;
}

/** a / b, rounded towards minus infinity. */
export function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return quotient * b !== a && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

/** a / b, rounded towards plus infinity. */
export function ceilDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return quotient * b !== a && a < 0n === b < 0n ? quotient + 1n : quotient;
}

/** a * b / c with an exact product, rounded towards minus infinity. */
export function mulDivFloor(a: bigint, b: bigint, c: bigint): bigint {
  return floorDiv(a * b, c);
}

/** a * b / c with an exact product, rounded towards plus infinity. */
export function mulDivCeil(a: bigint, b: bigint, c: bigint): bigint {
  return ceilDiv(a * b, c);
}

/** The largest amount of money in smallest units. Money is a signed 64-bit integer. */
export const MAX_MONEY = 2n ** 63n - 1n;

/** An amount of money does not fit into signed 64 bits. */
export class MoneyOverflow extends RangeError {
  override name = 'MoneyOverflow';
}

/** a + b, or MoneyOverflow. a must be money. Written so that the runtime uses 64-bit registers. */
export function addMoney(a: bigint, b: bigint): bigint {
  const sum = BigInt.asIntN(64, a + b);
  if (b >= 0n ? sum < a : sum > a) throw new MoneyOverflow(`${a} + ${b} is outside signed 64-bit money`);
  return sum;
}
