/**
 * `bourse log archive`: moves the segments of the log that nothing in the data folder needs any more to a cold folder. It
 * owns the data folder meanwhile. Beside a running venue, the archive's thread does the same (archive/thread/log-mover.ts).
 */
import { type MovedLog, neededRecords, nothingMoved } from './archive/follow/movable.ts';
import { archivedPosition, syncArchive } from './archive/store/witness.ts';
import { MANIFEST_FILE, readManifest } from './engine/identity/manifest.ts';
import { existingStorage, isDatabase, segmentMover } from './log/open.ts';
import { RULES_VERSION } from './venue/venue.ts';

export interface MoveLogOptions {
  /** Called after each segment, with the share that is moved: 0 to 1. */
  readonly onProgress?: (fraction: number) => void;
}

/**
 * @throws {RangeError} `folder` is no data folder @throws {LogLocked} a venue is running on it
 * @throws {ArchiveDamaged} @throws {ArchiveUnavailable} how far the archive reaches is not known
 * @throws {ColdFolderUnfit} @throws {FolderUnusable} `to` cannot take the segments
 * @throws {LogDamaged} @throws {LogUnsupported} the log, or what was moved before, is not as it was written
 * @throws {LogFull} there is no space: what was moved until then stays moved
 */
export async function moveLog(
  folder: string,
  to: string,
  { onProgress = () => {} }: MoveLogOptions = {},
): Promise<MovedLog> {
  if (isDatabase(folder)) throw new RangeError('only a log in a data folder has segments that can be moved');
  const storage = existingStorage(folder);
  const manifest = await readManifest(storage.documents);
  if (manifest === undefined) throw new RangeError(`${folder} is not a data folder: it has no ${MANIFEST_FILE}`);
  const owner = await storage.own();
  try {
    const needed = await neededRecords(storage, String(RULES_VERSION), archivedPosition(folder));
    const before = await storage.source.moved();
    if (typeof needed === 'string') return nothingMoved(before?.seq ?? 0, needed);
    syncArchive(folder);
    const mover = await segmentMover(folder, to, { venueId: manifest.venueId, needed });
    const total = mover.left;
    if (total === 0) return nothingMoved(mover.seq);
    while (mover.left > 0) {
      await mover.step();
      onProgress(1 - mover.left / total);
    }
    return { moved: total, left: 0, seq: mover.seq };
  } finally {
    owner.release();
  }
}
