/**
 * Reads untrusted JSON values (a configuration, a control body) by path, and collects all problems instead of stopping
 * at the first. If a value cannot be read, its problem is recorded and a harmless value is returned. So callers
 * continue, and check `problems` once, at the end. A decimal may be a JSON number or text. Nothing else is converted,
 * and nothing is rounded.
 */
import { compareDecimals, decimalText, parseDecimal } from '../venue/contract/decimal.ts';
import { nearestName } from './nearest.ts';
import { DURATION_WORDS, parseDuration, parseMoment, parseTime, TIME_WORDS } from './times.ts';

export interface Problem {
  /** The path, such as `markets[1].fees.maker`. Empty: the whole value. */
  readonly path: string;
  readonly message: string;
}

export interface DecimalBounds {
  readonly above?: string;
  readonly atLeast?: string;
  readonly atMost?: string;
  readonly below?: string;
}

const MAX_LIST = 10_000;

export class Field {
  readonly value: unknown;
  readonly path: string;
  readonly problems: Problem[];

  constructor(value: unknown, path = '', problems: Problem[] = []) {
    this.value = value;
    this.path = path;
    this.problems = problems;
  }

  get given(): boolean {
    return this.value !== undefined;
  }

  problem(message: string): void {
    this.problems.push({ path: this.path, message });
  }

  /** The member `key`. Not given if there is none, or if this is not an object. */
  at(key: string): Field {
    const value = isObject(this.value) && Object.hasOwn(this.value, key) ? this.value[key] : undefined;
    return new Field(value, this.path === '' ? key : `${this.path}.${key}`, this.problems);
  }

  /** Checks that this is an object with `known` members only. */
  object(known: readonly string[]): this {
    if (!isObject(this.value)) {
      this.problem(`must be an object with ${known.join(', ')}`);
      return this;
    }
    for (const key of Object.keys(this.value)) {
      if (known.includes(key)) continue;
      const close = nearestName(key, known);
      const hint = close === null ? `known: ${known.join(', ')}` : `did you mean ${close}?`;
      this.at(key).problem(`is not known; ${hint}`);
    }
    return this;
  }

  /** The members of an object used as a table, such as balances by currency. */
  entries(what: string): [string, Field][] {
    if (!this.given) return [];
    if (!isObject(this.value)) {
      this.problem(`must be an object: ${what}`);
      return [];
    }
    return Object.keys(this.value).map((key) => [key, this.at(key)]);
  }

  /** `remedy`: what to do with more than a list may hold. */
  list(what: string, remedy?: string): Field[] {
    if (!this.given) return [];
    if (!Array.isArray(this.value)) {
      this.problem(`must be a list of ${what}`);
      return [];
    }
    if (this.value.length > MAX_LIST) {
      const more = remedy === undefined ? '' : `: ${remedy}`;
      this.problem(`must hold at most ${MAX_LIST} ${what}, not ${this.value.length}${more}`);
      return [];
    }
    return this.value.map((value, i) => new Field(value, `${this.path}[${i}]`, this.problems));
  }

  /** Plain text of 1 to `maxLength` characters without control characters. */
  text(maxLength = 64): string {
    const value = this.value;
    if (typeof value !== 'string') {
      this.problem(this.given ? 'must be text' : 'is required (text)');
      return '';
    }
    if (value.length === 0 || value.length > maxLength) {
      this.problem(`must have 1 to ${maxLength} characters, not ${value.length}`);
      return '';
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    if (/[\u0000-\u001f\u007f-\u009f]/.test(value) || !value.isWellFormed()) {
      this.problem('must be well-formed text without control characters');
      return '';
    }
    return value;
  }

  matching(pattern: RegExp, what: string, maxLength = 64): string {
    const text = this.text(maxLength);
    if (text === '' || pattern.test(text)) return text;
    this.problem(`must be ${what}, not ${JSON.stringify(text)}`);
    return '';
  }

  /** Like `matching`, but the value is not repeated in the error, because errors end up in logs. */
  secret(pattern: RegExp, what: string, maxLength: number): string {
    const text = this.text(maxLength);
    if (text === '' || pattern.test(text)) return text;
    this.problem(`must be ${what}`);
    return '';
  }

  oneOf<T extends string>(known: readonly T[], fallback?: T): T {
    if (!this.given && fallback !== undefined) return fallback;
    if (known.includes(this.value as T)) return this.value as T;
    const was = this.given ? `, not ${shown(this.value)}` : '';
    this.problem(`must be one of ${known.join(', ')}${was}`);
    return known[0];
  }

  /** `meaning`: what null means. */
  oneOfOrNull<T extends string>(known: readonly T[], meaning: string): T | null {
    if (this.value === null) return null;
    if (known.includes(this.value as T)) return this.value as T;
    this.problem(`must be one of ${known.join(', ')}, or null (${meaning}), not ${shown(this.value)}`);
    return null;
  }

  flag(fallback = false): boolean {
    if (!this.given) return fallback;
    if (typeof this.value !== 'boolean') this.problem(`must be true or false, not ${shown(this.value)}`);
    return this.value === true;
  }

  integer(minimum: number, maximum: number, fallback?: number): number {
    if (!this.given && fallback !== undefined) return fallback;
    const value = this.value;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum) return value;
    const was = this.given ? `, not ${shown(value)}` : '';
    this.problem(`must be a whole number from ${minimum} to ${maximum}${was}`);
    return minimum;
  }

  /** A point in time in epoch ms, given as such or as ISO text. */
  time(): number {
    return this.#timeOr(parseTime, TIME_WORDS);
  }

  /** The same, but a date alone is refused. */
  moment(): number {
    return this.#timeOr(parseMoment, TIME_WORDS);
  }

  /** A duration in ms, given as such or as text. */
  duration(): number {
    return this.#timeOr(parseDuration, DURATION_WORDS);
  }

  #timeOr(parse: (text: string) => number | null, what: string): number {
    const { value } = this;
    const ms = typeof value === 'string' ? parse(value) : value;
    if (typeof ms === 'number' && Number.isSafeInteger(ms) && ms >= 0) return ms;
    this.problem(this.given ? `must be ${what}, not ${shown(value)}` : `is required: ${what}`);
    return 0;
  }

  /** An exact decimal, given as a JSON number or as text, in its shortest text form. */
  decimal(bounds: DecimalBounds = {}): string {
    const value = this.value;
    const want = `a decimal${worded(bounds)}, as a number or as text such as "0.5"`;
    if (typeof value !== 'number' && typeof value !== 'string') {
      this.problem(this.given ? `must be ${want}, not ${shown(value)}` : `is required: ${want}`);
      return '0';
    }
    const parsed = parseDecimal(String(value));
    if (typeof parsed === 'string') {
      const why = { 'not a number': 'is not a number', 'too many digits': 'has more than 15 digits' } as const;
      this.problem(`${parsed === 'out of range' ? 'is out of range' : why[parsed]}: give ${want}`);
      return '0';
    }
    const text = decimalText(parsed.coefficient, parsed.scale);
    if (!within(text, bounds)) {
      this.problem(`must be ${want}, not ${text}`);
      return '0';
    }
    return text;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as shown to its sender: short, and never a whole structure. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

function worded(bounds: DecimalBounds): string {
  const words: string[] = [];
  if (bounds.above !== undefined) words.push(`above ${bounds.above}`);
  if (bounds.atLeast !== undefined) words.push(`at least ${bounds.atLeast}`);
  if (bounds.below !== undefined) words.push(`below ${bounds.below}`);
  if (bounds.atMost !== undefined) words.push(`at most ${bounds.atMost}`);
  return words.length === 0 ? '' : ` ${words.join(' and ')}`;
}

function within(text: string, bounds: DecimalBounds): boolean {
  return (
    (bounds.above === undefined || compareTexts(text, bounds.above) > 0) &&
    (bounds.atLeast === undefined || compareTexts(text, bounds.atLeast) >= 0) &&
    (bounds.below === undefined || compareTexts(text, bounds.below) < 0) &&
    (bounds.atMost === undefined || compareTexts(text, bounds.atMost) <= 0)
  );
}

/** Compares two decimals in text form. */
export function compareTexts(a: string, b: string): number {
  const left = parseDecimal(a);
  const right = parseDecimal(b);
  if (typeof left === 'string' || typeof right === 'string') throw new RangeError(`not decimals: ${a}, ${b}`);
  return compareDecimals(left, right);
}

/**
 * Like JSON.parse, but a number that a double would change silently stays text, so that its reader refuses it by name.
 * Throws a SyntaxError that names the place, and repeats nothing of the text, which may hold secrets.
 */
export function parseExactJson(text: string): unknown {
  try {
    return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) => {
      if (typeof value !== 'number' || context?.source === undefined) return value;
      return typeof parseDecimal(context.source) === 'string' ? context.source : value;
    });
  } catch (error) {
    throw new SyntaxError(jsonProblem(text, (error as Error).message));
  }
}

/** Messages of the runtime with this ending quote the text, and name no place. */
const QUOTING = 'is not valid JSON';

function jsonProblem(text: string, message: string): string {
  if (!message.endsWith(QUOTING)) return message;
  // The line is the first one up to which the text already has this problem, and not merely an early end.
  const lines = text.split('\n');
  let [before, line] = [0, lines.length];
  while (line - before > 1) {
    const middle = (before + line) >> 1;
    if (isQuoted(lines.slice(0, middle).join('\n'))) line = middle;
    else before = middle;
  }
  return `an unexpected character in line ${line}`;
}

function isQuoted(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return (error as Error).message.endsWith(QUOTING);
  }
}
