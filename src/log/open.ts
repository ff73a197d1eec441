/** Picks a storage. The one place outside their own folders that knows which there are. */
import { statSync } from 'node:fs';
import { RealDisk } from './file/disk.ts';
import { FileStorage, type FileStorageOptions } from './file/file-storage.ts';
import { MemoryStorage } from './memory/memory-storage.ts';
import type { LogStorage } from './storage.ts';

/** What lies in a folder of this machine. */
export function folderStorage(folder: string, options?: FileStorageOptions): LogStorage {
  return new FileStorage(new RealDisk(folder), options);
}

/** What lies in a folder that has to be there. @throws {RangeError} there is none */
export function existingFolder(folder: string): LogStorage {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folderStorage(folder);
  throw new RangeError(`${folder} is no data folder`);
}

/** What lasts as long as the process. */
export function memoryStorage(): MemoryStorage {
  return new MemoryStorage();
}

export type { MemoryStorage };
