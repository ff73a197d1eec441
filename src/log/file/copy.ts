/**
 * Copies a log and its snapshots into another folder. A venue may be writing them.
 *
 * Invariants:
 * - The log is copied last, so it covers every snapshot in the copy, and everything else that was copied before.
 * - What was moved out of the folder (moved.ts) is not copied. The copy has the note, so its log begins after it too.
 * - The copy ends with a complete frame, at the end of the log when it was read and verified. Later frames are not
 *   copied, not even in part. So a start has nothing to remove, and the copy is as durable as any log.
 */
import { LogFull } from '../contract/command-log.ts';
import type { LogEnd } from '../contract/log-source.ts';
import { type Moved, partOf } from '../shared/moved.ts';
import { SEAL_FILE, segmentName, segmentNumber, snapshotSeq } from '../shared/segments.ts';
import { isNoSpace } from '../shared/system-errors.ts';
import { createFile, type Disk, type DiskFile, writeWhole } from './disk.ts';
import { readMoved, refuseMovedMeanwhile, writeMoved } from './moved.ts';
import { readEntries } from './read-log.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Returns where the copy ends.
 * @throws {LogDamaged} nothing of the log was copied @throws {LogMoved} part of it was moved away meanwhile
 * @throws {LogFull}
 */
export async function copyLog(from: Disk, to: Disk): Promise<LogEnd> {
  try {
    return await copied(from, to);
  } catch (error) {
    throw isNoSpace(error) ? new LogFull(to.folder, spaceOf(from), { what: 'the copy', cause: error }) : error;
  }
}

async function copied(from: Disk, to: Disk): Promise<LogEnd> {
  const seal = from.read(SEAL_FILE);
  const moved = readMoved(from);
  for (const name of from.names()) if (snapshotSeq(name) !== undefined) await copyFile(from, to, name);
  const end = endOf(from, moved);
  for (let number = (moved?.segment ?? 0) + 1; number < end.segment; number += 1) {
    if (!(await copyFile(from, to, segmentName(number)))) refuseMovedMeanwhile(from, number);
  }
  if (end.segment > 0) {
    const name = segmentName(end.segment);
    await createFile(to, name, (file) => {
      copyBytes(from, name, file, end.offset);
      padTo(file, end.offset, end.segmentBytes);
    });
  }
  if (moved !== undefined) await writeMoved(to, moved);
  if (seal !== undefined) await createFile(to, SEAL_FILE, (file) => writeWhole(file, seal, 0));
  return end;
}

/** Copies a whole file. False: the file no longer exists. */
async function copyFile(from: Disk, to: Disk, name: string): Promise<boolean> {
  const bytes = from.size(name);
  if (bytes === undefined) return false;
  await createFile(to, name, (file) => copyBytes(from, name, file, bytes));
  return true;
}

/** The approximate size of a copy. */
function spaceOf(disk: Disk): number {
  let bytes = 0;
  for (const name of disk.names()) {
    if (segmentNumber(name) !== undefined || snapshotSeq(name) !== undefined) bytes += disk.size(name) ?? 0;
  }
  return bytes;
}

function endOf(disk: Disk, moved: Moved | undefined) {
  const entries = readEntries(disk, moved && partOf(moved));
  let step = entries.next();
  while (!step.done) step = entries.next();
  return step.value;
}

function copyBytes(from: Disk, name: string, to: DiskFile, bytes: number): void {
  for (let at = 0; at < bytes; at += CHUNK_BYTES) {
    const chunk = from.readAt(name, at, Math.min(CHUNK_BYTES, bytes - at));
    if (chunk === undefined || chunk.length === 0) {
      refuseMovedMeanwhile(from, segmentNumber(name) ?? Number.POSITIVE_INFINITY);
      throw new Error(`${name} was removed while it was copied`);
    }
    writeWhole(to, chunk, at);
  }
}

function padTo(file: DiskFile, offset: number, bytes: number): void {
  const zeros = Buffer.alloc(CHUNK_BYTES);
  for (let at = offset; at < bytes; at += CHUNK_BYTES) writeWhole(file, zeros.subarray(0, bytes - at), at);
}
