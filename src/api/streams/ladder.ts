/**
 * One side of a book in steps of ticks, kept up to date level by level, so that its best prices are known without
 * reading the book again.
 *
 * Invariant: the sizes are the sums of the levels that were added. A price with nothing left is not in it.
 * Cost: a search in the prices for each change. A price that appears or disappears moves the better ones, which are few
 * where most changes happen.
 */
import { BUY, type DepthLevel, type Side } from '../../venue/contract/units.ts';
import { groupedPrice } from '../market-data/grouping.ts';

export class Ladder {
  readonly #side: Side;
  readonly #ticks: number;
  /** Worst first: the price for bids, the negated price for asks. */
  readonly #keys: number[] = [];
  readonly #lots: number[] = [];

  constructor(side: Side, ticks: number) {
    this.#side = side;
    this.#ticks = ticks;
  }

  /** The size at a price of the book changed by `lots`. */
  add(priceTicks: number, lots: number): void {
    const price = groupedPrice(this.#side, priceTicks, this.#ticks);
    const key = this.#side === BUY ? price : -price;
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
