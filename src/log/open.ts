/** Picks a storage. The only file outside the backends that imports one. */
import { statSync } from 'node:fs';
import type { LogEnd } from './contract/log-source.ts';
import type { LogStorage } from './contract/storage.ts';
import { copyLog } from './file/copy.ts';
import { RealDisk } from './file/disk.ts';
import { FileStorage, type FileStorageOptions } from './file/file-storage.ts';
import { MemoryStorage } from './memory/memory-storage.ts';

/** The storage in a folder of this machine. */
export function folderStorage(folder: string, options?: FileStorageOptions): LogStorage {
  return new FileStorage(new RealDisk(folder), options);
}

/** The storage in an existing folder. @throws {RangeError} the folder does not exist */
export function existingFolder(folder: string): LogStorage {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folderStorage(folder);
  throw new RangeError(`there is no data folder at ${folder}`);
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
export type { MemoryStorage };
