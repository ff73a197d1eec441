/**
 * A copy of the venue that follows the log of a running one, for snapshots alone: they go on while the archive cannot be
 * kept. It begins at the newest sound snapshot.
 *
 * Invariant: nothing is folded before the venue has applied it; `seq` is a command up to which the copy holds everything.
 */
import { Fold } from '../engine/fold.ts';
import { SILENT } from '../engine/recovery.ts';
import { originOf, type SnapshotWritten } from '../engine/snapshots.ts';
import type { LogPosition } from '../log/file/chain.ts';
import type { Disk } from '../log/file/disk.ts';
import { LogFollower } from '../log/file/follow-log.ts';
import { baseOf, writeChecked } from './follower.ts';

export class Replica {
  readonly #disk: Disk;
  readonly #log: LogFollower;
  readonly #fold: Fold;
  #position: LogPosition | undefined;

  /** `durableSeq`: where the log ends. @throws {LogDamaged} @throws {RulesMismatch} there is nothing to begin with */
  constructor(disk: Disk, durableSeq: number) {
    this.#disk = disk;
    const base = baseOf(disk, durableSeq, durableSeq);
    this.#fold = new Fold(base === undefined ? SILENT.fresh() : SILENT.load(base.text), {});
    this.#log = new LogFollower(disk, base && originOf(base));
    this.#position = this.#log.position;
  }

  /** The last command that it holds whole. */
  get seq(): number {
    return this.#position?.seq ?? 0;
  }

  /** Goes on towards the applied `seq`, for some milliseconds; true when it is there. */
  advance(seq: number, milliseconds: number): boolean {
    const until = performance.now() + milliseconds;
    for (const entry of this.#log.take(seq)) {
      this.#fold.take(entry);
      if (performance.now() > until) return false;
    }
    this.#fold.finish();
    this.#position = this.#log.position;
    return true;
  }

  /** Writes a snapshot of where it is. Throws as the disk does. */
  async snapshot(): Promise<SnapshotWritten> {
    if (this.#position === undefined) throw new Error('there is no state yet');
    return writeChecked(this.#disk, this.#fold.venue, this.#position);
  }
}
