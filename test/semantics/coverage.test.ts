/** Each rule of docs/semantics.md has a test that names it, and docs/semantics-coverage.md says which. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { coverageDocument, problemsOf, readSections, readTests, sectionsIn, testsIn } from './coverage.ts';

it('each rule has a test, and each test that names a rule names one that is there', () => {
  assert.deepEqual(problemsOf(readSections(), readTests()), []);
});

it('docs/semantics-coverage.md lists them: `npm run docs:semantics` makes it', () => {
  const written = readFileSync(new URL('../../docs/semantics-coverage.md', import.meta.url), 'utf8');
  assert.equal(written, coverageDocument(readSections(), readTests()));
});

const DOCUMENT = `# Title

1. no rule

## 1. First
1. one
2. two

- three

## 2. Second
| kind | type |
|---|---|
| LIMIT | 76 |

- last
`;

it('a rule is a bullet, a numbered item or a table row, counted in its section', () => {
  assert.deepEqual(sectionsIn(DOCUMENT), [
    {
      number: 1,
      title: 'First',
      rules: [
        { id: '1.1', text: 'one' },
        { id: '1.2', text: 'two' },
        { id: '1.3', text: 'three' },
      ],
    },
    {
      number: 2,
      title: 'Second',
      rules: [
        { id: '2.1', text: 'LIMIT | 76' },
        { id: '2.2', text: 'last' },
      ],
    },
  ]);
});

const SOURCE = `describe('a', { rule: '1.1' }, () => {
  it('b', { rule: ['1.2', '1.3'], timeout: 5 }, () => {});
});
for (const x of y) {
  describe(\`c \${x}\`, () => {
    it(
      'd\\'s',
      { rule: '2.1' },
      () => {},
    );
    it(x.name, { rule: '2.2' }, () => {});
  });
}
test('e', () => {});
`;

it('a test has the rules of its own options and of the suites around it', () => {
  assert.deepEqual(testsIn(SOURCE, 'f'), [
    { file: 'f', title: 'a › b', rules: ['1.1', '1.2', '1.3'] },
    { file: 'f', title: `c \${x} › d's`, rules: ['2.1'] },
    { file: 'f', title: `c \${x} › \${x.name}`, rules: ['2.2'] },
    { file: 'f', title: 'e', rules: [] },
  ]);
  assert.throws(() => testsIn(`it('a', { rule }, () => {});`, 'f'), /f: a: write the rule's id as text/);
  assert.throws(
    () => testsIn(`it('a', { rule: '1.1', on: { a: 1 } }, () => {});`, 'f'),
    /f: not every rule option is read/,
  );
});

it('a rule without a test and a rule that is not there are problems', () => {
  const sections = sectionsIn(DOCUMENT);
  const tests = testsIn(`it('a', { rule: ['1.1', '1.2', '2.1', '3.1'] }, () => {});`, 'f');
  assert.deepEqual(problemsOf(sections, tests), [
    'f: "a" names rule 3.1, which docs/semantics.md has not',
    'rule 1.3 has no test',
    'rule 2.2 has no test',
  ]);
});

it('the document lists each rule with its tests', () => {
  const document = coverageDocument(sectionsIn(DOCUMENT), testsIn(SOURCE, 'f'));
  const [, rules] = document.split(/(?=## 2)/);
  assert.equal(
    rules,
    `## 2. Second

**2.1** LIMIT | 76

- \`f\` c \${x} › d's

**2.2** last

- \`f\` c \${x} › \${x.name}
`,
  );
});
