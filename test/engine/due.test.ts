/**
 * Something due that makes the venue throw costs that one thing alone: at once, after every restart, and wherever a crash
 * comes. The command by whose time it was due is applied, and so is every later one.
 */

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Follower } from '../../src/archive/follow/follower.ts';
import { ArchiveStore } from '../../src/archive/store/store.ts';
import type { Engine } from '../../src/engine/host.ts';
import { replay, verify } from '../../src/engine/replay/inspect.ts';
import { type Apply, LogReplayer, stateHash } from '../../src/engine/replay/log-replayer.ts';
import { writeSnapshot } from '../../src/engine/replay/snapshots.ts';
import { startEngine } from '../../src/engine/start.ts';
import type { Poisoned } from '../../src/log/contract/command-log.ts';
import { RealDisk } from '../../src/log/file/disk.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import { limitOrder } from '../../src/venue/algos/limit-and-market.ts';
import { twap } from '../../src/venue/algos/twap.ts';
import type { Command } from '../../src/venue/contract/commands.ts';
import type { OrderView } from '../../src/venue/contract/order-view.ts';
import type { Order } from '../../src/venue/state/order.ts';
import type { VenueState } from '../../src/venue/state/venue-state.ts';
import { Venue } from '../../src/venue/venue.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { liveState } from '../support/live-state.ts';
import { snapshotsOn, storageOn } from '../support/storage.ts';
import { buy, configuration, engineOn, PRICES, RULES, START_MS, secrets, worldAt } from './support.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-due-'));
after(() => fs.rmSync(root, { recursive: true }));

const MINUTE_MS = 60_000;
const PERP = 2;

const advance = (ms: number): Command => ({ v: 1, type: 'advance', toMs: START_MS + ms });

/** Twenty children in as many seconds. */
function slowly(clientId: string): Command {
  const {
    price: _,
    timeInForce: __,
    postOnly: ___,
    reduceOnly: ____,
    ...base
  } = buy({ clientId }) as Extract<Command, { kind: 'limit' }>;
  return {
    ...base,
    ...{ kind: 'twap', side: 0, size: 2000, periodMs: 20_000, makerFirst: false, randomizeSize: false },
    ...{ maxChildSize: null, maxSpread: null, maxThroughBook: null, pausePrice: null },
    ...{ activation: null, activationReference: null },
  } as Command;
}

/** The third child of every TWAP named `bad…` fails, half-way: the venue has changed already. */
function plantInTwap(): { restore(): void } {
  const algo = twap as { onTime?: (venue: VenueState, order: Order) => void };
  const { onTime } = algo;
  algo.onTime = (venue, order) => {
    onTime?.(venue, order);
    if (order.clientId?.startsWith('bad') && (order.algoState as { childrenDone: number }).childrenDone === 3)
      throw new Error('planted');
  };
  const restore = () => {
    algo.onTime = onTime;
  };
  return { restore };
}

/** The end of every limit order named `bad` fails, whoever ends it. */
function plantInEnds(): { restore(): void } {
  const algo = limitOrder as { onEnd?: (venue: VenueState, order: Order) => void };
  algo.onEnd = (_, order) => {
    if (order.clientId === 'bad') throw new Error('planted');
  };
  const restore = () => {
    algo.onEnd = undefined;
  };
  return { restore };
}

function recorded(disk: SimDisk | RealDisk): Poisoned[] {
  return [...readEntries(disk)].flatMap(({ poisoned }) => (poisoned === undefined ? [] : [poisoned]));
}

function kinds(disk: SimDisk | RealDisk): (string | undefined)[] {
  return recorded(disk).map(({ due }) => due?.kind);
}

/** The state that anyone finds in the log, who knows nothing of what was planted. */
function replayed(disk: SimDisk): string {
  const fold = new LogReplayer(new Venue());
  for (const entry of readEntries(disk)) fold.take(entry);
  fold.finish();
  return stateHash(fold.venue);
}

async function submitAll(engine: Engine, commands: readonly Command[]): Promise<void> {
  for (const command of commands) assert.equal((await engine.submit(command)).refusal, null, JSON.stringify(command));
}

function named({ venue }: Engine, clientId: string, product: 'spot' | 'futures' = 'spot'): OrderView {
  return venue.orderByClientId(0, product, clientId) as OrderView;
}

test('a TWAP whose step throws is cancelled, and says why; another one goes on, and so does the venue', async () => {
  const disk = new SimDisk();
  const planted = plantInTwap();
  const { engine, notices, fatal } = await engineOn(disk, 'manual');
  await submitAll(engine, [PRICES, slowly('bad'), slowly('good'), advance(6500)]);
  assert.deepEqual([named(engine, 'bad').state, named(engine, 'bad').ending?.reason], ['cancelled', 'venueFailed']);
  assert.equal(named(engine, 'bad').updatedMs, START_MS + 2000);
  assert.equal(named(engine, 'good').details?.progress.childrenDone, 7);
  const key = named(engine, 'bad').key;
  const due = { kind: 'algo', dueMs: START_MS + 2000, key };
  const error = `algo ${key}, due at ${START_MS + 2000}: planted`;
  assert.deepEqual(recorded(disk), [{ seq: 5, type: 'advance', error, due }]);
  assert.equal(
    notices[0],
    `a timer that was due at the command advance at seq 5 made the venue throw: ${error}; ` +
      'it is recorded and left out, and the venue is rebuilt without it',
  );
  assert.equal(engine.venue.audit().ok, true);

  await submitAll(engine, [buy(), advance(7500)]);
  const hash = engine.stateHash();
  assert.deepEqual(kinds(disk), ['algo']);
  let restarted = disk.restart();
  const again = await engineOn(restarted, 'manual');
  assert.equal(again.engine.stateHash(), hash);
  await writeSnapshot(snapshotsOn(restarted), RULES, again.engine.venue, again.log.position);
  restarted = restarted.restart();
  const onSnapshot = await engineOn(restarted, 'manual');
  assert.equal(onSnapshot.engine.stateHash(), hash);
  await submitAll(onSnapshot.engine, [advance(9500), buy({ price: 980_000 })]);
  assert.equal(named(onSnapshot.engine, 'good').details?.progress.childrenDone, 10);
  planted.restore();
  assert.equal(replayed(restarted), onSnapshot.engine.stateHash());
  assert.deepEqual(fatal, []);
});

test('it is left out, too, where the venue is made of a snapshot from before it', async () => {
  const disk = new SimDisk();
  const planted = plantInTwap();
  const { engine, log } = await engineOn(disk, 'manual');
  await submitAll(engine, [PRICES, slowly('bad'), slowly('bad, too'), advance(1500)]);
  await writeSnapshot(snapshotsOn(disk), RULES, engine.venue, log.position);
  await submitAll(engine, [advance(8000), buy()]);
  assert.deepEqual(kinds(disk), ['algo', 'algo']);
  const hash = engine.stateHash();
  const restarted = disk.restart();
  const again = await engineOn(restarted, 'manual');
  assert.equal(again.engine.stateHash(), hash);
  planted.restore();
  const unplanted = restarted.restart();
  assert.equal((await engineOn(unplanted, 'manual')).engine.stateHash(), hash);
  assert.equal(replayed(unplanted), hash);
});

test('the orders under a dead man’s switch end but for the one whose end throws, which lives on without its deadline', async () => {
  const disk = new SimDisk();
  const planted = plantInEnds();
  const { engine } = await engineOn(disk, 'manual');
  const armed: Command = { v: 1, type: 'cancelAllAfter', account: 0, product: 'spot', timeoutMs: 5000 };
  const three = ['one', 'bad', 'two'].map((clientId) => buy({ clientId, timeInForce: 'HALFMIN' }));
  await submitAll(engine, [PRICES, ...three, armed, advance(6000)]);
  assert.deepEqual(kinds(disk), ['deadMan', 'expiry', 'expiry']);
  const states = () => ['one', 'bad', 'two'].map((clientId) => named(engine, clientId).state);
  assert.deepEqual(states(), ['cancelled', 'working', 'cancelled']);
  await submitAll(engine, [buy({ clientId: 'three' }), advance(40_000)]);
  assert.deepEqual(states(), ['cancelled', 'working', 'cancelled']);
  assert.equal(kinds(disk).length, 3);
  const restarted = disk.restart();
  const again = await engineOn(restarted, 'manual');
  assert.equal(again.engine.stateHash(), engine.stateHash());
  planted.restore();
  assert.equal(replayed(restarted), engine.stateHash());
});

/** Minutes of BTC-PERP fail at their sample. */
function plantInMinutes(fails: (minute: number) => boolean): Apply {
  return (venue, seq, timeMs, command) => {
    const basis = venue.genesis === null ? [] : liveState(venue).markets[PERP].basis;
    Object.defineProperty(basis, 'push', {
      configurable: true,
      value: (sample: number) => {
        if (fails((venue.timeMs - START_MS) / MINUTE_MS)) throw new Error('planted');
        return Array.prototype.push.call(basis, sample);
      },
    });
    return venue.apply(seq, timeMs, command);
  };
}

/** What minutes sample: an index and a book around it. */
const SAMPLED: Command[] = [
  { ...PRICES, market: PERP } as Command,
  { ...buy({ price: 999_000 }), market: PERP } as Command,
  { ...buy({ price: 1_001_000 }), market: PERP, side: 1 } as Command,
];

test('a market whose every minute throws costs a long time three times of making the venue again, not one a minute', async () => {
  const planted = plantInMinutes(() => true);
  const disk = new SimDisk();
  const { engine } = await engineOn(disk, 'manual', { apply: planted });
  await submitAll(engine, [...SAMPLED, advance(600 * MINUTE_MS)]);
  assert.deepEqual(
    recorded(disk).map(({ due }) => ((due?.dueMs ?? 0) - START_MS) / MINUTE_MS),
    [1, 2, 3],
  );
  assert.equal(engine.venue.timeMs, START_MS + 600 * MINUTE_MS);
  await submitAll(engine, [advance(601 * MINUTE_MS)]);
  assert.equal(kinds(disk).length, 4);
  const restarted = disk.restart();
  const again = await engineOn(restarted, 'manual', { apply: planted });
  assert.equal(again.engine.stateHash(), engine.stateHash());
  assert.equal(replayed(restarted), engine.stateHash());
});

test('a minute of a market that throws is left out: the next one samples and funds again', async () => {
  const disk = new SimDisk();
  const planted = plantInMinutes((minute) => minute === 1 || minute === 3);
  const { engine } = await engineOn(disk, 'manual', { apply: planted });
  await submitAll(engine, [...SAMPLED, advance(5 * MINUTE_MS)]);
  assert.deepEqual(kinds(disk), ['minute', 'minute']);
  assert.equal(liveState(engine.venue).markets[PERP].basis.length, 3);
  assert.equal(engine.venue.timeMs, START_MS + 5 * MINUTE_MS);
  await submitAll(engine, [advance(480 * MINUTE_MS)]);
  assert.equal(kinds(disk).length, 2);
  const restarted = disk.restart();
  const again = await engineOn(restarted, 'manual');
  assert.equal(again.engine.stateHash(), engine.stateHash());
  assert.equal(replayed(restarted), engine.stateHash());
});

test('a liquidation that throws when it is tried again costs no command and no timer', async () => {
  /** From the order named `bad` on an account that there is not is to be liquidated. */
  const planted: Apply = (venue, seq, timeMs, command) => {
    if (command.type === 'place' && command.clientId === 'bad') {
      const state = liveState(venue);
      state.distress(state.markets[PERP], 99);
    }
    return venue.apply(seq, timeMs, command);
  };
  const disk = new SimDisk();
  const { engine } = await engineOn(disk, 'manual', { apply: planted });
  await submitAll(engine, [PRICES, slowly('good'), buy({ clientId: 'bad' }), advance(3500), buy()]);
  assert.deepEqual(kinds(disk), ['distressed']);
  assert.equal(named(engine, 'bad').state, 'working');
  assert.equal(named(engine, 'good').details?.progress.childrenDone, 4);
  assert.equal(replayed(disk), engine.stateHash());
});

test('a command that throws besides is rejected, and what was due is left out by the next one', async () => {
  const disk = new SimDisk();
  const restoring = plantInTwap();
  const planted: Apply = (venue, seq, timeMs, command) => {
    const reply = venue.apply(seq, timeMs, command);
    if (command.type === 'advance' && command.toMs === START_MS + 5000) throw new Error('planted');
    return reply;
  };
  const { engine } = await engineOn(disk, 'manual', { apply: planted });
  await submitAll(engine, [PRICES, slowly('bad')]);
  await assert.rejects(engine.submit(advance(5000)), /the command at seq 4 made the venue throw: it is poisoned/);
  assert.deepEqual([named(engine, 'bad').state, engine.venue.timeMs], ['working', START_MS]);
  await submitAll(engine, [advance(6000)]);
  assert.deepEqual(
    recorded(disk).map(({ seq, due }) => `${seq} ${due?.kind}`),
    ['4 algo', '4 undefined', '5 algo'],
  );
  assert.equal(named(engine, 'bad').ending?.reason, 'venueFailed');
  const restarted = disk.restart();
  const again = await engineOn(restarted, 'manual', { apply: planted });
  assert.equal(again.engine.stateHash(), engine.stateHash());
  restoring.restore();
  assert.equal(replayed(restarted), engine.stateHash());
});

test('a crash at every step between the throw and its record, and in the restart, leaves out that timer alone', async () => {
  const planted = plantInTwap();
  const life = async (disk: SimDisk): Promise<Engine | undefined> => {
    const { engine } = await engineOn(disk, 'manual');
    await Promise.allSettled([PRICES, slowly('bad'), slowly('good')].map((command) => engine.submit(command)));
    await Promise.allSettled([advance(6500), buy()].map((command) => engine.submit(command)));
    return disk.crashed ? undefined : engine;
  };
  const whole = new SimDisk();
  const expected = (await life(whole))?.stateHash();
  for (let step = whole.steps - 1; step <= whole.steps; step += 1) {
    for (let seed = 1; seed <= 6; seed += 1) {
      let disk = new SimDisk({ seed, faults: { [step]: 'crash' } });
      assert.equal(await life(disk), undefined);
      disk = disk.restart({ seed, faults: { [(seed % 5) + 1]: 'crash' } });
      await engineOn(disk, 'manual').catch(() => assert.ok(disk.crashed));
      disk = disk.restart({ seed });
      const { engine } = await engineOn(disk, 'manual');
      assert.equal(engine.stateHash(), expected);
      assert.deepEqual(kinds(disk), ['algo']);
      assert.equal((await engine.submit(buy())).seq, 7);
    }
  }
  planted.restore();
});

test('on a real clock the tick that found it due is applied, and the next one waits for nothing', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START_MS });
  const planted = plantInTwap();
  const disk = new SimDisk();
  const { engine } = await engineOn(disk, 'real', { world: worldAt(Date.now) });
  await submitAll(engine, [PRICES, slowly('bad'), slowly('good')]);
  for (let second = 0; second < 5; second += 1) {
    t.mock.timers.tick(1000);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(kinds(disk), ['algo']);
  assert.equal(named(engine, 'bad').ending?.reason, 'venueFailed');
  assert.equal(named(engine, 'good').details?.progress.childrenDone, 6);
  await engine.stop();
  planted.restore();
});

test('archive, replay and verify leave it out as the venue did; in memory, too', async () => {
  const planted = plantInTwap();
  const given = { configuration: configuration(), seed: 1, clock: 'manual', secrets } as const;
  const folder = join(root, 'folder');
  const engine = await startEngine({ ...given, folder });
  const inMemory = await startEngine(given);
  const commands = [PRICES, slowly('bad'), slowly('good'), advance(6500), buy(), advance(8500)];
  for (const each of [engine, inMemory]) await submitAll(each, commands);
  assert.equal(inMemory.stateHash(), engine.stateHash());
  const store = new ArchiveStore(':memory:');
  const follower = await Follower.open(storageOn(new RealDisk(folder)), store, engine.venue.seq);
  while (!(await follower.advance(engine.venue.seq, 10_000)));
  await follower.snapshot();
  planted.restore();
  const hash = engine.stateHash();
  for (const each of [engine, inMemory]) await each.stop();
  assert.equal((await replay(folder)).hash, hash);
  assert.equal((await verify(folder)).hash, hash);
  const again = await startEngine({ ...given, folder });
  assert.equal(again.stateHash(), hash);
  await again.stop();
});

test('a record of something due of an unknown kind refuses the start', async () => {
  const disk = new SimDisk();
  const { engine, log } = await engineOn(disk, 'manual');
  await submitAll(engine, [PRICES]);
  await log.poison({ seq: 2, type: 'setPrices', error: 'x', due: { kind: 'novel', dueMs: START_MS, key: 0 } });
  await assert.rejects(
    engineOn(disk.restart(), 'manual'),
    /cannot read the command log: .*a timer of the kind novel at seq 2/,
  );
});
