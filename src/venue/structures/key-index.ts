/**
 * A hash index from a positive safe integer (a dense order key) to a slot number, in typed arrays. It creates no
 * garbage, and deleted keys do not make it grow.
 *
 *   keys   [ 0 | 65536 | 0 | 131072 | 196608 | 0 | ... ]   0 = empty; open addressing, linear probing
 *   slots  [ - |   4   | - |   0    |   7    | - | ... ]
 *
 * Invariant: there is no empty place between the home place of a key and the place where it is stored. A deletion keeps
 * that by shifting later keys back, so there are no tombstones. Cost: O(1). At most half of the places are used.
 */

const ABSENT = -1;
const MIN_PLACES = 16;

export class KeyIndex {
  #keys: Float64Array;
  #slots: Int32Array;
  #mask: number;
  #size = 0;

  /** `expected`: the number of keys to make room for at first. */
  constructor(expected = 0) {
    let places = MIN_PLACES;
    while (places < expected * 2) places *= 2;
    this.#keys = new Float64Array(places);
    this.#slots = new Int32Array(places);
    this.#mask = places - 1;
  }

  /** The slot of `key`, or -1. */
  get(key: number): number {
    const keys = this.#keys;
    const mask = this.#mask;
    for (let place = home(key, mask); ; place = (place + 1) & mask) {
      const found = keys[place];
      if (found === 0) return ABSENT;
      if (found === key) return this.#slots[place];
    }
  }

  /** Makes room for this many more keys at once. */
  reserve(more: number): void {
    let places = this.#keys.length;
    while (places < (this.#size + more) * 2) places *= 2;
    if (places > this.#keys.length) this.#grow(places);
  }

  /** Stores `slot` (a non-negative int32) under `key` (a positive safe integer). It replaces an earlier slot. */
  set(key: number, slot: number): void {
    if (!(Number.isSafeInteger(key) && key > 0)) throw new RangeError(`key ${key} is not a positive safe integer`);
    if ((slot | 0) !== slot || slot < 0) throw new RangeError(`slot ${slot} is not a non-negative 32-bit integer`);
    const place = this.#find(key);
    this.#slots[place] = slot;
    if (this.#keys[place] === key) return;
    this.#keys[place] = key;
    this.#size++;
    if (this.#size * 2 > this.#mask) this.#grow(this.#keys.length * 2);
  }

  /** Removes `key`. Returns false if it was not there. */
  delete(key: number): boolean {
    const keys = this.#keys;
    const slots = this.#slots;
    const mask = this.#mask;
    let hole = this.#find(key);
    if (keys[hole] === 0) return false;
    for (let place = (hole + 1) & mask; keys[place] !== 0; place = (place + 1) & mask) {
      // A key may fill the hole unless its home lies between the hole and its present place.
      const distance = (place - home(keys[place], mask)) & mask;
      if (distance < ((place - hole) & mask)) continue;
      keys[hole] = keys[place];
      slots[hole] = slots[place];
      hole = place;
    }
    keys[hole] = 0;
    this.#size--;
    return true;
  }

  /** The place of `key`, or the empty place where it belongs. */
  #find(key: number): number {
    const keys = this.#keys;
    const mask = this.#mask;
    let place = home(key, mask);
    while (keys[place] !== 0 && keys[place] !== key) place = (place + 1) & mask;
    return place;
  }

  #grow(places: number): void {
    const keys = this.#keys;
    const slots = this.#slots;
    this.#keys = new Float64Array(places);
    this.#slots = new Int32Array(places);
    this.#mask = places - 1;
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] === 0) continue;
      const place = this.#find(keys[i]);
      this.#keys[place] = keys[i];
      this.#slots[place] = slots[i];
    }
  }
}

/** The preferred place of `key`. Keys are often multiples of 65536, so all bits are mixed into the low ones. */
function home(key: number, mask: number): number {
  let hash = (key | 0) ^ Math.imul((key / 4294967296) | 0, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & mask;
}
