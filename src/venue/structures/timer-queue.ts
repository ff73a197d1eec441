/**
 * The queue of timers: a binary heap, ordered by due time, then by kind (funding, expiry, dead man's switch, TWAP,
 * liquidation, feed), then by age.
 * An item has at most one timer. It knows its place in the heap, so a cancelled timer is removed at once.
 */
import type { Due } from '../contract/due.ts';
import * as units from '../contract/units.ts';

const { NONE } = units;

/**
 * The kinds, as `timerRank`, in the order in which they happen when they are due at the same time (rule 3.2).
 */
export const TIMER_FUNDING = 0;
export const TIMER_EXPIRY = 1;
export const TIMER_DEAD_MAN = 2;
export const TIMER_ALGO = 3;
export const TIMER_LIQUIDATION = 4;
export const TIMER_FEED = 5;

/** Something that can be due: an order (its expiry, its TWAP step), or a timer of the venue itself. */
export interface Timed {
  /** Place in the queue. −1: nothing is due. */
  timer: number;
  /** Epoch ms. */
  dueMs: number;
  timerRank: number;
  /** Orders items of one kind by age. */
  readonly key: number;
}

const KIND_OF: { readonly [rank: number]: Due['kind'] } = {
  [TIMER_FUNDING]: 'minute',
  [TIMER_EXPIRY]: 'expiry',
  [TIMER_DEAD_MAN]: 'deadMan',
  [TIMER_ALGO]: 'algo',
  [TIMER_LIQUIDATION]: 'liquidation',
  [TIMER_FEED]: 'feed',
};

/** Identifies a timer in a log. */
export function dueOf({ timerRank, dueMs, key }: Timed): Due {
  return { kind: KIND_OF[timerRank], dueMs, key };
}

function before(a: Timed, b: Timed): boolean {
  if (a.dueMs !== b.dueMs) return a.dueMs < b.dueMs;
  if (a.timerRank !== b.timerRank) return a.timerRank < b.timerRank;
  return a.key < b.key;
}

export class Timers {
  readonly #heap: Timed[] = [];

  /** Epoch ms of the first due item. Infinity if there is none. */
  nextDueMs(): number {
    return this.#heap.length === 0 ? Number.POSITIVE_INFINITY : this.#heap[0].dueMs;
  }

  first(): Timed {
    return this.#heap[0];
  }

  /** The first `limit` items in the order in which they are due. Cost: limit × limit comparisons at most. */
  soonest(limit: number): Timed[] {
    const heap = this.#heap;
    const found: Timed[] = [];
    const next = heap.length === 0 ? [] : [0];
    while (next.length > 0 && found.length < limit) {
      let first = 0;
      for (let i = 1; i < next.length; i++) if (before(heap[next[i]], heap[next[first]])) first = i;
      const [at] = next.splice(first, 1);
      found.push(heap[at]);
      for (const child of [2 * at + 1, 2 * at + 2]) if (child < heap.length) next.push(child);
    }
    return found;
  }

  /** Sets the item's timer. It replaces an earlier one. */
  set(item: Timed, dueMs: number, rank: number): void {
    this.clear(item);
    item.dueMs = dueMs;
    item.timerRank = rank;
    this.#heap.push(item);
    this.#up(this.#heap.length - 1, item);
  }

  clear(item: Timed): void {
    const at = item.timer;
    if (at === NONE) return;
    item.timer = NONE;
    const last = this.#heap.pop() as Timed;
    if (at === this.#heap.length) return;
    this.#up(at, last);
    this.#down(last.timer, last);
  }

  #up(from: number, item: Timed): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(item, this.#heap[parent])) break;
      this.#put(at, this.#heap[parent]);
      at = parent;
    }
    this.#put(at, item);
  }

  #down(from: number, item: Timed): void {
    const size = this.#heap.length;
    let at = from;
    for (let child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && before(this.#heap[child + 1], this.#heap[child])) child++;
      if (!before(this.#heap[child], item)) break;
      this.#put(at, this.#heap[child]);
      at = child;
    }
    this.#put(at, item);
  }

  #put(at: number, item: Timed): void {
    this.#heap[at] = item;
    item.timer = at;
  }
}
