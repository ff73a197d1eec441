/**
 * From the fields of a request to the integers of a command. A schema is written once, with the makers below: it gives
 * the documents, the TypeScript type and the reader. Every failure names the field, what was wrong and what is valid;
 * nothing is rounded.
 *
 * Two kinds of failure: what is wrong without knowing the market is malformed; what the market's grid or bounds refuse
 * has a code of its own (off the tick 302, off the step 301, …). Cost: one look-up and one check a field.
 */

import { hash } from 'node:crypto';
import Type, { type Static, type TObject, type TSchema, type TUnsafe } from 'typebox';
import type { Command, Product } from '../venue/commands.ts';
import type { Market } from '../venue/market.ts';
import { type Decimal, decimalText, MAX_MONEY, onGrid, parseDecimal } from '../venue/quantity.ts';
import { FINE, PARTS } from '../venue/units.ts';
import type { Reply, Venue } from '../venue/venue.ts';
import { ApiError, malformed, refusalError } from './errors.ts';
import { JsonNumber, type JsonObject, type JsonValue } from './json.ts';
import type { Call } from './surface.ts';

// ---- fields: JSON Schema for the documents, read by `reader` ----

/** Any text that is not empty. */
export function text(description: string): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', minLength: 1, description });
}

/** A client order id: at most 64 UTF-16 units, no control characters; empty means not given, read as null. */
export function clientId(description = 'Client-chosen order identifier'): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ type: 'string', maxLength: 64, format: 'client-id', description });
}

export function choice<const T extends string>(values: readonly T[], description: string): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: values, description });
}

export function flag(description: string): TUnsafe<boolean> {
  return Type.Unsafe<boolean>({ type: 'boolean', description });
}

export interface DecimalRules {
  /** Bounds as numbers of few digits, both inclusive. */
  readonly min?: number;
  readonly max?: number;
  /** Exclusive lower bound: `above: 0` is "must be positive". */
  readonly above?: number;
  /** Exclusive upper bound. */
  readonly below?: number;
  readonly whole?: boolean;
  /** Futures and spot v3.3: an optional field of 0 was not given. */
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

// ---- reading ----

export interface Style {
  /** What the names belong to, for the refusal of an unknown one: 'orderType PEG'. Absent: unknown names are ignored. */
  readonly only?: string;
  /** v2.3 and v3.3: `Buy` is BUY. */
  readonly anyCase?: boolean;
}

type Read = (name: string, value: JsonValue) => unknown;

/**
 * Compiles a schema of the makers above into its reader. The reader takes a body or query and gives the typed values
 * (absent and null: undefined), or throws the malformed error of the first field that cannot be read.
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
        if (!known.has(name))
          throw malformed(name, `is no field of ${style.only}`, `its fields are ${names.join(', ')}`);
      }
    }
    const values: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) {
      const given = source[names[i]];
      const value = given === undefined || given === null ? undefined : reads[i](names[i], given);
      if (value === undefined && required[i]) throw malformed(names[i], 'is missing', expected[i]);
      values[names[i]] = value;
    }
    return values as Static<T>;
  };
}

/** The schema's rules in words: 'one of BUY, SELL', 'a number from 1 to 100'. */
function describe(schema: TSchema): string {
  const rules = schema as Record<string, unknown>;
  if (Array.isArray(rules.enum)) return `one of ${rules.enum.join(', ')}`;
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
  if (Array.isArray(rules.enum)) return choiceReader(rules.enum, style.anyCase === true, describe(schema));
  if (rules.type === 'boolean') return readFlag;
  if (rules.format === 'client-id') return readClientId;
  if (rules.format === 'decimal') return decimalReader(rules, describe(schema));
  return readText;
}

/** A value as an error shows it. */
function shown(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return 'an array';
  if (value !== null && typeof value === 'object') return 'an object';
  return JSON.stringify(value);
}

function readText(name: string, value: JsonValue): string {
  if (typeof value !== 'string') throw malformed(name, `is ${shown(value)}`, 'give text');
  if (value === '') throw malformed(name, 'is empty', 'give text');
  return value;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Reads a client order id, from a body or a query: null when empty. */
export function readClientId(name: string, value: JsonValue): string | null {
  if (typeof value !== 'string') throw malformed(name, `is ${shown(value)}`, 'give text of at most 64 characters');
  if (value.length > 64) throw malformed(name, `has ${value.length} characters`, 'give at most 64');
  if (CONTROL.test(value)) throw malformed(name, 'holds a control character', 'give text without control characters');
  return value === '' ? null : value;
}

function readFlag(name: string, value: JsonValue): boolean {
  if (value === true || value === false) return value;
  throw malformed(name, `is ${shown(value)}`, 'give true or false');
}

function choiceReader(values: readonly string[], anyCase: boolean, expected: string): Read {
  const known = new Map(values.map((value) => [anyCase ? value.toUpperCase() : value, value]));
  return (name, value) => {
    const found = typeof value === 'string' ? known.get(anyCase ? value.toUpperCase() : value) : undefined;
    if (found === undefined) throw malformed(name, `is ${shown(value)}`, `give ${expected}`);
    return found;
  };
}

const PROBLEMS = {
  'not a number': 'which is no number',
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
      (min !== null && compare(read, min) < 0) ||
      (max !== null && compare(read, max) > 0) ||
      (above !== null && compare(read, above) <= 0) ||
      (below !== null && compare(read, below) >= 0) ||
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

/** Below, at or above zero as a is below, equal to or above b. */
export function compare(a: Decimal, b: Decimal): number {
  const alike = a.scale === b.scale || b.coefficient === 0n;
  const left = alike ? a.coefficient : a.coefficient * 10n ** BigInt(b.scale);
  const right = alike ? b.coefficient : b.coefficient * 10n ** BigInt(a.scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

// ---- markets ----

/** What the markets API and position ids call a market: BTC-PERP-USDT; a spot pair is its own id. */
export function marketId(market: Market): string {
  return market.product === 'spot' ? market.symbol : `${market.symbol}-${market.spec.quote}`;
}

/** The market of a product by its symbol; futures v2.3 (`olderNames`) takes BTC-PERP-USDT and BTCPFC, too. */
export function findMarket(venue: Venue, product: Product, symbol: string, olderNames = false): Market {
  const exact = venue.marketBySymbol(symbol);
  if (exact !== undefined && exact.product === product) return exact;
  if (olderNames) {
    for (const market of venue.markets) {
      if (market.product !== 'futures') continue;
      if (symbol === marketId(market) || symbol === `${market.spec.base}PFC`) return market;
    }
  }
  throw new ApiError('unknownMarket', { symbol });
}

// ---- onto the market's grids ----

/** An order price in ticks. */
export function priceTicks(market: Market, field: string, value: Decimal): number {
  const place = onGrid(value, market.tick);
  if (place !== 'out of range' && 'units' in place && place.units > 0 && place.units <= market.maxPriceTicks) {
    return place.units;
  }
  const price = decimalText(value.coefficient, value.scale);
  if (compare(value, market.tick) < 0) {
    throw new ApiError('priceBelowMinimum', { field, price, minimum: market.spec.tick });
  }
  if (place === 'out of range' || 'units' in place) {
    throw new ApiError('priceAboveMaximum', { field, price, maximum: market.spec.maxPrice });
  }
  throw new ApiError('priceOffTick', { field, price, below: place.below, above: place.above });
}

/** A size in lots: base currency on spot, contracts on futures. */
export function sizeLots(market: Market, field: string, value: Decimal): number {
  const place = onGrid(value, market.lot);
  if (place !== 'out of range' && 'units' in place && place.units >= market.minLots && place.units <= market.maxLots) {
    return place.units;
  }
  const size = decimalText(value.coefficient, value.scale);
  if (value.coefficient <= 0n || (place !== 'out of range' && 'units' in place && place.units < market.minLots)) {
    throw new ApiError('sizeBelowMinimum', { field, size, minimum: market.spec.minSize });
  }
  if (place === 'out of range' || 'units' in place) {
    throw new ApiError('sizeAboveMaximum', { field, size, maximum: market.spec.maxSize });
  }
  throw new ApiError('sizeOffStep', { field, size, below: place.below, above: place.above });
}

/** A distance in thousandths of a tick (a trailing stop's), above zero. */
export function finePrice(market: Market, field: string, value: Decimal): number {
  const price = decimalText(value.coefficient, value.scale);
  const fineTick = { coefficient: market.tick.coefficient, scale: market.tick.scale + 3 };
  const place = onGrid(value, fineTick);
  if (place === 'out of range' || ('units' in place && place.units > market.maxPriceTicks * FINE)) {
    throw new ApiError('priceAboveMaximum', { field, price, maximum: market.spec.maxPrice });
  }
  if (!('units' in place)) throw new ApiError('priceOffTick', { field, price, below: place.below, above: place.above });
  if (place.units <= 0) {
    const minimum = decimalText(fineTick.coefficient, fineTick.scale);
    throw new ApiError('priceBelowMinimum', { field, price, minimum });
  }
  return place.units;
}

/** An amount of the market's quote currency in its smallest units, as a command holds it; above zero. */
export function quoteUnits(call: Call, market: Market, field: string, value: Decimal): string {
  const { decimals } = call.venue.currencies[market.quote];
  const size = decimalText(value.coefficient, value.scale);
  const unit: Decimal = { coefficient: 1n, scale: decimals };
  if (compare(value, unit) < 0) {
    throw new ApiError('sizeBelowMinimum', { field, size, minimum: decimalText(1n, decimals) });
  }
  if (value.scale > decimals) {
    const units = value.coefficient / 10n ** BigInt(value.scale - decimals);
    const [below, above] = [decimalText(units, decimals), decimalText(units + 1n, decimals)];
    throw new ApiError('sizeOffStep', { field, size, below, above });
  }
  const units = value.coefficient * 10n ** BigInt(decimals - value.scale);
  if (units > MAX_MONEY) {
    throw new ApiError('sizeAboveMaximum', { field, size, maximum: decimalText(MAX_MONEY, decimals) });
  }
  return units.toString();
}

/** A percentage or fraction in parts of 1 / 100,000,000. Bounds are the schema's. */
export function parts(field: string, value: Decimal): number {
  const place = onGrid(value, { coefficient: 1n, scale: Math.log10(PARTS) });
  if (place !== 'out of range' && 'units' in place) return place.units;
  const given = decimalText(value.coefficient, value.scale);
  throw malformed(field, `is ${given}`, 'give at most 8 decimals');
}

// ---- identity and the way in ----

/**
 * The digest of the identical-request rule: operation and values as read, so that "0.010" and 0.01 are one request and
 * client ids that look like numbers stay apart. Null without a client id.
 */
export function requestDigest(operation: string, values: object, id: string | null | undefined): string | null {
  if (id === null || id === undefined) return null;
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const canonical = entries.map(([name, value]) => [
    name,
    isDecimal(value) ? [`${value.coefficient}`, value.scale] : value,
  ]);
  return hash('sha256', JSON.stringify([operation, canonical]), 'base64url');
}

function isDecimal(value: unknown): value is Decimal {
  return typeof value === 'object' && value !== null && 'coefficient' in value;
}

/** Hands a command in and gives its reply, or throws its refusal. `names`: the venue's field names → the surface's. */
export async function submit(call: Call, command: Command, names?: Readonly<Record<string, string>>): Promise<Reply> {
  const reply = await call.engine.submit(command);
  if (reply.refusal !== null) throw refusalError(call.engine.venue, reply, names);
  return reply;
}
