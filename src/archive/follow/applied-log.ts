/**
 * A venue that follows a log, and the record that it has reached, which a snapshot of it must name.
 *
 * Invariant: every command up to `position` is applied, and none after it. A batch is applied once the next record is there,
 * or once the venue has applied it. On a leader that record then says whether a command is left out. On a standby it may come
 * later, if the leader alone has left the command out: then the state here is wrong, and is given up.
 */
import { endsBatch, type LogReplayer } from '../../engine/replay/log-replayer.ts';
import type { LogEntry, LogFollower, LogPosition } from '../../log/contract/log-source.ts';
import { ArchiveDamaged } from '../store/errors.ts';

export class AppliedLog {
  readonly replayer: LogReplayer;
  readonly #log: LogFollower;
  #position: LogPosition | undefined;
  /** A batch was taken and is not applied yet. */
  #holds = false;

  /** The replayer's venue is in the state at which the follower begins. */
  constructor(log: LogFollower, replayer: LogReplayer) {
    this.#log = log;
    this.replayer = replayer;
    this.#position = log.position;
  }

  /** Undefined before the first record. */
  get position(): LogPosition | undefined {
    return this.#position;
  }

  /**
   * Takes records up to the applied `seq` while `goesOn`. True: it is there. `onEntry` gets each record when all
   * batches before it are applied.
   * @throws {ArchiveDamaged} a command that is applied here was left out
   */
  async advance(seq: number, goesOn: () => boolean, onEntry: (entry: LogEntry) => void = () => {}): Promise<boolean> {
    let before = this.#log.position;
    for await (const entry of this.#log.take(seq)) {
      if (endsBatch(entry)) this.#finish(before);
      if (entry.poisoned !== undefined && !this.#holds) {
        throw new ArchiveDamaged(`the command at seq ${entry.poisoned.seq} was left out after it was applied here`);
      }
      onEntry(entry);
      this.replayer.take(entry);
      if (endsBatch(entry)) this.#holds = entry.kind === 'batch';
      before = this.#log.position;
      if (!goesOn()) return false;
    }
    this.#finish(before);
    return true;
  }

  /** Applies the batch that is held back. Then everything up to `before` is applied. */
  #finish(before: LogPosition | undefined): void {
    this.replayer.finish();
    this.#holds = false;
    this.#position = before;
  }
}
