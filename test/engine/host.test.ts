import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMIT_MS, RETRY_MS, RETRY_SYNCS, SLOW_IN_ROW } from '../../src/engine/clock/blocking-syncs.ts';
import { EngineBusy, EngineReadOnly, EngineStopped, StateReplaced } from '../../src/engine/contract/errors.ts';
import { realWorld, type World } from '../../src/engine/contract/world.ts';
import { MAX_WAITING } from '../../src/engine/host.ts';
import { type Apply, CommandFailed, LogReplayer, stateHash } from '../../src/engine/replay/log-replayer.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import type { Command } from '../../src/venue/contract/commands.ts';
import { Venue } from '../../src/venue/venue.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { SimWorld } from '../sim/sim-world.ts';
import { buy, engineOn, PRICES, SEGMENT_BYTES, START_MS, slowWorld, worldAt } from './support.ts';

/** The sizes of the batches in the log. */
function batchSizes(disk: SimDisk): number[] {
  return [...readEntries(disk)].filter(({ kind }) => kind === 'batch').map(({ commands }) => commands.length);
}

function replayed(disk: SimDisk): string {
  const fold = new LogReplayer(new Venue());
  for (const entry of readEntries(disk)) fold.take(entry);
  fold.finish();
  return stateHash(fold.venue);
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('nothing of a command is visible before its batch is durable', async () => {
  const disk = new SimDisk({ syncTurns: 5 });
  const { engine, venue } = await engineOn(disk, 'manual');
  await engine.submit(PRICES);
  let replied = false;
  const reply = engine.submit(buy()).then(() => {
    replied = true;
  });
  for (let turn = 0; turn < 5; turn += 1) {
    await turns(1);
    assert.deepEqual([replied, venue.openOrders(0, 'spot', null).length, venue.seq], [false, 0, 2]);
  }
  await reply;
  assert.equal(venue.openOrders(0, 'spot', null).length, 1);
});

test('what arrives while a batch is in flight is the next batch, in order', async () => {
  const disk = new SimDisk({ syncTurns: 4 });
  const { engine } = await engineOn(disk, 'manual');
  await engine.submit(PRICES);
  const first = engine.submit(buy());
  await turns(2);
  const rest = await Promise.all(Array.from({ length: 50 }, () => engine.submit(buy())));
  assert.equal((await first).seq, 3);
  assert.deepEqual(
    rest.map(({ seq }) => seq),
    Array.from({ length: 50 }, (_, i) => 4 + i),
  );
  assert.deepEqual(batchSizes(disk), [1, 1, 1, 50]);
});

test('the next batch is written before the replies to one go out, and they do not wait for its sync', async () => {
  const disk = new SimDisk({ syncTurns: 4 });
  const { engine } = await engineOn(disk, 'manual', { world: slowWorld() });
  for (let i = 0; i < SLOW_IN_ROW; i += 1) await engine.submit(PRICES);
  const first = engine.submit(PRICES);
  await turns(3);
  let done = false;
  const second = engine.submit(buy()).then(() => {
    done = true;
  });
  await first;
  assert.deepEqual([batchSizes(disk).slice(SLOW_IN_ROW), done], [[1, 1, 1], false]);
  await second;
});

test('on a fast disk the replies to a batch go out first, so that those who got one are in the next', async () => {
  const disk = new SimDisk();
  const { engine } = await engineOn(disk, 'manual');
  const first = engine.submit(PRICES).then(() => engine.submit(buy()));
  await turns(1);
  await Promise.all([first, engine.submit(buy())]);
  assert.deepEqual(batchSizes(disk), [1, 1, 2]);
});

test('a reply finds the state before the next batch, however fast the disk is', async () => {
  const { engine, venue } = await engineOn(new SimDisk(), 'manual');
  const seen = async (seq: number) => {
    for (let step = 0; step < 100; step += 1) await undefined;
    assert.equal(venue.seq, seq);
  };
  const commands: Command[] = [PRICES, { v: 1, type: 'reset' }, { v: 1, type: 'reset' }];
  await Promise.all(commands.map((command) => engine.submit(command).then(({ seq }) => seen(seq))));
});

test('a batch is closed when its commands take 4 MiB, and a command that no log can hold is refused alone', async () => {
  const disk = new SimDisk();
  const { engine } = await engineOn(disk, 'manual');
  const large: Command = { v: 1, type: 'saveSnapshot', name: 'x'.repeat(1.5 * 1024 * 1024) };
  const impossible = { ...PRICES, index: 100n } as unknown as Command;
  const [kept, refused] = [[large, large, large, large, PRICES], engine.submit(impossible)];
  const replies = Promise.all(kept.map((command) => engine.submit(command)));
  await assert.rejects(refused, TypeError);
  assert.deepEqual(
    (await replies).map(({ seq }) => seq),
    [2, 3, 4, 5, 6],
  );
  assert.deepEqual(batchSizes(disk), [1, 3, 2]);
  await assert.rejects(engine.submit(impossible), TypeError);
  assert.equal((await engine.submit(PRICES)).seq, 7);
  await engine.stop();
  assert.equal(replayed(disk), stateHash(engine.venue));
});

/** An engine on a real clock that the test moves, and the times of its commands, after the start. */
async function engineOnMovedClock(syncTurns: number) {
  const clock = { wallMs: START_MS, monotonicMs: 0 };
  const world = { ...worldAt(() => clock.wallMs), monotonicMs: () => clock.monotonicMs };
  const times: number[] = [];
  const apply: Apply = (venue, seq, timeMs, command) => {
    times.push(timeMs - START_MS);
    return venue.apply(seq, timeMs, command);
  };
  const { engine } = await engineOn(new SimDisk({ syncTurns }), 'real', { world, apply });
  times.length = 0;
  return { engine, clock, times };
}

test('a command that waits when venue time jumps gets the time before the jump, and those behind it the time after', async () => {
  const { engine, clock, times } = await engineOnMovedClock(5);
  const pass = (ms: number) => {
    clock.wallMs += ms;
    clock.monotonicMs += ms;
  };
  pass(1000);
  assert.equal(engine.nowMs(), START_MS + 1000);
  const first = engine.submit(PRICES);
  await turns(3);
  const second = engine.submit(PRICES);
  clock.wallMs += 3_600_000;
  const tick = engine.acceptWall();
  const third = engine.submit(PRICES);
  pass(5);
  await Promise.all([first, second, tick, third]);
  assert.deepEqual(times, [1000, 1000, 3_601_005, 3_601_005]);
  assert.equal(engine.jumpedAtMs(), 1000);
  await engine.stop();
});

test('a command that waits while venue time jumps twice gets the time before the first jump', async () => {
  const { engine, clock, times } = await engineOnMovedClock(9);
  const first = engine.submit(PRICES);
  await turns(3);
  const second = engine.submit(PRICES);
  const ticks = [3_600_000, 7_200_000].map((byMs) => {
    clock.wallMs += byMs;
    return engine.acceptWall();
  });
  await Promise.all([first, second, ...ticks]);
  assert.deepEqual(times, [0, 0, 3_600_000, 10_800_000]);
  await engine.stop();
});

test('a command that waits while the state is replaced is refused: its market may be another one by then', async () => {
  const { engine, venue } = await engineOn(new SimDisk({ syncTurns: 5 }), 'manual');
  const restore = (name: string): Command => ({ v: 1, type: 'restoreSnapshot', name });
  const inOneTurn: [Command, 'refused'?][] = [
    [PRICES],
    [{ v: 1, type: 'saveSnapshot', name: 'before' }],
    [restore('unknown')],
    [PRICES],
    [{ v: 1, type: 'reset' }],
    [PRICES, 'refused'],
    [restore('before')],
    [{ v: 1, type: 'advance', toMs: START_MS + 5 }, 'refused'],
    [{ v: 1, type: 'tick' }],
  ];
  const answers = await Promise.allSettled(inOneTurn.map(([command]) => engine.submit(command)));
  for (const [i, [{ type }, refused]] of inOneTurn.entries()) {
    const answer = answers[i];
    assert.equal(answer.status, refused === undefined ? 'fulfilled' : 'rejected', `${i}: ${type}`);
    if (answer.status === 'rejected') assert.ok(answer.reason instanceof StateReplaced);
  }
  assert.equal(venue.seq, 1 + 7, 'what was refused is not in the log');
  assert.equal((await engine.submit(PRICES)).refusal, null);
  const reset = engine.submit({ v: 1, type: 'reset' });
  await turns(3);
  const meanwhile = engine.submit(PRICES);
  await reset;
  await assert.rejects(meanwhile, StateReplaced);
});

test('commands beyond the bound are refused at once, and what was taken is done', async () => {
  const disk = new SimDisk();
  const { engine, venue } = await engineOn(disk, 'manual');
  const taken = Array.from({ length: MAX_WAITING }, () => engine.submit(PRICES));
  assert.equal(engine.waiting, MAX_WAITING);
  assert.deepEqual(engine.health(), { ready: false, reasons: ['10000 commands are waiting'] });
  await assert.rejects(
    engine.submit(PRICES),
    (error: unknown) => error instanceof EngineBusy && error.waiting === MAX_WAITING,
  );
  await Promise.all(taken);
  assert.equal(venue.seq, 1 + MAX_WAITING);
  assert.deepEqual(engine.health(), { ready: true, reasons: [] });
});

test('the reported wait is the age of the oldest command, and 0 if nothing waits', async () => {
  const clock = { ms: 0 };
  const world = { ...worldAt(() => START_MS), monotonicMs: () => clock.ms };
  const { engine } = await engineOn(new SimDisk(), 'manual', { world });
  assert.equal(engine.queueMs, 0);
  const first = engine.submit(PRICES);
  clock.ms += 7;
  const second = engine.submit(PRICES);
  assert.equal(engine.queueMs, 7);
  clock.ms += 1000;
  assert.equal(engine.queueMs, 1007);
  await Promise.all([first, second]);
  assert.equal(engine.queueMs, 0);
});

test('a command counts as waiting until it is applied: also while its batch is made durable', async () => {
  const clock = { ms: 0 };
  const world = { ...worldAt(() => START_MS), monotonicMs: () => clock.ms };
  const { engine } = await engineOn(new SimDisk({ syncTurns: 5 }), 'manual', { world });
  const first = engine.submit(PRICES);
  await turns(3);
  assert.equal(engine.waiting, 0, 'its batch is on its way');
  clock.ms += 7;
  const second = engine.submit(PRICES);
  assert.equal(engine.queueMs, 7);
  await first;
  assert.equal(engine.queueMs, 0);
  clock.ms += 3;
  assert.equal(engine.queueMs, 3, 'that of the second');
  await second;
  assert.equal(engine.queueMs, 0);
});

test('a batch is durable from the end of its sync, not from the end of its commands', async () => {
  const clock = { ms: 0 };
  const world = { ...worldAt(() => START_MS), monotonicMs: () => clock.ms };
  const apply: Apply = (venue, seq, timeMs, command) => {
    clock.ms += 1;
    return venue.apply(seq, timeMs, command);
  };
  const { engine } = await engineOn(new SimDisk({ syncTurns: 5 }), 'manual', { world, apply });
  const submitted = engine.submit(PRICES);
  await turns(3);
  clock.ms = 7;
  await submitted;
  assert.deepEqual([engine.durableAtMs, clock.ms], [7, 8]);
});

test('the thread itself waits for syncs until several in a row are slow, and then tries once a second', async () => {
  const clock = { ms: 0 };
  const world = { ...worldAt(() => START_MS), monotonicMs: () => clock.ms };
  const { engine, log } = await engineOn(new SimDisk(), 'manual', { world });
  let syncMs = 0;
  const blocked: (boolean | undefined)[] = [];
  const append = log.append.bind(log);
  log.append = (batch) => {
    blocked.push(batch.mayBlock);
    clock.ms += syncMs;
    return append(batch);
  };
  const batches = async (...syncsMs: number[]) => {
    for (const ms of syncsMs) {
      syncMs = ms;
      await Promise.all([engine.submit(PRICES), engine.submit(PRICES)]);
    }
    return blocked.splice(0);
  };
  const slow = LIMIT_MS + 0.1;
  assert.deepEqual(await batches(LIMIT_MS, slow, slow, slow, 0), [true, true, true, true, true]);
  assert.deepEqual(await batches(slow, slow, slow, slow, 0, 0), [true, true, true, true, false, false]);
  clock.ms += RETRY_MS;
  assert.deepEqual(await batches(slow, 0), [true, false]);
  clock.ms += RETRY_MS;
  assert.deepEqual(await batches(300, 300), [true, false]);
  // With 300 ms each second, nothing would be answered for a fifth of the time.
  clock.ms += 300 * RETRY_SYNCS - 301;
  assert.deepEqual(await batches(0), [false]);
  clock.ms += 1;
  assert.deepEqual(await batches(0, slow), [true, true]);
});

test('where commands take a millisecond, a new one waits twice as many milliseconds as there are before it', async () => {
  const clock = { ms: 0 };
  const world = { ...worldAt(() => START_MS), monotonicMs: () => clock.ms };
  const apply: Apply = (venue, seq, timeMs, command) => {
    clock.ms += 1;
    return venue.apply(seq, timeMs, command);
  };
  const { engine } = await engineOn(new SimDisk(), 'manual', { world, apply });
  await Promise.all(Array.from({ length: 1000 }, () => engine.submit(PRICES)));
  const waiting = Array.from({ length: 10 }, () => engine.submit(PRICES));
  assert.equal(Math.round(engine.queueMs), 20);
  await Promise.all(waiting);
  assert.equal(engine.queueMs, 0);
});

test('a batch is applied 2 ms at a time: in between the event loop turns, and look-ups find what is applied', async () => {
  const clock = { ms: 0 };
  const appliedAtTurns: number[] = [];
  let venue: Venue | undefined;
  const world: World = {
    ...worldAt(() => START_MS),
    monotonicMs: () => clock.ms,
    nextTurn() {
      appliedAtTurns.push(venue?.seq ?? 0);
      return realWorld.nextTurn();
    },
  };
  const slow: Apply = (at, seq, timeMs, command) => {
    clock.ms += 0.25;
    return at.apply(seq, timeMs, command);
  };
  const rig = await engineOn(new SimDisk(), 'manual', { world, apply: slow });
  venue = rig.venue;
  appliedAtTurns.length = 0;
  const replies = await Promise.all(Array.from({ length: 100 }, () => rig.engine.submit(PRICES)));
  // The first turn is before the batch, then there is one after every 8 commands.
  assert.deepEqual(appliedAtTurns, [1, ...Array.from({ length: 12 }, (_, i) => 9 + 8 * i)]);
  assert.deepEqual(
    replies.map(({ seq }) => seq),
    Array.from({ length: 100 }, (_, i) => 2 + i),
  );
});

test('a full disk: what waits and what comes is refused, it is said in health, and it ends by itself', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const disk = new SimDisk({ capacityBytes: SEGMENT_BYTES * 1.5 });
  const { engine, venue, fatal, notices } = await engineOn(disk, 'manual');
  const filling = async (): Promise<unknown> => {
    for (;;) await Promise.all(Array.from({ length: 20 }, () => engine.submit(buy())));
  };
  await assert.rejects(filling, (error: unknown) => {
    assert.ok(error instanceof EngineReadOnly);
    assert.match(error.message, /^read-only, no space left for the command log: 16384 bytes must be free in sim$/);
    return true;
  });
  const seqBefore = venue.seq;
  await assert.rejects(engine.submit(buy()), EngineReadOnly);
  assert.deepEqual(engine.health(), { ready: false, reasons: [notices[0]] });
  for (let second = 0; second < 3; second += 1) {
    t.mock.timers.tick(1000);
    await turns(5);
    await assert.rejects(engine.submit(buy()), EngineReadOnly);
  }
  disk.capacityBytes = SEGMENT_BYTES * 10;
  t.mock.timers.tick(1000);
  await turns(20);
  assert.equal((await engine.submit(buy())).seq, seqBefore + 1);
  assert.deepEqual(engine.health(), { ready: true, reasons: [] });
  assert.equal(notices.length, 2);
  assert.deepEqual(fatal, []);
  assert.equal(replayed(disk), engine.stateHash());
});

test('a stop while the disk is full seals what is there', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const disk = new SimDisk({ capacityBytes: SEGMENT_BYTES * 1.5 });
  const { engine } = await engineOn(disk, 'manual');
  await assert.rejects(async () => {
    for (;;) await engine.submit(buy());
  }, EngineReadOnly);
  await engine.stop();
  assert.equal([...readEntries(disk)].at(-1)?.kind, 'seal');
});

test('a failed sync ends the engine: nobody gets a reply, nothing is sealed', async () => {
  const probe = new SimDisk();
  await (await engineOn(probe, 'manual')).engine.submit(PRICES);
  const disk = new SimDisk({ faults: { [probe.steps]: 'failSync' } });
  const { engine, venue, fatal } = await engineOn(disk, 'manual');
  const refused = [engine.submit(PRICES), engine.submit(buy())].map((reply) => assert.rejects(reply, EngineStopped));
  await Promise.all(refused);
  assert.match(String(fatal), /LogFailed: a sync of the command log failed/);
  assert.equal(venue.seq, 1);
  await assert.rejects(engine.submit(buy()), EngineStopped);
  assert.equal(engine.health().ready, false);
  await engine.stop();
  assert.equal(
    [...readEntries(disk)].some(({ kind }) => kind === 'seal'),
    false,
  );
});

test('without a way to make the venue again, a command that makes it throw ends the engine and is named', async () => {
  const { engine, fatal } = await engineOn(new SimDisk(), 'manual', { rebuild: undefined });
  const odd = { v: 1, type: 'odd' } as unknown as Command;
  const [before, thrown, after] = [engine.submit(PRICES), engine.submit(odd), engine.submit(PRICES)];
  assert.equal((await before).seq, 2);
  await assert.rejects(thrown, EngineStopped);
  await assert.rejects(after, EngineStopped);
  assert.equal(fatal.length, 1);
  assert.ok(fatal[0] instanceof CommandFailed);
  assert.match(fatal[0].message, /^the command odd at seq 3 made the venue throw: unknown command/);
  await engine.stop();
});

test('on a real clock a tick is logged when something is due, and only then', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START_MS });
  const disk = new SimDisk();
  const { engine, venue } = await engineOn(disk, 'real', { world: worldAt(Date.now) });
  await engine.submit(PRICES);
  await engine.submit(buy({ timeInForce: 'HALFMIN' }));
  await turns(3);
  t.mock.timers.tick(29_999);
  await turns(5);
  assert.deepEqual([venue.seq, venue.openOrders(0, 'spot', null).length], [3, 1]);
  t.mock.timers.tick(1);
  await turns(5);
  assert.deepEqual([venue.seq, venue.openOrders(0, 'spot', null).length], [4, 0]);
  t.mock.timers.tick(1_000_000);
  await turns(5);
  assert.equal(venue.seq, 4);
  assert.deepEqual([...readEntries(disk)].at(-1)?.commands, [{ v: 1, type: 'tick' }]);
  await engine.stop();
});

test('on a real clock a batch has the time that has elapsed, whatever the clock of the machine was set to', async () => {
  const world = new SimWorld({ wallMs: START_MS });
  const { engine } = await engineOn(new SimDisk(), 'real', { world });
  for (const [setMs, expectedMs] of [
    [0, 1000],
    [3_600_000, 2000],
    [-7_200_000, 3000],
    [3_600_000, 4000],
  ]) {
    world.setWall(setMs);
    world.pass(1000);
    assert.equal((await engine.submit(PRICES)).timeMs, START_MS + expectedMs);
  }
});

test('on a manual clock time moves by commands only, also inside a batch; what replaces the state is a batch of its own; a replay follows', async () => {
  const disk = new SimDisk();
  let stepMs = 0;
  let now = START_MS;
  const wallMs = () => {
    now += stepMs;
    return now;
  };
  const { engine } = await engineOn(disk, 'manual', { world: worldAt(wallMs) });
  stepMs = 1;
  const replies = await Promise.all([
    engine.submit(PRICES),
    engine.submit({ v: 1, type: 'advance', toMs: START_MS + 60_000 }),
    engine.submit(buy()),
    engine.submit({ v: 1, type: 'reset' }),
  ]);
  replies.push(...(await Promise.all([engine.submit(PRICES), engine.submit(buy())])));
  const times = replies.map(({ timeMs }) => timeMs - replies[0].timeMs);
  assert.deepEqual(times, [0, 60_000, 60_000, 0, 0, 0]);
  assert.deepEqual(batchSizes(disk), [1, 3, 1, 2]);
  assert.equal(replayed(disk), engine.stateHash());
});

test('a restart after a crash has the state of before and goes on', async () => {
  const disk = new SimDisk();
  const { engine } = await engineOn(disk, 'manual');
  await Promise.all([engine.submit(PRICES), engine.submit(buy()), engine.submit(buy({ price: 980_000 }))]);
  const again = await engineOn(disk.restart(), 'manual');
  assert.equal(again.engine.epoch, 2);
  assert.equal(again.engine.stateHash(), engine.stateHash());
  assert.equal((await again.engine.submit(buy())).seq, 5);
});

test('a stop finishes what was taken, seals, closes and takes nothing more', async () => {
  const disk = new SimDisk({ syncTurns: 2 });
  const { engine } = await engineOn(disk, 'manual');
  const taken = Promise.all([engine.submit(PRICES), engine.submit(buy())]);
  const stops = [engine.stop(), engine.stop()];
  await assert.rejects(engine.submit(buy()), EngineStopped);
  assert.equal((await taken).at(-1)?.seq, 3);
  await Promise.all(stops);
  disk.lock().release(); // Nobody has it any more.
  assert.equal([...readEntries(disk)].at(-1)?.kind, 'seal');
});
