import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { bourse, printed, scratch, startArguments, VenueProcess } from './process.ts';

test('two processes on one data folder: the second is refused, saying who is there; replay and verify read beside it', async () => {
  const folder = join(scratch, 'shared');
  const venue = await VenueProcess.start(folder);
  await venue.control.setPrices('BTC-USDT', { index: 100_000 });
  const second = bourse(...startArguments(folder));
  assert.deepEqual([second.status, second.stdout], [1, ''], second.stderr);
  assert.match(second.stderr, new RegExp(`shared is in use by process ${venue.child.pid} on`));
  await venue.control.setPrices('BTC-USDT', { index: 100_001 });
  const { seq, hash } = await venue.control.state();
  const replayed = printed(bourse('replay', folder));
  assert.deepEqual([replayed.seq, replayed.hash], [seq, hash]);
  assert.deepEqual(
    [printed(bourse('verify', folder)).ok, printed(bourse('replay', folder, '--seq', '2')).seq],
    [true, 2],
  );
  assert.equal(await venue.stop(), 0);
  const again = await VenueProcess.start(folder);
  assert.deepEqual([again.ready.epoch, (await again.control.state()).hash], [2, hash]);
  assert.equal(await again.stop(), 0);
});
