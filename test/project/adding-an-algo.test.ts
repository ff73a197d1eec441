/**
 * The tutorial in docs/internal/adding-an-algo.md, proven: its example is laid over a copy of the sources, which then are a venue that has
 * ICEBERG orders. Nothing but what the tutorial lists is touched.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { request } from '../../src/client/request.ts';
import type { SpotOrder } from '../../src/client/types.ts';
import { scratch, VenueProcess } from '../crash/process.ts';
import { answered } from '../support/answered.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const example = join(root, 'examples', 'iceberg');
const copy = join(scratch, 'copy');
const bin = join(copy, 'bin', 'bourse.js');

const added = filesBelow(example).filter((path) => path.startsWith('src/'));
const patched = [...readFileSync(join(example, 'iceberg.patch'), 'utf8').matchAll(/^\+\+\+ b\/(.*)$/gm)].map(
  ([, path]) => path,
);

function filesBelow(folder: string): string[] {
  return globSync('**/*', { cwd: folder }).filter((path) => statSync(join(folder, path)).isFile());
}

before(() => {
  mkdirSync(copy);
  for (const path of ['src', 'bin', 'docs', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const path of added) cpSync(join(example, path), join(copy, path), { errorOnExist: true, force: false });
  // The folder is no repository; git must not look for one above it.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: scratch };
  const { status, stderr } = spawnSync('git', ['apply', '-C1', join(example, 'iceberg.patch')], {
    cwd: copy,
    env,
    encoding: 'utf8',
  });
  assert.equal(status, 0, `make examples/iceberg/iceberg.patch again, from the present files:\n${stderr}`);
});

test('the tutorial lists the files of the example, and nothing else of the sources differs', () => {
  const tutorial = readFileSync(join(root, 'docs', 'internal', 'adding-an-algo.md'), 'utf8');
  const listed = [...tutorial.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path]) => path);
  assert.deepEqual(listed.sort(), [...added, ...patched].sort());
  const read = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');
  const before = new Set(filesBelow(join(root, 'src')).map((path) => join('src', path)));
  const differing = filesBelow(join(copy, 'src'))
    .map((path) => join('src', path))
    .filter((path) => !before.has(path) || read(root, path) !== read(copy, path));
  assert.deepEqual(differing.sort(), listed.filter((path) => path.startsWith('src/')).sort());
  assert.equal(filesBelow(join(copy, 'src')).length, before.size + added.length);
});

test('what the tutorial prints of the example is in its files', () => {
  const tutorial = readFileSync(join(root, 'docs', 'internal', 'adding-an-algo.md'), 'utf8');
  const files = [...added, 'iceberg.patch'].map((path) => readFileSync(join(example, path), 'utf8'));
  const printed = [...tutorial.matchAll(/```(?:ts|diff)\n(.*?)```/gs)].map(([, text]) => text);
  assert.ok(printed.length >= 3);
  for (const text of printed)
    assert.ok(
      files.some((file) => file.includes(text)),
      text,
    );
});

test('the sources with the example are free of type errors', () => {
  writeFileSync(join(copy, 'tsconfig.src.json'), JSON.stringify({ extends: './tsconfig.json', include: ['src'] }));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '--noEmit', '-p', 'tsconfig.src.json'], {
    cwd: copy,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout);
});

test('an iceberg shows its display size, goes to the back with each new part, and is the same after a kill', async () => {
  const folder = join(scratch, 'iceberg');
  let venue = await VenueProcess.startOf(bin, folder);
  const algo = '/spot/api/v4/trade/orders/algo';
  const look = (clOrderId: string) => venue.alice.spotOrder({ clOrderId });
  const asks = async () => {
    const query = { symbol: 'ETH-USDT' };
    const reply = await request(venue.ready.http, 'GET', '/public-api/market/v1/orderbook', { query });
    return (reply as { data: { asks: string[][] } }).data.asks;
  };
  const limit = { symbol: 'ETH-USDT', orderType: 'LIMIT', orderPrice: 100 } as const;
  const take = (orderSize: number) =>
    venue.bob.placeSpotOrder({ ...limit, orderSide: 'BUY', orderSize, timeInForce: 'IOC' });
  const filled = async () => [(await look('berg')).totalFilledBaseSize, (await look('plain')).totalFilledBaseSize];

  const body = { ...limit, orderSide: 'SELL', orderType: 'ICEBERG', orderSize: 1, displaySize: 0.1 };
  const [placed] = (await venue.alice.send('POST', algo, {
    body: { ...body, clOrderId: 'berg' },
  })) as SpotOrder[];
  assert.deepEqual([placed.status, placed.type, placed.remainingOrderBaseSize], [2, 76, 1]);
  await assert.rejects(venue.alice.send('POST', algo, { body: { ...body, displaySize: 0 } }), /displaySize/);
  assert.deepEqual(await asks(), [['100', '0.1']]);
  await venue.alice.placeSpotOrder({ ...limit, orderSide: 'SELL', orderSize: 0.5, clOrderId: 'plain' });
  assert.deepEqual(await asks(), [['100', '0.6']]);

  await take(0.1);
  assert.deepEqual(await filled(), [0.1, 0]);
  assert.deepEqual(await asks(), [['100', '0.6']]);
  await take(0.1);
  assert.deepEqual(await filled(), [0.1, 0.1], 'its next part is behind the order that was behind its first one');
  const seen = await look('berg');
  assert.deepEqual(seen.orderDetail, { displayedSize: 0.1 });
  const { hash } = await venue.control.state();

  await venue.kill();
  venue = await VenueProcess.startOf(bin, folder);
  assert.deepEqual(await look('berg'), seen);
  assert.deepEqual(await asks(), [['100', '0.5']]);
  assert.equal((await venue.control.state()).hash, hash);

  await take(0.45);
  assert.deepEqual(await asks(), [['100', '0.05']]);
  const { totalFilledBaseSize, orderDetail } = await look('berg');
  assert.deepEqual([totalFilledBaseSize, orderDetail], [0.15, { displayedSize: 0.05 }]);
  const history = await answered(
    () => venue.control.request('GET', `/orders/${placed.orderId}`) as Promise<{ events: { iceberg?: object }[] }>,
  );
  assert.deepEqual(history.events[0].iceberg, { displaySize: '0.1' });
  assert.equal(await venue.stop(), 0);
});
