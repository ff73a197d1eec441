/** Writes docs/asyncapi.json, and the table of topics in docs/streams.md, from the topics. */
import { readFileSync, writeFileSync } from 'node:fs';
import manifest from '../package.json' with { type: 'json' };
import { asyncApiDocument, topicsTable } from '../src/api/streams/asyncapi.ts';

const docs = new URL('../docs/', import.meta.url);
writeFileSync(new URL('asyncapi.json', docs), `${JSON.stringify(asyncApiDocument(manifest.version), null, 2)}\n`);

const streams = new URL('streams.md', docs);
const table = /(?<=<!-- topics:[^\n]*-->\n).*?(?=<!-- end of topics -->)/s;
writeFileSync(streams, readFileSync(streams, 'utf8').replace(table, topicsTable()));
