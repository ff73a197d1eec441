import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { BourseClient, ControlClient } from '../../src/index.ts';
import { type BegunProcess, Place, type StartedProcess, stop } from './support.ts';

const TOKEN = 'token-of-the-test';
const ALICE = { key: 'alice-key', secret: 'alice-secret' };
const BOB = { key: 'bob-key', secret: 'bob-secret' };
const CONFIGURATION = {
  accounts: Object.entries({ alice: ALICE, bob: BOB }).map(([name, key]) => {
    return { name, balances: { USDT: 100_000, BTC: 10 }, keys: [{ ...key, permissions: ['read', 'trading'] }] };
  }),
};

let place: Place;
let venue: StartedProcess;
let control: ControlClient;
let alice: BourseClient;
let bob: BourseClient;

before(async () => {
  place = new Place();
  const config = place.path('config.json');
  writeFileSync(config, JSON.stringify(CONFIGURATION));
  const clock = ['--clock', 'manual', '--start-time', '2026-01-01T08:00:00Z'];
  venue = await place.start(['--config', config, ...clock, '--control-token', TOKEN]);
  control = new ControlClient({ url: venue.ready.control, token: TOKEN });
  alice = new BourseClient({ url: venue.ready.http, ...ALICE });
  bob = new BourseClient({ url: venue.ready.http, ...BOB });
  for (const market of ['BTC-USDT', 'BTC-PERP']) await control.setPrices(market, { index: 60_000 });
});
after(async () => {
  await stop(venue);
  await place[Symbol.asyncDispose]();
});

const publicOnly = () => ({ BOURSE_URL: venue.ready.http });
const asAlice = () => ({ ...publicOnly(), BOURSE_KEY: ALICE.key, BOURSE_SECRET: ALICE.secret });

type Side = 'BUY' | 'SELL';

function perpetual(client: BourseClient, side: Side, size: number, price: number, clOrderID: string) {
  return client.placeFuturesOrder({ symbol: 'BTC-PERP', side, type: 'LIMIT', size, price, clOrderID });
}

function spot(client: BourseClient, orderSide: Side, orderSize: number, orderPrice: number, clOrderId: string) {
  return client.placeSpotOrder({
    symbol: 'BTC-USDT',
    orderSide,
    orderType: 'LIMIT',
    orderSize,
    orderPrice,
    clOrderId,
  });
}

/** Reads lines until all of these have come, in whatever order: the book has a socket of its own. All that were read. */
async function until({ lines }: BegunProcess, ...wanted: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  while (!wanted.every((line) => found.includes(line))) {
    const { value, done } = await lines.next();
    assert.ok(!done, `it ended after ${found.join('; ')}`);
    // Without the time, and the id of an order.
    found.push(value.replace(/^2026-01-01T\d\d:\d\d:\d\d\.\d{3}Z /, '').replace(/ [0-9a-f-]{36}$/, ''));
  }
  return found;
}

async function message({ messages }: BegunProcess): Promise<string> {
  return (await messages.next()).value;
}

test('the screen of a perpetual shows book, trades, own position and orders in 80 columns and 24 lines', async () => {
  for (const [i, size] of [1200, 400, 2000].entries()) {
    await perpetual(bob, 'SELL', size, 60_010 + 5 * i, `ask-${i}`);
    await perpetual(bob, 'BUY', size, 59_990 - 5 * i, `bid-${i}`);
  }
  await perpetual(alice, 'BUY', 500, 60_010, 'taken');
  await control.advance('90s');
  await perpetual(alice, 'SELL', 100, 59_990, 'back');
  await perpetual(alice, 'BUY', 300, 59_985, 'resting');
  const { code, stdout, stderr } = await place.run(['watch', 'btc-perp', '--once'], asAlice());
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(
    stdout,
    `BTC-PERP  59,990.0                                                  08:01:30 UTC

        price     contracts              trades               price         size
                                         08:01:30  SELL    59,990.0          100
                                         08:00:00  BUY     60,010.0          500
     60,020.0          2000 ██████████
     60,015.0           400 ██
     60,010.0           700 ████
         20.0 spread
     59,990.0          1100 ██████
*    59,985.0           700 ████
     59,980.0          2000 ██████████



position                contracts          entry    liquidation         result
LONG                          400       60,010.0           none     -0.08 USDT

order           size      filled  price                 status         id
BUY              300           0  59,985.0              open           resting
`,
  );
});

test('plain lines say what happens to the book and to own orders', async () => {
  await spot(alice, 'BUY', 0.5, 59_000, 'mine');
  const watching = place.begin(['watch', 'BTC-USDT'], asAlice());
  await until(
    watching,
    'book bid 59000.0 x 0.50000 ask none',
    'order BUY 0.50000 at 59000.0 open, 0.00000 filled, mine',
  );
  await spot(bob, 'SELL', 0.2, 59_000, 'taker');
  await until(
    watching,
    'book bid 59000.0 x 0.30000 ask none',
    'order BUY 0.50000 at 59000.0 partly filled, 0.20000 filled, mine',
    'trade SELL 0.20000 at 59000.0',
  );
  await alice.cancelSpotOrder('BTC-USDT', { clOrderId: 'mine' });
  await until(watching, 'book bid none ask none', 'order BUY 0.50000 at 59000.0 cancelled, 0.20000 filled, mine');
  await alice.placeAlgoOrder({
    symbol: 'BTC-USDT',
    orderSide: 'SELL',
    orderType: 'CONDITIONAL',
    triggerOrderType: 'STOP_LOSS',
    orderSize: 0.1,
    triggerPrice: 58_000,
    triggerPriceType: 'LAST_PRICE',
    clOrderId: 'stop',
  });
  await until(watching, 'order SELL 0.10000 at market from 58000.0 waiting, 0.00000 filled, stop');
  assert.deepEqual(await stop(watching).then(({ code, stderr }) => [code, stderr]), [0, '']);
});

test('plain lines say what happens to own positions', async () => {
  const watching = place.begin(['watch', 'BTC-PERP'], asAlice());
  await until(watching, 'position LONG 400 from 60010.0, BTC-PERP-USDT');
  await perpetual(alice, 'SELL', 400, 59_985, 'close');
  await until(watching, 'position BTC-PERP-USDT closed', 'order SELL 400 at 59985.0 filled, 400 filled, close');
  await stop(watching);
});

test('a lost connection is opened again with a sentence, and no trade is shown twice', async () => {
  await spot(bob, 'BUY', 1, 59_500, 'wall');
  const watching = place.begin(['watch', 'BTC-USDT'], asAlice());
  const shown = await until(watching, 'book bid 59500.0 x 1.00000 ask none', 'trade SELL 0.20000 at 59000.0');
  await control.armFault({ closeStreams: true });
  const { http } = venue.ready;
  assert.equal(
    await message(watching),
    `bourse: the connection to ${http} ended (1006): trying again until it answers`,
  );
  assert.equal(await message(watching), 'bourse: connected again');
  await spot(alice, 'SELL', 0.3, 59_500, 'after');
  const further = await until(
    watching,
    'book bid 59500.0 x 0.70000 ask none',
    'order SELL 0.30000 at 59500.0 filled, 0.30000 filled, after',
    'trade SELL 0.30000 at 59500.0',
  );
  const trades = [...shown, ...further].filter((line) => line.startsWith('trade '));
  assert.deepEqual(trades, ['trade SELL 0.20000 at 59000.0', 'trade SELL 0.30000 at 59500.0']);
  await control.armFault({ gapBook: true });
  await spot(bob, 'SELL', 1, 59_700, 'top');
  assert.equal(await message(watching), 'bourse: a frame of the book was missing: it was subscribed again');
  await until(watching, 'book bid 59500.0 x 0.70000 ask 59700.0 x 1.00000');
  await stop(watching);
});

test('a venue that is reset is shown as it is then', async () => {
  const watching = place.begin(['watch', 'BTC-USDT'], asAlice());
  await until(watching, 'book bid 59500.0 x 0.70000 ask 59700.0 x 1.00000', 'trade SELL 0.30000 at 59500.0');
  await control.reset();
  assert.equal(await message(watching), 'bourse: the venue was reset, or returned to a snapshot');
  await until(watching, 'book bid none ask none');
  await control.setPrices('BTC-USDT', { index: 60_000 });
  await spot(bob, 'BUY', 1, 59_500, 'first');
  await spot(alice, 'SELL', 1, 59_500, 'second');
  await until(watching, 'trade SELL 1.00000 at 59500.0');
  await stop(watching);
});

test('without a key, or with a refused one, everything else is shown', async () => {
  const without = await place.run(['watch', 'BTC-USDT', '--once'], publicOnly());
  assert.equal(without.code, 0);
  assert.match(without.stderr, /^bourse: own orders are not shown: give --key and --secret/);
  assert.match(without.stdout, /own orders and positions need a key/);
  const refused = await place.run(
    ['watch', 'BTC-USDT', '--once', '--key', 'alice-key', '--secret', 'wrong'],
    publicOnly(),
  );
  assert.equal(refused.code, 0);
  assert.match(refused.stderr, /^bourse: own orders are not shown: notificationApiV3: the login was refused: /);
  const half = await place.run(['watch', 'BTC-USDT', '--key', 'alice-key'], publicOnly());
  assert.deepEqual([half.code, half.stdout], [1, '']);
  assert.match(half.stderr, /^bourse: give both --key and --secret/);
});

test('a signal ends it also while it waits for the answer of a venue', async () => {
  // It takes requests and never answers.
  await using silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const watching = place.begin(['watch', 'BTC-USDT', '--url', `http://127.0.0.1:${port}`]);
    await once(silent, 'request');
    const { stdout, stderr } = await stop(watching, signal);
    assert.deepEqual([watching.child.signalCode, stdout, stderr], [signal, '', '']);
  }
});

test('a signal ends it also when the venue hangs', async () => {
  const watching = place.begin(['watch', 'BTC-USDT'], asAlice());
  await watching.lines.next();
  venue.child.kill('SIGSTOP');
  const { code, stderr } = await stop(watching);
  venue.child.kill('SIGCONT');
  assert.deepEqual([code, stderr], [0, '']);
});

test('an unknown market and an unreachable venue end with a sentence', async () => {
  const unknown = await place.run(['watch', 'BTC-EUR'], publicOnly());
  assert.deepEqual(
    [unknown.code, unknown.stdout, unknown.stderr],
    [1, '', 'bourse: there is no market BTC-EUR: there are BTC-USDT, ETH-USDT, BTC-PERP, ETH-PERP\n'],
  );
  const nobody = 'http://127.0.0.1:9';
  const unreached = await place.run(['watch', 'BTC-USDT', '--url', nobody]);
  assert.equal(unreached.code, 1);
  assert.match(unreached.stderr, /^bourse: http:\/\/127\.0\.0\.1:9 cannot be called|^bourse: no venue answers at/);
  const control = await place.run(['watch', 'BTC-USDT', '--url', venue.ready.control]);
  assert.equal(control.code, 1);
  assert.match(control.stderr, /^bourse: http.*answered 40[14]/);
  const help = await place.run(['watch', '--help']);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /watch \[options\] <market>[\s\S]*BOURSE_KEY[\s\S]*--once[\s\S]*Ctrl-C/);
});
