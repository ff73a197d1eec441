/** Which part of a log nothing in the data folder needs any more, so that it may be moved to another folder. */
import { passedPosition } from '../../engine/replay/snapshots.ts';
import type { LogPosition } from '../../log/contract/log-source.ts';
import type { LogStorage } from '../../log/contract/storage.ts';

const NO_SNAPSHOTS = 'fewer than two snapshots have a verified state that a start could begin with';

/**
 * The records that must stay in the folder, with everything after them. Text: why everything must stay.
 *
 * A start needs the log after the older of two verified snapshots. The archive continues after its last record.
 * `archived`: that record. Null: the archive is empty. Undefined: there is no archive, and a new one begins at a
 * snapshot.
 * @throws {LogDamaged} a snapshot is ahead of the log, or belongs to another one
 */
export async function neededRecords(
  storage: LogStorage,
  rules: string,
  archived: LogPosition | null | undefined,
): Promise<readonly LogPosition[] | string> {
  if (archived === null) return 'the archive is empty, and reads the whole log first';
  const passed = await passedPosition(storage, rules);
  if (passed === undefined) return NO_SNAPSHOTS;
  return archived === undefined ? [passed] : [passed, archived];
}

/** What a run has moved. */
export interface MovedLog {
  /** The number of segments that it has moved. */
  readonly moved: number;
  /** Segments that may be moved and are still there: run it again. */
  readonly left: number;
  /** The last seq that is not in the data folder any more. 0: nothing was moved yet. */
  readonly seq: number;
  /** True: the log's note of what was moved was lost, and was written again. */
  readonly noteRestored?: true;
  /** Why nothing was moved. */
  readonly reason?: string;
}

/** What is reported if no segment may be moved. */
export function nothingMoved(seq: number, why?: string): MovedLog {
  const reason = why ?? 'the older of the two newest snapshots, or the end of the archive, is in the first segment';
  return { moved: 0, left: 0, seq, reason };
}

/** What is reported of the note of what was moved. */
export function noteOf({ hasRestoredNote }: { readonly hasRestoredNote: boolean }): Pick<MovedLog, 'noteRestored'> {
  return hasRestoredNote ? { noteRestored: true } : {};
}
