/**
 * Makes a venue again: from the newest snapshot and the log behind it, or from the whole log.
 *
 * Invariant: what comes out is the state after every durable command but the poisoned ones. A command of the last batch
 * that throws, and that no record calls poisoned yet (a crash came between), is recorded and left out, and so is what is
 * due at one; one of an earlier batch was applied once and others stand on it, so that the start is refused.
 */

import type { LogEntry, StartState } from '../log/command-log.ts';
import type { Disk } from '../log/file/disk.ts';
import { FileLog, type FileLogOptions } from '../log/file/file-log.ts';
import { LogFollower } from '../log/file/follow-log.ts';
import { readEntries } from '../log/file/read-log.ts';
import { segmentName, segmentNumber } from '../log/file/segments.ts';
import type { MemoryLog } from '../log/memory/memory-log.ts';
import { NEW_DIGEST } from '../venue/effects.ts';
import { Venue } from '../venue/venue.ts';
import { KnownHashes } from './differs.ts';
import { type Apply, CommandFailed, Fold } from './fold.ts';
import type { OnNotice } from './notice.ts';
import { newestSnapshot, originOf, type Snapshot } from './snapshots.ts';
import { realWorld, type World } from './world.ts';

const PROGRESS_COMMANDS = 50_000;
/** So much of the log before the snapshot is checked by a start; of more, all is left to the check in the background. */
const CHECKED_AT_START_BYTES = 32 * 1024 * 1024;
/** Commands of a log in memory that are kept. */
const KEPT_IN_MEMORY = 200_000;
/** How long a rebuild beside requests keeps the event loop at a time. */
const SLICE_MS = 10;

/** How far a fold of the log has come. */
export interface Progress {
  readonly seq: number;
  /** Venue time, epoch milliseconds. */
  readonly timeMs: number;
  /** Of the log that there is to fold, by its length: 0 to 1. */
  readonly fraction: number;
}

/** How venues are made: `new Venue` and `Venue.load`, with the events that their maker wants. */
export interface VenueMaker {
  fresh(): Venue;
  load(text: string): Venue;
}

export const SILENT: VenueMaker = { fresh: () => new Venue(), load: (text) => Venue.load(text) };

export interface RebuildOptions {
  make: VenueMaker;
  apply?: Apply;
  world?: World;
}

export interface RecoveryOptions
  extends RebuildOptions,
    Pick<FileLogOptions, 'rulesVersion' | 'segmentBytes' | 'mustExist' | 'beforeWrite' | 'onNotice'> {
  onProgress?: (progress: Progress) => void;
  /** How much of the log before the snapshot a start may check, in bytes. */
  checkedBytes?: number;
  /** Gets every entry before it is applied; may refuse it by throwing. */
  onEntry?: (entry: LogEntry) => void;
}

/**
 * Opens the log on `disk`, and makes the venue that it comes to; of an empty log, a venue without a genesis.
 * @throws {LogDamaged} @throws {LogUnsupported} @throws {RulesMismatch} @throws {LogFull} @throws {CommandFailed}
 * @throws {EffectsDiffer} @throws {StateDiffers} this version makes something else of the log than the one that wrote it
 */
export async function recover(disk: Disk, options: RecoveryOptions): Promise<{ log: FileLog; venue: Venue }> {
  const { onEntry, onNotice } = options;
  const snapshot = newestSnapshot(disk);
  if (snapshot !== undefined) checkBefore(disk, snapshot, options.checkedBytes ?? CHECKED_AT_START_BYTES);
  const fold = foldFrom(snapshot, options);
  const report = progressOf(disk, snapshot, options.onProgress);
  let failed: CommandFailed | undefined;
  const log = await FileLog.open(disk, {
    ...options,
    origin: snapshot && originOf(snapshot),
    replay: (entry) => {
      onEntry?.(entry);
      fold.take(entry);
      report(entry);
    },
    state: () => {
      failed = finished(fold);
      return startState(fold.venue, snapshot, failed !== undefined);
    },
  });
  try {
    return { log, venue: failed === undefined ? fold.venue : await leaveOut(failed, disk, log, options, onNotice) };
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Checks the frames before a snapshot, where they are few. @throws {LogDamaged} */
function checkBefore(disk: Disk, snapshot: Snapshot, mostBytes: number): void {
  const { head } = snapshot;
  const { segment, offset } = head.position;
  new LogFollower(disk, originOf(snapshot)); // Throws where the log is behind the snapshot.
  let bytes = offset;
  for (let number = 1; number < segment; number += 1) bytes += disk.size(segmentName(number)) ?? 0;
  if (bytes > mostBytes) return;
  for (const { lastSeq } of readEntries(disk)) if (lastSeq >= head.seq) return;
}

/** What the start record says; a venue that does not know its digest of effects begins a new one here. */
function startState(venue: Venue, snapshot: Snapshot | undefined, failed: boolean): StartState {
  const from = snapshot && { snapshot: { seq: snapshot.head.seq, hash: snapshot.head.hash } };
  if (failed) return { effects: undefined, anew: false, ...from };
  const anew = venue.effects === undefined;
  if (anew) venue.resumeEffects(NEW_DIGEST);
  return { effects: venue.effects, anew, ...from };
}

/** Applies the last batch of a log; gives what throws there, and can be left out. */
function finished(fold: Fold): CommandFailed | undefined {
  try {
    fold.finish();
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandFailed) || error.seq === 1) throw error;
    return error;
  }
}

/** Records what threw in the last batch of a log that was just opened, and makes the venue again without it. */
async function leaveOut(
  thrown: CommandFailed,
  disk: Disk,
  log: FileLog,
  options: RebuildOptions,
  onNotice: OnNotice = () => {},
): Promise<Venue> {
  for (let failed: CommandFailed | undefined = thrown; ; ) {
    onNotice(`${failed.message}; ${failed.fate}`, 'error');
    await log.poison(failed.record);
    const snapshot = newestSnapshot(disk);
    const again = foldFrom(snapshot, options);
    for (const entry of readEntries(disk, snapshot && originOf(snapshot))) again.take(entry);
    failed = finished(again);
    if (failed === undefined) return again.venue;
  }
}

/**
 * The venue after the commands up to `seq` of a log that is in use. Between slices of the work the event loop turns.
 * @throws {LogDamaged} @throws {CommandFailed}
 */
export async function rebuild(disk: Disk, seq: number, options: RebuildOptions): Promise<Venue> {
  const snapshot = newestSnapshot(disk);
  const fold = foldFrom(snapshot, options, seq);
  return inSlices(fold, readEntries(disk, snapshot && originOf(snapshot)), options);
}

async function inSlices(
  fold: Fold,
  entries: Iterable<LogEntry>,
  { world = realWorld }: RebuildOptions,
): Promise<Venue> {
  let until = world.monotonicMs() + SLICE_MS;
  for (const entry of entries) {
    fold.take(entry);
    if (world.monotonicMs() < until) continue;
    await world.nextTurn();
    until = world.monotonicMs() + SLICE_MS;
  }
  fold.finish();
  return fold.venue;
}

function foldFrom(snapshot: Snapshot | undefined, options: RebuildOptions, lastSeq?: number): Fold {
  const { make, apply } = options;
  const hashes = new KnownHashes();
  if (snapshot !== undefined) hashes.add(snapshot.head.seq, snapshot.head.hash, snapshot.file);
  const venue = snapshot === undefined ? make.fresh() : make.load(snapshot.text);
  return new Fold(venue, { apply, lastSeq, hashes });
}

/** Reports every so many commands. */
export function progressOf(
  disk: Disk,
  snapshot: Snapshot | undefined,
  onProgress: (progress: Progress) => void = () => {},
): (entry: LogEntry) => void {
  const first = snapshot?.head.position.segment ?? 1;
  const last = Math.max(first, ...disk.names().map((name) => segmentNumber(name) ?? 0));
  let reported = snapshot?.head.seq ?? 0;
  return ({ lastSeq, timeMs, file, offset }) => {
    if (lastSeq < reported + PROGRESS_COMMANDS) return;
    reported = lastSeq;
    const inSegment = offset / (disk.size(file) || 1);
    const fraction = ((segmentNumber(file) ?? first) - first + inSegment) / (last - first + 1);
    onProgress({ seq: lastSeq, timeMs, fraction });
  };
}

/** What a venue on a log in memory is made of again. Beyond so many commands a snapshot, in memory too, stands for them. */
export class MemoryHistory {
  readonly #log: MemoryLog;
  readonly #options: RebuildOptions;
  #snapshot: string | undefined;
  #snapshotSeq = 0;

  constructor(log: MemoryLog, options: RebuildOptions) {
    this.#log = log;
    this.#options = options;
  }

  /** The state before what is kept, as `Venue.load` takes it; undefined: everything is kept. */
  get base(): string | undefined {
    return this.#snapshot;
  }

  /** What is kept, but for the first `skip` records. */
  entries(skip: number): Iterable<LogEntry> {
    return this.#log.entries(skip);
  }

  rebuild(seq: number): Promise<Venue> {
    const { make, apply } = this.#options;
    const venue = this.#snapshot === undefined ? make.fresh() : make.load(this.#snapshot);
    return inSlices(new Fold(venue, { apply, lastSeq: seq }), this.#log.entries(), this.#options);
  }

  /** To be called when `venue` holds every command of the log. */
  shorten(venue: Venue): void {
    if (venue.seq - this.#snapshotSeq < KEPT_IN_MEMORY) return;
    this.#snapshot = venue.save();
    this.#snapshotSeq = venue.seq;
    this.#log.forget();
  }
}
