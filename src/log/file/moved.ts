/**
 * The note (shared/moved.ts) in a folder whose first segments were moved out of it. A segment up to the note that is
 * still there is left from a crash, and readers pass over it.
 */
import type { LogOrigin } from '../contract/log-source.ts';
import { afterNote, type MovableLog, type Moved, noteText, readNote, refuseIfMoved } from '../shared/moved.ts';
import { MOVED_FILE, segmentName, segmentNumber } from '../shared/segments.ts';
import type { Disk, LogFiles } from './disk.ts';
import { writeDocument } from './file-documents.ts';

/** Undefined: nothing was moved. @throws {LogDamaged} @throws {LogUnsupported} */
export function readMoved(files: LogFiles): Moved | undefined {
  if (files.size(MOVED_FILE) === undefined) return undefined;
  return readNote(files.read(MOVED_FILE)?.toString('utf8') ?? '');
}

/** Makes the note durable. @throws {LogFull} */
export function writeMoved(disk: Disk, note: Moved): Promise<void> {
  return writeDocument(disk, MOVED_FILE, Buffer.from(noteText(note)));
}

/** As `afterNote`, for what these files do not have. @throws {LogMoved} */
export function afterMoved(files: LogFiles, origin: LogOrigin | undefined): Moved | undefined {
  return afterNote(missingPart(files), origin);
}

/** A segment that should be there is missing. @throws {LogMoved} it was moved away while the log was read */
export function refuseMovedMeanwhile(files: LogFiles, segment: number): void {
  refuseIfMoved(missingPart(files), segment);
}

/** The part that cannot be read. */
export function missingPart(files: LogFiles): Moved | undefined {
  return files.hasMoved === true ? undefined : readMoved(files);
}

/** The log of a folder, for what moves its segments. */
export class FolderSegments implements MovableLog {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  async note(): Promise<Moved | undefined> {
    return readMoved(this.#disk);
  }

  async segments(): Promise<number[]> {
    return this.#disk.names().flatMap((name) => segmentNumber(name) ?? []);
  }

  async read(segment: number): Promise<Buffer | undefined> {
    return this.#disk.read(segmentName(segment));
  }

  async pass(note: Moved, segments: readonly number[]): Promise<void> {
    await writeMoved(this.#disk, note);
    if (segments.length === 0) return;
    for (const segment of segments) this.#disk.remove(segmentName(segment));
    await this.#disk.syncNames();
  }
}
