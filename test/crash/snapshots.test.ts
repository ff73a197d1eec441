/**
 * SIGKILL while snapshots and the archive are being written, every few commands. Each start reaches the state of the
 * whole log, and in the end the archive holds each acknowledged order once.
 */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { seeded } from '../sim/seeded.ts';
import { bourse, printed, scratch, VenueProcess } from './process.ts';

const ROUNDS = 4;
const SEED = 4;
const FLAGS = ['--segment-size', '65536', '--snapshot-every', '10'];

/** Places one order after another until the venue is gone. Resolves with the acknowledged ids. */
async function placing(venue: VenueProcess, round: number, worker: number, begun: () => void): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; ; n += 1) {
    const clOrderId = `${round}-${worker}-${n}`;
    const terms = { orderSide: 'BUY', orderType: 'LIMIT', orderPrice: 95_000 - n, orderSize: 0.001 } as const;
    try {
      const [{ orderId }] = await venue.alice.placeSpotOrder({ symbol: 'BTC-USDT', clOrderId, ...terms });
      ids.push(orderId);
      if (ids.length === 20) begun();
    } catch {
      return ids;
    }
  }
}

test(`${ROUNDS} rounds of SIGKILL among snapshots: every start has the state of the whole log (seed ${SEED})`, async () => {
  const folder = join(scratch, 'snapshots');
  const random = seeded(SEED);
  const acknowledged: string[] = [];
  const read = new Set<string>();
  let venue = await VenueProcess.start(folder, ...FLAGS);
  await venue.control.setPrices('BTC-USDT', { index: 100_000 });
  for (let round = 1; round <= ROUNDS; round += 1) {
    const begun = Promise.withResolvers<void>();
    const workers = [0, 1, 2, 3].map((worker) => placing(venue, round, worker, begun.resolve));
    await begun.promise;
    const isNew = (name: string) => name.endsWith('.snapshot') && !read.has(name);
    while (!fs.readdirSync(folder).some(isNew)) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, random() * 100));
    await venue.kill();
    acknowledged.push(...(await Promise.all(workers)).flat());
    for (const name of fs.readdirSync(folder)) if (name.endsWith('.snapshot')) read.add(name);

    venue = await VenueProcess.start(folder, ...FLAGS);
    const { seq, hash } = await venue.control.state();
    const replayed = printed(bourse('replay', folder));
    assert.deepEqual([replayed.seq, replayed.hash], [seq, hash], `round ${round}`);
  }
  assert.ok(read.size >= ROUNDS, `${read.size} snapshots were there at a kill`);
  assert.equal(await venue.stop(), 0);
  assert.equal(printed(bourse('verify', folder)).ok, true);
  const { status, stdout, stderr } = bourse('export', folder, '--what', 'orders', '--format', 'json');
  assert.deepEqual([status, stderr], [0, '']);
  const orders = JSON.parse(stdout) as { orderId: string; state: string }[];
  assert.equal(new Set(orders.map(({ orderId }) => orderId)).size, orders.length);
  const working = new Set(orders.filter(({ state }) => state === 'working').map(({ orderId }) => orderId));
  for (const orderId of acknowledged) assert.ok(working.has(orderId), orderId);
});
