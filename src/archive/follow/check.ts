/**
 * Checks everything that the start did not read: every frame of the log before its snapshot, and the other snapshots.
 * It works in small steps, so that the caller can do other things in between.
 *
 * A damaged snapshot of the present rules is set aside, because the sound log can rebuild its state.
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
import { SnapshotDamaged } from '../../log/contract/command-log.ts';
import type { SnapshotStore } from '../../log/contract/snapshot-store.ts';
import type { LogStorage } from '../../log/contract/storage.ts';
import { type MonotonicClock, RULES, type StateIdentity } from './follower.ts';

const STEP_MS = 5;

/** What was checked. */
export interface Checked {
  /** Commands of the log, from the first on. */
  commands: number;
  snapshots: number;
}

/**
 * Checks up to the command `seq`, and the snapshots that exist now. Yields after each step, sometimes with a notice for
 * the operator.
 * @throws {LogDamaged} @throws {LogUnsupported}
 */
export async function* checkHistory(
  { source, snapshots }: LogStorage,
  seq: number,
  checked: Checked,
  { rules, venueId }: StateIdentity = { rules: RULES },
  world: MonotonicClock = realWorld,
): AsyncGenerator<string | undefined> {
  let until = world.monotonicMs() + STEP_MS;
  const starts: { readonly fromSeq: number; readonly rules: string }[] = [];
  for await (const { firstSeq, lastSeq, rulesVersion } of source.read()) {
    checked.commands = lastSeq;
    if (rulesVersion !== undefined) starts.push({ fromSeq: firstSeq, rules: rulesVersion });
    if (lastSeq >= seq) break;
    if (world.monotonicMs() < until) continue;
    yield;
    until = world.monotonicMs() + STEP_MS;
  }
  for (const { seq: at } of await snapshots.list()) {
    yield;
    const snapshot = await readDamaged(snapshots, at);
    if (snapshot === undefined) continue;
    if ('error' in snapshot) {
      const madeBy = starts.findLast(({ fromSeq }) => fromSeq <= at)?.rules;
      if (madeBy !== rules) throw snapshot.error;
      yield await setAside(snapshots, snapshot);
      continue;
    }
    refuseOthers([
      { name: 'the folder', venueId },
      { name: snapshot.name, venueId: snapshot.head.venueId },
    ]);
    // What other rules saved may be beyond what can be loaded now: then the checksum has to do.
    if (snapshot.head.rules === rules) loadSnapshot(snapshot, rules);
    checked.snapshots += 1;
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
