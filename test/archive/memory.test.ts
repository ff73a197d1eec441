/** The archive of a venue in memory, when it is asked between the write of a batch and its application. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryArchive } from '../../src/archive/memory.ts';
import { SLOW_IN_ROW } from '../../src/engine/clock/blocking-syncs.ts';
import { CommandRejected } from '../../src/engine/contract/errors.ts';
import { CommandFailed } from '../../src/engine/replay/log-replayer.ts';
import { startEngine } from '../../src/engine/start.ts';
import { KEYS_PER_SEQ } from '../../src/venue/contract/order-id.ts';
import { Venue } from '../../src/venue/venue.ts';
import { buy, configuration, PRICES, secrets, slowWorld } from '../engine/support.ts';

const { apply } = Venue.prototype;

/** Throws at the order `bad`, after the venue has applied it. */
function planted(this: Venue, ...given: Parameters<typeof apply>): ReturnType<typeof apply> {
  const reply = apply.apply(this, given);
  const [, , command] = given;
  if (command.type === 'place' && 'clientId' in command && command.clientId === 'bad') throw new Error('planted');
  return reply;
}

/** The order `bad` is in the log, and not applied, when the archive is asked for it. */
async function askedBeside(everywhere: boolean) {
  const engine = await startEngine({
    configuration: configuration(),
    seed: 1,
    clock: 'manual',
    secrets,
    world: slowWorld(),
    ...(!everywhere && { apply: (venue, ...given) => planted.apply(venue, given) }),
  });
  assert.ok(engine.memory !== undefined);
  const archive = new MemoryArchive(engine.memory);
  // On a fast disk a reply would go out before the next batch is written.
  for (let i = 0; i < SLOW_IN_ROW; i += 1) await engine.submit(PRICES);
  // It comes while the one before it is applied, so it is written when the reply to that goes out.
  const { promise: bad, resolve } = Promise.withResolvers<unknown>();
  const detach = engine.listen({
    commandApplied: () => {
      detach();
      resolve(engine.submit(buy({ clientId: 'bad' })));
    },
  });
  const before = engine.submit(buy({ clientId: 'a' }));
  const { seq } = await before;
  const beside = archive.order((seq + 1) * KEYS_PER_SEQ);
  await Promise.allSettled([beside, bad]);
  await assert.rejects(bad, CommandRejected);
  const after = await engine.submit(buy({ clientId: 'b' }));
  const found = await Promise.all([seq, seq + 1, after.seq].map((at) => archive.order(at * KEYS_PER_SEQ)));
  const there = found.map((order) => order !== undefined);
  await archive.close();
  await engine.stop();
  return { beside, there };
}

test('a command that the venue leaves out is not in the archive, which had it first', async () => {
  const { beside, there } = await askedBeside(false);
  assert.ok((await beside) !== undefined, 'it was asked between the write and the application');
  assert.deepEqual(there, [true, false, true]);
});

test('a command that throws in the archive first harms that look-up alone', async (t) => {
  t.mock.method(Venue.prototype, 'apply', planted);
  const { beside, there } = await askedBeside(true);
  await assert.rejects(beside, CommandFailed);
  assert.deepEqual(there, [true, false, true]);
});
