/** Rate limits as BTSE's: for each key, account and address, with blocks that grow. A test moves the clock. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import type { Gateway } from '../../src/api/gateway/http.ts';
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { type Limited, RateLimiter, rateKindOf } from '../../src/api/gateway/rate-limits.ts';
import { ConfigurationError, readConfiguration } from '../../src/config/config.ts';
import type { RateLimits, RateLimitsInput } from '../../src/config/rate-limits.ts';
import { realWorld } from '../../src/engine/contract/world.ts';
import { startEngine } from '../../src/engine/start.ts';
import { startVenue } from '../../src/index.ts';
import { SURFACES } from '../../src/start.ts';
import { Client, type Json, type Reply } from '../support/client.ts';
import { listenOver } from '../support/engine-gateway.ts';
import { credentialHeaders, nextNonce } from '../support/signing.ts';
import { StreamClient } from '../support/stream-client.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function limitsOf(rateLimits: 'btse' | RateLimitsInput): RateLimits {
  return readConfiguration({ rateLimits }).rateLimits as RateLimits;
}

/** A limiter with a clock that a test moves. Its calls answer 'taken', or what blocks and for how long. */
function limiter(input: 'btse' | RateLimitsInput = 'btse') {
  const clock = { ms: 0 };
  const counted: Limited[] = [];
  const limits = new RateLimiter(limitsOf(input), {
    elapsedMs: () => clock.ms,
    onLimited: (limited) => counted.push(limited),
  });
  const answer = (act: () => void): string => {
    try {
      act();
      return 'taken';
    } catch (error) {
      const { reason, retryAfterSeconds } = error as { reason: string; retryAfterSeconds: number };
      if (reason !== 'rateLimited') throw error;
      return `${counted.at(-1)?.of} for ${retryAfterSeconds} s`;
    }
  };
  return {
    clock,
    counted,
    order: (key = 'a', account = 0) => answer(() => limits.countSigned('orders', key, account)),
    query: (key = 'a', account = 0) => answer(() => limits.countSigned('queries', key, account)),
    wallet: (key = 'a', account = 0) => answer(() => limits.countSigned('wallet', key, account)),
    open: (address = '1.2.3.4') => answer(() => limits.countPublic('public', address)),
    market: (address = '1.2.3.4') => answer(() => limits.countPublic('market', address)),
  };
}

function times(count: number, act: () => string): string[] {
  return [...new Set(Array.from({ length: count }, act))];
}

describe('the numbers of BTSE', () => {
  const rows: [what: string, count: number, send: (of: ReturnType<typeof limiter>, i: number) => string, by: string][] =
    [
      ['75 orders a second of a key', 75, ({ order }) => order(), 'key'],
      ['75 orders a second of an account with two keys', 75, ({ order }, i) => order(i % 2 ? 'a' : 'b'), 'account'],
      ['15 queries a second of a key', 15, ({ query }) => query(), 'key'],
      ['30 queries a second of an account with three keys', 30, ({ query }, i) => query('abc'[i % 3]), 'account'],
      ['5 wallet requests a second of an account', 5, ({ wallet }, i) => wallet(i % 2 ? 'a' : 'b'), 'account'],
      ['15 public queries a second of an address', 15, ({ open }) => open(), 'address'],
      ['50 queries of market v1 in two seconds of an address', 50, ({ market }) => market(), 'address'],
    ];
  for (const [what, count, send, by] of rows) {
    test(`${what} are taken, the next one blocks the ${by} for a second`, () => {
      const of = limiter();
      for (let i = 0; i < count; i++) assert.equal(send(of, i), 'taken', `request ${i + 1}`);
      assert.equal(send(of, count), `${by} for 1 s`);
      of.clock.ms += 999;
      assert.equal(send(of, count), `${by} for 1 s`);
      of.clock.ms += 1;
      assert.equal(send(of, count), 'taken');
    });
  }

  test('orders, queries, wallet and public requests have their own limits and blocks', () => {
    const of = limiter();
    times(16, of.query);
    assert.equal(of.query(), 'key for 1 s');
    assert.deepEqual([of.order(), of.wallet(), of.open(), of.market()], Array(4).fill('taken'));
  });

  test('a neighbour goes on: another key of another account, another address', () => {
    const of = limiter();
    times(76, of.order);
    times(16, of.open);
    assert.deepEqual([of.order(), of.order('b', 1)], ['key for 1 s', 'taken']);
    assert.deepEqual([of.open(), of.open('1.2.3.5')], ['address for 1 s', 'taken']);
  });

  test('a host has a whole /64 of IPv6, and so one limit', () => {
    const of = limiter();
    for (let i = 0; i < 15; i++) of.open(`2001:db8::${i + 1}`);
    assert.equal(of.open('2001:db8::ffff'), 'address for 1 s');
    assert.equal(of.open('2001:db8:0:1::1'), 'taken');
  });

  test('a client that keeps to the rate is never refused, evenly or in bursts', () => {
    const of = limiter();
    for (let i = 0; i < 1000; i++) {
      assert.equal(of.query(), 'taken');
      of.clock.ms += 1000 / 15;
    }
    for (let i = 0; i < 100; i++) {
      of.clock.ms += 1000;
      assert.deepEqual(times(15, of.query), ['taken']);
    }
  });

  test('what one bucket refuses is not taken from the other', () => {
    const of = limiter({ queriesPerSecond: 1, queriesPerSecondOfAccount: 2 });
    assert.deepEqual([of.query('a'), of.query('a'), of.query('a')], ['taken', 'key for 1 s', 'key for 1 s']);
    assert.equal(of.query('b'), 'taken');
    assert.equal(of.query('c'), 'account for 1 s');
  });
});

describe('blocks', () => {
  /** A breach now, with the block that follows. */
  const breach = (of: ReturnType<typeof limiter>) => times(76, of.order).at(-1);

  test('grow: one second, five minutes, fifteen minutes, and then the first again', () => {
    const of = limiter();
    for (const seconds of [1, 300, 900, 1, 300]) {
      assert.equal(breach(of), `key for ${seconds} s`);
      of.clock.ms += seconds * 1000;
    }
    assert.deepEqual(
      of.counted.map(({ kind, of, blockSeconds }) => `${kind} ${of} ${blockSeconds}`),
      [1, 300, 900, 1, 300].map((seconds) => `orders key ${seconds}`),
    );
  });

  test('are not prolonged by requests during them', () => {
    const of = limiter();
    breach(of);
    of.clock.ms += 1000;
    breach(of);
    for (let left = 300; left > 0; left--) {
      assert.deepEqual(times(100, of.order), [`key for ${left} s`]);
      of.clock.ms += 1000;
    }
    assert.equal(of.order(), 'taken');
  });

  test('begin again with the first after an hour without a breach, not before', () => {
    for (const [ms, seconds] of [
      [HOUR_MS, 1],
      [HOUR_MS - 1, 300],
    ] as const) {
      const of = limiter();
      breach(of);
      of.clock.ms += ms;
      assert.equal(breach(of), `key for ${seconds} s`);
    }
  });

  test('the hour begins with the last breach', () => {
    const of = limiter();
    breach(of);
    of.clock.ms += HOUR_MS / 2;
    assert.equal(breach(of), 'key for 300 s');
    of.clock.ms += HOUR_MS / 2;
    assert.equal(breach(of), 'key for 900 s');
  });

  test('have the durations of the configuration', () => {
    const of = limiter({ ordersPerSecond: 1, blockSeconds: [2, 3] });
    for (const seconds of [2, 3, 2]) {
      of.order();
      assert.equal(of.order(), `key for ${seconds} s`);
      of.clock.ms += seconds * 1000;
    }
  });

  test('are remembered when many other addresses come, and those are forgotten', () => {
    const of = limiter();
    assert.equal(times(16, of.open).at(-1), 'address for 1 s');
    of.clock.ms += 1000;
    for (let i = 0; i < 60_000; i++) {
      of.open(`10.0.${i >> 8}.${i & 255}`);
      // Those that came before are full again.
      if (i === 30_000) of.clock.ms += 1000;
    }
    assert.equal(times(16, of.open).at(-1), 'address for 300 s');
  });

  test('any sequence of requests: at most the burst and the refill are taken, and none during a block', () => {
    const steps = fc.array(
      fc.record({ waitMs: fc.integer({ min: 0, max: 400_000 }), count: fc.integer({ min: 1, max: 40 }) }),
      {
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(steps, (sequence) => {
        const of = limiter({ queriesPerSecond: 10 });
        let [tokens, atMs, untilMs, blocks, breachedAtMs] = [10, 0, 0, 0, 0];
        for (const { waitMs, count } of sequence) {
          of.clock.ms += waitMs;
          const nowMs = of.clock.ms;
          for (let i = 0; i < count; i++) {
            tokens = Math.min(10, tokens + (nowMs - atMs) / 100);
            atMs = nowMs;
            let expected = 'taken';
            if (nowMs >= untilMs && tokens >= 1) tokens -= 1;
            else {
              if (nowMs >= untilMs) {
                if (blocks === 3 || nowMs - breachedAtMs >= HOUR_MS) blocks = 0;
                [untilMs, breachedAtMs] = [nowMs + [1, 300, 900][blocks] * 1000, nowMs];
                blocks += 1;
              }
              expected = `key for ${Math.ceil((untilMs - nowMs) / 1000)} s`;
            }
            assert.equal(of.query(), expected);
          }
        }
      }),
    );
  });
});

describe('the configuration', () => {
  const rate = (count: number) => ({ burst: count, perSecond: count });

  test('is off by default, and off', () => {
    assert.equal(readConfiguration({}).rateLimits, 'off');
    assert.equal(readConfiguration({ rateLimits: 'off' }).rateLimits, 'off');
  });

  test('btse has the numbers of BTSE, and so has an object without numbers', () => {
    const btse = {
      orders: { key: rate(75), account: rate(75) },
      queries: { key: rate(15), account: rate(30) },
      wallet: rate(5),
      publicQueries: rate(15),
      market: { burst: 50, perSecond: 25 },
      blockSeconds: [1, 300, 900],
      streamsPerAddress: 50,
    };
    assert.deepEqual(limitsOf('btse'), btse);
    assert.deepEqual(limitsOf({}), btse);
  });

  test('a number for a key gives those of the account and of the address', () => {
    const { orders, queries, publicQueries } = limitsOf({ ordersPerSecond: 200, queriesPerSecond: 40 });
    assert.deepEqual([orders.account, queries.account, publicQueries], [rate(200), rate(80), rate(40)]);
  });

  const refused: [value: unknown, problem: RegExp][] = [
    ['on', /^rateLimits must be "off", "btse", or an object with ordersPerSecond, ordersPerSecondOfAccount, /],
    [null, /^rateLimits must be "off"/],
    [[], /^rateLimits must be "off"/],
    [{ walletPerMinute: 1 }, /^rateLimits\.walletPerMinute is not known; known: ordersPerSecond, .*, walletPerSecond/],
    [{ ordersPerSecond: 0 }, /^rateLimits\.ordersPerSecond must be a whole number from 1 to 1000000, not 0/],
    [{ queriesPerSecond: 1.5 }, /^rateLimits\.queriesPerSecond must be a whole number/],
    [{ walletPerSecond: '5' }, /^rateLimits\.walletPerSecond must be a whole number/],
    [{ marketPerTwoSeconds: -1 }, /^rateLimits\.marketPerTwoSeconds must be a whole number/],
    [{ blockSeconds: 1 }, /^rateLimits\.blockSeconds must be a list of seconds/],
    [{ blockSeconds: [] }, /^rateLimits\.blockSeconds must have 1 to 10 durations in seconds, not 0/],
    [{ blockSeconds: [1, 0] }, /^rateLimits\.blockSeconds\[1\] must be a whole number from 1 to 86400, not 0/],
  ];
  for (const [value, problem] of refused) {
    test(`${JSON.stringify(value)} is refused by path`, () => {
      assert.throws(
        () => readConfiguration({ rateLimits: value }),
        (error: ConfigurationError) => {
          assert.ok(error instanceof ConfigurationError);
          assert.equal(error.problems.length, 1);
          assert.match(`${error.problems[0].path} ${error.problems[0].message}`, problem);
          return true;
        },
      );
    });
  }
});

test('what counts as what, route by route', () => {
  const kinds = new Map<string, string[]>();
  for (const surface of SURFACES.filter(({ newer }) => newer === undefined)) {
    for (const route of surface.routes) {
      const kind = rateKindOf(surface, route);
      if (kind === 'queries') assert.equal(route.method, 'GET', route.path);
      kinds.set(kind, [...(kinds.get(kind) ?? []), `${route.method} ${surface.basePath}${route.path}`]);
    }
  }
  const has = (kind: string, route: string) => assert.ok(kinds.get(kind)?.includes(route), `${kind}: ${route}`);
  has('orders', 'POST /spot/api/v4/trade/orders');
  has('orders', 'DELETE /spot/api/v4/trade/orders/all');
  has('orders', 'DELETE /futures/api/v3/trade/positions');
  has('orders', 'POST /futures/api/v2.3/leverage');
  has('queries', 'GET /spot/api/v4/trade/order');
  has('queries', 'GET /futures/api/v2.3/user/wallet');
  has('wallet', 'GET /spot/api/v3.3/user/wallet');
  has('wallet', 'GET /public-api/wallet/v1/user/assets');
  has('public', 'GET /spot/api/v3.3/time');
  has('market', 'GET /public-api/market/v1/orderbook');
});

describe('over HTTP', () => {
  const clock = { ms: 0 };
  const counted: Limited[] = [];
  let gateway: Gateway;
  let url: string;
  let alice: Client;
  let bob: Client;
  let resting: Json;
  const ORDERS = '/spot/api/v4/trade/orders';
  const order = { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 1, orderPrice: 95 };

  before(async () => {
    const keyring = new Keyring();
    const account = (name: string) => ({
      name,
      balances: { USDT: '100000' },
      keys: [{ key: `${name}-key`, secret: `${name}-secret`, permissions: ['read', 'trading'] as const }],
    });
    const configuration = readConfiguration({
      accounts: [account('alice'), account('bob')],
      rateLimits: { ordersPerSecond: 2, queriesPerSecond: 2, marketPerTwoSeconds: 2, walletPerSecond: 1 },
    });
    const engine = await startEngine({
      configuration,
      seed: 1,
      clock: 'manual',
      secrets: { seal: (secret) => keyring.seal(secret), open: (sealed) => keyring.open(sealed) },
    });
    const startedAtMs = Date.now();
    ({ gateway, url } = await listenOver(engine, {
      keyring,
      rateLimits: configuration.rateLimits,
      trustedProxies: ['127.0.0.1'],
      world: { ...realWorld, wallMs: () => startedAtMs, monotonicMs: () => clock.ms },
      onRateLimited: (limited) => counted.push(limited),
    }));
    alice = new Client(url, { key: 'alice-key', secret: 'alice-secret' });
    bob = new Client(url, { key: 'bob-key', secret: 'bob-secret' });
    await engine.submit({ v: 1, type: 'setPrices', market: 0, index: 1_000_000, byHand: true });
    [resting] = (await alice.spot(order)).body;
  });
  after(() => gateway.close());
  beforeEach(() => {
    clock.ms += 2 * HOUR_MS;
  });

  function refused(reply: Reply, text: RegExp, seconds: number): void {
    const { status, body, headers } = reply;
    assert.deepEqual([status, body.errorCode ?? body.code], [429, 303], JSON.stringify(body));
    assert.match(body.message ?? body.msg, text);
    assert.equal(headers.get('retry-after'), String(seconds));
  }

  test('the third order gets 429 with 303 and Retry-After in seconds, and does not reach the venue', async () => {
    for (let i = 0; i < 2; i++) assert.equal((await alice.spot(order)).status, 200);
    const text = /^Rate limit exceeded: more than 2 orders and cancels of this key a second, try again in 1 s$/;
    refused(await alice.spot(order), text, 1);
    refused(await alice.cancelSpot(resting.orderId), text, 1);
    assert.equal((await alice.lookup(resting.orderId)).status, 200);
    assert.equal((await bob.spot(order)).status, 200);
    assert.deepEqual(counted.at(-1), { kind: 'orders', of: 'key', blockSeconds: 1 });
    clock.ms += 1000;
    assert.equal((await alice.cancelSpot(resting.orderId)).status, 200);
  });

  test('cancels count as orders', async () => {
    for (let i = 0; i < 2; i++) assert.equal((await alice.cancelSpot('0'.repeat(36))).status, 400);
    refused(await alice.cancelSpot('0'.repeat(36)), /orders and cancels/, 1);
  });

  test('futures answer with 303 in their envelope', async () => {
    for (let i = 0; i < 2; i++) assert.equal((await alice.positions()).status, 200);
    refused(await alice.positions(), /more than 2 queries of this key a second, try again in 1 s/, 1);
    clock.ms += 1000;
    for (let i = 0; i < 2; i++) assert.equal((await alice.positions()).status, 200);
    refused(await alice.positions(), /try again in 300 s/, 300);
  });

  test('public routes count by the address of the client behind the proxy', async () => {
    const get = (from: string) =>
      fetch(`${url}/public-api/market/v1/markets`, { headers: { 'x-forwarded-for': from } }).then(
        ({ status }) => status,
      );
    assert.deepEqual([await get('10.0.0.1'), await get('10.0.0.1'), await get('10.0.0.1')], [200, 200, 429]);
    assert.equal(await get('10.0.0.2'), 200);
    assert.deepEqual(counted.at(-1), { kind: 'market', of: 'address', blockSeconds: 1 });
  });

  test('forged requests count for nobody: the owner of the key trades on', async () => {
    for (let i = 0; i < 5; i++) {
      const headers = credentialHeaders({ key: 'alice-key', secret: 'guessed' }, ORDERS);
      assert.equal((await fetch(url + ORDERS, { headers })).status, 401);
    }
    assert.equal((await alice.spotOrders()).status, 200);
  });
});

test('startVenue takes limits, the metrics count what they refuse, and the control surface has none', async () => {
  await using venue = await startVenue({ rateLimits: { publicPerSecond: 1, blockSeconds: [600] } });
  const get = () => fetch(`${venue.url}/spot/api/v3.3/time`).then(({ status }) => status);
  assert.deepEqual([await get(), await get(), await get()], [200, 429, 429]);
  const headers = { authorization: `Bearer ${venue.controlToken}` };
  for (let i = 0; i < 20; i++)
    assert.equal((await fetch(`${venue.control}/control/v1/state`, { headers })).status, 200);
  const text = await (await fetch(`${venue.control}/control/v1/metrics`, { headers })).text();
  assert.match(text, /^bourse_rate_limited_total\{kind="public",of="address",block_seconds="600"\} 2$/m);
});

test('logins to streams count as queries of the key, wherever they come from', async () => {
  const key = { key: 'alice-key', secret: 'alice-secret', permissions: ['read' as const] };
  await using venue = await startVenue({
    accounts: [{ name: 'alice', keys: [key] }],
    rateLimits: { queriesPerSecond: 2, blockSeconds: [600] },
  });
  const login = async (path: string) => {
    const client = await StreamClient.open(venue.url, path);
    const { success, message } = await client.login(key, nextNonce());
    client.close();
    return success === true ? 'taken' : message;
  };
  assert.deepEqual([await login('/ws/spot'), await login('/ws/futures')], ['taken', 'taken']);
  assert.match(await login('/ws/spot'), /more than 2 queries of this key a second, try again in 600 s/);
  assert.equal((await new Client(venue.url, key).positions()).status, 429);
});

test('an address has so many streams, and another once one is closed; with the limits off it has any number', async () => {
  const open = async (url: string) => {
    const ws = new WebSocket(`${url.replace('http', 'ws')}/ws/spot`);
    const opened = Promise.withResolvers<string>();
    ws.on('open', () => opened.resolve('open'));
    ws.on('unexpected-response', (_, response) => opened.resolve(`refused with ${response.statusCode}`));
    ws.on('error', () => {});
    return { ws, state: await opened.promise };
  };
  {
    await using venue = await startVenue({ rateLimits: { streamsPerAddress: 2 } });
    const [one, other] = [await open(venue.url), await open(venue.url)];
    assert.deepEqual([one.state, other.state], ['open', 'open']);
    assert.equal((await open(venue.url)).state, 'refused with 429');
    one.ws.terminate();
    // The server sees the end of a connection in its own time.
    let state = 'none';
    while (state !== 'open') state = (await open(venue.url)).state;
    assert.equal((await open(venue.url)).state, 'refused with 429');
  }
  await using venue = await startVenue();
  for (let i = 0; i < 60; i++) assert.equal((await open(venue.url)).state, 'open');
});
