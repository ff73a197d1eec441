/**
 * Exact decimals as text: plain digits, no exponent, no leading or trailing zeros.
 * Cost: one pass over the cell. Only texts with a sign or an exponent take the slower way.
 */
import type { Decimal } from './events.ts';
import { RowProblem, shown } from './refused.ts';

const ZERO = 48;
const NINE = 57;
const POINT = 46;
const MINUS = 45;
/** Longer numbers are damage. */
const MAX_LENGTH = 60;
const MAX_EXPONENT = 40;

/** The plain form of a number such as `100.500`, `.5`, `1e-7` or `-0.0001`. Undefined if it is no number. */
export function decimalOf(text: string): Decimal | undefined {
  const length = text.length;
  let point = -1;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code >= ZERO && code <= NINE) continue;
    if (code !== POINT || point >= 0) return unusualDecimal(text);
    point = i;
  }
  const whole = point < 0 ? length : point;
  if (whole === 0 || length > MAX_LENGTH || (whole > 1 && text.charCodeAt(0) === ZERO)) return unusualDecimal(text);
  if (point < 0) return text;
  let end = length;
  while (text.charCodeAt(end - 1) === ZERO) end--;
  if (end - 1 === point) end--;
  return end === length ? text : text.slice(0, end);
}

function unusualDecimal(text: string): Decimal | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole, fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText);
  if (whole + fraction === '' || Math.abs(exponent) > MAX_EXPONENT) return undefined;
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const left = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0');
  const right = point <= 0 ? '0'.repeat(-point) + digits : digits.slice(point);
  const plainLeft = left.replace(/^0+(?=\d)/, '');
  const plainRight = right.replace(/0+$/, '');
  const plain = plainRight === '' ? plainLeft : `${plainLeft}.${plainRight}`;
  return sign === '-' && plain !== '0' ? `-${plain}` : plain;
}

/** A price: above zero. */
export function priceOf(text: string, column: string): Decimal {
  const value = sizeOf(text, column);
  if (value === '0') throw new RowProblem(`${column} is 0, and a price is above 0`);
  return value;
}

/** A size: zero or more. */
export function sizeOf(text: string, column: string): Decimal {
  const value = rateOf(text, column);
  if (value.charCodeAt(0) === MINUS) throw new RowProblem(`${column} is ${value}, and must not be negative`);
  return value;
}

/** Any number. */
export function rateOf(text: string, column: string): Decimal {
  const value = decimalOf(text);
  if (value !== undefined) return value;
  throw new RowProblem(text === '' ? `${column} is empty` : `${column} is ${shown(text)}, which is no number`);
}

/** Negative, zero or positive as a is below, equal to or above b. Neither may be negative. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a === b) return 0;
  const wholeA = a.indexOf('.') < 0 ? a.length : a.indexOf('.');
  const wholeB = b.indexOf('.') < 0 ? b.length : b.indexOf('.');
  if (wholeA !== wholeB) return wholeA - wholeB;
  return a < b ? -1 : 1;
}

/** How many digits follow the point. */
function placesOf(value: Decimal): number {
  const point = value.indexOf('.');
  return point < 0 ? 0 : value.length - point - 1;
}

/**
 * The largest step that all values are whole multiples of: what the grid of the market can be. Zero says nothing.
 * Cost: a remainder a value, and nothing but the number of digits once the step is a power of ten.
 */
export class StepFinder {
  #places = 0;
  /** The step in units of 10^-places; 0 before the first value. */
  #step = 0n;

  add(value: Decimal): void {
    const places = placesOf(value);
    if (places <= this.#places && this.#step === 1n) return;
    if (places > this.#places) {
      this.#step *= 10n ** BigInt(places - this.#places);
      this.#places = places;
    }
    let [a, b] = [this.#step, BigInt(value.replace('.', '')) * 10n ** BigInt(this.#places - places)];
    while (b !== 0n) [a, b] = [b, a % b];
    this.#step = a;
  }

  /** Undefined before the first value. */
  get step(): Decimal | undefined {
    return this.#step === 0n ? undefined : decimalOf(`${this.#step}e-${this.#places}`);
  }
}
