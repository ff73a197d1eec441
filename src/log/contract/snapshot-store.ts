/**
 * The contract for a store of snapshots beside a log. A snapshot has a head, which is plain JSON, and a text. The
 * writer decides what they hold.
 *
 * - A snapshot is listed only once it is complete and durable.
 * - A snapshot is read back bit by bit as it was written. Otherwise it is refused (`SnapshotDamaged`), and never
 *   skipped.
 * - A snapshot disappears only if it is removed or set aside by name.
 */
import type { LogPosition } from './log-position.ts';

/** An entry of the list. */
export interface SnapshotEntry {
  /** The last command in its state. */
  readonly seq: number;
  /** What messages call it: "000000000012.snapshot". */
  readonly name: string;
}

export interface StoredSnapshot extends SnapshotEntry {
  /** The head as it was given, after encoding to JSON and back. */
  readonly head: { readonly seq: number };
  /** The text in UTF-8. */
  readonly text: Buffer;
}

export interface SnapshotStore {
  /** Newest first. */
  list(): Promise<readonly SnapshotEntry[]>;

  /** Undefined if there is none of that seq. @throws {SnapshotDamaged} */
  read(seq: number): Promise<StoredSnapshot | undefined>;

  /**
   * Makes a snapshot durable and replaces one of the same seq. Copies `head` and `text` before it returns its promise.
   * Rejects with the store's error, or with `LogFull` if there is no space. Then nothing of the snapshot remains.
   * `position`: the record of the log that it continues.
   * @throws {LogDamaged} other processes can write the log, and it does not have that record (any more)
   */
  write(head: { readonly seq: number; readonly position?: LogPosition }, text: string): Promise<SnapshotEntry>;

  /** Removes a damaged snapshot from the list and keeps its data, if any, under another name. Returns that name. */
  setAside(seq: number): Promise<string>;

  /** Removes snapshots permanently. */
  remove(seqs: readonly number[]): Promise<void>;
}
