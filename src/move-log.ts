/**
 * `bourse log archive`: moves the segments of the log that nothing beside it needs any more to a cold folder. It
 * owns the log meanwhile. Beside a running venue, the archive's thread does the same (archive/thread/log-mover.ts).
 */
import { type MovedLog, neededRecords, noteOf, nothingMoved } from './archive/follow/movable.ts';
import { archivedPosition, syncArchive } from './archive/store/witness.ts';
import { realWorld } from './engine/contract/world.ts';
import { MANIFEST_FILE, readManifest } from './engine/identity/manifest.ts';
import type { LogStorage } from './log/contract/storage.ts';
import { existingStorage, isDatabase, segmentMover, storageAt } from './log/open.ts';
import { RULES_VERSION } from './venue/venue.ts';

export interface MoveLogOptions {
  /** For a log in a database: the data folder of a node, whose archive has read what is moved. Absent: no archive counts. */
  readonly data?: string;
  /** Called after each segment, with the share that is moved: 0 to 1. */
  readonly onProgress?: (fraction: number) => void;
}

/**
 * `address`: of the log, a data folder or a database.
 * @throws {RangeError} there is no venue @throws {LogLocked} a venue is running on it
 * @throws {DatabaseUnsafe} @throws {LogUnreachable}
 * @throws {ArchiveDamaged} @throws {ArchiveUnavailable} how far the archive reaches is not known
 * @throws {ColdFolderUnfit} @throws {FolderUnusable} `to` cannot take the segments
 * @throws {LogDamaged} @throws {LogUnsupported} the log, or what was moved before, is not as it was written
 * @throws {LogFull} there is no space: what was moved until then stays moved
 */
export async function moveLog(
  address: string,
  to: string,
  { data, onProgress = () => {} }: MoveLogOptions = {},
): Promise<MovedLog> {
  const { storage, folder } = placeOf(address, data);
  const manifest = await readManifest(storage.documents);
  if (manifest === undefined) {
    const what = isDatabase(address) ? 'has no venue' : 'is not a data folder';
    throw new RangeError(`${storage.where} ${what}: it has no ${MANIFEST_FILE}`);
  }
  const owner = await storage.own();
  try {
    const archived = folder === undefined ? undefined : archivedPosition(folder);
    const needed = await neededRecords(storage, String(RULES_VERSION), archived);
    const before = await storage.source.moved();
    if (typeof needed === 'string') return nothingMoved(before?.seq ?? 0, needed);
    if (folder !== undefined) syncArchive(folder);
    const mover = await segmentMover(storage, to, { venueId: manifest.venueId, needed });
    const total = mover.left;
    if (total === 0) return { ...nothingMoved(mover.seq), ...noteOf(mover) };
    while (mover.left > 0) {
      await mover.step();
      onProgress(1 - mover.left / total);
    }
    return { moved: total, left: 0, seq: mover.seq, ...noteOf(mover) };
  } finally {
    owner.release();
  }
}

/** The storage of the log, and the data folder with the archive that counts. @throws {RangeError} */
function placeOf(address: string, data: string | undefined): { storage: LogStorage; folder: string | undefined } {
  if (!isDatabase(address)) {
    if (data !== undefined)
      throw new RangeError('--data is for a log in PostgreSQL: a data folder has its own archive');
    return { storage: existingStorage(address), folder: address };
  }
  if (data !== undefined) existingStorage(data);
  return { storage: storageAt(address, { world: realWorld, accepted: 'any' }), folder: data };
}
