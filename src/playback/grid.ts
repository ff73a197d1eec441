/**
 * Decimals of a recording as whole ticks and lots of the market that plays it. Nothing is rounded unless the start says so.
 */
import { parseDecimal } from '../venue/contract/decimal.ts';

export type Rounding = 'down' | 'up';

const ZERO = 48;
const POINT = 46;

/** A value that is not on the grid. */
export class OffGrid extends Error {
  override readonly name = 'OffGrid';
}

/** Steps of one size: a market's tick, or its step of size. */
export class Grid {
  readonly step: string;
  readonly #scale: number;
  /** The step in units of 10^-scale. */
  readonly #units: number;

  /** `places`: how many decimals finer than the step. */
  constructor(step: string, places = 0) {
    const parsed = parseDecimal(step);
    if (typeof parsed === 'string') throw new RangeError(`${step} is not a step: ${parsed}`);
    this.step = step;
    this.#scale = parsed.scale + places;
    this.#units = Number(parsed.coefficient);
  }

  /** Whole steps. `text`: plain digits, as readers of recordings give them. NaN: it is between two steps. */
  exact(text: string): number {
    let value = 0;
    let places = -1;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === POINT) {
        places = 0;
        continue;
      }
      if (places === this.#scale) return code === ZERO ? this.#restIsZero(text, i, value) : Number.NaN;
      value = value * 10 + (code - ZERO);
      if (places >= 0) places++;
    }
    for (let place = Math.max(places, 0); place < this.#scale; place++) value *= 10;
    return this.#stepsOf(value);
  }

  /** The nearest step in one direction. */
  rounded(text: string, rounding: Rounding): number {
    const exact = this.exact(text);
    if (!Number.isNaN(exact)) return exact;
    const parsed = parseDecimal(text);
    if (typeof parsed === 'string') throw new OffGrid(`${text} is ${parsed}`);
    const whole = BigInt(this.#units) * 10n ** BigInt(Math.max(0, parsed.scale - this.#scale));
    const value = parsed.coefficient * 10n ** BigInt(Math.max(0, this.#scale - parsed.scale));
    return Number(value / whole) + (rounding === 'up' ? 1 : 0);
  }

  #restIsZero(text: string, from: number, value: number): number {
    for (let i = from; i < text.length; i++) if (text.charCodeAt(i) !== ZERO) return Number.NaN;
    return this.#stepsOf(value);
  }

  #stepsOf(units: number): number {
    const steps = units / this.#units;
    return Number.isSafeInteger(units) && Number.isInteger(steps) ? steps : Number.NaN;
  }
}
