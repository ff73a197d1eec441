/**
 * The rows of an account in a table that numbers them without a gap: its trades, its movements.
 *
 * Rows of a branch that a reset or a return to a snapshot has left do not count.
 *
 * Invariant: no row is omitted because the file is damaged. Those in the requested range are found by bisection, and
 * read one by one.
 */
import type { ArchiveStore } from '../store/store.ts';
import { columnsOf, type Row } from '../store/tables.ts';

/** Which rows, and in which order. */
export interface OwnQuery {
  /** The account's name. */
  readonly account: string;
  /** Epoch ms, both included. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The smallest `n`. Absent: any. */
  readonly fromN?: number;
  readonly oldestFirst: boolean;
}

export function* ownRows(store: ArchiveStore, table: 'trades' | 'moves', query: OwnQuery): Generator<Row> {
  const numbers = store.accounts.get(query.account);
  if (numbers === undefined) return;
  const stretches = stretchesOf(store, table, numbers.account, numbers[table], query);
  for (const [first, last] of query.oldestFirst ? stretches : stretches.toReversed()) {
    yield* store.numbered(table, [numbers.account], first, last, !query.oldestFirst);
  }
}

/**
 * The numbers of the rows in the range, oldest first, as one range for each part of the timeline. Within a part, seqs
 * and times never go back. No part begins earlier than the end of the one before.
 */
function stretchesOf(
  store: ArchiveStore,
  table: 'trades' | 'moves',
  account: number,
  rows: number,
  { fromMs, toMs, fromN = 0 }: OwnQuery,
): [first: number, last: number][] {
  const column = (name: string) => columnsOf(table).indexOf(name);
  const [n, seq, time] = [column('n'), column('seq'), column('timeMs')];
  /** The first of low…high whose column is at least `least`. high + 1 if there is none. */
  const firstAt = (low: number, high: number, place: number, least: number): number => {
    let [begin, end] = [low, high + 1];
    while (begin < end) {
      const middle = Math.floor((begin + end) / 2);
      if ((store.known(table, account, middle)[place] as number) >= least) end = middle;
      else begin = middle + 1;
    }
    return begin;
  };
  return store.state.lineage
    .map(([from, to]): [number, number] => {
      const begin = firstAt(1, rows, seq, from);
      const end = to === null ? rows : firstAt(begin, rows, seq, to + 1) - 1;
      const first = Math.max(firstAt(begin, end, time, fromMs), firstAt(begin, end, n, fromN));
      return [first, firstAt(first, end, time, toMs + 1) - 1];
    })
    .filter(([first, last]) => first <= last);
}
