import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as fs from 'node:fs';
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

test('a lock file that is removed beside a running venue costs that one, before it writes; who came in goes on', async () => {
  const folder = join(scratch, 'removed');
  const first = await VenueProcess.start(folder);
  const { child } = first;
  let errors = '';
  child.stderr?.on('data', (text: string) => {
    errors += text;
  });
  await first.control.setPrices('BTC-USDT', { index: 100_000 });
  fs.rmSync(join(folder, 'lock'));
  const second = await VenueProcess.start(folder);
  await second.control.setPrices('BTC-USDT', { index: 100_001 });
  const ended = once(child, 'close');
  await assert.rejects(first.control.setPrices('BTC-USDT', { index: 99_999 }));
  assert.deepEqual(await ended, [1, null]);
  assert.match(errors, /the lock of the data folder is lost: .*lock was removed or replaced/);

  await second.control.setPrices('BTC-USDT', { index: 100_002 });
  const { hash } = await second.control.state();
  assert.equal(await second.stop(), 0);
  assert.equal(printed(bourse('verify', folder)).hash, hash);
});
