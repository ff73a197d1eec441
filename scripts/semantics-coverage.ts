/** Writes docs/internal/semantics-coverage.md from docs/semantics.md and the tests. A rule without a test is an error. */
import { writeFileSync } from 'node:fs';
import { coverageDocument, problemsOf, problemsOfText, readSections, readTests } from '../test/semantics/coverage.ts';

const sections = readSections();
const tests = readTests();
writeFileSync(new URL('../docs/internal/semantics-coverage.md', import.meta.url), coverageDocument(sections, tests));
const problems = [...problemsOfText(sections), ...problemsOf(sections, tests)];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
