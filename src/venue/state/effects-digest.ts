/**
 * The digest of effects: one running number over everything that a client can see happen to orders and money. The log
 * carries it, so that a version with other rules under the same number is found out at the first batch that differs.
 *
 * Invariants:
 * - It follows from the commands alone: equal commands give equal digests, on any machine, in any process.
 * - A command without effects leaves it as it is.
 * - It is no part of the state and not in the state hash. It is saved beside the state, and outlives a reset: a reset and
 *   a return to a named snapshot are effects themselves.
 * - What is folded, and how, belongs to the frame's format (log/frame.ts): change neither without a new one.
 *
 * Cost: two 32-bit multiplications for each 32 bits folded, three to six words an effect; it allocates nothing.
 */

const DIGEST = /^[0-9a-f]{16}$/;
const FIRST_LOW = 0x243f6a88 | 0;
const FIRST_HIGH = 0x85a308d3 | 0;
const WORD = 2 ** 32;

/** Each kind of effect is in its first word, so that no effect passes for one of another kind. */
const ORDER = 1;
const FILL = 2;
const MONEY = 3;
const INSURANCE = 4;
const POSITION = 5;
const REPLACED = 6;
const KIND_BITS = 3;
/** An odd number with bits all over: what it multiplies reaches every bit of a word. */
const SPREAD = 0x9e3779b1;

/** A number is read as its first and second half here: storing takes a bigint's low 64 bits without a new bigint. */
const amountOf = new BigInt64Array(1);
const halves = new Int32Array(amountOf.buffer);
const LOW = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 0 : 1;

export class Effects {
  #low = FIRST_LOW;
  #high = FIRST_HIGH;

  /** Sixteen hex digits. */
  get digest(): string {
    return hex(this.#high) + hex(this.#low);
  }

  /** Goes on from a digest that was saved. */
  resume(digest: string): void {
    if (!DIGEST.test(digest)) throw new RangeError(`a digest of effects has 16 hex digits, not ${digest}`);
    this.#high = Number.parseInt(digest.slice(0, 8), 16) | 0;
    this.#low = Number.parseInt(digest.slice(8), 16) | 0;
  }

  /** What an order is after a change. `state`: a number for each state. */
  order(key: number, account: number, state: number, filledLots: number, priceTicks: number): void {
    this.#word(Math.imul(account, SPREAD) ^ ((state << KIND_BITS) | ORDER));
    this.#word(key | 0);
    this.#word(filledLots | 0);
    this.#word(priceTicks | 0);
    this.#word(Math.imul(Math.imul(upper(key), SPREAD) ^ upper(filledLots), SPREAD) ^ upper(priceTicks));
  }

  fill(makerKey: number, takerKey: number, priceTicks: number, lots: number): void {
    this.#word(Math.imul(Math.imul(upper(makerKey), SPREAD) ^ upper(takerKey), SPREAD) ^ FILL);
    this.#word(makerKey | 0);
    this.#word(takerKey | 0);
    this.#word(priceTicks | 0);
    this.#word(lots | 0);
    this.#word(Math.imul(upper(priceTicks), SPREAD) ^ upper(lots));
  }

  /** Money that an account, or an isolated position of it, gets (negative: gives). */
  money(account: number, currency: number, amount: bigint): void {
    this.#word(Math.imul(account, SPREAD) ^ ((currency << KIND_BITS) | MONEY));
    this.#amount(amount);
  }

  /** Money that the insurance fund gets (negative: gives). */
  insurance(currency: number, amount: bigint): void {
    this.#word((currency << KIND_BITS) | INSURANCE);
    this.#amount(amount);
  }

  /** What an account holds in a market after a fill; the size is signed. */
  position(account: number, market: number, sizeLots: number): void {
    this.#word(Math.imul(account, SPREAD) ^ ((market << KIND_BITS) | POSITION));
    this.#word(sizeLots | 0);
    this.#word(upper(sizeLots));
  }

  /** The command `seq` put other state in place: a reset, or a named snapshot. */
  replaced(seq: number): void {
    this.#word(REPLACED);
    this.#word(seq | 0);
    this.#word(upper(seq));
  }

  #amount(amount: bigint): void {
    amountOf[0] = amount;
    this.#word(halves[LOW]);
    this.#word(halves[1 - LOW]);
  }

  #word(word: number): void {
    const low = Math.imul(this.#low ^ word, SPREAD);
    const high = Math.imul(this.#high ^ word, 0x5f356495);
    this.#low = (low << 15) | (low >>> 17);
    this.#high = ((high << 13) | (high >>> 19)) ^ low;
  }
}

/** What a venue has before its first command. */
export const NEW_DIGEST = new Effects().digest;

/** What a whole number within ±2^53 has above its low 32 bits. */
function upper(value: number): number {
  return (value / WORD) | 0;
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
