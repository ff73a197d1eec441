/** Writes docs/semantics-coverage.md from test/semantics/rules.ts; a rule without a test is an error. */
import { writeFileSync } from 'node:fs';
import { coverageDocument, problemsOf } from '../test/semantics/coverage.ts';
import { sections } from '../test/semantics/rules.ts';

writeFileSync(new URL('../docs/semantics-coverage.md', import.meta.url), coverageDocument(sections));
const problems = sections.flatMap(({ rules }) =>
  rules.flatMap((rule) => problemsOf(rule).map((p) => `${rule.says} ${p}`)),
);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
