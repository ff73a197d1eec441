/**
 * What a market knows of the recording that it plays. The recorded book rests in the market's book as entries of the
 * house, between the orders of users. This is what the book itself does not say.
 *
 * A key is a price with a sign: the ticks of a bid, minus the ticks of an ask.
 *
 * Invariant, while the market is not halted: after each message about the book, the house has at every price
 * `target(key)`, except at prices in `touched`, where the record crosses itself.
 */
import type { PlayedMarket } from '../contract/commands.ts';
import type { Side } from '../contract/units.ts';
import * as units from '../contract/units.ts';

const { BUY, SELL } = units;

/** What users have taken from a level, and when that last happened. */
export interface Taken {
  lots: number;
  atMs: number;
}

export class Playback {
  declare readonly terms: PlayedMarket;
  /** How many events of the recording have been played, the recorded time of the last, and when that was here. */
  position = 0;
  recordedMs = 0;
  playedMs = 0;
  /** Recorded trades so far, and those that the recorded book could fill as it was. */
  trades = 0;
  tradesFit = 0;
  /** The recorded funding rate, parts. Null: the recording does not say it, or the venue's own counts. */
  fundingRate: number | null = null;
  /** The recorded book. */
  readonly recorded = new Map<number, number>();
  /** What users took, which comes back when the record speaks of the level, or after a time. */
  readonly taken = new Map<number, Taken>();
  /** Levels that recorded trades have changed: the next message sets them to the record again. */
  readonly touched = new Set<number>();
  /**
   * Lots by which the last message moved users forward. A trade that explains the change may come after the message, and
   * must not move them once more.
   */
  readonly ahead = new Map<number, number>();

  constructor(terms: PlayedMarket) {
    this.terms = terms;
  }

  /** What the house should have at that price. */
  target(key: number): number {
    const recorded = this.recorded.get(key) ?? 0;
    const taken = this.taken.size === 0 ? undefined : this.taken.get(key);
    return taken === undefined ? recorded : Math.max(0, recorded - taken.lots);
  }

  /** The record speaks of the level: whatever it says, users' takings there are over. */
  record(key: number, lots: number): void {
    if (lots === 0) this.recorded.delete(key);
    else this.recorded.set(key, lots);
    if (this.taken.size > 0) this.taken.delete(key);
  }

  take(key: number, lots: number, nowMs: number): void {
    const taken = this.taken.get(key);
    if (taken === undefined) this.taken.set(key, { lots, atMs: nowMs });
    else {
      taken.lots += lots;
      taken.atMs = nowMs;
    }
  }

  /** The book is unknown from here on. */
  forget(): void {
    for (const known of [this.recorded, this.taken, this.touched, this.ahead]) known.clear();
  }
}

export function keyOf(side: Side, ticks: number): number {
  return side === BUY ? ticks : -ticks;
}

export function sideOfKey(key: number): Side {
  return key > 0 ? BUY : SELL;
}
