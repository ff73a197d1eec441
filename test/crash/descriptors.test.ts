/** A venue whose process may open no more files: it waits, says why, and recovers by itself. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { VenueError } from '../../src/client/request.ts';
import { bourse, printed, scratch, VenueProcess } from './process.ts';

/** The log recovers within seconds. The archive's thread may wait a minute. */
const RESUMES_WITHIN_MS = 120_000;
const known = spawnSync('prlimit', ['--version']).status === 0;

function limitFiles({ child }: VenueProcess, files: number): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(child.pid), `--nofile=${files}:`], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
}

test('too many open files: what needs one waits with the reason, nothing is lost, and it goes on', {
  skip: known ? false : 'there is no prlimit here',
}, async () => {
  const folder = join(scratch, 'descriptors');
  let venue = await VenueProcess.start(folder, '--segment-size', '16384', '--snapshot-every', '20');
  const { alice, control } = venue;
  await control.setPrices('BTC-USDT', { index: 100_000 });
  const placed: string[] = [];
  const place = async (id: number) => {
    const order = { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 0.001 } as const;
    const [{ orderId }] = await alice.placeSpotOrder({ ...order, orderPrice: 95_000, clOrderId: `order-${id}` });
    placed.push(orderId);
  };
  const refusedAt = async (id: number): Promise<VenueError | undefined> => {
    try {
      await place(id);
      return undefined;
    } catch (error) {
      if (error instanceof VenueError) return error;
      throw error;
    }
  };
  // The client opens another connection for the second request. No new one is accepted later.
  for (const id of [0, -1, -2]) await place(id);
  // Makes sure that the archive's thread runs, and has loaded everything.
  await control.request('POST', '/snapshot');
  limitFiles(venue, 3);
  let refusal: VenueError | undefined;
  const healthNow = () => control.request('GET', '/health').catch((error) => error as VenueError);
  for (let id = 1; id < 500 && refusal === undefined; id += 1) refusal = await refusedAt(id);
  assert.deepEqual([refusal?.status, refusal?.code], [503, -11], refusal?.message);
  assert.match(String(refusal?.message), /too many open files, and the command log needs another: raise the limit/);
  const health = await healthNow();
  assert.match(JSON.stringify((health as VenueError).body), /too many open files, and the command log/);
  assert.equal((await alice.spotOrder({ orderId: placed[0] })).clOrderId, 'order-0');

  limitFiles(venue, 1024);
  const freed = performance.now();
  while ((await refusedAt(10_000)) !== undefined) {
    assert.ok(performance.now() - freed < RESUMES_WITHIN_MS, 'placements should be taken again');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  for (;;) {
    const ready = await healthNow();
    if (!(ready instanceof VenueError)) break;
    assert.ok(performance.now() - freed < RESUMES_WITHIN_MS, JSON.stringify(ready.body));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await control.request('POST', '/snapshot');

  await venue.kill();
  assert.equal(printed(bourse('verify', folder)).ok, true);
  venue = await VenueProcess.start(folder);
  const open = await venue.alice.openSpotOrders('BTC-USDT');
  assert.deepEqual(open.map(({ orderId }) => orderId).sort(), placed.sort());
});
