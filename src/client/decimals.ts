/** Exact decimals as text, of any length: money has more digits than a number of JSON holds. */

const SCALE = 30;
const DECIMAL = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** Below, at or above 0, as the first is below, at or above the second. @throws {RangeError} one is not a decimal */
export function compareDecimals(a: number | string, b: number | string): number {
  const [left, right] = [scaled(String(a)), scaled(String(b))];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The exact sum, in its shortest form. */
export function addDecimals(a: string, b: string): string {
  const sum = scaled(a) + scaled(b);
  const digits = String(sum < 0n ? -sum : sum).padStart(SCALE + 1, '0');
  const part = digits.slice(-SCALE).replace(/0+$/, '');
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -SCALE)}${part === '' ? '' : `.${part}`}`;
}

function scaled(text: string): bigint {
  if (!DECIMAL.test(text) || text.length > SCALE) throw new RangeError(`${text} is not a decimal`);
  const [number, exponent = '0'] = text.toLowerCase().split('e');
  const [whole, part = ''] = number.split('.');
  const places = SCALE + Number(exponent) - part.length;
  if (places < 0 || places > 2 * SCALE) throw new RangeError(`${text} is out of range`);
  return BigInt(whole + part) * 10n ** BigInt(places);
}

/** What a value must be: equal to it, or within these bounds, all of them. */
export type Bound =
  | number
  | string
  | {
      readonly is?: number | string;
      readonly above?: number | string;
      readonly below?: number | string;
      readonly atLeast?: number | string;
      readonly atMost?: number | string;
    };

const HOLDS = {
  is: (order: number) => order === 0,
  above: (order: number) => order > 0,
  below: (order: number) => order < 0,
  atLeast: (order: number) => order >= 0,
  atMost: (order: number) => order <= 0,
} as const;
export const BOUNDS = Object.keys(HOLDS) as (keyof typeof HOLDS)[];
const WORDS = { is: '', above: 'above ', below: 'below ', atLeast: 'at least ', atMost: 'at most ' } as const;

/** Whether a value is within bounds, and the bounds in words: `at least 5 and below 7`. Other members are ignored. */
export function within(value: string, bound: Bound): { holds: boolean; wanted: string } {
  const bounds = typeof bound === 'object' ? bound : { is: bound };
  const given = BOUNDS.filter((name) => bounds[name] !== undefined);
  if (given.length === 0) throw new RangeError(`a bound needs one of ${BOUNDS.join(', ')}`);
  const holds = given.every((name) => HOLDS[name](compareDecimals(value, bounds[name] as number | string)));
  return { holds, wanted: given.map((name) => `${WORDS[name]}${bounds[name]}`).join(' and ') };
}
