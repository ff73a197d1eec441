/** `bourse accounts`, `keys list`, `keys rotate-master` and `tokens`, as an operator uses them. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { keysText } from '../../src/cli/venue-text.ts';
import { ControlClient } from '../../src/client/control.ts';
import type { VenueError } from '../../src/client/request.ts';
import { Place, type StartedProcess, stop } from './support.ts';

const SECRET = 'a-secret-that-no-list-may-show';
const CONFIGURATION = {
  accounts: [{ name: 'desk', keys: [{ key: 'desk-key', secret: SECRET, permissions: ['read', 'trading'] }] }],
};

const place = new Place();
let venue: StartedProcess;
before(async () => {
  writeFileSync(place.path('config.json'), JSON.stringify(CONFIGURATION));
  venue = await place.start(['--config', place.path('config.json')]);
});
after(() => place[Symbol.asyncDispose]());

const controlClient = () =>
  new ControlClient({
    url: venue.ready.control,
    token: readFileSync(join(place.data, 'control-token'), 'utf8').trim(),
  });

async function bourse(...args: string[]) {
  const { code, stdout, stderr } = await place.run(args, { BOURSE_CONTROL_URL: venue.ready.control });
  return { code, stderr, reply: JSON.parse(stdout) };
}

test('accounts and keys are listed in pages, without secrets', async () => {
  await controlClient().createKey('desk', { permissions: ['read'] });
  assert.deepEqual((await bourse('accounts')).reply, { accounts: [{ account: 'desk', keys: 2, frozen: null }] });
  const { keys } = await controlClient().keys();
  const first = (await bourse('keys', 'list', '--account', 'desk', '--limit', '1')).reply;
  assert.deepEqual(first, { keys: keys.slice(0, 1), next: `desk/${keys[0].key}` });
  assert.deepEqual((await bourse('keys', 'list', '--after', first.next)).reply, { keys: keys.slice(1) });
  assert.equal(JSON.stringify(keys).includes(SECRET), false);
  const wrong = await bourse('keys', 'list', '--limit', '0');
  assert.deepEqual([wrong.code, wrong.reply.error.field], [1, 'limit']);
});

test('a monitor has a token that may look and do nothing, until it is revoked', async () => {
  const { token, scope } = (await bourse('tokens', 'create', 'monitor', '--scope', 'read')).reply;
  assert.equal(scope, 'read');
  assert.equal((await bourse('accounts', '--control-token', token)).code, 0);
  const refused = await bourse('keys', 'revoke', 'desk-key', '--control-token', token);
  assert.deepEqual([refused.code, refused.reply.error.reason], [1, 'scopeMissing']);
  assert.equal((await bourse('tokens', 'list')).reply.tokens[0].name, 'monitor');
  assert.deepEqual((await bourse('tokens', 'revoke', 'monitor')).reply, { revoked: 'monitor' });
  const monitor = new ControlClient({ url: venue.ready.control, token });
  await assert.rejects(monitor.state(), ({ status }: VenueError) => status === 401);
});

test('bourse page prints a link to the venue that it asked, whose code opens a session once', async () => {
  const { link } = (await bourse('page', '--read-only')).reply;
  const { origin, pathname, hash } = new URL(link);
  assert.deepEqual([origin, pathname], [venue.ready.control, '/']);
  const open = () =>
    fetch(`${origin}/session`, {
      method: 'POST',
      headers: { origin },
      body: JSON.stringify({ code: hash.replace('#t=', '') }),
    });
  assert.deepEqual(await (await open()).json(), { name: 'control-token', scope: 'read' });
  assert.equal((await open()).status, 401);
});

test('a rotated master key seals from the next start on, and the list shows which keys the old one seals', async () => {
  const { code, reply, stderr } = await bourse('keys', 'rotate-master');
  assert.deepEqual([code, reply], [0, { file: place.masterKey, retired: 1 }]);
  assert.match(stderr, /restart every venue that uses .*master\.key/);
  const masterKeys = readFileSync(place.masterKey, 'utf8').trim().split('\n');
  assert.equal(masterKeys.length, 2);
  for (const masterKey of masterKeys) assert.equal(stderr.includes(masterKey), false);
  const waiting = (await bourse('keys', 'list')).reply;
  assert.match(keysText(waiting), /\na new master key waits in its file: the venue takes it when it is restarted$/);
  await stop(venue);
  venue = await place.start();
  assert.equal('rotationPending' in (await bourse('keys', 'list')).reply, false);
  const { key } = await controlClient().createKey('desk', { permissions: ['read'] });
  const masters = new Map((await controlClient().keys()).keys.map((row) => [row.key, row.masterKey]));
  assert.deepEqual([masters.get('desk-key'), masters.get(key)], ['retired', 'present']);
});

test('a master key in the environment is not rotated in a file that nobody uses', async () => {
  await using elsewhere = new Place();
  const refused = await elsewhere.run(['keys', 'rotate-master'], { BOURSE_MASTER_KEY: 'ab'.repeat(32) });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /the master key is in BOURSE_MASTER_KEY: put a new one/);
  const missing = await elsewhere.run(['keys', 'rotate-master']);
  assert.equal(missing.code, 1);
  assert.match(
    missing.stderr,
    /there is no master key .*master\.key to rotate: --master-key-file names the file that there is/,
  );
});
