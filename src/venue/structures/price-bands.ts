/**
 * Bands of prices, each with an owner. It finds a band that a price lies outside of.
 *
 * A band has a slot. There are two binary heaps of slots: one has the highest lower end on top, the other the lowest
 * upper end. A price is outside some band exactly if it is below the first top or above the second one. The heaps know
 * where each slot is, so that a band can be removed. An infinite end is in no heap.
 *
 * Cost: O(log n) for `add` and `remove`, O(1) for `outside` and `holds`. Memory: 36 bytes a slot.
 */

import * as units from '../contract/units.ts';

const { NONE } = units;

const LEAST_SLOTS = 16;

/** A heap of slots with the smallest key on top. The caller chooses slots and keys. */
class SlotHeap {
  #slots: Int32Array = new Int32Array(LEAST_SLOTS);
  /** By slot: where it is in the heap, or NONE. */
  #places: Int32Array = new Int32Array(LEAST_SLOTS).fill(NONE);
  /** By slot. */
  #keys: Float64Array = new Float64Array(LEAST_SLOTS);
  #size = 0;

  grow(slots: number): void {
    this.#slots = copied(new Int32Array(slots), this.#slots);
    this.#places = copied(new Int32Array(slots).fill(NONE), this.#places);
    this.#keys = copied(new Float64Array(slots), this.#keys);
  }

  /** The slot with the smallest key, or NONE. */
  get top(): number {
    return this.#size === 0 ? NONE : this.#slots[0];
  }

  /** Infinity if the heap is empty. */
  get topKey(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#keys[this.#slots[0]];
  }

  /** Infinity if the slot is not in the heap. */
  keyOf(slot: number): number {
    return this.#places[slot] === NONE ? Number.POSITIVE_INFINITY : this.#keys[slot];
  }

  /** Adds a slot that is not in the heap. One with an infinite key is left out. */
  add(slot: number, key: number): void {
    if (key === Number.POSITIVE_INFINITY) return;
    this.#keys[slot] = key;
    this.#put(slot, this.#size++);
    this.#rise(slot);
  }

  remove(slot: number): void {
    const place = this.#places[slot];
    if (place === NONE) return;
    this.#places[slot] = NONE;
    const last = this.#slots[--this.#size];
    if (last === slot) return;
    this.#put(last, place);
    this.#rise(last);
    this.#sink(last);
  }

  #put(slot: number, place: number): void {
    this.#slots[place] = slot;
    this.#places[slot] = place;
  }

  #rise(slot: number): void {
    const key = this.#keys[slot];
    let place = this.#places[slot];
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (this.#keys[this.#slots[above]] <= key) break;
      this.#put(this.#slots[above], place);
      place = above;
    }
    this.#put(slot, place);
  }

  #sink(slot: number): void {
    const key = this.#keys[slot];
    let place = this.#places[slot];
    for (;;) {
      let below = 2 * place + 1;
      if (below >= this.#size) break;
      if (below + 1 < this.#size && this.#keys[this.#slots[below + 1]] < this.#keys[this.#slots[below]]) below++;
      if (this.#keys[this.#slots[below]] >= key) break;
      this.#put(this.#slots[below], place);
      place = below;
    }
    this.#put(slot, place);
  }
}

function copied<T extends Int32Array | Float64Array>(to: T, from: T): T {
  to.set(from as Int32Array & Float64Array);
  return to;
}

export class PriceBands {
  /** Keys: −(lower end), and the upper end. */
  readonly #lows = new SlotHeap();
  readonly #highs = new SlotHeap();
  /** By slot. */
  #owners: Int32Array = new Int32Array(LEAST_SLOTS);
  readonly #free: number[] = [];
  #used = 0;

  /** Adds a band, both ends included. `owner`: a non-negative int32. Returns its slot. */
  add(owner: number, low: number, high: number): number {
    const slot = this.#free.pop() ?? this.#used++;
    if (slot >= this.#owners.length) this.#grow();
    this.#owners[slot] = owner;
    this.#lows.add(slot, -low);
    this.#highs.add(slot, high);
    return slot;
  }

  remove(slot: number): void {
    this.#lows.remove(slot);
    this.#highs.remove(slot);
    this.#free.push(slot);
  }

  /** Whether the price is in the band of the slot. */
  holds(slot: number, price: number): boolean {
    return -this.#lows.keyOf(slot) <= price && price <= this.#highs.keyOf(slot);
  }

  /** The owner of a band that the price is outside of, or NONE. */
  outside(price: number): number {
    if (-this.#lows.topKey > price) return this.#owners[this.#lows.top];
    if (this.#highs.topKey < price) return this.#owners[this.#highs.top];
    return NONE;
  }

  #grow(): void {
    const slots = this.#owners.length * 2;
    this.#owners = copied(new Int32Array(slots), this.#owners);
    this.#lows.grow(slots);
    this.#highs.grow(slots);
  }
}
