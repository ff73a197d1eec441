/** While commands wait too long, what would add to them is refused at once; exits and look-ups are taken. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Gateway } from '../../src/api/gateway/http.ts';
import { IN_HAND } from '../../src/api/gateway/intake.ts';
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { readConfiguration } from '../../src/config/config.ts';
import { GATEWAY_DEFAULTS, maxQueueOn } from '../../src/config/gateway.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import type { Engine } from '../../src/engine/host.ts';
import { startEngine } from '../../src/engine/start.ts';
import { SURFACES } from '../../src/start.ts';
import { type Reply as Answer, Client, type Json } from '../support/client.ts';
import { listenOver } from '../support/engine-gateway.ts';
import { RawConnection, requestText } from '../support/raw-http.ts';
import { credentialHeaders } from '../support/signing.ts';

const ORDERS = '/spot/api/v4/trade/orders';
const ALICE = { key: 'alice-key', secret: 'alice-secret' };
const order = { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 1, orderPrice: 95 };
const loopTurn = () => new Promise((resolve) => setImmediate(resolve));

/** An engine whose batches begin when the test says so, on a clock that the test moves. */
const startedAtMs = Date.now();
const clock = { ms: 0 };
const held: (() => void)[] = [];
let holding = false;
const world = {
  ...realWorld,
  monotonicMs: () => clock.ms,
  nextTurn: () => (holding ? new Promise<void>((resolve) => held.push(resolve)) : realWorld.nextTurn()),
};
const counted: string[] = [];
let engine: Engine;
let gateway: Gateway;
let url: string;
let alice: Client;
let resting: Json;

before(async () => {
  const keyring = new Keyring();
  const keys = [{ ...ALICE, permissions: ['read', 'trading'] as const }];
  engine = await startEngine({
    configuration: readConfiguration({ accounts: [{ name: 'alice', balances: { USDT: '1000' }, keys }] }),
    seed: 1,
    clock: 'manual',
    world,
    secrets: { seal: (secret) => keyring.seal(secret), open: (sealed) => keyring.open(sealed) },
  });
  ({ gateway, url } = await listenOver(engine, {
    keyring,
    maxQueueMs: 50,
    // The clock of before the keys' first nonces.
    world: { ...realWorld, wallMs: () => startedAtMs, monotonicMs: () => clock.ms },
    onCommandRefused: (reason) => counted.push(reason),
  }));
  alice = new Client(url, ALICE);
  for (const market of [0, 2]) {
    await engine.submit({ v: 1, type: 'setPrices', market, index: 1_000_000, byHand: true });
  }
  const reply = await alice.spot(order);
  assert.equal(reply.status, 200, reply.text);
  [resting] = reply.body;
});
after(() => gateway.close());

/** Has a command wait for `ms`, acts, and lets it go on. */
async function whileOneWaits<T>(ms: number, act: () => Promise<T>): Promise<T> {
  holding = true;
  const waiting = engine.submit({ v: 1, type: 'setPrices', market: 0, index: 1_000_000, byHand: true });
  clock.ms += ms;
  const outcome = await act();
  letGo();
  await waiting;
  return outcome;
}

function letGo(): void {
  holding = false;
  for (const resume of held.splice(0)) resume();
}

/** Resolves once `count` commands wait. */
async function untilWaiting(count: number): Promise<void> {
  while (engine.waiting < count) await loopTurn();
}

describe('while the oldest command waits', () => {
  test('for 50 ms, a placement is taken', async () => {
    const { status } = await whileOneWaits(50, async () => {
      const placed = alice.spot(order);
      await untilWaiting(2);
      letGo();
      return placed;
    });
    assert.equal(status, 200);
  });

  const adding: Record<string, () => Promise<Answer>> = {
    'a spot v4 placement': () => alice.spot(order),
    'a spot v4 amend': () =>
      alice.call('PUT', ORDERS, { body: { symbol: 'BTC-USDT', orderId: resting.orderId, orderPrice: 96 } }),
    'a spot v3.3 placement': () =>
      alice.call('POST', '/spot/api/v3.3/order', {
        body: { symbol: 'BTC-USDT', side: 'BUY', type: 'LIMIT', size: 1, price: 95 },
      }),
    'a futures v2.3 placement': () =>
      alice.call('POST', '/futures/api/v2.3/order', {
        body: { symbol: 'BTC-PERP', side: 'BUY', type: 'LIMIT', size: 1, price: 95 },
      }),
    'a change of leverage': () =>
      alice.call('POST', '/futures/api/v2.3/leverage', { body: { symbol: 'BTC-PERP', leverage: 5 } }),
  };
  for (const [name, send] of Object.entries(adding)) {
    test(`for longer, ${name} is refused with 503, and nothing is done`, async () => {
      const seq = engine.venue.seq;
      const before = counted.length;
      const { status, text } = await whileOneWaits(51, send);
      assert.equal(status, 503);
      assert.match(text, /"(code|errorCode)":-11/);
      assert.match(text, /commands wait 51 ms, more than the 50 ms of maxQueueMs \(--max-queue-ms\): try again later/);
      assert.equal(engine.venue.seq, seq + 1, 'the command that waited, and no other');
      assert.deepEqual(counted.slice(before), ['queueTooOld']);
    });
  }

  test('for however long, a cancel is taken, and so are cancel all, the dead man and the closing of a position', async () => {
    const exits: (() => Promise<Answer>)[] = [
      () => alice.call('DELETE', ORDERS, { query: { symbol: 'BTC-USDT', orderId: resting.orderId } }),
      () => alice.call('DELETE', '/spot/api/v3.3/order', { query: { symbol: 'BTC-USDT' } }),
      () => alice.call('POST', '/spot/api/v4/trade/orders/cancel_all_after', { body: { timeout: 60_000 } }),
      () =>
        alice.call('POST', '/futures/api/v2.3/order/close_position', {
          body: { symbol: 'BTC-PERP', type: 'MARKET' },
        }),
    ];
    const [cancelled, ...others] = await whileOneWaits(10_000, async () => {
      const sent = [];
      for (const [i, exit] of exits.slice(0, 3).entries()) {
        sent.push(exit());
        await untilWaiting(2 + i);
      }
      const closing = exits[3]();
      letGo();
      return Promise.all([...sent, closing]);
    });
    assert.equal(cancelled.status, 200, cancelled.text);
    assert.equal(cancelled.body[0].orderId, resting.orderId);
    for (const { status, text } of others) assert.notEqual(status, 503, text);
  });

  test('for however long, look-ups are answered', async () => {
    assert.equal((await whileOneWaits(10_000, () => alice.spotOrders())).status, 200);
  });

  test('too long, a placement is refused whose body comes late: by its head it could be taken', async () => {
    const body = JSON.stringify(order);
    const headers = { ...credentialHeaders(ALICE, ORDERS, body), 'content-type': 'application/json' };
    const bytes = requestText('POST', ORDERS, { ...headers, expect: '100-continue' }, body);
    const bodyAt = bytes.indexOf('\r\n\r\n') + 4;
    const connection = new RawConnection(url);
    connection.send(bytes.subarray(0, bodyAt));
    assert.equal((await connection.answer(true))?.status, 100);
    const refused = await whileOneWaits(51, () => {
      connection.send(bytes.subarray(bodyAt));
      return connection.answer();
    });
    assert.equal(refused?.status, 503);
    connection.socket.destroy();
  });

  test('too long, the signature is not used up: the same bytes are taken afterwards', async () => {
    const body = JSON.stringify(order);
    const headers = { ...credentialHeaders(ALICE, ORDERS, body), 'content-type': 'application/json' };
    const bytes = requestText('POST', ORDERS, headers, body);
    const connection = new RawConnection(url);
    const refused = await whileOneWaits(51, () => {
      connection.send(bytes);
      return connection.answer();
    });
    assert.equal(refused?.status, 503);
    assert.match(refused?.head ?? '', /^retry-after: 1$/im);
    // The body of the refused one was on the same connection, and the next request is found behind it.
    connection.send(bytes);
    assert.equal((await connection.answer())?.status, 200);
    connection.socket.destroy();
  });
});

/** A gateway without keys on the test's clock, whose turns over connections come when the test says so. */
async function slowGateway() {
  const acts: (() => void)[] = [];
  const slow = await listenOver(engine, {
    maxQueueMs: 50,
    world: {
      ...realWorld,
      monotonicMs: () => clock.ms,
      nextTurn: () => new Promise<void>((resolve) => void acts.push(resolve)),
    },
  });
  const connection = new RawConnection(slow.url);
  connection.socket.setNoDelay(true);
  return {
    connection,
    /** Turns that wait for `turn`. */
    acts,
    async turn() {
      while (acts.length === 0) await loopTurn();
      acts.shift()?.();
    },
    async close() {
      connection.socket.destroy();
      await slow.gateway.close();
    },
  };
}

const time = requestText('GET', '/spot/api/v3.3/time', {});
const unsigned = requestText('POST', ORDERS, { 'content-type': 'application/json' }, JSON.stringify(order));

test('what has waited for its turn over connections that long is refused, too', async () => {
  const { connection, turn, close } = await slowGateway();
  connection.send(Buffer.concat([time, unsigned, time]));
  assert.equal((await connection.answer())?.status, 200);
  clock.ms += 51;
  await turn();
  assert.equal((await connection.answer())?.status, 503);
  assert.equal(
    (await connection.answer())?.status,
    200,
    'a look-up waits as long as it takes, and a refusal is no turn',
  );
  await close();
});

test('what came while the connection waited for its turn has waited as long', async () => {
  const { connection, acts, turn, close } = await slowGateway();
  connection.send(Buffer.concat([time, time]));
  assert.equal((await connection.answer())?.status, 200);
  connection.send(unsigned);
  clock.ms += 51;
  await turn();
  assert.equal((await connection.answer())?.status, 200);
  assert.equal((await connection.answer())?.status, 503);
  // A turn of the event loop later, whatever is read came just now.
  while (acts.length > 0) await turn();
  await loopTurn();
  connection.send(unsigned);
  assert.equal((await connection.answer())?.status, 401);
  await close();
});

test('placements that are refused take no turns: all in hand are answered in one', async () => {
  const { connection, acts, close } = await slowGateway();
  await whileOneWaits(51, async () => {
    connection.send(Buffer.concat(Array.from({ length: IN_HAND - 1 }, () => unsigned)));
    for (let i = 1; i < IN_HAND; i += 1) assert.equal((await connection.answer())?.status, 503);
  });
  assert.equal(acts.length, 0);
  await close();
});

test('these routes are taken however long commands wait, besides look-ups; every other one is refused', () => {
  const exits = SURFACES.filter(({ newer }) => newer === undefined).flatMap(({ basePath, routes }) =>
    routes.filter(({ isExit }) => isExit === true).map(({ method, path }) => `${method} ${basePath}${path}`),
  );
  assert.deepEqual(exits.toSorted(), [
    'DELETE /futures/api/v2.3/order',
    'DELETE /futures/api/v3/trade/orders',
    'DELETE /futures/api/v3/trade/positions',
    'DELETE /spot/api/v3.3/order',
    'DELETE /spot/api/v4/trade/orders',
    'DELETE /spot/api/v4/trade/orders/all',
    'POST /futures/api/v2.3/order/cancelAllAfter',
    'POST /futures/api/v2.3/order/close_position',
    'POST /futures/api/v3/trade/orders/cancel_all_after',
    'POST /spot/api/v3.3/order/cancelAllAfter',
    'POST /spot/api/v4/trade/orders/cancel_all_after',
  ]);
});

test('50 ms on a real clock, off on a manual one and for a demo, and always what is given', () => {
  assert.equal(maxQueueOn('real', GATEWAY_DEFAULTS), 50);
  assert.equal(maxQueueOn('manual', GATEWAY_DEFAULTS), 'off');
  assert.equal(maxQueueOn('real', GATEWAY_DEFAULTS, true), 'off');
  assert.equal(maxQueueOn('real', { maxQueueMs: 20 }, true), 20);
  assert.equal(maxQueueOn('manual', { maxQueueMs: 20 }), 20);
  assert.equal(maxQueueOn('real', { maxQueueMs: 'off' }), 'off');
});
