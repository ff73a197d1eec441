/**
 * The resolutions of candles, and when a candle begins. All times are UTC. Minutes, hours and days are multiples since
 * the epoch, weeks begin on Monday, and 43200 minutes are a calendar month.
 *
 * Candles of a resolution are numbered without gaps, so that the length of a range is a subtraction.
 */

import { DAY_MS, MINUTE_MS } from '../config/times.ts';

/** Minutes. */
export const RESOLUTIONS = [1, 5, 15, 30, 60, 240, 360, 1440, 10_080, 43_200] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

const WEEK = 10_080;
const MONTH = 43_200;
/** The epoch was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** The number of the candle that a time falls into. */
export function candleNumber(resolution: Resolution, timeMs: number): number {
  if (resolution === MONTH) {
    const date = new Date(timeMs);
    return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
  }
  return Math.floor((timeMs - originMs(resolution)) / (resolution * MINUTE_MS));
}

/** When a candle begins, epoch ms. */
export function candleStartMs(resolution: Resolution, number: number): number {
  if (resolution === MONTH) return Date.UTC(1970, number, 1);
  return number * resolution * MINUTE_MS + originMs(resolution);
}

function originMs(resolution: Resolution): number {
  return resolution === WEEK ? FIRST_MONDAY_MS : 0;
}
