/** What the archive of a folder shows about the log before a start: how far it reaches, and its venue. */
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Witness } from '../../engine/identity/loss.ts';
import { ARCHIVE_FILE } from '../../engine/identity/manifest.ts';
import type { LogPosition } from '../../log/contract/log-source.ts';
import { ArchiveDamaged, ArchiveUnavailable } from './errors.ts';
import { stateOfFile } from './store.ts';

/** Undefined if there is none, or none that can be read. The archive's thread deals with that. */
export function archiveWitness(folder: string): Witness | undefined {
  const path = join(folder, ARCHIVE_FILE);
  if (!existsSync(path)) return undefined;
  try {
    const state = stateOfFile(path);
    return state && { name: ARCHIVE_FILE, seq: state.seq, venueId: state.venueId };
  } catch (error) {
    if (error instanceof ArchiveDamaged || error instanceof ArchiveUnavailable) return undefined;
    throw error;
  }
}

/**
 * The record that the archive of a folder continues after. Null: it is empty. Undefined: there is no archive.
 * @throws {ArchiveDamaged} @throws {ArchiveUnavailable}
 */
export function archivedPosition(folder: string): LogPosition | null | undefined {
  const path = join(folder, ARCHIVE_FILE);
  if (!existsSync(path)) return undefined;
  try {
    return stateOfFile(path)?.position ?? null;
  } catch (error) {
    if (!(error instanceof ArchiveDamaged)) throw error;
    throw new ArchiveDamaged(`${path} is damaged (${error.message}): a start rebuilds it`, { cause: error });
  }
}

/**
 * Makes what the archive of a folder has written durable. The journal is enough, because SQLite syncs the database when
 * it writes there. (Opening the database itself would end SQLite's locks on it.)
 */
export function syncArchive(folder: string): void {
  const journal = join(folder, `${ARCHIVE_FILE}-wal`);
  if (!existsSync(journal)) return;
  const fd = openSync(journal, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
