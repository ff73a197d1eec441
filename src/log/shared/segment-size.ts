/**
 * How a log is divided into segments. In a folder a segment is a file. In a database it is a number and an offset, so that
 * a frame has the same bytes and the same position in both.
 */
import { EMPTY_FRAME_BYTES, SECTOR_BYTES } from './frame.ts';

/** The size of a new segment by default, and its limits. */
export const DEFAULT_SEGMENT_BYTES = 8 * 1024 * 1024;
const MIN_SEGMENT_BYTES = 16 * 1024;
const MAX_SEGMENT_BYTES = 1024 * 1024 * 1024;
/** The space that the frame at the end of a segment needs. It has no payload. */
export const NEXT_BYTES = EMPTY_FRAME_BYTES;
/** A seal has the state hash as its payload, which fits into one sector too. */
const SEAL_BYTES = EMPTY_FRAME_BYTES;
/** The space that each kind of frame leaves in its segment, so that the frames which may follow still fit. */
export const RESERVE_BYTES = {
  start: SEAL_BYTES + NEXT_BYTES,
  batch: SEAL_BYTES + NEXT_BYTES,
  poisoned: SEAL_BYTES + NEXT_BYTES,
  leftOut: SEAL_BYTES + NEXT_BYTES,
  seal: NEXT_BYTES,
};

/** A valid segment size, rounded up to whole sectors. @throws {RangeError} */
export function segmentSize(bytes = DEFAULT_SEGMENT_BYTES): number {
  if (!Number.isInteger(bytes) || bytes < MIN_SEGMENT_BYTES || bytes > MAX_SEGMENT_BYTES) {
    throw new RangeError(
      `segment size ${bytes} is not valid: use a whole number of bytes from ${MIN_SEGMENT_BYTES} to ${MAX_SEGMENT_BYTES}`,
    );
  }
  return Math.ceil(bytes / SECTOR_BYTES) * SECTOR_BYTES;
}
