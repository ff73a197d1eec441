/**
 * A copy of the venue that follows the log of a running one, for snapshots alone: they go on while the archive cannot be
 * kept. It begins at the newest sound snapshot.
 *
 * Invariant: nothing is folded before the venue has applied it; `seq` is a command up to which the copy holds everything.
 */
import { endsBatch, LogReplayer } from '../engine/log-replayer.ts';
import { SILENT } from '../engine/recovery.ts';
import { originOf, type Snapshot, type SnapshotWritten } from '../engine/snapshots.ts';
import { realWorld } from '../engine/world.ts';
import type { LogFollower, LogPosition } from '../log/log-source.ts';
import type { LogStorage } from '../log/storage.ts';
import { baseOf, type Elapsed, type Keeper, writeChecked } from './follower.ts';

export class Replica {
  readonly #storage: LogStorage;
  readonly #log: LogFollower;
  readonly #fold: LogReplayer;
  readonly #by: Keeper;
  #position: LogPosition | undefined;

  private constructor(storage: LogStorage, base: Snapshot | undefined, log: LogFollower, by: Keeper) {
    this.#storage = storage;
    this.#by = by;
    this.#fold = new LogReplayer(base === undefined ? SILENT.fresh() : SILENT.load(base.text), {});
    this.#log = log;
    this.#position = log.position;
  }

  /** `durableSeq`: where the log ends. @throws {LogDamaged} @throws {RulesMismatch} there is nothing to begin with */
  static async open(storage: LogStorage, durableSeq: number, by: Keeper): Promise<Replica> {
    const base = await baseOf(storage, durableSeq, durableSeq, by.rules);
    return new Replica(storage, base, await storage.source.follow(base && originOf(base)), by);
  }

  /** The last command that it holds whole. */
  get seq(): number {
    return this.#position?.seq ?? 0;
  }

  /** Goes on towards the applied `seq`, for some milliseconds; true when it is there. */
  async advance(seq: number, milliseconds: number, world: Elapsed = realWorld): Promise<boolean> {
    const until = world.monotonicMs() + milliseconds;
    let before = this.#log.position;
    for await (const entry of this.#log.take(seq)) {
      // Taking it applies the batch before it: the copy stands behind that one, also where time is up.
      if (endsBatch(entry)) {
        this.#fold.finish();
        this.#position = before;
      }
      this.#fold.take(entry);
      before = this.#log.position;
      if (world.monotonicMs() > until) return false;
    }
    this.#fold.finish();
    this.#position = before;
    return true;
  }

  /** Writes a snapshot of where it is. Throws as the store does. */
  async snapshot(): Promise<SnapshotWritten> {
    if (this.#position === undefined) throw new Error('there is no state yet');
    return writeChecked(this.#storage.snapshots, this.#fold.venue, this.#position, this.#by);
  }
}
