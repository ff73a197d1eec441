/** Each rule of docs/semantics.md has a test that names it, and docs/internal/semantics-coverage.md says which. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import {
  coverageDocument,
  problemsOf,
  problemsOfText,
  readSections,
  readTests,
  sectionsIn,
  testsIn,
  unknownMentions,
} from './coverage.ts';

it('each rule has an id; the ids of a section count from 1', () => {
  assert.deepEqual(problemsOfText(readSections()), []);
});

it('each rule has a test, and each test that names a rule names one that is there', () => {
  assert.deepEqual(problemsOf(readSections(), readTests()), []);
});

it('docs/internal/semantics-coverage.md lists them: `npm run docs:semantics` makes it', () => {
  const written = readFileSync(new URL('../../docs/internal/semantics-coverage.md', import.meta.url), 'utf8');
  assert.equal(written, coverageDocument(readSections(), readTests()));
});

const DOCUMENT = `# Title

**1.9** no rule: outside the sections

## 1. First

### A heading

**1.1** one
goes on:
- here

**1.2** two

**1.3** three

## 2. Second

| kind | type |
|---|---|
| **2.1** LIMIT | 76 |

**2.2** last

## Appendix

no rule
`;

it('documents and comments mention only rules that are there', () => {
  const root = new URL('../../', import.meta.url);
  const paths = globSync(['docs/*.md', 'src/**/*.ts'], { cwd: root });
  const sections = readSections();
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
  assert.deepEqual(
    paths.flatMap((path) => unknownMentions(sections, path, read(path))),
    [],
  );
  assert.deepEqual(unknownMentions(sectionsIn(DOCUMENT), 'f', 'rule 1.2, rules 1.3 to 1.4, rules version 2.5'), [
    'f mentions rule 1.4, which docs/semantics.md has not',
  ]);
});

it('a rule is a paragraph or a table row that begins with its id', () => {
  assert.deepEqual(sectionsIn(DOCUMENT), [
    {
      number: 1,
      title: 'First',
      rules: [
        { id: '1.1', text: 'one goes on: - here' },
        { id: '1.2', text: 'two' },
        { id: '1.3', text: 'three' },
      ],
      loose: [],
    },
    {
      number: 2,
      title: 'Second',
      rules: [
        { id: '2.1', text: 'LIMIT | 76' },
        { id: '2.2', text: 'last' },
      ],
      loose: [],
    },
  ]);
});

it('an id that is missing, given twice, out of order or of another section is a problem', () => {
  const document = `## 4. Fourth

no id

**4.1** one

**4.1** again

**5.3** elsewhere

| kind |
|---|
| no id |
| **4.4** row |
| no id either |
`;
  assert.deepEqual(problemsOfText(sectionsIn(document)), [
    'rule 4.1 stands where 4.2 is due',
    'rule 5.3 stands where 4.3 is due',
    "section 4 has text without a rule's id: no id",
    "section 4 has text without a rule's id: | no id |",
    "section 4 has text without a rule's id: | no id either |",
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

it('a withdrawn rule keeps its id, needs no test, and may not be named by one', () => {
  const sections = sectionsIn('## 1. First\n\n**1.1** Withdrawn.\n\n**1.2** two\n');
  assert.deepEqual(problemsOfText(sections), []);
  assert.deepEqual(problemsOf(sections, testsIn(`it('a', { rule: '1.2' }, () => {});`, 'f')), []);
  assert.deepEqual(problemsOf(sections, testsIn(`it('a', { rule: ['1.1', '1.2'] }, () => {});`, 'f')), [
    'f: "a" names rule 1.1, which docs/semantics.md has not',
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
