/** What the client's streams do when a venue is silent or away: against a socket of the test's, on a clock of the test's. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WebSocketServer, type WebSocket as WsSocket } from 'ws';
import { BourseClient, type OrderBook } from '../../src/client/index.ts';
import { startVenue } from '../../src/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const TOPIC = 'tradeHistoryApi:BTC-USDT';

/** A venue that acknowledges topics and accepts logins but for `refusals`, and answers nothing else. */
async function silentVenue(t: TestContext, port = 0, refusals: (string | null)[] = []) {
  const server = new WebSocketServer({ port, host: '127.0.0.1' });
  const connections: WsSocket[] = [];
  const frames: string[] = [];
  server.on('connection', (socket) => {
    connections.push(socket);
    socket.on('message', (data) => {
      frames.push(String(data));
      server.emit('frame');
      if (!String(data).startsWith('{')) return;
      const { op, args } = JSON.parse(String(data));
      const isLogin = op === 'authKeyExpires';
      const message = isLogin ? (refusals.shift() ?? null) : null;
      const answer = isLogin
        ? { event: 'login', success: message === null, ...(message !== null && { message }) }
        : { event: op, channel: args };
      socket.send(JSON.stringify(answer));
    });
  });
  const stop = () => {
    for (const socket of connections) socket.terminate();
    server.close();
  };
  t.after(stop);
  await once(server, 'listening');
  const { port: listening } = server.address() as AddressInfo;
  return { server, connections, frames, stop, port: listening, url: `http://127.0.0.1:${listening}` };
}

test('a connection that answers no ping is replaced', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const venue = await silentVenue(t);
  using client = new BourseClient({ url: venue.url });
  const again = Promise.withResolvers<void>();
  const lost: string[] = [];
  await client.subscribe('spot', TOPIC, () => {}, {
    onLost: (reason) => lost.push(reason),
    onReconnect: again.resolve,
  });
  const pinged = once(venue.server, 'frame');
  t.mock.timers.tick(20_000);
  await pinged;
  assert.equal(venue.frames.at(-1), 'ping');
  assert.equal(venue.connections.length, 1);
  t.mock.timers.tick(20_000);
  t.mock.timers.tick(100);
  await again.promise;
  assert.equal(venue.connections.length, 2);
  assert.deepEqual(lost, ['nothing came for 20 s']);
});

test('what a venue sends on its own counts as a sign of life', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const venue = await silentVenue(t);
  using client = new BourseClient({ url: venue.url });
  let handled = Promise.withResolvers<unknown>();
  await client.subscribe('spot', TOPIC, (rows) => handled.resolve(rows));
  for (let beat = 0; beat < 5; beat++) {
    t.mock.timers.tick(20_000);
    handled = Promise.withResolvers();
    venue.connections[0].send(JSON.stringify({ topic: TOPIC, data: [] }));
    await handled.promise;
  }
  assert.equal(venue.connections.length, 1);
});

test('while the venue is away the client tries again, less and less often, until it is closed', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const opened: number[] = [];
  let waitedMs = 0;
  const attempts = new EventTarget();
  const { WebSocket } = globalThis;
  class Counted extends WebSocket {
    constructor(url: string) {
      super(url);
      opened.push(waitedMs);
      this.addEventListener('close', () => attempts.dispatchEvent(new Event('ended')));
    }
  }
  t.mock.method(globalThis, 'WebSocket', Counted);
  const venue = await silentVenue(t);
  using client = new BourseClient({ url: venue.url });
  const again = Promise.withResolvers<void>();
  const subscription = await client.subscribe('spot', TOPIC, () => {}, { onReconnect: again.resolve });
  const lost = once(attempts, 'ended');
  venue.stop();
  await lost;
  for (let attempt = 1; attempt <= 7; attempt++) {
    const failed = once(attempts, 'ended');
    while (opened.length === attempt) {
      waitedMs += 100;
      t.mock.timers.tick(100);
    }
    await failed;
  }
  const pauses = opened.slice(1).map((at, i) => at - opened[i]);
  assert.deepEqual(pauses, [100, 200, 400, 800, 1600, 3200, 5000]);
  await silentVenue(t, venue.port);
  t.mock.timers.tick(5000);
  await again.promise;
  subscription.close();
  await subscription.closed;
});

test('a login that is refused for its time is tried again, and one that is refused for its key ends what is private', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const early =
    'Invalid nonce: it is 300 ms older than the start of this venue, its take-over, or the last jump of its clock';
  const venue = await silentVenue(t, 0, [null, early, early, null, early, 'Authentication failed']);
  using client = new BourseClient({ url: venue.url, key: 'key', secret: 'secret' });
  const happened = new EventEmitter();
  const fills = await client.subscribe('spot', 'fills', () => {}, { onReconnect: () => happened.emit('fills') });
  await client.subscribe('spot', TOPIC, () => {}, {
    onLost: () => happened.emit('lost'),
    onReconnect: () => happened.emit('trades'),
  });
  const beLost = async () => {
    const lost = once(happened, 'lost');
    venue.connections.at(-1)?.terminate();
    await lost;
    const isBack = once(happened, 'trades');
    t.mock.timers.tick(100);
    // What is public does not wait for the login.
    await isBack;
  };
  const logins = () => venue.frames.filter((frame) => frame.includes('authKeyExpires')).length;

  await beLost();
  assert.equal(logins(), 2);
  const again = once(venue.server, 'frame');
  t.mock.timers.tick(200);
  await again;
  const isBack = once(happened, 'fills');
  while (logins() < 4) {
    t.mock.timers.tick(400);
    await new Promise(setImmediate);
  }
  await isBack;

  await beLost();
  t.mock.timers.tick(200);
  await assert.rejects(fills.closed, /fills: the login was refused: Authentication failed/);
});

test('a process that only waits for frames outlives a restart of a venue elsewhere', async (t) => {
  const venue = await silentVenue(t);
  const code = `
    import { BourseClient } from './src/client/index.ts';
    const again = Promise.withResolvers();
    using client = new BourseClient({ url: '${venue.url}' });
    const onLost = () => console.log('lost');
    await client.subscribe('spot', '${TOPIC}', () => {}, { onLost, onReconnect: again.resolve });
    console.log('subscribed');
    await again.promise;`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  const exit = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, 'subscribed');
  venue.stop();
  assert.equal((await lines.next()).value, 'lost');
  await silentVenue(t, venue.port);
  assert.deepEqual(await exit, [0, null]);
});

test('a client stays through a restart of the venue: the same book, and new fills', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-client-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const balances = { USDT: 1_000_000, BTC: 10 };
  const accounts = ['maker', 'taker'].map((name) => ({ name, balances }));
  const options = { data: join(folder, 'data'), masterKeyFile: join(folder, 'master.key'), accounts };
  const first = await startVenue(options);
  const { url, keys } = first;
  using client = new BourseClient({ url, ...keys[0] });
  const again = [Promise.withResolvers<void>(), Promise.withResolvers<OrderBook>()] as const;
  const sides: string[] = [];
  await client.subscribe('spot', 'fills', (fills) => sides.push(...fills.map(({ side }) => side)), {
    onReconnect: again[0].resolve,
  });
  let isRestarted = false;
  const follow = (book: OrderBook) => {
    if (isRestarted) again[1].resolve(book);
  };
  await client.subscribeBook('spot', 'BTC-USDT', follow);
  await first.setPrice('BTC-USDT', 60_000);
  const order = {
    symbol: 'BTC-USDT',
    orderSide: 'SELL',
    orderType: 'LIMIT',
    orderSize: 1,
    orderPrice: 60_000,
  } as const;
  await client.placeSpotOrder(order);
  await first.advance(1);
  isRestarted = true;
  await first.close();

  await using second = await startVenue({ ...options, port: Number(new URL(url).port) });
  await again[0].promise;
  assert.deepEqual((await again[1].promise).asks, [['60000.0', '1']]);
  await new BourseClient({ url, ...keys[1] }).placeSpotOrder({ ...order, orderSide: 'BUY' });
  await second.advance(1);
  assert.deepEqual(sides, ['SELL']);
});
