/** The rows of an account in a table that numbers them: its trades, its movements. */
import type { ArchiveStore } from '../store/store.ts';
import { numberedRows } from '../store/stretches.ts';
import type { Row } from '../store/tables.ts';

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

/** @throws {ArchiveDamaged} */
export function* ownRows(store: ArchiveStore, table: 'trades' | 'moves', query: OwnQuery): Generator<Row> {
  const numbers = store.accounts.get(query.account);
  if (numbers === undefined) return;
  const { fromMs, toMs, fromN = 0, oldestFirst } = query;
  yield* numberedRows(store, {
    table,
    key: [numbers.account],
    rows: numbers[table],
    bounds: [
      ['timeMs', fromMs, toMs],
      ['n', fromN, Number.POSITIVE_INFINITY],
    ],
    oldestFirst,
  });
}
