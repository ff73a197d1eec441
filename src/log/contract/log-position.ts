/** A position in a log, shared by the contracts for writing (command-log.ts) and reading (log-source.ts). */

/** Names a record, and so everything up to it. Opaque except for these two fields. */
export interface LogPosition {
  /** The last seq up to and including the record. */
  readonly seq: number;
  /** Distinguishes the record from those of other logs, and of other histories of this log. */
  readonly hash: string;
}
