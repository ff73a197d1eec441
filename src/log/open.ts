/** Picks a storage. The only file outside the backends that imports one. */
import { statSync } from 'node:fs';
import type { LogEnd, LogPosition } from './contract/log-source.ts';
import type { LogWorld } from './contract/log-world.ts';
import type { LogStorage } from './contract/storage.ts';
import {
  coldSegments,
  segmentMover as folderMover,
  logMover,
  type MoveOptions,
  type SegmentMover,
  withCold,
} from './file/cold/folders.ts';
import { copyLog } from './file/copy.ts';
import { RealDisk } from './file/disk.ts';
import { FileStorage, type FileStorageOptions } from './file/file-storage.ts';
import { syncFolderRecord } from './file/sync-record.ts';
import { MemoryStorage } from './memory/memory-storage.ts';
import { isDatabase } from './postgres/address.ts';
import { type DatabaseOptions, DatabaseStorage } from './postgres/database-storage.ts';

/** The storage in a folder of this machine. */
export function folderStorage(folder: string, options?: FileStorageOptions): LogStorage {
  return new FileStorage(new RealDisk(folder), options);
}

/** The storage of an address: a folder of this machine, or `postgres://…`. @throws {RangeError} it has another form */
export function storageAt(address: string, options: FileStorageOptions & DatabaseOptions = {}): LogStorage {
  return isDatabase(address) ? new DatabaseStorage(address, options) : folderStorage(address, options);
}

/**
 * The same for a log that is only read. `cold`: the folders that the beginning of the log was moved to.
 * @throws {RangeError} a folder does not exist, or the address has another form
 * @throws {ColdFolderUnfit} the cold folders do not have what was moved @throws {LogDamaged} @throws {LogUnsupported}
 */
export function existingStorage(address: string, cold: readonly string[] = []): LogStorage {
  return isDatabase(address) ? databaseStorage(address, {}, cold) : existingFolder(address, cold);
}

/** The same for a log that is owned meanwhile, to copy it. */
export function copiedStorage(address: string, world: LogWorld, cold: readonly string[] = []): LogStorage {
  return isDatabase(address) ? databaseStorage(address, { world, accepted: 'any' }, cold) : folderStorage(address);
}

function databaseStorage(address: string, options: DatabaseOptions, cold: readonly string[]): LogStorage {
  return new DatabaseStorage(address, cold.length === 0 ? options : { ...options, openMoved: coldSegments(cold) });
}

/** What moves segments of a log to the folder `to`. The caller owns the log, or is part of the process that does. */
export function segmentMover(storage: LogStorage, to: string, options: MoveOptions): Promise<SegmentMover> {
  if (storage instanceof DatabaseStorage) return logMover(storage.movable(), to, options);
  return folderMover(storage.where, to, options);
}

function existingFolder(folder: string, cold: readonly string[]): LogStorage {
  // A mistyped address may have a password, which no message repeats.
  if (folder.includes('://'))
    throw new RangeError('a log is in a data folder, or at postgres://user@host:port/database');
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

/** Makes a record durable that was read from the log of another process. What a database has committed already is. */
export async function syncRecord(address: string, position: LogPosition): Promise<void> {
  if (!isDatabase(address)) await syncFolderRecord(address, position);
}

/** A storage in memory. */
export function memoryStorage(): MemoryStorage {
  return new MemoryStorage();
}

export { isDatabase } from './postgres/address.ts';
export type { LogWorld, MemoryStorage, MoveOptions, SegmentMover };
