/** What all parts of the venue share: sides, references, products, and the units of prices and rates. */

/** 0 buy, 1 sell. */
export type Side = 0 | 1;
export const BUY: Side = 0;
export const SELL: Side = 1;
/** What this file itself uses: V8 folds a constant only if it is not exported. */
const buy: Side = BUY;
const sell: Side = SELL;

export function sideText(side: Side): 'BUY' | 'SELL' {
  return side === buy ? 'BUY' : 'SELL';
}

export function opposite(side: Side): Side {
  return side === buy ? sell : buy;
}

/**
 * Whether a price is worse than `limit` for that side: above it for a BUY, below it for a SELL. Both in the same unit.
 */
export function beyond(side: Side, price: number, limit: number): boolean {
  return side === buy ? price > limit : price < limit;
}

/** The stricter of two price limits of a side. */
export function nearer(side: Side, a: number, b: number): number {
  return beyond(side, a, b) ? b : a;
}

/** Means "no slot", "no handle" or "no price" where a typed array cannot hold null. */
export const NONE = -1;

/**
 * The house: the number of the account that recorded markets trade for, and the owner of their entries in books. It is no
 * account of the venue: no list has it and no name leads to it.
 */
export const HOUSE = -2;
/** What records of trades call it. No account has this name. */
export const HOUSE_NAME = 'replica';
/** The key of its orders in trades, which no order has. */
export const HOUSE_KEY = 0;

/** One price of a book, and the total that rests at it. */
export interface DepthLevel {
  readonly priceTicks: number;
  readonly sizeLots: number;
}

/** Fine price units in one tick (market.ts). */
export const FINE = 1000;

/**
 * How far above a market's highest order price a calculated price may be, as a factor. A mark is at most twice that
 * price (index and basis), and a BUY stop that trails it by a percentage is below twice the mark. In fine units this is
 * still below 2^53. A stop that a distance would put higher is limited to this: no price reaches it.
 */
export const STOP_HEADROOM = 4;

/** Percentages and fractions are integers of this many parts. 1 %, given as a percentage, is 100,000,000. */
export const PARTS = 100_000_000;
/** A number of parts has so many decimals. */
export const PARTS_DECIMALS = 8;
/** 100 % in parts, where 1 % is PARTS. */
export const HUNDRED_PERCENT = 100n * BigInt(PARTS);

export type Reference = 'last' | 'mark' | 'index';
export type Product = 'spot' | 'futures';

/** Position numbers: one-way, hedge long, hedge short. Isolated positions count from 1 in each account and market. */
export const NET = 0;
export const LONG = 1;
export const SHORT = 2;
/** The position number of an isolated opening order that has not opened its position yet. */
export const UNOPENED = -1;
/** The position number of a futures order that is not bound to a position yet. */
export const UNBOUND = -2;
