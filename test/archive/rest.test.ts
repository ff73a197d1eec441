/** How long the archive rests, so that the venue comes first. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startEngine } from '../../src/engine/start.ts';
import { RealDisk } from '../../src/log/file/disk.ts';
import { FileStorage } from '../../src/log/file/file-storage.ts';
import { RULES_VERSION } from '../../src/venue/venue.ts';
import { buy, configuration, PRICES, secrets } from '../engine/support.ts';
import { SimArchive, SimPlace } from '../sim/archive.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-rest-'));
after(() => fs.rmSync(root, { recursive: true }));
const SNAPSHOT_MS = 60_000;

test('a snapshot that takes a minute is followed by a rest of a second, not of nine minutes', async () => {
  const engine = await startEngine({
    configuration: configuration({}),
    seed: 1,
    clock: 'manual',
    secrets,
    folder: root,
  });
  await engine.submit(PRICES);
  let nowMs = 0;
  let taken = () => {};
  const snapshotTaken = new Promise<void>((resolve) => {
    taken = resolve;
  });
  const waits: number[] = [];
  const world = {
    monotonicMs: () => nowMs,
    timer: (ms: number, act: () => void) => {
      waits.push(ms);
      nowMs += ms;
      const immediate = setImmediate(act);
      return { clear: () => clearImmediate(immediate), unref: () => {} };
    },
  };
  const storage = new FileStorage(new RealDisk(root));
  const { snapshots } = storage;
  const write = snapshots.write.bind(snapshots);
  snapshots.write = async (head, text) => {
    const written = await write(head, text);
    nowMs += SNAPSHOT_MS;
    // The venue makes progress meanwhile.
    await engine.submit(buy({ clientId: 'during the snapshot' }));
    archive.applied(engine.venue.seq);
    taken();
    return written;
  };
  const archive = new SimArchive({
    ...{ storage, place: new SimPlace(), world, seq: engine.venue.seq, snapshotEvery: engine.venue.seq },
    identity: { venueId: engine.venueId, rules: String(RULES_VERSION) },
    onNotice: () => {},
  });
  await snapshotTaken;
  await archive.close();
  assert.equal(archive.failed, undefined);
  assert.equal(archive.seq, engine.venue.seq);
  assert.equal(Math.max(...waits), 1000);
  await engine.stop();
});
