/** What makes a secret durable is that its folder is synced too, and each folder above that was made for it. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readControlToken, readMasterKeys } from '../../src/secrets.ts';

const root = fs.mkdtempSync(join(tmpdir(), 'bourse-secrets-'));
after(() => fs.rmSync(root, { recursive: true }));

/** The files and folders that are synced, and the renames between them, in order. */
function watched(act: () => void): string[] {
  const { openSync, fsyncSync, renameSync, linkSync } = fs;
  const paths = new Map<number, string>();
  const done: string[] = [];
  fs.openSync = (path, ...more) => {
    const fd = openSync(path, ...more);
    paths.set(fd, String(path));
    return fd;
  };
  fs.fsyncSync = (fd) => {
    done.push(`sync ${paths.get(fd)}`);
    fsyncSync(fd);
  };
  fs.renameSync = (from, to) => {
    done.push(`name ${to}`);
    renameSync(from, to);
  };
  fs.linkSync = (from, to) => {
    done.push(`link ${to}`);
    linkSync(from, to);
  };
  syncBuiltinESMExports();
  try {
    act();
  } finally {
    Object.assign(fs, { openSync, fsyncSync, renameSync, linkSync });
    syncBuiltinESMExports();
  }
  return done.map((what) => what.replace(root, '').replace(/[0-9a-f]{16}$/, '*'));
}

test('the master key, its folder, and the folders that were made for it are synced', () => {
  const file = join(root, 'config', 'bourse', 'master.key');
  const place = { file, value: undefined, data: join(root, 'data'), mustExist: false, notice: () => {} };
  assert.deepEqual(
    watched(() => readMasterKeys(place)),
    [
      'sync /config',
      'sync ',
      'sync /config/bourse/master.key.*',
      'link /config/bourse/master.key',
      'sync /config/bourse',
    ],
  );
  assert.deepEqual(fs.readdirSync(join(root, 'config', 'bourse')), ['master.key']);
});

test('of first starts at the same time, all have the key that is in the file', () => {
  const file = join(root, 'both', 'master.key');
  const place = { file, value: undefined, data: join(root, 'data'), mustExist: false, notice: () => {} };
  const { linkSync } = fs;
  let other: readonly string[] | undefined;
  fs.linkSync = (from, to) => {
    if (other === undefined) {
      other = [];
      other = readMasterKeys(place);
    }
    linkSync(from, to);
  };
  syncBuiltinESMExports();
  try {
    const own = readMasterKeys(place);
    assert.deepEqual(own, other);
    assert.deepEqual(own, [fs.readFileSync(file, 'utf8').trim()]);
    assert.deepEqual(fs.readdirSync(join(root, 'both')), ['master.key']);
  } finally {
    Object.assign(fs, { linkSync });
    syncBuiltinESMExports();
  }
});

test('where a file system has no links, the master key is renamed into its place', () => {
  const file = join(root, 'no-links', 'master.key');
  const place = { file, value: undefined, data: join(root, 'data'), mustExist: false, notice: () => {} };
  const { linkSync } = fs;
  fs.linkSync = () => {
    throw Object.assign(new Error('no links here'), { code: 'EPERM' });
  };
  syncBuiltinESMExports();
  try {
    assert.deepEqual(readMasterKeys(place), [fs.readFileSync(file, 'utf8').trim()]);
    assert.deepEqual(fs.readdirSync(join(root, 'no-links')), ['master.key']);
  } finally {
    Object.assign(fs, { linkSync });
    syncBuiltinESMExports();
  }
});

test('so is the folder of the control token', () => {
  const done = watched(() => readControlToken(undefined, root));
  assert.deepEqual(done, ['sync /control-token.new', 'name /control-token', 'sync ']);
});
