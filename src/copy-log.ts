/**
 * `bourse log copy`: copies a venue from a folder into a database, or the other way, and checks the copy. It owns both
 * meanwhile, so no venue may be running on either.
 *
 * Invariant: `bourse.json` is written last. So no venue starts on a copy that is not complete and checked.
 */
import { existsSync, readdirSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { realWorld } from './engine/contract/world.ts';
import { MANIFEST_FILE, readManifest } from './engine/identity/manifest.ts';
import { type Verified, verify } from './engine/replay/inspect.ts';
import type { Progress } from './engine/replay/recovery.ts';
import type { LogStorage } from './log/contract/storage.ts';
import { copyRecords } from './log/copy.ts';
import { copiedStorage, existingStorage, isDatabase, storageAt } from './log/open.ts';
import { StartRefused } from './secrets.ts';

export interface CopyVenueOptions {
  /** The folders that the beginning of the log was moved to. */
  readonly cold?: readonly string[];
  /** A database without standbys will do. */
  readonly acceptSingleNode?: boolean;
  /** Called after each segment, with the last seq in it. */
  readonly onCopied?: (seq: number) => void;
  /** Called from time to time while the copy is checked. */
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Copies the venue at the address `from` to the address `to`, which must be new or empty.
 * @throws {StartRefused} @throws {RangeError} an address cannot be used @throws {LogLocked} a venue is running there
 * @throws {DatabaseUnsafe} @throws {LogFull} @throws {LogUnreachable}
 * @throws {LogDamaged} and as `verify`: the log, or the copy of it, is damaged
 */
export async function copyVenue(from: string, to: string, options: CopyVenueOptions = {}): Promise<Verified> {
  existingStorage(from, options.cold);
  const source = copiedStorage(from, realWorld, options.cold);
  const text = await source.documents.read(MANIFEST_FILE);
  const manifest = await readManifest(source.documents);
  if (text === undefined || manifest === undefined) {
    throw new RangeError(`${source.where} has no venue: there is no ${MANIFEST_FILE}`);
  }
  if (!isDatabase(to)) refuseFolder(from, to);
  const accepted = options.acceptSingleNode === true ? 'single' : 'quorum';
  const target = storageAt(to, { world: realWorld, accepted });
  const reading = await source.own();
  try {
    const writing = await target.own();
    try {
      await refuseUsed(target);
      const copied = { cold: options.cold, onProgress: options.onCopied };
      const check = () => verify(to, { onProgress: options.onProgress, manifest });
      const verified = await copyRecords(reading, writing, copied, check);
      await target.documents.write(MANIFEST_FILE, text);
      return verified;
    } finally {
      writing.release();
    }
  } finally {
    reading.release();
  }
}

function refuseFolder(from: string, to: string): void {
  if (!isDatabase(from) && !relative(resolve(from), resolve(to)).startsWith('..')) {
    throw new StartRefused(`the folder ${to} is inside the data folder ${from}: choose a folder outside it`);
  }
  if (existsSync(to) && readdirSync(to).length > 0) {
    throw new StartRefused(`the folder ${to} is not empty: choose a new folder, or an empty one`);
  }
}

/** A folder was checked before it was owned, because its lock is in it. */
async function refuseUsed({ where, source, snapshots, documents }: LogStorage): Promise<void> {
  if (await documents.has(MANIFEST_FILE))
    throw new StartRefused(`${where} has a venue already: choose another database`);
  const { done } = await source.read().next();
  if (done && (await snapshots.list()).length === 0) return;
  throw new StartRefused(
    `${where} has a log without ${MANIFEST_FILE}, as after a copy that was not finished. If that is what it is, empty it with ` +
      '`psql -c "DROP SCHEMA bourse CASCADE"` in that database, and copy again. Or choose another database',
  );
}
