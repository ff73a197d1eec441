/**
 * The positions of one market and side in the order in which auto-deleveraging closes them, kept from one question to
 * the next. The ranks come from liquidation/deleveraging-queue.ts. All of this is derived, not saved.
 *
 * Cost: after a change of any mark, the next question ranks all positions. Until then, a question ranks only the accounts
 * that have changed.
 */

import * as units from '../contract/units.ts';
import type { Account } from './ledger.ts';
import type { Position } from './position.ts';

const { NONE } = units;

export interface Queued {
  readonly account: Account;
  readonly position: Position;
  /** The lots that it can be closed for: all of it, but for a leg of a pair only its excess over the other leg. */
  readonly lots: number;
  /** Value of those lots / equity, in millionths. 0 without equity. */
  readonly rank: bigint;
}

export class DeleveragingRanks {
  #queue: Queued[] = [];
  /** The count of valuations (margin-watches.ts) that the queue belongs to. NONE: nobody has asked yet. */
  #valuation = NONE;
  readonly #byAccount = new Map<number, readonly Queued[]>();
  /** Accounts whose positions or money have changed since they were ranked. */
  readonly #changed = new Set<number>();

  /** Something changes that the ranks of the account depend on, other than a mark. */
  note(account: number): void {
    if (this.#valuation !== NONE) this.#changed.add(account);
  }

  /** Whether no mark has changed since the last question, so that only changed accounts must be ranked again. */
  isCurrent(valuation: number): boolean {
    return this.#valuation === valuation;
  }

  /**
   * The queue, highest rank first, then by account and position. The next call may change the same array. `rank` is
   * called with the accounts that must be ranked again.
   */
  queue(
    valuation: number,
    holders: readonly number[],
    rank: (account: number) => readonly Queued[],
  ): readonly Queued[] {
    if (this.isCurrent(valuation)) this.#update(rank);
    else {
      this.#byAccount.clear();
      this.#queue = sortedQueue(holders.flatMap((account) => this.#remembered(account, rank)));
      this.#valuation = valuation;
    }
    this.#changed.clear();
    return this.#queue;
  }

  #update(rank: (account: number) => readonly Queued[]): void {
    const queue = this.#queue;
    for (const account of this.#changed) {
      for (const before of this.#byAccount.get(account) ?? []) queue.splice(placeOf(queue, before), 1);
      this.#byAccount.delete(account);
      for (const now of this.#remembered(account, rank)) queue.splice(placeOf(queue, now), 0, now);
    }
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
