/** `bourse export`: what the archive holds, as CSV and JSON, from the archive or, where that is not to be had, the log. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { EXPORTS, type ExportFormat, type ExportName, exportRows } from '../../src/archive/export.ts';
import { BourseClient } from '../../src/client/client.ts';
import { ControlClient } from '../../src/client/control.ts';
import { ARCHIVE_FILE } from '../../src/engine/identity/manifest.ts';
import { startVenue, type TestVenue } from '../../src/index.ts';
import { answered } from '../support/answered.ts';

const BOURSE = fileURLToPath(new URL('../../bin/bourse.js', import.meta.url));
const root = fs.mkdtempSync(join(tmpdir(), 'bourse-export-test-'));
const folder = join(root, 'data');
fs.writeFileSync(join(root, 'master.key'), '1'.repeat(64), { mode: 0o600 });
let venue: TestVenue;

before(async () => {
  const accounts = ['alice', 'bob'].map((name) => ({ name, balances: { USDT: 1_000_000, BTC: 10 } }));
  venue = await startVenue({ data: folder, masterKeyFile: join(root, 'master.key'), accounts });
  await venue.setPrice('BTC-USDT', 60_000);
  const [alice, bob] = venue.keys.map((key) => new BourseClient({ url: venue.url, ...key }));
  const order = { symbol: 'BTC-USDT', orderType: 'LIMIT', orderPrice: 59_000, orderSize: 0.01 } as const;
  await alice.placeSpotOrder({ ...order, orderSide: 'BUY', clOrderId: 'my "first", so' });
  const [{ orderId }] = await bob.placeSpotOrder({ ...order, orderSide: 'SELL', orderSize: 0.004 });
  // The archive's thread is there once it has answered.
  const control = new ControlClient({ url: venue.control, token: venue.controlToken });
  await answered(() => control.request('GET', `/orders/${orderId}`));
});

after(async () => {
  await venue.close();
  fs.rmSync(root, { recursive: true });
});

async function exported(what: ExportName, format: ExportFormat, from = folder): Promise<[text: string, string[]]> {
  const notices: string[] = [];
  let text = '';
  const write = async (part: string): Promise<void> => {
    text += part;
  };
  const rows = await exportRows(from, { what, format, write, onNotice: (notice) => notices.push(notice) });
  assert.equal(rows, (text.match(format === 'csv' ? /\r\n/g : /^\{/gm) ?? []).length - (format === 'csv' ? 1 : 0));
  return [text, notices];
}

test('beside a running venue, what was acknowledged is in the export', async () => {
  const [text, notices] = await exported('orders', 'json');
  const orders = JSON.parse(text) as Record<string, unknown>[];
  assert.deepEqual(
    orders.map(({ account, clientId, state, filledSize, postOnly, triggered, leftBranch }) => {
      return [account, clientId, state, filledSize, postOnly, triggered, leftBranch];
    }),
    [
      ['alice', 'my "first", so', 'working', '0.004', false, null, false],
      ['bob', null, 'filled', '0.004', false, null, false],
    ],
  );
  assert.deepEqual(notices, []);
});

test('CSV has a head, and quotes what needs it', async () => {
  const [text] = await exported('fills', 'csv');
  const [head, line, end] = text.split('\r\n');
  assert.match(head, /^seq,timeMs,tradeId,market,price,size,value,takerSide,makerAccount,/);
  assert.match(
    line,
    /,1,BTC-USDT,59000,0\.004,236,SELL,alice,[-0-9a-f]{36},0\.0000008,BTC,,bob,[-0-9a-f]{36},0\.0472,/,
  );
  assert.equal(end, '');
  const [orders] = await exported('orders', 'csv');
  assert.match(orders, /,alice,BTC-USDT,BUY,limit,working,"my ""first"", so",59000,/);
  const [events] = await exported('events', 'csv');
  assert.match(
    events,
    /^orderId,seq,timeMs,type,data,leftBranch\r\n[-0-9a-f]{36},\d+,\d+,accepted,"\{""type"":""accepted"",/,
  );
  assert.match(
    events,
    /,traded,"\{""type"":""traded"",[^\r]*""role"":""maker"",""price"":""59000"",""size"":""0\.004"",/,
  );
  const [ledger] = await exported('ledger', 'csv');
  assert.match(ledger, /,alice,USDT,-236,trade,BTC-USDT,[-0-9a-f]{36},false\r\n/);
});

test('without an archive, or with a damaged one, the same comes from the log', async () => {
  const copy = join(root, 'copy');
  for (const [what, spoil, notice] of [
    ['lost', (path: string) => fs.rmSync(path), /^there is no archive: a temporary one is built from the log$/],
    ['damaged', (path: string) => fs.writeFileSync(path, 'x'.repeat(9000)), /^the archive is damaged \(file is not/],
  ] as const) {
    fs.cpSync(folder, copy, { recursive: true });
    for (const suffix of ['-wal', '-shm']) fs.rmSync(join(copy, ARCHIVE_FILE + suffix), { force: true });
    spoil(join(copy, ARCHIVE_FILE));
    const before = fs.readdirSync(copy);
    for (const name of EXPORTS) {
      const [text, notices] = await exported(name, 'csv', copy);
      assert.deepEqual([text], [(await exported(name, 'csv'))[0]], `${what} ${name}`);
      assert.match(notices[0], notice);
    }
    assert.deepEqual(fs.readdirSync(copy), before);
    fs.rmSync(copy, { recursive: true });
  }
});

test('the command prints it, and refuses what it does not know in words', () => {
  const run = (...args: string[]) => spawnSync(process.execPath, [BOURSE, 'export', ...args], { encoding: 'utf8' });
  const { status, stdout, stderr } = run(folder, '--what', 'fills', '--format', 'json');
  assert.deepEqual([status, stderr], [0, '']);
  assert.equal((JSON.parse(stdout) as unknown[]).length, 1);
  assert.match(run(join(root, 'none'), '--what', 'fills').stderr, /there is no data folder at .*none/);
  assert.match(run(folder, '--what', 'money').stderr, /Allowed choices are orders, events, fills, ledger/);
});
