/**
 * Snapshots on the disk: the whole state of a venue behind a frame of its log, so that a start reads the newest one and
 * the log behind it, not the log from its beginning.
 *
 *     one line of JSON (`SnapshotHead`) · the state as text (`Venue.save`) · a line with the SHA-256 of all before it
 *
 * Invariants:
 * - A snapshot has its name only once it is whole and durable. Every bit of it is covered by the checksum; a file of that
 *   name that does not fit it is damaged, and is refused, never passed over.
 * - Two are kept. An older one goes only when a newer one was loaded again and had the state hash that it says. A start
 *   trusts the checksum alone: making the hash of a large state takes as long as loading it.
 *
 * Cost of writing one: the state's text twice (for the hash and for the file), about 100 bytes an order, in one string
 * each. V8 bounds a string to half a gigabyte, and so the state to some five million orders: beyond, there is no snapshot.
 */
import { hash } from 'node:crypto';
import { LogDamaged, LogUnsupported } from '../log/command-log.ts';
import type { LogOrigin, LogPosition } from '../log/file/chain.ts';
import { createFile, type Disk, writeWhole } from '../log/file/disk.ts';
import { snapshotName, snapshotSeq } from '../log/file/segments.ts';
import type { Venue } from '../venue/venue.ts';
import { stateHash } from './fold.ts';

/** Bumped, too, whenever what `Venue.save` writes changes. */
const FORMAT = 3;
/** Without the digest of effects. */
const OLDEST_FORMAT = 2;
const KEPT = 2;
const HASH_CHARS = 64;
const NEWLINE = 0x0a;
const REMEDY = 'with that file moved away, a start uses the snapshot before it, or else the whole log';

export interface SnapshotHead {
  readonly format: number;
  /** The rules under which the state was made. */
  readonly rules: string;
  /** The last command that the state holds, and the frame of the log up to which it holds everything. */
  readonly seq: number;
  readonly position: LogPosition;
  /** Venue time, epoch milliseconds. */
  readonly timeMs: number;
  /** The state hash. */
  readonly hash: string;
}

export interface Snapshot {
  readonly file: string;
  readonly head: SnapshotHead;
  /** What `Venue.load` takes. */
  readonly text: string;
}

/** A snapshot that was written: up to which command, and where. */
export interface SnapshotWritten {
  readonly seq: number;
  readonly file: string;
  /** The state hash. */
  readonly hash: string;
}

/** Names of the snapshots on the disk, newest first. */
export function snapshotFiles(disk: Disk): string[] {
  return disk
    .names()
    .filter((name) => snapshotSeq(name) !== undefined)
    .sort()
    .reverse();
}

/** Writes the state of `venue`, which holds everything up to `position`. Throws as the disk does. */
export async function writeSnapshot(
  disk: Disk,
  rules: string,
  venue: Venue,
  position: LogPosition,
): Promise<SnapshotWritten> {
  const { seq } = position;
  const file = snapshotName(seq);
  const head: SnapshotHead = { format: FORMAT, rules, seq, position, timeMs: venue.timeMs, hash: stateHash(venue) };
  const content = Buffer.from(`${JSON.stringify(head)}\n${venue.save()}\n`);
  const checksum = Buffer.from(`${hash('sha256', content, 'hex')}\n`);
  await createFile(disk, file, (to) => {
    writeWhole(to, content, 0);
    writeWhole(to, checksum, content.length);
  });
  return { seq, file, hash: head.hash };
}

/** Undefined when there is no such file. @throws {LogDamaged} a byte is not as it was written @throws {LogUnsupported} */
export function readSnapshot(disk: Disk, file: string): Snapshot | undefined {
  const bytes = disk.read(file);
  if (bytes === undefined) return undefined;
  const end = bytes.length - HASH_CHARS - 1;
  const checksum = bytes.subarray(Math.max(end, 0)).toString('latin1');
  if (end < 0 || checksum !== `${hash('sha256', bytes.subarray(0, end), 'hex')}\n`) {
    throw new LogDamaged(file, 0, `a snapshot of ${bytes.length} bytes that does not fit its checksum; ${REMEDY}`);
  }
  const line = bytes.indexOf(NEWLINE);
  const head = JSON.parse(bytes.toString('utf8', 0, line)) as SnapshotHead;
  if (head.format < OLDEST_FORMAT || head.format > FORMAT) {
    const known = `known are ${OLDEST_FORMAT} to ${FORMAT}`;
    throw new LogUnsupported(file, 0, `snapshot format ${head.format}, ${known}; ${REMEDY}`);
  }
  if (file !== snapshotName(head.seq)) throw new LogDamaged(file, 0, `the snapshot of seq ${head.seq}, renamed`);
  return { file, head, text: bytes.toString('utf8', line + 1, end - 1) };
}

/** The newest snapshot; undefined when there is none. @throws as `readSnapshot` @throws {LogDamaged} it cannot be opened */
export function newestSnapshot(disk: Disk): Snapshot | undefined {
  let missed: string | undefined;
  for (;;) {
    const [file] = snapshotFiles(disk);
    if (file === undefined) return undefined;
    const snapshot = readSnapshot(disk, file);
    if (snapshot !== undefined) return snapshot;
    // While a venue runs, a newer one may have come, and this one gone, since the names were read. Not the same one twice.
    if (file === missed) throw new LogDamaged(file, 0, `a name in the folder behind which there is no file; ${REMEDY}`);
    missed = file;
  }
}

/** Where the log goes on behind a snapshot. */
export function originOf({ head, file }: Pick<Snapshot, 'file' | 'head'>): LogOrigin {
  return { position: head.position, rulesVersion: head.rules, file };
}

/** The venue that a snapshot holds. @throws {LogDamaged} it is another one than the snapshot says */
export function loadSnapshot(snapshot: Snapshot, rules: string, load: (text: string) => Venue): Venue {
  const venue = load(snapshot.text);
  // Other rules may have another state hash for the same state: then the checksum alone vouches for it.
  if (snapshot.head.rules === rules) checkState(snapshot, venue);
  return venue;
}

/** @throws {LogDamaged} the venue, at the snapshot's seq, has another state than the snapshot says */
export function checkState({ file, head }: Pick<Snapshot, 'file' | 'head'>, venue: Venue): void {
  const found = stateHash(venue);
  if (found === head.hash) return;
  throw new LogDamaged(file, 0, `the state at seq ${head.seq} has the hash ${found}, the snapshot says ${head.hash}`);
}

/** Removes all snapshots but the two newest; to be called when the newest has been loaded and had the right hash. */
export async function pruneSnapshots(disk: Disk): Promise<void> {
  const old = snapshotFiles(disk).slice(KEPT);
  if (old.length === 0) return;
  for (const file of old) disk.remove(file);
  await disk.syncNames();
}
