/**
 * One process owns a data folder. The lock is an exclusive transaction on a small SQLite file. The kernel releases it
 * with the process, so neither a lingering process nor a reused process id can block a restart.
 *
 * Invariant: nothing else in this process opens `lock`. Closing a second descriptor would release the lock. So the name
 * of the owner is in a separate file, which means nothing without the lock.
 *
 * If somebody removes the file of a running process, another process can take the folder. So the owner checks before
 * each write that the file is still its own (`check`, a few microseconds), and stops if it is not.
 */
import * as fs from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LogFailed, LogLocked } from '../contract/command-log.ts';
import { FolderUnusable, makeDurableFolder } from '../shared/folder.ts';

const LOCK_FILE = 'lock';
const OWNER_FILE = 'lock.owner';
/** What only a data folder has. The name of the lock alone is also that of other things, such as /run/lock. */
const OF_A_VENUE = /^(?:bourse\.json|lock\.owner|archive\.db|\d+\.(?:log|snapshot))$/;
/** May be in a new one: what a file system or a repository puts into an empty folder, and the lock of a start that was killed. */
const OF_A_NEW_FOLDER = /^(?:lost\+found|\..*|lock)$/;

/** Databases with a held lock. Without a reference the garbage collector would close them and release the lock. */
const held = new Set<DatabaseSync>();

export interface FolderLock {
  /** @throws {LogFailed} the lock file was removed or replaced: another process may own the folder */
  check(): void;
  /** May be called more than once. */
  release(): void;
}

/**
 * Creates the folder if it does not exist (0700), and takes its lock.
 * @throws {LogLocked} another process has it
 * @throws {FolderUnusable} it is a file, cannot be created, or has other files: nobody else could read those any more
 */
export function lockFolder(folder: string): FolderLock {
  makeDurableFolder(folder);
  refuseForeign(folder);
  fs.chmodSync(folder, 0o700);
  const file = join(folder, LOCK_FILE);
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Nothing is ever written to the database. A journal on disk would need space, which a full disk does not have.
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

function refuseForeign(folder: string): void {
  const names = fs.readdirSync(folder);
  if (names.some((name) => OF_A_VENUE.test(name))) return;
  const foreign = names.find((name) => !OF_A_NEW_FOLDER.test(name));
  if (foreign === undefined) return;
  const found = `${folder} has ${JSON.stringify(foreign)} in it, and no venue`;
  throw new FolderUnusable(`${found}: give an empty folder, one that does not exist, or that of a venue`);
}

/** Identifies a file by device and inode, without opening it. Undefined if it does not exist. */
function identity(file: string): string | undefined {
  const found = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** SQLite's result code 5: another process holds the lock. */
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

/** Only helps somebody who finds the folder locked, so a full disk is no reason to fail. */
function writeOwner(folder: string): void {
  const text = `process ${process.pid} on ${hostname()}, started ${new Date().toISOString()}\n`;
  try {
    fs.writeFileSync(join(folder, OWNER_FILE), text, { mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
