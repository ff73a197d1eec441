/** The archive that follows a log: cut anywhere, restarted anywhere, it comes to the same rows; and its snapshots hold. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { checkHistory } from '../../src/archive/follow/check.ts';
import { Follower } from '../../src/archive/follow/follower.ts';
import { Replica } from '../../src/archive/follow/replica.ts';
import { ArchiveDamaged } from '../../src/archive/store/errors.ts';
import { ArchiveStore } from '../../src/archive/store/store.ts';
import type { Engine } from '../../src/engine/host.ts';
import { ARCHIVE_FILE } from '../../src/engine/identity/manifest.ts';
import { replay, verify } from '../../src/engine/replay/inspect.ts';
import type { Apply } from '../../src/engine/replay/log-replayer.ts';
import { readSnapshot, writeSnapshot } from '../../src/engine/replay/snapshots.ts';
import { startEngine } from '../../src/engine/start.ts';
import { RealDisk } from '../../src/log/file/disk.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import { encodeCommands } from '../../src/log/shared/payload/encode.ts';
import type { Command } from '../../src/venue/contract/commands.ts';
import { RULES_VERSION, Venue } from '../../src/venue/venue.ts';
import { buy, configuration, PRICES, SEGMENT_BYTES, secrets } from '../engine/support.ts';
import { seeded } from '../sim/seeded.ts';
import { recoverOn, snapshotFiles, snapshotsOn, storageOn } from '../support/storage.ts';
import { dump, table } from './support.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-follower-'));
after(() => fs.rmSync(root, { recursive: true }));
const A_WHILE_MS = 60_000;

let folders = 0;
function newFolder(): string {
  folders += 1;
  return join(root, String(folders));
}

const BOB = { name: 'bob', balances: { USDT: 1_000_000, BTC: 100 } };
const FIRST = {
  configuration: configuration({ accounts: [{ name: 'alice', balances: { USDT: 1_000_000, BTC: 10 } }, BOB] }),
  seed: 1,
  clock: 'manual',
  secrets,
  segmentBytes: SEGMENT_BYTES,
} as const;

const start = (folder: string, apply?: Apply) => startEngine({ ...FIRST, folder, ...(apply && { apply }) });

/** Orders that rest, trade and end; time that passes. */
function trading(rounds: number, from = 0): Command[] {
  const commands: Command[] = [PRICES];
  for (let n = from; n < from + rounds; n += 1) {
    commands.push(buy({ price: 990_000 - (n % 50), clientId: `alice-${n}` }));
    if (n % 2 === 1) commands.push({ ...buy({ price: 985_000 }), account: 1, side: 1, size: 700 } as Command);
    if (n % 5 === 4) commands.push({ v: 1, type: 'advance', toMs: 1_767_225_600_000 + n * 7000 });
    if (n === from + 6) commands.push({ v: 1, type: 'saveSnapshot', name: 'here' });
    if (n === from + 17) commands.push({ v: 1, type: 'restoreSnapshot', name: 'here' });
  }
  return commands;
}

async function run(engine: Engine, commands: readonly Command[]): Promise<void> {
  for (let i = 0; i < commands.length; i += 3) {
    await Promise.allSettled(commands.slice(i, i + 3).map((command) => engine.submit(command)));
  }
}

/** What a fresh archive of the whole log holds, but for where it stands. */
async function madeAnew(folder: string, seq: number): Promise<ReturnType<typeof dump>> {
  const store = new ArchiveStore(':memory:');
  const follower = await Follower.open(storageOn(new RealDisk(folder)), store, seq);
  while (!(await follower.advance(seq, A_WHILE_MS)));
  const rows = dump(store);
  store.close();
  return rows;
}

function openArchive(folder: string): ArchiveStore {
  return new ArchiveStore(join(folder, ARCHIVE_FILE));
}

test('an archive that is made in pieces, closed and lost in between, holds what one made at once does', async () => {
  const folder = newFolder();
  const disk = new RealDisk(folder);
  const engine = await start(folder);
  const random = seeded(5);
  for (let life = 0; life < 4; life += 1) {
    const store = openArchive(folder);
    const follower = await Follower.open(storageOn(disk), store, engine.venue.seq);
    for (let piece = 0; piece < 6; piece += 1) {
      await run(engine, trading(7, life * 60 + piece * 10));
      // Sometimes cut short: what is not taken yet comes in the next piece, or in the next life.
      await follower.advance(engine.venue.seq, random() < 0.5 ? 0 : A_WHILE_MS);
      if (piece === 3 && life < 2) await follower.snapshot();
    }
    store.close();
  }
  const store = openArchive(folder);
  const follower = await Follower.open(storageOn(disk), store, engine.venue.seq);
  while (!(await follower.advance(engine.venue.seq, A_WHILE_MS)));
  assert.equal(follower.seq, engine.venue.seq);
  assert.deepEqual(dump(store), await madeAnew(folder, engine.venue.seq));
  for (const _ of store.check());
  store.close();
  await engine.stop();
});

test('a snapshot that it takes is the state of the venue, and a start uses it', async () => {
  const folder = newFolder();
  const disk = new RealDisk(folder);
  const engine = await start(folder);
  await run(engine, trading(30));
  const store = openArchive(folder);
  const follower = await Follower.open(storageOn(disk), store, engine.venue.seq);
  while (!(await follower.advance(engine.venue.seq, A_WHILE_MS)));
  const { seq, name: file } = await follower.snapshot();
  assert.deepEqual([seq, snapshotFiles(disk)], [engine.venue.seq, [file]]);
  const expected = engine.stateHash();
  store.close();
  await engine.stop();
  assert.deepEqual(snapshotFiles(disk), [file]);
  const again = await start(folder);
  assert.equal(again.stateHash(), expected);
  assert.equal((await replay(folder)).hash, expected);
  await again.stop();
});

test('what the venue left out as poisoned is in no archive', async () => {
  const planted: Apply = (venue, seq, timeMs, command) => {
    const reply = venue.apply(seq, timeMs, command);
    if (command.type === 'place' && command.clientId === 'bad') throw new Error('planted');
    return reply;
  };
  const folder = newFolder();
  const engine = await start(folder, planted);
  await run(engine, [...trading(3), buy({ clientId: 'bad' }), ...trading(3, 3), buy({ clientId: 'bad' })]);
  const store = openArchive(folder);
  const follower = await Follower.open(storageOn(new RealDisk(folder)), store, engine.venue.seq);
  while (!(await follower.advance(engine.venue.seq, A_WHILE_MS)));
  assert.equal(follower.seq, engine.venue.seq);
  const ids = table(store, 'orders').map(({ clientId }) => clientId);
  assert.ok(ids.includes('alice-5') && !ids.includes('bad'));
  await follower.snapshot();
  store.close();
  const hash = engine.stateHash();
  await engine.stop();
  const again = await start(folder);
  assert.equal(again.stateHash(), hash);
  await again.stop();
});

test('an archive that is ahead of the log, or of another log, is distinguished from one that is behind', async () => {
  const folder = newFolder();
  const engine = await start(folder);
  await run(engine, trading(10));
  const store = openArchive(folder);
  const follower = await Follower.open(storageOn(new RealDisk(folder)), store, engine.venue.seq);
  while (!(await follower.advance(engine.venue.seq, A_WHILE_MS)));
  await engine.stop();

  const other = newFolder();
  const another = await startEngine({ ...FIRST, seed: 2, folder: other });
  await run(another, trading(20));
  const refused = (durableSeq: number, folder: string) =>
    assert.rejects(
      Follower.open(storageOn(folder), store, durableSeq),
      (error: unknown) => error instanceof ArchiveDamaged,
    );
  await refused(engine.venue.seq - 1, folder);
  await refused(another.venue.seq, other);
  await another.stop();
  store.close();
});

test('the check of the history finds a flipped bit in any frame and in any snapshot; it sets aside what the log gives again', async () => {
  const folder = newFolder();
  const engine = await start(folder);
  const disk = new RealDisk(folder);
  await run(engine, trading(10));
  await engine.stop();
  const { seq } = engine.venue;
  const check = async (rules?: string): Promise<{ commands: number; snapshots: number; notices: string[] }> => {
    const checked = { commands: 0, snapshots: 0 };
    const notices: string[] = [];
    for await (const said of checkHistory(storageOn(disk), seq, checked, rules === undefined ? undefined : { rules })) {
      if (said !== undefined) notices.push(said);
    }
    return { ...checked, notices };
  };
  const flip = (file: string, byte: number) => {
    const path = join(folder, file);
    const bytes = fs.readFileSync(path);
    bytes[byte] ^= 16;
    fs.writeFileSync(path, bytes);
  };
  assert.deepEqual(await check(), { commands: seq, snapshots: 1, notices: [] });
  flip('00000001.log', 700);
  await assert.rejects(check, /Damaged: .*00000001\.log/);
  flip('00000001.log', 700);
  const [file] = snapshotFiles(disk);
  flip(file, 1000);
  await assert.rejects(check('other'), new RegExp(`Damaged: .*${file}`), 'other rules made it');
  const { snapshots, notices } = await check();
  assert.deepEqual([snapshots, snapshotFiles(disk)], [0, []]);
  assert.match(
    notices.join(),
    new RegExp(`^a snapshot is damaged: ${file}: .*; it was set aside as ${file}\\.damaged`),
  );
  assert.deepEqual(await check(), { commands: seq, snapshots: 0, notices: [] });
});

test('where other rules made the beginning of the log, the archive begins at the state that they left', async () => {
  const folder = newFolder();
  const engine = await start(folder);
  await run(engine, trading(12));
  await engine.stop();
  // The same life under rules of another name: sealed, with a snapshot of its end.
  const other = newFolder();
  fs.mkdirSync(other);
  fs.copyFileSync(join(folder, 'bourse.json'), join(other, 'bourse.json'));
  const disk = new RealDisk(other);
  const { log, venue } = await recoverOn(disk, { rulesVersion: 'other', segmentBytes: SEGMENT_BYTES });
  for (const entry of readEntries(new RealDisk(folder))) {
    if (entry.kind !== 'batch') continue;
    const { firstSeq, timeMs } = entry;
    await log.append({ firstSeq, timeMs, commands: encodeCommands(entry.commands) });
    entry.commands.forEach((command, i) => {
      venue.apply(firstSeq + i, timeMs, command as Command);
    });
  }
  await writeSnapshot(snapshotsOn(disk), 'other', venue, log.position);
  await log.seal();
  await log.close();

  const again = await start(other);
  assert.equal(again.stateHash(), engine.stateHash());
  const live = again.venue.openOrders(0, 'spot', null).length;
  await run(again, trading(6, 40));
  const store = openArchive(other);
  const follower = await Follower.open(storageOn(disk), store, again.venue.seq);
  while (!(await follower.advance(again.venue.seq, A_WHILE_MS)));
  for (const _ of store.check());
  assert.ok(live > 0);
  const working = table(store, 'orders').filter(({ state }) => state === 'working');
  assert.equal(working.length, again.venue.openOrders(0, 'spot', null).length);
  assert.equal(store.state.firstSeq, engine.venue.seq + 1);
  assert.equal(table(store, 'markets').length, 4);
  store.close();
  await again.stop();
  // From there on the folder explains itself under the rules of now.
  assert.equal((await verify(other)).hash, again.stateHash());
  await assert.rejects(replay(other, { seq: 3 }), new RegExp(`made under other rules than ${RULES_VERSION}`));
});

test('a snapshot of a copy that was stopped anywhere names the record after which its state is', async () => {
  const folder = newFolder();
  const engine = await start(folder);
  await run(engine, trading(20));
  const { seq } = engine.venue;
  await engine.stop();
  for (const name of fs.readdirSync(folder)) if (name.endsWith('.snapshot')) fs.rmSync(join(folder, name));
  const storage = storageOn(new RealDisk(folder));
  const replica = await Replica.open(storage, seq, { rules: String(RULES_VERSION) });
  assert.equal(await replica.advance(Math.floor(seq / 2), A_WHILE_MS), true);
  // Each look at the clock is a second later: after every record the time is up.
  let nowMs = 0;
  const world = { monotonicMs: () => (nowMs += 1000) };
  let stops = 0;
  for (; !(await replica.advance(seq, 1, world)); stops += 1) {
    const { seq: at } = await replica.snapshot();
    const snapshot = await readSnapshot(storage.snapshots, at);
    assert.deepEqual([snapshot?.head.position.seq, Venue.load(snapshot!.text).seq], [at, at]);
  }
  assert.ok(stops > 5, `${stops}`);
  assert.equal(replica.venue.seq, seq);
});
