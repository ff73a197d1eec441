import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogDamaged, LogFailed, LogFull, LogOutOfFiles, RulesMismatch } from '../../src/log/contract/command-log.ts';
import { FileLog } from '../../src/log/file/file-log.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import { encodeCommands } from '../../src/log/shared/payload/encode.ts';
import { segmentName, segmentNumber, snapshotName, snapshotSeq } from '../../src/log/shared/segments.ts';
import { type Fault, SimDisk } from '../sim/sim-disk.ts';
import { append, commandsOn, openLog, SEGMENT_BYTES, sized, untilFull } from './support.ts';

test('what was appended is read back in order, over several segments and starts', async () => {
  let disk = new SimDisk();
  const expected: unknown[] = [];
  for (let epoch = 1; epoch <= 3; epoch += 1) {
    const found: unknown[] = [];
    const log = await openLog(disk, found);
    assert.equal(log.epoch, epoch);
    assert.deepEqual(found, expected);
    for (let id = 0; id < 12; id += 1) {
      const batch = [sized(id, 10), sized(id, 1500), { text: 'Zürich \u0000 \ud83d\ude80 \ud800' }];
      await append(log, ...batch);
      expected.push(...batch);
    }
    assert.equal(log.lastSeq, expected.length);
    if (epoch < 3) await log.seal();
    await log.close();
    disk = disk.restart();
  }
  const entries = [...readEntries(disk)];
  assert.deepEqual(
    entries.flatMap((entry) => entry.commands),
    expected,
  );
  assert.deepEqual(
    entries
      .filter((entry) => entry.kind !== 'batch')
      .map(({ kind, epoch, rulesVersion }) => ({ kind, epoch, rulesVersion })),
    [
      { kind: 'start', epoch: 1, rulesVersion: '1' },
      { kind: 'seal', epoch: 1, rulesVersion: undefined },
      { kind: 'start', epoch: 2, rulesVersion: '1' },
      { kind: 'seal', epoch: 2, rulesVersion: undefined },
      { kind: 'start', epoch: 3, rulesVersion: '1' },
    ],
  );
  assert.ok(disk.names().includes('00000002.log'));
});

test('a log goes on at its last seq and time', async () => {
  const disk = new SimDisk();
  const log = await openLog(disk);
  await log.append({ firstSeq: 1, timeMs: 1_767_225_600_000, commands: encodeCommands([{}, {}]) });
  const again = await openLog(disk.restart());
  assert.deepEqual([again.epoch, again.lastSeq, again.lastTimeMs], [2, 2, 1_767_225_600_000]);
});

test('starts alone fill segments and go on in the next one, sealed or not', async () => {
  let disk = new SimDisk();
  for (let epoch = 1; epoch <= 100; epoch += 1) {
    const log = await openLog(disk);
    assert.equal(log.epoch, epoch);
    if (epoch % 3 === 0) await log.seal();
    disk = disk.restart({ seed: epoch });
  }
  assert.ok(disk.names().includes('00000003.log'));
});

test('a batch larger than a segment gets a segment of its own size', async () => {
  const disk = new SimDisk();
  const log = await openLog(disk);
  const commands = [sized(1, 3 * SEGMENT_BYTES), sized(2, 10)];
  await append(log, commands[0]);
  await append(log, commands[1]);
  await log.seal();
  assert.deepEqual(commandsOn(disk), commands);
});

test('a batch beyond what a frame may hold is refused and leaves the log as it was', async () => {
  const disk = new SimDisk();
  const log = await openLog(disk);
  await assert.rejects(append(log, sized(1, 17 * 1024 * 1024)), RangeError);
  await append(log, sized(2, 1));
  assert.deepEqual(commandsOn(disk), [sized(2, 1)]);
});

test('one batch is in flight: a second one is refused by an assertion', async () => {
  const log = await openLog(new SimDisk({ syncTurns: 3 }));
  const first = append(log, { id: 1 });
  await assert.rejects(append(log, { id: 2 }), /append while append is in flight/);
  await first;
});

test('a batch with a gap before it is refused by an assertion', async () => {
  const log = await openLog(new SimDisk());
  await assert.rejects(
    log.append({ firstSeq: 2, timeMs: 0, commands: encodeCommands([{}]) }),
    /must follow the last one/,
  );
});

test('an append takes one write and one sync', async () => {
  const disk = new SimDisk();
  const log = await openLog(disk);
  const before = disk.steps;
  await append(log, { id: 1 });
  assert.equal(disk.steps - before, 2);
});

test('short writes are continued', async () => {
  const faults: Record<number, Fault> = {};
  for (let step = 1; step < 400; step += 2) faults[step] = 'short';
  const disk = new SimDisk({ faults });
  const log = await openLog(disk);
  const commands = [1, 2, 3, 4, 5, 6].map((id) => sized(id, 5000));
  for (const command of commands) await append(log, command);
  assert.deepEqual(commandsOn(disk.restart()), commands);
});

test('a failed sync is fatal and never tried again', async () => {
  const probe = new SimDisk();
  await append(await openLog(probe), { id: 1 });
  const disk = new SimDisk({ faults: { [probe.steps]: 'failSync' } });
  const log = await openLog(disk);
  await assert.rejects(append(log, { id: 1 }), LogFailed);
  const syncs = disk.syncs;
  await assert.rejects(append(log, { id: 2 }), /on a log that is failed/);
  await assert.rejects(log.makeRoom(), /on a log that is failed/);
  await assert.rejects(log.seal(), /on a log that is failed/);
  assert.equal(disk.syncs, syncs);
});

test('a failed write that is not for lack of room is fatal', async () => {
  const probe = new SimDisk();
  await append(await openLog(probe), { id: 1 });
  const log = await openLog(new SimDisk({ faults: { [probe.steps - 1]: 'failWrite' } }));
  await assert.rejects(append(log, { id: 1 }), LogFailed);
  await assert.rejects(append(log, { id: 2 }), /on a log that is failed/);
});

test('a full disk refuses the batch, names the room it needs, and goes on when there is room', async () => {
  const disk = new SimDisk({ capacityBytes: SEGMENT_BYTES * 1.5 });
  const log = await openLog(disk);
  const full = await untilFull(log, 2000);
  assert.equal(full.neededBytes, SEGMENT_BYTES);
  assert.match(full.message, /no space left for the command log: 16384 bytes must be free in sim/);
  const held = commandsOn(disk);
  await assert.rejects(log.makeRoom(), LogFull);
  await assert.rejects(append(log, sized(-1, 2000)), LogFull);
  assert.deepEqual(commandsOn(disk), held);
  disk.capacityBytes = SEGMENT_BYTES * 2.5;
  await log.makeRoom();
  await append(log, sized(-2, 2000));
  assert.deepEqual(commandsOn(disk.restart()), [...held, sized(-2, 2000)]);
});

test('a full disk does not keep a log from being sealed', async () => {
  const disk = new SimDisk({ capacityBytes: SEGMENT_BYTES * 1.5 });
  const log = await openLog(disk);
  await untilFull(log, 2000);
  await log.seal();
  assert.equal([...readEntries(disk.restart())].at(-1)?.kind, 'seal');
});

for (const copyOnWrite of [false, true]) {
  test(`what a write left before it found no room is taken back (${copyOnWrite ? 'copy on write' : 'in place'})`, async () => {
    const probe = new SimDisk();
    const first = await openLog(probe);
    await append(first, { id: 1 });
    await append(first, sized(2, 4000));
    const options = { copyOnWrite, capacityBytes: SEGMENT_BYTES * 8, faults: { [probe.steps - 1]: 'full' as const } };
    const disk = new SimDisk(options);
    const log = await openLog(disk);
    await append(log, { id: 1 });
    if (copyOnWrite) disk.capacityBytes = 0;
    await assert.rejects(append(log, sized(2, 4000)), LogFull);
    if (copyOnWrite) await assert.rejects(log.makeRoom(), LogFull);
    assert.deepEqual(commandsOn(disk), [{ id: 1 }]);
    disk.capacityBytes = SEGMENT_BYTES * 8;
    await log.makeRoom();
    await append(log, { id: 3 });
    assert.deepEqual(commandsOn(disk.restart()), [{ id: 1 }, { id: 3 }]);
  });
}

test('a crash while what found no room is taken back, copy on write, leaves a log that starts', async () => {
  const probe = new SimDisk();
  const first = await openLog(probe);
  await append(first, { id: 1 });
  const full = probe.steps + 1;
  for (let crash = full + 1; crash <= full + 8; crash += 1) {
    for (let seed = 1; seed <= 20; seed += 1) {
      const faults = { [full]: 'full', [crash]: 'crash' } as const;
      const disk = new SimDisk({ seed, copyOnWrite: true, faults });
      const log = await openLog(disk);
      await append(log, { id: 1 });
      disk.capacityBytes = 0;
      await assert.rejects(append(log, sized(2, 4000)));
      disk.capacityBytes = Number.POSITIVE_INFINITY;
      await log.makeRoom().catch(() => {});
      const found: unknown[] = [];
      const next = seed % 2 === 0 ? disk.restart() : disk.nextProcess();
      await append(await openLog(next, found), { id: 3 });
      assert.deepEqual(found, [{ id: 1 }]);
      assert.deepEqual(commandsOn(next.restart()), [{ id: 1 }, { id: 3 }]);
    }
  }
});

test('a log that found space only to end its segment still has none for the refused batch (copy on write)', async () => {
  const refused = async (faults: Record<number, Fault>) => {
    const disk = new SimDisk({ copyOnWrite: true, faults });
    const log = await openLog(disk);
    await append(log, sized(1, 7000));
    disk.outOfFiles = true;
    await append(log, sized(2, 7000));
    await assert.rejects(append(log, sized(3, 7000)), LogOutOfFiles);
    disk.outOfFiles = false;
    return { disk, log };
  };
  const probe = await refused({});
  await probe.log.makeRoom();
  // The last steps of makeRoom are the write that tries the space of the batch, and a sync.
  const { disk, log } = await refused({ [probe.disk.steps - 1]: 'full' });
  await assert.rejects(log.makeRoom(), LogFull);
  disk.capacityBytes = 0;
  await assert.rejects(log.makeRoom(), LogFull);
  await assert.rejects(append(log, sized(3, 7000)), LogFull);
  disk.capacityBytes = Number.POSITIVE_INFINITY;
  await log.makeRoom();
  await append(log, sized(3, 7000));
  assert.deepEqual(commandsOn(disk.restart()), [sized(1, 7000), sized(2, 7000), sized(3, 7000)]);
});

test('a log that finds no space to end its segment asks for the space of the batch (copy on write)', async () => {
  const upTo = async (faults: Record<number, Fault>) => {
    const disk = new SimDisk({ copyOnWrite: true, faults });
    const log = await openLog(disk);
    await append(log, sized(1, 7000));
    await append(log, sized(2, 7000));
    return { disk, log };
  };
  const probe = await upTo({});
  const { disk, log } = await upTo({ [probe.disk.steps + 1]: 'full' });
  await assert.rejects(append(log, sized(3, 7000)), LogFull);
  await log.makeRoom();
  const before = disk.steps;
  await append(log, sized(3, 7000));
  assert.equal(disk.steps - before, 2, 'makeRoom has ended the segment; the batch is one write and one sync');
  assert.deepEqual(commandsOn(disk.restart()), [sized(1, 7000), sized(2, 7000), sized(3, 7000)]);
});

test('a start without room for its start record says how much it needs, and leaves nothing behind', async () => {
  const disk = new SimDisk({ capacityBytes: 1000 });
  await assert.rejects(
    openLog(disk),
    (error: unknown) => error instanceof LogFull && error.neededBytes === SEGMENT_BYTES,
  );
  assert.deepEqual(disk.names(), []);
});

test('a log of other rules is refused by name, sealed or not, and not replayed', async () => {
  for (const sealed of [false, true]) {
    const disk = new SimDisk();
    const log = await openLog(disk);
    await append(log, { id: 1 });
    if (sealed) await log.seal();
    const found: unknown[] = [];
    const opening = openLog(disk.restart(), found, { rulesVersion: '2' });
    await assert.rejects(opening, (error: unknown) => {
      assert.ok(error instanceof RulesMismatch);
      assert.match(error.message, /written under rules 1, this version applies rules 2/);
      assert.match(error.message, sealed ? /was stopped cleanly/ : /was not stopped cleanly/);
      return true;
    });
    assert.deepEqual(found, []);
  }
});

test('a lost log is refused where the folder was started before', async () => {
  const lost = [
    new SimDisk(),
    await (async () => {
      const disk = new SimDisk();
      await openLog(disk);
      disk.tamper('00000001.log', (bytes) => Buffer.alloc(bytes.length));
      return disk.restart();
    })(),
  ];
  for (const disk of lost) {
    await assert.rejects(openLog(disk, [], { mustExist: true }), (error: unknown) => {
      assert.ok(error instanceof LogDamaged);
      assert.match(
        error.message,
        /00000001\.log at offset 0: the folder was used before, but its log is missing or empty/,
      );
      return true;
    });
  }
});

test('a segment size out of range is refused', async () => {
  for (const segmentBytes of [0, 1000, 1.5, Number.NaN, 2 ** 31]) {
    const opening = FileLog.open(new SimDisk(), { rulesVersion: '1', segmentBytes });
    await assert.rejects(opening, /use a whole number of bytes from 16384 to 1073741824/);
  }
});

test('a segment ahead is open already: a roll needs no descriptor', async () => {
  const disk = new SimDisk();
  const log = await openLog(disk);
  await append(log, sized(1, 9000));
  disk.outOfFiles = true;
  await append(log, sized(2, 6000));
  await append(log, sized(3, 6000));
  disk.outOfFiles = false;
  assert.ok(disk.names().includes('00000002.log'));
  assert.deepEqual(commandsOn(disk.restart()), [sized(1, 9000), sized(2, 6000), sized(3, 6000)]);
});

test('where no file can be opened for a segment, the batch is refused, and the log goes on when one can', async () => {
  const disk = new SimDisk();
  const log = await openLog(disk);
  disk.outOfFiles = true;
  const full = await untilFull(log, 2000);
  assert.match(full.message, /^too many open files, and the command log needs another: raise the limit \(ulimit -n\)/);
  await assert.rejects(log.makeRoom(), LogOutOfFiles);
  disk.outOfFiles = false;
  const held = commandsOn(disk);
  await log.makeRoom();
  await append(log, sized(-1, 2000));
  assert.deepEqual(commandsOn(disk.restart()), [...held, sized(-1, 2000)]);
});

test('a start that cannot open its segment is refused, and finds all of it later', async () => {
  const disk = new SimDisk();
  await append(await openLog(disk), { id: 1 });
  const next = disk.nextProcess();
  next.outOfFiles = true;
  await assert.rejects(openLog(next));
  next.outOfFiles = false;
  assert.deepEqual(commandsOn(next), [{ id: 1 }]);
});

test('names of segments and snapshots do not run out', () => {
  for (const number of [1, 99_999_999, 100_000_000, 12_345_678_901]) {
    assert.equal(segmentNumber(segmentName(number)), number);
  }
  for (const seq of [0, 999_999_999_999, 10 ** 12, Number.MAX_SAFE_INTEGER]) {
    assert.equal(snapshotSeq(snapshotName(seq)), seq);
  }
  for (const name of ['1.log', '0000000001.log', '000000001.log', '99999999999999999999.log', '00000001.log.new']) {
    assert.equal(segmentNumber(name), undefined, name);
  }
});
