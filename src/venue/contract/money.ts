/**
 * Exact money that is fast where it can be: a number while it is a safe integer, otherwise a bigint.
 *
 * Invariant: equal amounts are equal by `===`, because a bigint is never used for a safe integer. Nothing is rounded. A
 * sum or product of safe integers that is not safe itself is worked out again with bigints. Comparisons with < and >
 * are exact between numbers and bigints.
 * Cost: on numbers, an addition and a check. A 64-bit place is read and written as two 32-bit halves.
 */

import { addMoney, MoneyOverflow } from './decimal.ts';

export type Money = number | bigint;

const WORD = 2 ** 32;
/** High halves from −SMALL to SMALL − 1 belong to amounts within ±2^52. */
const SMALL = 2 ** 20;
const LOW = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 0 : 1;
const HIGH = 1 - LOW;

export function plus(a: Money, b: Money): Money {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return moneyOf(BigInt(a) + BigInt(b));
}

export function minus(a: Money, b: Money): Money {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return moneyOf(BigInt(a) - BigInt(b));
}

export function times(a: Money, b: Money): Money {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    // Adding 0 turns −0 into 0.
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return moneyOf(BigInt(a) * BigInt(b));
}

/** −a. 0 stays 0. */
export function negated(a: Money): Money {
  return typeof a === 'number' ? 0 - a : moneyOf(-a);
}

/** The same amount in the form of Money. */
export function moneyOf(amount: bigint): Money {
  const number = Number(amount);
  return Number.isSafeInteger(number) ? number : amount;
}

/** Amounts of 64 bits, which are read and written as Money. `halves` is the same memory as `amounts`. */
export interface MoneyColumn {
  readonly amounts: BigInt64Array;
  readonly halves: Int32Array;
}

export function moneyColumn(amounts: BigInt64Array): MoneyColumn {
  return { amounts, halves: new Int32Array(amounts.buffer) };
}

export function readMoney({ amounts, halves }: MoneyColumn, at: number): Money {
  const high = halves[at * 2 + HIGH];
  if (high >= -SMALL && high < SMALL) return high * WORD + (halves[at * 2 + LOW] >>> 0);
  return moneyOf(amounts[at]);
}

/** @throws {RangeError} a number that is no safe integer */
export function writeMoney({ amounts, halves }: MoneyColumn, at: number, amount: Money): void {
  if (typeof amount !== 'number') {
    amounts[at] = amount;
    return;
  }
  if (!Number.isSafeInteger(amount)) throw new RangeError(`${amount} is not exact money`);
  // A store takes the low 32 bits of a whole number, in two's complement.
  halves[at * 2 + LOW] = amount;
  halves[at * 2 + HIGH] = Math.floor(amount / WORD);
}

/**
 * Adds to the amount at `at`, whatever its size, half by half.
 * @throws {MoneyOverflow} the sum does not fit into signed 64 bits
 */
export function addTo({ amounts, halves }: MoneyColumn, at: number, amount: Money): void {
  if (typeof amount !== 'number') {
    amounts[at] = addMoney(amounts[at], amount);
    return;
  }
  const upper = Math.floor(amount / WORD);
  const low = (halves[at * 2 + LOW] >>> 0) + (amount - upper * WORD);
  const high = halves[at * 2 + HIGH] + upper + (low >= WORD ? 1 : 0);
  if ((high | 0) !== high) throw new MoneyOverflow(`${amounts[at]} + ${amount} is outside signed 64-bit money`);
  halves[at * 2 + LOW] = low;
  halves[at * 2 + HIGH] = high;
}

/**
 * Whether the amount at `a` less the one at `b` is at least `needed`. The difference is rounded once if it is not safe,
 * which does not change how it compares with a safe integer.
 */
export function isLeft({ amounts, halves }: MoneyColumn, a: number, b: number, needed: Money): boolean {
  if (typeof needed !== 'number') return amounts[a] - amounts[b] >= needed;
  const high = halves[a * 2 + HIGH] - halves[b * 2 + HIGH];
  return high * WORD + ((halves[a * 2 + LOW] >>> 0) - (halves[b * 2 + LOW] >>> 0)) >= needed;
}

/** The low 32 bits of an amount. */
export function lowWord({ halves }: MoneyColumn, at: number): number {
  return halves[at * 2 + LOW];
}

export function highWord({ halves }: MoneyColumn, at: number): number {
  return halves[at * 2 + HIGH];
}
