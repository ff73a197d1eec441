/** The words and numbers that every part of the venue shares: sides, references, products, and how fine things are. */

/** 0 buy, 1 sell: as in books, commands and columns. */
export type Side = 0 | 1;
export const BUY: Side = 0;
export const SELL: Side = 1;

export function opposite(side: Side): Side {
  return side === BUY ? SELL : BUY;
}

/** Whether a price is worse for that side than its limit: a BUY's above it, a SELL's below; both in the same unit. */
export function beyond(side: Side, price: number, limit: number): boolean {
  return side === BUY ? price > limit : price < limit;
}

/** The nearer of two price limits of that side. */
export function nearer(side: Side, a: number, b: number): number {
  return beyond(side, a, b) ? b : a;
}

/** No slot, no handle, no price: where a typed column has no null. */
export const NONE = -1;

/** Fine price units of a tick (market.ts). */
export const FINE = 1000;

/**
 * How far above a market's highest order price a price that is worked out may lie: a mark at most at twice that (index and
 * basis), the BUY stop that trails it by a percentage below twice the mark. In fine units, too, that stays below 2^53. A
 * stop that a distance puts higher is held there: no price reaches it.
 */
export const STOP_HEADROOM = 4;

/** Percentages and fractions are integers of this many parts: 1 % given as percent is 100,000,000. */
export const PARTS = 100_000_000;
/** 100 % where percentages are given in parts. */
export const HUNDRED_PERCENT = 100n * BigInt(PARTS);

export type Reference = 'last' | 'mark' | 'index';
export type Product = 'spot' | 'futures';
