/**
 * Files of the log's folder: how a segment is created, and what a crash left there that is removed.
 *
 * Invariant: a segment is created whole before its first frame: filled with zeros, synced, given its name, and the folder
 * synced.
 */

import type { ChainEnd } from '../shared/chain.ts';
import { SECTOR_BYTES } from '../shared/frame.ts';
import { MOVED_FILE, SEAL_FILE, segmentName, segmentNumber, snapshotSeq, UNREADY } from '../shared/segments.ts';
import { createFile, type Disk, type DiskFile, writeWhole } from './disk.ts';
import { asLogFull } from './log-errors.ts';

const ZEROS = Buffer.alloc(256 * 1024);

/** An open segment. */
export interface Segment {
  number: number;
  bytes: number;
  file: DiskFile;
}

/** Removes what a crash left beside the log: files that were never finished, and segments that were never used. */
export async function tidy(disk: Disk, end: ChainEnd): Promise<void> {
  const unready = disk.names().filter((name) => name.endsWith(UNREADY) && isOwn(name.slice(0, -UNREADY.length)));
  const stale = [...end.unused, ...unready];
  if (stale.length === 0) return;
  for (const name of stale) disk.remove(name);
  await disk.syncNames();
}

function isOwn(name: string): boolean {
  return [SEAL_FILE, MOVED_FILE].includes(name) || segmentNumber(name) !== undefined || snapshotSeq(name) !== undefined;
}

/** Creates and opens a segment of at least `bytes` bytes. @throws {LogFull} */
export async function createSegment(disk: Disk, number: number, bytes: number): Promise<Segment> {
  const name = segmentName(number);
  const size = Math.ceil(bytes / SECTOR_BYTES) * SECTOR_BYTES;
  try {
    await createFile(disk, name, (file) => writeZeros(file, 0, size));
    return { number, bytes: size, file: disk.open(name) };
  } catch (error) {
    throw asLogFull(disk, error, size) ?? error;
  }
}

export function writeZeros(file: DiskFile, offset: number, bytes: number): void {
  for (let done = 0; done < bytes; done += ZEROS.length) {
    writeWhole(file, ZEROS.subarray(0, Math.min(ZEROS.length, bytes - done)), offset + done);
  }
}
