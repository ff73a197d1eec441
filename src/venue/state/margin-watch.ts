/**
 * Which accounts with a position in one market must be judged at the next check of its margins (liquidation.ts).
 *
 * An account with a position there is in one of two places. Either it is watched: it has a band of marks within which
 * it is surely safe (safe-bands.ts), and nothing else that its margin depends on has changed. Or it is unjudged. A
 * change of its money, of its positions or of its settings makes it unjudged, and so does a mark outside its band. So a
 * check costs what changed, and not what exists.
 *
 * All of this is derived. It is not saved: after loading, everybody is unjudged.
 *
 * A pass visits the unjudged accounts in ascending order of their numbers, as if it went over all accounts with a
 * position. Accounts that become unjudged during the pass are visited if it has not come past them. An account that
 * opens its first position in the market during the pass is left to the next one.
 */

import * as units from '../contract/units.ts';
import { PriceBands } from '../structures/price-bands.ts';
import type { MarketPositions } from './market-positions.ts';

const { NONE } = units;

/** A pass that is under way. Accounts are numbers. */
interface Pass {
  /** The accounts that were unjudged when it began, ascending. `at`: the place of the next one. */
  readonly queue: readonly number[];
  at: number;
  /** Accounts that have become unjudged during the pass and are still to be visited, ascending. */
  readonly late: number[];
  /** The account that was visited last, or NONE. */
  last: number;
  /** Accounts without a position when the pass began that have one now. */
  readonly opened: Set<number>;
  /** Accounts with a position when the pass began that have none now, or had none in between. */
  readonly closed: Set<number>;
}

export class MarginWatch {
  readonly #bands = new PriceBands();
  readonly #unjudged = new Set<number>();
  #pass: Pass | null = null;

  /** The account has opened its first position in the market. */
  open(account: number): void {
    const pass = this.#pass;
    if (pass !== null && !pass.closed.has(account)) pass.opened.add(account);
    this.#unjudge(account);
  }

  /** The account has closed its last position in the market. */
  close(account: number, positions: MarketPositions): void {
    this.#dropBand(positions);
    this.#unjudged.delete(account);
    const pass = this.#pass;
    if (pass !== null && !pass.opened.delete(account)) pass.closed.add(account);
  }

  /** Watches an account that is safe at all marks from `low` to `high`, fine. */
  watch(account: number, positions: MarketPositions, low: number, high: number): void {
    this.#dropBand(positions);
    positions.band = this.#bands.add(account, low, high);
    this.#unjudged.delete(account);
  }

  /** What the margin of a watched account depends on changes: it becomes unjudged. */
  wake(account: number, positions: MarketPositions): void {
    if (positions.band === NONE) return;
    this.#dropBand(positions);
    this.#unjudge(account);
  }

  /** The number of a watched account whose band does not hold the mark, or NONE. */
  outside(mark: number): number {
    return this.#bands.outside(mark);
  }

  /** Whether an account is watched, and its band holds the mark. */
  holds(positions: MarketPositions, mark: number): boolean {
    return positions.band !== NONE && this.#bands.holds(positions.band, mark);
  }

  beginPass(): void {
    const queue = [...this.#unjudged].sort((a, b) => a - b);
    this.#pass = { queue, at: 0, late: [], last: NONE, opened: new Set(), closed: new Set() };
  }

  /** The number of the next account to judge, or NONE. */
  next(): number {
    const pass = this.#pass as Pass;
    const { queue, late, opened } = pass;
    while (pass.at < queue.length || late.length > 0) {
      const isLate = pass.at === queue.length || (late.length > 0 && late[0] < queue[pass.at]);
      const account = isLate ? (late.shift() as number) : queue[pass.at++];
      if (account <= pass.last || opened.has(account) || !this.#unjudged.has(account)) continue;
      pass.last = account;
      return account;
    }
    return NONE;
  }

  endPass(): void {
    this.#pass = null;
  }

  #unjudge(account: number): void {
    this.#unjudged.add(account);
    const pass = this.#pass;
    if (pass === null || account <= pass.last) return;
    const at = pass.late.findIndex((other) => other >= account);
    pass.late.splice(at < 0 ? pass.late.length : at, 0, account);
  }

  #dropBand(positions: MarketPositions): void {
    if (positions.band === NONE) return;
    this.#bands.remove(positions.band);
    positions.band = NONE;
  }
}
