/**
 * The one-minute candles of a market in the last 1,500 minutes, in typed columns. A minute has its slot by its number,
 * so nothing is searched or moved. A slot may still hold an older minute, which then no longer counts.
 *
 * Cost of a trade: one slot. Cost of a summary: a pass over all slots, a few microseconds.
 */
import { addLots, type Candle } from './candles.ts';
import { MINUTE_MS } from './resolution.ts';

/** A day, and the minutes before it that show what it began with. */
export const RING_MINUTES = 1500;
/**
 * A sum of costs (ticks × lots) needs more digits than a double has. It is held in two doubles: a number of these, and
 * the rest.
 */
const HIGH = 2 ** 32;

/** The trades of a stretch of time. */
export interface Summary {
  /** The price of the last trade before it. Null: there was none. */
  readonly beforeTicks: number | null;
  /** Its trades as one candle. Null: there was none. */
  readonly trades: Candle | null;
}

export class MinuteRing {
  /** The number of each slot's minute. −1: it is empty. */
  readonly #minutes = new Float64Array(RING_MINUTES).fill(-1);
  readonly #opens = new Float64Array(RING_MINUTES);
  readonly #highs = new Float64Array(RING_MINUTES);
  readonly #lows = new Float64Array(RING_MINUTES);
  readonly #closes = new Float64Array(RING_MINUTES);
  readonly #volumes = new Float64Array(RING_MINUTES);
  readonly #costsHigh = new Float64Array(RING_MINUTES);
  readonly #costsLow = new Float64Array(RING_MINUTES);
  /** The latest minute that another has taken the slot of, and its close. −1: there is none. */
  #lostMinute = -1;
  #lostClose = 0;

  add(timeMs: number, priceTicks: number, sizeLots: number): void {
    const minute = Math.floor(timeMs / MINUTE_MS);
    const slot = this.#slotOf(minute, priceTicks);
    const cost = priceTicks * sizeLots;
    const high = Math.floor(cost / HIGH);
    if (priceTicks > this.#highs[slot]) this.#highs[slot] = priceTicks;
    if (priceTicks < this.#lows[slot]) this.#lows[slot] = priceTicks;
    this.#closes[slot] = priceTicks;
    this.#volumes[slot] = addLots(this.#volumes[slot], sizeLots);
    this.#costsHigh[slot] += high;
    this.#costsLow[slot] += cost - high * HIGH;
  }

  /** Puts a whole minute in. It is not older than those that are here. */
  put({ startMs, openTicks, highTicks, lowTicks, closeTicks, volumeLots, cost }: Candle): void {
    const slot = this.#slotOf(startMs / MINUTE_MS, openTicks);
    this.#highs[slot] = highTicks;
    this.#lows[slot] = lowTicks;
    this.#closes[slot] = closeTicks;
    this.#volumes[slot] = volumeLots;
    const high = cost / BigInt(HIGH);
    this.#costsHigh[slot] = Number(high);
    this.#costsLow[slot] = Number(cost - high * BigInt(HIGH));
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
    this.#costsHigh[slot] = 0;
    this.#costsLow[slot] = 0;
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
    let [volumeLots, costHigh, costLow] = [0, 0, 0];
    for (let slot = 0; slot < RING_MINUTES; slot += 1) {
      const minute = this.#minutes[slot];
      if (minute < from) {
        if (minute > before) [before, beforeTicks] = [minute, this.#closes[slot]];
        continue;
      }
      if (first < 0 || minute < this.#minutes[first]) first = slot;
      if (last < 0 || minute > this.#minutes[last]) last = slot;
      if (this.#highs[slot] > high) high = this.#highs[slot];
      if (this.#lows[slot] < low) low = this.#lows[slot];
      volumeLots = addLots(volumeLots, this.#volumes[slot]);
      costHigh += this.#costsHigh[slot];
      costLow += this.#costsLow[slot];
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
            cost: costOf(costHigh, costLow),
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
      cost: costOf(this.#costsHigh[slot], this.#costsLow[slot]),
    };
  }
}

function costOf(high: number, low: number): bigint {
  return BigInt(high) * BigInt(HIGH) + BigInt(low);
}
