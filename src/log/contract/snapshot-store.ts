/**
 * Snapshots beside a log: the contract every store of them keeps. What a snapshot holds is its writer's affair: a head, which
 * is plain JSON, and a text.
 *
 * - A snapshot is in the list only once it is whole and durable.
 * - What is read is, to the bit, what was written. A snapshot that is not is refused (`SnapshotDamaged`), never passed over.
 * - Nothing goes unless it is removed, or set aside, by name.
 */

/** A snapshot in the list. */
export interface SnapshotEntry {
  /** The last command that it holds. */
  readonly seq: number;
  /** What messages call it: "000000000012.snapshot". */
  readonly name: string;
}

export interface StoredSnapshot extends SnapshotEntry {
  /** As it was given, after a turn through JSON. */
  readonly head: { readonly seq: number };
  readonly text: string;
}

export interface SnapshotStore {
  /** Newest first. */
  list(): Promise<readonly SnapshotEntry[]>;

  /** Undefined when there is none of that seq. @throws {SnapshotDamaged} */
  read(seq: number): Promise<StoredSnapshot | undefined>;

  /**
   * Makes a snapshot durable; one of the same seq is replaced. `head` and `text` are taken before the call returns.
   * Throws as the store does, `LogFull` where there is no room: then nothing of it stays.
   */
  write(head: { readonly seq: number }, text: string): Promise<SnapshotEntry>;

  /** Takes a damaged snapshot out of the list, and keeps it under another name where there is something to keep; gives that name. */
  setAside(seq: number): Promise<string>;

  /** Removes snapshots for good. */
  remove(seqs: readonly number[]): Promise<void>;
}
