/**
 * The note of a log whose first segments were moved out of the folder (file/cold): `moved.json` names the last record
 * that was moved, the end of a segment. The log in the folder continues after it.
 *
 * Invariants:
 * - A segment is removed only when a note that names its end is durable. So a segment up to the note that is still
 *   there is left from a crash, and readers pass over it.
 * - The first record after the note must follow it by hash, sequence number and epoch. A note with other values is
 *   refused as damage, and so is one that does not match its checksum.
 */
import { LogDamaged, LogMoved } from '../contract/command-log.ts';
import type { LogOrigin, MovedPart } from '../contract/log-source.ts';
import { framePosition, type SegmentEnd } from '../shared/chain.ts';
import { readDocument, toCheckedJson } from '../shared/checked-json.ts';
import { MOVED_FILE, segmentName } from '../shared/segments.ts';
import type { Disk, LogFiles } from './disk.ts';
import { writeDocument } from './file-documents.ts';

const FORMAT = 1;

/** The note: the end of the last segment that was moved. */
export interface Moved extends SegmentEnd {
  /** The folder that it was moved to. */
  readonly to: string;
}

/** Undefined: nothing was moved. @throws {LogDamaged} @throws {LogUnsupported} */
export function readMoved(files: LogFiles): Moved | undefined {
  if (files.size(MOVED_FILE) === undefined) return undefined;
  const text = files.read(MOVED_FILE)?.toString('utf8') ?? '';
  const note = readDocument(text, { place: MOVED_FILE, format: FORMAT, damaged });
  if (isNote(note)) return note;
  throw damaged('it names no record');
}

/** Makes the note durable. @throws {LogFull} */
export function writeMoved(disk: Disk, note: Moved): Promise<void> {
  return writeDocument(disk, MOVED_FILE, Buffer.from(toCheckedJson({ format: FORMAT, ...note })));
}

/**
 * Where reading at `origin` begins: after the moved part, if the origin is its end. Undefined: at a record that can be
 * read. @throws {LogMoved} the origin is in the moved part, or absent: the beginning of the log
 */
export function afterMoved(files: LogFiles, origin: LogOrigin | undefined): Moved | undefined {
  const moved = missingPart(files);
  if (moved === undefined) return undefined;
  if (origin === undefined) throw new LogMoved(partOf(moved), 'it can be read only together with that folder');
  const { segment, offset, hash, seq } = framePosition(origin);
  if (segment > moved.segment) return undefined;
  if (segment === moved.segment && offset === moved.offset && hash === moved.hash && seq === moved.seq) return moved;
  const meanwhile = 'more of it was moved at that moment: try again';
  throw new LogMoved(
    partOf(moved),
    origin.name === MOVED_FILE ? meanwhile : `${origin.name} is a state within it, at seq ${seq}`,
  );
}

/** A segment that should be there is missing. @throws {LogMoved} it was moved away while the log was read */
export function refuseMovedMeanwhile(files: LogFiles, segment: number): void {
  const moved = missingPart(files);
  if (moved === undefined || segment > moved.segment) return;
  throw new LogMoved(partOf(moved), `${segmentName(segment)} was to be read at that moment: try again`);
}

/** The part that cannot be read. */
export function missingPart(files: LogFiles): Moved | undefined {
  return files.hasMoved === true ? undefined : readMoved(files);
}

/** The same for readers that know no segments. */
export function partOf(moved: Moved): MovedPart {
  const { segment, offset, hash, seq, rules, venueId, to } = moved;
  const position = { segment, offset, hash, seq };
  const what = segment === 1 ? segmentName(1) : `${segmentName(1)} to ${segmentName(segment)}`;
  return { position, rulesVersion: rules, name: MOVED_FILE, seq, what, where: to, ...(venueId && { venueId }) };
}

function isNote(note: Partial<Moved>): note is Moved {
  const { segment, offset, seq, epoch, timeMs, records, batchSeq, hash, rules, to } = note;
  const numbers = [segment, offset, seq, epoch, timeMs, records, batchSeq ?? 0];
  return numbers.every(Number.isSafeInteger) && [hash, rules, to].every((text) => typeof text === 'string');
}

function damaged(reason: string, cause?: unknown): LogDamaged {
  return new LogDamaged(MOVED_FILE, reason, { cause });
}
