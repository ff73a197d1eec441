/**
 * Thousands of idle connections from one address, at both listeners of a venue that may have 256 files open: whoever comes
 * from another address trades on, and the venue still opens the files that it needs.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { bourse, printed, scratch, TOKEN, VenueProcess } from '../crash/process.ts';
import { exchange, requestText } from '../support/raw-http.ts';
import { credentialHeaders } from '../support/signing.ts';

const OPEN_FILES = 256;
const IDLE = 2400;
const ORDERS = '/spot/api/v4/trade/orders';
const JSON_TYPE = { 'content-type': 'application/json' };
const HONEST = { localAddress: '127.0.0.2' };
const ALICE = { key: 'alice-key', secret: 'alice-secret' };

/** Connects and says nothing; resolves when each of them is connected or was refused. */
async function idleAt(url: string, count: number): Promise<Socket[]> {
  const { port } = new URL(url);
  const sockets = Array.from({ length: count }, () =>
    connect({ port: Number(port), host: '127.0.0.1', localAddress: '127.0.0.1' }).on('error', () => {}),
  );
  await Promise.all(
    sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
  );
  return sockets;
}

async function place(venue: VenueProcess, n: number): Promise<{ status: number; body: { orderId: string }[] }> {
  const body = JSON.stringify({
    symbol: 'BTC-USDT',
    orderSide: 'BUY',
    orderType: 'LIMIT',
    orderPrice: 95_000 - n,
    orderSize: 0.001,
  });
  const headers = { ...JSON_TYPE, ...credentialHeaders(ALICE, ORDERS, body) };
  const answer = await exchange(venue.ready.http, requestText('POST', ORDERS, headers, body), HONEST);
  assert.ok(answer !== null, `order ${n}: the connection was closed`);
  return answer;
}

async function control(venue: VenueProcess, method: string, path: string, body = '') {
  const headers = { authorization: `Bearer ${TOKEN}`, connection: 'close' };
  const answer = await exchange(venue.ready.control, requestText(method, `/control/v1${path}`, headers, body), HONEST);
  assert.ok(answer !== null, `${path}: the connection was closed`);
  return answer;
}

function filesOf({ child }: VenueProcess): number {
  return readdirSync(`/proc/${child.pid}/fd`).length;
}

test(`${IDLE} idle connections at a venue that may have ${OPEN_FILES} files open are in nobody's way`, async () => {
  const folder = join(scratch, 'idle');
  const venue = await VenueProcess.startWith(OPEN_FILES, folder, '--segment-size', '16384', '--snapshot-every', '10');
  await venue.control.setPrices('BTC-USDT', { index: 100_000 });

  const idle = [...(await idleAt(venue.ready.http, IDLE)), ...(await idleAt(venue.ready.control, IDLE))];
  const ids: string[] = [];
  let most = 0;
  for (let n = 0; n < 60; n++) {
    const { status, body } = await place(venue, n);
    assert.equal(status, 200, JSON.stringify(body));
    ids.push(body[0].orderId);
    if (existsSync('/proc')) most = Math.max(most, filesOf(venue));
    // Those that were let in are still there: it is not by their going that the others are served.
    if (n === 0) assert.ok(idle.filter(({ readyState }) => readyState === 'open').length > 20);
  }
  assert.ok(most < OPEN_FILES - 20, `${most} files are open`);

  const snapshot = await control(venue, 'POST', '/snapshot');
  assert.equal(snapshot.status, 200, JSON.stringify(snapshot.body));
  const history = await control(venue, 'GET', `/orders/${ids[0]}`);
  assert.equal(history.status, 200, JSON.stringify(history.body));
  const health = await control(venue, 'GET', '/health');
  assert.equal(health.status, 200, JSON.stringify(health.body));
  const { hash } = (await control(venue, 'GET', '/state')).body;

  for (const socket of idle) socket.destroy();
  assert.equal(await venue.stop(), 0);
  assert.equal(printed(bourse('verify', folder)).hash, hash);
});

test('a venue that may open too few files refuses to start, and says what to raise', async () => {
  await assert.rejects(VenueProcess.startWith(80, join(scratch, 'few')), /may open 80 files.*ulimit -n/);
});
