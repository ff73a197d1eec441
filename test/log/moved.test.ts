/** Segments that are moved to a cold folder: in which order, what a crash leaves, and how the rest is read. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { LogDamaged, LogFull, LogMoved } from '../../src/log/contract/command-log.ts';
import type { LogEntry, LogPosition } from '../../src/log/contract/log-source.ts';
import { ColdFiles } from '../../src/log/file/cold/cold-files.ts';
import { ColdFolder } from '../../src/log/file/cold/cold-folder.ts';
import { SegmentMover } from '../../src/log/file/cold/segment-mover.ts';
import { copyLog } from '../../src/log/file/copy.ts';
import { FileSource } from '../../src/log/file/file-source.ts';
import { FileFollower } from '../../src/log/file/follow-log.ts';
import { FolderSegments, readMoved } from '../../src/log/file/moved.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import { partOf } from '../../src/log/shared/moved.ts';
import { type Fault, SimCrash, SimDisk } from '../sim/sim-disk.ts';
import { fileOf } from '../support/storage.ts';
import { append, openLog, sized } from './support.ts';

const VENUE = 'a'.repeat(32);
const COMMANDS = 51;

/** A log of eight segments, and the record that a state was taken after, in the sixth. */
async function longLog(): Promise<{ disk: SimDisk; before: LogPosition }> {
  const disk = new SimDisk();
  let state = () => ({ effects: undefined, anew: false, venueId: VENUE });
  let log = await openLog(disk, [], { state });
  let before: LogPosition | undefined;
  for (let id = 1; id <= COMMANDS; id += 1) {
    await append(log, sized(id, 1800));
    if (id === 20) {
      // A restart, so that the moved part has a seal and two epochs.
      await log.seal();
      await log.close();
      state = () => ({ effects: undefined, anew: false, venueId: VENUE });
      log = await openLog(disk, [], { state });
    }
    if (fileOf(log.position).segment === 6) before ??= log.position;
  }
  await log.close();
  assert.ok(before !== undefined && fileOf(log.position).segment === 8, 'the log is as long as the tests need it');
  return { disk, before };
}

const options = (before: LogPosition) => ({ venueId: VENUE, needed: [before] });

/** Moves everything before the record. */
async function moveAll(disk: SimDisk, cold: SimDisk, before: LogPosition): Promise<SegmentMover> {
  const mover = await SegmentMover.open(new FolderSegments(disk), new ColdFolder(cold), options(before));
  while (mover.left > 0) await mover.step();
  return mover;
}

const whole = (disk: SimDisk, ...cold: SimDisk[]) =>
  new ColdFiles(
    disk,
    cold.map((each) => new ColdFolder(each)),
  );

const idsIn = (entries: Iterable<LogEntry>): number[] =>
  [...entries].flatMap(({ commands }) => commands.map((command) => (command as { id: number }).id));

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** The commands that the folder alone holds. */
function idsHere(disk: SimDisk): number[] {
  const moved = readMoved(disk);
  return idsIn(readEntries(disk, moved && partOf(moved)));
}

/** The first record in a segment. */
function recordIn(disk: SimDisk, segment: number): LogPosition {
  const found = [...readEntries(disk)].find(({ position }) => fileOf(position).segment === segment);
  return found!.position;
}

const segmentsOf = (disk: SimDisk) => disk.names().filter((name) => /^\d{8}\.log$/.test(name));

/** Replaces the note by one with other values and a right checksum, as a hostile editor can. */
function forge(disk: SimDisk, change: object): void {
  disk.tamper('moved.json', (bytes) => {
    const { sha256: _, ...content } = { ...JSON.parse(bytes.toString()), ...change };
    const sha256 = hash('sha256', JSON.stringify(content), 'hex');
    return Buffer.from(`${JSON.stringify({ ...content, sha256 }, null, 2)}\n`);
  });
}

test('segments before a record are moved, the rest follows the note, and both together are the whole log', async () => {
  const { disk, before } = await longLog();
  const records = [...readEntries(disk)].length;
  const originals = new Map(segmentsOf(disk).map((name) => [name, disk.read(name)]));
  const cold = new SimDisk();
  const mover = await moveAll(disk, cold, before);
  assert.equal(mover.left, 0);

  assert.deepEqual(segmentsOf(disk).sort(), ['00000006.log', '00000007.log', '00000008.log']);
  assert.deepEqual(cold.names().sort(), [...range(1, 5).map((n) => `0000000${n}.log.zst`), 'manifest-00000001.json']);
  for (const n of range(1, 5)) {
    const plain = zstdDecompressSync(cold.read(`0000000${n}.log.zst`)!);
    assert.deepEqual(plain, originals.get(`0000000${n}.log`), 'zstd gives the segment back');
  }
  const here = idsHere(disk);
  assert.deepEqual(here, range(mover.seq + 1, COMMANDS));
  assert.deepEqual(idsIn(readEntries(whole(disk, cold))), range(1, COMMANDS));
  assert.equal([...readEntries(whole(disk, cold))].length, records);
  const part = partOf(readMoved(disk)!);
  assert.deepEqual([part.what, part.where, part.venueId], ['00000001.log to 00000005.log', 'sim', VENUE]);
});

test('the number of records, the epoch and the seal are those of the whole log', async () => {
  const { disk, before } = await longLog();
  const read = (entries: ReturnType<typeof readEntries>) => {
    let step = entries.next();
    while (!step.done) step = entries.next();
    const { epoch, lastSeq, records, sealed, hash } = step.value;
    return { epoch, lastSeq, records, sealed, hash };
  };
  const was = read(readEntries(disk));
  await moveAll(disk, new SimDisk(), before);
  assert.deepEqual(read(readEntries(disk, partOf(readMoved(disk)!))), was);
});

test('what needs the moved part says where it is, and does not call it damage', async () => {
  const { disk, before } = await longLog();
  const [first] = [...readEntries(disk)];
  await moveAll(disk, new SimDisk(), before);
  const why = { name: 'LogMoved', message: /up to seq \d+ \(00000001\.log to 00000005\.log\), was moved to sim: / };
  assert.throws(() => [...readEntries(disk)], why);
  assert.throws(() => new FileFollower(disk), why);
  const origin = { position: first.position, rulesVersion: '1', name: '000000000000.snapshot' };
  const within = { name: 'LogMoved', message: /000000000000\.snapshot is a state within it, at seq 0/ };
  assert.throws(() => [...readEntries(disk, origin)], within);
  assert.throws(() => new FileFollower(disk, origin), within);
  await assert.rejects(openLog(disk), why);
});

test('a follower begins after the moved part, and a log continues from a state behind it', async () => {
  const { disk, before } = await longLog();
  const mover = await moveAll(disk, new SimDisk(), before);
  const source = new FileSource(disk);
  const follower = await source.follow(await source.moved());
  const entries: LogEntry[] = [];
  for await (const entry of follower.take(COMMANDS)) entries.push(entry);
  assert.deepEqual(idsIn(entries), range(mover.seq + 1, COMMANDS));

  const found: unknown[] = [];
  const origin = { position: before, rulesVersion: '1', name: 'a state' };
  const log = await openLog(disk, found, { origin });
  assert.equal(log.epoch, 3);
  assert.equal(found.length, COMMANDS - before.seq);
  await append(log, sized(COMMANDS + 1, 10));
  assert.deepEqual(idsHere(disk).at(-1), COMMANDS + 1);
});

test('a second run moves what has been passed since, and the copy of a folder has the note', async () => {
  const { disk, before } = await longLog();
  const cold = new SimDisk();
  const second = recordIn(disk, 3);
  await moveAll(disk, cold, second);
  assert.equal(readMoved(disk)?.segment, 2);
  await moveAll(disk, cold, before);
  assert.equal(readMoved(disk)?.segment, 5);
  assert.deepEqual(idsIn(readEntries(whole(disk, cold))), range(1, COMMANDS));

  const copy = new SimDisk();
  await copyLog(disk, copy);
  assert.deepEqual(idsHere(copy), idsHere(disk));
  assert.deepEqual(idsIn(readEntries(whole(copy, cold))), range(1, COMMANDS));
});

/** Runs the move with a fault at every step of one of the two disks, one after the other. */
async function atEveryStep(
  which: 'disk' | 'cold',
  fault: Fault,
  check: (disk: SimDisk, cold: SimDisk, before: LogPosition, error: unknown) => Promise<void>,
): Promise<void> {
  const { disk: origin } = await longLog();
  const before = recordIn(origin, 3);
  const dry = { disk: origin.copy(), cold: new SimDisk() };
  await moveAll(dry.disk, dry.cold, before);
  const { steps } = dry[which];
  let hits = 0;
  for (let step = 1; step <= steps; step += 1) {
    const faults = { [step]: fault };
    const disk = origin.copy(which === 'disk' ? { faults, seed: step } : {});
    const cold = new SimDisk(which === 'cold' ? { faults, seed: step } : {});
    let thrown: unknown;
    await moveAll(disk, cold, before).catch((error) => {
      thrown = error;
    });
    const faulty = which === 'disk' ? disk : cold;
    if (faulty.happened.length === 0) continue;
    hits += 1;
    await check(disk, cold, before, thrown);
  }
  assert.ok(hits >= 2, `${fault} happened ${hits} times in ${steps} steps`);
}

describe('a crash at any step leaves a log that is read, and the next run continues', () => {
  for (const which of ['disk', 'cold'] as const) {
    test(`at a step of the ${which === 'disk' ? 'data folder' : 'cold folder'}`, async () => {
      await atEveryStep(which, 'crash', async (died, diedCold, before, error) => {
        assert.ok(error instanceof SimCrash, String(error));
        const [disk, cold] = [died.restart({ seed: 7 }), diedCold.restart({ seed: 7 })];
        const moved = readMoved(disk);
        assert.deepEqual(idsHere(disk), range((moved?.seq ?? 0) + 1, COMMANDS), 'a start needs nothing else');
        if (moved !== undefined) assert.deepEqual(idsIn(readEntries(whole(disk, cold))), range(1, COMMANDS));
        await moveAll(disk, cold, before);
        assert.equal(segmentsOf(disk).length, 6);
        assert.deepEqual(idsIn(readEntries(whole(disk, cold))), range(1, COMMANDS));
      });
    });
  }
});

describe('a fault of a disk ends the run, loses nothing, and the next run continues', () => {
  for (const which of ['disk', 'cold'] as const) {
    for (const fault of ['failWrite', 'full', 'failSync', 'short'] as const) {
      test(`${fault} at any step of the ${which === 'disk' ? 'data folder' : 'cold folder'}`, async () => {
        await atEveryStep(which, fault, async (died, diedCold, before, error) => {
          if (fault === 'full') assert.ok(error instanceof LogFull, String(error));
          // A power cut after the fault: only what was made durable counts.
          const [disk, cold] = [died.restart({ seed: 5 }), diedCold.restart({ seed: 5 })];
          const moved = readMoved(disk);
          assert.deepEqual(idsHere(disk), range((moved?.seq ?? 0) + 1, COMMANDS));
          if (moved !== undefined) assert.deepEqual(idsIn(readEntries(whole(disk, cold))), range(1, COMMANDS));
          await moveAll(disk, cold, before);
          assert.deepEqual(idsIn(readEntries(whole(disk, cold))), range(1, COMMANDS));
        });
      });
    }
  }
});

test('a cold folder without space says what it needs, and what was moved stays moved', async () => {
  const { disk, before } = await longLog();
  const cold = new SimDisk({ capacityBytes: 2000 });
  await assert.rejects(moveAll(disk, cold, before), { name: 'LogFull', message: /no space left for .* in sim/ });
  const moved = readMoved(disk);
  assert.deepEqual(idsHere(disk), range((moved?.seq ?? 0) + 1, COMMANDS));
  cold.leave(null);
  await moveAll(disk, cold, before);
  assert.deepEqual(idsIn(readEntries(whole(disk, cold))), range(1, COMMANDS));
});

describe('the note', () => {
  /** A log whose first five segments were moved. */
  async function movedLog() {
    const { disk, before } = await longLog();
    const cold = new SimDisk();
    await moveAll(disk, cold, before);
    return { disk, cold, before };
  }
  const refused = (disk: SimDisk, place: RegExp) =>
    assert.throws(
      () => idsHere(disk),
      (error) => {
        assert.ok(error instanceof LogDamaged, String(error));
        assert.match(error.message, place);
        return true;
      },
    );

  test('that is lost is found, and a run writes it again from the manifest', async () => {
    const { disk, cold, before } = await movedLog();
    const was = disk.read('moved.json');
    disk.tamper('moved.json', () => undefined);
    refused(
      disk,
      /00000001\.log at offset 0: this segment is missing, but 00000006\.log holds more of the log\. If the first segments are in a cold folder/,
    );
    await moveAll(disk, cold, before);
    assert.deepEqual(disk.read('moved.json'), was);
    disk.tamper('moved.json', () => undefined);
    await assert.rejects(moveAll(disk, new SimDisk(), before), {
      name: 'LogDamaged',
      message: /missing without a moved\.json, and sim does not have what comes before 00000006\.log/,
    });
  });

  test('that is changed in any bit is refused', async () => {
    const { disk } = await movedLog();
    const bytes = disk.read('moved.json')!.length;
    for (let at = 0; at < bytes; at += 1) {
      const other = disk.copy();
      other.tamper('moved.json', (text) => {
        text[at] ^= 1;
        return text;
      });
      refused(other, /moved\.json: it (is not JSON|does not match its checksum)/);
    }
    disk.tamper('moved.json', () => Buffer.alloc(0));
    refused(disk, /moved\.json: it is not JSON/);
  });

  const forged: Record<string, (note: Record<string, number>) => object> = {
    'another hash': () => ({ hash: '0'.repeat(64) }),
    'an earlier seq': ({ seq }) => ({ seq: seq - 1 }),
    'another epoch': ({ epoch }) => ({ epoch: epoch + 1 }),
    'fewer segments': ({ segment }) => ({ segment: segment - 1 }),
    'more segments': ({ segment }) => ({ segment: segment + 1 }),
    'a segment that is no number': () => ({ segment: 'x' }),
  };
  for (const [what, change] of Object.entries(forged)) {
    test(`with ${what} and a right checksum is refused by the record after it`, async () => {
      const { disk } = await movedLog();
      forge(disk, change(JSON.parse(disk.read('moved.json')!.toString())));
      refused(disk, /./);
    });
  }

  for (const name of ['records', 'timeMs', 'batchSeq'] as const) {
    test(`with another ${name} is found together with the cold folder`, async () => {
      const { disk, cold } = await movedLog();
      const note = JSON.parse(disk.read('moved.json')!.toString());
      forge(disk, { [name]: note[name] + 1 });
      assert.throws(() => [...readEntries(whole(disk, cold))], {
        name: 'LogDamaged',
        message: new RegExp(`moved\\.json: it says that ${name} is ${note[name] + 1} at the end of 00000005\\.log`),
      });
    });
  }
});

describe('a cold folder that does not fit is refused, and nothing changes', () => {
  const unfit = (message: RegExp) => ({ name: 'ColdFolderUnfit', message });

  test('one with other files', async () => {
    const { disk, before } = await longLog();
    const cold = new SimDisk();
    cold.put('holiday.jpg', Buffer.from('x'));
    await assert.rejects(moveAll(disk, cold, before), unfit(/other files, such as holiday\.jpg, and no moved log/));
    assert.equal(segmentsOf(disk).length, 8);
  });

  test('one of another venue', async () => {
    const { disk, before } = await longLog();
    const cold = new SimDisk();
    await moveAll(disk.copy(), cold, before);
    const mover = await SegmentMover.open(new FolderSegments(disk), new ColdFolder(cold), {
      needed: [before],
      venueId: 'b'.repeat(32),
    });
    await assert.rejects(mover.step(), unfit(/belongs to another venue: its id is a+, this one has b+/));
    assert.equal(segmentsOf(disk).length, 8);
  });

  test('an empty one where another was used before: its disk may not be mounted', async () => {
    const { disk, before } = await longLog();
    const second = recordIn(disk, 3);
    await moveAll(disk, new SimDisk(), second);
    await assert.rejects(
      moveAll(disk, new SimDisk(), before),
      unfit(/does not list 00000002\.log, which was moved to sim: is that folder there, and is its disk mounted/),
    );
    assert.throws(() => whole(disk, new SimDisk()), unfit(/does not list 00000002\.log/));
  });

  test('one with another history of a segment, as after a restored backup', async () => {
    const { disk, before } = await longLog();
    const backup = new SimDisk();
    for (const n of range(1, 3)) backup.put(`0000000${n}.log`, disk.read(`0000000${n}.log`)!);
    backup.put('00000004.log', Buffer.alloc(disk.size('00000004.log')!));
    const cold = new SimDisk();
    await moveAll(disk, cold, before);
    const log = await openLog(backup);
    for (let id = 1; id <= 20; id += 1) await append(log, sized(1000 + id, 1800));
    await log.close();
    const last = [...readEntries(backup)].at(-1)!.position;
    const kept = cold.read('00000004.log.zst');
    await assert.rejects(moveAll(backup, cold, last), unfit(/another 00000004\.log: it ends at seq \d+ in a history/));
    assert.equal(readMoved(backup)?.segment, 3, 'what is the same was moved');
    assert.deepEqual(cold.read('00000004.log.zst'), kept);
  });

  test('one with an unlisted file of the same name', async () => {
    const { disk, before } = await longLog();
    const cold = new SimDisk();
    cold.put('00000001.log.zst', Buffer.from('not a segment'));
    await assert.rejects(moveAll(disk, cold, before), unfit(/another 00000001\.log\.zst, which no manifest lists/));
    assert.equal(cold.read('00000001.log.zst')?.toString(), 'not a segment');
  });
});

describe('damage', () => {
  test('of a segment is refused before it is moved', async () => {
    const { disk, before } = await longLog();
    disk.tamper('00000003.log', (bytes) => {
      bytes[5000] ^= 1;
      return bytes;
    });
    await assert.rejects(moveAll(disk, new SimDisk(), before), {
      name: 'LogDamaged',
      message: /00000003\.log at offset/,
    });
    assert.equal(readMoved(disk)?.segment, 2);
    assert.ok(segmentsOf(disk).includes('00000003.log'));
  });

  test('of a moved segment, of its manifest, or its loss is found when it is read', async () => {
    const { disk, before } = await longLog();
    const cold = new SimDisk();
    await moveAll(disk, cold, before);
    const cases: [string, (bytes: Buffer) => Buffer | undefined, RegExp][] = [
      ['00000002.log.zst', (bytes) => flipped(bytes, 100), /sim\/00000002\.log\.zst: \d+ bytes that do not match/],
      ['00000002.log.zst', () => undefined, /00000002\.log\.zst: it is not in sim, where it was moved to/],
      ['manifest-00000001.json', (bytes) => flipped(bytes, 300), /manifest-00000001\.json: it does not match/],
      ['manifest-00000001.json', () => Buffer.from('{'), /manifest-00000001\.json: it is not JSON/],
    ];
    for (const [name, change, message] of cases) {
      const other = cold.copy();
      other.tamper(name, change);
      assert.throws(() => [...readEntries(whole(disk, other))], { name: 'LogDamaged', message });
      assert.deepEqual(idsHere(disk).length, COMMANDS - readMoved(disk)!.seq, 'the folder alone is as good as before');
    }
  });

  test('of a segment that a crash left behind the note is passed over, and the next run removes it', async () => {
    const { disk, before } = await longLog();
    const cold = new SimDisk();
    const left = disk.read('00000005.log')!;
    await moveAll(disk, cold, before);
    const here = idsHere(disk);
    disk.put('00000005.log', flipped(Buffer.from(left), 700));
    assert.deepEqual(idsHere(disk), here);
    await moveAll(disk, cold, before);
    assert.ok(!segmentsOf(disk).includes('00000005.log'));
    disk.put('00000005.log', left);
    cold.tamper('00000005.log.zst', () => undefined);
    await assert.rejects(moveAll(disk, cold, before), {
      name: 'ColdFolderUnfit',
      message: /does not have 00000005\.log/,
    });
    assert.ok(segmentsOf(disk).includes('00000005.log'), 'it is the only copy');
  });
});

test('a segment that is moved while a reader is before it is named as moved', async () => {
  const { disk, before } = await longLog();
  const entries = readEntries(disk);
  entries.next();
  const follower = new FileFollower(disk);
  await moveAll(disk, new SimDisk(), before);
  assert.throws(
    () => [...entries],
    (error) => error instanceof LogMoved && /00000002\.log was to be read/.test(error.message),
  );
  await assert.rejects(async () => {
    for await (const _ of follower.take(COMMANDS));
  }, LogMoved);
});

test('more is moved while the whole log is read: the reader finds it in the cold folder', async () => {
  const { disk, before } = await longLog();
  const cold = new SimDisk();
  const second = recordIn(disk, 3);
  await moveAll(disk, cold, second);
  const entries = readEntries(whole(disk, cold));
  entries.next();
  await moveAll(disk, cold, before);
  assert.deepEqual(idsIn(entries), range(1, COMMANDS));
});

test('two cold folders together are the whole log, and the later one counts', async () => {
  const { disk, before } = await longLog();
  const [all, part] = [new SimDisk(), new SimDisk()];
  const second = recordIn(disk, 3);
  await moveAll(disk.copy(), part, second);
  await moveAll(disk, all, before);
  for (const n of range(1, 2)) all.remove(`0000000${n}.log.zst`);
  assert.deepEqual(idsIn(readEntries(whole(disk, all, part))), range(1, COMMANDS));
});

function flipped(bytes: Buffer, at: number): Buffer {
  bytes[at] ^= 1;
  return bytes;
}
