/**
 * What a recorded market did, as one list of whole numbers: one step after another, each its number and its values.
 *
 *     LEVELS      n, then n × (price, lots)   the new sizes of levels; 0 lots: the level is gone
 *     SNAPSHOT    n, then n × (price, lots)   the whole book; what is not in it is gone
 *     TRADE       price, lots                 one trade; the sign of the price is the side of the taker
 *     REFERENCES  index, mark                 fine prices; 0: not known
 *     GAP                                     from here on the book is unknown, until the next snapshot
 *     FUNDING     rate                        parts, with its sign: replaces the rate that the venue would compute
 *
 * Prices are ticks with a sign: above 0 for bids and for takers that buy, below 0 for asks and for takers that sell. A list
 * of numbers, because a day has a hundred million levels: in the log a level takes about eight bytes.
 */

import * as units from './units.ts';

const { PARTS } = units;

export const LEVELS = 1;
export const SNAPSHOT = 2;
export const TRADE = 3;
export const REFERENCES = 4;
export const GAP = 5;
export const FUNDING = 6;

/** So that a level with users' orders stays a safe integer. */
const MOST_LOTS = 2 ** 52;

/** What is wrong with a list of steps. Null: nothing. `maxPriceTicks`: of the market. */
export function stepsProblem(steps: readonly number[], maxPriceTicks: number): string | null {
  let at = 0;
  while (at < steps.length) {
    const kind = steps[at++];
    if (kind === GAP) continue;
    if (kind === FUNDING) {
      const rate = steps[at++];
      if (!(Number.isSafeInteger(rate) && Math.abs(rate) <= PARTS)) return `${rate} is not a funding rate`;
      continue;
    }
    if (kind === REFERENCES) {
      for (const fine of [steps[at], steps[at + 1]]) {
        if (!(Number.isSafeInteger(fine) && fine >= 0)) return `${fine} is not a reference price`;
      }
      at += 2;
      continue;
    }
    const isBook = kind === LEVELS || kind === SNAPSHOT;
    if (!isBook && kind !== TRADE) return `${kind} is not the number of a step`;
    const count = isBook ? steps[at++] : 1;
    if (!(Number.isSafeInteger(count) && count >= 0 && at + 2 * count <= steps.length))
      return `${count} is not a count`;
    const least = isBook ? 0 : 1;
    for (const end = at + 2 * count; at < end; at += 2) {
      const ticks = Math.abs(steps[at]);
      const lots = steps[at + 1];
      if (!(Number.isSafeInteger(ticks) && ticks > 0 && ticks <= maxPriceTicks)) return `${steps[at]} is not a price`;
      // Its worth may be of any size: only what users trade of it is money.
      if (!(Number.isSafeInteger(lots) && lots >= least && lots <= MOST_LOTS)) return `${lots} is not a size`;
    }
  }
  return null;
}
