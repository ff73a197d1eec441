/**
 * Follows the log of a running venue and applies it to a replica. The archive is built from the replica's events, and
 * the snapshots from its state. So neither costs the venue's own thread anything, however large its state is.
 *
 * Invariants:
 * - Nothing is applied before the venue has applied it, so commands that the venue left out as poisoned are left out
 *   here too.
 * - `position` is a frame up to which the replica and the projector hold everything, and nothing more.
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
import { LogDamaged, RulesMismatch, SnapshotDamaged } from '../../log/contract/command-log.ts';
import type { LogFollower, LogPosition } from '../../log/contract/log-source.ts';
import type { SnapshotStore } from '../../log/contract/snapshot-store.ts';
import type { LogStorage } from '../../log/contract/storage.ts';
import type { OrderIds } from '../../venue/contract/order-id.ts';
import { RULES_VERSION, Venue } from '../../venue/venue.ts';
import { ArchiveAhead, ArchiveDamaged, type ArchiveState, type ArchiveStore } from '../store/store.ts';
import { AppliedLog } from './applied-log.ts';
import { Projector } from './projector.ts';

/** The rules that are applied, except in tests of a change of rules. */
export const RULES = String(RULES_VERSION);

/** Names what the archive and the snapshots belong to: the rules that apply the log, and the id of the venue. */
export interface Keeper {
  readonly rules: string;
  readonly venueId?: string;
}

const OWN: Keeper = { rules: RULES };
/** The maximum number of rows that wait for a transaction. */
const MAX_PENDING = 20_000;

export type Elapsed = Pick<World, 'monotonicMs'>;

export class Follower {
  readonly #storage: LogStorage;
  readonly #projector: Projector;
  readonly #store: ArchiveStore;
  readonly #log: AppliedLog;
  readonly #by: Keeper;
  /** The end of the archive. */
  #archived: LogPosition | undefined;

  private constructor(
    storage: LogStorage,
    store: ArchiveStore,
    base: Snapshot | undefined,
    log: LogFollower,
    by: Keeper,
  ) {
    this.#storage = storage;
    this.#by = by;
    this.#store = store;
    this.#projector = new Projector(store);
    const venue = base === undefined ? new Venue() : Venue.load(base.text);
    this.#projector.follow(venue);
    if (base !== undefined && store.state.seq < base.head.seq) this.#projector.begin(base.head.seq, base.head.position);
    this.#projector.state.venueId ??= by.venueId;
    this.#archived = this.#projector.state.position ?? undefined;
    this.#log = new AppliedLog(log, new LogReplayer(venue, { apply: this.#projector.apply }));
  }

  /**
   * Begins at the end of the archive. `durableSeq` is the end of the log.
   * @throws {ArchiveDamaged} the archive is ahead of the log, belongs to another log, or ends before other rules do
   */
  static async open(storage: LogStorage, store: ArchiveStore, durableSeq: number, by = OWN): Promise<Follower> {
    const { state } = store;
    await refuseAhead(storage, state, durableSeq);
    const base = await baseOf(storage, state.seq, durableSeq, by.rules);
    if (base !== undefined && state.seq > 0 && state.seq < base.seq) {
      throw new ArchiveDamaged(
        `it ends at seq ${state.seq}, and the commands after it up to seq ${base.seq} were made under rules ${base.head.rules}`,
      );
    }
    return new Follower(storage, store, base, await storage.source.follow(base && originOf(base)), by);
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
    return this.#log.replayer.venue.orderIds;
  }

  /**
   * Continues towards the applied `seq`, for some milliseconds. True: it is there, and everything is written.
   * @throws {ArchiveDamaged}
   */
  async advance(seq: number, milliseconds: number, world: Elapsed = realWorld): Promise<boolean> {
    try {
      return await this.#advance(seq, milliseconds, world);
    } catch (error) {
      // The archive is read while a command is applied. Then it was not the command that failed.
      throw error instanceof CommandFailed && error.cause instanceof ArchiveDamaged ? error.cause : error;
    }
  }

  async #advance(seq: number, milliseconds: number, world: Elapsed): Promise<boolean> {
    const until = world.monotonicMs() + milliseconds;
    const reached = await this.#log.advance(
      seq,
      () => world.monotonicMs() < until && this.#projector.pending < MAX_PENDING,
      (entry) => {
        if (entry.kind === 'batch') this.#projector.on = entry.firstSeq > this.seq;
      },
    );
    this.write();
    return reached;
  }

  /** Writes what is not written yet. Throws as the store does. */
  write(): void {
    const { position } = this.#log;
    if (position === undefined || position.seq < this.seq || position.hash === this.#archived?.hash) return;
    this.#projector.write({ seq: position.seq, position });
    this.#archived = position;
  }

  /** Writes a snapshot of its state, loads it again, and removes old ones. Throws as the disk does. */
  async snapshot(): Promise<SnapshotWritten> {
    const { position } = this.#log;
    if (position === undefined) throw new Error('there is no state yet');
    this.#store.checkpoint();
    return writeChecked(this.#storage.snapshots, this.#log.replayer.venue, position, this.#by);
  }
}

/** Writes a snapshot of `venue` at `position`, loads it again, and removes old ones. Throws as the store does. */
export async function writeChecked(
  snapshots: SnapshotStore,
  venue: Venue,
  position: LogPosition,
  { rules, venueId }: Keeper,
): Promise<SnapshotWritten> {
  const written = await writeSnapshot(snapshots, rules, venue, position, venueId);
  const again = await readSnapshot(snapshots, written.seq);
  if (again === undefined) throw new SnapshotDamaged(written.name, 'it was just written and is missing now');
  loadSnapshot(again, rules);
  await pruneSnapshots(snapshots);
  return written;
}

async function refuseAhead(storage: LogStorage, { position, seq }: ArchiveState, durableSeq: number): Promise<void> {
  if (position === null) return;
  try {
    if (seq > durableSeq) {
      throw new ArchiveAhead(
        `it reaches seq ${seq}, but the log ends at seq ${durableSeq}: the log has lost its end, or is another log`,
      );
    }
    await storage.source.follow({ position, rulesVersion: RULES, name: ARCHIVE_FILE });
  } catch (error) {
    if (!(error instanceof LogDamaged)) throw error;
    throw new ArchiveDamaged('it is ahead of the log, or belongs to another log', { cause: error });
  }
}

/**
 * The newest sound snapshot up to `seq`. Undefined: begin at the beginning of the log. Commands of other rules cannot
 * be applied, so there it is the boundary, however far `seq` is before it.
 */
export async function baseOf(
  storage: LogStorage,
  seq: number,
  durableSeq: number,
  rules: string,
): Promise<Snapshot | undefined> {
  let oldest: Snapshot | undefined;
  for (const entry of await storage.snapshots.list()) {
    const snapshot = await soundSnapshot(storage.snapshots, entry.seq);
    if (snapshot === undefined) continue;
    if (snapshot.head.rules !== rules && !(await goesOn(storage, snapshot, durableSeq, rules))) break;
    if (snapshot.seq <= seq || snapshot.head.rules !== rules) return snapshot;
    oldest = snapshot;
  }
  const first = await firstRules(storage, durableSeq, rules);
  if (first === rules) return undefined;
  // Other rules made the beginning of the log, so the archive begins at the oldest state that exists.
  if (oldest === undefined) throw new RulesMismatch(first, rules, 'noSnapshot');
  return oldest;
}

/** True if no command of other rules follows the snapshot. */
async function goesOn({ source }: LogStorage, from: Snapshot, durableSeq: number, rules: string): Promise<boolean> {
  const log = await source.follow(originOf(from));
  for await (const { kind, rulesVersion } of log.available(durableSeq)) {
    if (kind === 'batch') return false;
    if (rulesVersion === rules) return true;
  }
  return true;
}

/** The rules at the beginning of the log. */
export async function firstRules({ source }: LogStorage, durableSeq: number, rules: string): Promise<string> {
  const log = await source.follow();
  for await (const { rulesVersion } of log.take(durableSeq)) return rulesVersion ?? rules;
  return rules;
}

/** The check of the history (check.ts) reports damaged ones. There may be other snapshots here. */
async function soundSnapshot(snapshots: SnapshotStore, seq: number): Promise<Snapshot | undefined> {
  try {
    return await readSnapshot(snapshots, seq);
  } catch (error) {
    if (error instanceof LogDamaged) return undefined;
    throw error;
  }
}
