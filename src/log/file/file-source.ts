/** Reads the log of a folder, behind the contract `LogSource`. */
import type { LogEntry, LogFollower, LogOrigin, LogPosition, LogSource, MovedPart } from '../contract/log-source.ts';
import { type ChainEnd, framePosition } from '../shared/chain.ts';
import { partOf } from '../shared/moved.ts';
import { segmentNumber } from '../shared/segments.ts';
import type { LogFiles } from './disk.ts';
import { FileFollower } from './follow-log.ts';
import { missingPart } from './moved.ts';
import { readEntries } from './read-log.ts';

export class FileSource implements LogSource {
  readonly #files: LogFiles;

  constructor(files: LogFiles) {
    this.#files = files;
  }

  read(origin?: LogOrigin): AsyncGenerator<LogEntry, ChainEnd, void> {
    return asynchronous(readEntries(this.#files, origin));
  }

  async follow(origin?: LogOrigin): Promise<LogFollower> {
    return new FileFollower(this.#files, origin);
  }

  async moved(): Promise<MovedPart | undefined> {
    const moved = missingPart(this.#files);
    return moved && partOf(moved);
  }

  async size(position?: LogPosition): Promise<number> {
    const { segment, offset } =
      position === undefined
        ? { segment: Number.POSITIVE_INFINITY, offset: 0 }
        : framePosition({ position, name: 'a position', rulesVersion: '' });
    let bytes = offset;
    for (const name of this.#files.names()) {
      if ((segmentNumber(name) ?? Number.POSITIVE_INFINITY) < segment) bytes += this.#files.size(name) ?? 0;
    }
    return bytes;
  }
}

/** The same values behind the contract of an asynchronous source. An `async *` function costs a replay 3 % more. */
function asynchronous<T, R>(entries: Generator<T, R, void>): AsyncGenerator<T, R, void> {
  return {
    next: async () => entries.next(),
    return: async (value) => entries.return(await value),
    throw: async (error) => entries.throw(error),
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await this.return(undefined as R);
    },
  };
}
