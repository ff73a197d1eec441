/** How comments, messages and documents read. What is listed here is refused, so that no review has to repeat it. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const LONGEST = 160;
/** Written by a script, or the text of the interface itself. */
const GIVEN = ['docs/internal/semantics-coverage.md', 'docs/internal/conformance.md', 'docs/spec.md'];
const DOCUMENTS = [
  '*.md',
  'docs/**/*.md',
  'bench/*.md',
  'clients/*/*.md',
  'test/*.md',
  'test/golden/*.md',
  'src/**/*.md',
];
const CODE = ['src/**/*.ts', 'scripts/**/*.ts', 'bench/*.ts', 'test/{support,sim,crash}/**/*.ts'];

/** Phrases that made sentences hard to read, and what to write instead. At most ten. */
const PHRASES: readonly [phrase: RegExp, instead: string][] = [
  [/\b(tell|tells|told|telling)\b/, 'say, report, show, distinguish'],
  [/\bstands?\b(?! still)/, 'is, is at, remains'],
  [/(?<!there )\b(is|are|was) none\b/, 'does not exist, is not a …'],
  [/\b(whoever|whom)\b/, 'anyone who …, if somebody …'],
  [/\bmade (again|anew)\b/, 'rebuilt'],
  [/\bin hand\b/, 'in progress, present'],
  [/\bby hand\b/, 'manually'],
  [/\bof (its|their) own(?=[.,;:)]|$| (and|at|in|for|by|on|with|to|as)\b)/, 'its own …, a separate …'],
  [/\b(go|goes|going|gone) on (with|from)\b/, 'continue'],
  [/\bunasked\b|\bis asked\b|\bnobody asks\b/, 'on request, without a request'],
];

const unslashed = (path: string) => path.replaceAll('\\', '/');
const filesOf = (patterns: readonly string[]) =>
  globSync([...patterns], { cwd: root })
    .map(unslashed)
    .filter((path) => !GIVEN.includes(path));
const linesOf = (path: string) => readFileSync(join(root, path), 'utf8').split('\n');

/** The comments and the quoted words of a line of code; a line of a document as it is. */
function wordsIn(path: string, line: string): string {
  if (path.endsWith('.md')) return line;
  if (/^\s*(\/?\*|\/\/)/.test(line)) return line;
  const comment = / \/\/ .*$/.exec(line)?.[0] ?? '';
  const quoted = [...line.matchAll(/'[^']* [^']*'|"[^"]* [^"]*"|`[^`]* [^`]*`/g)].map(([text]) => text);
  return `${quoted.join(' ').replaceAll(/\$\{[^}]*\}/g, '…')}${comment}`;
}

test(`no line of the source and of the documents is longer than ${LONGEST} characters, except rows of tables`, () => {
  const read = filesOf([...DOCUMENTS, 'src/**/*.ts']);
  assert.ok(read.length > 150, 'the listing is incomplete');
  const long = read.flatMap((path) =>
    linesOf(path).flatMap((line, i) => (line.length > LONGEST && !line.startsWith('|') ? [`${path}:${i + 1}`] : [])),
  );
  assert.deepEqual(long, []);
});

test('phrases that made sentences hard to read do not come back', () => {
  assert.ok(PHRASES.length <= 10);
  const read = filesOf([...DOCUMENTS, ...CODE]);
  const found = read.flatMap((path) =>
    linesOf(path).flatMap((line, i) => {
      const words = wordsIn(path, line);
      return PHRASES.flatMap(([phrase, instead]) => {
        const [match] = phrase.exec(words) ?? [];
        return match === undefined ? [] : [`${path}:${i + 1}: “${match}”: write ${instead}`];
      });
    }),
  );
  assert.deepEqual(found, []);
});

test('comments and documents cite only rules that docs/semantics.md has', () => {
  const rules = readFileSync(join(root, 'docs/semantics.md'), 'utf8');
  const ids = new Set([...rules.matchAll(/\*\*(\d+\.\d+)\*\*(?! Withdrawn)/g)].map(([, id]) => id));
  assert.ok(ids.size > 300, 'the list of rules is incomplete');
  const missing = filesOf([...DOCUMENTS, ...CODE]).flatMap((path) =>
    linesOf(path).flatMap((line, i) => {
      const cited = [...line.matchAll(/\b[Rr]ules? (\d+\.\d+(?:(?:,| and| to|, and) \d+\.\d+)*)/g)];
      const named = cited.flatMap(([, list]) => list.match(/\d+\.\d+/g) ?? []);
      return named.filter((id) => !ids.has(id)).map((id) => `${path}:${i + 1}: ${id}`);
    }),
  );
  assert.deepEqual(missing, []);
});

test('comments and documents name only files that exist', () => {
  const files = globSync(['*', '{src,test,docs,scripts,bench,examples}/**/*.{ts,js,md}'], { cwd: root }).map(unslashed);
  const missing = filesOf([...DOCUMENTS, ...CODE]).flatMap((path) =>
    linesOf(path).flatMap((line, i) => {
      const words = path.endsWith('.md') || /^\s*(\/?\*|\/\/)/.test(line) ? line : (/ \/\/ .*$/.exec(line)?.[0] ?? '');
      const named = [...words.matchAll(/(?<![\w/.-])(?:\.\.\/)*((?:[\w.-]+\/)*[\w-][\w.-]*\.(?:ts|md))\b/g)];
      return named
        .filter(([, name]) => !files.some((file) => file === name || file.endsWith(`/${name}`)))
        .map(([, name]) => `${path}:${i + 1}: ${name}`);
    }),
  );
  assert.deepEqual(missing, []);
});
