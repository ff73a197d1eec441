/**
 * The note of a log whose first segments were moved elsewhere: `moved.json` names the last record that was moved, the
 * end of a segment. The log continues after it.
 *
 * Invariants:
 * - A segment is removed only when a note that names its end is durable, or together with it.
 * - The first record after the note must follow it by hash, sequence number and epoch. A note with other values is
 *   refused as damage, and so is one that does not match its checksum.
 */
import { LogDamaged, LogMoved } from '../contract/command-log.ts';
import type { LogOrigin, MovedPart } from '../contract/log-source.ts';
import { framePosition, type SegmentEnd } from './chain.ts';
import { readDocument, toCheckedJson } from './checked-json.ts';
import { MOVED_FILE, segmentName } from './segments.ts';

const FORMAT = 1;

/** The note: the end of the last segment that was moved. */
export interface Moved extends SegmentEnd {
  /** The folder that it was moved to. */
  readonly to: string;
}

/** A log whose first segments can be moved elsewhere. Its owner, or a part of the process that owns it, uses it. */
export interface MovableLog {
  /** Undefined: nothing was moved. @throws {LogDamaged} @throws {LogUnsupported} */
  note(): Promise<Moved | undefined>;
  /** The numbers of the segments that are here. Empty if note and segments cannot contradict each other. */
  segments(): Promise<readonly number[]>;
  /** A segment as it is in a folder. Undefined: it is not here. */
  read(segment: number): Promise<Buffer | undefined>;
  /** Makes the note durable, and after that, or together with it, removes the segments. @throws {LogFull} */
  pass(note: Moved, segments: readonly number[]): Promise<void>;
}

/** Segments that were moved, by their numbers. */
export interface MovedSegments {
  /** @throws {LogDamaged} it is not as it was written, or is not there */
  segment(number: number): Buffer;
}

/** @throws {LogDamaged} @throws {LogUnsupported} */
export function readNote(text: string): Moved {
  const note: Partial<Moved> = readDocument(text, { place: MOVED_FILE, format: FORMAT, damaged });
  if (isNote(note)) return note;
  throw damaged('it names no record');
}

export function noteText(note: Moved): string {
  return toCheckedJson({ format: FORMAT, ...note });
}

/**
 * Where reading at `origin` begins: after the part that is not here, if the origin is its end. Undefined: at a record that can be
 * read. @throws {LogMoved} the origin is in that part, or absent: the beginning of the log
 */
export function afterNote(moved: Moved | undefined, origin: LogOrigin | undefined): Moved | undefined {
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

/** A segment that should be here is missing. @throws {LogMoved} it was moved away while the log was read */
export function refuseIfMoved(moved: Moved | undefined, segment: number): void {
  if (moved === undefined || segment > moved.segment) return;
  throw new LogMoved(partOf(moved), `${segmentName(segment)} was to be read at that moment: try again`);
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
