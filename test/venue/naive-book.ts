/**
 * The order book as one plain array in price-time order: what book.ts must do, with nothing that could go wrong.
 * Entries stand for handles. Every operation is O(n).
 */

import { BUY, type DepthLevel, NONE, type Side } from '../../src/venue/contract/units.ts';

export interface NaiveEntry {
  readonly side: Side;
  readonly priceTicks: number;
  readonly owner: number;
  sizeLots: number;
}

export class NaiveBook {
  entries: NaiveEntry[] = [];

  add(side: Side, priceTicks: number, sizeLots: number, owner: number): NaiveEntry {
    const entry = { side, priceTicks, sizeLots, owner };
    const isWorse = (other: NaiveEntry) =>
      other.side === side && (side === BUY ? other.priceTicks < priceTicks : other.priceTicks > priceTicks);
    const place = this.entries.findIndex(isWorse);
    this.entries.splice(place < 0 ? this.entries.length : place, 0, entry);
    return entry;
  }

  remove(entry: NaiveEntry): void {
    this.entries = this.entries.filter((other) => other !== entry);
  }

  fill(entry: NaiveEntry, lots: number): number {
    entry.sizeLots -= lots;
    if (entry.sizeLots === 0) this.remove(entry);
    return entry.sizeLots;
  }

  reduce(entry: NaiveEntry, byLots: number): void {
    entry.sizeLots -= byLots;
  }

  /** The entries of a side, in the order in which they trade. */
  queue(side: Side): NaiveEntry[] {
    return this.entries.filter((entry) => entry.side === side);
  }

  bestPrice(side: Side): number {
    return this.queue(side)[0]?.priceTicks ?? NONE;
  }

  depth(side: Side): DepthLevel[] {
    const sizes = new Map<number, number>();
    for (const { priceTicks, sizeLots } of this.queue(side)) {
      sizes.set(priceTicks, (sizes.get(priceTicks) ?? 0) + sizeLots);
    }
    return [...sizes].map(([priceTicks, sizeLots]) => ({ priceTicks, sizeLots }));
  }
}
