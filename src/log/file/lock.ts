/**
 * One process owns a data folder: an exclusive transaction held on a small SQLite file of its own, which the kernel drops
 * with the process, so that neither a process that lingers nor a process id used again can block a restart.
 *
 * Invariant: nothing else in this process opens `lock`: closing a second descriptor of it would drop the lock. Who holds it
 * is therefore said in a file of its own, which means nothing without the lock.
 *
 * Whoever removes the file beside a running process lets another one in. So the holder looks before it writes whether the
 * file is still its own (`check`, some microseconds), and ends where it is not.
 */
import * as fs from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LogFailed, LogLocked } from '../contract/command-log.ts';
import { makeDurableFolder } from '../shared/folder.ts';

const LOCK_FILE = 'lock';
const OWNER_FILE = 'lock.owner';

/** Databases whose lock is held: one that nobody refers to is closed by the garbage collector, and its lock is gone. */
const held = new Set<DatabaseSync>();

export interface FolderLock {
  /** @throws {LogFailed} the lock's file is gone, or another one: another process may own the folder */
  check(): void;
  /** May be called again. */
  release(): void;
}

/**
 * Creates the folder where there is none (0700) and takes its lock.
 * @throws {LogLocked} somebody has it
 * @throws {FolderUnusable} it is a file, or cannot be made
 */
export function lockFolder(folder: string): FolderLock {
  makeDurableFolder(folder);
  fs.chmodSync(folder, 0o700);
  const file = join(folder, LOCK_FILE);
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Nothing is ever written into the database: a journal on the disk would need room that a full one has not.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new LogLocked(folder, readOwner(folder));
  }
  held.add(database);
  writeOwner(folder);
  const own = identity(file);
  return {
    check: () => {
      if (identity(file) === own) return;
      throw new LogFailed(
        `the lock of the data folder is lost: ${file} was removed or replaced, and another process may own the ` +
          'folder now; nothing more will be written',
      );
    },
    release: () => {
      if (held.delete(database)) database.close();
    },
  };
}

/** Which file it is, by device and inode: undefined where there is none. Does not open it. */
function identity(file: string): string | undefined {
  const found = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** SQLite's result code 5: somebody else holds the lock. */
function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 5;
}

function readOwner(folder: string): string {
  try {
    return fs.readFileSync(join(folder, OWNER_FILE), 'utf8').trim() || 'another process';
  } catch {
    return 'another process';
  }
}

/** Only a courtesy to whom finds the folder locked, so that no room for it is no reason to fail. */
function writeOwner(folder: string): void {
  const text = `process ${process.pid} on ${hostname()}, started ${new Date().toISOString()}\n`;
  try {
    fs.writeFileSync(join(folder, OWNER_FILE), text, { mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
