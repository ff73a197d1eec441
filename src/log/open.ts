/** Picks a storage. The only file outside the backends that imports one. */
import { statSync } from 'node:fs';
import type { LogEnd } from './contract/log-source.ts';
import type { LogStorage } from './contract/storage.ts';
import { withCold } from './file/cold/folders.ts';
import { copyLog } from './file/copy.ts';
import { RealDisk } from './file/disk.ts';
import { FileStorage, type FileStorageOptions } from './file/file-storage.ts';
import { MemoryStorage } from './memory/memory-storage.ts';

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
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new RangeError(`there is no data folder at ${folder}`);
  }
  return cold.length === 0 ? folderStorage(folder) : folderStorage(folder, { files: withCold(folder, cold) });
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

export { type MoveOptions, type SegmentMover, segmentMover } from './file/cold/folders.ts';
export { syncRecord } from './file/sync-record.ts';
export type { MemoryStorage };
