/**
 * The replica that is used instead of the archive's follower while the archive is in trouble: snapshots are taken of it,
 * and the whole state is read from it.
 */
import type { LogStorage } from '../../log/contract/storage.ts';
import type { MonotonicClock, StateIdentity } from '../follow/follower.ts';
import { Replica } from '../follow/replica.ts';

export interface SpareReplicaOptions {
  readonly storage: LogStorage;
  readonly identity: StateIdentity;
  readonly world: MonotonicClock;
  /** How long it is advanced at a time. */
  readonly roundMs: number;
}

export class SpareReplica {
  readonly #options: SpareReplicaOptions;
  #replica: Replica | undefined;

  constructor(options: SpareReplicaOptions) {
    this.#options = options;
  }

  /** The replica, one round nearer to the applied seq. Begins anew after a failure. Throws as `Replica.open`. */
  async advanced(applied: number): Promise<Replica> {
    const { storage, identity, world, roundMs } = this.#options;
    try {
      this.#replica ??= await Replica.open(storage, applied, identity);
      await this.#replica.advance(applied, roundMs, world);
      return this.#replica;
    } catch (error) {
      this.#replica = undefined;
      throw error;
    }
  }

  /** The archive is in service again. */
  drop(): void {
    this.#replica = undefined;
  }
}
