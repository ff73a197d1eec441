/**
 * The last trades of a market, in typed columns, newest last. Cost of a trade: five writes.
 */
import type { Side } from '../venue/contract/units.ts';

/** A trade as everyone sees it. */
export interface PublicTrade {
  /** Its number in its market. */
  readonly tradeId: number;
  readonly timeMs: number;
  readonly priceTicks: number;
  readonly sizeLots: number;
  readonly takerSide: Side;
}

export const RING_TRADES = 500;

export class TradeRing {
  readonly #ids = new Float64Array(RING_TRADES);
  readonly #times = new Float64Array(RING_TRADES);
  readonly #prices = new Float64Array(RING_TRADES);
  readonly #sizes = new Float64Array(RING_TRADES);
  readonly #sides = new Uint8Array(RING_TRADES);
  #added = 0;

  add(tradeId: number, timeMs: number, priceTicks: number, sizeLots: number, takerSide: Side): void {
    const slot = this.#added % RING_TRADES;
    this.#ids[slot] = tradeId;
    this.#times[slot] = timeMs;
    this.#prices[slot] = priceTicks;
    this.#sizes[slot] = sizeLots;
    this.#sides[slot] = takerSide;
    this.#added += 1;
  }

  get size(): number {
    return Math.min(this.#added, RING_TRADES);
  }

  /** The trade that is `back` places before the newest (0). `back` is below `size`. */
  fromNewest(back: number): PublicTrade {
    const slot = (this.#added - 1 - back) % RING_TRADES;
    return {
      tradeId: this.#ids[slot],
      timeMs: this.#times[slot],
      priceTicks: this.#prices[slot],
      sizeLots: this.#sizes[slot],
      takerSide: this.#sides[slot] as Side,
    };
  }
}
