/**
 * A venue that follows a log, and the record that it has reached, which a snapshot of it must name.
 *
 * Invariant: every command up to `position` is applied, and none after it. A batch is applied only once the next record
 * is there, because that record may leave a command out.
 */
import { endsBatch, type LogReplayer } from '../../engine/replay/log-replayer.ts';
import type { LogEntry, LogFollower, LogPosition } from '../../log/contract/log-source.ts';

export class AppliedLog {
  readonly replayer: LogReplayer;
  readonly #log: LogFollower;
  #position: LogPosition | undefined;

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
   */
  async advance(seq: number, goesOn: () => boolean, onEntry: (entry: LogEntry) => void = () => {}): Promise<boolean> {
    let before = this.#log.position;
    for await (const entry of this.#log.take(seq)) {
      if (endsBatch(entry)) this.#finish(before);
      onEntry(entry);
      this.replayer.take(entry);
      before = this.#log.position;
      if (!goesOn()) return false;
    }
    this.#finish(before);
    return true;
  }

  /** Applies the batch that is held back. Then everything up to `before` is applied. */
  #finish(before: LogPosition | undefined): void {
    this.replayer.finish();
    this.#position = before;
  }
}
