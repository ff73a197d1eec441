/** Picks a storage. The one place outside their own folders that knows which there are. */
import { statSync } from 'node:fs';
import type { LogEnd } from './contract/log-source.ts';
import type { LogStorage } from './contract/storage.ts';
import { copyLog } from './file/copy.ts';
import { RealDisk } from './file/disk.ts';
import { FileStorage, type FileStorageOptions } from './file/file-storage.ts';
import { MemoryStorage } from './memory/memory-storage.ts';

/** What lies in a folder of this machine. */
export function folderStorage(folder: string, options?: FileStorageOptions): LogStorage {
  return new FileStorage(new RealDisk(folder), options);
}

/** What lies in a folder that has to be there. @throws {RangeError} there is none */
export function existingFolder(folder: string): LogStorage {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folderStorage(folder);
  throw new RangeError(`there is no data folder at ${folder}`);
}

/**
 * Copies the log and the snapshots of a folder into another one, also while a venue writes them; gives where the copy ends.
 * Once it is called, the log is copied up to its end or beyond. @throws {LogDamaged} @throws {LogFull}
 */
export function copyFolder(from: string, to: string): Promise<LogEnd> {
  return copyLog(new RealDisk(from), new RealDisk(to));
}

/** What lasts as long as the process. */
export function memoryStorage(): MemoryStorage {
  return new MemoryStorage();
}

export type { MemoryStorage };
