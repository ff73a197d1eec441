/**
 * `bourse backup`: copies a data folder and checks the copy. The venue may be running.
 *
 * It copies the archive, the snapshots, the log and `bourse.json`, in this order. So the log of the copy covers the
 * archive and the snapshots, and a start refuses an unfinished copy, because `bourse.json` is missing.
 *
 * It does not copy the lock, files with secrets in the clear (the control token, the keys of the demo), or the control
 * tokens with a scope, because an old copy could bring a revoked one back. A start on the copy creates a new control
 * token. The master key is outside the data folder, and is kept separately.
 */
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { ArchiveStore } from './archive/store/store.ts';
import type { OnNotice } from './engine/contract/notice.ts';
import { ARCHIVE_FILE, MANIFEST_FILE, readManifest } from './engine/identity/manifest.ts';
import { type Verified, verify } from './engine/replay/inspect.ts';
import type { Progress } from './engine/replay/recovery.ts';
import { copyFolder, existingStorage, folderStorage, isDatabase } from './log/open.ts';
import { makeDurableFolder } from './log/shared/folder.ts';
import { StartRefused } from './secrets.ts';

/** All pages in one step: between two steps, a venue that writes would make it start over. */
const ALL_PAGES = 2 ** 31 - 1;

export interface BackedUp extends Verified {
  readonly snapshots: number;
  /** The last seq in the copied archive. Null: it has none, and the next start builds it from the log. */
  readonly archive: number | null;
}

export interface BackupOptions {
  readonly onNotice: OnNotice;
  /** Called from time to time while the copy is checked. */
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Copies the data folder `from` to `to`, which must be new or empty.
 * @throws {StartRefused} @throws {RangeError} a folder cannot be used @throws {LogFull} there is no space for the copy
 * @throws {LogDamaged} and as `verify`: the folder, or the copy of it, is damaged
 */
export async function backUp(from: string, to: string, { onNotice, onProgress }: BackupOptions): Promise<BackedUp> {
  if (isDatabase(from)) {
    throw new StartRefused(
      "this backs up data folders. A log in PostgreSQL is backed up by PostgreSQL's own tools, or copied by bourse log copy",
    );
  }
  const source = existingStorage(from);
  if ((await readManifest(source.documents)) === undefined) {
    throw new RangeError(`${from} is not a data folder: it has no ${MANIFEST_FILE}`);
  }
  refuseTarget(from, to);
  makeDurableFolder(to);
  chmodSync(to, 0o700);
  try {
    await copyArchive(join(from, ARCHIVE_FILE), join(to, ARCHIVE_FILE), onNotice);
    await copyFolder(from, to);
    const target = folderStorage(to);
    await target.documents.write(MANIFEST_FILE, (await source.documents.read(MANIFEST_FILE)) as string);
    const verified = await verify(to, { onProgress });
    const archive = checkArchive(join(to, ARCHIVE_FILE), verified.seq, onNotice);
    return { ...verified, snapshots: (await target.snapshots.list()).length, archive };
  } catch (error) {
    rmSync(join(to, MANIFEST_FILE), { force: true });
    onNotice(
      `the backup failed, and the copy in ${to} is incomplete: no venue starts on it. ` +
        'Delete that folder, resolve the error, and run the backup again.',
      'error',
    );
    throw error;
  }
}

function refuseTarget(from: string, to: string): void {
  if (!relative(resolve(from), resolve(to)).startsWith('..')) {
    throw new StartRefused(`the backup folder ${to} is inside the data folder ${from}: choose a folder outside it`);
  }
  if (existsSync(to) && readdirSync(to).length > 0) {
    throw new StartRefused(`the backup folder ${to} is not empty: choose a new folder, or an empty one`);
  }
}

/**
 * Copies its state between two transactions. If that fails, the copy has no archive, because the log has everything.
 */
async function copyArchive(from: string, to: string, onNotice: OnNotice): Promise<void> {
  if (!existsSync(from)) return;
  try {
    const database = new DatabaseSync(from, { readOnly: true });
    try {
      // SQLite keeps the mode of a file that exists, and would create one that others can read.
      writeFileSync(to, '', { mode: 0o600, flag: 'wx' });
      await backup(database, to, { rate: ALL_PAGES });
    } finally {
      database.close();
    }
  } catch (error) {
    leaveOut(to, error as Error, onNotice);
  }
}

/** Checks every row of the copied archive. Returns its last seq. */
function checkArchive(file: string, lastSeq: number, onNotice: OnNotice): number | null {
  if (!existsSync(file)) return null;
  try {
    const store = new ArchiveStore(file, { readOnly: true });
    try {
      const { seq } = store.state;
      for (const _ of store.check());
      if (seq > lastSeq) throw new Error(`it reaches seq ${seq}, the log ends at seq ${lastSeq}`);
      return seq;
    } finally {
      store.close();
    }
  } catch (error) {
    leaveOut(file, error as Error, onNotice);
    return null;
  }
}

function leaveOut(file: string, error: Error, onNotice: OnNotice): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
  onNotice(`the backup has no archive, and a start on it makes one from the log: ${error.message}`, 'warn');
}
