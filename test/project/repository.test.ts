import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where packages come from is the business of the machine that installs them. Split, so that this file names none. */
const REGISTRY_HOST = new RegExp(
  ['registry', 'npm', 'registry-npm']
    .map((name) => `${name}\\.(?:npmjs|yarnpkg|npmmirror|pkg\\.github)\\.(?:org|com)`)
    .join('|'),
);

test('no file of the repository names a package registry', () => {
  // A checkout may belong to another user than the one who runs the tests, as root in a container for instance.
  const listing = execFileSync('git', ['-c', `safe.directory=${root.replace(/\/$/, '')}`, 'ls-files', '-z'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = listing.split('\0').filter((path) => path !== '');
  assert.ok(files.includes('package-lock.json'), 'the listing is incomplete');
  assert.deepEqual(
    files.filter((path) => REGISTRY_HOST.test(readFileSync(join(root, path), 'latin1'))),
    [],
  );
});

test('the lock file carries a checksum and no address for every package', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { integrity?: string; resolved?: string }>;
  };
  for (const [path, entry] of Object.entries(lock.packages)) {
    assert.equal(entry.resolved, undefined, path);
    if (path !== '') assert.match(entry.integrity ?? '', /^sha512-/, path);
  }
});
