/** A database as the storage of a venue. */
import assert from 'node:assert/strict';
import type { CommandLog } from '../contract/command-log.ts';
import type { Candidate } from '../contract/leader.ts';
import type { LogNews } from '../contract/log-source.ts';
import type { LogWorld } from '../contract/log-world.ts';
import type { LogOwner, LogStorage, OpenOptions } from '../contract/storage.ts';
import { partOf } from '../shared/moved.ts';
import { readAddress } from './address.ts';
import type { Database } from './connection.ts';
import { DatabaseDocuments, DatabaseFiles, DatabaseSnapshots } from './database-files.ts';
import { DatabaseLog } from './database-log.ts';
import { DatabaseSource, type OpenMoved } from './database-source.ts';
import type { LeaseMachine } from './lease.ts';
import { DatabaseSegments } from './moved-rows.ts';
import { News } from './news.ts';
import { Reader } from './reader.ts';
import type { Accepted } from './settings.ts';
import { takenOver, Writer } from './writer.ts';

export interface DatabaseOptions {
  /** The size of a new segment in bytes; default 8 MiB. */
  readonly segmentBytes?: number;
  /** Needed to own the log, and to watch it. */
  readonly world?: LogWorld;
  /** What the server must be set to for its owner. Default: `quorum`. */
  readonly accepted?: Accepted;
  /** Absent: what was moved elsewhere is not read. */
  readonly openMoved?: OpenMoved;
  /** How servers are reached, and leases renewed. Default: by the client of `pg`, and in a thread. */
  readonly newClient?: Database['newClient'];
  readonly leases?: LeaseMachine;
}

export class DatabaseStorage implements LogStorage {
  readonly where: string;
  readonly source: DatabaseSource;
  readonly snapshots: DatabaseSnapshots;
  readonly documents: DatabaseDocuments;
  /** What snapshots and documents are stored in. */
  readonly files: DatabaseFiles;
  readonly #database: Database;
  readonly #reader: Reader;
  readonly #options: DatabaseOptions;

  /** @throws {RangeError} the address has another form */
  constructor(address: string, options: DatabaseOptions = {}) {
    this.#database = { ...readAddress(address), newClient: options.newClient, world: options.world };
    this.#options = options;
    this.where = this.#database.where;
    this.#reader = new Reader(this.#database);
    this.files = new DatabaseFiles(this.#reader);
    this.source = new DatabaseSource(this.#reader, this.files, options.openMoved);
    this.snapshots = new DatabaseSnapshots(this.files);
    this.documents = new DatabaseDocuments(this.files);
  }

  /**
   * @throws {LogLocked} another process renews its lease, and there is no candidate @throws {DatabaseUnsafe} the server could lose what it acknowledges
   * @throws {LogUnreachable} @throws {LogUnsupported}
   */
  async own(candidate?: Candidate): Promise<DatabaseOwner> {
    const { segmentBytes, accepted = 'quorum', leases } = this.#options;
    const world = this.#world;
    const writer = await Writer.claim(this.#database, { world, accepted, leases }, candidate);
    // It may have waited for long, and the server of then may be gone without a word.
    this.#reader.drop();
    this.files.owner = writer;
    return {
      storage: this,
      writer,
      open: (options: OpenOptions): Promise<CommandLog> =>
        DatabaseLog.open(this.source, writer, { ...options, segmentBytes, world }),
      release: () => void writer.release(),
    };
  }

  get ownerId(): string | undefined {
    return this.files.owner?.id;
  }

  actFor(ownerId: string): void {
    this.files.owner = { id: ownerId, replaced: () => takenOver(this.where) };
  }

  /** What moves segments of the log elsewhere reads and removes them by this. */
  movable(): DatabaseSegments {
    const { source } = this;
    return new DatabaseSegments(this.files, this.#reader, (note) => source.frames(note && partOf(note)));
  }

  watch(news: LogNews): { close(): void } {
    return new News(this.#database, this.#world, news);
  }

  get #world(): LogWorld {
    const { world } = this.#options;
    assert.ok(world !== undefined, 'a log that is owned or watched needs time');
    return world;
  }
}

export interface DatabaseOwner extends LogOwner {
  readonly writer: Writer;
}
