/** What the archive of a folder shows about the log before a start: how far it reaches, and its venue. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Witness } from '../../engine/identity/loss.ts';
import { ARCHIVE_FILE } from '../../engine/identity/manifest.ts';
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
