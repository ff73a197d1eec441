/** Parts of a log whose states cannot be computed here: other rules made them, they were moved, memory has dropped them. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { RULES } from '../../src/archive/follow/follower.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import type { Engine } from '../../src/engine/host.ts';
import { replay } from '../../src/engine/replay/inspect.ts';
import { writeSnapshot } from '../../src/engine/replay/snapshots.ts';
import { startEngine } from '../../src/engine/start.ts';
import type { LogPosition } from '../../src/log/contract/log-source.ts';
import type { LogStorage } from '../../src/log/contract/storage.ts';
import { folderStorage, memoryStorage } from '../../src/log/open.ts';
import { moveLog } from '../../src/move-log.ts';
import { Checkpoints, memoryShelf } from '../../src/time-machine/checkpoints.ts';
import { commandAt } from '../../src/time-machine/open.ts';
import { TimeMachine } from '../../src/time-machine/time-machine.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-elsewhere-'));
after(() => fs.rmSync(root, { recursive: true }));

const SETTINGS = { clock: 'manual', secrets: { seal: (text: string) => text, open: (text: string) => text } } as const;

async function setPrices(engine: Engine, times: number): Promise<number> {
  for (let i = 0; i < times; i += 1) {
    await engine.submit({ v: 1, type: 'setPrices', market: 0, index: 1_000_000_000 + i, byHand: true });
  }
  return engine.venue.seq;
}

function machineOn(storage: LogStorage, rules = RULES): TimeMachine {
  const checkpoints = new Checkpoints({
    shelf: memoryShelf(),
    mostBytes: 1 << 26,
    rules,
    venueId: undefined,
    mayWrite: true,
  });
  return new TimeMachine({ storage, identity: { rules }, checkpoints, world: realWorld, sliceMs: 20, restMs: 0 });
}

interface Found {
  readonly hash: string;
  readonly left?: object | null;
}

function at(machine: TimeMachine, seq: number, endSeq: number): Promise<Found> {
  const view = { show: null, account: null, symbol: null, limit: 1 } as const;
  return machine.ask({ type: 'at', seq, endSeq, ...view }, () => true) as Promise<Found>;
}

async function known(machine: TimeMachine, endSeq: number): Promise<[from: number, to: number]> {
  const whole = { from: null, to: null, buckets: 10, account: null } as const;
  const summary = await machine.ask({ type: 'summary', endSeq, ...whole }, () => true);
  const { knownFrom, knownTo } = summary as { knownFrom: number; knownTo: number };
  return [knownFrom, knownTo];
}

test('before a change of rules it says which rules made the state, and after it there are states', async () => {
  const folder = join(root, 'rules');
  const older = await startEngine({ folder, ...SETTINGS, rules: RULES });
  const boundary = await setPrices(older, 5);
  await older.stop();
  const newer = String(Number(RULES) + 1);
  const engine = await startEngine({ folder, ...SETTINGS, rules: newer });
  const end = await setPrices(engine, 5);
  const machine = machineOn(folderStorage(folder), newer);
  for (const seq of [1, boundary]) {
    await assert.rejects(at(machine, seq, end), {
      name: 'NoSuchMoment',
      message: `the commands up to seq ${boundary} were made under rules ${RULES}, and this version applies rules ${newer}`,
    });
  }
  assert.equal((await at(machine, end, end)).hash, engine.stateHash());
  assert.equal(typeof (await at(machine, boundary + 1, end)).hash, 'string');
  assert.deepEqual(await known(machine, end), [boundary + 1, end]);
  await engine.stop();
});

test('where segments were moved to a cold folder it says so and names the folder; the command line reads them there', async () => {
  const folder = join(root, 'moved');
  const cold = join(root, 'cold');
  const storage = folderStorage(folder);
  let end = 0;
  // Each stop leaves a snapshot.
  for (const times of [120, 60, 20]) {
    const engine = await startEngine({ folder, segmentBytes: 16_384, ...SETTINGS });
    end = await setPrices(engine, times);
    await engine.stop();
  }
  const hashes = new Map<number, string>();
  for (const seq of [5, end - 1]) hashes.set(seq, (await replay(folder, { seq })).hash);
  const { moved, seq: movedSeq } = await moveLog(folder, cold);
  assert.ok(moved > 0);
  const machine = machineOn(storage);
  await assert.rejects(at(machine, 5, end), ({ name, message }: Error) => {
    assert.equal(name, 'NoSuchMoment');
    assert.match(message, new RegExp(`^the log up to seq ${movedSeq} .*was moved to ${cold}`));
    assert.match(message, /"bourse replay" and "bourse why" read the earlier ones with --cold$/);
    return true;
  });
  assert.equal((await at(machine, end - 1, end)).hash, hashes.get(end - 1));
  const [from, to] = await known(machine, end);
  assert.ok(from > movedSeq && to === end);

  await assert.rejects(commandAt(folder, 5, []), { name: 'NoSuchMoment' });
  const found = (await commandAt(folder, 5, [cold])) as { seq: number; command: { type: string } };
  assert.deepEqual([found.seq, found.command.type], [5, 'setPrices']);
  assert.equal((await replay(folder, { seq: 5, cold: [cold] })).hash, hashes.get(5));
  await assert.rejects(commandAt(folder, end + 1, [cold]), { message: `the log has the seqs 1 to ${end}` });
});

test('a log in memory that has dropped its beginning says from where on it has states', async () => {
  const storage = memoryStorage();
  const engine = await startEngine({ storage, ...SETTINGS });
  const machine = machineOn(storage);
  await setPrices(engine, 5);
  await at(machine, 3, engine.venue.seq);
  const dropped = await setPrices(engine, 5);
  const position = storage.source.position as LogPosition;
  await writeSnapshot(storage.snapshots, RULES, engine.venue, position);
  storage.forget(position);
  const end = await setPrices(engine, 5);
  for (const each of [machine, machineOn(storage)]) {
    await assert.rejects(at(each, dropped, end), {
      name: 'NoSuchMoment',
      message: `a log in memory keeps its last commands only, here those after seq ${dropped}`,
    });
    assert.equal((await at(each, end, end)).hash, engine.stateHash());
    assert.deepEqual(await known(each, end), [dropped + 1, end]);
  }
  await engine.stop();
});
