/**
 * Events of a recording as steps of the venue's command (market-steps.ts): exact decimals become ticks and lots, quotes
 * become books of one level, and the index follows the book if the recording has none.
 *
 * Cost: O(1) an event, and once a second of the recording a look at all levels.
 */
import type { Level, MarketEvent } from '../recorded/events.ts';
import { GAP, LEVELS, REFERENCES, SNAPSHOT, TRADE } from '../venue/contract/market-steps.ts';
import { FINE } from '../venue/contract/units.ts';
import { Grid, OffGrid, type Rounding } from './grid.ts';

/** FINE as decimals. */
const FINE_PLACES = 3;
/** The index follows the book at most this often. */
const INDEX_EVERY_US = 1e6;

export interface StepOptions {
  readonly tick: string;
  readonly step: string;
  readonly maxPriceTicks: number;
  /** Round what is off the grid, instead of refusing it. */
  readonly fit: boolean;
  /** The recording has a series of index prices. */
  readonly hasIndex: boolean;
}

export class StepMaker {
  readonly #options: StepOptions;
  readonly #ticks: Grid;
  readonly #fine: Grid;
  readonly #lots: Grid;
  /** The recorded book: ticks to lots. */
  readonly #bids = new Map<number, number>();
  readonly #asks = new Map<number, number>();
  #indexAtUs = Number.NEGATIVE_INFINITY;
  #lastTicks = 0;
  #lastTakerBought = true;

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
        this.#bids.clear();
        this.#asks.clear();
        this.#book(SNAPSHOT, event.bids, event.asks, steps);
        break;
      case 'levels':
        this.#book(LEVELS, event.bids, event.asks, steps);
        break;
      case 'quote':
        this.#bids.clear();
        this.#asks.clear();
        this.#book(SNAPSHOT, event.bid ? [event.bid] : [], event.ask ? [event.ask] : [], steps);
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
        if (index > 0 || mark > 0) steps.push(REFERENCES, index, mark);
        break;
      }
      case 'gap':
        this.#bids.clear();
        this.#asks.clear();
        steps.push(GAP);
        break;
      case 'candle':
        throw new RangeError('candles are made into trades and books before');
      default:
        event satisfies never;
    }
    if (!this.#options.hasIndex && event.kind !== 'gap') this.#follow(event.atUs, steps);
  }

  #book(kind: number, bids: readonly Level[], asks: readonly Level[], steps: number[]): void {
    steps.push(kind, 0);
    const count = steps.length - 1;
    for (const [price, size] of bids) this.#level(this.#bids, this.#price(price, 'down'), size, 1, steps);
    for (const [price, size] of asks) this.#level(this.#asks, this.#price(price, 'up'), size, -1, steps);
    steps[count] = (steps.length - count - 1) / 2;
  }

  #level(levels: Map<number, number>, ticks: number, size: string, sign: number, steps: number[]): void {
    const lots = this.#size(size);
    if (ticks === 0) return;
    if (lots === 0) levels.delete(ticks);
    else levels.set(ticks, lots);
    steps.push(sign * ticks, lots);
  }

  /** Without an index, it is the middle of the recorded book, or without a book the last trade. */
  #follow(atUs: number, steps: number[]): void {
    if (atUs - this.#indexAtUs < INDEX_EVERY_US) return;
    const bid = best(this.#bids.keys(), (a, b) => a > b);
    const ask = best(this.#asks.keys(), (a, b) => a < b);
    const fine = bid > 0 && ask > 0 ? Math.floor(((bid + ask) * FINE) / 2) : this.#lastTicks * FINE;
    if (fine === 0) return;
    this.#indexAtUs = atUs;
    steps.push(REFERENCES, fine, 0);
  }

  /** Where the exchange does not say: a higher price than before was bought, a lower one sold. */
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
