/**
 * Derived, not saved: the positions of one market and side in the order in which auto-deleveraging closes them
 * (liquidation/deleveraging-queue.ts). It is kept from one question to the next.
 */

import type { Account } from './ledger.ts';
import type { Position } from './position.ts';

export interface Queued {
  readonly account: Account;
  readonly position: Position;
  /** The lots that it can be closed for: all of it, but for a leg of a pair only its excess over the other leg. */
  readonly lots: number;
  /** Value of those lots / equity, in millionths. 0 without equity. */
  readonly rank: bigint;
}

export class DeleveragingRanks {
  /** Null: nobody has asked since the last mark. */
  #queue: Queued[] | null = null;
  /** The count of valuations (venue-state.ts) that the queue belongs to. */
  #valuation = 0;
  readonly #byAccount = new Map<number, readonly Queued[]>();
  /** Accounts whose positions or money have changed since they were ranked. */
  readonly #changed = new Set<number>();

  /** Something changes that the ranks of the account depend on, other than a mark. */
  note(account: number): void {
    if (this.#queue !== null) this.#changed.add(account);
  }

  /** Whether the queue can be brought up to date account by account. */
  isCurrent(valuation: number): boolean {
    return this.#queue !== null && this.#valuation === valuation;
  }

  /** The queue, highest rank first, then by account and position. `rank` is called for those that must be ranked again. */
  queue(
    valuation: number,
    holders: readonly number[],
    rank: (account: number) => readonly Queued[],
  ): readonly Queued[] {
    if (this.#queue !== null && this.#valuation === valuation) return this.#updated(this.#queue, rank);
    this.#byAccount.clear();
    this.#changed.clear();
    const queue: Queued[] = [];
    for (const account of holders) queue.push(...this.#remembered(account, rank));
    this.#queue = sortedQueue(queue);
    this.#valuation = valuation;
    return this.#queue;
  }

  #updated(queue: Queued[], rank: (account: number) => readonly Queued[]): readonly Queued[] {
    for (const account of this.#changed) {
      for (const before of this.#byAccount.get(account) ?? []) queue.splice(placeOf(queue, before), 1);
      this.#byAccount.delete(account);
      for (const now of this.#remembered(account, rank)) queue.splice(placeOf(queue, now), 0, now);
    }
    this.#changed.clear();
    return queue;
  }

  #remembered(account: number, rank: (account: number) => readonly Queued[]): readonly Queued[] {
    const ranked = rank(account);
    if (ranked.length > 0) this.#byAccount.set(account, ranked);
    return ranked;
  }
}

/** Sorts the entries in place. */
export function sortedQueue(entries: Queued[]): Queued[] {
  return entries.sort(compare);
}

function compare(a: Queued, b: Queued): number {
  if (a.rank !== b.rank) return a.rank > b.rank ? -1 : 1;
  return a.account.index - b.account.index || a.position.id - b.position.id;
}

/** Where an entry is in a sorted queue, or would be. */
export function placeOf(queue: readonly Queued[], entry: Queued): number {
  let [from, to] = [0, queue.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compare(queue[middle], entry) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}
