/** Nonces over a restart: the log says which were used, wherever a start begins to read it. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Apply } from '../../src/engine/replay/log-replayer.ts';
import { writeSnapshot } from '../../src/engine/replay/snapshots.ts';
import { startEngine } from '../../src/engine/start.ts';
import type { Command } from '../../src/venue/contract/commands.ts';
import { Venue } from '../../src/venue/venue.ts';
import { SimDisk } from '../sim/sim-disk.ts';
import { fileOf, recoverOn, snapshotsOn } from '../support/storage.ts';
import { buy, configuration, engineOn, PRICES, RULES, START_MS, secrets } from './support.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-nonces-'));
after(() => fs.rmSync(root, { recursive: true }));

const signed = (key: string, nonceMs: number, command: Command = buy()): Command => ({
  ...command,
  signed: { key, nonceMs },
});

/** By key, what a start finds. */
async function found(disk: SimDisk, apply?: Apply): Promise<Record<string, number>> {
  const { venue } = await recoverOn(disk.restart(), { rulesVersion: RULES, checkedBytes: 0, apply });
  return Object.fromEntries(venue.nonces);
}

test("after a crash a start finds each key's highest nonce, which need not be its last", async () => {
  const disk = new SimDisk();
  const { engine } = await engineOn(disk, 'manual');
  for (const [key, nonceMs] of [
    ['a', START_MS],
    ['a', START_MS + 45_000],
    ['b', START_MS + 7],
    ['a', START_MS + 1],
  ] as const) {
    await engine.submit(signed(key, nonceMs));
  }
  await engine.submit(PRICES);
  assert.deepEqual(await found(disk), { a: START_MS + 45_000, b: START_MS + 7 });
});

test('a refused command uses its nonce up, too', async () => {
  const disk = new SimDisk();
  const { engine } = await engineOn(disk, 'manual');
  const cancel: Command = { v: 1, type: 'cancel', account: 0, product: 'spot', market: 0, order: 1, clientId: null };
  assert.equal((await engine.submit(signed('a', START_MS, cancel))).refusal?.reason, 'orderNotFound');
  assert.deepEqual(await found(disk), { a: START_MS });
});

test('a command that makes the venue fail uses its nonce up, too', async () => {
  const planted: Apply = (venue, seq, timeMs, command) => {
    if (command.type === 'place') throw new Error('planted');
    return venue.apply(seq, timeMs, command);
  };
  const disk = new SimDisk();
  const { engine } = await engineOn(disk, 'manual', { apply: planted });
  await assert.rejects(engine.submit(signed('a', START_MS)), { name: 'CommandRejected' });
  assert.deepEqual(Object.fromEntries(engine.venue.nonces), { a: START_MS });
  assert.deepEqual(await found(disk), { a: START_MS });
});

test('a snapshot has the nonces of the log before it, also if that log is gone', async () => {
  const disk = new SimDisk();
  const { engine, log } = await engineOn(disk, 'manual');
  for (let i = 0; i < 60; i += 1) await engine.submit(signed('a', START_MS + 60 - i));
  await writeSnapshot(snapshotsOn(disk), RULES, engine.venue, log.position);
  await engine.submit(signed('b', START_MS));
  assert.ok(fileOf(log.position).segment > 1, 'the log should have several segments');
  disk.remove('00000001.log');
  assert.deepEqual(await found(disk), { a: START_MS + 60, b: START_MS });
});

test('a log and a snapshot without nonces start as before, and no nonce is used up', async () => {
  const disk = new SimDisk();
  const { engine, log } = await engineOn(disk, 'manual');
  await engine.submit(PRICES);
  await engine.submit(buy());
  const { nonces: _, ...older } = JSON.parse(engine.venue.save());
  assert.equal(Venue.load(JSON.stringify(older)).nonces.size, 0);
  await writeSnapshot(snapshotsOn(disk), RULES, engine.venue, log.position);
  assert.deepEqual(await found(disk), {});
});

test('the state hash does not depend on who signed', async () => {
  const [one, other] = [await engineOn(new SimDisk(), 'manual'), await engineOn(new SimDisk(), 'manual')];
  await one.engine.submit(buy());
  await other.engine.submit(signed('a', START_MS));
  assert.equal(one.engine.stateHash(), other.engine.stateHash());
});

test('neither a reset nor a return to a named snapshot makes a nonce good again', async () => {
  const disk = new SimDisk();
  const { engine } = await engineOn(disk, 'manual');
  await engine.submit({ v: 1, type: 'saveSnapshot', name: 'here' });
  await engine.submit(signed('a', START_MS));
  await engine.submit({ v: 1, type: 'restoreSnapshot', name: 'here' });
  await engine.submit({ v: 1, type: 'reset' });
  assert.deepEqual(Object.fromEntries(engine.venue.nonces), { a: START_MS });
  assert.deepEqual(await found(disk), { a: START_MS });
});

test('a reset forgets the nonces of keys that cannot come again', async () => {
  const folder = join(root, 'reset');
  const engine = await startEngine({ folder, configuration: configuration(), clock: 'manual', seed: 1, secrets });
  for (const key of ['alice-key', 'made by hand']) await engine.submit(signed(key, START_MS));
  await engine.submit({ v: 1, type: 'reset' });
  assert.deepEqual(Object.fromEntries(engine.venue.nonces), { 'alice-key': START_MS });
  await engine.stop();
});

test('a clean stop also keeps the nonces of requests that are in no log; a crash does not', async () => {
  const folder = join(root, 'stop');
  const taken = new Map<string, number>();
  const start = () =>
    startEngine({
      folder,
      configuration: configuration(),
      clock: 'manual',
      seed: 1,
      secrets,
      takenNonces: () => taken,
    });
  await (await start()).stop();
  // No command since the snapshot of the last stop: what was read was read by GET.
  const engine = await start();
  taken.set('alice-key', START_MS + 45_000);
  await engine.stop();
  taken.clear();
  const again = await start();
  assert.deepEqual(Object.fromEntries(again.venue.nonces), { 'alice-key': START_MS + 45_000 });
  await again.stop();
});
