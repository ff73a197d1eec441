/**
 * The contract for writing a command log. Every backend keeps it, wherever it stores its batches.
 *
 * A log orders the commands of a venue and makes them durable. It promises:
 * - `append` resolves only when the whole batch is durable. Until then nobody may see any effect of it.
 * - After a crash a batch is found whole or not at all. Every batch whose `append` resolved is found exactly once.
 * - Damage is refused with its place (`LogDamaged`). It is never skipped.
 * - One process at a time writes. The writer owns the storage (`storage.ts`), and the log checks that before each
 *   write. Each opening is a new epoch.
 *
 * One batch is in flight at a time. Commands that arrive meanwhile form the caller's next batch (group commit without a
 * timer).
 * `log-source.ts` is the contract for reading.
 */

import type { Addresses } from './leader.ts';
import type { LogPosition } from './log-position.ts';

/** What one `append` makes durable: commands with one time and consecutive sequence numbers. */
export interface Batch {
  /** The sequence number of the first command: always `lastSeq + 1`. */
  readonly firstSeq: number;
  /** The venue's time of the batch, in epoch milliseconds. */
  readonly timeMs: number;
  /** At least one. */
  readonly commands: EncodedCommands;
  /** The digest of the effects of all commands before the batch (venue/state/effects-digest.ts). Absent: unknown. */
  readonly effects?: string;
  /**
   * The calling thread may wait for the disk, which saves two changes of thread. Default: false. A log without a disk
   * on this machine ignores it.
   */
  readonly mayBlock?: boolean;
}

/** Commands in the form in which the log keeps them, so that each is encoded only once (shared/payload/encode.ts). */
export interface EncodedCommands {
  readonly count: number;
  readonly bytes: Buffer;
}

/** The state at the end of a log that is stopped cleanly. */
export interface SealedState {
  /** The digest of all effects. Undefined: unknown. */
  readonly effects: string | undefined;
  /** The state hash. */
  readonly hash: string;
}

/** What a start knows about the state that it continues from. */
export interface StartState {
  /** The digest of all effects. Undefined: unknown, because the last batch is not applied yet. */
  readonly effects: string | undefined;
  /** True: the log begins a new digest here, because the earlier effects are unknown. */
  readonly anew: boolean;
  /** The snapshot that the state was loaded from. Absent: the whole log was replayed. */
  readonly snapshot?: BegunFrom;
  /** The id of the venue. Absent in logs of versions that had no id. */
  readonly venueId?: string;
  /** Acknowledged commands that this start does without. */
  readonly lost?: AcceptedLoss;
}

/** Commands that the log has lost. An operator has accepted the loss. */
export interface AcceptedLoss {
  readonly fromSeq: number;
  /** The last lost command that is known. */
  readonly upToSeq: number;
  /** Where they are known from, such as the archive. */
  readonly knownBy: string;
}

/** The snapshot that a start began from. If other rules made it, it is a boundary, and part of the log. */
export interface BegunFrom {
  readonly seq: number;
  /** The state hash. */
  readonly hash: string;
  /** The rules that made it, if they differ from those of the start. */
  readonly rules?: string;
}

export interface CommandLog {
  /** Counts the starts of this log: the first start is epoch 1. */
  readonly epoch: number;
  /** The sequence number of the last durable command; 0 when there is none. */
  readonly lastSeq: number;
  /** The time of the last durable batch, in epoch milliseconds; 0 when there is none. */
  readonly lastTimeMs: number;
  /** The last durable record. */
  readonly position: LogPosition;
  /** What comes with a log on another machine. Undefined: the log is in this process, or in a folder that it owns. */
  readonly remote?: RemoteLog;

  /**
   * Makes the batch durable. A remote log does not reject while it cannot be reached: it waits until it knows whether the
   * batch is durable.
   * @throws {LogFull} nothing of the batch is in the log; append it again once `makeRoom` resolves
   * @throws {LogFailed} the log is unusable: the process must exit, and a restart recovers
   */
  append(batch: Batch): Promise<void>;

  /**
   * Reserves the space that the last refused batch needed.
   * @throws {LogFull} there is still not enough
   * @throws {LogFailed} as for `append`
   */
  makeRoom(): Promise<void>;

  /**
   * Records that a command of the last batch made the venue throw and must not be applied, or that a timer which was
   * due at its time did, and must be left out. Takes no sequence number.
   * @throws as `append`
   */
  poison(record: Poisoned): Promise<void>;

  /**
   * Ends the log cleanly. A log that ended in a seal and is later found shorter is refused. Nothing may be appended
   * after it.
   * `state` is the state at the end of the log. Absent: unknown.
   */
  seal(state?: SealedState): Promise<void>;

  /** Releases files and lock. Without a `seal` before, the log looks as after a crash. */
  close(): Promise<void>;
}

/**
 * A log that other processes may take over, and that may be out of reach. Safety does not depend on this: a batch of a
 * writer that another one has replaced is never written.
 */
export interface RemoteLog {
  /** What the log relies on for durability. Plain JSON, for `/health`, without secrets. */
  readonly reliesOn: object;
  /**
   * Why another process may be the writer by now, so that what this one knows may be old; or why what is acknowledged now
   * could be lost. Undefined: neither.
   */
  readonly doubt: string | undefined;

  /** Begins to report to `listener`, until the log is closed. */
  watch(listener: RemoteListener): void;

  /** Writes beside the log where this process serves. @throws {LogUnreachable} */
  announce(addresses: Addresses): Promise<void>;
}

export interface RemoteListener {
  /**
   * The record in flight has had no answer for so long that its clients should hear of it. Called again if the reason changes.
   * Undefined: its outcome is known now.
   */
  onUnknown(problem: string | undefined): void;
  /**
   * The process can no longer show that it is the writer, or that what it acknowledges is safe. Reported also while it writes
   * nothing. Called again if the reason changes. Undefined: it can again.
   */
  onUnshown(problem: string | undefined): void;
  /** Another process is the writer now. Nothing more can be written. */
  onReplaced(error: LogFailed): void;
}

/** A command that made the venue throw, or whose timer did. Every reader of the log leaves that out. */
export interface Poisoned {
  readonly seq: number;
  /** The command's type. */
  readonly type: string;
  /** The text of the error. */
  readonly error: string;
  /** The timer that threw. If it is set, the command itself is applied. */
  readonly due?: { readonly kind: string; readonly dueMs: number; readonly key: number };
}

/** The log cannot be used now. Nothing is known to be wrong with it, and it ends at its last durable batch: try again later. */
export class LogUnavailable extends Error {
  override readonly name: string = 'LogUnavailable';
  /** The message without the place of the log, for readers who need not know it. */
  readonly need: string;

  constructor(where: string, need: string, options?: ErrorOptions) {
    super(`${need} in ${where}`, options);
    this.need = need;
  }
}

/** No space, or no file descriptor. */
export class LogFull extends LogUnavailable {
  override readonly name = 'LogFull';
  readonly folder: string;
  readonly neededBytes: number;

  /** `what` has no space: the command log, unless given. `need`: what is missing, if it is not space. */
  constructor(
    folder: string,
    neededBytes: number,
    {
      what = 'the command log',
      need = `no space left for ${what}: ${neededBytes} bytes must be free`,
      ...options
    }: FullOptions = {},
  ) {
    super(folder, need, options);
    this.folder = folder;
    this.neededBytes = neededBytes;
  }
}

interface FullOptions extends ErrorOptions {
  what?: string;
  need?: string;
}

/** No file descriptor is available. The log waits for one as it waits for space. */
export class LogOutOfFiles extends LogFull {
  constructor(folder: string, { what = 'the command log', ...options }: ErrorOptions & { what?: string } = {}) {
    const need = `too many open files, and ${what} needs another: raise the limit (ulimit -n), or close connections`;
    super(folder, 0, { ...options, need });
  }
}

/** The database of the log cannot be reached. */
export class LogUnreachable extends LogUnavailable {
  override readonly name = 'LogUnreachable';

  /** `where`: the log, without its password. `why`: what the system says. */
  constructor(where: string, why: string, options?: ErrorOptions) {
    super(where, `the log cannot be reached: ${why}`, options);
  }
}

/** Stored data does not match its own checksums or structure. */
export class LogDamaged extends Error {
  override readonly name: string = 'LogDamaged';
  /** The place in words: "00000001.log at offset 512". */
  readonly place: string;
  readonly reason: string;

  constructor(place: string, reason: string, { what = 'the command log', ...options }: DamageOptions = {}) {
    super(`${what} is damaged: ${place}: ${reason}`, options);
    this.place = place;
    this.reason = reason;
  }
}

interface DamageOptions extends ErrorOptions {
  /** What is damaged: the command log, unless given. */
  what?: string;
}

/** A snapshot is not as it was written, or holds another state than it says. */
export class SnapshotDamaged extends LogDamaged {
  override readonly name = 'SnapshotDamaged';

  constructor(place: string, reason: string, options?: ErrorOptions) {
    super(place, reason, { ...options, what: 'a snapshot' });
  }
}

/** The beginning of a log, in words. */
export interface MovedText {
  /** The last seq in it. */
  readonly seq: number;
  /** "00000001.log to 00000040.log". */
  readonly what: string;
  /** Where it was moved. */
  readonly where: string;
}

/** The beginning of the log was moved to another place, and is needed here. Nothing is damaged. */
export class LogMoved extends Error {
  override readonly name = 'LogMoved';

  /** `why`: what needs it, and what to do. */
  constructor({ seq, what, where }: MovedText, why: string) {
    super(`the beginning of the log, up to seq ${seq} (${what}), was moved to ${where}: ${why}`);
  }
}

/** Stored data is intact, but its format is unknown to this version. */
export class LogUnsupported extends Error {
  override readonly name = 'LogUnsupported';
  readonly place: string;

  constructor(place: string, what: string) {
    super(`this version cannot read the command log: ${place}: ${what}`);
    this.place = place;
  }
}

/**
 * A write or a sync failed. What is on the disk is unknown, so the process must exit. A failed sync is never retried.
 */
export class LogFailed extends Error {
  override readonly name = 'LogFailed';
}

/** Another process, or another venue in this one, owns the data folder or the log in a database. */
export class LogLocked extends Error {
  override readonly name = 'LogLocked';

  constructor(where: string, owner: string, what: 'data folder' | 'log' = 'data folder') {
    const other = what === 'log' ? 'log' : 'folder';
    super(`the ${what} ${where} is in use by ${owner}: stop it first, or choose another ${other}`);
  }
}

/**
 * Why this version cannot use the log of another one. `continued`: it can continue it, but not replay it. `partly`: the same for
 * a part of it. A `BegunFrom` is the missing snapshot that it continues from.
 */
export type RulesProblem = 'newer' | 'notSealed' | 'noSnapshot' | 'continued' | 'partly' | BegunFrom;

/** The log was written under other rules. Applying its commands could give another state. */
export class RulesMismatch extends Error {
  override readonly name = 'RulesMismatch';

  constructor(logRules: string, ownRules: string, problem: RulesProblem) {
    const written = `the command log was written under rules ${logRules}, this version applies rules ${ownRules}`;
    super(`${written}; ${textOf(problem, logRules)}`);
  }
}

function textOf(problem: RulesProblem, logRules: string): string {
  const startOnce = `start it once with the version of rules ${logRules} and stop that one`;
  switch (problem) {
    case 'newer':
      return `rules ${logRules} are newer: start their version, or restore the backup from before the upgrade`;
    case 'notSealed':
      return `it was not stopped cleanly: ${startOnce}`;
    case 'noSnapshot':
      return `it was stopped cleanly, but there is no snapshot of its end: ${startOnce}`;
    case 'continued':
      return (
        'it was stopped cleanly, and a snapshot holds its end, so this version can continue it. ' +
        `Only the version of rules ${logRules} can replay it`
      );
    case 'partly':
      return `only the version of rules ${logRules} can replay its commands`;
    default:
      return (
        `it continues from the snapshot at seq ${problem.seq} (state hash ${problem.hash}), which is missing: ` +
        'put that snapshot back from a backup'
      );
  }
}

/** True if `rules` came after `others`. */
export function areNewer(rules: string, others: string): boolean {
  return Number(rules) > Number(others);
}
