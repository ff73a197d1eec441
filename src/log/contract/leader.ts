/** The process that writes a log that others can read, and those that wait for it. */

/** The process that writes a log, for those that wait. */
export interface Leader {
  /** "process 123 on db-1". */
  readonly name: string;
  /** Where it serves, once it does. */
  readonly addresses: Addresses | undefined;
}

/** Where clients and operators reach a process: `http://db-1:8080`. */
export interface Addresses {
  readonly http: string;
  readonly control: string;
}

/** What waits to own a storage. */
export interface Candidate {
  /** Another process owns it, or serves elsewhere than before. */
  onLeader(leader: Leader): void;
  /** Called once, if another process owns it. It is not taken before this resolves. */
  prepare(): Promise<void>;
  /** It can only continue a log that ends in a seal. */
  readonly needsSeal: boolean;
  /** It has no use for the storage any more: `own` rejects. */
  readonly hasGivenUp: boolean;
}
