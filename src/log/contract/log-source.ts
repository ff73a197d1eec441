/**
 * Reading a log: the contract every log keeps, whatever it stores its records in. `command-log.ts` is the one for writing.
 *
 * - What is read is, record by record, what was made durable, in order and without a gap. Everything is verified. The
 *   first thing that does not fit stops the reading with `LogDamaged`, which names the place in words.
 * - A reader takes no lock. A venue may be writing the same log meanwhile.
 * - A position names a record, and so everything of the log up to it. It is a plain value: save it as JSON, in whatever
 *   you keep, and give it back later. Look only at its `seq` and its `hash`; the rest belongs to the log that made it.
 */
import type { Poisoned, StartState } from './command-log.ts';
import type { LogPosition } from './log-position.ts';

export type { LogPosition };

/**
 * Where to begin in a log: behind a record that a snapshot, or an archive, names. A batch is no place to begin where a
 * record behind it calls a command of it poisoned: no state fits there, and reading on is refused.
 */
export interface LogOrigin {
  readonly position: LogPosition;
  /** The rules under which the state there was made. */
  readonly rulesVersion: string;
  /** What names the position, for messages: "000000000012.snapshot". */
  readonly name: string;
}

/** One record of a log as it is read back. */
export interface LogEntry {
  readonly kind: 'start' | 'batch' | 'seal' | 'poisoned';
  /** Counts the starts of the log: the first start is epoch 1. */
  readonly epoch: number;
  /** Of records that take no sequence number (all but batches): the seq of the command that comes next. */
  readonly firstSeq: number;
  /** `firstSeq - 1` when the record holds no command. */
  readonly lastSeq: number;
  readonly timeMs: number;
  /** Of a start record: the rules under which the commands after it are to be applied. */
  readonly rulesVersion?: string;
  /** Of a start record: what it says of the state, but for the digest. */
  readonly began?: Omit<StartState, 'effects'>;
  /** Of a seal: the state hash. */
  readonly hash?: string;
  /** The digest of the effects of all commands before this record; absent: not known. */
  readonly effects?: string;
  /** Of a poisoned record: the command, which is one of the batch before. */
  readonly poisoned?: Poisoned;
  /** Of a batch: its commands, parsed. */
  readonly commands: readonly unknown[];
  /** This record. */
  readonly position: LogPosition;
  /** Where it is, in words: "00000001.log at offset 512". */
  readonly place: string;
  /** How much of the log it takes. */
  readonly bytes: number;
}

/** Where a log ends. */
export interface LogEnd {
  /** The last record; undefined when there is none. */
  readonly position: LogPosition | undefined;
  readonly epoch: number;
  readonly lastSeq: number;
  /** The time of the last batch, in epoch milliseconds. */
  readonly timeMs: number;
  /** The last record is a seal: the log was stopped cleanly. */
  readonly sealed: boolean;
  /** Records that were read, those that no entry shows among them. */
  readonly records: number;
  /** Where it is, in words. */
  readonly place: string;
}

export interface LogSource {
  /**
   * The whole log, or what lies behind the origin, up to its end, which is judged: only an unfinished last batch is passed
   * over. @throws {LogDamaged} @throws {LogUnsupported}
   */
  read(origin?: LogOrigin): AsyncGenerator<LogEntry, LogEnd, void>;

  /**
   * Follows a log that is being written: from behind the origin; without one, from the beginning.
   * @throws {LogDamaged} the origin is not in the log
   */
  follow(origin?: LogOrigin): Promise<LogFollower>;

  /** How many bytes the log takes up to a record; of the whole log without one. An estimate, for progress and budgets. */
  size(position?: LogPosition): Promise<number>;
}

/** Reads a log a little at a time. What lies behind the last record that was taken is not judged. */
export interface LogFollower {
  /** The last record that was taken; undefined before the first. */
  readonly position: LogPosition | undefined;

  /** The records that come next, up to the durable `seq`. @throws {LogDamaged} the log does not reach that far */
  take(seq: number): AsyncGenerator<LogEntry, void, void>;

  /** The records that are there, whole, as far as they reach no further than `seq`. @throws {LogDamaged} */
  available(seq?: number): AsyncGenerator<LogEntry, void, void>;
}
