/** Picks a storage. The only file outside the backends that imports one. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { ColdFiles } from './cold/cold-files.ts';
import { ColdFolder, ColdFolderUnfit } from './cold/cold-folder.ts';
import { type MoveOptions, SegmentMover } from './cold/segment-mover.ts';
import type { LogEnd } from './contract/log-source.ts';
import type { LogStorage } from './contract/storage.ts';
import { copyLog } from './file/copy.ts';
import { RealDisk } from './file/disk.ts';
import { FileStorage, type FileStorageOptions } from './file/file-storage.ts';
import { readMoved } from './file/moved.ts';
import { MemoryStorage } from './memory/memory-storage.ts';
import { makeDurableFolder } from './shared/folder.ts';

/** The storage in a folder of this machine. */
export function folderStorage(folder: string, options?: FileStorageOptions): LogStorage {
  return new FileStorage(new RealDisk(folder), options);
}

/**
 * The storage in an existing folder. `cold`: the folders that the beginning of its log was moved to.
 * @throws {RangeError} a folder does not exist
 * @throws {ColdFolderUnfit} the cold folders do not have what was moved @throws {LogDamaged} @throws {LogUnsupported}
 */
export function existingFolder(folder: string, cold: readonly string[] = []): LogStorage {
  if (!isFolder(folder)) throw new RangeError(`there is no data folder at ${folder}`);
  if (cold.length === 0) return folderStorage(folder);
  for (const other of cold) if (!isFolder(other)) throw new RangeError(`there is no folder at ${other}`);
  const disk = new RealDisk(folder);
  return folderStorage(folder, { files: new ColdFiles(disk, cold.map(coldFolder)) });
}

/**
 * What moves segments of the log in `folder` to `to`, which is created if nothing was moved yet. The caller owns the
 * folder, or is part of the process that does.
 * @throws as `SegmentMover.open` @throws {FolderUnusable}
 */
export async function segmentMover(folder: string, to: string, options: MoveOptions): Promise<SegmentMover> {
  const target = resolve(to);
  const within = relative(realPath(folder), realPath(target));
  if (!within.startsWith('..') && !isAbsolute(within)) {
    throw new ColdFolderUnfit(`${target} is inside the data folder ${folder}: choose a folder outside it`);
  }
  const disk = new RealDisk(folder);
  const moved = readMoved(disk);
  // A new folder would hide that a disk is not mounted.
  if (moved !== undefined && !isFolder(target)) {
    throw new ColdFolderUnfit(
      `there is no folder at ${target}, and the log was moved to ${moved.to} before: is its disk mounted?`,
    );
  }
  makeDurableFolder(target);
  return SegmentMover.open(disk, coldFolder(target), options);
}

function coldFolder(folder: string): ColdFolder {
  return new ColdFolder(new RealDisk(resolve(folder)));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The path without links. What does not exist yet is below the folder that exists. */
function realPath(path: string): string {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  const parent = dirname(absolute);
  return resolve(realPath(parent), relative(parent, absolute));
}

/**
 * Copies the log and the snapshots of a folder into another one, and returns where the copy ends. A venue may be
 * writing them. The copy holds at least the log as it was at the call. @throws {LogDamaged} @throws {LogFull}
 */
export function copyFolder(from: string, to: string): Promise<LogEnd> {
  return copyLog(new RealDisk(from), new RealDisk(to));
}

/** A storage in memory. */
export function memoryStorage(): MemoryStorage {
  return new MemoryStorage();
}

export { syncRecord } from './file/sync-record.ts';
export type { MemoryStorage, MoveOptions, SegmentMover };
