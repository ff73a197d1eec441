/**
 * A disk in memory that fails on demand, so that the file log's own code runs under every fault and a seed replays
 * each.
 *
 * Model: a write changes what the running process sees. Only a `sync` makes it durable, sector by sector, and
 * `syncNames` makes creations, renames and removals durable. After a crash (`restart`) each unsynced sector survives or
 * not, independently, by the seed. Of the unsynced names, the first ones survive, in order. If only the process dies
 * (`nextProcess`), the next one finds everything that this one saw.
 *
 * Every operation that changes something is one step, counted from 1. A fault is set for a step.
 */
import { LogFailed, LogLocked } from '../../src/log/contract/command-log.ts';
import type { Disk, DiskFile } from '../../src/log/file/disk.ts';
import type { FolderLock } from '../../src/log/file/lock.ts';
import { SECTOR_BYTES } from '../../src/log/shared/frame.ts';
import { seeded } from './seeded.ts';

export type Fault =
  /** The process dies at this step. Any part of a write may be on the disk. */
  | 'crash'
  /** A write writes half of its bytes, at least one. */
  | 'short'
  | 'failWrite'
  /** A write finds no space after half of its sectors. */
  | 'full'
  | 'failSync'
  /** A sync reports success, but each sector is on the disk or not: the drive has lied. */
  | 'lieSync'
  /**
   * A sync fails, and its data stays in the page cache as if it were on the disk. Each sector is really there or not.
   * The next reader finds it, no later sync writes it, and a power cut loses it.
   */
  | 'loseSync';

/** Thrown by every later operation of a crashed process. */
export class SimCrash extends Error {
  override readonly name = 'SimCrash';
}

interface Content {
  /** As the process sees it. Not changed in place while it is `shared`. */
  bytes: Buffer;
  /** True: `bytes` is also what is durable, or somebody has read it. A write first takes a copy. */
  shared: boolean;
  durable: Buffer;
  /** Sectors that the cache holds as if they were durable, since a failed sync, until they are written again. */
  lost: Set<number>;
}

export interface SimDiskOptions {
  seed?: number;
  faults?: Readonly<Record<number, Fault>>;
  /** Called at each fault. */
  onFault?: () => void;
  /** Numbers of reads, counted from 1, that the medium fails. */
  failReads?: readonly number[];
  /** The limit of all files together, in bytes. */
  capacityBytes?: number;
  /** Overwriting takes space too, as on a disk that never writes in place. */
  copyOnWrite?: boolean;
  /** Event-loop turns that a sync takes. */
  syncTurns?: number;
  /** How long a sync takes, instead of turns: until this resolves. */
  pause?: () => Promise<void>;
}

export class SimDisk implements Disk {
  readonly folder = 'sim';
  /** May be changed while the log runs. */
  capacityBytes: number;
  /** May be changed while the log runs. True: no file can be opened. */
  outOfFiles = false;
  /** May be changed while the log runs. True for a file: the medium cannot read it. */
  unreadable: (name: string) => boolean = () => false;
  /** Faults that have happened. */
  readonly happened: (Fault | 'failRead' | 'noRoom' | 'noFile')[] = [];
  steps = 0;
  syncs = 0;
  /** Reads of files by the process. */
  reads = 0;
  readonly #options: SimDiskOptions;
  readonly #random: () => number;
  #files = new Map<string, Content>();
  #durableNames = new Map<string, Content>();
  /** The states of the folder since it was synced, oldest first. */
  #pendingNames: Map<string, Content>[] = [];
  #crashed = false;
  /** The holder of the lock, which ends with the process. */
  #lock: object | undefined;

  constructor(options: SimDiskOptions = {}) {
    this.#options = options;
    this.#random = seeded(options.seed ?? 1);
    this.capacityBytes = options.capacityBytes ?? Number.POSITIVE_INFINITY;
  }

  get crashed(): boolean {
    return this.#crashed;
  }

  /** The disk for a new process. If there was no crash before, this process dies here too. */
  restart(options: SimDiskOptions = {}): SimDisk {
    this.#crashed = true;
    const next = new SimDisk(options);
    const states = [this.#durableNames, ...this.#pendingNames];
    const names = states[Math.floor(this.#random() * states.length)]!;
    for (const [name, content] of names) {
      next.#files.set(name, durableContent(this.#surviving(content)));
    }
    next.#durableNames = new Map(next.#files);
    return next;
  }

  /** Adds a whole file, durable at once. */
  put(name: string, bytes: Buffer): void {
    this.#files.set(name, durableContent(Buffer.from(bytes)));
    this.#durableNames = new Map(this.#files);
  }

  /** Another disk with the same content, all of it durable, for experiments. */
  copy(options: SimDiskOptions = {}): SimDisk {
    const next = new SimDisk(options);
    for (const [name, content] of this.#files) next.#files.set(name, durableContent(seen(content)));
    next.#durableNames = new Map(next.#files);
    return next;
  }

  /** The same content for inspection from outside: reads do not count, and none fails. It must not be written to. */
  medium(): SimDisk {
    const other = new SimDisk();
    other.#files = this.#files;
    return other;
  }

  /** The disk for a new process on the same machine, which keeps its cache. This process dies here. */
  nextProcess(options: SimDiskOptions = {}): SimDisk {
    this.#crashed = true;
    const next = new SimDisk(options);
    next.#files = this.#files;
    next.#durableNames = this.#durableNames;
    next.#pendingNames = this.#pendingNames;
    return next;
  }

  names(): string[] {
    this.#opens();
    return [...this.#files.keys()];
  }

  /** The content now: later writes do not change it, and the reader must not either. */
  read(name: string): Buffer | undefined {
    const content = this.#readable(name);
    return content && seen(content);
  }

  readAt(name: string, position: number, bytes: number): Buffer | undefined {
    const content = this.#readable(name);
    return content && seen(content).subarray(position, position + bytes);
  }

  size(name: string): number | undefined {
    this.#alive();
    return this.#files.get(name)?.bytes.length;
  }

  /** Sets how many more bytes fit. Null: any number. */
  leave(bytes: number | null): void {
    let used = 0;
    for (const file of this.#files.values()) used += file.bytes.length;
    this.capacityBytes = bytes === null ? Number.POSITIVE_INFINITY : used + bytes;
  }

  /** True if the first bytes of a file, and its name, would survive a power cut. */
  isDurable(name: string, bytes: number): boolean {
    const content = this.#files.get(name);
    if (content === undefined || this.#durableNames.get(name) !== content) return false;
    return content.bytes.subarray(0, bytes).equals(content.durable.subarray(0, bytes));
  }

  /** Damages or replaces a file, as a failing medium or a person would. Durable at once. */
  tamper(name: string, change: (bytes: Buffer) => Buffer | undefined): void {
    const content = this.#files.get(name);
    if (content === undefined) throw new Error(`no file ${name}`);
    const bytes = change(Buffer.from(content.bytes));
    if (bytes === undefined) {
      this.#files.delete(name);
    } else {
      this.#files.set(name, durableContent(bytes));
    }
    this.#durableNames = new Map(this.#files);
  }

  create(name: string): DiskFile {
    this.#step();
    this.#opens();
    this.#files.set(name, durableContent(Buffer.alloc(0)));
    this.#namesChanged();
    return this.open(name);
  }

  open(name: string): DiskFile {
    this.#opens();
    const content = this.#files.get(name);
    if (content === undefined) throw failure('ENOENT', `no file ${name}`);
    return {
      write: (bytes, position) => this.#write(content, bytes, position),
      sync: () => this.#sync(content),
      close: () => {},
    };
  }

  rename(from: string, to: string): void {
    this.#step();
    const content = this.#files.get(from);
    if (content === undefined) throw failure('ENOENT', `no file ${from}`);
    this.#files.delete(from);
    this.#files.set(to, content);
    this.#namesChanged();
  }

  remove(name: string): void {
    this.#step();
    if (!this.#files.delete(name)) throw failure('ENOENT', `no file ${name}`);
    this.#namesChanged();
  }

  async syncNames(): Promise<void> {
    const fault = this.#step();
    this.#opens();
    await this.#turns();
    if (fault === 'failSync' || fault === 'loseSync') {
      this.#happens(fault);
      throw failure('EIO', 'sync of the folder');
    }
    this.#alive();
    this.#durableNames = new Map(this.#files);
    this.#pendingNames = [];
  }

  lock(): FolderLock {
    this.#alive();
    if (this.#lock !== undefined) throw new LogLocked(this.folder, 'this process');
    const own = {};
    this.#lock = own;
    return {
      check: () => {
        if (this.#lock !== own) throw new LogFailed('the lock of the simulated disk was taken away');
      },
      release: () => {
        if (this.#lock === own) this.#lock = undefined;
      },
    };
  }

  /** As when a person removes the lock file. */
  takeLockAway(): void {
    this.#lock = undefined;
  }

  #write(content: Content, bytes: Uint8Array, position: number): number {
    let fault: Fault | undefined;
    try {
      fault = this.#step();
    } catch (crash) {
      // Whole pages of the dying process's write are in the page cache, and may reach the disk or not.
      const sectors = Math.floor(this.#random() * (Math.ceil(bytes.length / SECTOR_BYTES) + 1));
      place(content, bytes.subarray(0, sectors * SECTOR_BYTES), position);
      throw crash;
    }
    if (fault === 'failWrite' || fault === 'full' || fault === 'short') this.#happens(fault);
    if (fault === 'failWrite') throw failure('EIO', 'write');
    if (fault === 'full') place(content, bytes.subarray(0, wholeSectors(bytes.length / 2)), position);
    const room = this.#roomFor(content, position);
    const wanted = fault === 'short' ? Math.ceil(bytes.length / 2) : bytes.length;
    const count = wanted <= room ? wanted : wholeSectors(room);
    if (count === 0) this.#happens('noRoom');
    if (fault === 'full' || count === 0) throw failure('ENOSPC', 'write');
    place(content, bytes.subarray(0, count), position);
    return count;
  }

  async #sync(content: Content): Promise<void> {
    const fault = this.#step();
    this.syncs += 1;
    const written = seen(content);
    await this.#turns();
    this.#alive();
    if (fault === 'failSync' || fault === 'loseSync' || fault === 'lieSync') this.#happens(fault);
    if (fault === 'failSync') throw failure('EIO', 'sync');
    if (fault === undefined && content.lost.size === 0) {
      content.durable = written;
      return;
    }
    const durable = Buffer.from(written);
    for (const at of changedSectors(written, content.durable)) {
      const skipped = (fault === 'loseSync' || fault === 'lieSync') && this.#random() < 0.5;
      if (skipped) content.lost.add(at);
      if (skipped || content.lost.has(at)) restore(durable, content.durable, at);
    }
    content.durable = durable;
    if (fault === 'loseSync') throw failure('EIO', 'sync');
  }

  #readable(name: string): Content | undefined {
    this.#opens();
    if (this.unreadable(name)) throw failure('EIO', `read ${name}`);
    this.reads += 1;
    if (this.#options.failReads?.includes(this.reads) === true) {
      this.#happens('failRead');
      throw failure('EIO', `read ${name}`);
    }
    return this.#files.get(name);
  }

  /** Called where a file descriptor is needed. */
  #opens(): void {
    this.#alive();
    if (!this.outOfFiles) return;
    this.#happens('noFile');
    throw failure('EMFILE', 'too many open files');
  }

  #roomFor(content: Content, position: number): number {
    let used = 0;
    for (const file of this.#files.values()) used += file.bytes.length;
    const inPlace = this.#options.copyOnWrite === true ? 0 : content.bytes.length - position;
    return inPlace + Math.max(0, this.capacityBytes - used);
  }

  /** For each sector, the durable bytes or the newer ones. */
  #surviving(content: Content): Buffer {
    const keepsLength = this.#random() < 0.5;
    const bytes = Buffer.alloc(keepsLength ? content.bytes.length : content.durable.length);
    for (let at = 0; at < bytes.length; at += SECTOR_BYTES) {
      const newer = content.bytes.subarray(at, at + SECTOR_BYTES);
      const durable = content.durable.subarray(at, at + SECTOR_BYTES);
      const keepsDurable = newer.equals(durable) || content.lost.has(at) || this.#random() < 0.5;
      (keepsDurable ? durable : newer).copy(bytes, at);
    }
    return bytes;
  }

  #namesChanged(): void {
    this.#pendingNames.push(new Map(this.#files));
  }

  async #turns(): Promise<void> {
    await this.#options.pause?.();
    for (let turn = this.#options.syncTurns ?? 0; turn > 0; turn -= 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #step(): Fault | undefined {
    this.#alive();
    this.steps += 1;
    const fault = this.#options.faults?.[this.steps];
    if (fault === 'crash') {
      this.#happens(fault);
      this.#crashed = true;
      throw new SimCrash(`crash at step ${this.steps}`);
    }
    return fault;
  }

  #happens(fault: SimDisk['happened'][number]): void {
    this.happened.push(fault);
    this.#options.onFault?.();
  }

  #alive(): void {
    if (this.#crashed) throw new SimCrash('the process is dead');
  }
}

/** All of it durable. */
function durableContent(bytes: Buffer): Content {
  return { bytes, shared: true, durable: bytes, lost: new Set() };
}

/** The bytes now, which later writes do not change. */
function seen(content: Content): Buffer {
  content.shared = true;
  return content.bytes;
}

/** A file system allocates blocks, which are whole sectors. */
function wholeSectors(bytes: number): number {
  return Math.floor(bytes / SECTOR_BYTES) * SECTOR_BYTES;
}

function place(content: Content, bytes: Uint8Array, position: number): void {
  const end = position + bytes.length;
  if (end > content.bytes.length) {
    const grown = Buffer.alloc(end);
    content.bytes.copy(grown);
    content.bytes = grown;
  } else if (content.shared) {
    content.bytes = Buffer.from(content.bytes);
  }
  content.shared = false;
  content.bytes.set(bytes, position);
  const first = position - (position % SECTOR_BYTES);
  for (let at = first; at < end; at += SECTOR_BYTES) content.lost.delete(at);
}

/** The offsets of the sectors that differ. */
function changedSectors(newer: Buffer, older: Buffer): number[] {
  const places: number[] = [];
  for (let at = 0; at < newer.length; at += SECTOR_BYTES) {
    if (!newer.subarray(at, at + SECTOR_BYTES).equals(older.subarray(at, at + SECTOR_BYTES))) places.push(at);
  }
  return places;
}

/** Restores one sector, as zeros if the older content has none. */
function restore(bytes: Buffer, older: Buffer, at: number): void {
  bytes.fill(0, at, Math.min(at + SECTOR_BYTES, bytes.length));
  older.subarray(at, at + SECTOR_BYTES).copy(bytes, at);
}

function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}
