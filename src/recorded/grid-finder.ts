/**
 * What the prices and sizes of a recording have in common: their steps, the highest price and the largest trade.
 * Cost: that of two StepFinders, and a comparison a price.
 */
import { compareDecimals, StepFinder } from './decimal.ts';
import type { Decimal, Level, MarketEvent } from './events.ts';

export class GridFinder {
  readonly #prices = new StepFinder();
  readonly #sizes = new StepFinder();
  #highest: Decimal = '0';
  #largestTrade: Decimal = '0';

  /** The largest step that all prices are multiples of. Undefined: there were none. */
  get priceStep(): Decimal | undefined {
    return this.#prices.step;
  }

  /** The largest step that all sizes are multiples of. Undefined: there were none. */
  get sizeStep(): Decimal | undefined {
    return this.#sizes.step;
  }

  get highest(): Decimal {
    return this.#highest;
  }

  /** Of trades, and of candles the volume. */
  get largestTrade(): Decimal {
    return this.#largestTrade;
  }

  add(event: MarketEvent): void {
    switch (event.kind) {
      case 'trade':
        this.#price(event.price);
        this.#traded(event.size);
        break;
      case 'snapshot':
      case 'levels':
        for (const level of event.bids) this.#level(level);
        for (const level of event.asks) this.#level(level);
        break;
      case 'quote':
        if (event.bid !== undefined) this.#level(event.bid);
        if (event.ask !== undefined) this.#level(event.ask);
        break;
      case 'candle':
        for (const price of [event.open, event.high, event.low, event.close]) this.#price(price);
        this.#traded(event.volume);
        break;
      case 'reference':
      case 'gap':
        break;
      default:
        event satisfies never;
    }
  }

  #level([price, size]: Level): void {
    this.#price(price);
    this.#sizes.add(size);
  }

  #price(price: Decimal): void {
    this.#prices.add(price);
    if (compareDecimals(price, this.#highest) > 0) this.#highest = price;
  }

  #traded(size: Decimal): void {
    this.#sizes.add(size);
    if (compareDecimals(size, this.#largestTrade) > 0) this.#largestTrade = size;
  }
}
