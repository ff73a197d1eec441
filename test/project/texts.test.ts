/** How texts look: what is long to read is refused here, so that nobody has to say it in a review. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const LONGEST = 160;
/** Written by a script, or the interface's own text. */
const GIVEN = ['docs/semantics-coverage.md', 'docs/conformance.md', 'docs/spec.md'];

test(`no line of the source and of the documents is longer than ${LONGEST} characters, but for rows of tables`, () => {
  const texts = globSync(['*.md', 'docs/*.md', 'bench/*.md', 'test/*.md', 'src/**/*.{ts,md}'], { cwd: root });
  const read = texts.filter((path) => !GIVEN.includes(path));
  assert.ok(read.length > 150, 'the listing is incomplete');
  const long = read.flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, i) => (line.length > LONGEST && !line.startsWith('|') ? [`${path}:${i + 1}`] : [])),
  );
  assert.deepEqual(long, []);
});
