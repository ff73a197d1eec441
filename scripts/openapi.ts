/** Writes docs/openapi.json from the routes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import manifest from '../package.json' with { type: 'json' };
import { openApiDocument } from '../src/api/openapi.ts';
import { SURFACES } from '../src/start.ts';

const docs = new URL('../docs/', import.meta.url);
mkdirSync(docs, { recursive: true });
writeFileSync(
  new URL('openapi.json', docs),
  `${JSON.stringify(openApiDocument(SURFACES, manifest.version), null, 2)}\n`,
);
