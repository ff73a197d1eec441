/** A process that waits for the log of another one, to write it after that one is gone. */
import type { Candidate, Leader } from './log/contract/leader.ts';
import type { LogOwner, LogStorage } from './log/contract/storage.ts';

export class Candidacy implements Candidate {
  needsSeal = false;
  hasGivenUp = false;
  /** Resolves when the log is owned. Rejects if it cannot be, or if the candidacy was given up. */
  readonly owner: Promise<LogOwner>;
  /** Called when the leader has changed, or serves elsewhere. */
  onChange: (leader: Leader) => void = () => {};
  /** The process that writes the log, as far as is known. */
  current: Leader | undefined;
  readonly #found = Promise.withResolvers<Leader>();
  readonly #prepared = Promise.withResolvers<void>();

  constructor(storage: LogStorage) {
    this.owner = storage.own(this).then((owner) => {
      if (this.hasGivenUp) owner.release();
      return owner;
    });
    this.owner.catch(() => {});
  }

  /** The process that writes the log. Undefined: nobody does, so this one owns it. @throws as `owner` */
  leader(): Promise<Leader | undefined> {
    return Promise.race([this.owner.then(() => undefined), this.#found.promise]);
  }

  /** From now on the log may be taken. */
  goOn(): void {
    this.#prepared.resolve();
  }

  giveUp(): void {
    this.hasGivenUp = true;
    this.goOn();
  }

  onLeader(leader: Leader): void {
    this.current = leader;
    this.#found.resolve(leader);
    this.onChange(leader);
  }

  prepare(): Promise<void> {
    return this.#prepared.promise;
  }
}
