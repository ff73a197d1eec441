/**
 * A storage holds what one venue keeps: its log, its snapshots, and a few small documents. A data folder is one, memory is
 * another, and a database can be one. `open.ts` picks it; nobody else knows which one it is.
 *
 * Reading needs no lock. Writing needs the storage to be owned: one owner at a time.
 */
import type { CommandLog, StartState } from './command-log.ts';
import type { LogEntry, LogOrigin, LogSource } from './log-source.ts';
import type { SnapshotStore } from './snapshot-store.ts';

export interface LogStorage {
  /** Where it is, for messages. */
  readonly where: string;
  readonly source: LogSource;
  readonly snapshots: SnapshotStore;
  readonly documents: DocumentStore;

  /** Takes the lock, and makes the storage where there is none yet. @throws {LogLocked} names who holds it */
  own(): Promise<LogOwner>;
}

/** Whoever holds the lock. */
export interface LogOwner {
  readonly storage: LogStorage;

  /**
   * Verifies and replays the log, cuts the remains of an unfinished batch, and starts the next epoch. The log looks before
   * each write whether the lock is still held, and fails where it is not.
   * @throws {LogDamaged} @throws {LogUnsupported} @throws {RulesMismatch} the log is not to be used as it is
   * @throws {LogFull} there is no room for the start record
   */
  open(options: OpenOptions): Promise<CommandLog>;

  /** Gives up the lock, where the log was not opened. A log that is closed gives it up by itself. */
  release(): void;
}

export interface OpenOptions {
  /** The rules that this version applies; a log of other rules is refused. */
  rulesVersion: string;
  /** The storage was used before, so a log without a single record in it has been lost. */
  mustExist?: boolean;
  /** Where to begin reading; without one, at the beginning. */
  origin?: LogOrigin;
  /** Gets every entry that the log holds behind the origin, in order, before the log is opened. */
  replay?: (entry: LogEntry) => void;
  /** Gives what the start record says of the state; called when everything was replayed, before anything is written. */
  state?: () => StartState;
  /** What an operator should read: that an unfinished batch was cut. */
  onNotice?: (text: string) => void;
}

/** Small documents, each of them whole: the old text or the new one, whenever a crash comes. */
export interface DocumentStore {
  /** Whether there is a document, or anything else, of that name. */
  has(name: string): Promise<boolean>;
  /** Undefined when there is none of that name. */
  read(name: string): Promise<string | undefined>;
  /** Resolves when it is durable. @throws {LogFull} */
  write(name: string, text: string): Promise<void>;
}
