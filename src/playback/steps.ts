/**
 * Events of a recording as steps of the venue's command (market-steps.ts): exact decimals become ticks and lots, quotes
 * become books of one level, and the index follows the book if the recording has none.
 *
 * Cost: O(1) an event, and once a second of the recording a look at all levels.
 */
import type { Level, MarketEvent } from '../recorded/events.ts';
import { FUNDING, GAP, LEVELS, REFERENCES, SNAPSHOT, TRADE } from '../venue/contract/market-steps.ts';
import { FINE } from '../venue/contract/units.ts';
import { Grid, OffGrid, type Rounding } from './grid.ts';

/** FINE as decimals. */
const FINE_PLACES = 3;
/** What funding rates are counted in. */
const PART = '0.00000001';
/** How often the middle of the book is computed. */
const LOOK_EVERY_US = 1e6;
/** The played levels move when the middle has come this part of their depth nearer to their end. */
const MOVE_AFTER = 0.25;

export interface StepOptions {
  readonly tick: string;
  readonly step: string;
  readonly maxPriceTicks: number;
  /** Round what is off the grid, instead of refusing it. */
  readonly fit: boolean;
  /** How far from the middle of the book levels are played, as a fraction. Null: all of them. */
  readonly depth: number | null;
  /** Recorded funding rates replace the venue's own. */
  readonly recordedFunding: boolean;
}

export class StepMaker {
  readonly #options: StepOptions;
  readonly #ticks: Grid;
  readonly #fine: Grid;
  readonly #lots: Grid;
  readonly #rates = new Grid(PART);
  /** The last recorded funding rate, in parts. */
  #rate: number | undefined;
  /** The recorded book: ticks to lots. */
  readonly #bids = new Map<number, number>();
  readonly #asks = new Map<number, number>();
  #lookedAtUs = Number.NEGATIVE_INFINITY;
  #lastTicks = 0;
  #lastTakerBought = true;
  /** The recording has an index: it need not follow the book. */
  #hasIndex = false;
  /** There was a gap, and no snapshot since. */
  #isUnknown = false;
  /** The levels that are played, in ticks, both included. */
  #low = 0;
  #high = Number.POSITIVE_INFINITY;

  constructor(options: StepOptions) {
    this.#options = options;
    this.#ticks = new Grid(options.tick);
    this.#fine = new Grid(options.tick, FINE_PLACES);
    this.#lots = new Grid(options.step);
  }

  /** Adds the steps of an event. @throws {OffGrid} */
  add(event: MarketEvent, steps: number[]): void {
    switch (event.kind) {
      case 'snapshot':
        this.#snapshot(event.bids, event.asks, steps);
        break;
      case 'levels':
        this.#levels(event.bids, event.asks, steps);
        break;
      case 'quote':
        this.#snapshot(event.bid ? [event.bid] : [], event.ask ? [event.ask] : [], steps);
        break;
      case 'trade': {
        const side = event.side === 'unknown' ? this.#guessedSide(event.price) : event.side;
        const ticks = this.#price(event.price, side === 'buy' ? 'up' : 'down');
        const lots = this.#size(event.size);
        if (ticks > 0 && lots > 0) steps.push(TRADE, side === 'buy' ? ticks : -ticks, lots);
        this.#lastTicks = ticks;
        this.#lastTakerBought = side === 'buy';
        break;
      }
      case 'reference': {
        const index = event.index === undefined ? 0 : this.#fine.rounded(event.index, 'down');
        const mark = event.mark === undefined ? 0 : this.#fine.rounded(event.mark, 'down');
        if (index > 0) this.#hasIndex = true;
        if (index > 0 || mark > 0) steps.push(REFERENCES, index, mark);
        if (this.#options.recordedFunding && event.fundingRate !== undefined) this.#funding(event.fundingRate, steps);
        break;
      }
      case 'gap':
        this.#bids.clear();
        this.#asks.clear();
        this.#isUnknown = true;
        steps.push(GAP);
        break;
      case 'candle':
        throw new RangeError('CandleMaker plays candles');
      default:
        event satisfies never;
    }
    if (event.atUs - this.#lookedAtUs >= LOOK_EVERY_US && !this.#isUnknown) this.#look(event.atUs, steps);
  }

  /** Said once, until it changes. What is finer than a part is cut. */
  #funding(text: string, steps: number[]): void {
    const isNegative = text.startsWith('-');
    const parts = this.#rates.rounded(isNegative ? text.slice(1) : text, 'down');
    const rate = isNegative && parts !== 0 ? -parts : parts;
    if (rate === this.#rate) return;
    this.#rate = rate;
    steps.push(FUNDING, rate);
  }

  #snapshot(bids: readonly Level[], asks: readonly Level[], steps: number[]): void {
    this.#bids.clear();
    this.#asks.clear();
    this.#isUnknown = false;
    for (const [price, size] of bids) this.#record(this.#bids, this.#price(price, 'down'), this.#size(size));
    for (const [price, size] of asks) this.#record(this.#asks, this.#price(price, 'up'), this.#size(size));
    this.#moveWindow(this.#middle());
    steps.push(SNAPSHOT, 0);
    const count = steps.length - 1;
    for (const [ticks, lots] of this.#bids) if (this.#isPlayed(ticks)) steps.push(ticks, lots);
    for (const [ticks, lots] of this.#asks) if (this.#isPlayed(ticks)) steps.push(-ticks, lots);
    closeRows(steps, count);
  }

  #levels(bids: readonly Level[], asks: readonly Level[], steps: number[]): void {
    steps.push(LEVELS, 0);
    const count = steps.length - 1;
    for (const [price, size] of bids) this.#level(this.#bids, this.#price(price, 'down'), size, 1, steps);
    for (const [price, size] of asks) this.#level(this.#asks, this.#price(price, 'up'), size, -1, steps);
    closeRows(steps, count);
  }

  #level(levels: Map<number, number>, ticks: number, size: string, sign: number, steps: number[]): void {
    const lots = this.#size(size);
    if (ticks === 0) return;
    this.#record(levels, ticks, lots);
    if (this.#isPlayed(ticks)) steps.push(sign * ticks, lots);
  }

  #record(levels: Map<number, number>, ticks: number, lots: number): void {
    if (lots === 0 || ticks === 0) levels.delete(ticks);
    else levels.set(ticks, lots);
  }

  #isPlayed(ticks: number): boolean {
    return ticks >= this.#low && ticks <= this.#high;
  }

  /** Lets the played levels follow the middle of the book, and the index too if the recording has none. */
  #look(atUs: number, steps: number[]): void {
    const middle = this.#middle();
    const fine = Math.floor((middle === 0 ? this.#lastTicks : middle) * FINE);
    if (fine === 0) return;
    this.#lookedAtUs = atUs;
    if (!this.#hasIndex) steps.push(REFERENCES, fine, 0);
    if (middle !== 0) this.#followMiddle(middle, steps);
  }

  /** Half of the best bid and ask, in ticks. 0: a side is empty. */
  #middle(): number {
    const bid = best(this.#bids.keys(), (a, b) => a > b);
    const ask = best(this.#asks.keys(), (a, b) => a < b);
    return bid > 0 && ask > 0 ? (bid + ask) / 2 : 0;
  }

  #moveWindow(middle: number): void {
    const { depth } = this.#options;
    if (depth === null || middle === 0) return;
    this.#low = Math.floor(middle * (1 - depth));
    this.#high = Math.ceil(middle * (1 + depth));
  }

  /** Moves the played levels, and plays what enters and what leaves. */
  #followMiddle(middle: number, steps: number[]): void {
    const { depth } = this.#options;
    if (depth === null) return;
    const [low, high] = [this.#low, this.#high];
    const off = Math.abs(middle - (low + high) / 2);
    if (Number.isFinite(high) && off <= middle * depth * MOVE_AFTER) return;
    this.#moveWindow(middle);
    const before = (ticks: number) => ticks >= low && ticks <= high;
    steps.push(LEVELS, 0);
    const count = steps.length - 1;
    for (const [levels, sign] of [
      [this.#bids, 1],
      [this.#asks, -1],
    ] as const) {
      for (const [ticks, lots] of levels) {
        if (this.#isPlayed(ticks) !== before(ticks)) steps.push(sign * ticks, before(ticks) ? 0 : lots);
      }
    }
    closeRows(steps, count);
  }

  /** For an exchange that does not say it: at a higher price than before somebody bought, at a lower one sold. */
  #guessedSide(price: string): 'buy' | 'sell' {
    const ticks = this.#price(price, 'down');
    const bought = ticks === this.#lastTicks ? this.#lastTakerBought : ticks > this.#lastTicks;
    return bought ? 'buy' : 'sell';
  }

  #price(text: string, rounding: Rounding): number {
    const ticks = this.#options.fit ? this.#ticks.rounded(text, rounding) : this.#ticks.exact(text);
    if (Number.isNaN(ticks)) throw new OffGrid(`the price ${text} is not on the tick ${this.#options.tick}`);
    if (ticks > this.#options.maxPriceTicks) throw new OffGrid(`the price ${text} is above the market's highest`);
    return ticks;
  }

  #size(text: string): number {
    const lots = this.#options.fit ? this.#lots.rounded(text, 'down') : this.#lots.exact(text);
    if (Number.isNaN(lots)) throw new OffGrid(`the size ${text} is not on the step ${this.#options.step}`);
    return lots;
  }
}

function best(keys: Iterable<number>, isBetter: (a: number, b: number) => boolean): number {
  let found = 0;
  for (const key of keys) if (found === 0 || isBetter(key, found)) found = key;
  return found;
}

/** Writes how many rows follow their count. */
function closeRows(steps: number[], count: number): void {
  steps[count] = (steps.length - count - 1) / 2;
}
