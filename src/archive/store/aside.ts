/** Keeps an archive's file under another name if it holds history that the log does not have. */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHIVE_FILE } from '../../engine/identity/manifest.ts';
import { syncFolder } from '../../log/shared/folder.ts';

const PARTS = ['', '-wal', '-shm'] as const;

/** `why` becomes part of the name. An older file of that name stays. Returns the new name. */
export function setAside(folder: string, why: string): string {
  let name = `${ARCHIVE_FILE}.${why}`;
  for (let n = 2; existsSync(join(folder, name)); n += 1) name = `${ARCHIVE_FILE}.${why}-${n}`;
  for (const part of PARTS) {
    const file = join(folder, ARCHIVE_FILE + part);
    if (existsSync(file)) renameSync(file, join(folder, name + part));
  }
  syncFolder(folder);
  return name;
}
