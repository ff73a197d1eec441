/**
 * Order ids: the dense key of an order (sequence number, index in its command) under a keyed, reversible permutation,
 * written as a lower-case UUID. A look-up decodes the text to the key, so no table of texts is needed. Without the
 * venue's id key nobody can guess an id, or read counts or times from one.
 *
 * The permutation is XXTEA over one block of four words. The words have 32, 28, 30 and 32 bits, and additions are
 * modulo these sizes. So the version (4) and the variant of a UUID keep their fixed bits, and strict clients accept the
 * text:
 *
 *   wwwwwwww-wwww-4xxx-vxxx-xxxxxxxxxxxx     0: digits 1-8 | 1: 9-12, 14-16 | 2: 2 bits of v, 18-24 | 3: 25-32
 *
 * Invariant: decode(encode(key)) = key. A text that this venue did not write decodes to NONE, because words 2 and 3 of
 * the plain block and the upper bits of word 1 must be zero (69 check bits). Cost: a few tenths of a microsecond, no
 * memory.
 */
import { NONE } from './units.ts';

/** Order keys of one command: seq * 65536 + index. */
export const KEYS_PER_SEQ = 65536;
const WORD = 2 ** 32;
/** The upper word of the largest key, 2^53 - 1. */
const MAX_KEY_HIGH = 2 ** 21 - 1;

/** Word sizes: word 1 omits the four bits of the version, word 2 the two bits of the variant. */
const MASK_1 = 0x0fffffff;
const MASK_2 = 0x3fffffff;

/** Of XXTEA: the constant, and the number of cycles for four words (6 + 52 / 4). */
const DELTA = 0x9e3779b9 | 0;
const CYCLES = 19;

const TEXT_LENGTH = 36;
const DASH = 45;
const VERSION_DIGIT = 52; // the character 4

const DIGIT_CODES = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
/** The character codes of one id. New digits overwrite the last ones. Dashes and version stay. */
const TEXT_CODES = Array.from('00000000-0000-4000-8000-000000000000', (character) => character.charCodeAt(0));

const NO_DIGIT = 255;
/** The value of a lower-case hex digit, by character code. */
const DIGIT_VALUE = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(code));
  return digit < 0 ? NO_DIGIT : digit;
});

/** The sequence number in an order key. */
export function seqOfKey(key: number): number {
  return Math.floor(key / KEYS_PER_SEQ);
}

/** The index of the order within its command. */
export function indexOfKey(key: number): number {
  return key & (KEYS_PER_SEQ - 1);
}

export class OrderIds {
  readonly #key: Int32Array;

  /** `keyHex`: 32 lower-case hex digits, drawn once for a venue and kept in its log. */
  constructor(keyHex: string) {
    if (!/^[0-9a-f]{32}$/.test(keyHex)) throw new TypeError('an order id key is 32 lower-case hex digits');
    this.#key = Int32Array.from({ length: 4 }, (_, word) => readHex(keyHex, word * 8, word * 8 + 8));
    Object.freeze(this);
  }

  /** The id text of an order key. */
  encode(key: number): string {
    if (!(Number.isSafeInteger(key) && key >= 0)) throw new RangeError(`order key ${key} is not a safe integer from 0`);
    const k = this.#key;
    let a = key | 0;
    let b = Math.floor(key / WORD);
    let c = 0;
    let d = 0;
    for (let cycle = 1; cycle <= CYCLES; cycle++) {
      const sum = Math.imul(DELTA, cycle);
      const e = (sum >>> 2) & 3;
      a = (a + mix(d, b, sum, k[e])) | 0;
      b = (b + mix(a, c, sum, k[1 ^ e])) & MASK_1;
      c = (c + mix(b, d, sum, k[2 ^ e])) & MASK_2;
      d = (d + mix(c, a, sum, k[3 ^ e])) | 0;
    }
    return idText(a, b, c, d);
  }

  /** The order key in an id of this venue. NONE for any other text. */
  decode(text: string): number {
    if (!isIdText(text)) return NONE;
    const first = readHex(text, 0, 8);
    const second = readHex(text, 9, 13);
    const third = readHex(text, 15, 18);
    const fourth = readHex(text, 19, 23);
    const fifth = readHex(text, 24, TEXT_LENGTH);
    if (first < 0 || second < 0 || third < 0 || fourth >>> 14 !== 2 || fifth < 0) return NONE;

    const k = this.#key;
    let a = first | 0;
    let b = (second << 12) | third;
    let c = ((fourth & 0x3fff) << 16) | Math.floor(fifth / WORD);
    let d = fifth | 0;
    for (let cycle = CYCLES; cycle >= 1; cycle--) {
      const sum = Math.imul(DELTA, cycle);
      const e = (sum >>> 2) & 3;
      d = (d - mix(c, a, sum, k[3 ^ e])) | 0;
      c = (c - mix(b, d, sum, k[2 ^ e])) & MASK_2;
      b = (b - mix(a, c, sum, k[1 ^ e])) & MASK_1;
      a = (a - mix(d, b, sum, k[e])) | 0;
    }
    if (c !== 0 || d !== 0 || b > MAX_KEY_HIGH) return NONE;
    return b * WORD + (a >>> 0);
  }
}

/** XXTEA's mixing function of the previous word, the next word, the cycle's sum and a word of the key. */
function mix(before: number, after: number, sum: number, key: number): number {
  const neighbours = (((before >>> 5) ^ (after << 2)) + ((after >>> 3) ^ (before << 4))) | 0;
  return neighbours ^ (((sum ^ after) + (key ^ before)) | 0);
}

function idText(a: number, b: number, c: number, d: number): string {
  writeHex(a, 8, 0);
  writeHex(b >>> 12, 4, 9);
  writeHex(b, 3, 15);
  writeHex(0x8000 | (c >>> 16), 4, 19);
  writeHex(c, 4, 24);
  writeHex(d, 8, 28);
  return String.fromCharCode.apply(null, TEXT_CODES);
}

/** Writes the lowest `digits` hex digits of `value`, beginning at place `at`. */
function writeHex(value: number, digits: number, at: number): void {
  let rest = value;
  for (let i = at + digits - 1; i >= at; i--) {
    TEXT_CODES[i] = DIGIT_CODES[rest & 15];
    rest >>>= 4;
  }
}

/** Whether length, dashes and version are those of an id. The digits are checked when they are read. */
function isIdText(text: string): boolean {
  return (
    text.length === TEXT_LENGTH &&
    text.charCodeAt(8) === DASH &&
    text.charCodeAt(13) === DASH &&
    text.charCodeAt(14) === VERSION_DIGIT &&
    text.charCodeAt(18) === DASH &&
    text.charCodeAt(23) === DASH
  );
}

/** The lower-case hex digits from `from` to before `to` (at most 13) as a number. -1 if one is not a digit. */
function readHex(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    const digit = code < DIGIT_VALUE.length ? DIGIT_VALUE[code] : NO_DIGIT;
    if (digit === NO_DIGIT) return -1;
    value = value * 16 + digit;
  }
  return value;
}
