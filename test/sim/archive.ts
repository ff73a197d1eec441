/**
 * The archive of a life: the code of its thread, in the same process, on a database in memory. What it has committed is
 * copied from life to life.
 */
import { DatabaseSync } from 'node:sqlite';
import type { Keeper } from '../../src/archive/follower.ts';
import type { HistoryCheck, Reply } from '../../src/archive/messages.ts';
import type { ArchivePlace } from '../../src/archive/place.ts';
import { ArchiveStore } from '../../src/archive/store.ts';
import { ArchiveThread, type Marks } from '../../src/archive/thread.ts';
import type { Witness } from '../../src/engine/loss.ts';
import type { OnNotice } from '../../src/engine/notice.ts';
import { ARCHIVE_FILE } from '../../src/engine/remembered.ts';
import type { World } from '../../src/engine/world.ts';
import type { LogStorage } from '../../src/log/storage.ts';

/** What is kept of an archive's database between two processes. */
export class SimPlace implements ArchivePlace {
  #saved: Uint8Array | undefined;
  #database: DatabaseSync | undefined;
  /** Why it was set aside, each time. */
  readonly aside: string[] = [];

  open(): ArchiveStore {
    const database = new DatabaseSync(':memory:');
    this.#database = database;
    if (this.#saved !== undefined) database.deserialize(this.#saved);
    const close = database.close.bind(database);
    database.close = () => {
      if (this.#database === database) this.#saved = database.serialize();
      close();
    };
    return new ArchiveStore(database);
  }

  remove(): void {
    this.#database = undefined;
    this.#saved = undefined;
  }

  setAside(why: string): string {
    this.aside.push(why);
    this.remove();
    return `archive.${why}`;
  }

  /** For a look at what is kept; to be closed. */
  look(): ArchiveStore | undefined {
    if (this.#saved === undefined) return undefined;
    const database = new DatabaseSync(':memory:');
    database.deserialize(this.#saved);
    return new ArchiveStore(database, { readOnly: true });
  }

  /** Another one with the same content. */
  copy(): SimPlace {
    const other = new SimPlace();
    other.#saved = this.content();
    return other;
  }

  /** What it knows of the log's end; undefined: there is none, or it is damaged. */
  witness(): Witness | undefined {
    if (this.#saved === undefined) return undefined;
    const database = new DatabaseSync(':memory:');
    try {
      database.deserialize(this.#saved);
      const { seq, venueId } = new ArchiveStore(database, { readOnly: true }).state;
      return { name: ARCHIVE_FILE, seq, venueId };
    } catch {
      return undefined;
    } finally {
      if (database.isOpen) database.close();
    }
  }

  /** What has been committed. */
  content(): Uint8Array | undefined {
    return this.#database?.isOpen ? this.#database.serialize() : this.#saved;
  }

  /** The process that had it open is dead. */
  leave(): void {
    this.#saved = this.content();
    if (this.#database?.isOpen) this.#database.close();
    this.#database = undefined;
  }

  /** One bit of it is another. */
  damage(at: number): void {
    if (this.#saved === undefined) return;
    const bytes = Buffer.from(this.#saved);
    const bit = Math.floor(at * bytes.length * 8);
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
    this.#saved = bytes;
  }

  /** What the next process finds. */
  replace(content: Uint8Array | undefined): void {
    this.#saved = content;
  }
}

export interface SimArchiveOptions {
  readonly storage: LogStorage;
  readonly place: SimPlace;
  readonly world: World;
  /** The last command that is applied. */
  readonly seq: number;
  readonly snapshotEvery: number;
  readonly keeper: Keeper;
  readonly onNotice: OnNotice;
}

export class SimArchive {
  history: HistoryCheck = { state: 'checking' };
  /** Why it is not kept now. */
  problem: string | undefined;
  snapshotProblem: string | undefined;
  /** It failed as no archive may: its thread is gone. */
  failed: Error | undefined;
  /** The last command that it holds. */
  seq = 0;
  readonly #thread: ArchiveThread;
  readonly #onNotice: OnNotice;
  readonly #ended: Promise<void>;
  #applied: number;
  #wake: () => void = () => {};

  constructor({ storage, place, world, seq, snapshotEvery, keeper, onNotice }: SimArchiveOptions) {
    this.#applied = seq;
    this.#onNotice = onNotice;
    const say = (reply: Reply) => this.#take(reply);
    this.#thread = new ArchiveThread({ storage, place, marks: this.#marks(), world, snapshotEvery, keeper, say });
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

  #marks(): Marks {
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
    };
  }

  #take(reply: Reply): void {
    if (reply.type === 'notice') this.#onNotice(reply.text, reply.level);
    else if (reply.type === 'checked') this.history = reply.history;
    else if (reply.type === 'archive') this.problem = reply.problem;
    else if (reply.type === 'snapshots') this.snapshotProblem = reply.problem;
  }
}
