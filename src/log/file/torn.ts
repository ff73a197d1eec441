/**
 * Distinguishes an unfinished last write from damage.
 *
 * A segment is all zeros before frames are written, one frame is in flight at a time, and a disk writes a sector whole
 * or not at all. So a crash can leave only these remains of a frame: some of its sectors, with others still zero, or a
 * beginning that breaks off. Everything else that is neither a frame nor zeros is damage: a stray bit among the zeros,
 * a complete frame that does not match its hash, or anything before the header of a later frame. A later frame begins
 * only when the one before is durable.
 */
import { END_MARK, isFrameLength, MAGIC, MAX_FRAME_BYTES, SECTOR_BYTES, TRAILER_BYTES } from '../shared/frame.ts';

export type Tail =
  /** Zeros from here on. */
  | { kind: 'clean' }
  /** The remains of one unfinished frame, and their size. */
  | { kind: 'torn'; bytes: number }
  | { kind: 'damaged'; offset: number; reason: string };

const ZEROS = Buffer.alloc(64 * 1024);

/** Classifies the bytes from `offset`, where no complete frame begins, to the end of a segment. */
export function classifyTail(segment: Buffer, offset: number): Tail {
  const last = lastNonZero(segment, offset, segment.length);
  if (last < 0) return { kind: 'clean' };
  for (let sector = offset + SECTOR_BYTES; sector <= last; sector += SECTOR_BYTES) {
    if (startsWith(segment, sector, MAGIC)) {
      return damaged(offset, `a damaged frame, and a later one begins at offset ${sector}`);
    }
  }
  const headerIsThere = lastNonZero(segment, offset, Math.min(offset + SECTOR_BYTES, segment.length)) >= 0;
  const problem = headerIsThere ? begunFrame(segment, offset, last) : headlessFrame(segment, offset, last);
  return problem ?? { kind: 'torn', bytes: last + 1 - offset };
}

/** The first sector was written. The header says how far the frame may reach, and some part must be missing. */
function begunFrame(segment: Buffer, offset: number, last: number): Tail | undefined {
  if (segment[offset] !== MAGIC[0]) return damaged(firstNonZero(segment, offset), 'neither a frame nor zeros');
  const length = segment.readUInt32LE(offset + 4);
  if (length === 0) {
    const brokenOffInside = last < offset + 8;
    return brokenOffInside ? undefined : damaged(offset, 'a frame of length 0');
  }
  if (!startsWith(segment, offset, MAGIC)) return damaged(offset, 'neither a frame nor zeros');
  if (!isFrameLength(length)) return damaged(offset + 4, `a frame of the impossible length ${length}`);
  const end = offset + length;
  if (end > segment.length)
    return damaged(offset + 4, `a frame of length ${length} reaches beyond the end of the file`);
  if (last >= end) return damaged(offset, `a frame of length ${length} with data after it, at offset ${last}`);
  for (let sector = offset; sector < end; sector += SECTOR_BYTES) {
    const endsHere = startsWith(segment, sector + SECTOR_BYTES - END_MARK.length, END_MARK);
    if (endsHere && sector + SECTOR_BYTES !== end)
      return damaged(offset + 4, 'a frame whose length is not the stated one');
  }
  return isUnfinished(segment, offset, end) ? undefined : damaged(offset, 'a frame that does not match its hash');
}

/** A sector was never written, or the frame breaks off before its end mark. */
function isUnfinished(segment: Buffer, offset: number, end: number): boolean {
  if (segment[end - 1] === 0) return true;
  for (let sector = offset; sector < end; sector += SECTOR_BYTES) {
    if (lastNonZero(segment, sector, sector + SECTOR_BYTES) < 0) return true;
  }
  return false;
}

/** The first sector was never written. The rest must be whole sectors of a payload, which has no zero byte. */
function headlessFrame(segment: Buffer, offset: number, last: number): Tail | undefined {
  if (last >= offset + MAX_FRAME_BYTES) return damaged(firstNonZero(segment, offset), 'neither a frame nor zeros');
  for (let sector = offset; sector <= last; sector += SECTOR_BYTES) {
    const end = Math.min(sector + SECTOR_BYTES, segment.length);
    if (lastNonZero(segment, sector, end) < 0) continue;
    const hole = segment.indexOf(0, sector);
    if (hole >= 0 && hole < end - TRAILER_BYTES)
      return damaged(firstNonZero(segment, sector), 'neither a frame nor zeros');
  }
  return undefined;
}

function damaged(offset: number, reason: string): Tail {
  return { kind: 'damaged', offset, reason };
}

function startsWith(bytes: Buffer, offset: number, what: Buffer): boolean {
  return what.compare(bytes, offset, offset + what.length) === 0;
}

/** The index of the last byte in [from, to) that is not zero. −1 if there is none. */
function lastNonZero(bytes: Buffer, from: number, to: number): number {
  let end = to;
  while (end > from) {
    const begin = Math.max(from, end - ZEROS.length);
    if (ZEROS.compare(bytes, begin, end, 0, end - begin) !== 0) {
      for (let at = end - 1; at >= begin; at -= 1) if (bytes[at] !== 0) return at;
    }
    end = begin;
  }
  return -1;
}

function firstNonZero(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0) at += 1;
  return at;
}
