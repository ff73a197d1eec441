/**
 * The digest of effects: one running number over everything that clients can see happen to orders and money. The log
 * carries it. A version that has other rules under the same number is found out at the first batch that differs.
 *
 * Invariants:
 * - It depends on the commands alone. Equal commands give equal digests, on any machine and in any process.
 * - A command without effects does not change it.
 * - It is neither part of the state nor of the state hash. It is saved beside the state and outlives a reset, because a
 *   reset and a return to a named snapshot are effects themselves.
 * - What goes into it, and how, belongs to the frame format of the log (log/shared/frame.ts). A change needs a new
 *   format.
 *
 * Cost: two 32-bit multiplications for each 32 bits. An effect has three to six words. Nothing is allocated.
 */

import { highWord, lowWord, type Money, moneyColumn } from '../contract/money.ts';

const DIGEST = /^[0-9a-f]{16}$/;
const FIRST_LOW = 0x243f6a88 | 0;
const FIRST_HIGH = 0x85a308d3 | 0;
const WORD = 2 ** 32;

/** The first word of an effect contains its kind, so that effects of different kinds never look alike. */
const ORDER = 1;
const FILL = 2;
const MONEY = 3;
const INSURANCE = 4;
const POSITION = 5;
const REPLACED = 6;
const KIND_BITS = 3;
/** An odd number with bits all over: a product with it reaches every bit of a word. */
const SPREAD = 0x9e3779b1;

/** An amount whose halves are read. */
const amountOf = moneyColumn(new BigInt64Array(1));

/** The digits of each byte. `toString(16)` of a number is a call of V8's runtime. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export class Effects {
  #low = FIRST_LOW;
  #high = FIRST_HIGH;

  /** Sixteen hex digits. */
  get digest(): string {
    return hex(this.#high) + hex(this.#low);
  }

  /** Continues from a saved digest. */
  resume(digest: string): void {
    if (!DIGEST.test(digest)) throw new RangeError(`a digest of effects has 16 hex digits, not ${digest}`);
    this.#high = Number.parseInt(digest.slice(0, 8), 16) | 0;
    this.#low = Number.parseInt(digest.slice(8), 16) | 0;
  }

  /** An order after a change. `state`: the number of its state. */
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

  /** Money that an account, or one of its isolated positions, receives (negative: pays). */
  money(account: number, currency: number, amount: Money): void {
    this.#word(Math.imul(account, SPREAD) ^ ((currency << KIND_BITS) | MONEY));
    this.#amount(amount);
  }

  /** Money that the insurance fund receives (negative: pays). */
  insurance(currency: number, amount: bigint): void {
    this.#word((currency << KIND_BITS) | INSURANCE);
    this.#amount(amount);
  }

  /** The size of a position after a fill, signed. */
  position(account: number, market: number, sizeLots: number): void {
    this.#word(Math.imul(account, SPREAD) ^ ((market << KIND_BITS) | POSITION));
    this.#word(sizeLots | 0);
    this.#word(upper(sizeLots));
  }

  /** The command `seq` replaced the state: a reset, or a return to a named snapshot. */
  replaced(seq: number): void {
    this.#word(REPLACED);
    this.#word(seq | 0);
    this.#word(upper(seq));
  }

  #amount(amount: Money): void {
    if (typeof amount === 'number') {
      // The halves of its two's complement.
      this.#word(amount | 0);
      this.#word(Math.floor(amount / WORD) | 0);
      return;
    }
    amountOf.amounts[0] = amount;
    this.#word(lowWord(amountOf, 0));
    this.#word(highWord(amountOf, 0));
  }

  #word(word: number): void {
    const low = Math.imul(this.#low ^ word, SPREAD);
    const high = Math.imul(this.#high ^ word, 0x5f356495);
    this.#low = (low << 15) | (low >>> 17);
    this.#high = ((high << 13) | (high >>> 19)) ^ low;
  }
}

/** The digest of a venue before its first command. */
export const NEW_DIGEST = new Effects().digest;

/** The bits above the low 32 of a whole number within ±2^53. */
function upper(value: number): number {
  return (value / WORD) | 0;
}

function hex(word: number): string {
  return HEX[word >>> 24] + HEX[(word >>> 16) & 255] + HEX[(word >>> 8) & 255] + HEX[word & 255];
}
