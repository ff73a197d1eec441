/**
 * Rotation of the master key: what the new one protects, what a thief of the old one still reads, and that a kill at any
 * moment leaves a folder that starts.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { BourseClient, ControlClient, startVenue, type TestVenue } from '../../src/index.ts';
import { rotateMasterKey } from '../../src/secrets.ts';

/** A folder with a data folder and a master key, removed after the test. */
function newPlace() {
  const folder = fs.mkdtempSync(join(tmpdir(), 'bourse-master-'));
  const options = {
    data: join(folder, 'data'),
    masterKeyFile: join(folder, 'master.key'),
    accounts: [{ name: 'desk' }],
  };
  return {
    folder,
    options,
    file: options.masterKeyFile,
    [Symbol.dispose]: () => fs.rmSync(folder, { recursive: true }),
  };
}

const linesOf = (file: string) => fs.readFileSync(file, 'utf8').trim().split('\n');
const controlOf = (venue: TestVenue) => new ControlClient({ url: venue.control, token: venue.controlToken });
const signsIn = (venue: TestVenue, key: { key: string; secret: string }) =>
  new BourseClient({ url: venue.url, key: key.key, secret: key.secret }).balances().then(
    () => true,
    () => false,
  );

/** Every sealed secret in the files of a data folder. */
function sealsIn(data: string): string[] {
  const texts = fs.readdirSync(data).map((name) => fs.readFileSync(join(data, name), 'latin1'));
  return [...new Set(texts.flatMap((text) => text.match(/v1\.[A-Za-z0-9_-]{40,}/g) ?? []))];
}

function readableBy(masterKey: string, seals: readonly string[]): string[] {
  const keyring = new Keyring(masterKey);
  return seals.filter((seal) => keyring.masterOf(seal) === 'present').map((seal) => keyring.open(seal));
}

test('the old master key reads what it sealed, for ever, and nothing that was created after the rotation', async () => {
  using place = newPlace();
  const { options, file } = place;
  let before: { key: string; secret: string };
  {
    await using venue = await startVenue(options);
    before = await controlOf(venue).createKey('desk', { permissions: ['read'] });
  }
  const [old] = linesOf(file);
  assert.equal(rotateMasterKey(file), 1);
  assert.equal(linesOf(file)[1], old);
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  let after: { key: string; secret: string };
  {
    await using venue = await startVenue(options);
    const control = controlOf(venue);
    after = await control.createKey('desk', { permissions: ['read'] });
    for (const key of [venue.key, before, after]) assert.equal(await signsIn(venue, key), true);
    const masters = new Map((await control.keys()).keys.map(({ key, masterKey }) => [key, masterKey]));
    assert.deepEqual(
      [venue.key, before, after].map(({ key }) => masters.get(key)),
      ['retired', 'retired', 'present'],
    );
    // The keys that a thief can read are replaced: revoking them is what makes them useless.
    await control.revokeKey(before.key);
    assert.equal(await signsIn(venue, before), false);
  }
  const seals = sealsIn(options.data);
  assert.equal(seals.length, 3);
  assert.ok(readableBy(old, seals).includes(before.secret), 'the log keeps the old seals');
  assert.deepEqual(readableBy(linesOf(file)[0], seals), [after.secret]);
  assert.equal(readableBy(old, seals).includes(after.secret), false);
});

test('the lists of keys say that a rotation waits for a start, and not for a file that cannot be read', async () => {
  using place = newPlace();
  const { options, file } = place;
  const pending = async (control: ControlClient) =>
    [(await control.keys()).rotationPending, (await control.keys({}, 'desk')).rotationPending] as const;
  {
    await using venue = await startVenue(options);
    const control = controlOf(venue);
    assert.deepEqual(await pending(control), [undefined, undefined]);
    rotateMasterKey(file);
    assert.deepEqual(await pending(control), [true, true]);
    const whole = fs.readFileSync(file);
    for (const text of ['', 'no key', linesOf(file)[1].toUpperCase()]) {
      fs.writeFileSync(file, text);
      assert.deepEqual(await pending(control), [undefined, undefined], text);
    }
    fs.rmSync(file);
    assert.deepEqual(await pending(control), [undefined, undefined]);
    fs.writeFileSync(file, whole, { mode: 0o600 });
  }
  await using venue = await startVenue(options);
  assert.deepEqual(await pending(controlOf(venue)), [undefined, undefined]);
});

test('a file without the new or without the old master key refuses the start, and the whole one starts again', async () => {
  using place = newPlace();
  const { options, file } = place;
  await (await startVenue(options)).close();
  rotateMasterKey(file);
  {
    await using venue = await startVenue(options);
    await controlOf(venue).createKey('desk', { permissions: ['read'] });
  }
  const whole = fs.readFileSync(file, 'utf8');
  for (const line of linesOf(file)) {
    fs.writeFileSync(file, line);
    await assert.rejects(startVenue(options), /the master key is not the one/);
  }
  fs.writeFileSync(file, whole.trim().replace('\n', ','));
  await (await startVenue(options)).close();
});

test('the accounts of startVenue keep their keys over rotations, and the old master key derives no later secret', async () => {
  using place = newPlace();
  const { options, file } = place;
  const accounts = [{ name: 'desk' }, { name: 'late' }];
  const first = await startVenue(options);
  await first.close();
  rotateMasterKey(file);
  rotateMasterKey(file);
  const second = await startVenue({ ...options, accounts });
  await second.close();
  rotateMasterKey(file);
  await using third = await startVenue({ ...options, accounts });
  assert.deepEqual(third.keys, second.keys);
  assert.deepEqual(third.keys[0], first.keys[0]);
  for (const key of third.keys) assert.equal(await signsIn(third, key), true);
  const old = linesOf(file)[3];
  assert.deepEqual(readableBy(old, sealsIn(options.data)), [first.key.secret]);
  const derived = createHmac('sha256', old).update(`secret of ${third.keys[1].key}`).digest('hex');
  assert.notEqual(derived, third.keys[1].secret);
});

test('a rotation that is killed between any two of its steps leaves the old file or the new one, whole', () => {
  using place = newPlace();
  const { file } = place;
  const steps = ['openSync', 'writeSync', 'fsyncSync', 'renameSync', 'closeSync', 'rmSync'] as const;
  const ring = new Keyring('ab'.repeat(32));
  const seal = ring.seal('a secret');
  let isDone = false;
  for (let killedAt = 0; !isDone; killedAt++) {
    fs.writeFileSync(file, 'ab'.repeat(32), { mode: 0o600 });
    fs.rmSync(`${file}.new`, { force: true });
    const originals = Object.fromEntries(steps.map((step) => [step, fs[step]]));
    let count = 0;
    for (const step of steps) {
      const original = originals[step] as (...given: unknown[]) => unknown;
      Object.assign(fs, {
        // After the kill nothing more is done, not even what a catch would do.
        [step]: (...given: unknown[]) => {
          if (count++ >= killedAt) throw new Error('killed');
          return original(...given);
        },
      });
    }
    syncBuiltinESMExports();
    try {
      rotateMasterKey(file);
      isDone = true;
    } catch (error) {
      assert.equal((error as Error).message, 'killed');
    } finally {
      Object.assign(fs, originals);
      syncBuiltinESMExports();
    }
    const masters = linesOf(file);
    assert.ok(masters.length === 1 || masters.length === 2, `killed at step ${killedAt}`);
    assert.equal(new Keyring(...masters).open(seal), 'a secret', `killed at step ${killedAt}`);
    if (!isDone && fs.existsSync(`${file}.new`)) {
      assert.throws(() => rotateMasterKey(file), /master\.key\.new exists: another rotation .* delete it/);
      fs.rmSync(`${file}.new`);
    }
    rotateMasterKey(file);
    assert.equal(new Keyring(...linesOf(file)).open(seal), 'a secret', `killed at step ${killedAt}`);
  }
});

test('what cannot be rotated is refused by name, and stays as it is', () => {
  using place = newPlace();
  const { folder, file } = place;
  assert.throws(() => rotateMasterKey(join(folder, 'nowhere', 'master.key')), /there is no master key .*nowhere/);
  assert.throws(() => rotateMasterKey(file), /there is no master key/);
  fs.writeFileSync(file, 'short', { mode: 0o600 });
  assert.throws(() => rotateMasterKey(file), /64 hex digits/);
  fs.writeFileSync(file, 'ab'.repeat(32));
  fs.chmodSync(file, 0o644);
  assert.throws(() => rotateMasterKey(file), /open to other users/);
  fs.chmodSync(file, 0o600);
  for (let retired = 1; retired < 100; retired++) assert.equal(rotateMasterKey(file), retired);
  assert.throws(() => rotateMasterKey(file), /has 100 master keys, which is the most/);
  assert.deepEqual([linesOf(file).length, fs.readdirSync(folder)], [100, ['master.key']]);
});
