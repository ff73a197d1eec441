/**
 * Checks, after a start, what the start did not read: every frame of the log before its snapshot, and the other
 * snapshots. In small steps, so that whoever does it can do other things in between.
 */

import { SILENT } from '../engine/recovery.ts';
import { loadSnapshot, readSnapshot } from '../engine/snapshots.ts';
import { refuseOthers } from '../engine/venue-id.ts';
import { realWorld } from '../engine/world.ts';
import type { LogStorage } from '../log/storage.ts';
import { type Elapsed, type Keeper, RULES } from './follower.ts';

const STEP_MS = 5;

/** What was looked at. */
export interface Checked {
  /** Commands of the log, from the first on. */
  commands: number;
  snapshots: number;
}

/** Up to the command `seq` and the snapshots that are there now. @throws {LogDamaged} @throws {LogUnsupported} */
export async function* checkHistory(
  { source, snapshots }: LogStorage,
  seq: number,
  checked: Checked,
  { rules, venueId }: Keeper = { rules: RULES },
  world: Elapsed = realWorld,
): AsyncGenerator<void> {
  let until = world.monotonicMs() + STEP_MS;
  for await (const { lastSeq } of source.read()) {
    checked.commands = lastSeq;
    if (lastSeq >= seq) break;
    if (world.monotonicMs() < until) continue;
    yield;
    until = world.monotonicMs() + STEP_MS;
  }
  for (const { seq: at } of await snapshots.list()) {
    yield;
    const snapshot = await readSnapshot(snapshots, at);
    if (snapshot === undefined) continue;
    refuseOthers([
      { name: 'the folder', venueId },
      { name: snapshot.name, venueId: snapshot.head.venueId },
    ]);
    // What other rules saved may be beyond what can be loaded now: then the checksum has to do.
    if (snapshot.head.rules === rules) loadSnapshot(snapshot, rules, SILENT.load);
    checked.snapshots += 1;
  }
}
