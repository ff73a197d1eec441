/**
 * A copy of the venue that follows the log of a running one, without rows. It keeps snapshots and readings of the whole
 * state going while the archive is out of service. It begins at the newest sound snapshot.
 *
 * Invariant: nothing is applied before the venue has applied it.
 */

import { realWorld } from '../../engine/contract/world.ts';
import { LogReplayer } from '../../engine/replay/log-replayer.ts';
import { originOf, type Snapshot, type SnapshotWritten } from '../../engine/replay/snapshots.ts';
import type { LogFollower } from '../../log/contract/log-source.ts';
import type { LogStorage } from '../../log/contract/storage.ts';
import { Venue } from '../../venue/venue.ts';
import { AppliedLog } from './applied-log.ts';
import { baseOf, type MonotonicClock, type StateIdentity, writeChecked } from './follower.ts';

export class Replica {
  readonly #storage: LogStorage;
  readonly #log: AppliedLog;
  readonly #by: StateIdentity;

  private constructor(storage: LogStorage, base: Snapshot | undefined, log: LogFollower, by: StateIdentity) {
    this.#storage = storage;
    this.#by = by;
    this.#log = new AppliedLog(log, new LogReplayer(base === undefined ? new Venue() : Venue.load(base.text), {}));
  }

  /** `durableSeq`: the end of the log. @throws {LogDamaged} @throws {RulesMismatch} there is no state to begin with */
  static async open(storage: LogStorage, durableSeq: number, by: StateIdentity): Promise<Replica> {
    const base = await baseOf(storage, durableSeq, durableSeq, by.rules);
    return new Replica(storage, base, await storage.source.follow(base && originOf(base)), by);
  }

  /** The copy, after its last command. Callers must not change it. */
  get venue(): Venue {
    return this.#log.replayer.venue;
  }

  /** Continues towards the applied `seq`, for some milliseconds. True: it is there. */
  advance(seq: number, milliseconds: number, world: MonotonicClock = realWorld): Promise<boolean> {
    const until = world.monotonicMs() + milliseconds;
    return this.#log.advance(seq, () => world.monotonicMs() <= until);
  }

  /** Writes a snapshot of its state. Throws as the store does. */
  async snapshot(): Promise<SnapshotWritten> {
    const { position, replayer } = this.#log;
    if (position === undefined) throw new Error('there is no state yet');
    return writeChecked(this.#storage.snapshots, replayer.venue, position, this.#by);
  }
}
