/**
 * The errors of the archive, and which errors of SQLite and of the system become them. Anything else that is thrown is a
 * bug, and passes through unchanged.
 */

import { isNoDescriptor, isNoSpace } from '../../log/shared/system-errors.ts';

/** SQLite's result codes. */
const ERROR = 1;
const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;
/** Node's code for an integer in a row that no double holds. None was written. */
const TOO_LARGE = 'ERR_OUT_OF_RANGE';

export class ArchiveDamaged extends Error {
  override readonly name = 'ArchiveDamaged';
}

/** It holds commands of this log that the log no longer has. Only a loss in the log explains that. */
export class ArchiveAhead extends ArchiveDamaged {}

/** Its last record is not in this log: the log lost its end and went on, or is another log. It may be all that knows what was lost. */
export class ArchiveForeign extends ArchiveDamaged {}

/**
 * The disk has no space or refuses, or another process holds the file. Nothing was written, and it may be tried again.
 */
export class ArchiveUnavailable extends Error {
  override readonly name = 'ArchiveUnavailable';
  /** True: the disk is full. */
  readonly noRoom: boolean;

  constructor(message: string, noRoom: boolean, options?: ErrorOptions) {
    super(message, options);
    this.noRoom = noRoom;
  }
}

/** Runs `act`. What it throws becomes an error of the archive, if it is one of SQLite or of the system. */
export function guarded<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw known(error);
  }
}

/** Turns errors of SQLite or the system into errors of the archive. Others pass through. */
export function known(error: unknown): unknown {
  const { errcode: code, code: name, message } = error as Error & { errcode?: number; code?: string };
  if (name === TOO_LARGE) return new ArchiveDamaged(message, { cause: error });
  if (code === undefined) {
    const noRoom = isNoSpace(error);
    return noRoom || isNoDescriptor(error) ? new ArchiveUnavailable(message, noRoom, { cause: error }) : error;
  }
  const primary = code & 0xff;
  // Opening has shown that the system lets it be written (store.ts). So its header must be wrong.
  if (code === READONLY) return new ArchiveDamaged(message, { cause: error });
  if ([BUSY, READONLY, IOERR, FULL, CANTOPEN].includes(primary)) {
    return new ArchiveUnavailable(message, primary === FULL, { cause: error });
  }
  // ERROR: a table or a column that this code created is missing.
  if ([ERROR, CORRUPT, NOTADB].includes(primary)) return new ArchiveDamaged(message, { cause: error });
  return error;
}
