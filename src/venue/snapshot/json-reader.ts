/**
 * Reads large JSON from its UTF-8 bytes. Code that knows the form of a part reads it with `object`, `list` and the
 * functions for lists of numbers. Everything else is parsed as usual.
 *
 * Invariant: what is read equals what JSON.parse gives, except for the form of lists of numbers. The JSON has no spaces
 * between its tokens, as JSON.stringify writes it.
 * Cost: a `NumberList` stays text until its numbers are taken, so a long one needs no memory.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Numbers of so many digits are read in 32 bits, which is faster. */
const SHORT_DIGITS = 9;
const MOST_DIGITS = 16;
const POWERS = Float64Array.from({ length: MOST_DIGITS - SHORT_DIGITS + 1 }, (_, n) => 10 ** n);

const utf8 = new TextDecoder();

/** Reads the value at the reader's place. */
export type Read = (reader: JsonReader) => unknown;

/** A list of safe integers in JSON, perhaps in quotes or in lists of the list. They are taken in order, once. */
export class NumberList {
  readonly #bytes: Uint8Array;
  #at: number;
  readonly #end: number;

  /** `at`, `end`: the places of its outer brackets. */
  constructor(bytes: Uint8Array, at: number, end: number) {
    this.#bytes = bytes;
    this.#at = at + 1;
    this.#end = end;
  }

  /** Takes the next numbers, at most as many as fit into `into`. Returns how many. */
  take(into: Float64Array): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = this.#at;
    let count = 0;
    while (count < into.length) {
      for (; at < end && !isDigit(bytes[at]); at++) if (!isBetween(bytes[at])) throw unexpected(at);
      if (at >= end) break;
      const first = at;
      let value = bytes[at] - ZERO;
      if (isDigit(bytes[++at])) {
        const short = first + SHORT_DIGITS;
        for (; at < short && isDigit(bytes[at]); at++) value = (Math.imul(value, 10) + bytes[at] - ZERO) | 0;
        if (at === short && isDigit(bytes[at])) {
          let low = 0;
          for (; isDigit(bytes[at]); at++) low = (Math.imul(low, 10) + bytes[at] - ZERO) | 0;
          value = value * POWERS[at - short] + low;
        }
      }
      if (!(value <= Number.MAX_SAFE_INTEGER)) throw unexpected(first);
      into[count++] = bytes[first - 1] === MINUS ? -value : value;
    }
    this.#at = at;
    return count;
  }

  /** Takes all numbers. `most`: at least as many as there are. */
  all(most = this.#most()): Float64Array {
    const values = new Float64Array(most + 1); // One more, so that it reads up to the end.
    const count = this.take(values);
    if (count > most) throw unexpected(this.#at);
    return values.subarray(0, count);
  }

  #most(): number {
    let most = 1;
    for (let at = this.#at; at < this.#end; at++) if (this.#bytes[at] === COMMA) most++;
    return most;
  }
}

export class JsonReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Any value. */
  value(): unknown {
    const from = this.#at;
    this.#skip();
    return JSON.parse(this.#text(from, this.#at));
  }

  /** An object. `readers`: the reader of a member by its name. The members without one are parsed together. */
  object(readers: (name: string) => Read | undefined): Record<string, unknown> {
    const read: [name: string, value: unknown][] = [];
    const others: string[] = [];
    this.#expect(OPEN_OBJECT);
    let from = this.#at;
    for (let more = this.#bytes[from] !== CLOSE_OBJECT; more; ) {
      const begin = this.#at;
      this.#skip();
      const name = JSON.parse(this.#text(begin, this.#at)) as string;
      this.#expect(COLON);
      const reader = readers(name);
      if (reader === undefined) this.#skip();
      else {
        if (begin > from) others.push(this.#text(from, begin - 1));
        read.push([name, reader(this)]);
        from = this.#at + 1;
      }
      more = this.#bytes[this.#at] === COMMA;
      if (more) this.#at++;
    }
    if (this.#at > from) others.push(this.#text(from, this.#at));
    this.#expect(CLOSE_OBJECT);
    return Object.assign(JSON.parse(`{${others.join(',')}}`), Object.fromEntries(read));
  }

  /** A list of values of one form. */
  list(read: Read): unknown[] {
    const values: unknown[] = [];
    this.#expect(OPEN_LIST);
    for (let more = this.#bytes[this.#at] !== CLOSE_LIST; more; ) {
      values.push(read(this));
      more = this.#bytes[this.#at] === COMMA;
      if (more) this.#at++;
    }
    this.#expect(CLOSE_LIST);
    return values;
  }

  /** A list of numbers, or an empty one. Undefined, and nothing is read: it begins with something else. */
  numbers(): NumberList | undefined {
    const first = this.#bytes[this.#at + 1];
    return isDigit(first) || first === MINUS || first === CLOSE_LIST ? this.#numberList() : undefined;
  }

  /** A list of texts that are short numbers. Undefined, and nothing is read: it has other values. */
  quotedNumbers(): NumberList | undefined {
    const bytes = this.#bytes;
    let quote = this.#at;
    for (let at = this.#at + 1; bytes[at] !== CLOSE_LIST; at++) {
      if (bytes[at] === QUOTE) quote = at;
      else if (!(isDigit(bytes[at]) || bytes[at] === COMMA) || at - quote >= MOST_DIGITS) return undefined;
    }
    return this.#numberList();
  }

  /** All numbers of a list of lists. */
  rows(): Float64Array {
    const bytes = this.#bytes;
    const begin = this.#at;
    this.#expect(OPEN_LIST);
    let at = this.#at;
    let most = 1;
    if (bytes[at] !== CLOSE_LIST) {
      for (at += 2; at < bytes.length && (bytes[at] !== CLOSE_LIST || bytes[at - 1] !== CLOSE_LIST); at++) {
        if (bytes[at] === COMMA) most++;
      }
    }
    this.#at = at;
    this.#expect(CLOSE_LIST);
    return new NumberList(bytes, begin, at).all(most);
  }

  #numberList(): NumberList {
    const begin = this.#at;
    this.#expect(OPEN_LIST);
    this.#at = this.#bytes.indexOf(CLOSE_LIST, begin);
    this.#expect(CLOSE_LIST);
    return new NumberList(this.#bytes, begin, this.#at - 1);
  }

  #text(from: number, to: number): string {
    return utf8.decode(this.#bytes.subarray(from, to));
  }

  #expect(code: number): void {
    if (this.#bytes[this.#at] !== code) throw unexpected(this.#at);
    this.#at++;
  }

  /** Passes over one value. */
  #skip(): void {
    const bytes = this.#bytes;
    let depth = 0;
    do {
      const code = bytes[this.#at++];
      if (code === QUOTE) this.#skipText();
      else if (code === OPEN_LIST || code === OPEN_OBJECT) depth++;
      else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
      else if (code === undefined) throw unexpected(this.#at);
    } while (depth > 0 || !isEnd(bytes[this.#at]));
  }

  /** Passes over the rest of a text, up to its closing quote. */
  #skipText(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let code = bytes[at]; code !== QUOTE; code = bytes[at]) {
      if (code === undefined) throw unexpected(at);
      at += code === BACKSLASH ? 2 : 1;
    }
    this.#at = at + 1;
  }
}

function isDigit(code: number): boolean {
  return code >= ZERO && code < ZERO + 10;
}

/** Whether the character may be between two numbers of a list. */
function isBetween(code: number): boolean {
  return code === COMMA || code === MINUS || code === QUOTE || code === OPEN_LIST || code === CLOSE_LIST;
}

/** Whether no value continues with that character. Undefined: the end of the JSON. */
function isEnd(code: number | undefined): boolean {
  return code === COMMA || code === COLON || code === CLOSE_LIST || code === CLOSE_OBJECT || code === undefined;
}

function unexpected(at: number): SyntaxError {
  return new SyntaxError(`saved state that cannot be read at byte ${at}`);
}
