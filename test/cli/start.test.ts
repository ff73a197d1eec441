import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { BourseClient, ControlClient, type VenueError } from '../../src/index.ts';
import { Place, type StartedProcess, stop } from './support.ts';

const mode = (file: string) => statSync(file).mode & 0o777;
const token = (place: Place) => readFileSync(join(place.data, 'control-token'), 'utf8').trim();
const controlOf = (place: Place, { ready }: StartedProcess) =>
  new ControlClient({ url: ready.control, token: token(place) });

test('a start is ready with one line, a stop seals and exits 0, and a restart goes on', async () => {
  await using place = new Place();
  const first = await place.start(['--clock', 'manual', '--seed', '7']);
  assert.deepEqual(Object.keys(first.ready), ['event', 'http', 'control', 'epoch', 'seq']);
  assert.deepEqual([first.ready.event, first.ready.epoch, first.ready.seq], ['ready', 1, 1]);
  const control = controlOf(place, first);
  await control.createAccount('alice');
  await control.deposit('alice', 'USDT', '1000');
  const client = new BourseClient({
    url: first.ready.http,
    ...(await control.createKey('alice', { permissions: ['trading'] })),
  });
  await control.setPrices('BTC-USDT', { index: 100 });
  const [order] = await client.placeSpotOrder({
    symbol: 'BTC-USDT',
    orderSide: 'BUY',
    orderType: 'LIMIT',
    orderPrice: 99,
    orderSize: 1,
  });
  await control.advance(5000);
  const before = await control.state();
  const end = await stop(first);
  assert.equal(end.code, 0, end.stderr);
  assert.equal(end.stdout.trim().split('\n').length, 1, 'standard output holds the ready line alone');

  const second = await place.start();
  assert.deepEqual([second.ready.epoch, second.ready.seq], [2, before.seq]);
  const after = await controlOf(place, second).state();
  assert.deepEqual([after.hash, after.time], [before.hash, before.time]);
  assert.equal((await controlOf(place, second).account('alice')).openOrders, 1);
  assert.ok(order.orderId);
  assert.equal((await stop(second, 'SIGINT')).code, 0);

  const verified = await place.run(['verify', place.data]);
  assert.equal(verified.code, 0, verified.stderr);
  const { rows, ...rest } = JSON.parse(verified.stdout);
  assert.deepEqual(rest, { ok: true, seq: before.seq, hash: before.hash });
  assert.ok(rows >= before.seq);
  const replayed = JSON.parse((await place.run(['replay', place.data])).stdout);
  assert.deepEqual(replayed, { seq: before.seq, time: before.time, hash: before.hash });
  const early = JSON.parse((await place.run(['replay', place.data, '--seq', '2'])).stdout);
  assert.deepEqual([early.seq, early.time], [2, Date.UTC(2026, 0, 1)]);
});

test('an archive that fails is an error in the log, not a line among others', async () => {
  await using place = new Place();
  assert.equal((await stop(await place.start())).code, 0);
  const archive = join(place.data, 'archive.db');
  // On a busy machine it may not have been made yet.
  rmSync(archive, { force: true });
  mkdirSync(archive);
  const venue = await place.start();
  const control = controlOf(place, venue);
  const hasFailed = () =>
    control.request('GET', '/health').then(
      () => false,
      ({ message }: VenueError) => message.includes('the archive failed'),
    );
  while (!(await hasFailed())) await delay(10);
  const end = await stop(venue);
  assert.equal(end.code, 0, end.stderr);
  const lines = end.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: number; msg: string });
  const failed = lines.filter(({ msg }) => msg.startsWith('the archive failed'));
  assert.deepEqual(
    failed.map(({ level }) => level),
    [50],
  );
});

test('every file of the data folder that holds a secret is private, and no secret of a key is in any', async () => {
  await using place = new Place();
  const venue = await place.start();
  const control = controlOf(place, venue);
  await control.createAccount('alice');
  const { secret } = await control.createKey('alice', { permissions: ['read'] });
  const end = await stop(venue);
  assert.equal(mode(place.data), 0o700);
  assert.equal(mode(join(place.data, 'control-token')), 0o600);
  assert.equal(mode(place.masterKey), 0o600);
  for (const file of ['00000001.log', 'bourse.json']) {
    assert.equal(readFileSync(join(place.data, file), 'latin1').includes(secret), false, file);
  }
  assert.equal(end.stderr.includes(secret), false);
  assert.equal(end.stderr.includes(token(place)), false);
});

test('every flag may come from the environment', async () => {
  await using place = new Place();
  const data = place.path('elsewhere');
  const masterKeyFile = place.path('the.key');
  const venue = await place.start([], {
    BOURSE_DATA: data,
    BOURSE_MASTER_KEY_FILE: masterKeyFile,
    BOURSE_CONTROL_TOKEN: 'token-of-this-test',
    BOURSE_CLOCK: 'manual',
    BOURSE_START_TIME: '2030-01-01T00:00:00Z',
    BOURSE_SEED: '5',
    BOURSE_SEGMENT_SIZE: '65536',
    BOURSE_DEMO: 'false',
  });
  const state = await new ControlClient({ url: venue.ready.control, token: 'token-of-this-test' }).state();
  assert.deepEqual([state.time, state.accounts], [Date.UTC(2030, 0, 1), 0]);
  assert.ok(existsSync(masterKeyFile));
  assert.equal(statSync(join(data, '00000001.log')).size, 65_536);
  await stop(venue);
});

test('the file control-token holds the token in force: a given one replaces it, and stays', async () => {
  await using place = new Place();
  await stop(await place.start());
  const made = token(place);
  assert.match(made, /^[0-9a-f]{48}$/);
  const given = 'a-token-of-24-characters';
  await stop(await place.start(['--control-token', given]));
  assert.equal(token(place), given);
  assert.equal(mode(join(place.data, 'control-token')), 0o600);
  const venue = await place.start();
  assert.equal(token(place), given);
  assert.equal((await controlOf(place, venue).state()).epoch, 3);
  await stop(venue);
});

test('a control token under 16 characters is refused before anything is written, and not repeated', async () => {
  await using place = new Place();
  const refused = /the control token has 15 characters and must have 16 to 256 .*openssl rand -hex 24/;
  for (const [args, env] of [
    [['--control-token', 'fifteen-letters'], {}],
    [[], { BOURSE_CONTROL_TOKEN: 'fifteen-letters' }],
  ] as const) {
    const { code, stderr } = await place.run(['start', ...args], env);
    assert.equal(code, 1);
    assert.match(stderr, refused);
    assert.doesNotMatch(stderr, /fifteen/);
    assert.equal(existsSync(place.data), false);
  }
  await stop(await place.start(['--control-token', 'sixteen-letters-']));
  writeFileSync(join(place.data, 'control-token'), 'short\n');
  assert.match((await place.run(['start'])).stderr, /control-token must hold 16 to 256 .*: delete it/);
});

test('a configuration file makes markets and accounts, and a wrong one is refused by path', async () => {
  await using place = new Place();
  const config = place.path('config.json');
  const account = {
    name: 'alice',
    balances: { USDT: '5' },
    keys: [{ key: 'alice-key', secret: 'alice-secret', permissions: ['read', 'trading'] }],
  };
  writeFileSync(config, JSON.stringify({ accounts: [account], markets: [{ symbol: 'BTC-USDT', tick: 1 }] }));
  const venue = await place.start(['--config', config]);
  const client = new BourseClient({ url: venue.ready.http, key: 'alice-key', secret: 'alice-secret' });
  assert.deepEqual(await client.openSpotOrders('BTC-USDT'), []);
  await stop(venue);

  writeFileSync(config, JSON.stringify({ acounts: [], seed: 1, rateLimits: { orders: 1 } }));
  const { code, stderr } = await place.run(['start', '--config', config]);
  assert.equal(code, 1);
  assert.match(stderr, /acounts is not known; did you mean accounts\?/);
  assert.match(stderr, /seed is not known/);
  assert.match(stderr, /rateLimits\.orders is not known/);
  assert.doesNotMatch(stderr, /\n {4}at /);

  writeFileSync(
    config,
    JSON.stringify({ accounts: [{ ...account, balances: { USDT: '6' } }], markets: [{ symbol: 'BTC-USDT', tick: 1 }] }),
  );
  const changed = await place.run(['start', '--config', config]);
  assert.equal(changed.code, 1);
  assert.match(changed.stderr, /accounts\[alice\]\.balances\.USDT is "6", but the folder was started with "5"/);
  assert.ok(
    changed.stderr.includes(`the configuration ${config} for the data folder data was refused:`),
    changed.stderr,
  );
  const fees = { maker: '0.0001', taker: '0.0009' };
  writeFileSync(config, JSON.stringify({ accounts: [account], markets: [{ symbol: 'BTC-USDT', tick: 1, fees }] }));
  const logged = await place.run(['log', 'show', place.data]);
  const terms = await place.run(['start', '--config', config]);
  assert.ok(terms.stderr.includes(`the configuration ${config} was refused:`), terms.stderr);
  assert.match(terms.stderr, /markets\[BTC-USDT\]\.fees is .* PATCH/);
  assert.match(logged.stdout, /"record":"seal".*\n$/);
  assert.equal((await place.run(['log', 'show', place.data])).stdout, logged.stdout);
});

test('a configuration may have high fees, and each start with it warns of them', async () => {
  await using place = new Place();
  const file = place.path('venue.json');
  const account = { name: 'alice', fees: { 'BTC-PERP': { maker: 0, taker: 0.9 } } };
  const markets = [{ symbol: 'ETH-PERP', fees: { maker: '0.05', taker: '0.4' } }];
  writeFileSync(file, JSON.stringify({ accounts: [account], markets }));
  const { stderr } = await stop(await place.start(['--config', file]));
  const warnings = stderr.split('\n').filter((line) => line.includes('a fee is a fraction'));
  assert.deepEqual(
    warnings.map((line) => [JSON.parse(line).level, JSON.parse(line).msg.split(':')[0]]),
    [
      [40, 'markets[ETH-PERP].fees.taker 0.4 is 40 % of what is traded'],
      [40, 'accounts[alice].fees.BTC-PERP.taker 0.9 is 90 % of what is traded'],
    ],
  );
});

test('what only the gateway looks at changes from start to start, without the configuration of the first one', async () => {
  await using place = new Place();
  const file = place.path('venue.json');
  writeFileSync(file, JSON.stringify({ feeFrom: 'quote', maxConnections: 77, trustedProxies: ['10.0.0.0/8'] }));
  const first = await stop(await place.start(['--config', file]));
  assert.match(first.stderr, /at most 77 connections, 20 from one address; control: \d+ connections/);
  const flags = ['--max-connections', '55', '--max-connections-per-address', '5', '--trusted-proxies', '::1,10.0.0.1'];
  flags.push('--max-queue-ms', '20');
  const second = await stop(await place.start(flags));
  assert.match(
    second.stderr,
    /at most 55 connections, 5 from one address; control: \d+ connections, 5 from one address/,
  );
  const third = await stop(await place.start([], { BOURSE_MAX_CONNECTIONS: '1000000' }));
  assert.match(third.stderr, /maxConnections is 1000000, more than this process can hold/);
});

test('a changed seed or clock is refused by name', async () => {
  await using place = new Place();
  await stop(await place.start(['--seed', '1']));
  assert.match((await place.run(['start', '--seed', '2'])).stderr, /seed is 2, but the folder was started with 1/);
  assert.match((await place.run(['start', '--clock', 'manual'])).stderr, /clock is "manual"/);
});

test('a missing, wrong, open or malformed master key refuses the start by name', async () => {
  await using place = new Place();
  const venue = await place.start();
  await controlOf(place, venue).createAccount('alice');
  await controlOf(place, venue).createKey('alice', { permissions: ['read'] });
  await stop(venue);
  const kept = place.path('kept.key');
  cpSync(place.masterKey, kept);

  rmSync(place.masterKey);
  const missing = await place.run(['start']);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /the master key .*master\.key is missing/);
  assert.equal(existsSync(place.masterKey), false);

  writeFileSync(place.masterKey, 'ab'.repeat(32), { mode: 0o600 });
  assert.match((await place.run(['start'])).stderr, /the master key is not the one/);
  writeFileSync(place.masterKey, 'short', { mode: 0o600 });
  assert.match((await place.run(['start'])).stderr, /64 hex digits/);
  chmodSync(kept, 0o644);
  assert.match((await place.run(['start', '--master-key-file', kept])).stderr, /open to other users: chmod 600/);
  chmodSync(kept, 0o600);
  await stop(await place.start(['--master-key-file', kept]));
});

test('a second process on a data folder refuses, and a taken port gives the folder back', async () => {
  await using place = new Place();
  const venue = await place.start();
  const second = await place.run(['start', '--port', '0', '--control-port', '0']);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /is in use by/);
  const port = new URL(venue.ready.http).port;
  for (const [ports, words] of [
    [['--port', port, '--control-port', '0'], /in use: give another --port \(or BOURSE_PORT\) \(0 picks a free one\)/],
    [['--port', '0', '--control-port', port], /in use: give another --control-port \(or BOURSE_CONTROL_PORT\)/],
    [
      ['--port', '0', '--control-port', '0', '--host', '192.0.2.1'],
      /not an address of this machine: give another --host/,
    ],
  ] as const) {
    const other = await place.run(['start', '--data', place.path('other'), ...ports]);
    assert.equal(other.code, 1);
    assert.match(other.stderr, words);
    assert.doesNotMatch(other.stderr, /\n {4}at /);
  }
  await stop(venue);
  await stop(await place.start(['--data', place.path('other')]));
});

test('a data folder that cannot be is refused in words, at once', async () => {
  await using place = new Place();
  const file = place.path('a-file');
  writeFileSync(file, '');
  for (const [data, words] of [
    [file, /bourse: .*a-file is a file, but must be a folder/],
    [join(file, 'below'), /bourse: .*a-file is a file, but must be a folder|cannot be created: ENOTDIR/],
    ['/proc/none/below', /bourse: the folder \/proc\/none\/below cannot be created/],
  ] as const) {
    const { code, stderr } = await place.run(['start', '--data', data]);
    assert.equal(code, 1);
    assert.match(stderr, words);
  }
  const { stderr } = await place.run(['start', '--config', place.path('none.json')]);
  assert.match(stderr, /none\.json was refused:\n {2}it cannot be read: there is no such file/);
});

test('after kill -9 the next start finds what was acknowledged', async () => {
  await using place = new Place();
  const venue = await place.start(['--clock', 'manual']);
  const control = controlOf(place, venue);
  for (let i = 0; i < 20; i++) await control.createAccount(`account-${i}`);
  const before = await control.state();
  venue.child.kill('SIGKILL');
  await venue.end;
  const again = await place.start();
  const state = await controlOf(place, again).state();
  assert.deepEqual([state.hash, state.seq, state.epoch], [before.hash, before.seq, 2]);
  await stop(again);
});

test('a loss that the archive proves refuses the start, until --accept-loss-from names its first command, for that start', async () => {
  await using place = new Place();
  await stop(await place.start(['--clock', 'manual']));
  const later = place.path('later');
  cpSync(place.data, later, { recursive: true });
  const venue = await place.start(['--data', later]);
  const control = new ControlClient({
    url: venue.ready.control,
    token: readFileSync(join(later, 'control-token'), 'utf8').trim(),
  });
  await control.createAccount('alice');
  // The archive's thread is there: a stop does not wait for it for ever.
  await control.request('POST', '/snapshot');
  const { seq } = await control.state();
  await stop(venue);
  cpSync(join(later, 'archive.db'), join(place.data, 'archive.db'));

  const refused = await place.run(['start', '--port', '0', '--control-port', '0']);
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  assert.match(refused.stderr, /^bourse: .*start once with --accept-loss-from \d+$/m);
  assert.doesNotMatch(refused.stderr, /\n {4}at /);
  const from = /--accept-loss-from (\d+)/.exec(refused.stderr)?.[1] ?? '';
  const other = await place.run(['start', '--accept-loss-from', String(Number(from) + 1)]);
  assert.deepEqual([other.code, other.stdout], [1, '']);
  assert.match(other.stderr, new RegExp(`must be ${from}$`, 'm'));
  const accepted = await place.start(['--accept-loss-from', from]);
  assert.equal(accepted.ready.seq, Number(from) - 1);
  const end = await stop(accepted);
  assert.equal(end.code, 0, end.stderr);
  const kept = `archive.db.lost-${from}-${seq}`;
  assert.match(end.stderr, new RegExp(`"level":40.*is kept as ${kept}`));
  assert.ok(existsSync(join(place.data, kept)));
  const { lost } = JSON.parse((await place.run(['verify', place.data])).stdout);
  assert.match(lost.join(), new RegExp(`^lost: seq ${from} to ${seq}`));
  const twice = await place.run(['start', '--accept-loss-from', from]);
  assert.equal(twice.code, 1);
  assert.match(twice.stderr, /nothing is lost: .*Start without --accept-loss-from/);
  await stop(await place.start());
});

test('a flipped bit is refused with file and offset by start and verify', async () => {
  await using place = new Place();
  const venue = await place.start(['--segment-size', '65536']);
  await controlOf(place, venue).createAccount('alice');
  await stop(venue);
  const file = join(place.data, '00000001.log');
  const bytes = readFileSync(file);
  bytes[600] ^= 4;
  writeFileSync(file, bytes);
  const verified = await place.run(['verify', place.data]);
  assert.equal(verified.code, 1);
  assert.equal(verified.stdout, '');
  const told = JSON.parse(verified.stderr);
  assert.equal(told.ok, false);
  assert.match(told.place, /^00000001\.log at offset \d+$/);
  const started = await place.run(['start']);
  assert.equal(started.code, 1);
  assert.match(started.stderr, /00000001\.log at offset \d+/);
});

for (const [flags, words] of [
  [['--port', '70000'], /at most 65535/],
  [['--port', 'x'], /whole number/],
  [['--clock', 'sundial'], /real, manual/],
  [['--seed', '-1'], /whole number/],
  [['--start-time', 'soon'], /ISO 8601/],
  [['--pace', '1'], /unknown option '--pace'/],
  [['--rate-limits', 'on'], /Allowed choices are off, btse/],
  [['--start-time', '2026-01-01T00:00:00'], /time zone/],
  [['--start-time', '2026-02-30'], /ISO 8601/],
  [['--segment-size', '10'], /segment/],
  [['--trusted-proxies', '10.0.0.0/8,proxy'], /proxy is not an address or a CIDR range/],
  [['--max-queue-ms', '0'], /a time in milliseconds must be 1 or more/],
  [['--max-queue-ms', 'never'], /a time in milliseconds must be a whole number/],
  [['--accept-loss-from', '0'], /a sequence number must be 1 or more/],
  [['--accept-loss-from', 'here'], /a sequence number must be a whole number/],
  [['--max-connections', '0'], /a number of connections must be 1 or more/],
  [['--max-connections-per-address', 'all'], /a number of connections must be a whole number/],
] as const) {
  test(`start ${flags.join(' ')} is refused in words`, async () => {
    await using place = new Place();
    const { code, stderr, stdout } = await place.run(['start', ...flags]);
    assert.equal(code, 1, stderr);
    assert.match(stderr, words);
    assert.equal(stdout, '');
  });
}
