/** Creates the folders of a venue. They are private (0700). If that is impossible, the error says why. */
import * as fs from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The folder does not exist and cannot be created. */
export class FolderUnusable extends Error {
  override readonly name = 'FolderUnusable';
}

/**
 * Creates a folder and its missing parents, one after another. `mkdirSync` with `recursive` hangs on places such as
 * /proc. Returns the outermost folder that it created. Undefined if all existed.
 * @throws {FolderUnusable}
 */
export function makeFolder(folder: string): string | undefined {
  const path = resolve(folder);
  try {
    return made(path);
  } catch (error) {
    if (error instanceof FolderUnusable) throw error;
    const why = (error as Error).message;
    throw new FolderUnusable(`the folder ${path} cannot be created: ${why}`, { cause: error });
  }
}

function made(path: string): string | undefined {
  const found = fs.statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return undefined;
  if (found !== undefined) throw new FolderUnusable(`${path} is a file, but must be a folder`);
  const first = made(dirname(path));
  fs.mkdirSync(path, { mode: 0o700 });
  return first ?? path;
}

/** The same, but durable: a power cut afterwards does not remove the created folders. @throws {FolderUnusable} */
export function makeDurableFolder(folder: string): void {
  const created = makeFolder(folder);
  if (created !== undefined) syncParents(resolve(folder), created);
}

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  const fd = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** A folder is only as durable as its name in its parent. Syncs the parents of all created folders. */
function syncParents(folder: string, firstCreated: string): void {
  for (let made = folder; ; made = dirname(made)) {
    syncFolder(dirname(made));
    if (made === firstCreated || dirname(made) === made) return;
  }
}
