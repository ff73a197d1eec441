/**
 * The archive of a life: the code of its thread, in the same process, on a database in memory. Committed content is
 * copied from life to life.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { StateIdentity } from '../../src/archive/follow/follower.ts';
import { KEEP_ALL } from '../../src/archive/store/forgetting.ts';
import type { ArchivePlace } from '../../src/archive/store/place.ts';
import { ArchiveStore, IN_MEMORY } from '../../src/archive/store/store.ts';
import { ArchiveLoop } from '../../src/archive/thread/loop.ts';
import type { HistoryCheck, Reply, SharedProgress } from '../../src/archive/thread/messages.ts';
import type { OnNotice } from '../../src/engine/contract/notice.ts';
import type { World } from '../../src/engine/contract/world.ts';
import type { Witness } from '../../src/engine/identity/loss.ts';
import { ARCHIVE_FILE } from '../../src/engine/identity/manifest.ts';
import type { LogStorage } from '../../src/log/contract/storage.ts';

/** SQLite's errors when its file cannot grow, or cannot be written. */
const ERRORS = { full: { errcode: 13 }, io: { errcode: 10 } };

/** A new archive, so that no seed has to create its tables. */
const NEW = (() => {
  const database = new DatabaseSync(IN_MEMORY);
  new ArchiveStore(database);
  return database.serialize();
})();

/** The content of an archive's database between two processes. */
export class SimPlace implements ArchivePlace {
  /** The committed content as bytes, if nobody has opened it yet. */
  #saved: Uint8Array | undefined;
  /** The same, opened. What a process commits is there for the next one. */
  #database: DatabaseSync | undefined;
  /** The last store that opened it, which knows its state. */
  #store: ArchiveStore | undefined;
  /** Why the file accepts no more. Null: it does. */
  fails: 'full' | 'io' | null = null;
  /** Which orders without fills the archive keeps. */
  keep = KEEP_ALL;
  /** Why it was set aside, each time. */
  readonly aside: string[] = [];

  open(): ArchiveStore {
    this.#store = undefined;
    this.#store = new ArchiveStore(this.#opened(NEW));
    return this.#store;
  }

  /** Every archive here is of this version. */
  migration(): undefined {}

  remove(): void {
    this.replace(undefined);
  }

  setAside(why: string): string {
    this.aside.push(why);
    this.remove();
    return `archive.${why}`;
  }

  /** To read the content. */
  look(): ArchiveStore | undefined {
    return this.#isThere ? new ArchiveStore(this.#opened(), { readOnly: true }) : undefined;
  }

  /** What it knows about the end of the log. Undefined: there is no archive, or it is damaged. */
  witness(): Witness | undefined {
    try {
      const { seq, venueId } = (this.#store ?? this.look())?.state ?? {};
      return seq === undefined ? undefined : { name: ARCHIVE_FILE, seq, venueId };
    } catch {
      return undefined;
    }
  }

  /** The committed content. */
  content(): Uint8Array | undefined {
    return this.#database?.serialize() ?? this.#saved;
  }

  /** Another one with the same content. */
  copy(): SimPlace {
    const other = new SimPlace();
    other.keep = this.keep;
    other.replace(this.content());
    return other;
  }

  /** Flips one bit. */
  damage(at: number): void {
    const content = this.content();
    if (content === undefined) return;
    const bytes = Buffer.from(content);
    const bit = Math.floor(at * bytes.length * 8);
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
    this.replace(bytes);
  }

  /** Sets what the next process finds. */
  replace(content: Uint8Array | undefined): void {
    if (this.#database !== undefined) close(this.#database);
    this.#database = undefined;
    this.#store = undefined;
    this.#saved = content;
  }

  get #isThere(): boolean {
    return this.#database !== undefined || this.#saved !== undefined;
  }

  #opened(otherwise?: Uint8Array): DatabaseSync {
    if (this.#database !== undefined) return this.#database;
    const database = new DatabaseSync(IN_MEMORY);
    database.close = () => {}; // Closing would lose it.
    const exec = database.exec.bind(database);
    database.exec = (sql) => {
      const { fails } = this;
      if (sql === 'COMMIT' && fails !== null) throw Object.assign(new Error(`it fails: ${fails}`), ERRORS[fails]);
      exec(sql);
    };
    const content = this.#saved ?? otherwise;
    if (content !== undefined) database.deserialize(content);
    prepareOnce(database);
    this.#database = database;
    return database;
  }
}

/** From now on its stores share their statements. None of them is left in the middle of its rows. */
function prepareOnce(database: DatabaseSync): void {
  const prepared = new Map<string, StatementSync>();
  const prepare = database.prepare.bind(database);
  database.prepare = (sql) => {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = prepare(sql);
      prepared.set(sql, statement);
    }
    return statement;
  };
}

function close(database: DatabaseSync): void {
  DatabaseSync.prototype.close.call(database);
}

export interface SimArchiveOptions {
  readonly storage: LogStorage;
  readonly place: SimPlace;
  readonly world: Pick<World, 'monotonicMs' | 'timer'>;
  /** The last applied command. */
  readonly seq: number;
  readonly snapshotEvery: number;
  readonly identity: StateIdentity;
  readonly onNotice: OnNotice;
  /** False: another process leads, and writes the snapshots. True by default. */
  readonly leads?: () => boolean;
}

export class SimArchive {
  history: HistoryCheck = { state: 'checking' };
  /** Why it is out of service. */
  problem: string | undefined;
  snapshotProblem: string | undefined;
  /** It failed in a way that no archive may: its thread is gone. */
  failed: Error | undefined;
  /** The last command in it. */
  seq = 0;
  readonly #thread: ArchiveLoop;
  readonly #onNotice: OnNotice;
  readonly #ended: Promise<void>;
  #applied: number;
  #wake: () => void = () => {};

  readonly #leads: () => boolean;

  constructor({ storage, place, world, seq, snapshotEvery, identity, onNotice, leads }: SimArchiveOptions) {
    this.#leads = leads ?? (() => true);
    this.#applied = seq;
    this.#onNotice = onNotice;
    const send = (reply: Reply) => this.#take(reply);
    this.#thread = new ArchiveLoop({
      storage,
      place,
      progress: this.#progress(),
      world,
      snapshotEvery,
      identity,
      keep: place.keep,
      send,
    });
    this.#ended = this.#thread.run().catch((error) => {
      this.failed = error;
    });
  }

  applied(seq: number): void {
    this.#applied = seq;
    this.#wake();
  }

  close(): Promise<void> {
    this.#thread.take({ type: 'close' });
    return this.#ended;
  }

  #progress(): SharedProgress {
    const archive = this;
    return {
      get applied() {
        return archive.#applied;
      },
      changed(applied) {
        if (applied !== archive.#applied) return undefined;
        return new Promise<void>((resolve) => {
          archive.#wake = resolve;
        });
      },
      get archived() {
        return archive.seq;
      },
      set archived(seq: number) {
        archive.seq = seq;
      },
      set knownFrom(_: number) {},
      get leads() {
        return archive.#leads();
      },
    };
  }

  #take(reply: Reply): void {
    if (reply.type === 'notice') this.#onNotice(reply.text, reply.level);
    else if (reply.type === 'checked') this.history = reply.history;
    else if (reply.type === 'archive') this.problem = reply.problem;
    else if (reply.type === 'snapshots') this.snapshotProblem = reply.problem;
  }
}
