/** Writes docs/openapi.json, and the table of routes in docs/http.md, from the routes. */
import { readFileSync, writeFileSync } from 'node:fs';
import manifest from '../package.json' with { type: 'json' };
import { CONTROL_SURFACE } from '../src/api/control/openapi.ts';
import { openApiDocument, routesTable } from '../src/api/shared/openapi.ts';
import { SURFACES } from '../src/start.ts';

const docs = new URL('../docs/', import.meta.url);
const document = openApiDocument(SURFACES, manifest.version, [CONTROL_SURFACE]);
writeFileSync(new URL('openapi.json', docs), `${JSON.stringify(document, null, 2)}\n`);

const http = new URL('http.md', docs);
const table = /(?<=<!-- routes:[^\n]*-->\n).*?(?=<!-- end of routes -->)/s;
writeFileSync(http, readFileSync(http, 'utf8').replace(table, routesTable(SURFACES)));
