/**
 * Exact decimals as integers. The text "59000.5" is 590005 with the scale 1, and the integer 590005 × 32 + 1. So every
 * integer says by itself which text it is, whatever the terms of its market are.
 */

/** A decimal: its digits without the point, and how many of them are behind it. */
export interface DecimalParts {
  readonly negative: boolean;
  readonly scale: number;
  readonly digits: number;
}

const SCALES = 32;
const [ZERO, POINT, MINUS] = [48, 46, 45];
/** So many digits are a safe integer. */
const MOST_DIGITS = 15;
/** With less than this, an integer with its scale is a safe integer. */
const MOST_WHOLE = Math.floor(Number.MAX_SAFE_INTEGER / SCALES);

/** Undefined: the text is not the one that `decimalOf` makes of its parts. */
export function decimalParts(text: string): DecimalParts | undefined {
  const negative = text.charCodeAt(0) === MINUS;
  const first = negative ? 1 : 0;
  const { length } = text;
  let [digits, point] = [0, -1];
  if (length === first || length - first > MOST_DIGITS + 1) return undefined;
  for (let at = first; at < length; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit >= 0 && digit <= 9) digits = digits * 10 + digit;
    else if (digit === POINT - ZERO && point < 0) point = at;
    else return undefined;
  }
  const count = length - first - (point < 0 ? 0 : 1);
  const whole = (point < 0 ? length : point) - first;
  if (count > MOST_DIGITS || whole === 0 || point === length - 1) return undefined;
  if ((whole > 1 && text.charCodeAt(first) === ZERO) || (negative && digits === 0)) return undefined;
  return { negative, scale: point < 0 ? 0 : length - 1 - point, digits };
}

export function decimalOf(negative: boolean, scale: number, digits: number): string {
  const text = `${digits}`;
  const sign = negative ? '-' : '';
  if (scale === 0) return sign + text;
  const padded = text.padStart(scale + 1, '0');
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

/** Undefined: it has too many digits. */
export function integerOfDecimal(text: string): number | undefined {
  const parts = decimalParts(text);
  if (parts === undefined || parts.digits >= MOST_WHOLE || parts.scale >= SCALES) return undefined;
  const value = parts.digits * SCALES + parts.scale;
  return parts.negative ? -value : value;
}

export function decimalOfInteger(value: number): string {
  const whole = Math.abs(value);
  return decimalOf(value < 0, whole % SCALES, Math.floor(whole / SCALES));
}

/** The exact product of two decimals. Undefined: it has too many digits. */
export function product(one: string, other: string): string | undefined {
  const [a, b] = [decimalParts(one), decimalParts(other)];
  if (a === undefined || b === undefined) return undefined;
  let [digits, scale] = [a.digits * b.digits, a.scale + b.scale];
  if (digits > Number.MAX_SAFE_INTEGER) return undefined;
  for (; scale > 0 && digits % 10 === 0; scale -= 1) digits /= 10;
  return decimalOf(a.negative !== b.negative && digits !== 0, scale, digits);
}
