/**
 * The one-minute candles of a market in the last 1,500 minutes, in typed columns. A minute has its slot by its number,
 * so nothing is searched or moved. A slot may still hold an older minute, which then no longer counts.
 *
 * Invariant: costs (ticks × lots) are exact. A minute's cost is a double as long as that is exact, plus what was moved to a
 * bigint before it would not have been.
 *
 * Cost of a trade: one slot. Cost of a summary: a pass over all slots, about 15 microseconds.
 */
import { MINUTE_MS } from '../config/times.ts';
import { addLots, type Candle } from './candles.ts';

/** A day, and the minutes before it that show what it began with. */
export const RING_MINUTES = 1500;
/** The minute of a slot that has none. */
const EMPTY = -1;

/** The trades of a stretch of time. */
export interface Summary {
  /** The price of the last trade before it. Null: there was none. */
  readonly beforeTicks: number | null;
  /** Its trades as one candle. Null: there was none. */
  readonly trades: Candle | null;
}

export class MinuteRing {
  /** The number of each slot's minute, or EMPTY. */
  readonly #minutes = new Float64Array(RING_MINUTES).fill(EMPTY);
  readonly #opens = new Float64Array(RING_MINUTES);
  readonly #highs = new Float64Array(RING_MINUTES);
  readonly #lows = new Float64Array(RING_MINUTES);
  readonly #closes = new Float64Array(RING_MINUTES);
  readonly #volumes = new Float64Array(RING_MINUTES);
  readonly #costs = new Float64Array(RING_MINUTES);
  readonly #largeCosts: bigint[] = new Array(RING_MINUTES).fill(0n);
  /** The latest minute that another has taken the slot of, and its close. −1: there is none. */
  #lostMinute = -1;
  #lostClose = 0;

  add(timeMs: number, priceTicks: number, sizeLots: number): void {
    const minute = Math.floor(timeMs / MINUTE_MS);
    const slot = this.#slotOf(minute, priceTicks);
    if (priceTicks > this.#highs[slot]) this.#highs[slot] = priceTicks;
    if (priceTicks < this.#lows[slot]) this.#lows[slot] = priceTicks;
    this.#closes[slot] = priceTicks;
    this.#volumes[slot] = addLots(this.#volumes[slot], sizeLots);
    const cost = this.#costs[slot] + priceTicks * sizeLots;
    // A sum that was rounded is above this bound, too.
    if (cost <= Number.MAX_SAFE_INTEGER) this.#costs[slot] = cost;
    else this.#largeCosts[slot] += BigInt(priceTicks) * BigInt(sizeLots);
  }

  /** Puts a whole minute in. It is not older than those that are here. */
  put({ startMs, openTicks, highTicks, lowTicks, closeTicks, volumeLots, cost }: Candle): void {
    const slot = this.#slotOf(startMs / MINUTE_MS, openTicks);
    this.#highs[slot] = highTicks;
    this.#lows[slot] = lowTicks;
    this.#closes[slot] = closeTicks;
    this.#volumes[slot] = volumeLots;
    this.#costs[slot] = 0;
    this.#largeCosts[slot] = cost;
  }

  /** The last trade before all minutes that will be put in or added. */
  beginAfter(timeMs: number, priceTicks: number): void {
    this.#lostMinute = Math.floor(timeMs / MINUTE_MS);
    this.#lostClose = priceTicks;
  }

  #slotOf(minute: number, priceTicks: number): number {
    const slot = minute % RING_MINUTES;
    const before = this.#minutes[slot];
    if (before === minute) return slot;
    if (before > this.#lostMinute) {
      this.#lostMinute = before;
      this.#lostClose = this.#closes[slot];
    }
    this.#minutes[slot] = minute;
    this.#opens[slot] = priceTicks;
    this.#highs[slot] = priceTicks;
    this.#lows[slot] = priceTicks;
    this.#closes[slot] = priceTicks;
    this.#volumes[slot] = 0;
    this.#costs[slot] = 0;
    this.#largeCosts[slot] = 0n;
    return slot;
  }

  /** The minutes with trades from `fromMs` to `toMs`, at most RING_MINUTES, oldest first. */
  candles(fromMs: number, toMs: number): Candle[] {
    const result: Candle[] = [];
    const last = Math.floor(toMs / MINUTE_MS);
    for (let minute = Math.ceil(fromMs / MINUTE_MS); minute <= last; minute += 1) {
      const slot = minute % RING_MINUTES;
      if (this.#minutes[slot] === minute) result.push(this.#candle(slot));
    }
    return result;
  }

  /** What was traded from a minute on, at most RING_MINUTES ago. */
  since(fromMs: number): Summary {
    const from = Math.floor(fromMs / MINUTE_MS);
    let [before, beforeTicks] = [this.#lostMinute, this.#lostClose];
    let [first, last] = [-1, -1];
    let [high, low] = [0, Number.POSITIVE_INFINITY];
    let [volumeLots, cost, largeCost] = [0, 0, 0n];
    for (let slot = 0; slot < RING_MINUTES; slot += 1) {
      const minute = this.#minutes[slot];
      // On a clock near the epoch, `from` may be below it too.
      if (minute === EMPTY) continue;
      if (minute < from) {
        if (minute > before) [before, beforeTicks] = [minute, this.#closes[slot]];
        continue;
      }
      if (first < 0 || minute < this.#minutes[first]) first = slot;
      if (last < 0 || minute > this.#minutes[last]) last = slot;
      if (this.#highs[slot] > high) high = this.#highs[slot];
      if (this.#lows[slot] < low) low = this.#lows[slot];
      volumeLots = addLots(volumeLots, this.#volumes[slot]);
      if (cost + this.#costs[slot] <= Number.MAX_SAFE_INTEGER) cost += this.#costs[slot];
      else largeCost += BigInt(this.#costs[slot]);
      if (this.#largeCosts[slot] !== 0n) largeCost += this.#largeCosts[slot];
    }
    const trades: Candle | null =
      first < 0
        ? null
        : {
            startMs: from * MINUTE_MS,
            openTicks: this.#opens[first],
            highTicks: high,
            lowTicks: low,
            closeTicks: this.#closes[last],
            volumeLots,
            cost: largeCost + BigInt(cost),
          };
    return { beforeTicks: before < 0 ? null : beforeTicks, trades };
  }

  #candle(slot: number): Candle {
    return {
      startMs: this.#minutes[slot] * MINUTE_MS,
      openTicks: this.#opens[slot],
      highTicks: this.#highs[slot],
      lowTicks: this.#lows[slot],
      closeTicks: this.#closes[slot],
      volumeLots: this.#volumes[slot],
      cost: this.#costOf(slot),
    };
  }
  #costOf(slot: number): bigint {
    return this.#largeCosts[slot] + BigInt(this.#costs[slot]);
  }
}
