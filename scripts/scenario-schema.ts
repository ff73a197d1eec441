/** Writes docs/scenario.schema.json from the form of a scenario, and the table of conditions in docs/scenarios.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { schemaText, withConditions } from '../src/scenario/schema.ts';

const at = (path: string) => new URL(`../docs/${path}`, import.meta.url);

writeFileSync(at('scenario.schema.json'), schemaText());
writeFileSync(at('scenarios.md'), withConditions(readFileSync(at('scenarios.md'), 'utf8')));
