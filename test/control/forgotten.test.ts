/** A venue that a test forgot: it does not keep the process alive, and its end names the calls that nobody awaited. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startVenue } from '../../src/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bourse-forgotten-'));
const onFolder = JSON.stringify({ data: join(folder, 'data'), masterKeyFile: join(folder, 'master.key') });
test.after(() => rmSync(folder, { recursive: true }));

for (const [what, code] of [
  ['that is started and never awaited', 'startVenue();'],
  ['that is not closed', 'await startVenue();'],
  ['on a real clock, with a demo', "await startVenue({ clock: 'real', demo: true, maxQueueMs: 'off' });"],
  [
    'that has served ccxt and holds its connections',
    `const venue = await startVenue({ clock: 'real', maxQueueMs: 'off' });
     await venue.setPrice('BTC-USDT', 60000);
     const { default: ccxt } = await import('ccxt');
     const btse = new ccxt.btse({ apiKey: venue.key.key, secret: venue.key.secret });
     btse.urls.api = { public: venue.url, private: venue.url };
     await btse.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 59000);`,
  ],
  [
    'with something due next week',
    `const venue = await startVenue({ clock: 'real', maxQueueMs: 'off' });
     const client = new BourseClient({ url: venue.url, ...venue.key });
     const week = { symbol: 'BTC-PERP', side: 'BUY', type: 'LIMIT', price: 1, size: 1, time_in_force: 'WEEK' };
     await venue.setPrice('BTC-PERP', 1);
     await client.placeFuturesOrder(week);`,
  ],
  [
    'with a fault that holds a request back',
    `const venue = await startVenue();
     await new ControlClient({ url: venue.control, token: venue.controlToken }).armFault({ latencyMs: 600_000 });
     await fetch(venue.url + '/spot/api/v3.3/time', { signal: AbortSignal.timeout(20) }).catch(() => {});`,
  ],
  ['on a data folder', `await startVenue(${onFolder});`],
  [
    'that is closed while a client has subscriptions',
    `const venue = await startVenue();
     const client = new BourseClient({ url: venue.url.replace('127.0.0.1', 'localhost'), ...venue.key });
     await client.subscribe('spot', 'fills', () => {});
     await client.subscribeBook('spot', 'BTC-USDT', () => {});
     await venue.close();`,
  ],
] as const) {
  test(`a venue ${what} does not keep the process alive`, () => {
    assert.deepEqual(runScript(code), [0, null, '']);
  });
}

test('a client waits for a venue that its process closes and starts again', () => {
  const code = `
    const first = await startVenue();
    using client = new BourseClient({ url: first.url });
    const again = Promise.withResolvers();
    await client.subscribe('spot', 'tradeHistoryApi:BTC-USDT', () => {}, { onReconnect: again.resolve });
    await first.close();
    await using second = await startVenue({ port: Number(new URL(first.url).port) });
    await again.promise;`;
  assert.deepEqual(runScript(code), [0, null, '']);
});

/** Runs a script in a process. Returns its exit code, the signal that ended it, and what it wrote to standard error. */
function runScript(code: string): [number | null, NodeJS.Signals | null, string] {
  const imports = "import { BourseClient, ControlClient, startVenue } from './src/index.ts';";
  const { status, signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', `${imports}\n${code}`], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return [status, signal, stderr];
}

test('a venue is closed at the end of its block', async () => {
  let url: string;
  {
    await using venue = await startVenue();
    url = venue.url;
    assert.equal((await fetch(`${url}/spot/api/v3.3/time`)).status, 200);
  }
  await assert.rejects(fetch(`${url}/spot/api/v3.3/time`), TypeError);
});

test('close waits for calls that nobody awaited, and then names them', async () => {
  const venue = await startVenue({ startTime: 0 });
  const forgotten = [
    venue.setPrice('BTC-USDT', 60_000),
    venue.deposit('test', 'BTC', 1),
    venue.advance('1h'),
    venue.reset(),
  ];
  const named = /in progress, await them first: setPrice\('BTC-USDT'\), deposit\('test'\), advance\('1h'\), reset\(\)$/;
  await assert.rejects(venue.close(), named);
  await Promise.all(forgotten);
  await assert.rejects(venue.advance(1), /^Error: this venue is closed$/);
});

test('close says nothing of calls that were awaited, refused ones among them', async () => {
  const venue = await startVenue();
  await venue.advance(1);
  await assert.rejects(venue.advance(-1), /advance must be/);
  await venue.close();
});
