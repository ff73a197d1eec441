/**
 * The rules of a recorded book, whatever its format: nothing counts before the first snapshot, and a snapshot after updates means
 * that updates were lost: the book from the last good message to the snapshot is unknown, which is a gap.
 */
import type { Level, MarketEvent } from '../events.ts';
import type { Reading } from './format.ts';

export class BookRows {
  readonly #reading: Reading;
  #state: 'unknown' | 'snapshot' | 'live' = 'unknown';
  /** When the book was last known, if it was. */
  #knownUs: number | undefined;
  #lastUs = 0;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  get lastWasSnapshot(): boolean {
    return this.#state === 'snapshot';
  }

  snapshot(atUs: number, bids: readonly Level[], asks: readonly Level[], out: MarketEvent[]): void {
    if (this.#knownUs !== undefined && this.#state !== 'snapshot') {
      out.push({ kind: 'gap', atUs: this.#knownUs, untilUs: atUs });
    }
    out.push({ kind: 'snapshot', atUs, bids: bids.filter(rests), asks: asks.filter(rests) });
    this.#state = 'snapshot';
    this.#knownUs = atUs;
    this.#lastUs = atUs;
  }

  /** The rest of a snapshot that comes in several messages. */
  more(atUs: number, bids: readonly Level[], asks: readonly Level[], out: MarketEvent[]): void {
    out.push({ kind: 'levels', atUs, bids, asks });
    this.#knownUs = atUs;
    this.#lastUs = atUs;
  }

  update(atUs: number, bids: readonly Level[], asks: readonly Level[], out: MarketEvent[]): void {
    this.#lastUs = atUs;
    if (this.#state === 'unknown') {
      this.#reading.beforeSnapshot += bids.length + asks.length;
      return;
    }
    this.more(atUs, bids, asks, out);
    this.#state = 'live';
  }

  /** Updates are missing: what follows says nothing until the next snapshot. */
  lost(): void {
    this.#state = 'unknown';
  }

  /** A gap that no snapshot ended lasts to the end of the file. */
  end(out: MarketEvent[]): void {
    if (this.#knownUs === undefined || this.#state !== 'unknown') return;
    out.push({ kind: 'gap', atUs: this.#knownUs, untilUs: Math.max(this.#knownUs, this.#lastUs) });
  }
}

function rests([, size]: Level): boolean {
  return size !== '0';
}
