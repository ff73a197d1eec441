/**
 * The command log: the contract every log keeps, whatever it stores its batches in.
 *
 * A log gives the commands of a venue their order and makes them durable. What it promises:
 * - `append` resolves only when the whole batch is durable; until then nobody may see anything of it.
 * - After a crash a batch is found whole or not at all, and every batch whose `append` resolved is found, once.
 * - Damage is refused with its place (`LogDamaged`); it is never skipped.
 * - One process at a time writes. Whoever opens a log owns its storage (`storage.ts`); before each write the log looks
 *   whether that is still so. Each opening is an epoch of its own.
 *
 * One batch is in flight at a time: what arrives meanwhile is the caller's next batch (group commit without a timer).
 * `log-source.ts` is the contract for reading.
 */
import type { LogPosition } from './log-position.ts';

/** What one `append` makes durable: commands that share one time and follow each other without a gap. */
export interface Batch {
  /** The sequence number of the first command: always `lastSeq + 1`. */
  readonly firstSeq: number;
  /** The venue's time of the batch, in epoch milliseconds. */
  readonly timeMs: number;
  /** One JSON text a command, so that a command is encoded once, wherever it goes. Never empty. */
  readonly commands: readonly string[];
  /** The digest of the effects of all commands before the batch (venue/state/effects-digest.ts); absent: not known. */
  readonly effects?: string;
}

/** What the state is where a log is ended cleanly. */
export interface SealedState {
  /** The digest of all effects; undefined: not known. */
  readonly effects: string | undefined;
  /** The state hash. */
  readonly hash: string;
}

/** What a start knows of the state that it goes on from. */
export interface StartState {
  /** The digest of all effects; undefined: not known, the last batch is not applied yet. */
  readonly effects: string | undefined;
  /** The log behind this start folds the digest from here on: what was before is not known. */
  readonly anew: boolean;
  /** The snapshot that the state was made from. Absent: the whole log was folded. */
  readonly snapshot?: BegunFrom;
  /** The id of the venue whose log this is; absent in logs of versions that had none. */
  readonly venueId?: string;
  /** What this start goes on without, though it was acknowledged. */
  readonly lost?: AcceptedLoss;
}

/** Commands that the log has lost, which an operator has accepted. */
export interface AcceptedLoss {
  readonly fromSeq: number;
  /** The last one that is known to have been. */
  readonly upToSeq: number;
  /** What knows of them. */
  readonly knownBy: string;
}

/** The snapshot that a start began from. Where other rules made it, it is a boundary, and belongs to the log. */
export interface BegunFrom {
  readonly seq: number;
  /** The state hash. */
  readonly hash: string;
  /** The rules that made it, if they are not those of the start. */
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

  /**
   * Makes the batch durable.
   * @throws {LogFull} nothing of the batch is in the log; it may be appended again once `makeRoom` resolves
   * @throws {LogFailed} the log is unusable: the process must end, and a restart recovers
   */
  append(batch: Batch): Promise<void>;

  /**
   * Reserves the room that the last refused batch needed.
   * @throws {LogFull} there is still none
   * @throws {LogFailed} as for `append`
   */
  makeRoom(): Promise<void>;

  /**
   * Makes durable that a command of the last batch made the venue throw, and is not to be applied; or that something due
   * by its time did, which is to be left out of it. Takes no sequence number.
   * @throws as `append`
   */
  poison(record: Poisoned): Promise<void>;

  /**
   * Ends the log cleanly: a log that ends in a seal and is later found shorter is refused. Nothing may be appended after.
   * `state`: of the venue that the log comes to; absent: not known.
   */
  seal(state?: SealedState): Promise<void>;

  /** Gives up files and lock. Without a `seal` before, this is what a crash leaves. */
  close(): Promise<void>;
}

/** A command that made the venue throw, or at which something due did: every reader of the log leaves that out. */
export interface Poisoned {
  readonly seq: number;
  /** The command's type. */
  readonly type: string;
  /** What was thrown, in words. */
  readonly error: string;
  /** What threw was this, due by the command's time: the command itself is applied. */
  readonly due?: { readonly kind: string; readonly dueMs: number; readonly key: number };
}

/** There is no room, or no file descriptor. The log stands at its last durable batch and may go on. */
export class LogFull extends Error {
  override readonly name = 'LogFull';
  readonly folder: string;
  readonly neededBytes: number;
  /** The same without the folder: for whom it does not concern where that is. */
  readonly need: string;

  /** `what` there is no room for: the command log, unless something else is said. `need`: what is missing, if not room. */
  constructor(
    folder: string,
    neededBytes: number,
    {
      what = 'the command log',
      need = `no space left for ${what}: ${neededBytes} bytes must be free`,
      ...options
    }: FullOptions = {},
  ) {
    super(`${need} in ${folder}`, options);
    this.folder = folder;
    this.neededBytes = neededBytes;
    this.need = need;
  }
}

interface FullOptions extends ErrorOptions {
  what?: string;
  need?: string;
}

/** There is no file descriptor: it is waited for as room is. */
export class LogOutOfFiles extends LogFull {
  constructor(folder: string, { what = 'the command log', ...options }: ErrorOptions & { what?: string } = {}) {
    const need = `too many open files, and ${what} needs another: raise the limit (ulimit -n), or close connections`;
    super(folder, 0, { ...options, need });
  }
}

/** What is stored does not pass its own checks. */
export class LogDamaged extends Error {
  override readonly name: string = 'LogDamaged';
  /** Where, in words: "00000001.log at offset 512". */
  readonly place: string;
  readonly reason: string;

  constructor(place: string, reason: string, { what = 'the command log', ...options }: DamageOptions = {}) {
    super(`${what} is damaged: ${place}: ${reason}`, options);
    this.place = place;
    this.reason = reason;
  }
}

interface DamageOptions extends ErrorOptions {
  /** What is damaged: the command log, unless something else is said. */
  what?: string;
}

/** A snapshot is not as it was written, or not what it says it is. */
export class SnapshotDamaged extends LogDamaged {
  override readonly name = 'SnapshotDamaged';

  constructor(place: string, reason: string, options?: ErrorOptions) {
    super(place, reason, { ...options, what: 'a snapshot' });
  }
}

/** What is stored is whole, but in a format that this version does not know. */
export class LogUnsupported extends Error {
  override readonly name = 'LogUnsupported';
  readonly place: string;

  constructor(place: string, what: string) {
    super(`this version cannot read the command log: ${place}: ${what}`);
    this.place = place;
  }
}

/** A write or a sync failed: what is on the disk is unknown, so the process must end. A failed sync is never retried. */
export class LogFailed extends Error {
  override readonly name = 'LogFailed';
}

/** Another process, or another venue in this one, owns the data folder. */
export class LogLocked extends Error {
  override readonly name = 'LogLocked';

  constructor(folder: string, owner: string) {
    super(`the data folder ${folder} is in use by ${owner}: stop it first, or choose another folder`);
  }
}

/** The log was written under other rules, so that applying its commands could give another state. */
export class RulesMismatch extends Error {
  override readonly name = 'RulesMismatch';

  /** `boundary`: where these rules went on from the others', with a snapshot that is missing. */
  constructor(logRules: string, ownRules: string, sealed: boolean, boundary?: BegunFrom) {
    const written = `the command log was written under rules ${logRules}, this version applies rules ${ownRules}`;
    const [problem, remedy] =
      boundary === undefined
        ? [
            sealed ? 'it was stopped cleanly, but there is no snapshot of its end' : 'it was not stopped cleanly',
            `start it once with the version of rules ${logRules} and stop that one`,
          ]
        : [
            `it goes on from the snapshot at seq ${boundary.seq} (state hash ${boundary.hash}), which is missing`,
            'put that snapshot back from a backup',
          ];
    super(`${written}; ${problem}: ${remedy}`);
  }
}
