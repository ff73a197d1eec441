/**
 * Copies a log between folders and databases: every frame byte for byte, at its place, and the snapshots beside them. The
 * caller owns both storages.
 */
import { LogFull } from './contract/command-log.ts';
import type { LogOwner } from './contract/storage.ts';
import { withCold } from './file/cold/folders.ts';
import { createFile, RealDisk, writeWhole } from './file/disk.ts';
import { readFrames, writeSegment } from './file/frames.ts';
import { type DatabaseOwner, DatabaseStorage } from './postgres/database-storage.ts';
import type { PlacedFrame } from './shared/frame.ts';
import { snapshotSeq } from './shared/segments.ts';
import { isNoSpace } from './shared/system-errors.ts';

/** One of the two storages. */
interface Side {
  /** @throws {LogDamaged} @throws {LogUnsupported} */
  frames(): AsyncIterable<PlacedFrame> | Iterable<PlacedFrame>;
  names(): Promise<string[]>;
  read(name: string): Promise<Buffer | undefined>;
  /** Adds the frames of one segment, the next one. */
  addSegment(frames: readonly PlacedFrame[]): Promise<void>;
  write(name: string, bytes: Buffer): Promise<void>;
  /** Removes what was copied so far, if that is possible, and nobody has taken over meanwhile. */
  discard(): Promise<void>;
  /** @throws {LogFailed} another process has taken over */
  confirmOwner(): Promise<void>;
}

export interface CopyOptions {
  /** The folders that the beginning of the log was moved to. */
  readonly cold?: readonly string[];
  /** Called after each segment, with the last seq in it. */
  readonly onProgress?: (seq: number) => void;
}

/**
 * Copies the log and its snapshots to an empty storage. `check`: reads the copy. If it rejects, a database is emptied.
 * @throws what `check` does
 * @throws {LogDamaged} @throws {LogUnsupported} @throws {LogMoved} the beginning is in a cold folder that is not given
 * @throws {LogFull} @throws {LogUnreachable}
 * @throws {LogFailed} another process has taken over one of the two: a copy of a log that goes on meanwhile may lack its end
 */
export async function copyRecords<Checked>(
  from: LogOwner,
  to: LogOwner,
  { cold = [], onProgress }: CopyOptions,
  check: () => Promise<Checked>,
): Promise<Checked> {
  const [source, target] = [sideOf(from, cold), sideOf(to)];
  try {
    for await (const frames of segmentsOf(source)) {
      await target.addSegment(frames);
      onProgress?.(frames[frames.length - 1].frame.lastSeq);
    }
    for (const name of await source.names()) {
      if (snapshotSeq(name) === undefined) continue;
      const bytes = await source.read(name);
      if (bytes !== undefined) await target.write(name, bytes);
    }
    const checked = await check();
    await source.confirmOwner();
    return checked;
  } catch (error) {
    await target.discard().catch(() => {});
    throw isNoSpace(error) ? new LogFull(to.storage.where, 0, { what: 'the copy', cause: error }) : error;
  }
}

async function* segmentsOf(source: Side): AsyncGenerator<PlacedFrame[]> {
  let frames: PlacedFrame[] = [];
  for await (const frame of source.frames()) {
    if (frames.length > 0 && frames[0].segment !== frame.segment) {
      yield frames;
      frames = [];
    }
    frames.push(frame);
  }
  if (frames.length > 0) yield frames;
}

function sideOf(owner: LogOwner, cold: readonly string[] = []): Side {
  return owner.storage instanceof DatabaseStorage
    ? databaseSide(owner as DatabaseOwner)
    : folderSide(owner.storage.where, cold);
}

function folderSide(folder: string, cold: readonly string[]): Side {
  const disk = new RealDisk(folder);
  return {
    frames: () => readFrames(cold.length === 0 ? disk : withCold(folder, cold)),
    names: async () => disk.names(),
    read: async (name) => disk.read(name),
    addSegment: (frames) => writeSegment(disk, frames),
    write: (name, bytes) => createFile(disk, name, (file) => writeWhole(file, bytes, 0)),
    discard: async () => {}, // Without bourse.json no venue starts on it.
    confirmOwner: async () => {}, // Its lock lasts as long as this process.
  };
}

function databaseSide({ storage, writer }: DatabaseOwner): Side {
  const { source, files } = storage as DatabaseStorage;
  return {
    frames: () => source.frames(),
    names: () => files.names(),
    read: (name) => files.read(name),
    addSegment: (frames) => writer.appendAll(frames),
    write: (name, bytes) => files.write(name, [bytes], name, (connection) => files.refuseReplaced(connection)),
    discard: () => writer.discard(),
    confirmOwner: () => files.confirmOwner(),
  };
}
