/**
 * Which test shows which rule of docs/semantics.md. Both sides are read from the texts, so there is no list to keep:
 * - a rule is a paragraph or a table row that begins with its id in bold, `**5.3** …`: the section's number and its own;
 * - a test names the rules it shows in its options, `it('…', { rule: '5.3' }, …)` or `{ rule: ['5.3', '5.4'] }`; those of a
 *   `describe` count for every test in it.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Section {
  readonly number: number;
  readonly title: string;
  readonly rules: readonly { readonly id: string; readonly text: string }[];
  /** Lines that belong to no rule. There should be none. */
  readonly loose: readonly string[];
}

export interface NamedTest {
  /** Its path under test, without the ending. */
  readonly file: string;
  /** The suites around it and its own title. A placeholder in it stands for each text of a loop. */
  readonly title: string;
  readonly rules: readonly string[];
}

const HEADING = /^## (?:(\d+)\. )?(.*)$/;
const RULE_START = /^(?:\| *)?\*\*(\d+\.\d+)\*\* +(.*?)(?: *\|)?$/;
const RULER = /^\|[-|: ]+\|$/;

/** The numbered sections. A blank line ends a rule, and so does the next row of a table. */
export function sectionsIn(document: string): Section[] {
  const sections: { number: number; title: string; rules: { id: string; text: string }[]; loose: string[] }[] = [];
  const lines = document.split('\n');
  let section: (typeof sections)[number] | undefined;
  let rule: { id: string; text: string } | undefined;
  lines.forEach((line, i) => {
    const [, number, title] = HEADING.exec(line) ?? [];
    if (title !== undefined) {
      section = number === undefined ? undefined : { number: Number(number), title, rules: [], loose: [] };
      if (section !== undefined) sections.push(section);
    }
    if (line === '' || line.startsWith('#')) rule = undefined;
    const isTableHead = RULER.test(line) || RULER.test(lines[i + 1] ?? '');
    if (section === undefined || line === '' || line.startsWith('#') || isTableHead) return;
    const [, id, text] = RULE_START.exec(line) ?? [];
    if (id !== undefined) {
      rule = { id, text };
      section.rules.push(rule);
    } else if (rule === undefined || line.startsWith('|')) section.loose.push(line);
    else rule.text += ` ${line}`;
  });
  return sections;
}

/** The text that keeps the place of a rule that is no longer in force, so that its id is never given to another one. */
const WITHDRAWN = 'Withdrawn.';

/** Ids that do not count 1, 2, 3 … in their section, and text without an id. */
export function problemsOfText(sections: readonly Section[]): string[] {
  return sections.flatMap(({ number, rules, loose }) => [
    ...rules.flatMap(({ id }, i) => {
      const expected = `${number}.${i + 1}`;
      return id === expected ? [] : [`rule ${id} stands where ${expected} is due`];
    }),
    ...loose.map((line) => `section ${number} has text without a rule's id: ${line}`),
  ]);
}

/** A title with its options, if it has some; or the end of what a suite is made of. */
const TITLE =
  /^( *)(?:(describe|it|test)\(\s*(?:(['"`])((?:\\.|(?!\3)[^\\])*)\3|([\w.]+))(?:,\s*\{([^{}]*)\})?,|\}\);)/gm;
const OPTION = /(?<!\w)rule: *\[?\s*'\d+\.\d+'/g;
const RULE = /(?<!\w)rule\b(?:: *('[^']*'|\[[^\]]*\]))?/;

/** The tests of a source text, each with the suites around it (told by indentation) and the rules that these name. */
export function testsIn(source: string, file: string): NamedTest[] {
  const tests: NamedTest[] = [];
  const suites: { indent: number; title: string; rules: string[] }[] = [];
  let read = 0;
  for (const [, space, what, , quoted, variable, options = ''] of source.matchAll(TITLE)) {
    while (suites.length > 0 && suites[suites.length - 1].indent >= space.length) suites.pop();
    if (what === undefined) continue;
    const title = quoted?.replace(/\\(.)/g, '$1') ?? `\${${variable}}`;
    const rules = rulesIn(options, `${file}: ${title}`);
    if (rules.length > 0) read++;
    if (what === 'describe') suites.push({ indent: space.length, title, rules });
    else {
      tests.push({
        file,
        title: [...suites.map((suite) => suite.title), title].join(' › '),
        rules: [...new Set([...suites.flatMap((suite) => suite.rules), ...rules])],
      });
    }
  }
  if (read !== (source.match(OPTION)?.length ?? 0)) {
    throw new Error(`${file}: not every rule option is read: write test('title', { rule: '5.3' }, body)`);
  }
  return tests;
}

function rulesIn(options: string, where: string): string[] {
  const found = RULE.exec(options);
  if (found === null) return [];
  const ids = [...(found[1] ?? '').matchAll(/'([^']*)'/g)].map(([, id]) => id);
  if (ids.length === 0) throw new Error(`${where}: write the rule's id as text, { rule: '5.3' } or a list of such`);
  return ids;
}

export function readSections(): Section[] {
  return sectionsIn(readFileSync(`${ROOT}docs/semantics.md`, 'utf8'));
}

export function readTests(): NamedTest[] {
  // The tests of this very reader hold source texts that are no tests.
  const files = globSync('test/**/*.test.ts', { cwd: ROOT, exclude: ['test/semantics/coverage.test.ts'] }).sort();
  return files.flatMap((path) =>
    testsIn(readFileSync(ROOT + path, 'utf8'), path.slice('test/'.length, -'.test.ts'.length)),
  );
}

/** Ids that are named and not there, and rules without a test. */
export function problemsOf(sections: readonly Section[], tests: readonly NamedTest[]): string[] {
  const inForce = sections.flatMap(({ rules }) => rules.filter(({ text }) => text !== WITHDRAWN));
  const ids = new Set(inForce.map(({ id }) => id));
  const shown = new Set(tests.flatMap(({ rules }) => rules));
  const unknown = tests.flatMap(({ file, title, rules }) =>
    rules
      .filter((id) => !ids.has(id))
      .map((id) => `${file}: "${title}" names rule ${id}, which docs/semantics.md has not`),
  );
  return [...unknown, ...[...ids].filter((id) => !shown.has(id)).map((id) => `rule ${id} has no test`)];
}

const MENTION = /\brules? (\d+\.\d+)(?: (?:to|and) (\d+\.\d+))?/g;

/** Mentions of rules in a text, "rule 5.3" or "rules 5.3 to 5.5", whose id is not there. */
export function unknownMentions(sections: readonly Section[], path: string, text: string): string[] {
  const ids = new Set(sections.flatMap(({ rules }) => rules.map(({ id }) => id)));
  const named = [...text.matchAll(MENTION)].flatMap(([, first, last]) =>
    last === undefined ? [first] : [first, last],
  );
  return named.filter((id) => !ids.has(id)).map((id) => `${path} mentions rule ${id}, which docs/semantics.md has not`);
}

const OPENING_LENGTH = 150;

/** Enough of a rule to recognise it. */
function opening(text: string): string {
  if (text.length <= OPENING_LENGTH) return text;
  const cut = text.slice(0, text.lastIndexOf(' ', OPENING_LENGTH));
  // An emphasis or a code span that the cut opens and does not close would run on into the dots.
  return `${['**', '`'].reduce((whole, mark) => (whole.split(mark).length % 2 === 0 ? whole + mark : whole), cut)} …`;
}

const HEAD = `# Coverage of the rules

The rules of [semantics.md](../semantics.md) by their opening words, and the tests that show each: the file under test, the suite
and the title. \`npm run docs:semantics\` makes this document from semantics.md and from the \`rule\` option of the tests. A test
fails when it is stale, when a test names a rule that is not there, and when a rule has no test.
`;

export function coverageDocument(sections: readonly Section[], tests: readonly NamedTest[]): string {
  const parts = [HEAD];
  for (const { number, title, rules } of sections) {
    parts.push(`## ${number}. ${title}\n`);
    for (const { id, text } of rules) {
      parts.push(`**${id}** ${opening(text)}\n`);
      const lines = tests.filter((test) => test.rules.includes(id)).map(({ file, title }) => `- \`${file}\` ${title}`);
      if (lines.length > 0) parts.push(`${lines.join('\n')}\n`);
    }
  }
  return `${parts.join('\n').trimEnd()}\n`;
}
