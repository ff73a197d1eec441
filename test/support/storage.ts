/** A disk, real or simulated, as the storage of an engine. */
import { type RebuildOptions, type RecoveryOptions, rebuild, recover } from '../../src/engine/replay/recovery.ts';
import type { CommandLog } from '../../src/log/contract/command-log.ts';
import type { LogPosition } from '../../src/log/contract/log-source.ts';
import type { SnapshotStore } from '../../src/log/contract/snapshot-store.ts';
import { type Disk, RealDisk } from '../../src/log/file/disk.ts';
import { FileStorage, type FileStorageOptions } from '../../src/log/file/file-storage.ts';
import type { FramePosition } from '../../src/log/shared/chain.ts';
import type { Venue } from '../../src/venue/venue.ts';

export function storageOn(disk: Disk | string, options: FileStorageOptions = {}): FileStorage {
  return new FileStorage(typeof disk === 'string' ? new RealDisk(disk) : disk, options);
}

export function snapshotsOn(disk: Disk | string): SnapshotStore {
  return storageOn(disk).snapshots;
}

/** Takes the lock, opens the log, and rebuilds its venue. */
export async function recoverOn(
  disk: Disk | string,
  { segmentBytes, ...options }: RecoveryOptions & FileStorageOptions,
): Promise<{ log: CommandLog; venue: Venue }> {
  const owner = await storageOn(disk, { segmentBytes }).own();
  try {
    return await recover(owner, options);
  } catch (error) {
    owner.release();
    throw error;
  }
}

export function rebuildOn(disk: Disk, seq: number, options: RebuildOptions): Promise<Venue> {
  return rebuild(storageOn(disk), seq, options);
}

/** The files of the snapshots, newest first. */
export function snapshotFiles(disk: Disk): string[] {
  return disk
    .names()
    .filter((name) => /^\d+\.snapshot$/.test(name))
    .sort()
    .reverse();
}

/** The place of a record in its file. */
export function fileOf(position: LogPosition): FramePosition {
  return position as FramePosition;
}

/** The file and offset of a place in words. */
export function parsePlace(place: string): { file: string; offset: number } {
  const [, file, offset] = /^(\S+) at offset (\d+)$/.exec(place) ?? [];
  if (file === undefined) throw new Error(`"${place}" names no offset`);
  return { file, offset: Number(offset) };
}
