/**
 * Converts an archive of the previous layout (format 9) to the present one, in one short transaction. Its rows are the same,
 * but it kept only the last terms of a market, and forgot orders by a time that a reset turned back.
 */
import { DatabaseSync } from 'node:sqlite';
import { ArchiveDamaged, guarded } from './errors.ts';
import { FORMAT, insertOfState, PREVIOUS_FORMAT, savedState, writeState } from './state.ts';
import { createTableSql, hasFormat } from './store.ts';

/** True: the file is an archive of the previous layout. */
export function isPrevious(path: string): boolean {
  return hasFormat(path, PREVIOUS_FORMAT);
}

/**
 * `canRebuild`: the log can give everything that the archive has. Then one with a reset or a restored state in its history is
 * refused, because it may have entries of the ledger with the terms of a later market.
 * @throws {ArchiveDamaged} @throws {ArchiveUnavailable}
 */
export function* convertPrevious(path: string, canRebuild: boolean): Generator<number> {
  guarded(() => {
    const database = new DatabaseSync(path);
    try {
      const state = savedState(database);
      if (state?.format !== PREVIOUS_FORMAT) throw new ArchiveDamaged('it is no archive of the previous layout');
      if (canRebuild && state.lineage.length > 1) {
        throw new ArchiveDamaged(
          'its layout does not say which terms a market had before a reset or a restored snapshot',
        );
      }
      database.exec('BEGIN IMMEDIATE');
      database.exec(createTableSql('former_terms'));
      // The next transaction sets `forgottenMs`.
      const added = { format: FORMAT, former_terms: 0, setBackMs: 0, forgottenMs: -1 };
      writeState(insertOfState(database), { ...state, ...added });
      database.exec('COMMIT');
    } finally {
      database.close();
    }
  });
  yield 1;
}
