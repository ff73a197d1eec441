/**
 * The records of a log as people look at them: one after another, with the seq of each command, whatever the format in
 * the file. Only reads and takes no lock. A venue may be writing: its unfinished batch is not seen.
 */
import { LogDamaged, LogMoved, LogUnsupported } from '../../log/contract/command-log.ts';
import type { LogEnd, LogEntry, LogOrigin, MovedPart } from '../../log/contract/log-source.ts';
import type { LogStorage } from '../../log/contract/storage.ts';
import { existingStorage, syncRecord } from '../../log/open.ts';
import { originOf, readSnapshot } from './snapshots.ts';

export interface RecordsOptions {
  /** The first seq: 1 by default. */
  readonly from?: number;
  /** The last seq: by default the last one of the log. */
  readonly to?: number;
  /** The folders that the beginning of the log was moved to. */
  readonly cold?: readonly string[];
}

/**
 * The records with commands from `from` to `to`, and only these commands of them. A record without commands belongs to the
 * seq that it names, or else to that of the next command. What precedes the newest snapshot before `from` is not read.
 * @throws {RangeError} the log does not reach that far @throws {LogMoved} `from` is in a folder that is not given
 * @throws {LogDamaged} @throws {LogUnsupported} after the records before that place
 */
export async function* logRecords(
  folder: string,
  { from = 1, to = Number.POSITIVE_INFINITY, cold }: RecordsOptions = {},
): AsyncGenerator<object, void, void> {
  const storage = existingStorage(folder, cold);
  const entries = storage.source.read(await originBefore(storage, from));
  let held: LogEntry | undefined;
  const next = async () => {
    try {
      return await entries.next();
    } catch (error) {
      return { error };
    }
  };
  for (;;) {
    const step = await next();
    const isEnd = 'error' in step || step.done === true;
    if (held !== undefined) {
      // The record after it proves that a record is durable. Its writer may not have synced the last one yet.
      if (isEnd) await syncRecord(folder, held.position);
      yield* shown(held, from, to);
    }
    if ('error' in step) throw step.error;
    if (step.done === true) return refuseBeyond(step.value, from, to);
    held = step.value;
    if (held.kind === 'batch' && held.firstSeq > to) return;
  }
}

function refuseBeyond({ lastSeq, place, position }: LogEnd, from: number, to: number): void {
  if (position === undefined) throw new LogDamaged(place, 'the log is missing or empty');
  const beyond = [from, to].find((seq) => Number.isFinite(seq) && seq > lastSeq);
  if (beyond === undefined || lastSeq === 0) return;
  throw new RangeError(`seq ${beyond}: the log holds the seqs 1 to ${lastSeq}`);
}

function* shown(entry: LogEntry, from: number, to: number): Generator<object> {
  const { kind, firstSeq, lastSeq, poisoned } = entry;
  const first = kind === 'batch' ? firstSeq : (poisoned?.seq ?? firstSeq);
  if (Math.max(first, lastSeq) >= from && first <= to) yield recordOf(entry, from, to);
}

/** A record, with its commands from `from` to `to`. */
export function recordOf(entry: LogEntry, from: number, to: number): object {
  const { kind, epoch, firstSeq, lastSeq, timeMs, rulesVersion, began, hash, effects, poisoned, place, bytes } = entry;
  const commands = entry.commands
    .map((command, i) => ({ seq: firstSeq + i, ...(command as object) }))
    .filter(({ seq }) => seq >= from && seq <= to);
  return {
    record: kind,
    epoch,
    ...(kind === 'batch' && { firstSeq, lastSeq }),
    time: timeMs,
    ...(rulesVersion !== undefined && { rules: rulesVersion, ...began }),
    ...(hash !== undefined && { stateHash: hash }),
    ...poisoned,
    ...(effects !== undefined && { effects }),
    place,
    bytes,
    frameHash: entry.position.hash,
    ...(kind === 'batch' && { commands }),
  };
}

/**
 * The newest snapshot before the seq that can be read, or the end of what was moved away. Undefined: the log is read from
 * its beginning.
 */
async function originBefore({ snapshots, source }: LogStorage, from: number): Promise<LogOrigin | undefined> {
  const moved = await source.moved();
  if (moved !== undefined) refuseMoved(moved, from);
  for (const { seq } of await snapshots.list()) {
    if (seq >= from || seq <= (moved?.seq ?? -1)) continue;
    try {
      const snapshot = await readSnapshot(snapshots, seq);
      if (snapshot !== undefined) return originOf(snapshot);
    } catch (error) {
      if (!(error instanceof LogDamaged || error instanceof LogUnsupported)) throw error;
    }
  }
  return moved;
}

function refuseMoved(moved: MovedPart, from: number): void {
  if (from > moved.seq) return;
  throw new LogMoved(moved, `give that folder with --cold, or begin with --from ${moved.seq + 1}`);
}
