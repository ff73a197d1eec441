/**
 * Follows the log of a running venue and applies it to a replica. The archive is built from the replica's events, and
 * the snapshots from its state. So neither costs the venue's own thread anything, however large its state is.
 *
 * Invariants:
 * - Nothing is applied before the venue has applied it, so a poisoned command, or a timer that the venue left out, is
 *   left out here too. On a standby the record of that may come when the rows are written: then the archive is rebuilt.
 * - Every command up to `#log.position` is applied, and none after it. Every row up to `#archived` is written.
 * - When a snapshot is written, the archive is durable up to the same point. So a later start finds an archive that is
 *   not older than the snapshot.
 */

import { realWorld, type World } from '../../engine/contract/world.ts';
import { ARCHIVE_FILE } from '../../engine/identity/manifest.ts';
import { CommandFailed, LogReplayer } from '../../engine/replay/log-replayer.ts';
import {
  loadSnapshot,
  originOf,
  pruneSnapshots,
  readSnapshot,
  type Snapshot,
  type SnapshotWritten,
  writeSnapshot,
} from '../../engine/replay/snapshots.ts';
import { LogDamaged, LogMoved, RulesMismatch, SnapshotDamaged } from '../../log/contract/command-log.ts';
import type { LogFollower, LogPosition } from '../../log/contract/log-source.ts';
import type { SnapshotStore } from '../../log/contract/snapshot-store.ts';
import type { LogStorage } from '../../log/contract/storage.ts';
import type { OrderIds } from '../../venue/contract/order-id.ts';
import { RULES_VERSION, Venue } from '../../venue/venue.ts';
import { ArchiveAhead, ArchiveDamaged, ArchiveForeign } from '../store/errors.ts';
import { KEEP_ALL, type Kept } from '../store/forgetting.ts';
import type { ArchiveState } from '../store/state.ts';
import type { ArchiveStore } from '../store/store.ts';
import { AppliedLog } from './applied-log.ts';
import { Projector } from './projector.ts';

/** The rules of this version, as text. Tests of a change of rules pass others. */
export const RULES = String(RULES_VERSION);

/** What an archive and snapshots belong to: the rules that apply the log, and the id of the venue. */
export interface StateIdentity {
  readonly rules: string;
  readonly venueId?: string;
}

const THIS_VERSION: StateIdentity = { rules: RULES };
/** `advance` stops and writes once this many rows wait. */
const MAX_PENDING = 20_000;

export type MonotonicClock = Pick<World, 'monotonicMs'>;

/** A replica with a projector. (A `LogFollower` only reads records.) */
export class Follower {
  readonly #storage: LogStorage;
  readonly #projector: Projector;
  readonly #store: ArchiveStore;
  readonly #log: AppliedLog;
  readonly #identity: StateIdentity;
  /** The position in the log up to which rows are written. */
  #archived: LogPosition | undefined;
  /** True: the records that come now are after that position. */
  #isPastArchived: boolean;

  private constructor(
    storage: LogStorage,
    store: ArchiveStore,
    base: Snapshot | undefined,
    log: LogFollower,
    identity: StateIdentity,
    keep: Kept,
  ) {
    this.#storage = storage;
    this.#identity = identity;
    this.#store = store;
    this.#projector = new Projector(store, keep);
    const venue = base === undefined ? new Venue() : Venue.load(base.text);
    this.#projector.follow(venue);
    // Only an empty archive is behind its base: `open` refuses others.
    if (base !== undefined && store.state.seq < base.seq) this.#projector.begin(base.seq, base.head.position);
    this.#projector.state.venueId ??= identity.venueId;
    this.#archived = this.#projector.state.position ?? undefined;
    this.#isPastArchived = this.#archived === undefined || this.#archived.hash === log.position?.hash;
    this.#log = new AppliedLog(log, new LogReplayer(venue, { apply: this.#projector.apply }));
  }

  /**
   * Loads a snapshot and replays the log after it. Rows are made only of the commands after the end of the archive.
   * `endSeq`: the last command that the venue has applied.
   * @throws {ArchiveDamaged} the archive is ahead of the log, belongs to another log, or ends before the last command
   * that was made under other rules, or whose part of the log was moved to another folder
   */
  static async open(
    storage: LogStorage,
    store: ArchiveStore,
    endSeq: number,
    identity = THIS_VERSION,
    keep = KEEP_ALL,
  ): Promise<Follower> {
    const { state } = store;
    await refuseForeign(storage, state, endSeq);
    const base = await baseOf(storage, state.seq, endSeq, identity.rules);
    if (base !== undefined && state.seq > 0 && state.seq < base.seq) {
      throw new ArchiveDamaged(
        base.head.rules === identity.rules
          ? `it ends at seq ${state.seq}, and the log from there to seq ${base.seq} is in another folder`
          : `it ends at seq ${state.seq}, and the commands after it up to seq ${base.seq} were made under rules ${base.head.rules}`,
      );
    }
    return new Follower(storage, store, base, await storage.source.follow(base && originOf(base)), identity, keep);
  }

  /** The last command in the archive. */
  get seq(): number {
    return this.#archived?.seq ?? 0;
  }

  /** The first command whose effects the archive knows. */
  get knownFromSeq(): number {
    return this.#projector.state.firstSeq;
  }

  get orderIds(): OrderIds {
    return this.venue.orderIds;
  }

  /**
   * The replica, after its last command. Callers must not change it. After a start it is behind `seq` until it has
   * replayed what the archive has.
   */
  get venue(): Venue {
    return this.#log.replayer.venue;
  }

  /**
   * Applies records up to `seq`, for about `milliseconds`, and writes the rows. Returns true if it has reached `seq`. The
   * venue must have applied `seq` already.
   * @throws {ArchiveDamaged}
   */
  async advance(seq: number, milliseconds: number, world: MonotonicClock = realWorld): Promise<boolean> {
    try {
      return await this.#advance(seq, milliseconds, world);
    } catch (error) {
      // The projector reads the archive while a command is applied. Damage that it finds is not the command's fault.
      throw error instanceof CommandFailed && error.cause instanceof ArchiveDamaged ? error.cause : error;
    }
  }

  async #advance(seq: number, milliseconds: number, world: MonotonicClock): Promise<boolean> {
    const until = world.monotonicMs() + milliseconds;
    const reached = await this.#log.advance(
      seq,
      () => world.monotonicMs() < until && this.#projector.pending < MAX_PENDING,
      (entry) => {
        if (entry.kind === 'batch') this.#projector.on = entry.firstSeq > this.seq;
        const { poisoned } = entry;
        if (poisoned !== undefined && this.#isPastArchived && poisoned.seq <= this.seq) {
          throw new ArchiveDamaged(`the command at seq ${poisoned.seq} was left out after it was archived`);
        }
        if (entry.position.hash === this.#archived?.hash) this.#isPastArchived = true;
      },
    );
    this.write();
    return reached;
  }

  /** Writes the rows that are not written yet. Passes on errors of the archive's store. */
  write(): void {
    const { position } = this.#log;
    // While it replays what the archive has, or if nothing is new, there is nothing to write.
    if (position === undefined || position.seq < this.seq || position.hash === this.#archived?.hash) return;
    this.#projector.write({ seq: position.seq, position });
    this.#archived = position;
  }

  /**
   * Removes orders that are no longer kept, for about `milliseconds`. True: there may be more. Passes on errors of the
   * archive's store.
   */
  forget(milliseconds: number, world: MonotonicClock = realWorld): boolean {
    const until = world.monotonicMs() + milliseconds;
    while (this.#projector.forget()) if (world.monotonicMs() >= until) return true;
    return false;
  }

  /** Writes a snapshot of its state, loads it again, and removes old ones. Passes on errors of the snapshot store. */
  async snapshot(): Promise<SnapshotWritten> {
    const { position } = this.#log;
    if (position === undefined) throw new Error('there is no state yet');
    this.#store.checkpoint(); // Makes the archive durable first (the third invariant).
    return writeChecked(this.#storage.snapshots, this.venue, position, this.#identity);
  }
}

/**
 * Writes a snapshot of `venue` at `position`, loads it again, and removes old ones. Passes on errors of the snapshot
 * store.
 */
export async function writeChecked(
  snapshots: SnapshotStore,
  venue: Venue,
  position: LogPosition,
  { rules, venueId }: StateIdentity,
): Promise<SnapshotWritten> {
  const written = await writeSnapshot(snapshots, rules, venue, position, venueId);
  const again = await readSnapshot(snapshots, written.seq);
  if (again === undefined) throw new SnapshotDamaged(written.name, 'it was just written and is missing now');
  loadSnapshot(again, rules);
  await pruneSnapshots(snapshots);
  return written;
}

/** Refuses an archive whose last record is not in this log. */
async function refuseForeign(storage: LogStorage, { position, seq }: ArchiveState, endSeq: number): Promise<void> {
  if (position === null) return;
  try {
    if (seq > endSeq) {
      throw new ArchiveAhead(
        `it reaches seq ${seq}, but the log ends at seq ${endSeq}: the log has lost its end, or is another log`,
      );
    }
    await storage.source.follow({ position, rulesVersion: RULES, name: ARCHIVE_FILE });
  } catch (error) {
    if (error instanceof LogMoved) throw new ArchiveDamaged(error.message, { cause: error });
    if (!(error instanceof LogDamaged)) throw error;
    throw new ArchiveForeign('its last record is not in this log', { cause: error });
  }
}

/**
 * The snapshot to start from: the newest sound one at or before `seq`. Undefined: start at the beginning of the log.
 *
 * These rules cannot apply commands of other rules. If such commands come after `seq`, it is their boundary snapshot. If
 * the log began under other rules and there is no boundary, it is the oldest snapshot of these rules. The same holds if
 * the beginning of the log was moved to another folder.
 * @throws {RulesMismatch} @throws {LogMoved} there is no usable snapshot
 */
export async function baseOf(
  storage: LogStorage,
  seq: number,
  durableSeq: number,
  rules: string,
): Promise<Snapshot | undefined> {
  const moved = await storage.source.moved();
  let oldest: Snapshot | undefined;
  for (const entry of await storage.snapshots.list()) {
    const snapshot = await soundSnapshot(storage.snapshots, entry.seq);
    if (snapshot === undefined) continue;
    if (moved !== undefined && !(await isContinued(storage, snapshot))) break;
    if (snapshot.head.rules !== rules && !(await isBoundary(storage, snapshot, durableSeq, rules))) break;
    if (snapshot.seq <= seq || snapshot.head.rules !== rules) return snapshot;
    oldest = snapshot;
  }
  if (moved !== undefined) {
    if (oldest === undefined) throw new LogMoved(moved, 'no snapshot continues it');
    return oldest;
  }
  const first = await firstRules(storage, durableSeq, rules);
  if (first === rules) return undefined;
  // Other rules made the beginning of the log, so the archive begins at the oldest state that exists.
  if (oldest === undefined) throw new RulesMismatch(first, rules, 'noSnapshot');
  return oldest;
}

/** False: the log after the snapshot was moved away, at least in part. */
async function isContinued({ source }: LogStorage, from: Snapshot): Promise<boolean> {
  try {
    await source.follow(originOf(from));
    return true;
  } catch (error) {
    if (error instanceof LogMoved) return false;
    throw error;
  }
}

/** True if no further command under other rules follows the snapshot. */
async function isBoundary({ source }: LogStorage, from: Snapshot, durableSeq: number, rules: string): Promise<boolean> {
  const log = await source.follow(originOf(from));
  for await (const { kind, rulesVersion } of log.available(durableSeq)) {
    if (kind === 'batch') return false;
    if (rulesVersion === rules) return true;
  }
  return true;
}

/** The rules at the beginning of a log of which nothing was moved. */
export async function firstRules({ source }: LogStorage, durableSeq: number, rules: string): Promise<string> {
  const log = await source.follow();
  for await (const { rulesVersion } of log.take(durableSeq)) return rulesVersion ?? rules;
  return rules;
}

/** Undefined: it is damaged, and an older one may do. The check of the history (check.ts) reports the damage. */
async function soundSnapshot(snapshots: SnapshotStore, seq: number): Promise<Snapshot | undefined> {
  try {
    return await readSnapshot(snapshots, seq);
  } catch (error) {
    if (error instanceof LogDamaged) return undefined;
    throw error;
  }
}
