/** Reads the log of a folder, behind the contract `LogSource`. */
import type { LogEntry, LogFollower, LogOrigin, LogPosition, LogSource } from '../contract/log-source.ts';
import { type FileEnd, filePosition } from './chain.ts';
import type { Disk } from './disk.ts';
import { FileFollower } from './follow-log.ts';
import { readEntries } from './read-log.ts';
import { segmentNumber } from './segments.ts';

export class FileSource implements LogSource {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  async *read(origin?: LogOrigin): AsyncGenerator<LogEntry, FileEnd, void> {
    const entries = readEntries(this.#disk, origin);
    let step = entries.next();
    for (; !step.done; step = entries.next()) yield step.value;
    return step.value;
  }

  async follow(origin?: LogOrigin): Promise<LogFollower> {
    return new FileFollower(this.#disk, origin);
  }

  async size(position?: LogPosition): Promise<number> {
    const { segment, offset } =
      position === undefined
        ? { segment: Number.POSITIVE_INFINITY, offset: 0 }
        : filePosition({ position, name: 'a position', rulesVersion: '' });
    let bytes = offset;
    for (const name of this.#disk.names()) {
      if ((segmentNumber(name) ?? Number.POSITIVE_INFINITY) < segment) bytes += this.#disk.size(name) ?? 0;
    }
    return bytes;
  }
}
