/**
 * Candles of a recording as trades and books, whose candles are the same again: open, high, low, close and volume.
 *
 * The price goes from the open to the nearer extreme, to the farther one and to the close, in twelve steps of equal time. Where
 * it is between them follows from the seed and the time of the candle. A candle does not say which extreme came first, so this
 * is a guess, the same one each time.
 *
 * Each step trades, and shows a book around its price: ten levels a side, each of a tenth of the candle's volume.
 */
import type { CandleEvent } from '../recorded/events.ts';
import { REFERENCES, SNAPSHOT, TRADE } from '../venue/contract/market-steps.ts';
import { FINE } from '../venue/contract/units.ts';
import { Grid, OffGrid, type Rounding } from './grid.ts';

const STEPS = 12;
/** The steps that are at the open, at both extremes and at the close. */
const [OPEN, FIRST, SECOND, CLOSE] = [0, 4, 8, STEPS - 1];
const LEVELS_A_SIDE = 10;
const LEVEL_SHARE = 0.1;
/** Between the price and the first level, as a fraction: a basis point. The next ones are as far apart. */
const SPREAD = 0.0001;
/** How far a step may be off the straight way, as a share of the candle's height. */
const WANDER = 0.15;
const INDEX_EVERY_US = 1e6;

export interface CandleOptions {
  readonly tick: string;
  readonly step: string;
  readonly maxPriceTicks: number;
  readonly fit: boolean;
  readonly seed: number;
}

interface Bar {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly lots: number;
}

/** What is played at one moment. */
export interface TimedSteps {
  readonly atUs: number;
  readonly steps: number[];
}

export class CandleMaker {
  readonly #options: CandleOptions;
  readonly #ticks: Grid;
  readonly #lots: Grid;
  #lastTicks = 0;
  #buys = true;
  #indexAtUs = Number.NEGATIVE_INFINITY;

  constructor(options: CandleOptions) {
    this.#options = options;
    this.#ticks = new Grid(options.tick);
    this.#lots = new Grid(options.step);
  }

  /** A candle without volume has no trades, and shows its book. @throws {OffGrid} */
  *steps(candle: CandleEvent): Generator<TimedSteps> {
    const bar = this.#barOf(candle);
    const random = randomOf(this.#options.seed, candle.atUs);
    const sizes = sharesOf(bar.lots, neededOf(bar), random);
    const path = pathOf(bar, random);
    const stepUs = Math.floor((candle.closeUs - candle.atUs) / STEPS);
    for (let i = 0; i < STEPS; i++) {
      const steps: number[] = [];
      const atUs = candle.atUs + i * stepUs;
      const ticks = path[i];
      if (ticks !== this.#lastTicks) this.#buys = ticks > this.#lastTicks;
      this.#lastTicks = ticks;
      if (sizes[i] > 0) steps.push(TRADE, this.#buys ? ticks : -ticks, sizes[i]);
      this.#addBook(ticks, Math.max(1, Math.floor(bar.lots * LEVEL_SHARE)), steps);
      if (atUs - this.#indexAtUs >= INDEX_EVERY_US) {
        steps.push(REFERENCES, ticks * FINE, 0);
        this.#indexAtUs = atUs;
      }
      yield { atUs, steps };
    }
  }

  #addBook(ticks: number, lots: number, steps: number[]): void {
    const apart = Math.max(1, Math.round(ticks * SPREAD));
    steps.push(SNAPSHOT, 0);
    const count = steps.length - 1;
    for (let n = 1; n <= LEVELS_A_SIDE; n++) {
      const [bid, ask] = [ticks - n * apart, ticks + n * apart];
      if (bid > 0) steps.push(bid, lots);
      if (ask <= this.#options.maxPriceTicks) steps.push(-ask, lots);
    }
    steps[count] = (steps.length - count - 1) / 2;
  }

  #barOf({ open, high, low, close, volume }: CandleEvent): Bar {
    return {
      open: this.#on(this.#ticks, open, 'down'),
      high: this.#on(this.#ticks, high, 'down'),
      low: this.#on(this.#ticks, low, 'down'),
      close: this.#on(this.#ticks, close, 'down'),
      lots: this.#on(this.#lots, volume, 'down'),
    };
  }

  #on(grid: Grid, text: string, rounding: Rounding): number {
    const steps = this.#options.fit ? grid.rounded(text, rounding) : grid.exact(text);
    if (Number.isNaN(steps)) throw new OffGrid(`${text} is not a multiple of ${grid.step}, the step`);
    if (grid === this.#ticks && !(steps > 0 && steps <= this.#options.maxPriceTicks)) {
      throw new OffGrid(`the price ${text} is outside the range`);
    }
    return steps;
  }
}

/** From the open to the nearer extreme first. If both are as near: to the low, if the candle rose. */
function extremesOf({ open, high, low, close }: Bar): [first: number, second: number] {
  const [up, down] = [high - open, open - low];
  const lowFirst = down < up || (down === up && close >= open);
  return lowFirst ? [low, high] : [high, low];
}

function pathOf(bar: Bar, random: () => number): number[] {
  const [first, second] = extremesOf(bar);
  const fixed = new Map([
    [OPEN, bar.open],
    [FIRST, first],
    [SECOND, second],
    [CLOSE, bar.close],
  ]);
  const places = [OPEN, FIRST, SECOND, CLOSE];
  return Array.from({ length: STEPS }, (_, i) => {
    const known = fixed.get(i);
    if (known !== undefined) return known;
    const after = places.find((place) => place > i) as number;
    const before = places[places.indexOf(after) - 1];
    const [from, to] = [fixed.get(before) as number, fixed.get(after) as number];
    const straight = from + ((to - from) * (i - before)) / (after - before);
    const ticks = Math.round(straight + (random() - 0.5) * 2 * WANDER * (bar.high - bar.low));
    return Math.min(bar.high, Math.max(bar.low, ticks));
  });
}

/** The steps without which the candle would be another one, the most important first. */
function neededOf(bar: Bar): number[] {
  const [first, second] = extremesOf(bar);
  const needed = [CLOSE];
  if (bar.open !== bar.close) needed.push(OPEN);
  const seen = new Set([bar.open, bar.close]);
  for (const [place, ticks] of [
    [FIRST, first],
    [SECOND, second],
  ]) {
    if (seen.has(ticks)) continue;
    seen.add(ticks);
    needed.push(place);
  }
  return needed;
}

/** The lots of each step: at least one where it matters, the rest at random, and what rounding leaves at the close. */
function sharesOf(lots: number, needed: readonly number[], random: () => number): number[] {
  const sizes: number[] = new Array(STEPS).fill(0);
  let left = lots;
  for (const place of needed) {
    if (left === 0) return sizes;
    sizes[place] = 1;
    left -= 1;
  }
  const weights = sizes.map(() => 0.2 + random());
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const toShare = left;
  weights.forEach((weight, place) => {
    const share = Math.floor((toShare * weight) / whole);
    sizes[place] += share;
    left -= share;
  });
  sizes[CLOSE] += left;
  return sizes;
}

/** Numbers from 0 to 1 that follow from the seed and the time alone. */
function randomOf(seed: number, atUs: number): () => number {
  let state = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul(Math.floor(atUs / 1e6) | 0, 0x85ebca6b)) | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
