/**
 * A storage holds what one venue keeps: its log, its snapshots, and a few small documents. It can be a data folder,
 * memory, or a database. Only `open.ts` knows which.
 *
 * Reading needs no lock. Writing needs ownership of the storage, and there is one owner at a time.
 */
import type { CommandLog, StartState } from './command-log.ts';
import type { Candidate } from './leader.ts';
import type { LogEntry, LogNews, LogOrigin, LogSource } from './log-source.ts';
import type { SnapshotStore } from './snapshot-store.ts';

export interface LogStorage {
  /** Its location, for messages. */
  readonly where: string;
  readonly source: LogSource;
  readonly snapshots: SnapshotStore;
  readonly documents: DocumentStore;

  /**
   * Takes the lock, and creates the storage if it does not exist. `candidate`: waits until the present owner is gone,
   * however long that takes. Only for a storage with `watch`. @throws {LogLocked} names the owner
   */
  own(candidate?: Candidate): Promise<LogOwner>;

  /**
   * The name that the log has for this process, its owner. Undefined: it is not owned here, or no other process can take it
   * over while this one lives.
   */
  readonly ownerId?: string;

  /**
   * For a second storage of the same log in the owner's process, such as that of the archive's thread: once another process
   * has taken the log over, this one moves and removes nothing. Absent: no other process can take it over.
   */
  actFor?(ownerId: string): void;

  /**
   * Tells `news` whenever another process has appended to the log, until it is closed. Absent: nobody else can read a log
   * here that is in use.
   */
  watch?(news: LogNews): { close(): void };
}

/** The holder of the lock. */
export interface LogOwner {
  readonly storage: LogStorage;

  /**
   * Verifies and replays the log, removes the remains of an unfinished batch, and starts the next epoch. Before each
   * write the log checks that the lock is still held, and fails if it is not.
   * @throws {LogDamaged} @throws {LogUnsupported} @throws {RulesMismatch} the log cannot be used as it is
   * @throws {LogFull} there is no space for the start record
   */
  open(options: OpenOptions): Promise<CommandLog>;

  /** Releases the lock if the log was not opened. Closing a log releases the lock too. */
  release(): void;
}

export interface OpenOptions {
  /** The rules that this version applies. A log of other rules is refused. */
  rulesVersion: string;
  /** True: the storage was used before, so an empty log means that the log was lost. */
  mustExist?: boolean;
  /** Where reading begins. Absent: at the beginning. */
  origin?: LogOrigin;
  /** Receives every entry after the origin, in order, before the log is opened. */
  replay?: (entry: LogEntry) => void;
  /**
   * Returns the state for the start record. Called after the replay, before the first frame is written. It throws to
   * refuse the start.
   */
  state?: () => StartState;
  /** Receives notices for the operator, such as the removal of an unfinished batch. */
  onNotice?: (text: string) => void;
}

/** Small documents. After a crash each is complete: the old text or the new one. */
export interface DocumentStore {
  /** True if a document, or anything else, has that name. */
  has(name: string): Promise<boolean>;
  /** Undefined if there is none of that name. */
  read(name: string): Promise<string | undefined>;
  /** Resolves when it is durable. @throws {LogFull} */
  write(name: string, text: string): Promise<void>;
}
