/** Control tokens with a scope: what each may do, how long it lives, and that nothing keeps the token itself. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROUTES } from '../../src/api/control/routes.ts';
import { ControlTokens, type KeptToken } from '../../src/api/control/tokens.ts';
import { ControlClient, startVenue, type VenueError } from '../../src/index.ts';
import { control } from './support.ts';

/** What a token with the scope test may do, besides every GET. */
const OF_TESTS = [
  'POST /prices',
  'POST /clock',
  'POST /reset',
  'POST /snapshots/{name}',
  'POST /snapshots/{name}/restore',
  'POST /faults',
  'DELETE /faults',
  'POST /snapshot',
  'PUT /markets/{symbol}/book',
  'POST /markets/{symbol}/trades',
];

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    ({ status, body }: VenueError) => `${status} ${(body as { error: { reason: string } }).error.reason}`,
  );

test('read may call every GET, test also what tests move, admin everything; a refusal names the scope', async () => {
  await using venue = await startVenue();
  const admin = new ControlClient({ url: venue.control, token: venue.controlToken });
  const tokens = {
    read: await admin.createToken('monitor', 'read'),
    test: await admin.createToken('ci', 'test'),
    admin: await admin.createToken('deploy', 'admin'),
  };
  for (const { method, path } of ROUTES) {
    const needed = method === 'GET' ? 'read' : OF_TESTS.includes(`${method} ${path}`) ? 'test' : 'admin';
    const allowed = { read: ['read', 'test', 'admin'], test: ['test', 'admin'], admin: ['admin'] }[needed];
    for (const scope of ['read', 'test', 'admin'] as const) {
      // An account, key, market or token of this name does not exist, so nothing that others need is changed.
      const at = path.replace(/\{\w+\}/g, 'nothing');
      const { status, body } = await control(venue, method, at, method === 'POST' ? {} : undefined, tokens[scope]);
      const what = `${method} ${path} with ${scope}`;
      if (allowed.includes(scope)) assert.ok(status !== 401 && status !== 403, `${what}: ${status}`);
      else {
        assert.deepEqual([status, body.error.reason], [403, 'scopeMissing'], what);
        const name = { read: 'monitor', test: 'ci', admin: 'deploy' }[scope];
        const message = `${method} ${path} needs the scope ${needed}: the token ${name} has ${scope}`;
        assert.equal(body.error.message, message);
      }
    }
  }
  const nowhere = await control(venue, 'POST', '/nowhere', {}, tokens.read);
  assert.equal(nowhere.body.error.reason, 'notFound');
});

test('a token works until it is revoked; the list shows names and scopes, never tokens', async () => {
  await using venue = await startVenue();
  const admin = new ControlClient({ url: venue.control, token: venue.controlToken });
  const before = Date.now();
  const monitor = new ControlClient({ url: venue.control, token: await admin.createToken('monitor', 'read') });
  const deploy = new ControlClient({ url: venue.control, token: await admin.createToken('deploy', 'admin') });
  const listed = await monitor.tokens();
  assert.deepEqual(
    listed.map(({ name, scope }) => `${name} ${scope}`),
    ['monitor read', 'deploy admin'],
  );
  for (const { createdMs } of listed) assert.ok(createdMs >= before && createdMs <= Date.now());
  assert.deepEqual(Object.keys(listed[0]), ['name', 'scope', 'createdMs']);
  await venue.reset();
  await monitor.state();
  assert.equal(await refusal(monitor.createToken('more', 'admin')), '403 scopeMissing');
  assert.equal(await refusal(monitor.revokeToken('deploy')), '403 scopeMissing');
  await deploy.revokeToken('monitor');
  assert.equal(await refusal(monitor.state()), '401 unauthorized');
  await assert.rejects(monitor.state(), /is not a token of this venue/);
  await deploy.revokeToken('deploy');
  assert.equal(await refusal(deploy.state()), '401 unauthorized');
  assert.deepEqual(await admin.tokens(), []);
});

test('a name that is taken, unknown or wrong, a wrong scope and a 101st token are refused', async () => {
  await using venue = await startVenue();
  const admin = new ControlClient({ url: venue.control, token: venue.controlToken });
  await admin.createToken('one', 'read');
  assert.equal(await refusal(admin.createToken('one', 'admin')), '409 tokenExists');
  assert.equal(await refusal(admin.createToken('control-token', 'read')), '409 tokenExists');
  assert.equal(await refusal(admin.revokeToken('control-token')), '404 unknownToken');
  assert.equal(await refusal(admin.revokeToken('two')), '404 unknownToken');
  assert.equal(await refusal(admin.createToken('a b', 'read')), '400 malformed');
  assert.equal(await refusal(admin.createToken('two', 'write' as 'read')), '400 malformed');
  for (let i = 1; i < 100; i += 1) await admin.createToken(`t${i}`, 'read');
  assert.equal(await refusal(admin.createToken('last', 'read')), '409 tooManyTokens');
  await admin.revokeToken('t1');
  await admin.createToken('last', 'read');
});

test('tokens outlive a restart; their file is private and holds digests; a damaged one refuses the start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-tokens-'));
  const options = { data: join(folder, 'data'), masterKeyFile: join(folder, 'master.key') };
  const file = join(options.data, 'control-tokens.json');
  const clientWith = (venue: { control: string }, token: string) => new ControlClient({ url: venue.control, token });
  try {
    let [monitor, ci] = ['', ''];
    {
      await using venue = await startVenue(options);
      const admin = clientWith(venue, venue.controlToken);
      monitor = await admin.createToken('monitor', 'read');
      ci = await admin.createToken('ci', 'test');
      await admin.revokeToken('ci');
    }
    assert.equal(statSync(file).mode & 0o777, 0o600);
    for (const name of readdirSync(options.data)) {
      assert.equal(readFileSync(join(options.data, name), 'latin1').includes(monitor), false, name);
    }
    {
      await using venue = await startVenue(options);
      assert.equal((await clientWith(venue, monitor).tokens())[0].name, 'monitor');
      assert.equal(await refusal(clientWith(venue, ci).state()), '401 unauthorized');
    }
    for (const text of ['{', '{}', '[{"name":"x","scope":"root","sha256":"","createdMs":0}]', '[null]']) {
      writeFileSync(file, text);
      await assert.rejects(startVenue(options), /control-tokens\.json is not a list of control tokens: delete it/);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a token that could not be saved does not count, and one whose revocation could not be saved still does', () => {
  let saved: readonly KeptToken[] = [];
  let isFull = false;
  const save = (tokens: readonly KeptToken[]) => {
    if (isFull) throw new Error('no space left');
    saved = tokens;
  };
  const tokens = new ControlTokens({ start: 'the-token-of-the-start', kept: [], save, wallMs: () => 7 });
  const monitor = tokens.create('monitor', 'read');
  isFull = true;
  assert.throws(() => tokens.create('ci', 'test'), /no space left/);
  assert.throws(() => tokens.revoke('monitor'), /no space left/);
  assert.deepEqual([tokens.has('ci'), tokens.callerOf(monitor)?.name], [false, 'monitor']);
  assert.deepEqual(saved, tokens.list);
  assert.equal(tokens.callerOf(saved[0].sha256), null, 'a digest is not a token');
  assert.equal(tokens.callerOf('the-token-of-the-start')?.scope, 'admin');
});
