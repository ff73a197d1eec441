/**
 * The archive as the loop keeps it: opened, brought nearer to the venue's log in each round, and rebuilt or tried again
 * after an error.
 *
 * - A damaged archive is rebuilt from the log. But an archive that is ahead of the log is left unchanged: it is the only
 *   proof that the log has lost something.
 * - After any other error it is tried again, after increasing waits: it is in trouble, and refuses questions with the
 *   reason.
 */
import type { NoticeLevel } from '../../engine/contract/notice.ts';
import type { World } from '../../engine/contract/world.ts';
import { LogDamaged, LogUnreachable } from '../../log/contract/command-log.ts';
import type { LogStorage } from '../../log/contract/storage.ts';
import { isNoDescriptor } from '../../log/shared/system-errors.ts';
import { Follower, firstRules, type StateIdentity } from '../follow/follower.ts';
import { ArchiveAhead, ArchiveDamaged, ArchiveForeign, ArchiveUnavailable } from '../store/errors.ts';
import type { Kept } from '../store/forgetting.ts';
import type { ArchivePlace } from '../store/place.ts';
import type { ArchiveStore } from '../store/store.ts';
import { Backoff } from './backoff.ts';
import { BehindReport } from './behind-report.ts';
import type { Reply, SharedProgress } from './messages.ts';

/** The wait before the next attempt if the file cannot be written now. The archive stays open, so an attempt is cheap. */
export const RETRY_MS = 1000;

/**
 * An archive found damaged more often than this is not rebuilt at once, but after increasing waits: the cause is
 * probably not chance.
 */
const MOST_REBUILDS = 3;

/** Why the archive is out of service. */
export interface Trouble {
  readonly problem: string;
  /** True: the disk is full. */
  readonly noRoom: boolean;
  /** The time of the next attempt, by `World.monotonicMs`. */
  readonly retryAtMs: number;
}

export interface Opened {
  readonly store: ArchiveStore;
  readonly follower: Follower;
}

export interface KeptArchiveOptions {
  readonly storage: LogStorage;
  readonly place: ArchivePlace;
  readonly identity: StateIdentity;
  /** The key of the venue's order ids. */
  readonly idKey: string | undefined;
  readonly keep: Kept;
  readonly progress: SharedProgress;
  readonly world: Pick<World, 'monotonicMs'>;
  /** How long it works at a time. */
  readonly roundMs: number;
  readonly send: (reply: Reply) => void;
  readonly notice: (text: string, level?: NoticeLevel) => void;
  /** Called when it is in service: at first, and after each trouble. */
  readonly onRecovered: () => void;
}

/** True: the log or the archive can be read later, and nothing is known to be wrong with them. */
export function isPassing(error: unknown): boolean {
  return isNoDescriptor(error) || error instanceof LogUnreachable;
}

export class KeptArchive {
  readonly #options: KeptArchiveOptions;
  readonly #backoff = new Backoff();
  readonly #report: BehindReport;
  #opened: Opened | undefined;
  /** Set while an archive of an older layout is converted: how much is done, 0 to 1. */
  #migration: Generator<number> | undefined;
  #trouble: Trouble | undefined;
  #recoveryReported = false;
  #rebuilds = 0;
  /**
   * Why an archive that is rebuilt from the log begins later than the log did. Undefined: it does not. These rules cannot
   * apply commands of others, and cannot read what was moved to another folder.
   */
  #beginsLate: string | undefined = 'the beginning of the log could not be read';

  constructor(options: KeptArchiveOptions) {
    this.#options = options;
    this.#report = new BehindReport(options);
  }

  /** Undefined: it is not open yet, or is being rebuilt. */
  get opened(): Opened | undefined {
    return this.#opened;
  }

  /** Undefined: it is in service. */
  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  get isMigrating(): boolean {
    return this.#migration !== undefined;
  }

  /** Looks how far back the log reaches. Called at first, and when a part of it was moved. */
  async lookAtBeginning(): Promise<void> {
    this.#beginsLate = await this.#whyLate();
  }

  async #whyLate(): Promise<string | undefined> {
    const { storage, identity, progress, notice } = this.#options;
    try {
      const moved = await storage.source.moved();
      if (moved !== undefined) return `the log up to seq ${moved.seq} was moved to ${moved.where}`;
      const first = await firstRules(storage, progress.applied, identity.rules);
      return first === identity.rules ? undefined : 'the beginning of the log was written under other rules';
    } catch (error) {
      // The check of the history reports damage.
      if (!(error instanceof LogDamaged)) {
        notice(`the beginning of the log could not be read: ${(error as Error).message}`, 'warn');
      }
      return 'the beginning of the log could not be read';
    }
  }

  /**
   * Brings the archive nearer to `applied`, unless it waits for its next attempt. True: there is nothing more to do for
   * it now.
   */
  async advance(applied: number): Promise<boolean> {
    const { progress, roundMs, world } = this.#options;
    if (this.#trouble !== undefined && world.monotonicMs() < this.#trouble.retryAtMs) return true;
    try {
      if (this.#opened === undefined && !this.#migrate()) return false;
      const { follower } = await this.#open();
      const reached = await follower.advance(applied, roundMs, world);
      progress.archived = follower.seq;
      this.#report.at(follower.seq, applied, reached);
      if (reached) this.#reportRecovered();
      return reached;
    } catch (error) {
      this.mend(error);
      return this.#trouble !== undefined;
    }
  }

  /** Goes on with the migration of an older archive, if there is one. True: it is done, or there is none. */
  #migrate(): boolean {
    const { place, idKey, roundMs, world, notice } = this.#options;
    this.#migration ??= place.migration(idKey, this.#beginsLate === undefined);
    if (this.#migration === undefined) return true;
    const until = world.monotonicMs() + roundMs;
    let share = 0;
    while (world.monotonicMs() < until) {
      const step = this.#migration.next();
      if (step.done) {
        this.#migration = undefined;
        this.#report.forget();
        notice('the archive has the layout of this version');
        return true;
      }
      share = step.value;
    }
    this.#report.later(`the archive is brought into the layout of this version (${Math.floor(100 * share)}%)`);
    return false;
  }

  endMigration(): void {
    this.#migration?.return(undefined);
    this.#migration = undefined;
  }

  /**
   * Makes the archive durable before it is closed. True: it is durable, or out of service. Then the next start continues
   * it. False: it was found damaged, and is being rebuilt.
   */
  finish(): boolean {
    if (this.#trouble !== undefined) return true;
    try {
      this.#opened?.store.checkpoint();
      return true;
    } catch (error) {
      this.mend(error);
      return this.#trouble !== undefined;
    }
  }

  /** The archive. Opens it if it is not open. */
  async #open(): Promise<Opened> {
    if (this.#opened !== undefined) return this.#opened;
    const { place, storage, progress, identity, keep } = this.#options;
    const store = place.open();
    try {
      const follower = await Follower.open(storage, store, progress.applied, identity, keep);
      this.#opened = { store, follower };
    } catch (error) {
      store.close();
      throw error;
    }
    progress.knownFrom = this.#opened.follower.knownFromSeq;
    return this.#opened;
  }

  /** Decides what follows an error of the archive: it is rebuilt in the next round, or tried again later. */
  mend(error: unknown): void {
    this.endMigration();
    if (error instanceof ArchiveUnavailable) {
      this.#reportTrouble(
        `the archive is waiting, its file cannot be written: ${error.message}`,
        RETRY_MS,
        error.noRoom,
      );
      return;
    }
    if (isPassing(error)) {
      this.#reportTrouble(`the archive is waiting: ${(error as Error).message}`, RETRY_MS, false);
      return;
    }
    this.#opened?.store.close();
    this.#opened = undefined;
    let cause = error;
    if (error instanceof ArchiveDamaged && !(error instanceof ArchiveAhead)) {
      try {
        this.#remove(error);
        this.#rebuilds += 1;
        if (this.#rebuilds <= MOST_REBUILDS) return;
      } catch (failure) {
        cause = failure;
      }
    }
    const waitMs = this.#backoff.next(this.#options.world.monotonicMs());
    this.#reportTrouble(`the archive failed and will be retried: ${(cause as Error).message}`, waitMs, false);
  }

  /**
   * Removes the archive's file, so that the archive is rebuilt from the log. If the file knows what the log does not, it
   * is kept under another name.
   */
  #remove(error: ArchiveDamaged): void {
    const { place, notice } = this.#options;
    notice(`the archive is rebuilt from the log: ${error.message}`, 'warn');
    if (error instanceof ArchiveForeign) {
      const name = place.setAside('lost');
      notice(`the old archive is kept as ${name}, because it may hold commands that the log has lost`, 'warn');
    } else if (this.#beginsLate !== undefined) {
      const name = place.setAside('replaced');
      notice(`the old archive is kept as ${name}: ${this.#beginsLate}, so the new one begins later`, 'warn');
    }
    place.remove();
  }

  #reportTrouble(problem: string, waitMs: number, noRoom: boolean): void {
    const { world, notice, send } = this.#options;
    const isNews = this.#trouble?.problem !== problem;
    this.#trouble = { problem, noRoom, retryAtMs: world.monotonicMs() + waitMs };
    if (!isNews) return;
    notice(problem, 'error');
    send({ type: 'archive', problem });
  }

  #reportRecovered(): void {
    if (this.#trouble === undefined && this.#recoveryReported) return;
    this.#trouble = undefined;
    this.#options.onRecovered();
    this.#recoveryReported = true;
    this.#options.send({ type: 'archive', problem: undefined });
  }

  /** The file is closed. What is not durable is rebuilt from the log. */
  close(): void {
    this.#opened?.store.close();
  }
}
