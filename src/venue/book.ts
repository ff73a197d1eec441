/**
 * The price-time order book of one market. It knows prices in ticks, sizes in lots and an owner number an entry, and
 * nothing of accounts or matching rules: whoever matches reads the front, fills it, and adds what is left.
 *
 *   a side:  keys    [ 99 | 101 | 104 | 105 ]   sorted, the best price last; sells are kept by negated price
 *            levels  [  7 |   2 |   9 |   4 ]   the level slot of each key
 *                                         |
 *   levels (slab):                    key 105, size 30, head, tail
 *                                                         |     |
 *   orders (slab):                      first entry <-> ... <-> last entry      each: size, owner, level, next, prev
 *
 * Invariants: the keys of a side are strictly ascending and none of their levels is empty; a level's size is the sum
 * of its entries' sizes; within a level, entries stand in the order in which they were added.
 * A handle is a slot of the order slab, good until its entry is filled or removed; then its size is 0, and every use
 * that changes the book throws until the slot is taken again.
 *
 * Cost: front, fill, reduce and remove O(1); add, and removing the last entry of a level, find the price by a gallop
 * from the best (logarithmic in the levels between) and move the better keys by one place. Slots are reused, columns
 * grow by doubling, nothing is allocated otherwise.
 */

export type Side = 0 | 1;
export const BUY: Side = 0;
export const SELL: Side = 1;

/** No such handle or price. */
export const NONE = -1;

export interface DepthLevel {
  readonly priceTicks: number;
  readonly sizeLots: number;
}

const INITIAL_ORDERS = 1024;
const INITIAL_LEVELS = 256;
/** Up to here a loop moves keys faster than a call of copyWithin does. */
const MOVE_BY_HAND = 16;

/** The sorted price keys of one side, the best last, and the level slot of each. */
class PriceKeys {
  keys = new Float64Array(INITIAL_LEVELS);
  levels = new Int32Array(INITIAL_LEVELS);
  count = 0;
  entries = 0;

  /** The place of `key`, or ~place where it would be inserted. */
  find(key: number): number {
    const keys = this.keys;
    let high = this.count - 1;
    if (high < 0 || keys[high] < key) return ~(high + 1);
    let low = high;
    for (let step = 1; low >= 0 && keys[low] > key; step *= 2) {
      high = low;
      low -= step;
    }
    if (low < 0) low = 0;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = keys[middle];
      if (found < key) low = middle + 1;
      else if (found > key) high = middle - 1;
      else return middle;
    }
    return ~low;
  }

  insert(place: number, key: number, level: number): void {
    const count = this.count;
    if (count === this.keys.length) {
      this.keys = grown(this.keys, new Float64Array(count * 2));
      this.levels = grown(this.levels, new Int32Array(count * 2));
    }
    const keys = this.keys;
    const levels = this.levels;
    if (count - place <= MOVE_BY_HAND) {
      for (let i = count; i > place; i--) {
        keys[i] = keys[i - 1];
        levels[i] = levels[i - 1];
      }
    } else {
      keys.copyWithin(place + 1, place, count);
      levels.copyWithin(place + 1, place, count);
    }
    keys[place] = key;
    levels[place] = level;
    this.count = count + 1;
  }

  drop(place: number): void {
    const count = this.count;
    const keys = this.keys;
    const levels = this.levels;
    if (count - place <= MOVE_BY_HAND) {
      for (let i = place + 1; i < count; i++) {
        keys[i - 1] = keys[i];
        levels[i - 1] = levels[i];
      }
    } else {
      keys.copyWithin(place, place + 1, count);
      levels.copyWithin(place, place + 1, count);
    }
    this.count = count - 1;
  }
}

function grown<Column extends Float64Array | Int32Array>(column: Column, larger: Column): Column {
  larger.set(column);
  return larger;
}

export class Book {
  readonly #buys = new PriceKeys();
  readonly #sells = new PriceKeys();

  // The order slab. A free slot has size 0, and `next` leads to the next free slot.
  #size = new Float64Array(INITIAL_ORDERS);
  #owner = new Int32Array(INITIAL_ORDERS);
  #level = new Int32Array(INITIAL_ORDERS);
  #next = new Int32Array(INITIAL_ORDERS);
  #prev = new Int32Array(INITIAL_ORDERS);
  #freeOrder = NONE;
  #usedOrders = 0;

  // The level slab. A level's key is above zero on the buy side, below on the sell side. `head` links free slots.
  #levelKey = new Float64Array(INITIAL_LEVELS);
  #levelSize = new Float64Array(INITIAL_LEVELS);
  #head = new Int32Array(INITIAL_LEVELS);
  #tail = new Int32Array(INITIAL_LEVELS);
  #freeLevel = NONE;
  #usedLevels = 0;

  /**
   * Puts an entry at the back of its price level. `priceTicks` and `sizeLots` are positive safe integers, `owner` is
   * an int32 of the caller's. Returns the entry's handle.
   */
  add(side: Side, priceTicks: number, sizeLots: number, owner: number): number {
    if (!isPositiveInteger(priceTicks)) throw new RangeError(`price ${priceTicks} is not a positive safe integer`);
    if (!isPositiveInteger(sizeLots)) throw new RangeError(`size ${sizeLots} is not a positive safe integer`);
    const keys = side === BUY ? this.#buys : this.#sells;
    const key = side === BUY ? priceTicks : -priceTicks;
    const order = this.#takeOrder();
    const place = keys.find(key);
    let level: number;
    if (place >= 0) {
      level = keys.levels[place];
      const last = this.#tail[level];
      this.#next[last] = order;
      this.#prev[order] = last;
      this.#levelSize[level] += sizeLots;
    } else {
      level = this.#takeLevel();
      keys.insert(~place, key, level);
      this.#levelKey[level] = key;
      this.#levelSize[level] = sizeLots;
      this.#head[level] = order;
      this.#prev[order] = NONE;
    }
    this.#tail[level] = order;
    this.#next[order] = NONE;
    this.#level[order] = level;
    this.#size[order] = sizeLots;
    this.#owner[order] = owner;
    keys.entries++;
    return order;
  }

  /** Takes the entry out of the book. */
  remove(handle: number): void {
    const sizeLots = this.#size[handle];
    if (!(sizeLots > 0)) throw staleHandle(handle);
    this.#levelSize[this.#level[handle]] -= sizeLots;
    this.#unlink(handle);
  }

  /** Makes the entry smaller by less than its size; it keeps its place. */
  reduce(handle: number, byLots: number): void {
    const sizeLots = this.#size[handle];
    if (!(sizeLots > 0)) throw staleHandle(handle);
    if (!(isPositiveInteger(byLots) && byLots < sizeLots)) throw badLots(byLots, sizeLots);
    this.#size[handle] = sizeLots - byLots;
    this.#levelSize[this.#level[handle]] -= byLots;
  }

  /** Takes `lots` from the entry, and the entry from the book when nothing is left. Returns what is left. */
  fill(handle: number, lots: number): number {
    const sizeLots = this.#size[handle];
    if (!(sizeLots > 0)) throw staleHandle(handle);
    if (!(isPositiveInteger(lots) && lots <= sizeLots)) throw badLots(lots, sizeLots);
    this.#levelSize[this.#level[handle]] -= lots;
    const left = sizeLots - lots;
    if (left > 0) this.#size[handle] = left;
    else this.#unlink(handle);
    return left;
  }

  /** The first entry at the best price of a side, or NONE. */
  front(side: Side): number {
    const keys = side === BUY ? this.#buys : this.#sells;
    return keys.count === 0 ? NONE : this.#head[keys.levels[keys.count - 1]];
  }

  /** The entry that follows in price-time order, into the next worse level where one ends; or NONE. */
  next(handle: number): number {
    if (!(this.#size[handle] > 0)) throw staleHandle(handle);
    const next = this.#next[handle];
    if (next !== NONE) return next;
    const key = this.#levelKey[this.#level[handle]];
    const keys = key > 0 ? this.#buys : this.#sells;
    const worse = keys.find(key) - 1;
    return worse < 0 ? NONE : this.#head[keys.levels[worse]];
  }

  /** The price of an entry, in ticks. */
  price(handle: number): number {
    return Math.abs(this.#levelKey[this.#level[handle]]);
  }

  /** The lots of an entry; 0 for a handle that is no longer in the book. */
  size(handle: number): number {
    return this.#size[handle];
  }

  /** The owner number given with the entry. */
  owner(handle: number): number {
    return this.#owner[handle];
  }

  /** The side of an entry. */
  side(handle: number): Side {
    return this.#levelKey[this.#level[handle]] > 0 ? BUY : SELL;
  }

  /** The best price of a side in ticks, or NONE. */
  bestPrice(side: Side): number {
    const keys = side === BUY ? this.#buys : this.#sells;
    return keys.count === 0 ? NONE : Math.abs(keys.keys[keys.count - 1]);
  }

  /** The lots of all entries of a side at one price; 0 where there are none. */
  levelSize(side: Side, priceTicks: number): number {
    const keys = side === BUY ? this.#buys : this.#sells;
    const place = keys.find(side === BUY ? priceTicks : -priceTicks);
    return place < 0 ? 0 : this.#levelSize[keys.levels[place]];
  }

  /** The best `limit` levels of a side, best first. */
  depth(side: Side, limit: number): DepthLevel[] {
    const keys = side === BUY ? this.#buys : this.#sells;
    const result: DepthLevel[] = [];
    const last = Math.max(keys.count - limit, 0);
    for (let place = keys.count - 1; place >= last; place--) {
      result.push({ priceTicks: Math.abs(keys.keys[place]), sizeLots: this.#levelSize[keys.levels[place]] });
    }
    return result;
  }

  /** How many entries a side has. */
  count(side: Side): number {
    return (side === BUY ? this.#buys : this.#sells).entries;
  }

  /** How many price levels a side has. */
  levels(side: Side): number {
    return (side === BUY ? this.#buys : this.#sells).count;
  }

  /** Frees the entry's slot, and its level when that is empty. */
  #unlink(order: number): void {
    const level = this.#level[order];
    const previous = this.#prev[order];
    const next = this.#next[order];
    const key = this.#levelKey[level];
    const keys = key > 0 ? this.#buys : this.#sells;
    keys.entries--;
    if (previous !== NONE) this.#next[previous] = next;
    else this.#head[level] = next;
    if (next !== NONE) this.#prev[next] = previous;
    else this.#tail[level] = previous;
    if (previous === NONE && next === NONE) {
      keys.drop(keys.find(key));
      this.#head[level] = this.#freeLevel;
      this.#freeLevel = level;
    }
    this.#size[order] = 0;
    this.#next[order] = this.#freeOrder;
    this.#freeOrder = order;
  }

  #takeOrder(): number {
    const order = this.#freeOrder;
    if (order !== NONE) {
      this.#freeOrder = this.#next[order];
      return order;
    }
    if (this.#usedOrders === this.#size.length) this.#growOrders();
    return this.#usedOrders++;
  }

  #takeLevel(): number {
    const level = this.#freeLevel;
    if (level !== NONE) {
      this.#freeLevel = this.#head[level];
      return level;
    }
    if (this.#usedLevels === this.#head.length) this.#growLevels();
    return this.#usedLevels++;
  }

  #growOrders(): void {
    const length = this.#size.length * 2;
    this.#size = grown(this.#size, new Float64Array(length));
    this.#owner = grown(this.#owner, new Int32Array(length));
    this.#level = grown(this.#level, new Int32Array(length));
    this.#next = grown(this.#next, new Int32Array(length));
    this.#prev = grown(this.#prev, new Int32Array(length));
  }

  #growLevels(): void {
    const length = this.#head.length * 2;
    this.#levelKey = grown(this.#levelKey, new Float64Array(length));
    this.#levelSize = grown(this.#levelSize, new Float64Array(length));
    this.#head = grown(this.#head, new Int32Array(length));
    this.#tail = grown(this.#tail, new Int32Array(length));
  }
}

function isPositiveInteger(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

function staleHandle(handle: number): RangeError {
  return new RangeError(`handle ${handle} is not in the book`);
}

function badLots(lots: number, sizeLots: number): RangeError {
  return new RangeError(`${lots} lots cannot be taken from an entry of ${sizeLots}`);
}
