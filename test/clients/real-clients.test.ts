/** The harness that runs real clients (`npm run clients`), with programs that stand for clients. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CLIENTS } from './real/clients.ts';
import { Conversation } from './real/conversation.ts';
import { noting, type Read, Reads } from './real/reads.ts';
import { runClient, Skipped } from './real/run.ts';

const node = (code: string) => ({
  name: 'node',
  needsTrades: false,
  prepare: async () => ({ file: process.execPath, args: ['--input-type=module', '-e', code] }),
});
const told = (name: string, verdict: string) =>
  `console.log(JSON.stringify({ name: '${name}', verdict: '${verdict}', detail: '' }));`;

test('a client that cannot be installed is skipped with the sentence that says why', async () => {
  const prepare = () => Promise.reject(new Skipped('go is not installed'));
  const { verdict, remark } = await runClient({ name: 'none', prepare });
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

test('a field that a client reads and no answer has fails it, unless the list has a reason', async () => {
  const read = (at: string, field: string, there: boolean, line = 1) => ({ at, by: 'on_packet', line, field, there });
  const reads = [
    read('topic fills', 'price', false),
    read('topic fills', 'price', true, 2),
    read('topic fills', 'errors', false),
    read('topic fills', 'commission', false),
  ];
  const code = `
    const { appendFileSync } = await import('node:fs');
    for (const read of ${JSON.stringify(reads)}) appendFileSync(process.env.BOURSE_READS, JSON.stringify(read) + '\\n');
    ${told('a', 'ok')}`;
  const { verdict, calls, fields, absent } = await runClient({ ...node(code), name: 'vnpy' });
  assert.deepEqual([verdict, fields, absent], ['fails', 3, 1]);
  assert.deepEqual(
    calls.map(({ name, verdict }) => [name, verdict]),
    [
      ['a', 'ok'],
      ['on_packet reads commission of topic fills', 'failed'],
    ],
  );
});

test('reads are those of the files that were named, and names on one line are one field if the client means it so', () => {
  const reads = new Reads();
  const note = (read: Read) => reads.add(read);
  const own = noting({ rows: [{ price: 1 }], code: 1 }, 'GET /x', ['real-clients.test.ts'], note);
  const [row] = own.rows as Record<string, unknown>[];
  const readRow = () => [row.price ?? row.orderPrice, row.orderSize ?? row.size, 'side' in row];
  assert.deepEqual(readRow(), [1, undefined, false]);
  const line = JSON.stringify(own);
  assert.equal(line, '{"rows":[{"price":1}],"code":1}');
  const absent = (linesAreAlternatives: boolean) =>
    reads.absent(linesAreAlternatives).map(({ by, field }) => [by, field]);
  assert.deepEqual(absent(false), [
    ['readRow', 'orderSize'],
    ['readRow', 'side'],
    ['readRow', 'size'],
  ]);
  assert.deepEqual(absent(true), []);
  const foreign = noting({ price: 1 }, 'GET /x', ['elsewhere.ts'], () => assert.fail('a read of other code'));
  assert.equal(foreign.price, 1);
});

test('a stream is judged by what came of what was asked for', () => {
  const client = (message: unknown) => ({ by: 'client' as const, text: text(message) });
  const venue = (message: unknown) => ({ by: 'venue' as const, text: text(message) });
  const text = (message: unknown) => (typeof message === 'string' ? message : JSON.stringify(message));
  const asked = [
    client('ping'),
    client({ op: 'authKeyExpires', args: ['key', '1', 'signature'] }),
    client({ op: 'subscribe', args: ['update:BTC-USDT_0', 'fills', 'tradeHistoryApi:NO-USDT'] }),
  ];
  const answered = [
    venue('pong'),
    venue({ event: 'login', success: true }),
    venue({ event: 'subscribe', channel: ['update:BTC-USDT_0', 'fills'] }),
    venue({
      severity: 'ERROR',
      errors: [{ arg: 'tradeHistoryApi:NO-USDT', error: { code: 1000, message: 'no market' } }],
    }),
    venue({ topic: 'update:BTC-USDT_0', data: { type: 'snapshot' } }),
  ];
  const early = new Conversation([...asked, ...answered]);
  assert.deepEqual(early.missing, ['delta of update:BTC-USDT_0', 'frames of fills']);
  assert.deepEqual([early.waitsForTrades, early.refusals], [false, ['tradeHistoryApi:NO-USDT: no market']]);
  const later = new Conversation([
    ...asked,
    ...answered,
    venue({ topic: 'update:BTC-USDT_0', data: { type: 'delta' } }),
  ]);
  assert.deepEqual([later.missing, later.waitsForTrades], [['frames of fills'], true]);
  const silent = new Conversation(asked);
  assert.equal(silent.missing.length, 9);
});

test('each client has its own name, and its program is there', () => {
  const names = CLIENTS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const file of [
    'python/calls.py',
    'python/ccxt_methods.py',
    'python/vnpy_gateway.py',
    'go/gocryptotrader.go',
    'go/reads.go',
  ]) {
    assert.ok(existsSync(fileURLToPath(new URL(`real/${file}`, import.meta.url))), file);
  }
});
