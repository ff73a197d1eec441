/**
 * Rebuilds a venue from the newest sound snapshot and the log after it, or from the whole log.
 *
 * Invariant: the result is the state after every durable command except the poisoned ones. If a command or timer of the
 * last batch throws, and a crash prevented its record, it is recorded now and left out. A command of an earlier batch
 * was applied once and others depend on it, so then the start is refused.
 */
import {
  type AcceptedLoss,
  type BegunFrom,
  type CommandLog,
  LogDamaged,
  LogMoved,
  LogOutOfFiles,
  RulesMismatch,
  SnapshotDamaged,
  type StartState,
} from '../../log/contract/command-log.ts';
import type { LogEntry, MovedPart } from '../../log/contract/log-source.ts';
import type { LogOwner, LogStorage, OpenOptions } from '../../log/contract/storage.ts';
import { isNoDescriptor } from '../../log/shared/system-errors.ts';
import { Venue } from '../../venue/venue.ts';
import type { OnNotice } from '../contract/notice.ts';
import { realWorld, type World } from '../contract/world.ts';
import { beginningOf, logPart, type Part, refuseOthers } from '../identity/venue-id.ts';
import { KnownHashes } from './differs.ts';
import { type Apply, CommandFailed, LogReplayer, stateHash } from './log-replayer.ts';
import { type DamagedSnapshot, newestSnapshot, originOf, type Snapshot, setAside } from './snapshots.ts';

const PROGRESS_COMMANDS = 50_000;
/** A start checks this much of the log before the snapshot. If there is more, the background check does all of it. */
const CHECKED_AT_START_BYTES = 32 * 1024 * 1024;
const WHOLE = 'restore the folder from a backup';
/** How long a rebuild beside requests blocks the event loop at a time. */
const SLICE_MS = 10;

/** The progress of a replay. */
export interface Progress {
  readonly seq: number;
  /** Venue time, epoch milliseconds. */
  readonly timeMs: number;
  /** The share of the log that is replayed, by length: 0 to 1. */
  readonly fraction: number;
}

export interface RebuildOptions {
  /** The rules that this version applies. */
  rulesVersion: string;
  apply?: Apply;
  world?: World;
}

export interface RecoveryOptions extends RebuildOptions, Pick<OpenOptions, 'rulesVersion' | 'mustExist' | 'onNotice'> {
  onProgress?: (progress: Progress) => void;
  /** The maximum part of the log before the snapshot that a start checks, in bytes. */
  checkedBytes?: number;
  /** Called with every entry before it is applied. May refuse it by throwing. */
  onEntry?: (entry: LogEntry) => void;
  /** Other parts that have the id of the venue. */
  beside?: readonly Part[];
  /** Creates the id if no part has one yet. Without it, the venue has none. */
  newVenueId?: () => string;
  /**
   * Called with the end of the log, before anything is written. May refuse it by throwing, or return an accepted loss.
   */
  checkEnd?: (lastSeq: number) => AcceptedLoss | undefined;
  /**
   * Called with the venue, before anything is written. May refuse it by throwing. If a command of the last batch throws, it is
   * called once that is recorded.
   */
  judge?: (venue: Venue) => void;
}

export interface Recovered {
  readonly log: CommandLog;
  /** The last command of the log when it was opened. */
  readonly lastSeq: number;
  readonly venue: Venue;
  readonly venueId: string | undefined;
  readonly lost: AcceptedLoss | undefined;
  /** False: the log has entries, but no seal at its end, as after a kill. */
  readonly endedCleanly: boolean;
  /** The rules that made the state, if these rules have applied no command to it yet. */
  readonly otherRules: string | undefined;
}

/**
 * Opens the log of an owned storage, and rebuilds its venue. An empty log gives a venue without a genesis.
 * @throws {LogDamaged} @throws {LogUnsupported} @throws {RulesMismatch} @throws {LogFull} @throws {CommandFailed}
 * @throws {SnapshotDamaged} a snapshot is damaged, and the log cannot rebuild its state
 * @throws {LogMoved} the beginning of the log is in another folder, and no sound snapshot continues it
 * @throws {OtherVenue} a part belongs to another venue
 * @throws {EffectsDiffer} @throws {StateDiffers} this version gets other results than the one that wrote the log
 */
export async function recover(owner: LogOwner, options: RecoveryOptions): Promise<Recovered> {
  const { storage } = owner;
  const damaged: DamagedSnapshot[] = [];
  const snapshot = await newestSnapshot(storage.snapshots, damaged);
  const beside = [...(options.beside ?? [])];
  if (snapshot !== undefined) beside.unshift({ name: snapshot.name, venueId: snapshot.head.venueId });
  const moved = await storage.source.moved();
  if (moved !== undefined) {
    if (snapshot === undefined)
      throw new LogMoved(moved, `no sound snapshot continues it${damageOf(damaged)}: ${WHOLE}`);
    beside.push({ name: moved.name, venueId: moved.venueId });
    options.onNotice?.(
      `the log up to seq ${moved.seq} is not in the folder: ${moved.what} was moved to ${moved.where}`,
    );
  }
  const checkEnd = (lastSeq: number) => {
    refuseBehind(damaged, lastSeq);
    return options.checkEnd?.(lastSeq);
  };
  try {
    const recovered = await recoverFrom(owner, snapshot, moved, beside, { ...options, checkEnd });
    await setAllAside(storage, damaged, recovered, options.onNotice);
    return recovered;
  } catch (error) {
    if (error instanceof RulesMismatch) refuseWithout(damaged, error);
    // A mismatch may come from another venue's part. That explains more than the place of the damage.
    if (error instanceof LogDamaged) refuseOthers([await beginningOf(storage.source), ...beside]);
    throw error;
  }
}

/**
 * A snapshot held durable commands. So a log that ends before one has lost something, even if the snapshot is damaged.
 */
function refuseBehind(damaged: readonly DamagedSnapshot[], lastSeq: number): void {
  const ahead = damaged.find(({ seq }) => seq > lastSeq);
  if (ahead === undefined) return;
  const { place, reason } = ahead.error;
  throw new SnapshotDamaged(place, `${reason}, and the log ends before it, at seq ${lastSeq}: ${WHOLE}`);
}

/** Which snapshot could have continued the log, in words. */
function damageOf([newest]: readonly DamagedSnapshot[]): string {
  return newest === undefined ? '' : ` (${newest.error.place}: ${newest.error.reason})`;
}

/** Refuses to continue the log without the damaged snapshot. */
function refuseWithout([newest]: readonly DamagedSnapshot[], cause: RulesMismatch): void {
  if (newest === undefined) return;
  const { place, reason } = newest.error;
  throw new SnapshotDamaged(place, `${reason}; put it back from a backup. Without it, ${cause.message}`, { cause });
}

async function setAllAside(
  { snapshots }: LogStorage,
  damaged: readonly DamagedSnapshot[],
  recovered: Recovered,
  onNotice: OnNotice = () => {},
): Promise<void> {
  try {
    for (const snapshot of damaged) onNotice(await setAside(snapshots, snapshot), 'warn');
  } catch (error) {
    await closeUnused(recovered);
    throw error;
  }
}

/**
 * Closes the log of a start that cannot go on. If the log was sealed, and has no command since, it is sealed again. Where that
 * fails too, the log looks as after a crash.
 */
export async function closeUnused({ log, venue, lastSeq, endedCleanly }: Recovered): Promise<void> {
  const isAsFound = log.lastSeq === lastSeq && lastSeq > 0;
  try {
    if (endedCleanly && isAsFound) await log.seal({ effects: venue.effects, hash: stateHash(venue) });
  } catch {
    // Why the start cannot go on says more.
  }
  await log.close();
}

async function recoverFrom(
  owner: LogOwner,
  snapshot: Snapshot | undefined,
  moved: MovedPart | undefined,
  beside: readonly Part[],
  options: RecoveryOptions,
): Promise<Recovered> {
  const { storage } = owner;
  const { onEntry, rulesVersion, mustExist, onNotice } = options;
  if (snapshot !== undefined) {
    await checkBefore(storage, snapshot, moved, options.checkedBytes ?? CHECKED_AT_START_BYTES);
  }
  const replayer = replayerFrom(snapshot, options);
  const report = await progressOf(storage, snapshot, options.onProgress);
  let failed: CommandFailed | undefined;
  let ofLog = logPart(undefined);
  let lastSeq = snapshot?.seq ?? 0;
  let lastKind: LogEntry['kind'] | undefined;
  let venueId: string | undefined;
  let lost: AcceptedLoss | undefined;
  const log = await owner.open({
    rulesVersion,
    mustExist,
    onNotice,
    origin: snapshot && originOf(snapshot),
    replay: (entry) => {
      onEntry?.(entry);
      if (entry.began?.venueId !== undefined) ofLog = logPart(entry.began.venueId, entry.place);
      lastSeq = entry.lastSeq;
      lastKind = entry.kind;
      replayer.take(entry);
      report(entry);
    },
    state: () => {
      failed = finished(replayer);
      const parts = [ofLog, ...beside];
      refuseOthers(parts);
      venueId = parts.find((part) => part.venueId !== undefined)?.venueId ?? options.newVenueId?.();
      lost = options.checkEnd?.(lastSeq);
      if (failed === undefined) options.judge?.(replayer.venue);
      const said = startState(replayer.venue, snapshot, failed !== undefined, rulesVersion);
      return { ...said, ...(venueId !== undefined && { venueId }), ...(lost && { lost }) };
    },
  });
  try {
    const venue = failed === undefined ? replayer.venue : await leaveOut(failed, storage, log, options, onNotice);
    if (failed !== undefined) options.judge?.(venue);
    // A seal comes after the snapshot of its end.
    const endedCleanly = lastKind === 'seal' || (lastKind === undefined && snapshot === undefined);
    const rules = snapshot?.seq === lastSeq ? snapshot.head.rules : rulesVersion;
    const otherRules = rules === rulesVersion ? undefined : rules;
    return { log, lastSeq, venue, venueId, lost, endedCleanly, otherRules };
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Checks the log before a snapshot, if that part is short. @throws {LogDamaged} */
async function checkBefore(
  { source }: LogStorage,
  snapshot: Snapshot,
  moved: MovedPart | undefined,
  mostBytes: number,
): Promise<void> {
  const { head } = snapshot;
  await source.follow(originOf(snapshot)); // Throws if the log is behind the snapshot.
  if ((await source.size(head.position)) > mostBytes) return;
  for await (const { lastSeq } of source.read(moved)) if (lastSeq >= head.seq) return;
}

/** The content of the start record. A venue without a digest of effects begins a new one here. */
export function startState(
  venue: Venue,
  snapshot: Snapshot | undefined,
  failed: boolean,
  rulesVersion: string,
): StartState {
  const from = snapshot && { snapshot: begunFrom(snapshot, rulesVersion) };
  if (failed) return { effects: undefined, anew: false, ...from };
  const anew = venue.effects === undefined;
  if (anew) venue.beginEffects();
  return { effects: venue.effects, anew, ...from };
}

function begunFrom({ head }: Snapshot, rulesVersion: string): BegunFrom {
  const { seq, hash, rules } = head;
  return { seq, hash, ...(rules !== rulesVersion && { rules }) };
}

/** Applies the last batch of a log. Returns a command or timer that throws and can be left out. */
function finished(replayer: LogReplayer): CommandFailed | undefined {
  try {
    replayer.finish();
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandFailed) || error.seq === 1) throw error;
    return error;
  }
}

/** Records what threw in the last batch of a log that was just opened, and rebuilds the venue without it. */
async function leaveOut(
  thrown: CommandFailed,
  storage: LogStorage,
  log: CommandLog,
  options: RebuildOptions,
  onNotice: OnNotice = () => {},
): Promise<Venue> {
  for (let failed: CommandFailed | undefined = thrown; ; ) {
    onNotice(`${failed.message}; ${failed.outcomeText}`, 'error');
    await log.poison(failed.record);
    const snapshot = await newestSnapshot(storage.snapshots);
    const again = replayerFrom(snapshot, options);
    for await (const entry of storage.source.read(snapshot && originOf(snapshot))) again.take(entry);
    failed = finished(again);
    if (failed === undefined) return again.venue;
  }
}

/**
 * The venue after the commands up to `seq` of a log that is in use. The event loop turns between slices of the work.
 * @throws {LogDamaged} @throws {CommandFailed} @throws {LogOutOfFiles} no file can be opened now
 */
export async function rebuild(storage: LogStorage, seq: number, options: RebuildOptions): Promise<Venue> {
  try {
    return await rebuilt(storage, seq, options);
  } catch (cause) {
    throw isNoDescriptor(cause) ? new LogOutOfFiles(storage.where, { what: 'reading the log', cause }) : cause;
  }
}

async function rebuilt(storage: LogStorage, seq: number, options: RebuildOptions): Promise<Venue> {
  const { world = realWorld } = options;
  const snapshot = await newestSnapshot(storage.snapshots);
  const replayer = replayerFrom(snapshot, options, seq);
  let until = world.monotonicMs() + SLICE_MS;
  for await (const entry of storage.source.read(snapshot && originOf(snapshot))) {
    replayer.take(entry);
    if (world.monotonicMs() < until) continue;
    await world.nextTurn();
    until = world.monotonicMs() + SLICE_MS;
  }
  replayer.finish();
  return replayer.venue;
}

/** Replays the log after a snapshot, or from its beginning. */
export function replayerFrom(
  snapshot: Snapshot | undefined,
  options: Omit<RebuildOptions, 'apply'> & { readonly apply?: Apply<unknown> },
  lastSeq?: number,
): LogReplayer {
  const { apply, rulesVersion } = options;
  const hashes = new KnownHashes(rulesVersion);
  if (snapshot !== undefined) {
    const { seq, hash, rules } = snapshot.head;
    hashes.add(seq, hash, snapshot.name, rules);
  }
  const venue = snapshot === undefined ? new Venue() : Venue.load(snapshot.text);
  return new LogReplayer(venue, { apply, lastSeq, hashes });
}

/** Reports progress at intervals of commands. */
export async function progressOf(
  { source }: LogStorage,
  snapshot: Snapshot | undefined,
  onProgress: (progress: Progress) => void = () => {},
): Promise<(entry: LogEntry) => void> {
  const before = snapshot === undefined ? 0 : await source.size(snapshot.head.position);
  const total = (await source.size()) - before;
  let reported = snapshot?.head.seq ?? 0;
  let taken = 0;
  return ({ lastSeq, timeMs, bytes }) => {
    taken += bytes;
    if (lastSeq < reported + PROGRESS_COMMANDS) return;
    reported = lastSeq;
    onProgress({ seq: lastSeq, timeMs, fraction: Math.min(1, taken / total) });
  };
}
