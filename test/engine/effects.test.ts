/**
 * The log says what its commands did: a version that makes something else of them is refused at the first batch that
 * differs, by a start, by replay and by verify. Here an engine with a planted rule writes the log, and plain ones read it.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { EffectsDiffer, StateDiffers } from '../../src/engine/replay/differs.ts';
import { replay, verify } from '../../src/engine/replay/inspect.ts';
import { type Apply, LogReplayer, stateHash } from '../../src/engine/replay/log-replayer.ts';
import { newestSnapshot, originOf, writeSnapshot } from '../../src/engine/replay/snapshots.ts';
import { startEngine } from '../../src/engine/start.ts';
import type { LogEntry } from '../../src/log/contract/log-source.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import { NEW_DIGEST } from '../../src/venue/state/effects-digest.ts';
import { Venue } from '../../src/venue/venue.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { rebuildOn, recoverOn, snapshotFiles, snapshotsOn } from '../support/storage.ts';
import { buy, configuration, engineOn, PRICES, RULES, secrets } from './support.ts';

const scratch = mkdtempSync(join(tmpdir(), 'bourse-effects-'));
after(() => rmSync(scratch, { recursive: true }));

/** Other rules under the same number: an order at 98,500 is taken one tick lower. */
const otherRules: Apply = (venue, seq, timeMs, command) => {
  const changed = command.type === 'place' && command.kind === 'limit' && command.price === 985_000;
  return venue.apply(seq, timeMs, changed ? { ...command, price: 984_999 } : command);
};

/** Another rule that no order and no money shows: a market is halted by a tick. */
const silentRules: Apply = (venue, seq, timeMs, command) =>
  venue.apply(seq, timeMs, command.type === 'tick' ? { v: 1, type: 'haltMarket', market: 0 } : command);

function differs(firstSeq: number, lastSeq: number, { place }: LogEntry) {
  return (error: unknown) => {
    assert.ok(error instanceof EffectsDiffer, String(error));
    assert.deepEqual([error.firstSeq, error.lastSeq], [firstSeq, lastSeq]);
    assert.equal(error.place, place);
    assert.match(error.message, new RegExp(`seq ${firstSeq} to ${lastSeq} \\(${place}\\)`));
    assert.match(error.message, /Start the version that wrote it/);
    return true;
  };
}

function batchOf(disk: SimDisk, seq: number): LogEntry {
  const found = [...readEntries(disk)].find(({ firstSeq, lastSeq }) => firstSeq <= seq && seq <= lastSeq);
  assert.ok(found !== undefined);
  return found;
}

test('each batch, start and seal carries the digest of all commands before it', async () => {
  const disk = new SimDisk();
  const { engine } = await engineOn(disk, 'manual');
  for (const command of [PRICES, buy(), buy({ price: 985_000 })]) await engine.submit(command);
  await engine.stop();
  const again = await engineOn(disk.restart(), 'manual');
  const venue = new Venue();
  const known = [NEW_DIGEST];
  const fold = new LogReplayer(venue);
  let expected = 0;
  for (const entry of readEntries(disk.restart())) {
    assert.equal(
      entry.effects,
      known[entry.lastSeq - (entry.kind === 'batch' ? 1 : 0)],
      `${entry.kind} ${entry.firstSeq}`,
    );
    fold.take(entry);
    fold.finish();
    known[entry.lastSeq] = venue.effects as string;
    expected += 1;
  }
  assert.equal(expected, 1 + 4 + 1, 'a start, four batches, a seal');
  assert.equal(again.venue.effects, known[4]);
  assert.equal(new Set(known).size, 4, 'prices that are set have no effect on orders or money');
});

test('a start is refused at the first batch with other effects, and writes nothing', async () => {
  const disk = new SimDisk();
  const { engine } = await engineOn(disk, 'manual', { apply: otherRules });
  for (const command of [PRICES, buy(), buy({ price: 985_000 }), buy({ price: 980_000 })]) await engine.submit(command);
  const before = [...readEntries(disk)].length;
  const killed = disk.restart();
  await assert.rejects(engineOn(killed, 'manual'), differs(4, 4, batchOf(killed, 4)));
  assert.equal([...readEntries(killed)].length, before);
  const { engine: own } = await engineOn(killed.restart(), 'manual', { apply: otherRules });
  assert.equal(own.stateHash(), engine.stateHash(), 'the version that wrote it goes on with it');
});

test('the last batch of a killed log carries no digest behind it: what the next start makes of it counts from then on', async () => {
  const disk = new SimDisk();
  const { engine } = await engineOn(disk, 'manual', { apply: otherRules });
  for (const command of [PRICES, buy({ price: 985_000 })]) await engine.submit(command);
  const killed = disk.restart();
  await engineOn(killed, 'manual');
  const place = batchOf(killed, 3);
  await assert.rejects(engineOn(killed.restart(), 'manual', { apply: otherRules }), differs(3, 3, place));
});

test('replay and verify name the batch, too', async () => {
  const folder = join(scratch, 'other-rules');
  const engine = await startEngine({
    folder,
    secrets,
    configuration: configuration(),
    clock: 'manual',
    apply: otherRules,
  });
  for (const command of [PRICES, buy({ price: 985_000 }), buy()]) await engine.submit(command);
  await engine.stop();
  const refused = (error: unknown) => {
    assert.ok(error instanceof EffectsDiffer, String(error));
    assert.deepEqual([error.firstSeq, error.lastSeq], [3, 3]);
    return true;
  };
  await assert.rejects(verify(folder), refused);
  await assert.rejects(replay(folder), refused);
  assert.equal((await replay(folder, { seq: 2 })).seq, 2, 'what is before it can be looked at');
});

test('a state that differs without an effect on orders or money is found at the seal, by its hash', async () => {
  const disk = new SimDisk();
  const { engine } = await engineOn(disk, 'manual', { apply: silentRules });
  for (const command of [PRICES, { v: 1, type: 'tick' } as const]) await engine.submit(command);
  await engine.stop();
  await assert.rejects(engineOn(disk.restart(), 'manual'), (error: unknown) => {
    assert.ok(error instanceof StateDiffers, String(error));
    assert.match(
      error.message,
      /^the state at seq 3 has the hash [0-9a-f]{64} according to this version, but [0-9a-f]{64} according to the seal in/,
    );
    return true;
  });
});

test('a start record names the snapshot that it began from, and another one of that seq is refused', async () => {
  const disk = new SimDisk();
  const { engine, log } = await engineOn(disk, 'manual');
  for (const command of [PRICES, buy()]) await engine.submit(command);
  await writeSnapshot(snapshotsOn(disk), RULES, engine.venue, log.position);
  const snapshot = { seq: 3, hash: engine.stateHash() };
  const { position } = log;
  const restarted = disk.restart();
  await engineOn(restarted, 'manual');
  const starts = [...readEntries(restarted)].flatMap(({ began }) => (began === undefined ? [] : [began]));
  assert.deepEqual(starts, [{ anew: false }, { anew: false, snapshot }]);
  const other = new Venue();
  const fold = new LogReplayer(other, { apply: otherRules });
  for (const entry of readEntries(restarted)) fold.take({ ...entry, effects: undefined });
  fold.finish();
  other.resumeEffects(engine.venue.effects as string);
  other.apply(3, other.timeMs, { v: 1, type: 'haltMarket', market: 0 });
  await writeSnapshot(snapshotsOn(restarted), RULES, other, position);
  await assert.rejects(engineOn(restarted.restart(), 'manual'), StateDiffers);
});

test('a replay from a snapshot and one from the beginning have the same digest, also behind a poisoned command', async () => {
  const disk = new SimDisk();
  const planted: Apply = (venue, seq, timeMs, command) => {
    const reply = venue.apply(seq, timeMs, command);
    if (command.type === 'place' && command.kind === 'limit' && command.price === 971_000) throw new Error('planted');
    return reply;
  };
  const { engine, log } = await engineOn(disk, 'manual', { apply: planted });
  for (const command of [PRICES, buy()]) await engine.submit(command);
  await writeSnapshot(snapshotsOn(disk), RULES, engine.venue, log.position);
  const results = await Promise.allSettled([985_000, 971_000, 980_000].map((price) => engine.submit(buy({ price }))));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  await engine.submit(buy({ price: 975_000 }));
  const whole = new LogReplayer(new Venue());
  for (const entry of readEntries(disk)) whole.take(entry);
  whole.finish();
  assert.equal(whole.venue.effects, engine.venue.effects);
  const fromSnapshot = await rebuildOn(disk, 7, { rulesVersion: RULES });
  assert.equal(fromSnapshot.effects, engine.venue.effects);
  assert.equal(stateHash(fromSnapshot), engine.stateHash());
});

test('a snapshot that does not know the digest begins a new one at the start record, for everyone who reads it later', async () => {
  const disk = new SimDisk();
  const { engine, log } = await engineOn(disk, 'manual');
  for (const command of [PRICES, buy()]) await engine.submit(command);
  const { effects: _, ...saved } = JSON.parse(engine.venue.save());
  const unknowing = Venue.load(JSON.stringify({ ...saved, format: 3 }));
  await writeSnapshot(snapshotsOn(disk), RULES, unknowing, log.position);
  const restarted = disk.restart();
  const second = await engineOn(restarted, 'manual');
  assert.equal(second.venue.effects, NEW_DIGEST);
  await second.engine.submit(buy({ price: 985_000 }));
  await second.engine.submit(buy({ price: 980_000 }));
  assert.deepEqual(
    [...readEntries(restarted)].map(({ began }) => began?.anew),
    [false, undefined, undefined, undefined, true, undefined, undefined],
  );

  const fromSnapshot = await engineOn(restarted.restart(), 'manual');
  assert.equal(fromSnapshot.venue.effects, second.venue.effects);
  const whole = restarted.restart();
  for (const file of snapshotFiles(whole)) whole.remove(file);
  assert.equal((await engineOn(whole, 'manual')).venue.effects, second.venue.effects, 'also without the snapshot');
  await assert.rejects(engineOn(restarted.restart(), 'manual', { apply: otherRules }), EffectsDiffer);
});

test('a restart from a snapshot compares the digest that the snapshot has with the log behind it', async () => {
  const disk = new SimDisk();
  const { engine, log } = await engineOn(disk, 'manual');
  for (const command of [PRICES, buy()]) await engine.submit(command);
  const wrong = Venue.load(engine.venue.save());
  wrong.resumeEffects('0123456789abcdef');
  await writeSnapshot(snapshotsOn(disk), RULES, wrong, log.position);
  await engine.submit(buy({ price: 985_000 }));
  const snapshot = await newestSnapshot(snapshotsOn(disk));
  assert.equal(snapshot && originOf(snapshot).position.seq, 3);
  await assert.rejects(recoverOn(disk.restart(), { rulesVersion: RULES }), EffectsDiffer);
});
