/**
 * The price-time order book of one market. It knows prices in ticks, sizes in lots and an owner number for each entry.
 * It knows no accounts and no matching rules: the caller reads the front, fills it, and adds what is left.
 *
 *   a side                 sorted   [  7 |   2 |   9 |   4 ]      level slots by price key, the best last
 *                                      |     |     |     |
 *   levels (slab)          key        99   101   104   105       the price; negated on the sell side
 *                          size       12     5     1    30
 *                          head, tail                 |  |
 *                                                     |  +-------------------+
 *   orders (slab)                                 entry <-> entry <-> ... <-> entry
 *                                                 each: size, owner, level, next, prev
 *
 * Invariants:
 * - The keys of a side are strictly ascending, and no level is empty.
 * - The size of a level is the sum of the sizes of its entries.
 * - Entries of a level are in the order in which they were added.
 * - A handle is a slot of the order slab. It is valid until its entry is filled or removed. Then its size reads 0 and
 *   all other uses throw, until the slot is reused. So forget a handle together with its entry.
 *
 * Cost: front, fill, reduce and remove are O(1). When a level appears or disappears, the better levels (four bytes
 * each) move by one place. `add` mostly finds the level of a price in a table of levels that were found before. Otherwise,
 * and when a level is emptied, a galloping search from the best finds the price, which is logarithmic. Slots are reused and
 * columns grow by doubling. Nothing else is allocated.
 */

import type { BookLevel } from '../contract/events.ts';
import type { DepthLevel, Side } from '../contract/units.ts';
import * as units from '../contract/units.ts';

const { BUY, NONE, SELL } = units;

/** Small, because a venue has many markets, and most of them have few orders. */
const INITIAL_ORDERS = 8;
const INITIAL_LEVELS = 8;
/** Places in the table of recent levels for each level slot, a power of two. Prices have gaps and move, so one is too few. */
const RECENT_A_LEVEL = 4;
/** The key of a free level slot, which no price has. */
const NO_LEVEL = 0;
/** Up to this number a loop moves levels faster than copyWithin. */
const MOVE_BY_HAND = 16;

/** The level slots of one side, sorted by price key, the best last. The keys are in the level slab. */
class SortedLevels {
  slots = new Int32Array(INITIAL_LEVELS);
  count = 0;
  /** Entries in all levels together. */
  entries = 0;

  /** The place of the level with `key`, or ~place where it would be inserted. */
  find(key: number, keys: Float64Array): number {
    const slots = this.slots;
    let high = this.count - 1;
    if (high < 0 || keys[slots[high]] < key) return ~(high + 1);
    let low = high;
    for (let step = 1; low >= 0 && keys[slots[low]] > key; step *= 2) {
      high = low;
      low -= step;
    }
    low = Math.max(low, 0);
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = keys[slots[middle]];
      if (found < key) low = middle + 1;
      else if (found > key) high = middle - 1;
      else return middle;
    }
    return ~low;
  }

  insert(place: number, level: number): void {
    const count = this.count;
    if (count === this.slots.length) this.slots = grown(this.slots, new Int32Array(count * 2));
    const slots = this.slots;
    if (count - place > MOVE_BY_HAND) slots.copyWithin(place + 1, place, count);
    else for (let i = count; i > place; i--) slots[i] = slots[i - 1];
    slots[place] = level;
    this.count = count + 1;
  }

  drop(place: number): void {
    const count = this.count;
    const slots = this.slots;
    if (count - place > MOVE_BY_HAND) slots.copyWithin(place, place + 1, count);
    else for (let i = place + 1; i < count; i++) slots[i - 1] = slots[i];
    this.count = count - 1;
  }
}

export class Book {
  readonly #buys = new SortedLevels();
  readonly #sells = new SortedLevels();

  // The order slab. A free slot has size 0, and its `next` is the next free slot.
  #size = new Float64Array(INITIAL_ORDERS);
  #owner = new Int32Array(INITIAL_ORDERS);
  #level = new Int32Array(INITIAL_ORDERS);
  #next = new Int32Array(INITIAL_ORDERS);
  #prev = new Int32Array(INITIAL_ORDERS);
  #freeOrder = NONE;
  #usedOrders = 0;

  // The level slab. A level's key is positive on the buy side and negative on the sell side. `head` links free slots.
  #levelKey = new Float64Array(INITIAL_LEVELS);
  #levelSize = new Float64Array(INITIAL_LEVELS);
  #head = new Int32Array(INITIAL_LEVELS);
  #tail = new Int32Array(INITIAL_LEVELS);
  #freeLevel = NONE;
  #usedLevels = 0;
  /** By the low bits of a key: the level slot that was last found there. It counts only if that level has the key. */
  #recent = new Int32Array(INITIAL_LEVELS * RECENT_A_LEVEL);

  /** The earlier sizes of the levels that have changed, by key. Undefined: the book is not watched. */
  #before: Map<number, number> | undefined;
  #onChange: () => void = () => {};

  /**
   * Puts an entry at the back of its price level. `priceTicks` and `sizeLots` are positive safe integers. `owner` is an
   * int32 that only the caller interprets. Returns the entry's handle.
   */
  add(side: Side, priceTicks: number, sizeLots: number, owner: number): number {
    if (!isPositiveInteger(priceTicks)) throw new RangeError(`price ${priceTicks} is not a positive safe integer`);
    if (!isPositiveInteger(sizeLots)) throw new RangeError(`size ${sizeLots} is not a positive safe integer`);
    if ((owner | 0) !== owner) throw new RangeError(`owner ${owner} is not a 32-bit integer`);
    const levels = this.#side(side);
    const key = keyOf(side, priceTicks);
    const recent = this.#recent[key & (this.#recent.length - 1)];
    const level = this.#levelKey[recent] === key ? recent : this.#findOrAdd(levels, key);
    const levelSize = this.#levelSize[level] + sizeLots;
    if (levelSize > Number.MAX_SAFE_INTEGER) throw new RangeError(`the level at ${priceTicks} would exceed 2^53 lots`);
    if (this.#before !== undefined) this.#note(this.#before, level);

    const order = this.#takeOrder();
    const last = this.#tail[level];
    if (last === NONE) this.#head[level] = order;
    else this.#next[last] = order;
    this.#prev[order] = last;
    this.#next[order] = NONE;
    this.#tail[level] = order;
    this.#level[order] = level;
    this.#size[order] = sizeLots;
    this.#owner[order] = owner;
    this.#levelSize[level] = levelSize;
    levels.entries++;
    return order;
  }

  /** Takes the entry out of the book. */
  remove(handle: number): void {
    const level = this.#levelOf(handle);
    if (this.#before !== undefined) this.#note(this.#before, level);
    this.#levelSize[level] -= this.#size[handle];
    this.#unlink(handle);
  }

  /** Reduces the entry by less than its size. It keeps its place. */
  reduce(handle: number, byLots: number): void {
    const level = this.#levelOf(handle);
    const sizeLots = this.#size[handle];
    if (!(isPositiveInteger(byLots) && byLots < sizeLots)) throw badLots(byLots, sizeLots);
    if (this.#before !== undefined) this.#note(this.#before, level);
    this.#size[handle] = sizeLots - byLots;
    this.#levelSize[level] -= byLots;
  }

  /** Adds lots to the last entry of its level, which is as if they had come behind it. */
  grow(handle: number, byLots: number): void {
    const level = this.#levelOf(handle);
    if (this.#next[handle] !== NONE) throw new RangeError(`entry ${handle} is not the last of its level`);
    if (!isPositiveInteger(byLots)) throw new RangeError(`an entry cannot grow by ${byLots} lots`);
    const levelSize = this.#levelSize[level] + byLots;
    if (levelSize > Number.MAX_SAFE_INTEGER) throw new RangeError('the level would exceed 2^53 lots');
    if (this.#before !== undefined) this.#note(this.#before, level);
    this.#size[handle] += byLots;
    this.#levelSize[level] = levelSize;
  }

  /** Takes `lots` from the entry, and removes the entry if nothing is left. Returns the remaining lots. */
  fill(handle: number, lots: number): number {
    const level = this.#levelOf(handle);
    const sizeLots = this.#size[handle];
    if (!(isPositiveInteger(lots) && lots <= sizeLots)) throw badLots(lots, sizeLots);
    if (this.#before !== undefined) this.#note(this.#before, level);
    this.#levelSize[level] -= lots;
    if (lots < sizeLots) this.#size[handle] = sizeLots - lots;
    else this.#unlink(handle);
    return sizeLots - lots;
  }

  /** The first entry at the best price of a side, or NONE. */
  front(side: Side): number {
    const levels = this.#side(side);
    return levels.count === 0 ? NONE : this.#head[levels.slots[levels.count - 1]];
  }

  /**
   * The next entry in price-time order. After the end of a level it is on the next worse one. NONE at the end of the
   * side.
   */
  next(handle: number): number {
    const level = this.#levelOf(handle);
    const next = this.#next[handle];
    if (next !== NONE) return next;
    const key = this.#levelKey[level];
    const levels = this.#side(sideOf(key));
    const worse = levels.find(key, this.#levelKey) - 1;
    return worse < 0 ? NONE : this.#head[levels.slots[worse]];
  }

  /** The first entry at one price of a side, or NONE. */
  firstAt(side: Side, priceTicks: number): number {
    const levels = this.#side(side);
    const place = levels.find(keyOf(side, priceTicks), this.#levelKey);
    return place < 0 ? NONE : this.#head[levels.slots[place]];
  }

  /** The next entry at the same price, or NONE. */
  nextAt(handle: number): number {
    this.#levelOf(handle);
    return this.#next[handle];
  }

  /** The price of an entry, in ticks. */
  price(handle: number): number {
    return Math.abs(this.#levelKey[this.#levelOf(handle)]);
  }

  /** The lots of an entry. 0 for a handle whose entry is gone. */
  size(handle: number): number {
    return this.#size[handle] ?? 0;
  }

  /** The owner number given with an entry. */
  owner(handle: number): number {
    if (!(this.#size[handle] > 0)) throw staleHandle(handle);
    return this.#owner[handle];
  }

  /** The side of an entry. */
  side(handle: number): Side {
    return sideOf(this.#levelKey[this.#levelOf(handle)]);
  }

  /** The best price of a side in ticks, or NONE. */
  bestPrice(side: Side): number {
    const levels = this.#side(side);
    return levels.count === 0 ? NONE : Math.abs(this.#levelKey[levels.slots[levels.count - 1]]);
  }

  /** The lots of all entries of a side at one price. 0 if there are none. */
  levelSize(side: Side, priceTicks: number): number {
    const levels = this.#side(side);
    const place = levels.find(keyOf(side, priceTicks), this.#levelKey);
    return place < 0 ? 0 : this.#levelSize[levels.slots[place]];
  }

  /** The best `limit` levels of a side, best first. */
  depth(side: Side, limit: number): DepthLevel[] {
    const levels = this.#side(side);
    const result: DepthLevel[] = [];
    const last = Math.max(levels.count - limit, 0);
    for (let place = levels.count - 1; place >= last; place--) {
      const level = levels.slots[place];
      result.push({ priceTicks: Math.abs(this.#levelKey[level]), sizeLots: this.#levelSize[level] });
    }
    return result;
  }

  /** How many entries a side has. */
  count(side: Side): number {
    return this.#side(side).entries;
  }

  /**
   * From now on the book records levels that change, for `takeChanges`. It calls `onChange` at the first change after
   * each call of that.
   */
  watch(onChange: () => void): void {
    this.#before ??= new Map();
    this.#onChange = onChange;
  }

  /**
   * The levels whose lots differ from those at the last call, or at `watch`, in the order in which they first changed.
   */
  takeChanges(): BookLevel[] {
    const changed: BookLevel[] = [];
    if (this.#before === undefined || this.#before.size === 0) return changed;
    for (const [key, before] of this.#before) {
      const side = sideOf(key);
      const priceTicks = Math.abs(key);
      const sizeLots = this.levelSize(side, priceTicks);
      if (sizeLots !== before) changed.push({ side, priceTicks, sizeLots });
    }
    this.#before = new Map(); // Not cleared: see D-671.
    return changed;
  }

  /** To be called before the level changes. */
  #note(before: Map<number, number>, level: number): void {
    const key = this.#levelKey[level];
    if (before.has(key)) return;
    if (before.size === 0) this.#onChange();
    before.set(key, this.#levelSize[level]);
  }

  #side(side: Side): SortedLevels {
    return side === BUY ? this.#buys : this.#sells;
  }

  /** The level of an entry that is in the book. Throws for any other handle. */
  #levelOf(handle: number): number {
    if (!(this.#size[handle] > 0)) throw staleHandle(handle);
    return this.#level[handle];
  }

  /** Frees the entry's slot, and its level if that is empty now. */
  #unlink(order: number): void {
    const level = this.#level[order];
    const previous = this.#prev[order];
    const next = this.#next[order];
    const key = this.#levelKey[level];
    const levels = this.#side(sideOf(key));
    if (previous !== NONE) this.#next[previous] = next;
    else this.#head[level] = next;
    if (next !== NONE) this.#prev[next] = previous;
    else this.#tail[level] = previous;
    if (previous === NONE && next === NONE) {
      levels.drop(levels.find(key, this.#levelKey));
      this.#levelKey[level] = NO_LEVEL;
      this.#head[level] = this.#freeLevel;
      this.#freeLevel = level;
    }
    this.#size[order] = 0;
    this.#next[order] = this.#freeOrder;
    this.#freeOrder = order;
    levels.entries--;
  }

  /** Searches for the level with `key`, adds it if there is none, and remembers it as recent. */
  #findOrAdd(levels: SortedLevels, key: number): number {
    const place = levels.find(key, this.#levelKey);
    const level = place >= 0 ? levels.slots[place] : this.#takeLevel(key);
    if (place < 0) levels.insert(~place, level);
    this.#recent[key & (this.#recent.length - 1)] = level;
    return level;
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

  /** A slot for a level with `key` and no entries yet. */
  #takeLevel(key: number): number {
    let level = this.#freeLevel;
    if (level !== NONE) {
      this.#freeLevel = this.#head[level];
    } else {
      if (this.#usedLevels === this.#head.length) this.#growLevels();
      level = this.#usedLevels++;
    }
    this.#levelKey[level] = key;
    this.#levelSize[level] = 0;
    this.#head[level] = NONE;
    this.#tail[level] = NONE;
    return level;
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
    this.#recent = new Int32Array(length * RECENT_A_LEVEL);
  }
}

/** The sort key of a price. A better price has a larger key. Keys are positive for buys and negative for sells. */
function keyOf(side: Side, priceTicks: number): number {
  return side === BUY ? priceTicks : -priceTicks;
}

function sideOf(key: number): Side {
  return key > 0 ? BUY : SELL;
}

function grown<Column extends Float64Array | Int32Array>(column: Column, larger: Column): Column {
  larger.set(column);
  return larger;
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
