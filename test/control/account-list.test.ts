/** The lists of accounts and keys: pages that cost their rows, go on where they ended, and never hold a secret. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { AccountList } from '../../src/api/control/account-list.ts';
import type { EngineListener } from '../../src/engine/listeners.ts';
import { BourseClient, ControlClient, startVenue, type TestVenue } from '../../src/index.ts';
import { control } from './support.ts';

const clientOf = (venue: TestVenue) => new ControlClient({ url: venue.control, token: venue.controlToken });

/** All pages of a list, row by row. */
async function allOf<Row>(page: (after?: string) => Promise<{ rows: readonly Row[]; next?: string }>): Promise<Row[]> {
  const found: Row[] = [];
  for (let after: string | undefined, isLast = false; !isLast; isLast = after === undefined) {
    const { rows, next } = await page(after);
    found.push(...rows);
    after = next;
  }
  return found;
}

test('accounts are listed in pages, in the order in which they were added, with how many keys each has', async () => {
  await using venue = await startVenue({ accounts: [{ name: 'zoe' }, { name: 'adam' }] });
  const client = clientOf(venue);
  for (const name of ['mia', 'bob', 'eve']) await client.createAccount(name);
  await client.createKey('bob', { permissions: ['read'] });
  await client.createKey('bob', { permissions: ['read'] });
  const { accounts, next } = await client.accounts();
  assert.deepEqual(
    accounts.map(({ account, keys }) => `${account} ${keys}`),
    ['zoe 1', 'adam 1', 'mia 0', 'bob 2', 'eve 0'],
  );
  assert.equal(next, undefined);
  for (const limit of [1, 2, 5]) {
    const pages = await allOf(async (after) => {
      const page = await client.accounts({ limit, after });
      return { rows: page.accounts, next: page.next };
    });
    assert.deepEqual(pages, accounts);
  }
  await client.changeAccount('mia', { frozen: 'cancelOnly' });
  const frozen = async () => (await client.accounts()).accounts.filter((row) => row.frozen !== null);
  assert.deepEqual(await frozen(), [{ account: 'mia', keys: 0, frozen: 'cancelOnly' }]);
  await client.changeAccount('mia', { frozen: null });
  assert.deepEqual(await frozen(), []);
  await client.createAccount('new');
  assert.deepEqual((await client.accounts({ after: 'eve' })).accounts, [{ account: 'new', keys: 0, frozen: null }]);
});

test('keys are listed by account and name, and a page goes on after a key that was revoked', async () => {
  await using venue = await startVenue({ accounts: [{ name: 'zoe' }, { name: 'adam' }, { name: 'none', keys: [] }] });
  const client = clientOf(venue);
  const expiresAt = '2030-01-01T00:00:00Z';
  const { key: limited } = await client.createKey('zoe', { permissions: ['read'], ipAllow: ['10.0.0.0/8'], expiresAt });
  for (const account of ['adam', 'zoe', 'adam']) await client.createKey(account, { permissions: ['trading'] });
  const { keys } = await client.keys();
  assert.deepEqual(
    keys.map(({ account }) => account),
    ['zoe', 'zoe', 'zoe', 'adam', 'adam', 'adam'],
  );
  const names = keys.map(({ key }) => key);
  assert.deepEqual(names, [...names.slice(0, 3).sort(), ...names.slice(3).sort()]);
  assert.deepEqual(
    keys.find(({ key }) => key === limited),
    {
      key: limited,
      account: 'zoe',
      permissions: ['read'],
      ipAllow: ['10.0.0.0/8'],
      expiresAtMs: Date.parse(expiresAt),
      lastUsedMs: null,
      masterKey: 'present',
    },
  );
  for (const limit of [1, 2, 3, 4]) {
    const pages = await allOf(async (after) => {
      const page = await client.keys({ limit, after });
      return { rows: page.keys, next: page.next };
    });
    assert.deepEqual(pages, keys);
  }
  assert.deepEqual((await client.keys({}, 'adam')).keys, keys.slice(3));
  assert.deepEqual((await client.keys({}, 'none')).keys, []);

  const first = await client.keys({ limit: 2 });
  await client.revokeKey(keys[1].key);
  assert.deepEqual((await client.keys({ after: first.next })).keys, keys.slice(2));
  for (const { key } of keys.slice(2, 4)) await client.revokeKey(key);
  await client.revokeKey(keys[0].key);
  assert.deepEqual((await client.keys({ after: first.next })).keys, keys.slice(4));
  assert.deepEqual((await client.keys()).keys, keys.slice(4));
});

test('a reset and a named snapshot take accounts and keys back, and the lists with them', async () => {
  await using venue = await startVenue({ accounts: [{ name: 'zoe' }] });
  const client = clientOf(venue);
  const listed = async () => [
    (await client.accounts()).accounts.map(({ account }) => account).join(),
    (await client.keys()).keys.length,
  ];
  await client.save('before');
  await client.createAccount('mia');
  await client.createKey('mia', { permissions: ['read'] });
  await client.save('after');
  await client.restore('before');
  assert.deepEqual(await listed(), ['zoe', 1]);
  await client.createAccount('bob');
  assert.deepEqual(await listed(), ['zoe,bob', 1]);
  await client.restore('after');
  assert.deepEqual(await listed(), ['zoe,mia', 2]);
  await venue.reset();
  assert.deepEqual(await listed(), ['zoe', 1]);
});

test('the last use of a key is the nonce of its last accepted request, and a restart knows it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-list-'));
  const options = {
    data: join(folder, 'data'),
    masterKeyFile: join(folder, 'master.key'),
    accounts: [{ name: 'zoe' }],
  };
  const lastUsed = async (venue: TestVenue) => (await clientOf(venue).keys()).keys[0].lastUsedMs;
  try {
    let used: number | null;
    {
      await using venue = await startVenue(options);
      assert.equal(await lastUsed(venue), null);
      const { secret } = venue.key;
      const wrong = new BourseClient({ url: venue.url, key: venue.key.key, secret: `${secret}x` });
      await assert.rejects(wrong.balances());
      assert.equal(await lastUsed(venue), null, 'somebody else does not use the key');
      const before = Date.now();
      await new BourseClient({ url: venue.url, ...venue.key }).balances();
      used = await lastUsed(venue);
      assert.ok(used !== null && used >= before && used <= Date.now(), `${used}`);
    }
    await using again = await startVenue(options);
    assert.equal(await lastUsed(again), used);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('neither list has a secret, sealed or not', async () => {
  await using venue = await startVenue({ accounts: [{ name: 'zoe' }, { name: 'adam' }] });
  for (const path of ['/accounts', '/keys', '/accounts/zoe/keys']) {
    const { status, text } = await control(venue, 'GET', path);
    assert.equal(status, 200);
    for (const { secret } of venue.keys) assert.equal(text.includes(secret), false);
    assert.equal(/v1\.|sealed|secret/.test(text), false, text);
  }
});

test('a page that cannot be is refused', async () => {
  await using venue = await startVenue({ accounts: [{ name: 'zoe' }, { name: 'adam' }] });
  const field = async (path: string) => {
    const { status, body } = await control(venue, 'GET', path);
    return `${status} ${body.error.field ?? body.error.reason}`;
  };
  for (const path of ['/accounts', '/keys', '/accounts/zoe/keys']) {
    assert.equal(await field(`${path}?limit=1001`), '400 limit');
    assert.equal(await field(`${path}?after=nobody`), '400 after');
    assert.equal(await field(`${path}?before=x`), '400 before');
  }
  assert.equal(await field('/keys?after=nobody/key'), '400 after');
  assert.equal(await field('/accounts/zoe/keys?after=adam/key'), '400 after');
  assert.equal(await field('/accounts/nobody/keys'), '404 unknownAccount');
});

test('a page reads its own rows: the venue is walked at the start and after a reset, never for a page', () => {
  const keys = Array.from({ length: 5000 }, (_, i) => ({ account: i >>> 1, key: `key-${i}` }));
  let walks = 0;
  let listener: EngineListener = {};
  const venue = {
    accountNumbers: () => {
      walks += 1;
      return Array.from({ length: 100_000 }, (_, i) => i);
    },
    keys: () => keys,
  };
  const engine = { venue, listen: (given: EngineListener) => (listener = given) };
  const list = new AccountList(engine as unknown as ConstructorParameters<typeof AccountList>[0]);
  assert.deepEqual(list.accountsAfter(99_997, 100), { rows: [99_998, 99_999], more: false });
  assert.deepEqual(list.accountsAfter(50_000, 2), { rows: [50_001, 50_002], more: true });
  assert.deepEqual(list.keysAfter({ account: 2498, key: 'key-4997' }, 100).rows, ['key-4998', 'key-4999']);
  listener.accountCreated?.({ type: 'accountCreated', account: 100_000 });
  listener.keyAdded?.({ type: 'keyAdded', account: 90_000, key: 'late' });
  assert.deepEqual(list.accountsAfter(99_999, 1), { rows: [100_000], more: false });
  assert.deepEqual(list.keysAfter({ account: 2499, key: 'key-4998' }, 2).rows, ['key-4999', 'late']);
  listener.keyRevoked?.({ type: 'keyRevoked', account: 90_000, key: 'late' });
  assert.deepEqual(list.keysAfter({ account: 2499, key: 'key-4998' }, 2).rows, ['key-4999']);
  assert.equal(walks, 1);
  listener.stateReplaced?.({ type: 'stateReplaced' });
  assert.equal(walks, 2);
});
