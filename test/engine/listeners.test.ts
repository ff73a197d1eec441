/** Listeners of a running engine: they come and go, survive a rebuilt venue, and never harm a command. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SLOW_IN_ROW } from '../../src/engine/clock/blocking-syncs.ts';
import { CommandRejected, EngineStopped } from '../../src/engine/contract/errors.ts';
import { type EngineListener, MOST_FAILURES } from '../../src/engine/listeners.ts';
import { readEntries } from '../../src/log/file/read-log.ts';
import type { Command } from '../../src/venue/contract/commands.ts';
import type { Venue } from '../../src/venue/venue.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { buy, engineOn, PRICES, slowWorld } from './support.ts';

/** Throws at every order with this client id, after the venue has applied it. */
function planted(venue: Venue, seq: number, timeMs: number, command: Command) {
  const reply = venue.apply(seq, timeMs, command);
  if (command.type === 'place' && 'clientId' in command && command.clientId === 'bad') throw new Error('planted');
  return reply;
}

async function rig() {
  const made = await engineOn(new SimDisk(), 'manual', { apply: planted });
  await made.engine.submit(PRICES);
  return made;
}

/** Writes down the seqs of the orders that it hears of. */
function orders(heard: number[]): EngineListener {
  return { orderAccepted: ({ order }) => heard.push(order.seq) };
}

describe('listeners of the engine', () => {
  test('several hear the same, from when they come until they go', async () => {
    const { engine } = await rig();
    const heard: number[][] = [[], [], []];
    const detach = heard.slice(0, 2).map((each) => engine.listen(orders(each)));
    await engine.submit(buy());
    detach[0]();
    detach[0]();
    engine.listen(orders(heard[2]));
    await engine.submit(buy());
    assert.deepEqual(heard, [[3], [3, 4], [4]]);
  });

  test('a rebuilt venue keeps those that are there, and forgets those that went', async () => {
    const { engine } = await rig();
    const heard: number[][] = [[], []];
    engine.listen(orders(heard[0]));
    const detach = engine.listen(orders(heard[1]));
    await engine.submit(buy());
    detach();
    await assert.rejects(engine.submit(buy({ clientId: 'bad' })), CommandRejected);
    await engine.submit(buy());
    assert.deepEqual(heard, [[3, 4, 5], [3]]);
  });

  test('one that throws harms neither the command nor its neighbour, and starts over', async () => {
    const { engine, notices, fatal } = await rig();
    const heard: string[] = [];
    let throws = true;
    engine.listen({
      orderAccepted: ({ order }) => {
        if (throws) throw new Error('planted in a listener');
        heard.push(`order ${order.seq}`);
      },
      bookChanged: () => heard.push('book'),
      stateReplaced: () => heard.push('start over'),
      commandApplied: (seq) => heard.push(`applied ${seq}`),
    });
    const neighbour: number[] = [];
    engine.listen(orders(neighbour));
    assert.equal((await engine.submit(buy())).refusal, null);
    throws = false;
    await engine.submit(buy());
    assert.deepEqual(heard, ['start over', 'applied 3', 'order 4', 'book', 'applied 4']);
    assert.deepEqual(neighbour, [3, 4]);
    assert.equal(notices.length, 1);
    assert.match(
      notices[0],
      /^a listener of the venue threw at seq 3; it starts over .*: Error: planted in a listener/,
    );
    assert.deepEqual(fatal, []);
    assert.deepEqual(engine.health(), { ready: true, reasons: [] });
  });

  test(`one that throws ${MOST_FAILURES} times is detached`, async () => {
    for (const kind of ['orderAccepted', 'commandApplied', 'batchApplied'] as const) {
      const { engine, notices } = await rig();
      let calls = 0;
      engine.listen({
        [kind]: () => {
          calls += 1;
          throw new Error('planted in a listener');
        },
      });
      for (let i = 0; i < MOST_FAILURES + 3; i += 1) await engine.submit(buy());
      assert.equal(calls, MOST_FAILURES);
      assert.equal(notices.length, MOST_FAILURES);
      assert.match(notices.at(-1) as string, /; it is detached: /);
    }
  });

  test('one that also throws when it starts over is detached at once', async () => {
    const { engine, notices } = await rig();
    engine.listen({
      orderAccepted: () => {
        throw new Error('one');
      },
      stateReplaced: () => {
        throw new Error('two');
      },
    });
    await engine.submit(buy());
    await engine.submit(buy());
    assert.equal(notices.length, MOST_FAILURES);
    assert.match(notices.at(-1) as string, /; it is detached: Error: two/);
  });

  test('if not even the notice of a failure can be given, the engine ends once the batch beside it is written', async () => {
    const disk = new SimDisk({ syncTurns: 4 });
    const fatal: Error[] = [];
    const broken = new Error('the notice fails');
    const { engine } = await engineOn(disk, 'manual', {
      world: slowWorld(),
      onFatal: (error) => fatal.push(error),
      onNotice: () => {
        throw broken;
      },
    });
    for (let i = 0; i < SLOW_IN_ROW; i += 1) await engine.submit(PRICES);
    engine.listen({
      batchApplied: () => {
        throw new Error('planted in a listener');
      },
    });
    const first = engine.submit(PRICES);
    await new Promise((resolve) => setImmediate(resolve));
    const beside = engine.submit(buy());
    assert.equal((await first).refusal, null);
    await assert.rejects(beside, EngineStopped);
    assert.deepEqual(fatal, [broken]);
    await engine.stop();
    assert.equal([...readEntries(disk)].filter(({ kind }) => kind === 'batch').length, SLOW_IN_ROW + 3);
  });
});
