/**
 * One side of a book in steps of ticks, kept up to date level by level, so that its best prices are known without
 * reading the book again.
 *
 * Invariant: the sizes are the sums of the levels that were added. A price with nothing left is not in it.
 * Cost: a sort to begin with, and a search in the prices for each change. A price that appears or disappears moves the better ones, which are few
 * where most changes happen.
 */
import { BUY, type DepthLevel, type Side } from '../../venue/contract/units.ts';
import { groupedPrice } from '../market-data/grouping.ts';

const NO_LEVELS: ReadonlyMap<number, number> = new Map();

export class Ladder {
  readonly #side: Side;
  readonly #ticks: number;
  /** Worst first: the price for bids, the negated price for asks. */
  readonly #keys: number[];
  readonly #lots: number[];

  /** `levels`: sizes by price, in any order. */
  constructor(side: Side, ticks: number, levels: ReadonlyMap<number, number> = NO_LEVELS) {
    this.#side = side;
    this.#ticks = ticks;
    const lots = new Map<number, number>();
    for (const [priceTicks, size] of levels) {
      const key = this.#keyOf(priceTicks);
      lots.set(key, (lots.get(key) ?? 0) + size);
    }
    this.#keys = [...Float64Array.from(lots.keys()).sort()];
    this.#lots = this.#keys.map((key) => lots.get(key) as number);
  }

  /** The size at a price of the book changed by `lots`. */
  add(priceTicks: number, lots: number): void {
    const key = this.#keyOf(priceTicks);
    const at = this.#find(key);
    if (this.#keys[at] !== key) {
      this.#keys.splice(at, 0, key);
      this.#lots.splice(at, 0, lots);
      return;
    }
    this.#lots[at] += lots;
    if (this.#lots[at] !== 0) return;
    this.#keys.splice(at, 1);
    this.#lots.splice(at, 1);
  }

  /** The best `limit` levels, best first. */
  top(limit: number): DepthLevel[] {
    const levels: DepthLevel[] = [];
    for (let at = this.#keys.length - 1; at >= 0 && levels.length < limit; at--) {
      levels.push({ priceTicks: Math.abs(this.#keys[at]), sizeLots: this.#lots[at] });
    }
    return levels;
  }

  #keyOf(priceTicks: number): number {
    const price = groupedPrice(this.#side, priceTicks, this.#ticks);
    return this.#side === BUY ? price : -price;
  }

  /** The place of a key, or where it would be. */
  #find(key: number): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#keys[middle] < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
