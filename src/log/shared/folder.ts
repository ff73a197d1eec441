/** Makes the folders that a venue keeps its files in: private (0700), and refused in words where that is impossible. */
import * as fs from 'node:fs';
import { dirname, resolve } from 'node:path';

/** There is no folder at this path, and none can be made. */
export class FolderUnusable extends Error {
  override readonly name = 'FolderUnusable';
}

/**
 * Makes a folder and what is missing above it, one after another: `mkdirSync` with `recursive` never comes back from
 * places such as /proc. Returns the first one that was made, the outermost; undefined where all were there.
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

/** The same, and a power cut after it takes none of the folders that were made. @throws {FolderUnusable} */
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

/** A folder is as durable as its name in the folder above: syncs the parents of all folders that were created. */
function syncParents(folder: string, firstCreated: string): void {
  for (let made = folder; ; made = dirname(made)) {
    syncFolder(dirname(made));
    if (made === firstCreated || dirname(made) === made) return;
  }
}
