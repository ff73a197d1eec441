import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { openApiDocument } from '../../src/api/openapi.ts';
import { SURFACES } from '../../src/start.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into freely
const document: any = JSON.parse(JSON.stringify(openApiDocument(SURFACES, manifest.version)));

test('docs/openapi.json is what the routes say: npm run docs:openapi writes it', () => {
  const written = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
  assert.deepEqual(JSON.parse(written), document);
});

test('every route is in it, private ones with their credentials and permission', () => {
  for (const { basePath, routes } of SURFACES) {
    for (const { method, path, permission } of routes) {
      const operation = document.paths[basePath + path][method.toLowerCase()];
      assert.equal(operation['x-permission'], permission ?? undefined);
      assert.equal(operation.security === undefined, permission === null);
    }
  }
});

test('operation ids are unique', () => {
  const ids = Object.values(document.paths).flatMap((path) =>
    Object.values(path as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
  );
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.length >= 10);
});

test('fields carry their rules', () => {
  const create = document.paths['/futures/api/v2.3/order'].post.requestBody.content['application/json'].schema;
  assert.ok(create.required.includes('symbol'));
  assert.deepEqual(create.properties.side.enum, ['BUY', 'SELL']);
  assert.deepEqual(create.properties.price.type, ['number', 'string']);
});
