/** Picks a storage. The only file outside the backends that imports one. */
import { statSync } from 'node:fs';
import type { LogEnd, LogPosition } from './contract/log-source.ts';
import type { LogStorage } from './contract/storage.ts';
import { filePosition } from './file/chain.ts';
import { copyLog } from './file/copy.ts';
import { RealDisk } from './file/disk.ts';
import { FileStorage, type FileStorageOptions } from './file/file-storage.ts';
import { segmentName } from './file/segments.ts';
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

/**
 * Makes a record durable that was read from the log of a folder. Its writer may still be about to do so, or may have been
 * killed before.
 */
export function syncRecord(folder: string, position: LogPosition): Promise<void> {
  const { segment } = filePosition({ position, name: 'a record', rulesVersion: '' });
  return new RealDisk(folder).sync(segmentName(segment));
}

/** A storage in memory. */
export function memoryStorage(): MemoryStorage {
  return new MemoryStorage();
}

export type { MemoryStorage };
