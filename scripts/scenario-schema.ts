/** Writes docs/scenario.schema.json from the form of a scenario. */
import { writeFileSync } from 'node:fs';
import { schemaText } from '../src/scenario/schema.ts';

writeFileSync(new URL('../docs/scenario.schema.json', import.meta.url), schemaText());
