import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ControlClient, startVenue, type TestVenue } from '../../src/index.ts';
import { RULES_VERSION } from '../../src/venue/venue.ts';
import { Place } from './support.ts';

let venue: TestVenue;
let place: Place;
before(async () => {
  place = new Place();
  venue = await startVenue();
  await venue.setPrice('BTC-USDT', 100);
  await venue.setPrice('BTC-PERP', 100);
});
after(async () => {
  await venue.close();
  await place[Symbol.asyncDispose]();
});

const environment = () => ({ BOURSE_URL: venue.url, BOURSE_KEY: venue.key.key, BOURSE_SECRET: venue.key.secret });
async function run(...args: string[]) {
  const { code, stdout, stderr } = await place.run(args, environment());
  return { code, stderr, reply: stdout === '' ? null : JSON.parse(stdout) };
}

test('a spot order is placed, looked up and cancelled', async () => {
  const placed = await run(
    'order',
    '--symbol',
    'BTC-USDT',
    '--side',
    'buy',
    '--size',
    '0.5',
    '--price',
    '99',
    '--client-id',
    'mine',
    '--post-only',
  );
  assert.equal(placed.code, 0, placed.stderr);
  const [{ orderId, status, orderPrice, postOnly }] = placed.reply;
  assert.deepEqual([status, orderPrice, postOnly], [2, 99, true]);
  assert.equal((await run('lookup', '--client-id', 'mine')).reply.orderId, orderId);
  const cancelled = await run('cancel', '--order-id', orderId);
  assert.deepEqual([cancelled.code, cancelled.reply[0].status], [0, 6]);
  const gone = await run('lookup', '--order-id', orderId);
  assert.deepEqual([gone.code, gone.reply.code], [1, 16]);
});

test('an algo order takes its further fields by name', async () => {
  const twap = await run(
    'order',
    '--symbol',
    'BTC-USDT',
    '--side',
    'buy',
    '--type',
    'twap',
    '--size',
    '1',
    '--set',
    'timePeriod=60',
    '--set',
    'makerFirst=true',
  );
  assert.deepEqual([twap.code, twap.reply[0].type], [0, 82]);
  const odd = await run(
    'order',
    '--symbol',
    'BTC-USDT',
    '--side',
    'buy',
    '--type',
    'twap',
    '--size',
    '1',
    '--set',
    'timePeriod=5',
  );
  assert.equal(odd.code, 1);
  assert.match(odd.reply.msg, /timePeriod/);
  const peg = await run(
    'order',
    '--symbol',
    'BTC-USDT',
    '--side',
    'sell',
    '--type',
    'peg',
    '--size',
    '1',
    '--price',
    '101',
    '--set',
    'stealth=50',
  );
  assert.deepEqual([peg.code, peg.reply[0].type], [0, 80]);
});

test('a futures order goes to the futures surface', async () => {
  const placed = await run(
    'order',
    '--symbol',
    'BTC-PERP',
    '--side',
    'sell',
    '--size',
    '10',
    '--price',
    '101',
    '--tif',
    'hour',
  );
  assert.equal(placed.code, 0, JSON.stringify(placed.reply));
  const [{ orderID, positionId, time_in_force }] = placed.reply;
  assert.deepEqual([positionId, time_in_force], ['BTC-PERP-USDT', 'HOUR']);
  assert.equal((await run('lookup', '--symbol', 'BTC-PERP', '--order-id', orderID)).reply.orderID, orderID);
  assert.equal((await run('cancel', '--symbol', 'BTC-PERP', '--order-id', orderID)).reply[0].status, 6);
});

test('a refusal is printed as the venue gave it, with exit code 1', async () => {
  const poor = await run('order', '--symbol', 'BTC-USDT', '--side', 'sell', '--size', '98.5', '--price', '101');
  assert.equal(poor.code, 0, 'the account holds 100 BTC less one in the peg');
  const more = await run('order', '--symbol', 'BTC-USDT', '--side', 'sell', '--size', '50', '--price', '101');
  assert.deepEqual([more.code, more.reply.code], [1, 51523]);
});

test('a type that the venue does not know is refused with those that it knows', async () => {
  const foo = await run('order', '--symbol', 'BTC-USDT', '--side', 'buy', '--size', '1', '--type', 'foo');
  assert.equal(foo.code, 1);
  assert.match(foo.reply.msg, /orderType is "FOO": give one of TWAP, PEG, OCO, TRAILING, CONDITIONAL/);
});

test('a refusal speaks of fields, and the flags that they are stand behind it', async () => {
  const order = (symbol: string, ...more: string[]) => run('order', '--symbol', symbol, '--side', 'buy', ...more);
  const rows: readonly (readonly [args: string[], reply: RegExp, said: string])[] = [
    [['BTC-USDT', '--size', '1', '--price', '99.00001'], /orderPrice/, 'bourse: orderPrice is --price\n'],
    [['BTC-USDT', '--size', 'x', '--price', '99'], /orderSize/, 'bourse: orderSize is --size\n'],
    [['BTC-USDT', '--size', '1', '--price', '99', '--tif', 'x'], /timeInForce/, 'bourse: timeInForce is --tif\n'],
    [
      ['BTC-USDT', '--size', '1', '--type', 'twap'],
      /timePeriod/,
      'bourse: give timePeriod with --set timePeriod=VALUE\n',
    ],
    [['BTC-PERP', '--size', '1', '--price', '99', '--tif', 'x'], /time_in_force/, 'bourse: time_in_force is --tif\n'],
    [['BTC-PERP', '--size', 'x', '--price', '99'], /size/, ''],
    [['BTC-PERP', '--price', '99'], /size is missing/, ''],
  ];
  for (const [[symbol, ...more], reply, said] of rows) {
    const refused = await order(symbol, ...more);
    assert.equal(refused.code, 1);
    assert.match(JSON.stringify(refused.reply), reply);
    assert.equal(refused.stderr, said);
  }
});

test('a flag of the other product is refused before anything is sent', async () => {
  const perp = await run('order', '--symbol', 'BTC-PERP', '--side', 'buy', '--quote-size', '100');
  assert.deepEqual([perp.code, perp.reply], [1, null]);
  assert.match(perp.stderr, /--quote-size is for spot, and BTC-PERP is not/);
  const spot = await run('order', '--symbol', 'BTC-USDT', '--side', 'sell', '--size', '1', '--reduce-only');
  assert.match(spot.stderr, /--reduce-only is for futures, and BTC-USDT is not/);
});

test('missing keys, a missing venue and wrong flags are reported in words', async () => {
  const bare = (args: string[], env = {}) => place.run(args, env);
  const order = ['order', '--symbol', 'BTC-USDT', '--side', 'buy', '--size', '1'];
  assert.match(
    (await bare(order)).stderr,
    /no key: give --key and --secret, or --data \(or BOURSE_DATA\) .* no data\/demo-keys\.json here/,
  );
  assert.match((await bare([...order, '--key', 'k'])).stderr, /give both --key and --secret/);
  const gone = await startVenue();
  await gone.close();
  const nobody = { BOURSE_URL: gone.url, BOURSE_KEY: 'k', BOURSE_SECRET: 's' };
  const lost = await bare(order, nobody);
  assert.deepEqual([lost.code, lost.stderr.trim()], [1, `bourse: no venue answers at ${gone.url}: is it running?`]);
  assert.match((await bare(['lookup'], nobody)).stderr, /give --order-id or --client-id/);
  assert.match((await bare(['order', '--side', 'buy'], nobody)).stderr, /--symbol/);
});

test('a reply that was lost is not reported as a venue that is not there', async () => {
  const { url, token } = { url: venue.control, token: venue.controlToken };
  await new ControlClient({ url, token }).armFault({ dropReply: true });
  const lost = await run(
    'order',
    '--symbol',
    'BTC-USDT',
    '--side',
    'buy',
    '--size',
    '1',
    '--price',
    '90',
    '--client-id',
    'lost',
  );
  assert.equal(lost.code, 1);
  assert.match(lost.stderr, /gave no answer .*see with bourse lookup --symbol BTC-USDT --client-id lost before/);
  assert.equal((await run('lookup', '--client-id', 'lost')).reply.orderPrice, 90);
});

for (const [symbol, price] of [
  ['BTC-USDT', 'orderPrice'],
  ['BTC-PERP', 'price'],
]) {
  test(`an order on ${symbol} without a client id gets one, by which it is found after a lost reply`, async () => {
    await new ControlClient({ url: venue.control, token: venue.controlToken }).armFault({ dropReply: true });
    const lost = await run('order', '--symbol', symbol, '--side', 'buy', '--size', '1', '--price', '91');
    assert.equal(lost.code, 1);
    const [, args] = /see with bourse (lookup .*) before you send it again/.exec(lost.stderr) ?? [];
    const found = await run(...args.split(' '));
    assert.equal(found.reply[price], 91);
  });
}

for (const [args, words] of [
  [['--symbol', 'BTC-PERP', '--type', 'foo'], /--type foo is not one of limit, market, oco, peg$/],
  [['--symbol', 'BTC-PERP', '--type', 'trailing'], /on futures it is --type market --set trailValue=100$/],
  [['--symbol', 'BTC-PERP', '--type', 'conditional'], /on futures it is --set txType=STOP/],
  [['--url', '127.0.0.1:38349'], /give an address such as http:\/\/127\.0\.0\.1:38349/],
  [['--url', 'localhost'], /give an address such as http:\/\/localhost/],
  [['--url', 'ftp://x'], /give an address such as http:\/\/127\.0\.0\.1:8080/],
  [['--url', 'http://127.0.0.1:1'], /127\.0\.0\.1:1 cannot be called: bad port$/],
] as const) {
  test(`an order with ${args.join(' ')} is refused before it is sent`, async () => {
    const { code, stderr } = await run('order', '--symbol', 'BTC-USDT', '--side', 'buy', '--size', '1', ...args);
    assert.equal(code, 1);
    assert.match(stderr.trim(), words);
    assert.doesNotMatch(stderr, /\n {4}at |may or may not/);
  });
}

test('a bare id is taken, and a market that an order is not on is reported in words', async () => {
  const rest = ['order', '--symbol', 'BTC-USDT', '--side', 'buy', '--size', '1', '--price', '91'];
  const { orderId } = (await run(...rest, '--client-id', 'bare')).reply[0];
  for (const id of ['bare', orderId]) assert.equal((await run('lookup', id)).reply.clOrderId, 'bare', id);
  const short = await run('lookup', orderId.slice(0, 8));
  assert.deepEqual([short.code, short.reply.code], [1, 16]);
  assert.match(short.stderr, /an order id has 36 characters: `bourse story [0-9a-f]{8}` prints the whole one/);
  assert.equal((await run('cancel', 'bare')).reply[0].status, 6);
  for (const args of [
    ['lookup', 'one', '--client-id', 'two'],
    ['cancel', 'one', '--order-id', 'two'],
  ]) {
    const { code, stderr } = await run(...args);
    assert.deepEqual([code, stderr.trim()], [1, 'bourse: give one id, not one and two']);
  }
  assert.match((await run('cancel', '')).stderr, /the id is empty/);
  assert.match((await run('cancel', '--symbol', 'BTC-PERP', '--client-id', '')).stderr, /the id is empty/);
  const place = [
    'order',
    '--symbol',
    'BTC-USDT',
    '--side',
    'buy',
    '--size',
    '1',
    '--price',
    '91',
    '--client-id',
    'here',
  ];
  assert.equal((await run(...place)).code, 0);
  const elsewhere = await run('lookup', '--symbol', 'ETH-USDT', '--client-id', 'here');
  assert.deepEqual([elsewhere.code, elsewhere.reply], [1, null]);
  assert.match(elsewhere.stderr, /the order is on BTC-USDT, not on ETH-USDT/);
  assert.equal((await run('lookup', '--symbol', 'BTC-USDT', '--client-id', 'here')).reply.symbol, 'BTC-USDT');
});

test('an order that is not found is said to be searched on spot alone, until a market is named', async () => {
  const perpetual = ['order', '--symbol', 'BTC-PERP', '--side', 'buy', '--size', '10', '--price', '99'];
  assert.equal((await run(...perpetual, '--client-id', 'hidden')).code, 0);
  const finder = '`bourse lookup --client-id hidden` finds a spot order in any market, and shows which';
  for (const [command, searched, example] of [
    ['lookup', 'only spot orders were searched', 'such as --symbol BTC-PERP'],
    ['cancel', 'only BTC-USDT was searched', `such as --symbol ETH-USDT. ${finder}`],
  ]) {
    const unnamed = await run(command, '--client-id', 'hidden');
    assert.deepEqual([unnamed.code, unnamed.reply.code], [1, 16]);
    assert.equal(unnamed.stderr.trim(), `bourse: ${searched}: name the market of the order, ${example}`);
    const named = await run(command, '--client-id', 'hidden', '--symbol', 'BTC-USDT');
    assert.deepEqual([named.code, named.stderr], [1, '']);
    assert.equal((await run(command, '--client-id', 'hidden', '--symbol', 'BTC-PERP')).code, 0);
  }
  const order = ['order', '--symbol', 'BTC-USDT', '--side', 'buy', '--size', '1', '--price', '99'];
  const { reply } = await run(...order, '--client-id', 'ended');
  assert.equal((await run('cancel', '--client-id', 'ended')).code, 0);
  const story = (id: string) => `bourse: \`bourse story ${id}\` shows the order, and how it ended\n`;
  for (const command of ['lookup', 'cancel']) {
    const ended = await run(command, '--client-id', 'ended');
    assert.deepEqual([ended.code, ended.stderr], [1, story(reply[0].orderId)], 'and nothing of other markets');
  }
  const onPerp = await run('cancel', '--client-id', 'hidden', '--symbol', 'BTC-PERP');
  assert.deepEqual([onPerp.code, onPerp.stderr], [1, story('--client-id hidden --symbol BTC-PERP')]);
  const both = await run('lookup', '--client-id', 'ended', '--order-id', reply[0].orderId);
  assert.deepEqual([both.code, both.reply], [1, null]);
  assert.match(both.stderr, /^bourse: give one id, not /);
});

test('the version is that of the package and of its rules', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const { code, stdout } = await place.run(['--version']);
  assert.deepEqual([code, stdout], [0, `${version} (rules ${RULES_VERSION})\n`]);
});

test('every refusal of the command line begins with its name', async () => {
  for (const args of [['nothing'], ['order'], ['start', '--port', 'x'], ['verify', 'missing'], ['lookup']]) {
    const { code, stderr } = await place.run(args);
    assert.equal(code, 1);
    assert.match(stderr, /^bourse: /, args.join(' '));
  }
});

test('a peg on a perpetual goes to its own route', async () => {
  const args = ['--type', 'peg', '--size', '10', '--price', '101', '--set', 'deviation=1'];
  const peg = await run('order', '--symbol', 'BTC-PERP', '--side', 'sell', ...args);
  assert.deepEqual([peg.code, peg.reply[0].orderType], [0, 80], JSON.stringify(peg));
});

test('keys of the demo file are used where no others are given', async () => {
  const folder = place.path('with-keys');
  mkdirSync(folder);
  writeFileSync(join(folder, 'demo-keys.json'), JSON.stringify([venue.key]), { mode: 0o600 });
  const { code, stdout } = await place.run(['lookup', '--url', venue.url, '--data', folder, '--order-id', 'none']);
  assert.deepEqual([code, JSON.parse(stdout).code], [1, 16]);
});

test('a key is created and revoked through the control surface', async () => {
  const control = { BOURSE_CONTROL_URL: venue.control, BOURSE_CONTROL_TOKEN: venue.controlToken };
  const made = await place.run(['keys', 'create', '--account', 'test', '--permissions', 'read, trading'], control);
  assert.equal(made.code, 0, made.stderr);
  const { key, secret } = JSON.parse(made.stdout);
  const lookup = ['lookup', '--url', venue.url, '--key', key, '--secret', secret, '--order-id', 'none'];
  assert.equal(JSON.parse((await place.run(lookup)).stdout).code, 16);
  assert.equal((await place.run(['keys', 'revoke', key], control)).code, 0);
  assert.equal(JSON.parse((await place.run(lookup)).stdout).code, 10002);
  for (const [flags, words] of [
    [['--expires-at', '2020-01-01T00:00:00Z'], /in the past: the key would expire at once/],
    [['--expires-at', '2999-01-01'], /ISO 8601 text with a time zone/],
    [['--control-url', '127.0.0.1:1'], /give an address such as http:/],
  ] as const) {
    const refused = await place.run(['keys', 'create', '--account', 'test', ...flags], control);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, words);
  }
  const wrong = await place.run(['keys', 'create', '--account', 'test', '--permissions', 'all'], control);
  assert.deepEqual([wrong.code, JSON.parse(wrong.stdout).error.field], [1, 'permissions[0]']);
  assert.equal(wrong.stderr, '');
  const nowhere = await place.run(['keys', 'create', '--account', 'test', '--ip-allow', 'x'], control);
  assert.deepEqual([nowhere.code, nowhere.stderr], [1, 'bourse: ipAllow is --ip-allow\n']);
});
