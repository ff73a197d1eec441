/** Where a log stands: shared by the contracts for writing (command-log.ts) and for reading (log-source.ts). */

/** A record of a log, and so everything up to it. Opaque, but for these two. */
export interface LogPosition {
  /** The last seq up to it. */
  readonly seq: number;
  /** What tells the record from that of any other log, or of another history of this one. */
  readonly hash: string;
}
