/**
 * Checkpoints: states of a venue along its log, from which a later state is computed. They are a cache. Anything in it
 * may be deleted at any time, and is computed again from the log.
 *
 *     SHA-256 of the rest (32 bytes) · zstd of: one line of JSON (the head) · the text of the state
 *
 * Invariants:
 * - A checkpoint that does not match its checksum, or its name, is removed and never used.
 * - All together have at most `mostBytes` bytes. The one whose neighbours are nearest is removed first, so the rest stays
 *   spread over the whole log.
 * - A folder is written only while the disk has room: the log comes first.
 *
 * Cost: a fifth to a third of a snapshot's size each, and about 50 ms for 7 MB of state.
 */
import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { FORMAT } from '../engine/replay/snapshots.ts';
import type { LogOrigin, LogPosition } from '../log/contract/log-source.ts';

const CHECKSUM_BYTES = 32;
const NEWLINE = 0x0a;
const NAME = /^(\d{12,})\.checkpoint$/;
const UNREADY = '.new';
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** What the disk must still have for others after a checkpoint was written. */
const FREE_BYTES = 1024 * 1024 * 1024;

interface CheckpointHead {
  /** Of the text, as in snapshots. */
  readonly format: number;
  readonly rules: string;
  readonly venueId: string | null;
  /** The record of the log up to which the state is complete. */
  readonly position: LogPosition;
}

export interface Checkpoint {
  readonly seq: number;
  /** The input of `Venue.load`. */
  readonly text: string;
  /** Where the log continues. */
  readonly origin: LogOrigin;
}

/** Where the bytes are. A failure of any function means that there is no such entry. */
interface Shelf {
  /** The size of each entry, by seq. */
  list(): Map<number, number>;
  read(seq: number): Buffer;
  write(seq: number, bytes: Buffer): void;
  remove(seq: number): void;
}

/** The folder is created with the first checkpoint. */
export function folderShelf(folder: string): Shelf {
  const pathOf = (seq: number) => join(folder, `${String(seq).padStart(12, '0')}.checkpoint`);
  return {
    list() {
      const sizes = new Map<number, number>();
      for (const name of readdirSync(folder)) {
        const seq = NAME.exec(name)?.[1];
        if (seq !== undefined) sizes.set(Number(seq), statSync(join(folder, name)).size);
        else if (name.endsWith(UNREADY)) rmSync(join(folder, name));
      }
      return sizes;
    },
    read: (seq) => readFileSync(pathOf(seq)),
    /** Not synced: after a crash the checksum shows what is missing. */
    write(seq, bytes) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const { bavail, bsize } = statfsSync(folder);
      if (bavail * bsize < FREE_BYTES + bytes.length) throw new Error(`too little space in ${folder}`);
      writeFileSync(pathOf(seq) + UNREADY, bytes, { mode: 0o600 });
      renameSync(pathOf(seq) + UNREADY, pathOf(seq));
    },
    remove: (seq) => rmSync(pathOf(seq), { force: true }),
  };
}

export function memoryShelf(): Shelf {
  const kept = new Map<number, Buffer>();
  return {
    list: () => new Map([...kept].map(([seq, bytes]) => [seq, bytes.length])),
    read: (seq) => kept.get(seq) as Buffer,
    write: (seq, bytes) => kept.set(seq, bytes),
    remove: (seq) => kept.delete(seq),
  };
}

export interface CheckpointsOptions {
  readonly shelf: Shelf;
  /** The limit of all checkpoints together. */
  readonly mostBytes: number;
  readonly rules: string;
  readonly venueId: string | undefined;
  /** False: nothing is written or removed. */
  readonly mayWrite: boolean;
}

export class Checkpoints {
  readonly #options: CheckpointsOptions;
  readonly #sizes: Map<number, number>;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
    this.#sizes = tried(() => options.shelf.list()) ?? new Map();
  }

  /** The largest seq up to `seq`. Undefined: there is none. */
  before(seq: number): number | undefined {
    let nearest: number | undefined;
    for (const known of this.#sizes.keys()) if (known <= seq && known > (nearest ?? -1)) nearest = known;
    return nearest;
  }

  /** The nearest sound one up to `seq`. */
  read(seq: number): Checkpoint | undefined {
    for (let at = this.before(seq); at !== undefined; at = this.before(seq)) {
      const found = tried(() => this.#read(at as number));
      if (found !== undefined) return found;
      this.remove(at);
    }
    return undefined;
  }

  /** Keeps a state, unless there is no room for it. */
  add(position: LogPosition, text: string): void {
    const { shelf, rules, venueId = null, mostBytes, mayWrite } = this.#options;
    if (!mayWrite || this.#sizes.has(position.seq)) return;
    const head: CheckpointHead = { format: FORMAT, rules, venueId, position };
    const packed = zstdCompressSync(Buffer.from(`${JSON.stringify(head)}\n${text}`), FAST);
    const bytes = Buffer.concat([hash('sha256', packed, 'buffer'), packed]);
    if (bytes.length > mostBytes / 2) return;
    this.#sizes.set(position.seq, bytes.length);
    if (tried(() => shelf.write(position.seq, bytes) ?? true) === undefined) this.#sizes.delete(position.seq);
    while (this.#bytes() > mostBytes) this.remove(this.#leastMissed());
  }

  remove(seq: number): void {
    this.#sizes.delete(seq);
    if (this.#options.mayWrite) tried(() => this.#options.shelf.remove(seq));
  }

  #read(seq: number): Checkpoint | undefined {
    const { shelf, rules, venueId = null } = this.#options;
    const bytes = shelf.read(seq);
    const packed = bytes.subarray(CHECKSUM_BYTES);
    if (!hash('sha256', packed, 'buffer').equals(bytes.subarray(0, CHECKSUM_BYTES))) return undefined;
    const plain = zstdDecompressSync(packed);
    const line = plain.indexOf(NEWLINE);
    const head = JSON.parse(plain.toString('utf8', 0, line)) as CheckpointHead;
    const isOurs = head.format === FORMAT && head.rules === rules && head.venueId === venueId;
    if (!isOurs || head.position.seq !== seq) return undefined;
    const origin = { position: head.position, rulesVersion: rules, name: `the checkpoint at seq ${seq}` };
    return { seq, text: plain.toString('utf8', line + 1), origin };
  }

  #bytes(): number {
    let bytes = 0;
    for (const size of this.#sizes.values()) bytes += size;
    return bytes;
  }

  /** The one without which the gap in its place is smallest. */
  #leastMissed(): number {
    const seqs = [...this.#sizes.keys()].sort((a, b) => a - b);
    let [least, leastGap] = [seqs[0], Number.POSITIVE_INFINITY];
    for (let i = 0; i + 1 < seqs.length; i++) {
      const gap = seqs[i + 1] - (seqs[i - 1] ?? 0);
      if (gap < leastGap) [least, leastGap] = [seqs[i], gap];
    }
    return least;
  }
}

/** Undefined: it failed. A cache without an entry does no harm. */
function tried<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
