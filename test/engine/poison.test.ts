/** A command that makes the venue throw costs that command alone: at once, after every restart, and wherever a crash comes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { CommandRejected, EngineRebuilding, EngineStopped } from '../../src/engine/contract/errors.ts';
import { type Apply, CommandFailed, LogReplayer, stateHash } from '../../src/engine/replay/log-replayer.ts';
import { writeSnapshot } from '../../src/engine/replay/snapshots.ts';
import { startEngine } from '../../src/engine/start.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import type { Command } from '../../src/venue/contract/commands.ts';
import { Venue } from '../../src/venue/venue.ts';
import { SimDisk, type SimDiskOptions } from '../sim/sim-disk.ts';
import { Client } from '../support/client.ts';
import { listenOver } from '../support/engine-gateway.ts';
import { rebuildOn, snapshotsOn } from '../support/storage.ts';
import { buy, configuration, engineOn, genesis, PRICES, RULES, START_MS, secrets, worldAt } from './support.ts';

/** Fails at every limit order of 1234 lots, half-way: the venue has changed already. */
const planted: Apply = (venue, seq, timeMs, command) => {
  const reply = venue.apply(seq, timeMs, command);
  if (command.type === 'place' && command.kind === 'limit' && command.size === 1234) throw new Error('planted');
  return reply;
};
const BAD: Command = { ...buy({ price: 985_000 }), size: 1234 } as Command;

/** The state that the given commands come to on an undisturbed venue. */
function twin(commands: readonly Command[]): string {
  const venue = new Venue();
  [genesis('manual'), ...commands].forEach((command, i) => {
    venue.apply(i + 1, START_MS, command);
  });
  return stateHash(venue);
}

/** The state that anyone finds in the log, who knows nothing of what was planted. */
function replayed(disk: SimDisk): string {
  const fold = new LogReplayer(new Venue());
  for (const entry of readEntries(disk)) fold.take(entry);
  fold.finish();
  return stateHash(fold.venue);
}

function poisonedSeqs(disk: SimDisk): number[] {
  return [...readEntries(disk)].flatMap(({ poisoned }) => (poisoned === undefined ? [] : [poisoned.seq]));
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Orders of a twin must have the ids that theirs have: a harmless command stands where the bad one was. */
const NOTHING: Command = { v: 1, type: 'tick' };

test('only the command that throws is rejected, the rest of its batch is done, and the state is as before it', async () => {
  const disk = new SimDisk();
  const { engine, fatal, notices } = await engineOn(disk, 'manual', { apply: planted });
  const submitted = [PRICES, buy(), BAD, buy({ price: 980_000 }), BAD, buy({ price: 970_000 })];
  const results = await Promise.allSettled(submitted.map((command) => engine.submit(command)));
  const seqs = results.map((result) => (result.status === 'fulfilled' ? result.value.seq : 0));
  assert.deepEqual(seqs, [2, 3, 0, 5, 0, 7]);
  for (const i of [2, 4]) {
    const { reason } = results[i] as PromiseRejectedResult;
    assert.ok(reason instanceof CommandRejected, String(reason));
    assert.match(reason.message, new RegExp(`the command at seq ${i + 2} made the venue throw: it is poisoned`));
  }
  const without = submitted.map((command) => (command === BAD ? NOTHING : command));
  assert.equal(engine.stateHash(), twin(without));
  assert.equal(replayed(disk), twin(without));
  assert.deepEqual(poisonedSeqs(disk), [4, 6]);
  assert.match(notices[0], /^the command place at seq 4 made the venue throw: planted; it is recorded as poisoned/);
  assert.deepEqual(fatal, []);
  assert.deepEqual(engine.health(), { ready: true, reasons: [] });

  for (const apply of [planted, undefined]) {
    const again = await engineOn(disk.restart(), 'manual', { apply });
    assert.equal(again.engine.stateHash(), twin(without));
    assert.equal((await again.engine.submit(buy())).seq, 8);
    await again.engine.stop();
  }
});

test('a listener hears that the venue was rebuilt, hears nothing of what is applied again, and then continues', async () => {
  const heard: string[] = [];
  const { engine } = await engineOn(new SimDisk(), 'manual', {
    apply: planted,
  });
  engine.listen({
    orderAccepted: ({ order }) => heard.push(`order of seq ${order.seq}`),
    commandApplied: (seq) => heard.push(`seq ${seq} is applied`),
    commandUndone: () => heard.push('undone'),
    stateReplaced: () => heard.push(`begin anew at seq ${engine.venue.seq}`),
  });
  await engine.submit(PRICES);
  await engine.submit(buy());
  await assert.rejects(engine.submit(BAD), CommandRejected);
  await engine.submit(buy());
  // The command that throws may be heard before it does.
  const expected = ['seq 2 is applied', 'order of seq 3', 'seq 3 is applied'];
  expected.push('undone', 'begin anew at seq 4', 'order of seq 5', 'seq 5 is applied');
  assert.deepEqual(
    heard.filter((text) => text !== 'order of seq 4'),
    expected,
  );
});

test('a command that throws is left out when the venue is made from a snapshot, too', async () => {
  const disk = new SimDisk();
  const first = await engineOn(disk, 'manual', { apply: planted });
  await first.engine.submit(PRICES);
  await assert.rejects(first.engine.submit(BAD), CommandRejected);
  await first.engine.submit(buy());
  await writeSnapshot(snapshotsOn(disk), RULES, first.engine.venue, first.log.position);
  await assert.rejects(first.engine.submit(BAD), CommandRejected);
  const expected = twin([PRICES, NOTHING, buy(), NOTHING]);
  assert.equal(first.engine.stateHash(), expected);
  const restarted = disk.restart();
  const again = await engineOn(restarted, 'manual', { apply: planted });
  assert.equal(again.engine.stateHash(), expected);
  assert.equal(replayed(restarted), expected);
});

test('while the venue is rebuilt nothing is taken and nothing can be read, and health says why', async () => {
  const disk = new SimDisk();
  let go = (): void => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { engine } = await engineOn(disk, 'manual', {
    apply: planted,
    rebuild: async (seq) => {
      await held;
      return rebuildOn(disk, seq, { rulesVersion: RULES, apply: planted });
    },
  });
  await engine.submit(PRICES);
  const rejected = assert.rejects(engine.submit(BAD), CommandRejected);
  await turns(10);
  const reason = 'the venue is being rebuilt without the command at seq 3';
  await assert.rejects(engine.submit(buy()), (error: Error) => {
    assert.ok(error instanceof EngineRebuilding);
    assert.equal(error.message, reason);
    return true;
  });
  assert.equal(engine.unreadable?.message, reason);
  assert.deepEqual(engine.health(), { ready: false, reasons: [reason] });
  go();
  await rejected;
  assert.equal(engine.unreadable, undefined);
  assert.equal((await engine.submit(buy())).seq, 4);
});

test('a crash at every step between the throw and its record, and in the restart, leaves out that command alone', async () => {
  const commands = [PRICES, buy(), BAD, buy({ price: 980_000 })];
  const expected = twin([PRICES, buy(), NOTHING, buy({ price: 980_000 })]);
  const life = async (disk: SimDisk): Promise<boolean> => {
    const { engine } = await engineOn(disk, 'manual', { apply: planted });
    await Promise.allSettled(commands.slice(0, 2).map((command) => engine.submit(command)));
    await Promise.allSettled(commands.slice(2).map((command) => engine.submit(command)));
    return !disk.crashed;
  };
  const whole = new SimDisk();
  await life(whole);
  // The batch with the bad command takes two steps (a write, a sync), its record the last two.
  for (let step = whole.steps - 1; step <= whole.steps; step += 1) {
    for (let seed = 1; seed <= 8; seed += 1) {
      const faults: SimDiskOptions = { seed, faults: { [step]: 'crash' } };
      let disk = new SimDisk(faults);
      assert.equal(await life(disk), false);
      // The restart crashes as well, at its first steps; then one that does not.
      disk = disk.restart({ seed, faults: { [(seed % 5) + 1]: 'crash' } });
      await engineOn(disk, 'manual', { apply: planted }).catch(() => assert.ok(disk.crashed));
      disk = disk.restart({ seed });
      const { engine, notices } = await engineOn(disk, 'manual', { apply: planted });
      assert.equal(engine.stateHash(), expected);
      assert.equal(engine.venue.seq, 5);
      assert.deepEqual(poisonedSeqs(disk), [4]);
      assert.ok(notices.length <= 2);
      assert.equal((await engine.submit(buy({ price: 970_000 }))).seq, 6);
      // Whoever replays the log knows it without failing.
      assert.equal(replayed(disk), engine.stateHash());
    }
  }
});

test('a command that later ones depend on and that throws only now refuses the start, by name', async () => {
  const disk = new SimDisk();
  const { engine } = await engineOn(disk, 'manual');
  for (const command of [PRICES, BAD, buy()]) await engine.submit(command);
  await assert.rejects(engineOn(disk.restart(), 'manual', { apply: planted }), (error: unknown) => {
    assert.ok(error instanceof CommandFailed, String(error));
    assert.match(error.message, /^the command place at seq 3 made the venue throw: planted$/);
    return true;
  });
});

test('a record for which there is no room waits for it, and a stop in the meantime does not lose it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const stopped of [false, true]) {
    // The record is one sector; the disk has room for nothing at its step.
    const probe = new SimDisk();
    const probed = await engineOn(probe, 'manual', { apply: planted });
    await Promise.allSettled([probed.engine.submit(PRICES), probed.engine.submit(BAD)]);
    const disk = new SimDisk({ faults: { [probe.steps - 1]: 'full' } });
    const { engine, fatal, notices } = await engineOn(disk, 'manual', { apply: planted });
    const bad = Promise.allSettled([engine.submit(PRICES), engine.submit(BAD)]);
    await turns(20);
    assert.match(notices[1], /^read-only, no space left for the command log/);
    if (stopped) {
      const stop = engine.stop();
      await stop;
    } else {
      t.mock.timers.tick(1000);
    }
    await turns(20);
    const [, outcome] = await bad;
    assert.equal((outcome as PromiseRejectedResult).reason.name, 'CommandRejected');
    assert.deepEqual(fatal, []);
    assert.deepEqual(poisonedSeqs(disk), [3]);
  }
});

test('where no file can be opened to make the venue again, that waits, health says why, and nothing is lost', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const disk = new SimDisk();
  const { engine, fatal, notices } = await engineOn(disk, 'manual', { apply: planted });
  await engine.submit(PRICES);
  await engine.submit(buy());
  const before = engine.stateHash();
  disk.outOfFiles = true;
  const rejected = assert.rejects(engine.submit(BAD), CommandRejected);
  await turns(20);
  const why =
    /the venue is being rebuilt without the command at seq 4: too many open files, and reading the log needs another: raise/;
  assert.match(engine.health().reasons.join(), why);
  assert.match(engine.unreadable?.message ?? '', why);
  for (let second = 0; second < 3; second += 1) {
    t.mock.timers.tick(1000);
    await turns(20);
  }
  await assert.rejects(engine.submit(buy()), EngineRebuilding);
  assert.equal(notices.filter((text) => why.test(text)).length, 1, notices.join('; '));
  disk.outOfFiles = false;
  t.mock.timers.tick(1000);
  await rejected;
  assert.deepEqual([engine.health().ready, engine.stateHash(), fatal], [true, before, []]);
  assert.equal((await engine.submit(buy())).seq, 5);

  disk.outOfFiles = true;
  const left = assert.rejects(engine.submit(BAD), EngineStopped);
  await turns(20);
  await engine.stop();
  await left;
  assert.equal(fatal.length, 1);
  const restarted = disk.restart();
  const again = await engineOn(restarted, 'manual', { apply: planted });
  assert.equal(again.engine.venue.seq, 6);
  assert.deepEqual(poisonedSeqs(restarted), [4, 6]);
});

test('a due time that fails is tried again after a minute, not at once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START_MS });
  const disk = new SimDisk();
  const { engine, venue } = await engineOn(disk, 'real', {
    world: worldAt(Date.now),
    apply: (on, seq, timeMs, command) => {
      if (command.type === 'tick') throw new Error('planted');
      return on.apply(seq, timeMs, command);
    },
  });
  await engine.submit(PRICES);
  await engine.submit(buy({ timeInForce: 'HALFMIN' }));
  await turns(3);
  t.mock.timers.tick(30_000);
  await turns(20);
  assert.deepEqual([engine.venue.seq, poisonedSeqs(disk)], [4, [4]]);
  assert.notEqual(engine.venue, venue);
  for (let second = 0; second < 59; second += 1) t.mock.timers.tick(1000);
  await turns(20);
  assert.deepEqual(poisonedSeqs(disk), [4]);
  t.mock.timers.tick(1000);
  await turns(20);
  assert.deepEqual(poisonedSeqs(disk), [4, 5]);
  await engine.stop();
});

test('in memory, too, a command that throws is left out', async () => {
  const engine = await startEngine({
    configuration: configuration(),
    seed: 1,
    clock: 'manual',
    secrets,
    apply: planted,
  });
  await engine.submit(PRICES);
  await engine.submit(buy());
  const before = engine.stateHash();
  await assert.rejects(engine.submit(BAD), CommandRejected);
  assert.equal(engine.stateHash(), before);
  assert.equal((await engine.submit(buy())).seq, 5);
  await engine.stop();
  await assert.rejects(engine.submit(buy()), EngineStopped);
});

test('over HTTP the caller gets 500 in the envelope of the surface, and no order exists', async (t) => {
  const keyring = new Keyring();
  const engine = await startEngine({
    configuration: configuration(),
    seed: 1,
    clock: 'manual',
    secrets: { seal: (secret) => keyring.seal(secret), open: (sealed) => keyring.open(sealed) },
    apply: planted,
  });
  const bugs: unknown[] = [];
  const { gateway, url } = await listenOver(engine, { keyring, onBug: (error) => bugs.push(error) });
  t.after(() => gateway.close());
  const client = new Client(url, { key: 'alice-key', secret: 'alice-secret' });
  const prices = { index: 1_000_000_000, byHand: true } as const;
  await engine.submit({ v: 1, type: 'setPrices', market: 0, ...prices });
  await engine.submit({ v: 1, type: 'setPrices', market: 2, ...prices });
  const before = engine.stateHash();
  const message = 'the venue failed on this request: the request was rejected and had no effect';

  const spot = { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderPrice: 99_000, orderSize: 0.01 };
  const refused = await client.spot({ ...spot, orderSize: 0.01234, clOrderId: 'bad' });
  assert.deepEqual([refused.status, refused.body.code, refused.body.msg], [500, -1, message]);
  const lookup = await client.lookup({ symbol: 'BTC-USDT', clOrderId: 'bad' });
  assert.equal(lookup.status, 404);

  const perpetual = { symbol: 'BTC-PERP', side: 'BUY', type: 'LIMIT', price: 99_000, size: 1234 };
  const failed = await client.call('POST', '/futures/api/v2.3/order', { body: perpetual });
  assert.deepEqual([failed.status, failed.body.errorCode, failed.body.message], [500, -1, message]);

  assert.equal(engine.stateHash(), before);
  assert.ok(bugs.length === 2 && bugs.every((bug) => bug instanceof CommandRejected));
  assert.equal((await client.spot({ ...spot, clOrderId: 'bad' })).status, 200);
  await engine.stop();
});
