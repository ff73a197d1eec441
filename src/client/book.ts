/**
 * A book from its stream: a snapshot, then deltas that are folded into it.
 *
 * - A delta is folded only if it follows the frame before. After a gap nothing is folded until the next snapshot.
 * - Levels keep the text in which they came: exact decimals.
 */
import type { BookUpdate } from './types.ts';

/** Price and size. */
export type Level = readonly [price: string, size: string];

/** The best 50 levels of each side. */
export interface OrderBook {
  readonly symbol: string;
  /** Best first. */
  readonly bids: readonly Level[];
  /** Best first. */
  readonly asks: readonly Level[];
  /** Of the last frame. */
  readonly seqNum: number;
  /** The venue's time, epoch ms. */
  readonly timestamp: number;
}

export class BookFolder {
  readonly #bids = new Map<string, string>();
  readonly #asks = new Map<string, string>();
  /** Null: the next snapshot has not come. */
  #seqNum: number | null = null;

  /** The book after this frame. `gap`: a frame is missing, subscribe again. Null: a snapshot is on its way. */
  fold({ type, bids, asks, seqNum, prevSeqNum, symbol, timestamp }: BookUpdate['data']): OrderBook | 'gap' | null {
    if (type === 'delta' && this.#seqNum === null) return null;
    if (type === 'delta' && prevSeqNum !== this.#seqNum) {
      this.#seqNum = null;
      return 'gap';
    }
    if (type === 'snapshot') {
      this.#bids.clear();
      this.#asks.clear();
    }
    this.#seqNum = seqNum;
    apply(this.#bids, bids);
    apply(this.#asks, asks);
    return {
      symbol,
      bids: [...this.#bids].sort(([a], [b]) => Number(b) - Number(a)),
      asks: [...this.#asks].sort(([a], [b]) => Number(a) - Number(b)),
      seqNum,
      timestamp,
    };
  }
}

function apply(side: Map<string, string>, levels: readonly Level[]): void {
  for (const [price, size] of levels) {
    if (size === '0') side.delete(price);
    else side.set(price, size);
  }
}
