/** The harness that runs real clients (`npm run clients`), with programs that stand for clients. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CLIENTS } from './real/clients.ts';
import { runClient, Skipped } from './real/run.ts';

const node = (code: string) => ({
  needsTrades: false,
  prepare: async () => ({ file: process.execPath, args: ['--input-type=module', '-e', code] }),
});
const told = (name: string, verdict: string) =>
  `console.log(JSON.stringify({ name: '${name}', verdict: '${verdict}', detail: '' }));`;

test('a client that cannot be installed is skipped with the sentence that says why', async () => {
  const prepare = () => Promise.reject(new Skipped('go is not installed'));
  const { verdict, remark } = await runClient({ prepare });
  assert.deepEqual([verdict, remark], ['skipped', 'go is not installed']);
});

test('a path that is not served fails a client, whatever its program says; one that BTSE does not have either does not', async () => {
  const code = `
    const { BOURSE_URL: url } = process.env;
    const reply = await fetch(url + '/spot/api/v3.3/time?x=1');
    if (!reply.ok) process.exit(1);
    await fetch(url + '/spot/api/v9/market_summary');
    ${told('time', 'ok')}`;
  const outcome = await runClient(node(code));
  assert.deepEqual(outcome.notServed, ['GET /spot/api/v9/market_summary']);
  assert.deepEqual([outcome.verdict, outcome.requests, outcome.calls.length], ['fails', 2, 1]);
  const known = await runClient({ ...node(code), wrongPaths: ['GET /spot/api/v9/market_summary'] });
  assert.deepEqual([known.verdict, known.notServed], ['runs', []]);
});

test('a failed call, a program that ends badly, and one that tells nothing fail a client', async () => {
  const verdicts = [
    `${told('a', 'ok')} ${told('b', 'failed')}`,
    `${told('a', 'ok')} throw new Error('no more')`,
    '',
    `${told('a', 'ok')} ${told('b', 'refused')} ${told('c', 'own')}`,
  ].map(async (code) => {
    const { verdict, remark } = await runClient(node(code));
    return [verdict, remark.replace(/:.*/s, '')];
  });
  assert.deepEqual(await Promise.all(verdicts), [
    ['fails', ''],
    ['fails', 'its program ended with 1'],
    ['fails', ''],
    ['runs', ''],
  ]);
});

test('a stream passes through the recorder', async () => {
  const code = `
    const socket = new WebSocket(process.env.BOURSE_URL.replace('http', 'ws') + '/ws/spot');
    socket.onopen = () => socket.send('ping');
    socket.onmessage = ({ data }) => { if (data === 'pong') { ${told('pong', 'ok')} socket.close(); } };`;
  const { verdict, requests } = await runClient(node(code));
  assert.deepEqual([verdict, requests], ['runs', 1]);
});

test('each client has its own name, and its program is there', () => {
  const names = CLIENTS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const file of ['python/calls.py', 'python/ccxt_methods.py', 'python/vnpy_gateway.py', 'go/gocryptotrader.go']) {
    assert.ok(existsSync(fileURLToPath(new URL(`real/${file}`, import.meta.url))), file);
  }
});
