/**
 * Where a venue keeps its log: in its data folder, or in a database. Beside a database the data folder has the archive and
 * the checkpoints of this machine only, and is locked, because the log does not lock it.
 */
import { Candidacy } from './candidacy.ts';
import type { OnNotice } from './engine/contract/notice.ts';
import { realWorld, type World } from './engine/contract/world.ts';
import { MANIFEST_FILE, readManifest } from './engine/identity/manifest.ts';
import type { LogStorage } from './log/contract/storage.ts';
import { folderStorage, isDatabase, storageAt } from './log/open.ts';
import { StartRefused } from './secrets.ts';

export interface PlaceOptions {
  /** The data folder. Null: the log is in memory. */
  readonly data: string | null;
  /** The address of a log in a database: `postgres://…`. Absent: it is in the data folder. */
  readonly log?: string;
  /** A database without standbys will do. */
  readonly acceptSingleNode?: boolean;
  /** Waits until the leader of the log is gone, and takes over. */
  readonly standby?: boolean;
  readonly notice: OnNotice;
  /** The size of a new segment of the log in bytes. Default: 8 MiB. */
  readonly segmentBytes?: number;
  /** The clock of a new venue. Ignored if the log has one. */
  readonly clock?: 'real' | 'manual';
  readonly world?: World;
}

export interface Place {
  /** Undefined: the log is in memory. */
  readonly storage: LogStorage | undefined;
  /** Of a standby, which waits for the log. Undefined: this process is to lead at once. */
  readonly candidacy?: Candidacy;
  /** Releases the data folder beside a database. */
  release(): void;
}

/** @throws {StartRefused} @throws {RangeError} the address has another form @throws {LogLocked} the folder is in use */
export async function openPlace(options: PlaceOptions): Promise<Place> {
  const { data, log, segmentBytes } = options;
  if (data === null) return { storage: undefined, release: () => {} };
  const folder = folderStorage(data, { segmentBytes });
  if (log === undefined) {
    if (options.standby === true) throw new StartRefused('a standby (--standby) needs a log in a database (--log)');
    return { storage: folder, release: () => {} };
  }
  checkLogAddress(log);
  const accepted = options.acceptSingleNode === true ? 'single' : 'quorum';
  const storage = storageAt(log, { segmentBytes, world: options.world ?? realWorld, accepted });
  const owner = await folder.own();
  try {
    await refuseOwnLog(folder, storage.where);
    const clock = (await readManifest(storage.documents))?.clock ?? options.clock;
    if (clock === 'manual') {
      throw new StartRefused(
        'a log in a database is for a real clock: a venue with a manual clock keeps it in a folder',
      );
    }
  } catch (error) {
    owner.release();
    throw error;
  }
  const candidacy = options.standby === true ? new Candidacy(storage) : undefined;
  return { storage, candidacy, release: () => owner.release() };
}

/** The message does not repeat the address, because it may have a password. @throws {StartRefused} */
export function checkLogAddress(log: string): void {
  if (isDatabase(log)) return;
  throw new StartRefused(
    'the address of the log (--log, BOURSE_LOG) must be postgres://user@host:port/database. A log in a folder is in --data',
  );
}

async function refuseOwnLog({ where: data, documents }: LogStorage, log: string): Promise<void> {
  if (!(await documents.has(MANIFEST_FILE))) return;
  throw new StartRefused(
    `the data folder ${data} holds the log of a venue, and --log names ${log}: start with another folder (--data). ` +
      `\`bourse log copy ${data} ${log}\` copies that venue into the database`,
  );
}
