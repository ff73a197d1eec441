/**
 * The control surface in docs/openapi.json: every route is in it, takes what it says, and each of its examples is
 * answered. `control()` checks every reply of the tests against it.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Compile } from 'typebox/schema';
import document from '../../docs/openapi.json' with { type: 'json' };
import type { ControlExample, ControlRoute } from '../../src/api/control/context.ts';
import { PATH_PARAMETERS } from '../../src/api/control/openapi.ts';
import { ROUTES } from '../../src/api/control/routes.ts';
import { BourseClient, startVenue } from '../../src/index.ts';
import { control } from './support.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into freely
const paths: Record<string, any> = document.paths;

const REQUESTS = ROUTES.filter(({ upgrades }) => upgrades !== true);

/** What a running market refuses by name: its terms are in the document of `POST /markets`. */
const FIXED = ['symbol', 'kind', 'base', 'quote', 'tick', 'maxPrice', 'step', 'contractSize'];

/** Orders of every kind, so that replies have every field. */
const ORDERS = [
  { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'TWAP', orderSize: 0.01, timePeriod: 600 },
  { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'PEG', orderSize: 0.01, orderPrice: 59_500, stealth: 20 },
  { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'MARKET', quoteOrderSize: 100 },
  { symbol: 'BTC-PERP', side: 'BUY', type: 'MARKET', size: 100, takeProfitPrice: 66_000, stopLossPrice: 58_000 },
  { symbol: 'BTC-PERP', side: 'SELL', type: 'OCO', size: 10, price: 62_000, triggerPrice: 58_500, stopPrice: 58_400 },
  { symbol: 'BTC-PERP', side: 'SELL', type: 'MARKET', size: 10, trailValue: 300 },
];

/** The venue that the examples are sent to: alice has a key, money, a position, and an order `my-first` that rests. */
async function venueOfExamples({ method, path }: ControlRoute, example: ControlExample, folder: string) {
  const isReal = example.body !== undefined && ('speed' in example.body || 'acceptWall' in example.body);
  const isKept = path === '/snapshot' || path === '/log/archive';
  const house = path.endsWith('/trades') || (method === 'PUT' && path.endsWith('/book'));
  const key = { key: 'alice-key', secret: 'alice-secret' };
  const venue = await startVenue({
    house,
    ...(isReal && { clock: 'real' }),
    ...(isKept && { data: join(folder, path.replaceAll('/', '-')) }),
    accounts: [
      {
        name: 'alice',
        balances: { USDT: 100_000, BTC: 1 },
        keys: [{ ...key, permissions: ['read', 'trading'] }],
        fees: { 'BTC-USDT': { maker: 0, taker: 0.0001 } },
      },
      { name: 'maker', balances: { USDT: 100_000, BTC: 1 } },
    ],
  });
  for (const symbol of ['BTC-USDT', 'BTC-PERP']) await venue.setPrice(symbol, { index: 60_000, last: 60_000 });
  const order = { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 0.01, orderPrice: 59_000 };
  await new BourseClient({ url: venue.url, ...key }).placeSpotOrder({ ...order, clOrderId: 'my-first' } as never);
  const resting = [
    { symbol: 'BTC-USDT', orderSide: 'SELL', orderType: 'LIMIT', orderSize: 1, orderPrice: 60_100 },
    { symbol: 'BTC-PERP', side: 'SELL', type: 'LIMIT', size: 1000, price: 60_010 },
  ];
  for (const body of resting) await accepted(control(venue, 'POST', '/accounts/maker/orders', body));
  for (const body of ORDERS) await accepted(control(venue, 'POST', '/accounts/alice/orders', body));
  await control(venue, 'POST', '/tokens', { name: 'harness', scope: 'test' });
  if (!isReal) await control(venue, 'POST', '/snapshots/base');
  if (path.endsWith('/delist')) await control(venue, 'POST', '/markets/BTC-PERP/halt');
  if (method === 'POST' && path === '/log/archive') mkdirSync(join(folder, 'cold'));
  return venue;
}

async function accepted(reply: ReturnType<typeof control>): Promise<void> {
  const { status, text } = await reply;
  assert.equal(status, 200, text);
}

function targetOf({ path }: ControlRoute, { path: given = {}, query = {} }: ControlExample): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => given[name] ?? PATH_PARAMETERS[name].example);
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

test('every route is in it, with the scope that it needs, and nothing else is', () => {
  const documented = Object.entries(paths)
    .filter(([path]) => path.startsWith('/control/'))
    .flatMap(([path, { servers: _, ...methods }]) =>
      Object.entries(methods as Record<string, { 'x-scope': string; security: unknown }>).map(([method, operation]) => {
        assert.deepEqual(operation.security, [{ 'control-token': [] }]);
        return `${method.toUpperCase()} ${path} ${operation['x-scope']}`;
      }),
    );
  const served = ROUTES.map(({ method, path, scope }) => `${method} /control/v1${path} ${scope}`);
  assert.deepEqual(documented.sort(), served.sort());
  for (const path of ['/livez', '/readyz', '/openapi.json', '/asyncapi.json']) {
    assert.deepEqual(paths[path].get.security, []);
  }
});

test('every request with a body has an example', () => {
  const without = ROUTES.filter(({ takes, examples }) => takes?.body !== undefined && examples === undefined);
  assert.deepEqual(
    without.map(({ path }) => path),
    [],
  );
});

test('each example is answered by a venue, and fits the schema of its route', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-examples-'));
  try {
    for (const route of REQUESTS) {
      for (const [what, example] of Object.entries(route.examples ?? { '': {} })) {
        const venue = await venueOfExamples(route, example, folder);
        try {
          const body = example.body && JSON.stringify(example.body).replace('/mnt/cold', join(folder, 'cold'));
          const { status, text } = await control(venue, route.method, targetOf(route, example), body);
          assert.equal(status, 200, `${route.method} ${route.path} ${what}: ${text}`);
        } finally {
          await venue.close();
        }
        if (example.body === undefined) continue;
        const { requestBody } = paths[`/control/v1${route.path}`][route.method.toLowerCase()];
        const { schema, examples } = requestBody.content['application/json'];
        assert.ok(Compile(resolved(schema)).Check(example.body), `${route.path} ${what}`);
        assert.ok(Object.values<{ summary: string }>(examples).some(({ summary }) => summary === what));
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('what a venue with orders, positions, refusals and faults answers is what the document says', async () => {
  await using venue = await venueOfExamples(REQUESTS[0], {}, '');
  await accepted(control(venue, 'POST', '/prices', { symbol: 'BTC-PERP', last: 58_000, mark: 58_000 }));
  await accepted(control(venue, 'POST', '/faults', { match: { path: '/spot/api/v3.3/time' }, status: 503 }));
  await fetch(`${venue.url}/spot/api/v3.3/time`).then((reply) => reply.body?.cancel());
  const tooLarge = { orderSide: 'SELL', orderType: 'LIMIT', orderSize: 50, orderPrice: 61_000 };
  const { status } = await control(venue, 'POST', '/accounts/alice/orders', { symbol: 'BTC-USDT', ...tooLarge });
  assert.equal(status, 400);
  const { fills } = (await control(venue, 'GET', '/accounts/alice/fills')).body;
  const { orders, seq } = (await control(venue, 'GET', '/accounts/alice/orders')).body;
  assert.ok(fills.length > 2 && orders.length > 2, `${fills.length} fills, ${orders.length} orders`);
  const targets = [
    ...[...fills, ...orders].map(({ orderId }) => `/orders/${orderId}`),
    ...['', '?show=orders', '?show=positions', '?show=balances', '?show=account&account=alice'].map(
      (part) => `/at/${seq}${part}`,
    ),
    ...Array.from({ length: seq }, (_, i) => `/log/${i + 1}`),
    ...[
      '/log?from=1&limit=50',
      '/refusals',
      '/refusals/latest',
      '/faults',
      '/accounts/alice',
      '/accounts/alice/ledger',
      '/markets',
    ],
    ...['/markets/summary', '/audit', '/due', '/health'],
  ];
  for (const target of targets) await accepted(control(venue, 'GET', target));
});

test('each route takes the fields that it has in the document, and no other', async () => {
  await using venue = await startVenue();
  const checked: string[] = [];
  for (const route of REQUESTS) {
    const { method, path, takes = {}, takesBytes } = route;
    // A surface checks its own bodies and queries.
    if (takesBytes || (method === 'DELETE' && takes.query !== undefined)) continue;
    const schema = (takes.body ?? takes.query) as { properties: object } | undefined;
    if (schema === undefined) continue;
    const target = targetOf(route, {});
    const unknown = takes.body === undefined ? `${target}?zzzzzz=1` : target;
    const { text } = await control(venue, method, unknown, takes.body && { zzzzzz: 1 });
    const [, known] = /zzzzzz is not known; known: ([^;"]*)/.exec(text) ?? [];
    const taken = known?.split(', ').filter((name) => method !== 'PATCH' || !FIXED.includes(name));
    assert.deepEqual(taken?.sort(), Object.keys(schema.properties).sort(), `${method} ${path}: ${text}`);
    checked.push(path);
  }
  assert.ok(checked.length > 20, `${checked}`);
});

test('both listeners serve the documents of the interface without a token, and to a browser as JSON', async () => {
  await using venue = await startVenue();
  for (const url of [venue.url, venue.control]) {
    for (const [path, version] of [
      ['/openapi.json', 'openapi'],
      ['/asyncapi.json', 'asyncapi'],
    ]) {
      const response = await fetch(url + path);
      assert.equal(response.status, 200, url + path);
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
      const served = (await response.json()) as Record<string, unknown>;
      assert.equal(typeof served[version], 'string');
      if (path === '/openapi.json') assert.deepEqual(served, document);
      const head = await fetch(url + path, { method: 'HEAD' });
      assert.deepEqual([head.status, await head.text()], [200, ''], url + path);
      const other = await fetch(url + path, { method: 'POST' });
      assert.ok(other.status >= 400 && other.status < 500, `${url}${path}: ${other.status}`);
      await other.body?.cancel();
    }
  }
});

// biome-ignore lint/suspicious/noExplicitAny: a schema is looked into freely
function resolved(schema: any): any {
  if (Array.isArray(schema)) return schema.map(resolved);
  if (schema === null || typeof schema !== 'object') return schema;
  if (schema.$ref !== undefined) {
    return resolved((document.components.schemas as Record<string, unknown>)[schema.$ref.split('/').pop()]);
  }
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, resolved(value)]));
}
