/**
 * Rows of a table that numbers them without a gap below its other key columns: the trades of an account, the trades of
 * a market.
 *
 * Rows of a branch that a reset or a return to a snapshot has left do not count.
 *
 * Invariant: no row is omitted because the file is damaged. Those in the requested ranges are found by bisection, and
 * read one by one.
 */
import type { ArchiveStore } from './store.ts';
import { columnsOf, type Row, type TableName, type Value } from './tables.ts';
import type { Timeline } from './timeline.ts';

/** A column that never goes back within a part of the timeline, and the values that are asked for, both included. */
export type Bounds = readonly [column: string, least: number, most: number];

export interface NumberedQuery {
  readonly table: TableName;
  /** The key columns before the number. */
  readonly key: readonly Value[];
  /** How many rows there are. */
  readonly rows: number;
  readonly bounds: readonly Bounds[];
  readonly oldestFirst: boolean;
}

/** `timeline`: the present one by default. @throws {ArchiveDamaged} */
export function* numberedRows(
  store: ArchiveStore,
  query: NumberedQuery,
  timeline: Timeline = store.state.lineage,
): Generator<Row> {
  const stretches = stretchesOf(store, query, timeline);
  for (const [first, last] of query.oldestFirst ? stretches : stretches.toReversed()) {
    yield* store.numbered(query.table, [...query.key], first, last, !query.oldestFirst);
  }
}

/** The numbers of the rows in the bounds, oldest first, as one range for each part of the timeline. */
function stretchesOf(
  store: ArchiveStore,
  { table, key, rows, bounds }: NumberedQuery,
  timeline: Timeline,
): [first: number, last: number][] {
  /** The first of low…high whose column is at least `least`. high + 1 if there is none. */
  const firstAt = (low: number, high: number, column: string, least: number): number => {
    const place = columnsOf(table).indexOf(column);
    let [begin, end] = [low, high + 1];
    while (begin < end) {
      const middle = Math.floor((begin + end) / 2);
      if ((store.known(table, ...key, middle)[place] as number) >= least) end = middle;
      else begin = middle + 1;
    }
    return begin;
  };
  return timeline
    .map(([from, to]): [number, number] => {
      const parts: readonly Bounds[] = [['seq', from, to ?? Number.POSITIVE_INFINITY], ...bounds];
      let [first, last] = [1, rows];
      for (const [column, least, most] of parts) {
        if (least > 0) first = firstAt(first, last, column, least);
        if (most < Number.POSITIVE_INFINITY) last = firstAt(first, last, column, most + 1) - 1;
      }
      return [first, last];
    })
    .filter(([first, last]) => first <= last);
}
