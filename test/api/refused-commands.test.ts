/** An account whose commands are refused again and again fills the log only so far; its cancels are always taken. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Gateway } from '../../src/api/gateway/http.ts';
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { RefusedCommands } from '../../src/api/shared/refused-commands.ts';
import { submit } from '../../src/api/shared/submit.ts';
import type { Call } from '../../src/api/shared/surface.ts';
import { readConfiguration } from '../../src/config/config.ts';
import { GATEWAY_DEFAULTS, refusedCommandsOn } from '../../src/config/gateway.ts';
import { CommandRejected } from '../../src/engine/contract/errors.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import type { Engine } from '../../src/engine/host.ts';
import { startEngine } from '../../src/engine/start.ts';
import { startVenue } from '../../src/index.ts';
import type { Command } from '../../src/venue/contract/commands.ts';
import type { Reply } from '../../src/venue/venue.ts';
import { type Reply as Answer, Client, type Json } from '../support/client.ts';
import { listenOver } from '../support/engine-gateway.ts';
import { RawConnection, requestText } from '../support/raw-http.ts';
import { credentialHeaders } from '../support/signing.ts';

const REFUSED = { refusal: { reason: 'insufficientFunds', params: {} } } as unknown as Reply;
const TAKEN = { refusal: null } as unknown as Reply;
const PLACE = { type: 'place' } as Command;

/** What comes of commands, with a clock that a test moves: 'refused' by the venue, 'limited' by the gateway, or 'taken'. */
function watched(burst: number, perSecond: number) {
  const clock = { ms: 0 };
  const counted: string[] = [];
  const commands = new RefusedCommands(
    { burst, perSecond },
    { elapsedMs: () => clock.ms, onRefused: (reason) => counted.push(reason) },
  );
  const send = async (reply: Reply | Promise<Reply>, account = 0, command = PLACE): Promise<string> => {
    const engine = { submit: async () => reply };
    try {
      await submit({ engine, signed: null, account, refused: commands } as unknown as Call, command);
      return 'taken';
    } catch (error) {
      const { reason, retryAfterSeconds } = error as { reason: string; retryAfterSeconds: number };
      if (reason === 'insufficientFunds') return 'refused';
      if (reason !== 'tooManyRefused') throw error;
      return `limited for ${retryAfterSeconds} s`;
    }
  };
  return { clock, counted, send };
}

describe('the bucket of an account', () => {
  test('takes as many refusals as the burst, then none, until the clock has filled it again', async () => {
    const { clock, send } = watched(3, 2);
    for (let i = 0; i < 3; i++) assert.equal(await send(REFUSED), 'refused');
    assert.equal(await send(TAKEN), 'limited for 1 s');
    clock.ms += 499;
    assert.equal(await send(TAKEN), 'limited for 1 s');
    clock.ms += 1;
    assert.equal(await send(REFUSED), 'refused');
    assert.equal(await send(TAKEN), 'limited for 1 s');
    clock.ms += 3_600_000;
    for (let i = 0; i < 3; i++) assert.equal(await send(REFUSED), 'refused');
    assert.equal(await send(REFUSED), 'limited for 1 s');
  });

  test('what is taken costs nothing', async () => {
    const { send } = watched(1, 1);
    for (let i = 0; i < 100; i++) assert.equal(await send(TAKEN), 'taken');
    assert.equal(await send(REFUSED), 'refused');
  });

  test('is its own: another account goes on', async () => {
    const { send } = watched(1, 1);
    assert.equal(await send(REFUSED, 1), 'refused');
    assert.equal(await send(TAKEN, 1), 'limited for 1 s');
    assert.equal(await send(TAKEN, 2), 'taken');
  });

  test('cancels are always taken, and count where they are refused', async () => {
    const { send } = watched(2, 1);
    for (const type of ['cancel', 'cancelAll', 'cancelAllAfter'] as const) {
      for (let i = 0; i < 5; i++) assert.equal(await send(REFUSED, 0, { type } as Command), 'refused');
    }
    assert.equal(await send(TAKEN), 'limited for 14 s');
    assert.equal(await send(TAKEN, 0, { type: 'cancel' } as Command), 'taken');
  });

  for (const type of ['place', 'amend', 'attachBrackets', 'setLeverage', 'setRiskLimit', 'setPositionMode'] as const) {
    test(`${type} waits while it is empty`, async () => {
      const { send } = watched(1, 1);
      assert.equal(await send(REFUSED, 0, { type } as Command), 'refused');
      assert.equal(await send(REFUSED, 0, { type } as Command), 'limited for 1 s');
    });
  }

  test('what was under way when it became empty is owed', async () => {
    const { clock, send } = watched(2, 1);
    const gate = Promise.withResolvers<Reply>();
    const underWay = Array.from({ length: 10 }, () => send(gate.promise));
    gate.resolve(REFUSED);
    for (const outcome of await Promise.all(underWay)) assert.equal(outcome, 'refused');
    assert.equal(await send(TAKEN), 'limited for 9 s');
    clock.ms += 9000;
    assert.equal(await send(TAKEN), 'taken');
  });

  test('a command that made the venue fail counts as a refused one', async () => {
    const { counted, send } = watched(1, 1);
    await assert.rejects(send(Promise.reject(new CommandRejected(5))), { name: 'CommandRejected' });
    assert.equal(await send(TAKEN), 'limited for 1 s');
    assert.deepEqual(counted, ['failed', 'tooManyRefused']);
  });

  test('is not forgotten while it is not full, however many accounts there are', async () => {
    const { clock, send } = watched(1, 1);
    for (let account = 0; account < 12_000; account++) assert.equal(await send(REFUSED, account), 'refused');
    clock.ms += 999;
    for (const account of [0, 6000, 11_999]) assert.equal(await send(TAKEN, account), 'limited for 1 s');
    clock.ms += 1;
    for (const account of [0, 6000, 11_999]) assert.equal(await send(TAKEN, account), 'taken');
  });
});

const order = (orderSize: number) => ({
  symbol: 'BTC-USDT',
  orderSide: 'BUY',
  orderType: 'LIMIT',
  orderSize,
  orderPrice: 95,
});

describe('over HTTP', () => {
  const clock = { ms: 0 };
  const counted: string[] = [];
  let engine: Engine;
  let gateway: Gateway;
  let alice: Client;
  let bob: Client;
  let resting: Json;

  before(async () => {
    const keyring = new Keyring();
    const account = (name: string) => ({
      name,
      balances: { USDT: '1000' },
      keys: [{ key: `${name}-key`, secret: `${name}-secret`, permissions: ['read', 'trading'] as const }],
    });
    engine = await startEngine({
      configuration: readConfiguration({ accounts: [account('alice'), account('bob')] }),
      seed: 1,
      clock: 'manual',
      secrets: { seal: (secret) => keyring.seal(secret), open: (sealed) => keyring.open(sealed) },
    });
    const startedAtMs = Date.now();
    const listening = await listenOver(engine, {
      keyring,
      refusedCommands: { burst: 3, perSecond: 1 },
      world: { ...realWorld, wallMs: () => startedAtMs, monotonicMs: () => clock.ms },
      onCommandRefused: (reason) => counted.push(reason),
    });
    gateway = listening.gateway;
    const { url } = listening;
    alice = new Client(url, { key: 'alice-key', secret: 'alice-secret' });
    bob = new Client(url, { key: 'bob-key', secret: 'bob-secret' });
    for (const market of [0, 2]) {
      await engine.submit({ v: 1, type: 'setPrices', market, index: 1_000_000, byHand: true });
    }
    const reply = await alice.spot(order(1));
    assert.equal(reply.status, 200, reply.text);
    [resting] = reply.body;
    for (let i = 0; i < 3; i++) assert.equal((await alice.spot(order(50))).body.code, 51523);
  });
  after(() => gateway.close());

  const limited: Record<string, () => Promise<Answer>> = {
    'a spot v4 placement': () => alice.spot(order(1)),
    'a spot v4 amend': () =>
      alice.call('PUT', '/spot/api/v4/trade/orders', {
        body: { symbol: 'BTC-USDT', orderId: resting.orderId, orderPrice: 96 },
      }),
    'a spot v3.3 placement': () =>
      alice.call('POST', '/spot/api/v3.3/order', {
        body: { symbol: 'BTC-USDT', side: 'BUY', type: 'LIMIT', size: 1, price: 95 },
      }),
    'a futures v2.3 placement': () =>
      alice.future({ symbol: 'BTC-PERP', side: 'BUY', type: 'LIMIT', size: 10, price: 95 }),
    'a futures v3 placement': () =>
      alice.call('POST', '/futures/api/v3/trade/orders', {
        body: { symbol: 'BTC-PERP', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 10, orderPrice: 95 },
      }),
  };
  for (const [what, send] of Object.entries(limited)) {
    test(`${what} gets 429 while the bucket is empty, and reaches no log`, async () => {
      const { seq } = engine.venue;
      const { status, body } = await send();
      assert.deepEqual([status, body.errorCode ?? body.code], [429, 303], JSON.stringify(body));
      assert.match(body.message ?? body.msg, /^Rate limit exceeded: .*try again in 1 s; cancels are still accepted$/);
      assert.equal(engine.venue.seq, seq);
    });
  }

  test('cancels and look-ups go on, for orders that are not there, too', async () => {
    const cancel = (orderId: string) =>
      alice.call('DELETE', '/spot/api/v4/trade/orders', { query: { symbol: 'BTC-USDT', orderId } });
    assert.equal((await alice.lookup(resting.orderId)).status, 200);
    assert.equal((await cancel(resting.orderId)).status, 200);
    assert.equal((await cancel(resting.orderId)).body.code, 16);
    assert.equal(
      (await alice.call('DELETE', '/spot/api/v4/trade/orders/all', { query: { symbol: 'ALL' } })).status,
      200,
    );
    const armed = { body: { timeout: 60_000 } };
    assert.equal((await alice.call('POST', '/spot/api/v4/trade/orders/cancel_all_after', armed)).status, 200);
  });

  test('another account trades on', async () => {
    assert.equal((await bob.spot(order(1))).status, 200);
  });

  test('after its time the account trades again', async () => {
    clock.ms += 10_000;
    assert.equal((await alice.spot(order(1))).status, 200);
  });

  test('each refusal was counted by its reason', () => {
    const times = (reason: string) => counted.filter((one) => one === reason).length;
    assert.deepEqual(
      [times('insufficientFunds'), times('orderNotFound'), times('tooManyRefused')],
      [3, 1, Object.keys(limited).length],
    );
  });
});

describe('where it holds', () => {
  test('2,000 and 20 a second on a real clock, off on a manual one, unless the configuration says otherwise', () => {
    assert.deepEqual(refusedCommandsOn('real', GATEWAY_DEFAULTS), { burst: 2000, perSecond: 20 });
    assert.equal(refusedCommandsOn('manual', GATEWAY_DEFAULTS), 'off');
    const given = { refusedCommands: { burst: 1, perSecond: 1 } };
    assert.deepEqual(refusedCommandsOn('manual', given), given.refusedCommands);
    assert.equal(refusedCommandsOn('real', { refusedCommands: 'off' }), 'off');
  });

  test('off in startVenue, whatever its clock, unless it is given', async () => {
    for (const refusedCommands of [undefined, { burst: 1, perSecond: 1 }]) {
      const venue = await startVenue({ clock: 'real', refusedCommands });
      const path = '/spot/api/v4/trade/orders';
      const body = JSON.stringify({ ...order(50), orderPrice: 90_000 });
      const connection = new RawConnection(venue.url);
      const send = () => {
        const headers = { 'content-type': 'application/json', ...credentialHeaders(venue.key, path, body) };
        connection.send(requestText('POST', path, headers, body));
      };
      const statuses = new Set<number | undefined>();
      for (const count of refusedCommands === undefined ? [2000, 1] : [1, 1]) {
        for (let i = 0; i < count; i++) send();
        for (let i = 0; i < count; i++) statuses.add((await connection.answer())?.status);
      }
      connection.socket.destroy();
      assert.deepEqual([...statuses], refusedCommands === undefined ? [400] : [400, 429]);
      const metrics = await fetch(`${venue.control}/control/v1/metrics`, {
        headers: { authorization: `Bearer ${venue.controlToken}` },
      });
      const text = await metrics.text();
      assert.match(text, /^bourse_commands_refused_total\{reason="insufficientFunds"\} \d+$/m);
      assert.equal(/reason="tooManyRefused"/.test(text), refusedCommands !== undefined);
      await venue.close();
    }
  });
});
