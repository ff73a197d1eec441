/**
 * Explains and checks a data folder from its log and its snapshots. Both only read, take no lock, and may run beside a
 * venue that is writing: a batch that it has not finished is not there yet.
 */
import { statSync } from 'node:fs';
import { LogDamaged, type LogEntry, RulesMismatch } from '../log/command-log.ts';
import type { LogEnd } from '../log/file/chain.ts';
import { type Disk, RealDisk } from '../log/file/disk.ts';
import { LogFollower } from '../log/file/follow-log.ts';
import { readEntries } from '../log/file/read-log.ts';
import { segmentName } from '../log/file/segments.ts';
import { RULES_VERSION, type Venue } from '../venue/venue.ts';
import { Fold, stateHash } from './fold.ts';
import { type Progress, progressOf, SILENT } from './recovery.ts';
import { REMEMBERED_FILE, readRemembered } from './remembered.ts';
import { checkState, loadSnapshot, originOf, readSnapshot, type Snapshot, snapshotFiles } from './snapshots.ts';

const RULES = String(RULES_VERSION);

export interface Replayed {
  seq: number;
  /** The venue's time at that seq, in epoch milliseconds. */
  time: number;
  /** The state hash. */
  hash: string;
}

export interface Verified {
  ok: true;
  /** The records of the log: starts, batches, poisoned commands, seals and ends of segments. */
  rows: number;
  seq: number;
  /** The state hash at that seq. */
  hash: string;
}

export interface ReplayOptions {
  /** Now and then. */
  onProgress?: (progress: Progress) => void;
}

/**
 * The state at `seq` (default: the last one). The whole log is read and checked, whatever the seq.
 * @throws {RangeError} the log does not reach that far, or other rules made the state there
 * @throws {LogDamaged} @throws {LogUnsupported} @throws {RulesMismatch} @throws {CommandFailed}
 */
export function replay(folder: string, options: ReplayOptions & { seq?: number } = {}): Replayed {
  const upTo = options.seq ?? Number.POSITIVE_INFINITY;
  const { venue, end } = fold(folder, upTo, options);
  if (options.seq !== undefined && !(Number.isInteger(upTo) && upTo >= 1 && upTo <= end.lastSeq)) {
    throw new RangeError(`seq ${options.seq}: the log holds the seqs 1 to ${end.lastSeq}`);
  }
  if (venue.seq > upTo) throw new RangeError(`seq ${options.seq}: other rules than ${RULES} made the state there`);
  return { seq: Math.min(upTo, end.lastSeq), time: venue.timeMs, hash: stateHash(venue) };
}

/**
 * Checks every byte of the log and of the snapshots, applies every command, compares the state with that of each snapshot
 * on the way, and checks what the folder remembers. What other rules made is taken from the snapshot behind it.
 * @throws {LogDamaged} with file, offset and reason @throws {LogUnsupported} @throws {RulesMismatch} @throws {CommandFailed}
 */
export function verify(folder: string, options: ReplayOptions = {}): Verified {
  const { venue, end } = fold(folder, Number.POSITIVE_INFINITY, options);
  if (readRemembered(folder) === undefined) {
    throw new LogDamaged(REMEMBERED_FILE, 0, 'it is missing beside a log with commands');
  }
  return { ok: true, rows: end.frames, seq: end.lastSeq, hash: stateHash(venue) };
}

function fold(folder: string, upTo: number, { onProgress }: ReplayOptions): { venue: Venue; end: LogEnd } {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new RangeError(`${folder} is no data folder`);
  const disk = new RealDisk(folder);
  const checked = new CheckedFold(disk, upTo);
  const report = progressOf(disk, undefined, onProgress);
  const entries = readEntries(disk);
  let step = entries.next();
  for (; !step.done; step = entries.next()) {
    checked.take(step.value);
    report(step.value);
  }
  const end = step.value;
  if (end.lastSeq === 0) throw new LogDamaged(segmentName(1), 0, 'the log is missing or holds no command');
  return { venue: checked.finish(end), end };
}

/** A fold from the beginning of the log that looks at each snapshot as it passes it. */
class CheckedFold {
  readonly #disk: Disk;
  readonly #upTo: number;
  /** By seq. Their texts are not kept. */
  readonly #snapshots = new Map<number, Pick<Snapshot, 'file' | 'head'>>();
  /** Undefined while what other rules did cannot be folded. */
  #fold: Fold | undefined;
  #rules = RULES;

  constructor(disk: Disk, upTo: number) {
    this.#disk = disk;
    this.#upTo = upTo;
    this.#fold = new Fold(SILENT.fresh(), { lastSeq: upTo });
    for (const name of snapshotFiles(disk)) {
      const snapshot = readSnapshot(disk, name);
      if (snapshot === undefined) continue; // A running venue has removed it since.
      const { file, head } = snapshot;
      this.#snapshots.set(head.seq, { file, head });
    }
  }

  take(entry: LogEntry): void {
    if (entry.kind === 'start') this.#rules = entry.rulesVersion as string;
    if (entry.kind === 'batch') this.#passTo(entry.firstSeq - 1);
    if (this.#rules !== RULES) this.#fold = undefined;
    this.#fold?.take(entry);
  }

  /** The venue at the end. */
  finish(end: LogEnd): Venue {
    this.#passTo(end.lastSeq);
    for (const snapshot of this.#snapshots.values()) {
      // Throws unless the log holds the frame that the snapshot was taken behind.
      new LogFollower(this.#disk, originOf(snapshot));
    }
    if (this.#fold === undefined) throw new RulesMismatch(this.#rules, RULES, end.sealed);
    return this.#fold.venue;
  }

  /** Everything up to `seq` was taken: compares with the snapshot there, or goes on from it. */
  #passTo(seq: number): void {
    this.#fold?.finish();
    const known = this.#snapshots.get(seq);
    if (known === undefined) return;
    if (this.#fold !== undefined) {
      if (seq <= this.#upTo && known.head.rules === RULES) checkState(known, this.#fold.venue);
      return;
    }
    const snapshot = readSnapshot(this.#disk, known.file);
    if (this.#rules !== RULES || snapshot === undefined) return;
    const venue = loadSnapshot(snapshot, RULES, SILENT.load);
    this.#fold = new Fold(venue, { lastSeq: Math.max(this.#upTo, seq) });
  }
}
