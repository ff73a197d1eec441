/** The documents of the streams are up to date. That every topic sends such frames is shown by test/conformance/streams.ts. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { asyncApiDocument, topicsTable } from '../../src/api/streams/asyncapi.ts';

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

test('docs/asyncapi.json and the table of docs/streams.md are up to date: npm run docs:asyncapi', () => {
  assert.equal(read('asyncapi.json'), `${JSON.stringify(asyncApiDocument(manifest.version), null, 2)}\n`);
  assert.ok(read('streams.md').includes(topicsTable()));
});
