/**
 * How the orders of the table lie in memory: chunks of 512 records of 128 bytes. `Order` (order.ts) reads and writes the
 * fields of one record by their names.
 *
 *   record    6 words of 32 bits | 8 bytes, which hold one choice or several of few bits | 12 doubles
 *   rare      5 doubles that few orders have, in a separate array
 *
 * The rare doubles, and everything else that most orders do not have, take memory in a chunk from the first order on
 * that has one. The others are objects in lists. A record of zeros is a blank order.
 */

import type { AlgoName, AttachedTerms } from '../contract/commands.ts';
import * as commands from '../contract/commands.ts';
import type { OrderKind, OrderState, Trigger } from '../contract/order-view.ts';
import type { Ending } from '../contract/reasons.ts';
import type { Reference } from '../contract/units.ts';

const { POSITION_MODES, TIMES_IN_FORCE } = commands;

export const CHUNK_BITS = 9;
export const CHUNK_ORDERS = 1 << CHUNK_BITS;
export const IN_CHUNK = CHUNK_ORDERS - 1;

/** Doubles in a record, words and bytes included. */
export const RECORD_BITS = 4;
/** Places in a record are combined with its beginning by |, which is one instruction, where + checks for an overflow. */
export const RECORD_DOUBLES = 1 << RECORD_BITS;

/** Places of the words, from the beginning of the record. Places in other structures are stored plus 1, NONE as NOWHERE. */
export const ACCOUNT = 0;
export const MARKET = 1;
export const ENTRY = 2;
export const WATCH = 3;
export const TIMER = 4;
export const POSITION = 5;
export const NOWHERE = 0;

/** Places of the bytes, from the beginning of the record. */
export const TERMS = 24;
export const STATE = 25;
export const KIND = 26;
export const ALGO = 27;
export const TIME = 28;
/** Position mode, and above it what a liquidation does. */
export const FUTURES = 29;
/** The reference that it waits for, and above it the one that it follows. */
export const WAITS = 30;
export const TIMER_RANK = 31;

/** Places of the doubles. The fields that every cancel and fill uses come first. */
export const KEY = 4;
export const PRICE = 5;
export const QUANTITY = 6;
export const FILLED = 7;
export const FILLED_COST = 8;
export const RESERVED = 9;
export const UPDATED = 10;
export const LAST_FILL = 11;
export const FILLED_NOW = 12;
export const FILLED_SEQ = 13;
export const CREATED = 14;
export const ORIGINAL = 15;

/** Places of the rare doubles. */
export const RARE_DOUBLES = 5;
export const EXPOSED = 0;
export const OPENED = 1;
export const PROTECTED = 2;
export const WATCH_TICKS = 3;
export const DUE = 4;

/** As many as a byte distinguishes. */
const MOST_CHOICES = 256;

/** Bits of the terms. */
export const IS_SELL = 1;
export const IS_FUTURES = 2;
export const IS_POST_ONLY = 4;
export const IS_REDUCE_ONLY = 8;
/** Bits of the lower choice in a byte with two. */
export const LOWER_BITS = 4;
export const LOWER = 15;

/** The choices, by their numbers in a record, which are not saved. The first one is blank. */
export const STATES: readonly OrderState[] = ['working', 'waiting', 'filled', 'partlyFilled', 'cancelled', 'rejected'];
export const FIRST_ENDED = 2;
/** Of these states, in the digest of effects: part of the log's format. */
export const STATE_CODES: readonly number[] = [2, 1, 3, 4, 5, 6];
/** The others get their numbers when they are first used. */
export const KINDS: OrderKind[] = ['limit', 'market'];
export const ALGOS: AlgoName[] = ['none', 'limit', 'market'];
export const TIMES = [null, ...TIMES_IN_FORCE] as const;
export const MODES = POSITION_MODES;
export const LIQUIDATIONS = [null, 'partial', 'forced'] as const;
export const REFERENCES: readonly Reference[] = ['last', 'mark', 'index'];
export const FOLLOWED: readonly (Reference | null)[] = [null, ...REFERENCES];

/** The number of a choice. Null is the first one. V8 compares texts with texts alone by reference. */
export function numberOf<T>(choices: readonly T[], choice: T): number {
  const first = choices[0] === null ? 1 : 0;
  if (choice === null && first === 1) return 0;
  for (let i = first; i < choices.length; i++) if (choices[i] === choice) return i;
  throw new RangeError(`${choice} is not one of ${choices.join(', ')}`);
}

/** The number of a choice, which gets one if it is new. */
export function numberIn<T>(choices: T[], choice: T): number {
  for (let i = 0; i < choices.length; i++) if (choices[i] === choice) return i;
  if (choices.length === MOST_CHOICES) throw new RangeError(`${choice} is one choice more than ${MOST_CHOICES}`);
  return choices.push(choice) - 1;
}

/** What few orders have. */
export interface Extras {
  quoteOriginal: bigint | null;
  quoteFilled: bigint;
  broker: string | null;
  takeProfit: AttachedTerms | null;
  stopLoss: AttachedTerms | null;
  takeProfitKey: number;
  stopLossKey: number;
  /** The reserve, if it is more than a double holds exactly. */
  reserved: bigint;
}

export const NO_EXTRAS: Readonly<Extras> = Object.freeze({
  quoteOriginal: null,
  quoteFilled: 0n,
  broker: null,
  takeProfit: null,
  stopLoss: null,
  takeProfitKey: 0,
  stopLossKey: 0,
  reserved: 0n,
});

/** One object or null for each order of a chunk. Null: no order has had one. */
type Objects<T> = (T | null)[] | null;

export class OrderChunk {
  declare readonly doubles: Float64Array;
  declare readonly words: Int32Array;
  declare readonly bytes: Uint8Array;
  rare: Float64Array | null = null;
  clientIds: Objects<string> = null;
  endings: Objects<Ending> = null;
  triggers: Objects<Trigger> = null;
  algoStates: Objects<object> = null;
  extras: Objects<Extras> = null;

  constructor(orders: number) {
    this.doubles = new Float64Array(orders * RECORD_DOUBLES);
    this.words = new Int32Array(this.doubles.buffer);
    this.bytes = new Uint8Array(this.doubles.buffer);
  }

  /** Sets a rare double of the order at `at`, the beginning of its record. */
  setRare(at: number, field: number, value: number): void {
    if (this.rare === null) {
      if (value === 0) return;
      this.rare = new Float64Array((this.doubles.length >> RECORD_BITS) * RARE_DOUBLES);
    }
    this.rare[(at >> RECORD_BITS) * RARE_DOUBLES + field] = value;
  }

  getRare(at: number, field: number): number {
    return this.rare === null ? 0 : this.rare[(at >> RECORD_BITS) * RARE_DOUBLES + field];
  }
}

/** The list with `value` at `at`. A list is made only for a value. */
export function stored<T>(objects: Objects<T>, at: number, value: T | null): Objects<T> {
  if (objects === null) {
    if (value === null) return null;
    objects = new Array<T | null>(CHUNK_ORDERS).fill(null);
  }
  objects[at] = value;
  return objects;
}
