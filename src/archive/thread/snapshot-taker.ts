/**
 * Takes the archive's snapshots: one after every so many commands, and one on request. Their source is the archive's
 * follower or, while the archive is in trouble, a replica.
 *
 * If the cause of a failure can pass, such as a full disk, the snapshot is tried again after a wait. If not, such as a
 * state that is too large for one string, the next attempt is at the next regular snapshot, and a start meanwhile reads
 * more of the log.
 */
import type { World } from '../../engine/contract/world.ts';
import type { SnapshotWritten } from '../../engine/replay/snapshots.ts';
import { LogFull, LogOutOfFiles, LogUnavailable, LogUnreachable } from '../../log/contract/command-log.ts';
import type { LogStorage } from '../../log/contract/storage.ts';
import { isNoDescriptor } from '../../log/shared/system-errors.ts';
import type { Follower } from '../follow/follower.ts';
import type { Replica } from '../follow/replica.ts';
import { ArchiveUnavailable } from '../store/errors.ts';
import { Backoff } from './backoff.ts';

/** Why no snapshot was taken. */
export interface NotTaken {
  readonly message: string;
  /** True: the disk is full. */
  readonly noRoom: boolean;
}

export interface SnapshotTakerOptions {
  readonly storage: LogStorage;
  readonly world: Pick<World, 'monotonicMs'>;
  /** Commands between two snapshots. */
  readonly every: number;
  /** Called when a snapshot was taken (undefined), and when the reason why none is taken has changed. */
  readonly onProblem: (problem: string | undefined) => void;
}

export class SnapshotTaker {
  readonly #storage: LogStorage;
  readonly #world: SnapshotTakerOptions['world'];
  readonly #every: number;
  readonly #onProblem: SnapshotTakerOptions['onProblem'];
  /** The seq at which the next regular one is due. */
  #dueSeq = 0;
  /** Before this time, snapshots are taken only on request. */
  #notBeforeMs = 0;
  readonly #backoff = new Backoff();
  #problem: string | undefined;

  constructor({ storage, world, every, onProblem }: SnapshotTakerOptions) {
    this.#storage = storage;
    this.#world = world;
    this.#every = every;
    this.#onProblem = onProblem;
  }

  /**
   * Finds the newest snapshot. The next one is due `every` commands later. If the log cannot be reached, one is due as soon as
   * it can.
   */
  async begin(): Promise<void> {
    try {
      const [newest] = await this.#storage.snapshots.list();
      this.#dueSeq = (newest?.seq ?? 0) + this.#every;
    } catch (error) {
      if (!(error instanceof LogUnreachable)) throw error;
    }
  }

  /** Whether a snapshot is due. `requestedSeq`: a request wants one at this seq or later. Undefined: there is none. */
  isDue(applied: number, requestedSeq: number | undefined): boolean {
    if (requestedSeq !== undefined) return applied >= requestedSeq;
    return applied >= this.#dueSeq && this.#world.monotonicMs() >= this.#notBeforeMs;
  }

  /** When a snapshot that is due is tried again. Undefined: none waits. */
  retryAtMs(applied: number): number | undefined {
    return applied >= this.#dueSeq && this.#notBeforeMs > this.#world.monotonicMs() ? this.#notBeforeMs : undefined;
  }

  /**
   * Takes the snapshot that is due. `source` resolves with what it is taken of, or undefined while there is nothing.
   * Returns what was written, or why nothing was. Undefined: the source has not yet reached the seq that is needed.
   */
  async take(
    applied: number,
    requestedSeq: number | undefined,
    source: () => Promise<Follower | Replica | undefined>,
  ): Promise<SnapshotWritten | NotTaken | undefined> {
    let seq = applied;
    try {
      const from = await source();
      if (from === undefined || from.venue.seq < (requestedSeq ?? this.#dueSeq)) return undefined;
      seq = from.venue.seq;
      const written = await from.snapshot();
      this.#dueSeq = seq + this.#every;
      this.#problem = undefined;
      this.#onProblem(undefined);
      return written;
    } catch (error) {
      return this.#notTaken(seq, error as Error);
    }
  }

  #notTaken(seq: number, error: Error): NotTaken {
    const { message } = error;
    if (error instanceof LogUnavailable || error instanceof ArchiveUnavailable || isNoDescriptor(error)) {
      this.#notBeforeMs = this.#world.monotonicMs() + this.#backoff.next(this.#world.monotonicMs());
    } else {
      this.#dueSeq = seq + this.#every;
    }
    if (this.#problem !== message) this.#onProblem(`no snapshot at seq ${seq}: ${message}`);
    this.#problem = message;
    const noLogRoom = error instanceof LogFull && !(error instanceof LogOutOfFiles);
    return { message, noRoom: noLogRoom || (error instanceof ArchiveUnavailable && error.noRoom) };
  }
}
