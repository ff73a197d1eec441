/** `bourse sandbox`, as a test in another language uses it, and `bourse demo`. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { test } from 'node:test';
import { ControlClient } from '../../src/client/control.ts';
import { BourseClient } from '../../src/index.ts';
import { type BegunProcess, Place, stop } from './support.ts';

interface SandboxReady {
  readonly event: 'ready';
  readonly url: string;
  readonly control: string;
  readonly controlToken: string;
  readonly keys: readonly { readonly account: string; readonly key: string; readonly secret: string }[];
}

/** Its first line; rejects with what it said when it ends instead. */
async function ready({ lines, end }: BegunProcess): Promise<SandboxReady> {
  const line = await Promise.race([lines.next(), end.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  return JSON.parse(line.value);
}

test('a sandbox is a venue of startVenue, driven by its control surface, and ends with its standard input', async () => {
  await using place = new Place();
  const sandbox = place.begin(['sandbox', '{"accounts": [{"name": "bot", "balances": {"USDT": 100000}}]}']);
  const { url, control, controlToken, keys } = await ready(sandbox);
  assert.deepEqual(
    keys.map(({ account }) => account),
    ['bot'],
  );
  using bot = new BourseClient({ url, ...keys[0] });
  const venue = new ControlClient({ url: control, token: controlToken });
  await venue.setPrices('BTC-USDT', { index: 60_000 });
  const order = { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderSize: 1, orderPrice: 59_000 } as const;
  await bot.placeSpotOrder(order);
  assert.equal(await venue.advance('1h'), Date.parse('2026-01-01T01:00:00Z'));
  assert.equal((await venue.openOrders('bot')).orders.length, 1);
  sandbox.child.stdin?.end();
  const { code, stderr } = await sandbox.end;
  assert.deepEqual([code, stderr], [0, 'bourse: standard input ended: the sandbox ends\n']);
  assert.ok(!existsSync(place.masterKey) && !existsSync(place.data), 'it wrote something');
});

test('without options it has one account with money, and the same seed gives the same keys and state', async () => {
  await using place = new Place();
  const seen = [];
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const sandbox = place.begin(['sandbox']);
    const { control, controlToken, keys } = await ready(sandbox);
    const { hash } = await new ControlClient({ url: control, token: controlToken }).state();
    seen.push({ keys, hash });
    assert.equal((await stop(sandbox, signal)).code, 0);
  }
  assert.deepEqual(seen[0], seen[1]);
  assert.equal(seen[0].keys[0].account, 'test');
});

test('wrong options are refused in words, all at once', async () => {
  await using place = new Place();
  for (const [options, said] of [
    [
      '{"clok": 1, "accounts": [{"name": "x y"}]}',
      /clok is not known; did you mean clock\?\n.*accounts\[0\]\.name must/,
    ],
    ['[1]', /give a JSON object, such as '{"clock": "manual"}'/],
    ['{', /it is not JSON/],
  ] as const) {
    const { code, stdout, stderr } = await place.run(['sandbox', options]);
    assert.deepEqual([code, stdout], [1, ''], options);
    assert.match(stderr, /^bourse: /);
    assert.match(stderr, said);
  }
});

test('a demo in an empty folder keeps its data in bourse-data, where the other commands find it', async () => {
  await using place = new Place();
  // A folder of the project's, which is none of the demo's business.
  mkdirSync(place.data);
  const demo = place.begin(['demo', '--port', '0', '--control-port', '0', '--max-queue-ms', 'off']);
  const line = await Promise.race([demo.lines.next(), demo.end]);
  assert.ok('value' in line, JSON.stringify(line));
  const { http, control } = JSON.parse(line.value);
  const addresses = { BOURSE_URL: http, BOURSE_CONTROL_URL: control };
  const order = ['order', '--symbol', 'BTC-USDT', '--side', 'buy', '--type', 'market', '--quote-size', '100'];
  const placed = await place.run(order, addresses);
  assert.equal(placed.code, 0, placed.stderr);
  const listed = await place.run(['accounts'], addresses);
  assert.equal(listed.code, 0, listed.stderr);
  assert.match(listed.stdout, /"demo-2"/);
  const { stderr } = await stop(demo);
  assert.match(stderr, /^ {2}data {6}bourse-data {3}\(the next start continues from it/m);
  assert.ok(existsSync(place.path('bourse-data/bourse.json')));
});
