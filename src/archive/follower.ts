/**
 * Follows the log of a running venue: folds it into a replica, whose events the archive is made from, and whose state the
 * snapshots on the disk are made from. So neither costs the venue's own thread anything, however large its state.
 *
 * Invariants:
 * - Nothing is folded before the venue has applied it, so that what the venue left out as poisoned is left out here.
 * - `position` is a frame up to which the replica and the projector hold everything, and nothing more.
 * - When a snapshot is written, the archive is durable up to there: a later start finds one that is not newer than it.
 */

import { endsBatch, Fold } from '../engine/fold.ts';
import { SILENT } from '../engine/recovery.ts';
import {
  loadSnapshot,
  originOf,
  pruneSnapshots,
  readSnapshot,
  type Snapshot,
  type SnapshotWritten,
  snapshotFiles,
  writeSnapshot,
} from '../engine/snapshots.ts';
import { LogDamaged, RulesMismatch } from '../log/command-log.ts';
import type { LogPosition } from '../log/file/chain.ts';
import type { Disk } from '../log/file/disk.ts';
import { LogFollower } from '../log/file/follow-log.ts';
import type { OrderIds } from '../venue/order-id.ts';
import { RULES_VERSION, type Venue } from '../venue/venue.ts';
import { Projector } from './projector.ts';
import { ArchiveAhead, ArchiveDamaged, type ArchiveState, type ArchiveStore } from './store.ts';

const RULES = String(RULES_VERSION);
/** Rows that wait for one transaction at most. */
const MAX_PENDING = 20_000;

export class Follower {
  readonly #disk: Disk;
  readonly #projector: Projector;
  readonly #store: ArchiveStore;
  readonly #log: LogFollower;
  readonly #fold: Fold;
  #position: LogPosition | undefined;
  /** Up to where the archive is. */
  #archived: LogPosition | undefined;

  /**
   * Begins where the archive ends; `durableSeq` is where the log does.
   * @throws {ArchiveDamaged} the archive is ahead of the log, or of another log
   */
  constructor(disk: Disk, store: ArchiveStore, durableSeq: number) {
    this.#disk = disk;
    this.#store = store;
    const { state } = store;
    refuseAhead(disk, state, durableSeq);
    const base = baseOf(disk, state.seq, durableSeq);
    this.#projector = new Projector(store);
    const { make, apply } = this.#projector;
    const venue = base === undefined ? make.fresh() : make.load(base.text);
    if (base !== undefined && state.seq < base.head.seq) this.#projector.begin(base.head.seq, base.head.position);
    this.#archived = this.#projector.state.position ?? undefined;
    this.#fold = new Fold(venue, { apply });
    this.#log = new LogFollower(disk, base && originOf(base));
    this.#position = this.#log.position;
  }

  /** The last command that the archive holds. */
  get seq(): number {
    return this.#archived?.seq ?? 0;
  }

  get orderIds(): OrderIds {
    return this.#fold.venue.orderIds;
  }

  /** Goes on towards the applied `seq`, for some milliseconds; true when it is there and has written it. */
  advance(seq: number, milliseconds: number): boolean {
    const until = performance.now() + milliseconds;
    let reached = true;
    let before = this.#log.position;
    for (const entry of this.#log.take(seq)) {
      if (endsBatch(entry)) {
        this.#fold.finish();
        this.#position = before;
      }
      if (entry.kind === 'batch') this.#projector.on = entry.firstSeq > this.seq;
      this.#fold.take(entry);
      before = this.#log.position;
      reached = performance.now() < until && this.#projector.pending < MAX_PENDING;
      if (!reached) break;
    }
    if (reached) {
      this.#fold.finish();
      this.#position = before;
    }
    this.write();
    return reached;
  }

  /** Writes what is not written yet. Throws as the store does. */
  write(): void {
    const position = this.#position;
    if (position === undefined || position.seq < this.seq || position.hash === this.#archived?.hash) return;
    this.#projector.write({ seq: position.seq, position });
    this.#archived = position;
  }

  /** Writes a snapshot of where it stands, loads it again, and lets old ones go. Throws as the disk does. */
  async snapshot(): Promise<SnapshotWritten> {
    const position = this.#position;
    if (position === undefined) throw new Error('there is no state yet');
    this.#store.checkpoint();
    return writeChecked(this.#disk, this.#fold.venue, position);
  }
}

/** Writes a snapshot of `venue` at `position`, loads it again, and lets old ones go. Throws as the disk does. */
export async function writeChecked(disk: Disk, venue: Venue, position: LogPosition): Promise<SnapshotWritten> {
  const written = await writeSnapshot(disk, RULES, venue, position);
  const again = readSnapshot(disk, written.file);
  if (again === undefined) throw new LogDamaged(written.file, 0, 'it is gone, though it was just written');
  loadSnapshot(again, RULES, SILENT.load);
  await pruneSnapshots(disk);
  return written;
}

function refuseAhead(disk: Disk, { position, seq }: ArchiveState, durableSeq: number): void {
  if (position === null) return;
  try {
    if (seq > durableSeq) {
      throw new ArchiveAhead(
        `it reaches seq ${seq}, the log ends at seq ${durableSeq}: the log has lost what came behind, or is another one`,
      );
    }
    new LogFollower(disk, { position, rulesVersion: RULES, file: 'archive.db' });
  } catch (error) {
    if (!(error instanceof LogDamaged)) throw error;
    throw new ArchiveDamaged('it is ahead of the log, or of another log', { cause: error });
  }
}

/** What to fold from: the newest sound snapshot that is not beyond `seq`; undefined: the beginning of the log. */
export function baseOf(disk: Disk, seq: number, durableSeq: number): Snapshot | undefined {
  let oldest: Snapshot | undefined;
  for (const file of snapshotFiles(disk)) {
    const snapshot = soundSnapshot(disk, file);
    if (snapshot === undefined) continue;
    if (snapshot.head.seq <= seq) return snapshot;
    oldest = snapshot;
  }
  const [first] = new LogFollower(disk).take(durableSeq);
  const rules = first?.rulesVersion ?? RULES;
  if (rules === RULES) return undefined;
  // Other rules made the beginning of the log: the oldest state that there is, is where the archive begins.
  if (oldest === undefined) throw new RulesMismatch(rules, RULES, false);
  return oldest;
}

/** A damaged one is for the check of the history to tell of (check.ts); here there may be others. */
function soundSnapshot(disk: Disk, file: string): Snapshot | undefined {
  try {
    return readSnapshot(disk, file);
  } catch (error) {
    if (error instanceof LogDamaged) return undefined;
    throw error;
  }
}
