/** Snapshots: a start from one comes to the same state as the whole log, and nothing damaged or behind is passed over. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { StateDiffers } from '../../src/engine/replay/differs.ts';
import { replay, verify } from '../../src/engine/replay/inspect.ts';
import { LogReplayer, stateHash } from '../../src/engine/replay/log-replayer.ts';
import { newestSnapshot, pruneSnapshots, readSnapshot, writeSnapshot } from '../../src/engine/replay/snapshots.ts';
import { startEngine } from '../../src/engine/start.ts';
import { LogDamaged, LogUnsupported, RulesMismatch } from '../../src/log/contract/command-log.ts';
import { createFile, RealDisk, writeWhole } from '../../src/log/file/disk.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import { encodeCommands } from '../../src/log/shared/payload/encode.ts';
import type { Command } from '../../src/venue/contract/commands.ts';
import { Venue } from '../../src/venue/venue.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { fileOf, recoverOn, snapshotFiles, snapshotsOn } from '../support/storage.ts';
import {
  buy,
  configuration,
  engineOn,
  genesis,
  PRICES,
  type Rig,
  RULES,
  SEGMENT_BYTES,
  START_MS,
  secrets,
} from './support.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-snapshots-'));
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
const start = (folder: string) => startEngine({ ...FIRST, folder });

/** Orders, a named snapshot, time, a return to it: some twenty commands a round. */
function round(n: number): Command[] {
  return [
    { ...PRICES },
    ...Array.from({ length: 12 }, (_, i) => buy({ price: 980_000 + i, clientId: `order-${n}-${i}` })),
    { v: 1, type: 'saveSnapshot', name: 'here' },
    { v: 1, type: 'advance', toMs: START_MS + n * 1000 },
    { v: 1, type: 'cancelAll', account: 0, product: 'spot', market: 0 },
    ...(n % 3 === 0 ? ([{ v: 1, type: 'restoreSnapshot', name: 'here' }] as Command[]) : []),
    buy({ timeInForce: 'HALFMIN' }),
  ];
}

async function run({ engine }: Pick<Rig, 'engine'>, ...rounds: number[]): Promise<void> {
  for (const n of rounds) for (const command of round(n)) await engine.submit(command);
}

function snapshot(disk: SimDisk, { engine, log }: Rig) {
  return writeSnapshot(snapshotsOn(disk), RULES, engine.venue, log.position);
}

/** The state that the whole log comes to. */
function replayed(disk: SimDisk): string {
  const fold = new LogReplayer(new Venue());
  for (const entry of readEntries(disk)) fold.take(entry);
  fold.finish();
  return stateHash(fold.venue);
}

function refusedBecause(error: unknown, message: RegExp): true {
  assert.ok(error instanceof LogDamaged, String(error));
  assert.match(error.message, message);
  return true;
}

test('a name of a snapshot behind which there is no file stops the start where the log ends before it', async () => {
  const folder = newFolder();
  fs.mkdirSync(folder);
  fs.symlinkSync('nowhere', join(folder, '000000999999.snapshot'));
  const start = recoverOn(new RealDisk(folder), { rulesVersion: RULES });
  await assert.rejects(start, {
    name: 'SnapshotDamaged',
    message: /000000999999\.snapshot: the file does not exist, and the log ends before it, at seq 0: restore/,
  });
});

test('a snapshot and the log behind it come to the state of the whole log, wherever it was taken', async () => {
  const rounds = [1, 2, 3, 4];
  for (const taken of [0, ...rounds]) {
    const disk = new SimDisk();
    const rig = await engineOn(disk, 'manual');
    if (taken === 0) await snapshot(disk, rig);
    for (const n of rounds) {
      await run(rig, n);
      if (n === taken) await snapshot(disk, rig);
    }
    const restarted = disk.restart();
    const again = await engineOn(restarted, 'manual');
    assert.equal(again.engine.stateHash(), rig.engine.stateHash());
    assert.equal(again.engine.venue.save(), rig.engine.venue.save());
    assert.equal(replayed(restarted), rig.engine.stateHash());
    // And the same from there on.
    for (const { engine } of [rig, again]) {
      await engine.submit({ v: 1, type: 'restoreSnapshot', name: 'here' }).catch(() => {});
    }
  }
});

test('a start reads nothing of a long log that is before its snapshot', async () => {
  const disk = new SimDisk();
  const rig = await engineOn(disk, 'manual');
  await run(rig, 1, 2, 3, 4, 5);
  await snapshot(disk, rig);
  await run(rig, 6);
  const restarted = disk.restart();
  const read: string[] = [];
  const readOf = restarted.read.bind(restarted);
  restarted.read = (name) => {
    read.push(name);
    return readOf(name);
  };
  await recoverOn(restarted, { rulesVersion: RULES, checkedBytes: 0 });
  assert.ok(fileOf(rig.log.position).segment > 2, 'the log should have several segments');
  assert.equal(read.includes('00000001.log'), false);
});

test('a crash at any step of writing and pruning snapshots leaves a start that finds everything', async () => {
  const life = async (disk: SimDisk): Promise<string> => {
    const rig = await engineOn(disk, 'manual');
    for (const n of [1, 2, 3]) {
      await run(rig, n);
      await snapshot(disk, rig);
      await pruneSnapshots(snapshotsOn(disk));
    }
    return rig.engine.stateHash();
  };
  const whole = new SimDisk();
  await life(whole);
  const steps: number[] = [];
  for (let step = 1; step <= whole.steps; step += 1) steps.push(step);
  for (const step of steps) {
    const disk = new SimDisk({ seed: step, faults: { [step]: 'crash' } });
    await assert.rejects(life(disk));
    const found = disk.restart({ seed: step });
    const { engine } = await engineOn(found, 'manual');
    assert.equal(engine.stateHash(), replayed(found), `crash at step ${step}`);
    assert.deepEqual(
      found.names().filter((name) => name.endsWith('.new')),
      [],
    );
    const store = snapshotsOn(found);
    for (const { seq } of await store.list()) assert.notEqual(await readSnapshot(store, seq), undefined);
  }
});

test('any flipped bit of a snapshot, anything cut or added, and another name are refused by name', async () => {
  const disk = new SimDisk();
  const rig = await engineOn(disk, 'manual');
  await run(rig, 1);
  const { name: file } = await snapshot(disk, rig);
  const sound = disk.read(file) as Buffer;
  const store = snapshotsOn(disk);
  const spoilt = (change: (bytes: Buffer) => Buffer): Promise<void> => {
    disk.tamper(file, () => change(Buffer.from(sound)));
    return assert.rejects(readSnapshot(store, 18), (error: unknown) =>
      refusedBecause(error, /^a snapshot is damaged: 000000000018\.snapshot: .*do not match their checksum/),
    );
  };
  for (let byte = 0; byte < sound.length; byte += 1) {
    await spoilt((bytes) => {
      bytes[byte] ^= 1 << (byte & 7);
      return bytes;
    });
  }
  for (const length of [0, 1, 64, 65, sound.length - 1]) await spoilt((bytes) => bytes.subarray(0, length));
  await spoilt((bytes) => Buffer.concat([bytes, Buffer.from('\n')]));
  disk.tamper(file, () => sound);
  disk.rename(file, '000000000019.snapshot');
  await assert.rejects(readSnapshot(store, 19), (error: unknown) =>
    refusedBecause(error, /000000000019\.snapshot: it is the snapshot of seq 18, renamed/),
  );
  disk.rename('000000000019.snapshot', file);
  await disk.syncNames();
  const { head } = (await readSnapshot(store, 18)) ?? assert.fail();
  assert.deepEqual([head.seq, head.rules, head.hash], [18, RULES, rig.engine.stateHash()]);
});

test('a start sets damaged snapshots aside, says so, and makes the state from an older one or the log; the next is quiet', async () => {
  const disk = new SimDisk();
  const rig = await engineOn(disk, 'manual');
  const files: string[] = [];
  for (const n of [1, 2, 3]) {
    await run(rig, n);
    files.unshift((await snapshot(disk, rig)).name);
  }
  const spoil = (file: string) => disk.tamper(file, (bytes) => bytes.fill(0x20, 100, 101));
  for (let spoilt = 1; spoilt <= 3; spoilt += 1) {
    spoil(files[spoilt - 1]);
    const restarted = disk.restart();
    const { engine, notices } = await engineOn(restarted, 'manual');
    assert.equal(engine.venue.save(), rig.engine.venue.save());
    assert.deepEqual(
      notices.map((text) => /^a snapshot is damaged: (\S+): .*; it was set aside as (\S+);/.exec(text)?.slice(1)),
      files.slice(0, spoilt).map((file) => [file, `${file}.damaged`]),
    );
    assert.deepEqual(snapshotFiles(restarted), files.slice(spoilt));
    const again = await engineOn(restarted.restart(), 'manual');
    assert.deepEqual([again.engine.stateHash(), again.notices], [rig.engine.stateHash(), []]);
  }
});

test('what was set aside does not count among the two snapshots that are kept', async () => {
  const disk = new SimDisk();
  const rig = await engineOn(disk, 'manual');
  for (const n of [1, 2, 3]) {
    await run(rig, n);
    await snapshot(disk, rig);
  }
  const [newest, ...older] = snapshotFiles(disk);
  disk.tamper(newest, (bytes) => bytes.subarray(1));
  const restarted = disk.restart();
  await engineOn(restarted, 'manual');
  await pruneSnapshots(snapshotsOn(restarted));
  assert.deepEqual(snapshotFiles(restarted), older);
});

test('a damaged snapshot that is ahead of the log refuses the start, which changes nothing', async () => {
  const disk = new SimDisk();
  const rig = await engineOn(disk, 'manual');
  await run(rig, 1, 2);
  const { name: file } = await snapshot(disk, rig);
  const { offset, segment } = fileOf(rig.log.position);
  disk.tamper(`0000000${segment}.log`, (bytes) => bytes.fill(0, offset));
  disk.tamper(file, (bytes) => bytes.fill(0x20, 100, 101));
  const restarted = disk.restart();
  const before = restarted.names().map((name) => [name, restarted.read(name)]);
  await assert.rejects(engineOn(restarted, 'manual'), (error: unknown) =>
    refusedBecause(error, new RegExp(`^a snapshot is damaged: ${file}: .*, and the log ends before it, at seq \\d+`)),
  );
  assert.deepEqual(
    restarted.names().map((name) => [name, restarted.read(name)]),
    before,
  );
});

test('a snapshot of another format is refused by name, and says what to do; without it the whole log is read', async () => {
  const disk = new SimDisk();
  const { engine, log } = await engineOn(disk, 'manual');
  await engine.submit(PRICES);
  await writeSnapshot(snapshotsOn(disk), RULES, engine.venue, log.position);
  const expected = engine.stateHash();
  const [name] = snapshotFiles(disk);
  const [head, state] = (disk.read(name) as Buffer).toString().split('\n');
  const content = `${JSON.stringify({ ...JSON.parse(head), format: 1 })}\n${state}\n`;
  disk.remove(name);
  await createFile(disk, name, (file) => {
    writeWhole(file, Buffer.from(`${content}${hash('sha256', content)}\n`), 0);
  });
  const restarted = disk.restart();
  await assert.rejects(engineOn(restarted, 'manual'), (error: unknown) => {
    assert.ok(error instanceof LogUnsupported, String(error));
    const what = `${name}: snapshot format 1, this version knows 2 to 3; without it, a start uses the snapshot before it`;
    assert.ok(error.message.includes(what), error.message);
    return true;
  });
  restarted.remove(name);
  assert.equal((await engineOn(restarted, 'manual')).engine.stateHash(), expected);
});

test('a log that is behind its own snapshot is refused, naming both', async () => {
  for (const cut of ['frame', 'segment', 'log'] as const) {
    const disk = new SimDisk();
    const rig = await engineOn(disk, 'manual');
    await run(rig, 1, 2, 3);
    const { name: file } = await snapshot(disk, rig);
    const { segment, offset } = fileOf(rig.log.position);
    const name = `0000000${segment}.log`;
    if (cut === 'frame') disk.tamper(name, (bytes) => bytes.fill(0, offset));
    else disk.tamper(name, () => undefined);
    if (cut === 'log') for (let n = 1; n < segment; n += 1) disk.tamper(`0000000${n}.log`, () => undefined);
    const reason = cut === 'frame' ? `at offset ${offset}: the frame up to seq` : 'at offset 0: it is missing or empty';
    await assert.rejects(engineOn(disk.restart(), 'manual'), (error: unknown) =>
      refusedBecause(error, new RegExp(`${name} ${reason}.*${file}`)),
    );
  }
});

test('a flipped bit is refused by verify; by a start behind its snapshot, and before it in a short log', async () => {
  const folder = newFolder();
  const engine = await start(folder);
  await run({ engine }, 1, 2, 3);
  await engine.stop();
  const again = await start(folder);
  await run({ engine: again }, 4);
  await again.stop();
  const [file] = snapshotFiles(new RealDisk(folder));
  fs.rmSync(join(folder, file));
  const flip = (name: string, byte: number): void => {
    const bytes = fs.readFileSync(join(folder, name));
    bytes[byte] ^= 4;
    fs.writeFileSync(join(folder, name), bytes);
  };
  const sound = await verify(folder);
  flip('00000001.log', 700);
  await assert.rejects(verify(folder), (error: unknown) => refusedBecause(error, /00000001\.log at offset 512: /));
  await assert.rejects(start(folder), (error: unknown) => refusedBecause(error, /00000001\.log at offset 512: /));
  const made = { rulesVersion: RULES, checkedBytes: 0 };
  await (await recoverOn(new RealDisk(folder), made)).log.close();
  flip('00000001.log', 700);
  assert.equal((await verify(folder)).hash, sound.hash);

  const disk = new RealDisk(folder);
  const { position } = ((await newestSnapshot(snapshotsOn(disk))) ?? assert.fail()).head;
  const { segment, offset } = fileOf(position);
  const name = `0000000${segment}.log`;
  flip(name, offset + 1100);
  for (const open of [() => start(folder), async () => verify(folder)]) {
    await assert.rejects(open, (error: unknown) => refusedBecause(error, new RegExp(`${name} at offset `)));
  }
});

test('verify compares each snapshot with the state that the log comes to there', async () => {
  const folder = newFolder();
  const engine = await start(folder);
  await run({ engine }, 1);
  await engine.stop();
  const disk = new RealDisk(folder);
  const { head, name: file } = (await newestSnapshot(snapshotsOn(disk))) ?? assert.fail();
  // A whole and well-formed snapshot of another state.
  const other = new Venue();
  other.apply(1, START_MS, genesis('manual'));
  other.skip(head.seq);
  await writeSnapshot(snapshotsOn(disk), RULES, other, head.position);
  await assert.rejects(verify(folder), (error: unknown) => {
    assert.ok(error instanceof StateDiffers, String(error));
    assert.match(
      error.message,
      new RegExp(
        `^the state at seq ${head.seq} has the hash \\w+ according to ${file}, but \\w+ according to the seal in`,
      ),
    );
    return true;
  });
});

test('a stop takes a snapshot, but not without a command since the last', async () => {
  const folder = newFolder();
  const disk = new RealDisk(folder);
  for (const n of [1, 2, 3, 4]) {
    const engine = await start(folder);
    await run({ engine }, n);
    await engine.stop();
    assert.equal(snapshotFiles(disk).length, n);
    assert.equal((await newestSnapshot(snapshotsOn(disk)))?.head.hash, (await replay(folder)).hash);
  }
  const before = snapshotFiles(disk);
  await (await start(folder)).stop();
  assert.deepEqual(snapshotFiles(disk), before);
});

test('no room for the snapshot of a stop: a notice, nothing left of it, and the log is sealed', async () => {
  const disk = new SimDisk();
  const rig = await engineOn(disk, 'manual');
  await run(rig, 1);
  const used = disk.names().reduce((sum, name) => sum + (disk.size(name) ?? 0), 0);
  disk.capacityBytes = used + 1000;
  await assert.rejects(snapshot(disk, rig), { name: 'LogFull', message: /no space left for a snapshot/ });
  assert.deepEqual(
    disk.names().filter((name) => name.includes('snapshot')),
    [],
  );
  await rig.engine.submit(PRICES);
});

test('a log that other rules sealed goes on from the snapshot of its end, and only from that', async () => {
  const life = async (disk: SimDisk, rulesVersion: string, ...commands: Command[]): Promise<Rig['log']> => {
    const { log, venue } = await recoverOn(disk, { rulesVersion, segmentBytes: SEGMENT_BYTES });
    for (const command of commands) {
      await log.append({ firstSeq: log.lastSeq + 1, timeMs: START_MS, commands: encodeCommands([command]) });
      venue.apply(log.lastSeq, START_MS, command);
    }
    if (commands.length > 0) await writeSnapshot(snapshotsOn(disk), rulesVersion, venue, log.position);
    return log;
  };
  const refused = (disk: SimDisk, problem: RegExp) =>
    assert.rejects(life(disk, '2'), (error: unknown) => {
      assert.ok(error instanceof RulesMismatch, String(error));
      assert.match(error.message, problem);
      return true;
    });
  const commands = [genesis('manual'), PRICES, buy()];

  const crashed = new SimDisk();
  await life(crashed, '1', ...commands);
  await refused(crashed.restart(), /it was not stopped cleanly/);

  const sealed = new SimDisk();
  const log = await life(sealed, '1', ...commands);
  await log.seal();
  let disk = sealed.restart();
  // Other rules cannot make the state of the boundary again.
  const spoilt = sealed.restart();
  spoilt.tamper(snapshotFiles(spoilt)[0], (bytes) => bytes.fill(0x20, 100, 101));
  await assert.rejects(life(spoilt, '2'), {
    name: 'SnapshotDamaged',
    message:
      /000000000003\.snapshot: .*; put it back from a backup\. Without it, the command log was written under rules 1/,
  });
  assert.equal(snapshotFiles(spoilt).length, 1);
  await life(disk, '2');
  // Without a snapshot of its own yet, after commands and a crash, it still goes on from the one of the seal.
  disk = disk.restart();
  const second = await recoverOn(disk, { rulesVersion: '2' });
  await second.log.append({ firstSeq: 4, timeMs: START_MS, commands: encodeCommands([buy()]) });
  const third = await recoverOn(disk.restart(), { rulesVersion: '2' });
  assert.equal(third.venue.openOrders(0, 'spot', null).length, 2);

  disk = new SimDisk();
  const more = await life(disk, '1', ...commands);
  await more.append({ firstSeq: 4, timeMs: START_MS, commands: encodeCommands([PRICES]) });
  await more.seal();
  await refused(disk.restart(), /it was stopped cleanly, but there is no snapshot of its end/);
});
