/**
 * Checks everything that the start did not read: every frame of the log before its snapshot, and the other snapshots.
 * It works in small steps, so that the caller can do other things in between.
 *
 * A damaged snapshot of the present rules is set aside, because the sound log can rebuild its state. So is one whose
 * state only a part of the log can rebuild that was moved away, if a newer one is sound.
 */

import { realWorld } from '../../engine/contract/world.ts';
import { refuseOthers } from '../../engine/identity/venue-id.ts';
import {
  type DamagedSnapshot,
  loadSnapshot,
  readSnapshot,
  type Snapshot,
  setAside,
} from '../../engine/replay/snapshots.ts';
import { LogMoved, SnapshotDamaged } from '../../log/contract/command-log.ts';
import type { MovedPart } from '../../log/contract/log-source.ts';
import type { SnapshotStore } from '../../log/contract/snapshot-store.ts';
import type { LogStorage } from '../../log/contract/storage.ts';
import { type MonotonicClock, RULES, type StateIdentity } from './follower.ts';

const STEP_MS = 5;

/** What was checked. */
export interface Checked {
  /** The last command that was read. The first one is 1, or the one after `movedSeq`. */
  commands: number;
  /** The last command that was moved to another folder, and is not read. Absent: none was. */
  movedSeq?: number;
  snapshots: number;
}

/**
 * Checks up to the command `seq`, and the snapshots that exist now. Yields after each step, sometimes with a notice for
 * the operator. `mayWrite`: false leaves damaged snapshots where they are.
 * @throws {LogDamaged} @throws {LogUnsupported}
 */
export async function* checkHistory(
  storage: LogStorage,
  seq: number,
  checked: Checked,
  { rules, venueId }: StateIdentity = { rules: RULES },
  world: MonotonicClock = realWorld,
  mayWrite = true,
): AsyncGenerator<string | undefined> {
  const { snapshots } = storage;
  const { starts, moved } = yield* checkLog(storage, seq, checked, world);
  const damaged: DamagedSnapshot[] = [];
  const sound: number[] = [];
  for (const { seq: at } of await snapshots.list()) {
    yield;
    const snapshot = await readDamaged(snapshots, at);
    if (snapshot === undefined) continue;
    if ('error' in snapshot) {
      damaged.push(snapshot);
      continue;
    }
    refuseOthers([
      { name: 'the folder', venueId },
      { name: snapshot.name, venueId: snapshot.head.venueId },
    ]);
    // What other rules saved may be beyond what can be loaded now: then the checksum has to do.
    if (snapshot.head.rules === rules) loadSnapshot(snapshot, rules);
    checked.snapshots += 1;
    sound.push(at);
  }
  for (const snapshot of damaged) {
    const madeBy = starts.findLast(({ fromSeq }) => fromSeq <= snapshot.seq)?.rules;
    if (madeBy !== rules) throw snapshot.error;
    const isRebuilt = moved === undefined || sound.some((at) => at > moved.seq && at < snapshot.seq);
    if (!isRebuilt && !sound.some((at) => at > snapshot.seq)) throw snapshot.error;
    if (!mayWrite) yield snapshot.error.message;
    else yield await setAside(snapshots, snapshot, isRebuilt ? undefined : 'a newer snapshot is sound');
  }
}

/** The rules from a seq on. */
interface RulesFrom {
  readonly fromSeq: number;
  readonly rules: string;
}

/** Checks the log up to the command `seq`, without what was moved to another folder. Yields after each step. */
async function* checkLog(
  { source }: LogStorage,
  seq: number,
  checked: Checked,
  world: MonotonicClock,
): AsyncGenerator<undefined, { starts: readonly RulesFrom[]; moved: MovedPart | undefined }> {
  let until = world.monotonicMs() + STEP_MS;
  for (;;) {
    const moved = await source.moved();
    if (moved !== undefined) checked.movedSeq = moved.seq;
    const starts = moved === undefined ? [] : [{ fromSeq: moved.seq + 1, rules: moved.rulesVersion }];
    try {
      for await (const { firstSeq, lastSeq, rulesVersion } of source.read(moved)) {
        checked.commands = lastSeq;
        if (rulesVersion !== undefined) starts.push({ fromSeq: firstSeq, rules: rulesVersion });
        if (lastSeq >= seq) break;
        if (world.monotonicMs() < until) continue;
        yield;
        until = world.monotonicMs() + STEP_MS;
      }
      return { starts, moved };
    } catch (error) {
      // More was moved meanwhile, and what is moved is verified then. The check continues after it.
      if (!(error instanceof LogMoved)) throw error;
    }
  }
}

/** The snapshot, or what is wrong with it. Undefined: it was removed. */
async function readDamaged(snapshots: SnapshotStore, seq: number): Promise<Snapshot | DamagedSnapshot | undefined> {
  try {
    return await readSnapshot(snapshots, seq);
  } catch (error) {
    if (!(error instanceof SnapshotDamaged)) throw error;
    return { seq, name: error.place, error };
  }
}
