/** What left the branch of a command, from the archive of a data folder. It only reads, also beside a running venue. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHIVE_FILE } from '../../engine/identity/manifest.ts';
import type { Left } from '../../story/facts.ts';
import { ArchiveDamaged, ArchiveUnavailable } from '../store/errors.ts';
import { stateOfFile } from '../store/store.ts';
import { leftAt } from '../store/timeline.ts';

/** Null: nothing did, or there is no archive that knows. */
export function leftInFolder(folder: string, seq: number): Left | null {
  const path = join(folder, ARCHIVE_FILE);
  if (!existsSync(path)) return null;
  try {
    const state = stateOfFile(path);
    return state === undefined || seq > state.seq ? null : leftAt(state, seq);
  } catch (error) {
    // The log has everything else.
    if (error instanceof ArchiveDamaged || error instanceof ArchiveUnavailable) return null;
    throw error;
  }
}
