/** Each rule of semantics.md has a test that is there, and docs/semantics-coverage.md says which. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { coverageDocument, problemsOf, titlesIn } from './coverage.ts';
import { sections } from './rules.ts';

it('each rule has a test, and names none that is not there', () => {
  const problems = sections.flatMap(({ title, rules }) =>
    rules.flatMap((rule) => problemsOf(rule).map((problem) => `${title}: ${rule.says} ${problem}`)),
  );
  assert.deepEqual(problems, []);
});

it('the sections are those of docs/semantics.md', () => {
  const text = readFileSync(new URL('../../docs/semantics.md', import.meta.url), 'utf8');
  const headings = [...text.matchAll(/^## (\d+)\. (.*)$/gm)].map(([, number, title]) => `${number}. ${title}`);
  assert.deepEqual(
    sections.map(({ title }, i) => `${i + 1}. ${title}`),
    headings,
  );
});

it('docs/semantics-coverage.md lists them: `npm run docs:semantics` makes it', () => {
  const written = readFileSync(new URL('../../docs/semantics-coverage.md', import.meta.url), 'utf8');
  assert.equal(written, coverageDocument(sections));
});

it('titles are found with their suites, one that ended not counted', () => {
  const source = `describe('a', () => {
  it('b', () => {});
});
for (const x of y) {
  describe(\`c \${x}\`, () => {
    it(
      'd\\'s',
      () => {},
    );
  });
}
test('e', () => {});
`;
  assert.deepEqual(titlesIn(source), [
    { suite: 'a', test: 'b' },
    { suite: `c \${x}`, test: "d's" },
    { suite: '', test: 'e' },
  ]);
});

it('a rule without a test, and one that names a test that is not there, are told', () => {
  assert.deepEqual(problemsOf({ says: '', tests: {} }), ['no test shows it']);
  assert.deepEqual(problemsOf({ says: '', tests: { oco: ['no such test'] } }), ['oco has no test "no such test"']);
});
