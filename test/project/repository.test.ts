import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where packages come from is the business of the machine that installs them. Split, so that this file names none. */
const REGISTRY_HOST = new RegExp(
  ['registry', 'npm', 'registry-npm']
    .map((name) => `${name}\\.(?:npmjs|yarnpkg|npmmirror|pkg\\.github)\\.(?:org|com)`)
    .join('|'),
);

// A checkout may belong to another user than the one who runs the tests, as root in a container for instance.
const listing = execFileSync('git', ['-c', `safe.directory=${root.replace(/\/$/, '')}`, 'ls-files', '-z'], {
  cwd: root,
  encoding: 'utf8',
});
const files = listing.split('\0').filter((path) => path !== '');

test('no file of the repository names a package registry', () => {
  assert.ok(files.includes('package-lock.json'), 'the listing is incomplete');
  assert.deepEqual(
    files.filter((path) => REGISTRY_HOST.test(readFileSync(join(root, path), 'latin1'))),
    [],
  );
});

test('no text of the repository names a document or a source file that is not in it', () => {
  const names = new Set(files.map((path) => basename(path)));
  // A document that the rules were written from, and that is not here.
  const absent = new RegExp(['wire', 'facts'].join('[- ]'), 'i');
  const texts = files.filter((path) => /\.(?:ts|js|md)$/.test(path));
  assert.ok(texts.length > 300);
  for (const path of texts) {
    const text = readFileSync(join(root, path), 'utf8');
    assert.doesNotMatch(text, absent, path);
    for (const [name] of text.matchAll(/[\w-]+\.md\b/g)) assert.ok(names.has(name), `${path} names ${name}`);
    const prose = path.endsWith('.md') ? [text] : (text.match(/^\s*(?:\/\*\*|\*|\/\/).*$/gm) ?? []);
    for (const [name] of prose.join('\n').matchAll(/(?<!\.\/)\b[\w-]+(?<!\.d)\.ts\b/g)) {
      assert.ok(names.has(name), `${path} names ${name}`);
    }
  }
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
