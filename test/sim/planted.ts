/**
 * Faults that the product could have, planted at its seams: its disk, its log, its world, how it applies a command,
 * what its gateway knows. The simulation must find each.
 */

import type { World } from '../../src/engine/contract/world.ts';
import type { Apply } from '../../src/engine/replay/log-replayer.ts';
import type { Batch, CommandLog } from '../../src/log/contract/command-log.ts';
import type { LogEntry } from '../../src/log/contract/log-source.ts';
import type { SnapshotStore } from '../../src/log/contract/snapshot-store.ts';
import type { LogOwner, LogStorage } from '../../src/log/contract/storage.ts';
import type { Disk, DiskFile } from '../../src/log/file/disk.ts';
import { decodeCommands } from '../../src/log/shared/payload/decode.ts';
import { encodeCommands } from '../../src/log/shared/payload/encode.ts';
import type { Command } from '../../src/venue/contract/commands.ts';
import { RULES_VERSION } from '../../src/venue/venue.ts';
import { seeded } from './seeded.ts';

/** The seams between one life of the product and the simulated machine. */
export interface Planted {
  readonly disk?: (disk: Disk) => Disk;
  readonly storage?: (storage: LogStorage, world: World) => LogStorage;
  readonly world?: (world: World) => World;
  /** How commands are applied; `life` counts from 0. */
  readonly apply?: (life: number) => Apply | undefined;
  /** The gateway begins without knowledge of earlier requests. */
  readonly forgetsNonces?: true;
  /** The archive hears of a batch when it is handed to the log. */
  readonly archiveAhead?: true;
  /** The storage that the archive reads. */
  readonly archiveStorage?: (storage: LogStorage) => LogStorage;
  /** The operator gets no notices. */
  readonly silent?: true;
  /** A start does not check in the archive how far the log once reached. */
  readonly asksNoWitness?: true;
}

const TICK = { v: 1, type: 'tick' };
const plainApply: Apply = (venue, seq, timeMs, command) => venue.apply(seq, timeMs, command);

/** A disk with changed files. */
function withFiles(disk: Disk, change: (file: DiskFile, name: string) => Partial<DiskFile>): Disk {
  const changed = (file: DiskFile, name: string): DiskFile => {
    const plain: DiskFile = {
      write: (bytes, position) => file.write(bytes, position),
      sync: () => file.sync(),
      close: () => file.close(),
    };
    return { ...plain, ...change(plain, name) };
  };
  return withDisk(disk, {
    create: (name) => changed(disk.create(name), name),
    open: (name) => changed(disk.open(name), name),
  });
}

function withDisk(disk: Disk, change: Partial<Disk>): Disk {
  return {
    folder: disk.folder,
    names: () => disk.names(),
    read: (name) => disk.read(name),
    readAt: (name, position, bytes) => disk.readAt(name, position, bytes),
    size: (name) => disk.size(name),
    create: (name) => disk.create(name),
    open: (name) => disk.open(name),
    rename: (from, to) => disk.rename(from, to),
    remove: (name) => disk.remove(name),
    syncNames: () => disk.syncNames(),
    lock: () => disk.lock(),
    ...change,
  };
}

/** A storage with a changed log. */
export function withLog(storage: LogStorage, change: (log: CommandLog) => CommandLog): LogStorage {
  return {
    where: storage.where,
    source: storage.source,
    snapshots: storage.snapshots,
    documents: storage.documents,
    async own(): Promise<LogOwner> {
      const owner = await storage.own();
      return {
        storage: this,
        open: async (options) => change(await owner.open(options)),
        release: () => owner.release(),
      };
    },
  };
}

/** A storage with changed snapshots. */
export function withSnapshots(
  storage: LogStorage,
  change: (snapshots: SnapshotStore) => Partial<SnapshotStore>,
): LogStorage {
  const { snapshots } = storage;
  return {
    ...withLog(storage, (log) => log),
    snapshots: {
      list: () => snapshots.list(),
      read: (seq) => snapshots.read(seq),
      write: (head, text) => snapshots.write(head, text),
      setAside: (seq) => snapshots.setAside(seq),
      remove: (seqs) => snapshots.remove(seqs),
      ...change(snapshots),
    },
  };
}

/** Passes everything on. Subclasses change `append`. */
class Passing implements CommandLog {
  protected readonly log: CommandLog;

  constructor(log: CommandLog) {
    this.log = log;
  }

  get epoch() {
    return this.log.epoch;
  }
  get lastSeq() {
    return this.log.lastSeq;
  }
  get lastTimeMs() {
    return this.log.lastTimeMs;
  }
  get position() {
    return this.log.position;
  }
  append(batch: Batch) {
    return this.log.append(batch);
  }
  makeRoom() {
    return this.log.makeRoom();
  }
  poison(record: Parameters<CommandLog['poison']>[0]) {
    return this.log.poison(record);
  }
  seal(state?: Parameters<CommandLog['seal']>[0]) {
    return this.log.seal(state);
  }
  close() {
    return this.log.close();
  }
}

/** Reports each batch before it writes it. */
export class Told extends Passing {
  readonly #tell: (lastSeq: number) => void;

  constructor(log: CommandLog, tell: (lastSeq: number) => void) {
    super(log);
    this.#tell = tell;
  }

  override append(batch: Batch): Promise<void> {
    const appended = this.log.append(batch);
    this.#tell(batch.firstSeq + batch.commands.count - 1);
    return appended;
  }
}

/** Reports a batch as durable before it is. */
class Early extends Passing {
  #before: Promise<void> = Promise.resolve();
  #lastSeq = 0;
  readonly #late: World | undefined;

  /** `late`: the batch is not even written before the next turn of this world. */
  constructor(log: CommandLog, late?: World) {
    super(log);
    this.#late = late;
    this.#lastSeq = log.lastSeq;
  }

  override get lastSeq() {
    return this.#lastSeq;
  }

  override async append(batch: Batch): Promise<void> {
    await this.#before;
    this.#lastSeq += batch.commands.count;
    const begin = this.#late?.nextTurn() ?? Promise.resolve();
    this.#before = begin.then(() => this.log.append(batch));
    this.#before.catch(() => {});
  }

  override async seal(state?: Parameters<CommandLog['seal']>[0]): Promise<void> {
    await this.#before;
    return this.log.seal(state);
  }

  override async close(): Promise<void> {
    await this.#before.catch(() => {});
    return this.log.close();
  }
}

export const PLANTED: Readonly<Record<string, () => Planted>> = {
  'one sync in twenty is skipped': () => {
    const chance = seeded(20);
    const sync = (file: DiskFile) => (chance() < 0.05 ? Promise.resolve() : file.sync());
    return { disk: (disk) => withFiles(disk, (file) => ({ sync: () => sync(file) })) };
  },
  'a reply goes out before the sync': () => ({
    storage: (storage) => withLog(storage, (log) => new Early(log)),
  }),
  'a command is applied before the log has it': () => ({
    storage: (storage, world) => withLog(storage, (log) => new Early(log, world)),
  }),
  'a failed sync is tried again': () => ({
    disk: (disk) => withFiles(disk, (file) => ({ sync: () => file.sync().catch(() => file.sync()) })),
  }),
  'the last frame is not rewritten at a start': () => ({
    disk: (disk) =>
      withFiles(disk, (file, name) => ({
        write: (bytes, position) => {
          const there = disk.readAt(name, position, bytes.length);
          return there?.equals(bytes) ? bytes.length : file.write(bytes, position);
        },
      })),
  }),
  'names are not synced': () => ({ disk: (disk) => withDisk(disk, { syncNames: async () => {} }) }),
  'the rest of a short write is forgotten': () => ({
    disk: (disk) =>
      withFiles(disk, (file) => ({
        write: (bytes, position) => {
          file.write(bytes, position);
          return bytes.length;
        },
      })),
  }),
  'a snapshot has its name before it is synced': () => ({
    disk: (disk) => withFiles(disk, (_, name) => (name.includes('.snapshot') ? { sync: async () => {} } : {})),
  }),
  'a segment has its name before it is synced': () => ({
    disk: (disk) => withFiles(disk, (_, name) => (name.endsWith('.log.new') ? { sync: async () => {} } : {})),
  }),
  'a snapshot is ahead of the place that it names': () => ({
    storage: (storage) =>
      withSnapshots(storage, (snapshots) => {
        let last: { readonly seq: number } | undefined;
        return {
          write: (head, text) => {
            const { seq, position } = (last ?? head) as { seq: number; position?: unknown };
            last = head;
            return snapshots.write({ ...head, seq, position } as { readonly seq: number }, text);
          },
        };
      }),
  }),
  'the snapshot of a boundary goes when two are newer': () => ({
    storage: (storage) =>
      withSnapshots(storage, (snapshots) => ({
        write: async (head, text) => {
          const written = await snapshots.write(head, text);
          const [, , ...older] = await snapshots.list();
          await snapshots.remove(older.map(({ seq }) => seq));
          return written;
        },
      })),
  }),
  'a read that fails is taken for a file that is not there': () => ({
    disk: (disk) =>
      withDisk(disk, {
        read: (name) => {
          try {
            return disk.read(name);
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code === 'EIO') return undefined;
            throw error;
          }
        },
      }),
  }),
  'failures are not reported': () => ({ silent: true }),
  'the archive is a batch ahead of the log': () => ({ archiveAhead: true }),
  'the archive leaves out one batch in twenty': () => {
    const chance = seeded(22);
    return {
      archiveStorage: (storage) => ({
        ...withLog(storage, (log) => log),
        source: {
          read: (origin) => storage.source.read(origin),
          moved: () => storage.source.moved(),
          size: (position) => storage.source.size(position),
          follow: async (origin) => {
            const log = await storage.source.follow(origin);
            const some = async function* (entries: AsyncGenerator<LogEntry, void, void>) {
              for await (const entry of entries) {
                const batch = entry.kind === 'batch' && entry.firstSeq > 1 && chance() < 0.05;
                yield batch ? { ...entry, commands: entry.commands.map(() => ({ v: 1, type: 'tick' })) } : entry;
              }
            };
            return {
              get position() {
                return log.position;
              },
              take: (seq) => some(log.take(seq)),
              available: (seq) => some(log.available(seq)),
            };
          },
        },
      }),
    };
  },
  'a start does not ask the archive for what is lost': () => ({ asksNoWitness: true }),
  'a cancel is acknowledged and logged as something else': () => ({
    storage: (storage) =>
      withLog(
        storage,
        (log) =>
          new (class extends Passing {
            override append(batch: Batch) {
              const { bytes, count } = batch.commands;
              const commands = decodeCommands(bytes, count) as Command[];
              const logged = commands.map((command) => (command.type === 'cancel' ? TICK : command));
              return this.log.append({ ...batch, commands: encodeCommands(logged) });
            }
          })(log),
      ),
  }),
  'a second version has other rules under the same number': () => ({
    apply: (life) => {
      if (life === 0) return undefined;
      return (venue, seq, timeMs, command) => {
        const isOther = command.type === 'place' && command.kind === 'limit' && command.size % 3 === 0;
        return plainApply(venue, seq, timeMs, isOther ? { ...command, account: (command.account + 1) % 4 } : command);
      };
    },
  }),
  'an older version takes the snapshots of newer rules for its own': () => ({
    storage: (storage) =>
      withSnapshots(storage, (snapshots) => ({
        read: async (seq) => {
          const found = await snapshots.read(seq);
          return found && { ...found, head: { ...found.head, rules: String(RULES_VERSION) } };
        },
      })),
  }),
  'rules that no log can distinguish: a dead man’s switch of five seconds does nothing': () => ({
    apply: () => (venue, seq, timeMs, command) => {
      const isOther = command.type === 'cancelAllAfter' && command.timeoutMs === 5000;
      return plainApply(venue, seq, timeMs, isOther ? { ...command, timeoutMs: 0 } : command);
    },
  }),
  'the gateway forgets the nonces of before its start': () => ({ forgetsNonces: true }),
  'time goes by the wall': () => ({
    world: (world) => withWorld(world, { monotonicMs: () => world.wallMs(), uptimeMs: () => null }),
  }),
  'the sleep of the machine is not counted': () => ({ world: (world) => withWorld(world, { uptimeMs: () => null }) }),
  'one timer in twenty never fires': () => {
    const chance = seeded(21);
    return {
      world: (world) => withWorld(world, { timer: (ms, act) => world.timer(ms, chance() < 0.05 ? () => {} : act) }),
    };
  },
  'room never comes back': () => ({
    storage: (storage) =>
      withLog(
        storage,
        (log) =>
          new (class extends Passing {
            #full: Error | undefined;
            override append(batch: Batch) {
              return this.log.append(batch).catch((error) => {
                this.#full = error;
                throw error;
              });
            }
            override async makeRoom() {
              if (this.#full !== undefined) throw this.#full;
            }
          })(log),
      ),
  }),
};

function withWorld(world: World, change: Partial<World>): World {
  return {
    monotonicMs: () => world.monotonicMs(),
    uptimeMs: () => world.uptimeMs(),
    wallMs: () => world.wallMs(),
    nextTurn: () => world.nextTurn(),
    timer: (ms, act) => world.timer(ms, act),
    randomBytes: (count) => world.randomBytes(count),
    randomInt: (below) => world.randomInt(below),
    ...change,
  };
}
