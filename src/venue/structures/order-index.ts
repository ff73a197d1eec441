/**
 * The index from an order key to a slot number: a ring for young orders, a hash index for all others.
 *
 *   ring     [ slot + 1 | 0 | 0 | slot + 1 | … ]     by the sequence number modulo the size; 0 = no order
 *   others   KeyIndex                                 older orders, and all but the first order of a command
 *
 * Keys of young orders are neighbours in the ring, so a busy venue finds them in the processor's cache, where a hash
 * scatters them over megabytes. The ring holds the first order of each of the last commands. An order that it has to
 * leave moves to the hash index. While the ring is small, it doubles instead.
 * Cost: O(1), and one step for each command since the last key. At most four bytes for each command in the ring.
 */

import * as orderId from '../contract/order-id.ts';
import { KeyIndex } from './key-index.ts';

const { KEYS_PER_SEQ } = orderId;

const ABSENT = -1;
/** In the ring. */
const EMPTY = 0;
const LEAST_PLACES = 2 ** 10;
/** Larger than the commands in which as many orders end as the venue remembers. */
const MOST_PLACES = 2 ** 18;

export class OrderIndex {
  #ring = new Int32Array(LEAST_PLACES);
  /** The highest sequence number in the ring. */
  #newest = 0;
  readonly #others = new KeyIndex();

  /** The slot of `key`, or -1. */
  get(key: number): number {
    const seq = key / KEYS_PER_SEQ;
    return this.#isYoung(seq) ? this.#ring[seq & (this.#ring.length - 1)] - 1 : this.#others.get(key);
  }

  /** Makes room for this many more keys at once. */
  reserve(more: number): void {
    this.#others.reserve(more);
  }

  /** Stores `slot` (a non-negative int32) under `key` (a positive safe integer). It replaces an earlier slot. */
  set(key: number, slot: number): void {
    const seq = key / KEYS_PER_SEQ;
    if (seq > this.#newest && Number.isInteger(seq)) this.#advance(seq);
    if (this.#isYoung(seq)) this.#ring[seq & (this.#ring.length - 1)] = slot + 1;
    else this.#others.set(key, slot);
  }

  /** Removes `key`, if it is there. */
  delete(key: number): void {
    const seq = key / KEYS_PER_SEQ;
    if (this.#isYoung(seq)) this.#ring[seq & (this.#ring.length - 1)] = EMPTY;
    else this.#others.delete(key);
  }

  /** Whether the ring has the place of this sequence number. That of an order which is not its first has a fraction. */
  #isYoung(seq: number): boolean {
    const age = this.#newest - seq;
    return age >= 0 && age < this.#ring.length && Number.isInteger(seq);
  }

  /** Makes `seq` the newest one. */
  #advance(seq: number): void {
    if (seq - this.#newest > MOST_PLACES) {
      this.#leave();
      this.#newest = seq - 1;
    }
    while (this.#newest < seq) {
      const place = (this.#newest + 1) & (this.#ring.length - 1);
      if (this.#ring[place] !== EMPTY) {
        if (this.#ring.length < MOST_PLACES) {
          this.#double();
          continue;
        }
        this.#others.set((this.#newest + 1 - this.#ring.length) * KEYS_PER_SEQ, this.#ring[place] - 1);
        this.#ring[place] = EMPTY;
      }
      this.#newest++;
    }
  }

  /** Moves all orders of the ring to the hash index. */
  #leave(): void {
    const { length } = this.#ring;
    for (let seq = this.#newest; seq > this.#newest - length; seq--) {
      const slot = this.#ring[seq & (length - 1)] - 1;
      if (slot !== ABSENT) this.#others.set(seq * KEYS_PER_SEQ, slot);
    }
    this.#ring.fill(EMPTY);
  }

  /** Orders that were older than the ring, and no longer are, move into it. */
  #double(): void {
    const small = this.#ring;
    const large = new Int32Array(small.length * 2);
    for (let age = 0; age < large.length; age++) {
      const seq = this.#newest - age;
      if (age < small.length) large[seq & (large.length - 1)] = small[seq & (small.length - 1)];
      else if (seq > 0) large[seq & (large.length - 1)] = this.#takeOld(seq * KEYS_PER_SEQ) + 1;
    }
    this.#ring = large;
  }

  #takeOld(key: number): number {
    const slot = this.#others.get(key);
    if (slot !== ABSENT) this.#others.delete(key);
    return slot;
  }
}
