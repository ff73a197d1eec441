/**
 * Explains and checks a data folder from its log alone. Both only read, take no lock, and may run beside a venue that is
 * writing: a batch that it has not finished is not there yet.
 */
import { statSync } from 'node:fs';
import { LogDamaged } from '../log/command-log.ts';
import { RealDisk } from '../log/disk.ts';
import { type LogEnd, replayLog } from '../log/read-log.ts';
import { segmentName } from '../log/segments.ts';
import { RULES_VERSION, Venue } from '../venue/venue.ts';
import { applyEntry, stateHash } from './fold.ts';
import { REMEMBERED_FILE, readRemembered } from './remembered.ts';

export interface Replayed {
  seq: number;
  /** The venue's time at that seq, in epoch milliseconds. */
  time: number;
  /** The state hash. */
  hash: string;
}

export interface Verified {
  ok: true;
  /** The records of the log: starts, batches, seals and ends of segments. */
  rows: number;
  seq: number;
  /** The state hash at that seq. */
  hash: string;
}

/**
 * The state at `seq` (default: the last one). The whole log is read and checked, whatever the seq.
 * @throws {RangeError} the log does not reach that far
 * @throws {LogDamaged} @throws {LogUnsupported} @throws {RulesMismatch} @throws {CommandFailed}
 */
export function replay(folder: string, options: { seq?: number } = {}): Replayed {
  const upTo = options.seq ?? Number.POSITIVE_INFINITY;
  const { venue, end } = fold(folder, upTo);
  if (options.seq !== undefined && !(Number.isInteger(upTo) && upTo >= 1 && upTo <= end.lastSeq)) {
    throw new RangeError(`seq ${options.seq}: the log holds the seqs 1 to ${end.lastSeq}`);
  }
  return { seq: Math.min(upTo, end.lastSeq), time: venue.timeMs, hash: stateHash(venue) };
}

/**
 * Checks every byte of the log, applies every command, and checks what the folder remembers.
 * @throws {LogDamaged} with file, offset and reason @throws {LogUnsupported} @throws {RulesMismatch} @throws {CommandFailed}
 */
export function verify(folder: string): Verified {
  const { venue, end } = fold(folder, Number.POSITIVE_INFINITY);
  if (readRemembered(folder) === undefined) {
    throw new LogDamaged(REMEMBERED_FILE, 0, 'it is missing beside a log with commands');
  }
  return { ok: true, rows: end.frames, seq: end.lastSeq, hash: stateHash(venue) };
}

function fold(folder: string, lastSeq: number): { venue: Venue; end: LogEnd } {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new RangeError(`${folder} is no data folder`);
  const venue = new Venue();
  const end = replayLog(new RealDisk(folder), String(RULES_VERSION), (entry) => applyEntry(venue, entry, lastSeq));
  if (end.lastSeq === 0) throw new LogDamaged(segmentName(1), 0, 'the log is missing or holds no command');
  return { venue, end };
}
