/**
 * The contract for reading a log. Every backend keeps it, wherever it stores its records. `command-log.ts` is the one
 * for writing.
 *
 * - A reader gets, record by record, what was made durable, in order and without gaps. Everything is verified. The
 *   first mismatch stops the reading with `LogDamaged`, which names the place in words.
 * - A reader takes no lock. A venue may be writing the same log.
 * - The beginning of a log may have been moved to another place. Then reading begins after it (`moved`), and nobody takes
 *   that for damage.
 * - A position names a record, and so everything up to it. It is a plain value: save it as JSON and give it back later.
 *   Use only its `seq` and its `hash`. The rest belongs to the log that made it.
 */
import type { MovedText, Poisoned, StartState } from './command-log.ts';
import type { LogPosition } from './log-position.ts';

export type { LogPosition };

/**
 * Where reading begins: after a record that a snapshot or an archive names. Reading cannot begin at a batch if a later
 * record says that one of its commands is poisoned: no state fits there, and reading is refused.
 */
export interface LogOrigin {
  readonly position: LogPosition;
  /** The rules that made the state at this position. */
  readonly rulesVersion: string;
  /** What messages call the position: "000000000012.snapshot". */
  readonly name: string;
}

/** The beginning of a log that was moved to another place. Reading can begin after it. */
export interface MovedPart extends LogOrigin, MovedText {
  /** The id of the venue. Absent if its log had none. */
  readonly venueId?: string;
}

/** One record as it is read back. */
export interface LogEntry {
  readonly kind: 'start' | 'batch' | 'seal' | 'poisoned';
  /** Counts the starts of the log: the first start is epoch 1. */
  readonly epoch: number;
  /** Records without commands (all but batches) have the seq of the next command. */
  readonly firstSeq: number;
  /** `firstSeq - 1` if the record holds no command. */
  readonly lastSeq: number;
  readonly timeMs: number;
  /** Start records only: the rules for the commands after it. */
  readonly rulesVersion?: string;
  /** Start records only: its state, except the digest. */
  readonly began?: Omit<StartState, 'effects'>;
  /** Seals only: the state hash. */
  readonly hash?: string;
  /** The digest of the effects of all commands before this record. Absent: unknown. */
  readonly effects?: string;
  /** Poisoned records only: a command of the batch before. */
  readonly poisoned?: Poisoned;
  /** Batches only: the parsed commands. */
  readonly commands: readonly unknown[];
  /** This record. */
  readonly position: LogPosition;
  /** The place in words: "00000001.log at offset 512". */
  readonly place: string;
  /** The size of the record. */
  readonly bytes: number;
}

/** The end of a log. */
export interface LogEnd {
  /** The last record. Undefined if there is none. */
  readonly position: LogPosition | undefined;
  readonly epoch: number;
  readonly lastSeq: number;
  /** The time of the last batch, in epoch milliseconds. */
  readonly timeMs: number;
  /** True: the last record is a seal, so the log was stopped cleanly. */
  readonly sealed: boolean;
  /** Records that were read, including those that are not yielded as entries. */
  readonly records: number;
  /** The place in words. */
  readonly place: string;
}

export interface LogSource {
  /**
   * Reads the log from the origin, or from its beginning, to its end. Verifies the end: only an unfinished last batch
   * is skipped.
   * @throws {LogDamaged} @throws {LogUnsupported} @throws {LogMoved} the log before that was moved away
   */
  read(origin?: LogOrigin): AsyncGenerator<LogEntry, LogEnd, void>;

  /**
   * Follows a log that is being written, from the origin or from the beginning.
   * @throws {LogDamaged} the origin is not in the log @throws {LogMoved} the log before that was moved away
   */
  follow(origin?: LogOrigin): Promise<LogFollower>;

  /** The part that was moved away and cannot be read here. Undefined: there is no such part. @throws {LogDamaged} */
  moved(): Promise<MovedPart | undefined>;

  /** The size in bytes up to a record, or of the whole log. An estimate, for progress and budgets. */
  size(position?: LogPosition): Promise<number>;
}

/** What hears that another process writes the log. */
export interface LogNews {
  /**
   * There may be more to read. Everything up to `seq` is durable: no failure of one machine takes it back. What is beyond may be
   * read too, and may still be lost.
   */
  onGrown(seq: number): void;
  /** Nothing is missing: all that was written before `sinceMs` (monotonic time) was reported. */
  onHeard(sinceMs: number): void;
  /** Nothing is heard at present, and why. `onGrown` follows when that is over. */
  onCutOff(problem: string): void;
}

/** Reads a log in small pieces. It does not verify anything after the last record that it took. */
export interface LogFollower {
  /** The last record that was taken. Undefined before the first. */
  readonly position: LogPosition | undefined;

  /** Takes the next records, up to the durable `seq`. @throws {LogDamaged} the log does not reach that far */
  take(seq: number): AsyncGenerator<LogEntry, void, void>;

  /** Takes the complete records that are present, up to `seq`. @throws {LogDamaged} */
  available(seq?: number): AsyncGenerator<LogEntry, void, void>;
}
