/**
 * Which test shows which rule: the titles that the test files hold, checked against rules.ts, and docs/semantics-coverage.md
 * made from both. Titles are read from the source text: a title with a placeholder stands for every text in its place.
 */
import { readFileSync } from 'node:fs';
import type { Rule, Section } from './rules.ts';

export interface Title {
  readonly suite: string;
  readonly test: string;
}

const TESTS = new URL('../', import.meta.url);
/** A title, or the end of what a suite is made of. */
const TITLE = /^( *)(?:(describe|it|test)\(\s*(['"`])((?:\\.|(?!\3)[^\\])*)\3|\}\);)/gm;
const PLACEHOLDER = /\$\{[^}]*\}/g;

/** The tests of a source text, each with the suite around it (told by indentation). */
export function titlesIn(source: string): Title[] {
  const titles: Title[] = [];
  const suites: { indent: number; name: string }[] = [];
  for (const [, space, what, , text] of source.matchAll(TITLE)) {
    while (suites.length > 0 && suites[suites.length - 1].indent >= space.length) suites.pop();
    if (what === undefined) continue;
    const title = text.replace(/\\(.)/g, '$1');
    if (what === 'describe') suites.push({ indent: space.length, name: title });
    else titles.push({ suite: suites.map(({ name }) => name).join(' › '), test: title });
  }
  return titles;
}

const read = new Map<string, Title[]>();

/** Of a file by its path under test, without its ending; a name without a folder is one of this folder. */
function titlesOf(file: string): Title[] {
  let titles = read.get(file);
  if (titles === undefined) {
    const path = `${file.includes('/') ? file : `semantics/${file}`}.test.ts`;
    titles = titlesIn(readFileSync(new URL(path, TESTS), 'utf8'));
    read.set(file, titles);
  }
  return titles;
}

function isNamed({ suite, test }: Title, reference: string): boolean {
  return [test, `${suite} › ${test}`].some((title) => {
    const parts = title.split(PLACEHOLDER).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`, 's').test(reference);
  });
}

/** What is wrong with a rule: no test, or one that is not there. */
export function problemsOf({ tests }: Rule): string[] {
  const named = Object.entries(tests);
  if (named.length === 0) return ['no test shows it'];
  return named.flatMap(([file, references]) =>
    references
      .filter((reference) => !titlesOf(file).some((title) => isNamed(title, reference)))
      .map((reference) => `${file} has no test "${reference}"`),
  );
}

const HEAD = `# Coverage of the rules

Rule by rule of [semantics.md](semantics.md), in short: the tests that show it, by file under test/semantics and title, through
HTTP with the manual clock unless a folder is named. This file is made by \`npm run docs:semantics\` from test/semantics/rules.ts;
a test fails when it is stale, when a rule has no test, or names one that is not there.
`;

const cell = (text: string) => text.replaceAll('|', '\\|');

/** With its suite, where that is a plain text. */
function titleText(file: string, reference: string): string {
  const suite = titlesOf(file).find((title) => isNamed(title, reference))?.suite ?? '';
  const plain = suite !== '' && suite.search(PLACEHOLDER) < 0 && !reference.startsWith(`${suite} › `);
  return plain ? `${suite} › ${reference}` : reference;
}

function shownBy({ tests }: Rule): string {
  const lines = Object.entries(tests).flatMap(([file, references]) =>
    references.map((reference) => `\`${file}\` ${titleText(file, reference)}`),
  );
  return lines.map(cell).join('<br>');
}

export function coverageDocument(sections: readonly Section[]): string {
  const rules = sections.flatMap((section) => section.rules);
  const parts = [HEAD, `${rules.length} rules in ${sections.length} sections, each shown.\n`];
  sections.forEach(({ title, rules }, i) => {
    parts.push(`## ${i + 1}. ${title}\n`, '| | rule | shown by |', '| --- | --- | --- |');
    rules.forEach((rule, n) => {
      parts.push(`| ${i + 1}.${n + 1} | ${cell(rule.says)} | ${shownBy(rule)} |`);
    });
    parts.push('');
  });
  return `${parts.join('\n').trimEnd()}\n`;
}
