/**
 * The fields of a request. A schema is written once, with the functions below, and gives the documents, the TypeScript
 * type and the reader. Every failure is malformed: it names the field, what was wrong and what is valid.
 *
 * Cost: one look-up and one check per field.
 */
import Type, { type Static, type TObject, type TSchema, type TUnsafe } from 'typebox';
import { nearestName } from '../../config/nearest.ts';
import { compareDecimals, type Decimal, parseDecimal } from '../../venue/contract/decimal.ts';
import { malformed, shortened } from './errors.ts';
import { JsonNumber, type JsonObject, type JsonValue } from './json.ts';

/** Any non-empty text. */
export function text(description: string): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', minLength: 1, description });
}

/**
 * A client order id: at most 64 UTF-16 units, no control characters. Empty text counts as absent, and is read as null.
 */
export function clientId(description = 'Client-chosen order identifier'): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ type: 'string', maxLength: 64, format: 'client-id', description });
}

export function choice<const T extends string>(values: readonly T[], description: string): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: values, description });
}

/** The value of a variant in the field that distinguishes variants. */
export function constant<const T extends string>(value: T, description: string): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', const: value, description });
}

export function flag(description: string): TUnsafe<boolean> {
  return Type.Unsafe<boolean>({ type: 'boolean', description });
}

export interface DecimalRules {
  /** Inclusive bounds, as numbers of few digits. */
  readonly min?: number;
  readonly max?: number;
  /** Exclusive lower bound: `above: 0` is "must be positive". */
  readonly above?: number;
  /** Exclusive upper bound. */
  readonly below?: number;
  readonly whole?: boolean;
  /** Futures and spot v3.3: 0 in an optional field counts as absent. */
  readonly zeroIsAbsent?: boolean;
}

/** A decimal, as a JSON number or as text with the same digits. */
export function decimal(description: string, rules: DecimalRules = {}): TUnsafe<Decimal> {
  return Type.Unsafe<Decimal>({
    type: ['number', 'string'],
    format: 'decimal',
    ...(rules.min !== undefined && { minimum: rules.min }),
    ...(rules.max !== undefined && { maximum: rules.max }),
    ...(rules.above !== undefined && { exclusiveMinimum: rules.above }),
    ...(rules.below !== undefined && { exclusiveMaximum: rules.below }),
    ...(rules.whole === true && { multipleOf: 1 }),
    ...(rules.zeroIsAbsent === true && { 'x-zero-is-absent': true }),
    description,
  });
}

export const optional = Type.Optional;
export const fields = Type.Object;

export interface Style {
  /** The owner of the names, for the refusal of an unknown one: 'orderType PEG'. Absent: unknown names are ignored. */
  readonly only?: string;
  /** v2.3 and v3.3: `Buy` means BUY. */
  readonly anyCase?: boolean;
  /** The source is a query, where flags are text: true or false in any case. */
  readonly query?: boolean;
  /** GET of v2.3 and v3.3: an empty parameter counts as absent. */
  readonly emptyIsAbsent?: boolean;
  /** Where values belong that are no choice here, by the value in capitals. Their refusal ends with it. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

type Read = (name: string, value: JsonValue) => unknown;

/**
 * Compiles a schema into its reader. The reader takes a body or query and returns the typed values (undefined for
 * absent and null), or throws the malformed error of the first unreadable field.
 */
export function reader<T extends TObject>(schema: T, style: Style = {}): (source: JsonObject) => Static<T> {
  const names = Object.keys(schema.properties);
  const reads = names.map((name) => readOf(schema.properties[name], style));
  const required = names.map((name) => schema.required?.includes(name) ?? false);
  const expected = names.map((name) => `give ${describe(schema.properties[name])}`);
  const known = new Set(names);
  return (source) => {
    if (style.only !== undefined) {
      for (const name in source) {
        if (!known.has(name)) throw unknownField(name, style.only, names);
      }
    }
    const values: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) {
      const given = source[names[i]];
      const absent = given === undefined || given === null || (given === '' && style.emptyIsAbsent === true);
      const value = absent ? undefined : reads[i](names[i], given);
      if (value === undefined && required[i]) {
        throw missing(names[i], misnamed(source, names, [names[i]]), expected[i]);
      }
      values[names[i]] = value;
    }
    return values as Static<T>;
  };
}

/** An unknown name that means one of `meant`: `orderId`, if orderID was meant. */
export function misnamed(source: JsonObject, known: readonly string[], meant: readonly string[]): string | undefined {
  return Object.keys(source).find((given) => {
    const close = known.includes(given) ? null : nearestName(given, known);
    return close !== null && meant.includes(close);
  });
}

/** The refusal of a request that lacks `name`. It mentions an ignored name that may have been meant. */
export function missing(name: string, given: string | undefined, expected: string): Error {
  const problem = given === undefined ? 'is missing' : `is missing, and ${shortened(given)} is not a field here`;
  return malformed(name, problem, expected);
}

function unknownField(name: string, of: string, names: readonly string[]): Error {
  const close = nearestName(name, names);
  const hint = close === null ? 'its' : `did you mean ${close}? Its`;
  return malformed(name, `is not a field of ${of}`, `${hint} fields are ${names.join(', ')}`);
}

/** The schema's rules in words: 'one of BUY, SELL', 'a number from 1 to 100'. */
function describe(schema: TSchema): string {
  const rules = schema as Record<string, unknown>;
  if (Array.isArray(rules.enum)) return `one of ${rules.enum.join(', ')}`;
  if (typeof rules.const === 'string') return rules.const;
  if (rules.type === 'boolean') return 'true or false';
  if (rules.format !== 'decimal') return rules.format === 'client-id' ? 'text of at most 64 characters' : 'text';
  const kind = rules.multipleOf === 1 ? 'a whole number' : 'a number';
  if (rules.minimum !== undefined && rules.maximum !== undefined)
    return `${kind} from ${rules.minimum} to ${rules.maximum}`;
  const low = rules.exclusiveMinimum !== undefined ? ` above ${rules.exclusiveMinimum}` : '';
  const high = rules.exclusiveMaximum !== undefined ? ` below ${rules.exclusiveMaximum}` : '';
  const most = rules.maximum !== undefined ? ` of at most ${rules.maximum}` : '';
  const least = rules.minimum !== undefined ? ` of at least ${rules.minimum}` : '';
  if (low + high + most + least === '') return `${kind} such as ${rules.multipleOf === 1 ? '10' : '0.01'}`;
  return `${kind}${low}${low !== '' && high !== '' ? ' and' : ''}${high}${least}${most}`;
}

function readOf(schema: TSchema, style: Style): Read {
  const rules = schema as Record<string, unknown>;
  const values = Array.isArray(rules.enum) ? rules.enum : typeof rules.const === 'string' ? [rules.const] : null;
  if (values !== null) return choiceReader(values, style, describe(schema));
  if (rules.type === 'boolean') return style.query === true ? readSpelledFlag : readFlag;
  if (rules.format === 'client-id') return readClientId;
  if (rules.format === 'decimal') return decimalReader(rules, describe(schema));
  return readText;
}

/** A value as an error shows it. */
function shown(value: JsonValue): string {
  if (value instanceof JsonNumber) return shortened(value.text);
  if (Array.isArray(value)) return 'an array';
  if (value !== null && typeof value === 'object') return 'an object';
  return typeof value === 'string' ? JSON.stringify(shortened(value)) : JSON.stringify(value);
}

function readText(name: string, value: JsonValue): string {
  if (typeof value !== 'string') throw malformed(name, `is ${shown(value)}`, 'give text');
  if (value === '') throw malformed(name, 'is empty', 'give text');
  return value;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Reads a client order id, from a body or a query: null when empty. */
function readClientId(name: string, value: JsonValue): string | null {
  if (typeof value !== 'string') throw malformed(name, `is ${shown(value)}`, 'give text of at most 64 characters');
  if (value.length > 64) throw malformed(name, `has ${value.length} characters`, 'give at most 64');
  if (CONTROL.test(value))
    throw malformed(name, 'contains a control character', 'give text without control characters');
  return value === '' ? null : value;
}

function readFlag(name: string, value: JsonValue): boolean {
  if (value === true || value === false) return value;
  throw malformed(name, `is ${shown(value)}`, 'give true or false');
}

/** A flag of a query: HTTP clients write `true`, `True` and `TRUE`. */
function readSpelledFlag(name: string, value: JsonValue): boolean {
  if (typeof value === 'boolean') return value;
  const spelled = typeof value === 'string' ? value.toLowerCase() : '';
  if (spelled === 'true' || spelled === 'false') return spelled === 'true';
  throw malformed(name, `is ${shown(value)}`, 'give true or false');
}

function choiceReader(values: readonly string[], { anyCase = false, elsewhere = {} }: Style, expected: string): Read {
  const hints = new Map(Object.entries(elsewhere));
  const known = new Map(values.map((value) => [anyCase ? value.toUpperCase() : value, value]));
  return (name, value) => {
    const found = typeof value === 'string' ? known.get(anyCase ? value.toUpperCase() : value) : undefined;
    if (found !== undefined) return found;
    const hint = typeof value === 'string' ? hints.get(value.toUpperCase()) : undefined;
    throw malformed(name, `is ${shown(value)}`, `give ${expected}${hint === undefined ? '' : `; ${hint}`}`);
  };
}

const PROBLEMS = {
  'not a number': 'which is not a number',
  'too many digits': 'which has more than 15 significant digits',
  'out of range': 'which is out of range',
} as const;

/** Reads a decimal given as a JSON number or as text. */
export function readDecimal(name: string, value: JsonValue, expected = 'give a number such as 0.01'): Decimal {
  const text = value instanceof JsonNumber ? value.text : value;
  if (typeof text !== 'string') throw malformed(name, `is ${shown(value)}`, expected);
  const read = parseDecimal(text);
  if (typeof read === 'string') throw malformed(name, `is ${shown(value)}, ${PROBLEMS[read]}`, expected);
  return read;
}

function decimalReader(rules: Record<string, unknown>, described: string): Read {
  const expected = `give ${described}`;
  const bound = (key: string): Decimal | null => (rules[key] === undefined ? null : boundOf(rules[key] as number));
  const min = bound('minimum');
  const max = bound('maximum');
  const above = bound('exclusiveMinimum');
  const below = bound('exclusiveMaximum');
  const whole = rules.multipleOf === 1;
  const zeroIsAbsent = rules['x-zero-is-absent'] === true;
  return (name, value) => {
    const read = readDecimal(name, value, expected);
    if (zeroIsAbsent && read.coefficient === 0n) return undefined;
    const bad =
      (min !== null && compareDecimals(read, min) < 0) ||
      (max !== null && compareDecimals(read, max) > 0) ||
      (above !== null && compareDecimals(read, above) <= 0) ||
      (below !== null && compareDecimals(read, below) >= 0) ||
      (whole && read.scale !== 0);
    if (bad) throw malformed(name, `is ${shown(value)}`, expected);
    return read;
  };
}

function boundOf(value: number): Decimal {
  const read = parseDecimal(String(value));
  if (typeof read === 'string') throw new RangeError(`the bound ${value} is ${read}`);
  return read;
}

/** The texts of a parameter that holds a JSON array of them. Throws malformed unless all are `known`, where that is given. */
export function jsonTexts(name: string, text: string, example: string, known?: readonly string[]): readonly string[] {
  const expected = `give a JSON array of ${known?.join(', ') ?? 'text'}, such as ["${example}"]`;
  let texts: unknown;
  try {
    texts = JSON.parse(text);
  } catch {
    throw malformed(name, `is ${JSON.stringify(shortened(text))}`, expected);
  }
  const fits = (each: unknown) => typeof each === 'string' && (known === undefined || known.includes(each));
  const wrong = Array.isArray(texts) ? texts.find((each) => !fits(each)) : texts;
  if (wrong !== undefined) throw malformed(name, `contains ${shortened(JSON.stringify(wrong))}`, expected);
  return texts as string[];
}
