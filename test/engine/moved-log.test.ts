/** A log whose first segments are elsewhere: what a start, the check of the history and a new archive make of the rest. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Checked, checkHistory } from '../../src/archive/follow/check.ts';
import { Follower } from '../../src/archive/follow/follower.ts';
import { neededRecords } from '../../src/archive/follow/movable.ts';
import { ArchiveStore } from '../../src/archive/store/store.ts';
import { replay, verify } from '../../src/engine/replay/inspect.ts';
import { passedPosition, readSnapshot } from '../../src/engine/replay/snapshots.ts';
import { startEngine } from '../../src/engine/start.ts';
import { RealDisk } from '../../src/log/file/disk.ts';
import { readMoved } from '../../src/log/file/moved.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import { moveLog } from '../../src/move-log.ts';
import { fileOf, snapshotFiles, storageOn } from '../support/storage.ts';
import { buy, configuration, RULES, SEGMENT_BYTES, secrets } from './support.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-moved-'));
after(() => fs.rmSync(root, { recursive: true }));

let folders = 0;
function newFolder(): string {
  folders += 1;
  return join(root, String(folders));
}

const FIRST = {
  configuration: configuration(),
  seed: 1,
  clock: 'manual',
  secrets,
  segmentBytes: SEGMENT_BYTES,
} as const;
let orders = 0;

/** One run of a venue with so many commands, which ends with a snapshot. Returns the last seq and its state hash. */
async function life(folder: string, commands = 60, rules = RULES): Promise<{ seq: number; hash: string }> {
  const engine = await startEngine({ ...FIRST, folder, rules });
  for (let n = 0; n < commands; n += 1) {
    orders += 1;
    await engine.submit(buy({ price: 980_000, clientId: `order-${orders}` }));
  }
  const found = { seq: engine.venue.seq, hash: engine.stateHash() };
  await engine.stop();
  return found;
}

/** A venue of four runs whose first segments were moved to `cold`. */
async function movedVenue(firstRules = RULES) {
  const folder = newFolder();
  const cold = newFolder();
  const seqs: number[] = [];
  for (const rules of [firstRules, RULES, RULES, RULES]) seqs.push((await life(folder, 60, rules)).seq);
  const moved = await moveLog(folder, cold);
  return { folder, cold, seqs, moved };
}

function spoil(folder: string, name: string): void {
  const bytes = fs.readFileSync(join(folder, name));
  bytes[20] ^= 1;
  fs.writeFileSync(join(folder, name), bytes);
}

async function checkAll(folder: string): Promise<{ checked: Checked; said: string[] }> {
  const checked: Checked = { commands: 0, snapshots: 0 };
  const said: string[] = [];
  for await (const text of checkHistory(storageOn(folder), Number.POSITIVE_INFINITY, checked)) {
    if (text !== undefined) said.push(text);
  }
  return { checked, said };
}

test('segments are moved up to the older of the two newest snapshots, and a start continues', async () => {
  const { folder, seqs, moved } = await movedVenue();
  assert.ok(moved.seq < seqs[2], 'the third snapshot is the older of the two newest');
  const [, older] = snapshotFiles(new RealDisk(folder));
  const snapshot = await readSnapshot(storageOn(folder).snapshots, Number.parseInt(older, 10));
  assert.equal(readMoved(new RealDisk(folder))?.segment, fileOf(snapshot!.head.position).segment - 1);
  const { seq, hash } = await life(folder, 5);
  assert.equal(seq, seqs[3] + 5);
  assert.equal((await verify(folder)).hash, hash);
});

test('a boundary stays in the folder when its part of the log is moved, and both are verified together', async () => {
  const { folder, cold, seqs, moved } = await movedVenue('2');
  const [boundary] = seqs;
  assert.ok(moved.seq > boundary);
  assert.ok(snapshotFiles(new RealDisk(folder)).includes(`${String(boundary).padStart(12, '0')}.snapshot`));
  const here = await verify(folder);
  assert.match(here.notRead as string, new RegExp(`up to seq ${moved.seq} `));
  const whole = await verify(folder, { cold: [cold] });
  assert.deepEqual([whole.hash, whole.rows, whole.notRead], [here.hash, here.rows, undefined]);
  assert.match((whole.notRerun as string[]).join(), new RegExp(`not re-run: rules 2, seq 1 to ${boundary};`));
  const at = boundary + 10;
  await assert.rejects(replay(folder, { seq: at }), /not read: the log up to seq \d+ .* with --cold/);
  assert.equal((await replay(folder, { seq: at, cold: [cold] })).seq, at);
  assert.equal((await life(folder, 5)).seq, seqs[3] + 5);
});

test('the check of the history begins after the moved part', async () => {
  const { folder, seqs, moved } = await movedVenue();
  const { checked, said } = await checkAll(folder);
  assert.deepEqual(said, []);
  assert.deepEqual(checked, { commands: seqs[3], snapshots: 4, movedSeq: moved.seq });
});

test('a check that runs while more is moved continues after it', async () => {
  const folder = newFolder();
  const cold = newFolder();
  for (let n = 0; n < 4; n += 1) await life(folder);
  const checked: Checked = { commands: 0, snapshots: 0 };
  let monotonicMs = 0;
  // A clock that lets each step check one record.
  const world = { monotonicMs: () => (monotonicMs += 10) };
  const steps = checkHistory(storageOn(folder), Number.POSITIVE_INFINITY, checked, { rules: RULES }, world);
  await steps.next();
  const { seq } = await moveLog(folder, cold);
  for await (const text of steps) assert.equal(text, undefined);
  assert.equal(checked.movedSeq, seq);
});

test('a damaged snapshot whose state only the moved part can rebuild is no damage while a newer one is sound', async () => {
  const { folder } = await movedVenue();
  const [newest, older, ...old] = snapshotFiles(new RealDisk(folder));
  for (const name of old) fs.rmSync(join(folder, name));
  spoil(folder, older);
  const { said } = await checkAll(folder);
  assert.match(said.join(), new RegExp(`${older}: .* was set aside as ${older}\\.damaged; a newer snapshot is sound`));
  spoil(folder, newest);
  await assert.rejects(checkAll(folder), { name: 'SnapshotDamaged' });
  await assert.rejects(life(folder), {
    name: 'LogMoved',
    message: /no sound snapshot continues it \(0000\d+\.snapshot: /,
  });
});

test('a new archive begins at the oldest snapshot whose part of the log is here', async () => {
  const { folder, seqs, moved } = await movedVenue();
  const store = new ArchiveStore(join(newFolder(), '..', `archive-${folders}.db`));
  const follower = await Follower.open(storageOn(folder), store, seqs[3]);
  assert.equal(follower.knownFromSeq, seqs[2] + 1);
  assert.ok(seqs[2] > moved.seq);
  assert.equal(await follower.advance(seqs[3], 60_000), true);
  assert.equal(follower.seq, seqs[3]);
  store.close();
});

test('an archive that ends in the moved part cannot continue, and says why', async () => {
  const folder = newFolder();
  const cold = newFolder();
  const { seq } = await life(folder);
  const file = join(root, `archive-of-${folders}.db`);
  const store = new ArchiveStore(file);
  const follower = await Follower.open(storageOn(folder), store, seq);
  await follower.advance(seq, 60_000);
  store.close();
  for (let n = 0; n < 3; n += 1) await life(folder);
  await moveLog(folder, cold);
  const again = new ArchiveStore(file);
  await assert.rejects(Follower.open(storageOn(folder), again, seq * 3), {
    name: 'ArchiveDamaged',
    message: /was moved to .*: archive\.db is a state within it, at seq 61/,
  });
  again.close();
});

test('nothing is moved without two verified snapshots, or before the archive has read it', async () => {
  const folder = newFolder();
  await life(folder);
  const storage = storageOn(folder);
  assert.match((await neededRecords(storage, RULES, undefined)) as string, /^fewer than two snapshots/);
  assert.match((await moveLog(folder, newFolder())).reason as string, /^fewer than two snapshots/);
  await life(folder);
  await life(folder);
  const passed = await passedPosition(storage, RULES);
  assert.deepEqual(await neededRecords(storage, RULES, undefined), [passed]);
  assert.match((await neededRecords(storage, RULES, null)) as string, /^the archive is empty/);
  const early = [...readEntries(new RealDisk(folder))][3].position;
  assert.deepEqual(await neededRecords(storage, RULES, early), [passed, early]);
  assert.equal(await passedPosition(storage, '2'), undefined, 'other rules cannot verify a state');
  const [newest, older] = snapshotFiles(new RealDisk(folder));
  spoil(folder, newest);
  spoil(folder, older);
  assert.equal(await passedPosition(storage, RULES), undefined, 'damaged snapshots do not count');
});

test('a note of another venue refuses the start by name', async () => {
  const { folder } = await movedVenue();
  const other = await movedVenue();
  fs.copyFileSync(join(other.folder, 'moved.json'), join(folder, 'moved.json'));
  await assert.rejects(life(folder), /moved\.json belongs to another venue: its id is/);
});
