/** The rows of an account in a table that numbers them: its trades, its movements. */
import type { ArchiveStore } from '../store/store.ts';
import { numberedRows } from '../store/stretches.ts';
import type { Row } from '../store/tables.ts';
import { timelineAt } from '../store/timeline.ts';

/** Which rows, and in which order. */
export interface OwnQuery {
  /** The account's name. */
  readonly account: string;
  /** Epoch ms, both included. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The smallest and the largest `n`. Absent: any. */
  readonly fromN?: number;
  readonly toN?: number;
  /** As it was after this command, in whatever branch. Absent: all of the present branch. */
  readonly toSeq?: number;
  readonly oldestFirst: boolean;
}

/** @throws {ArchiveDamaged} */
export function* ownRows(store: ArchiveStore, table: 'trades' | 'moves', query: OwnQuery): Generator<Row> {
  const numbers = store.accounts.get(query.account);
  if (numbers === undefined) return;
  const { fromMs, toMs, fromN = 0, toN = Number.POSITIVE_INFINITY, toSeq, oldestFirst } = query;
  const bounds = [
    ['timeMs', fromMs, toMs],
    ['n', fromN, toN],
  ] as const;
  const asked = { table, key: [numbers.account], rows: numbers[table], bounds, oldestFirst };
  yield* numberedRows(store, asked, toSeq === undefined ? undefined : timelineAt(store.state, toSeq));
}
