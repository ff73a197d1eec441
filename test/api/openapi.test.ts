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

// biome-ignore-start lint/suspicious/noExplicitAny: the document is looked into freely
test('variants of a body can be told apart by their constants', () => {
  let bodies = 0;
  for (const [path, operations] of Object.entries<Record<string, any>>(document.paths)) {
    for (const [method, { requestBody }] of Object.entries(operations)) {
      const variants = requestBody?.content['application/json'].schema.anyOf as any[] | undefined;
      if (variants === undefined) continue;
      bodies++;
      // Two variants differ in a field whose values they do not share.
      variants.forEach((one, i) => {
        for (const other of variants.slice(0, i)) {
          const apart = Object.keys(one.properties).filter((name) => {
            const [these, those] = [valuesOf(one.properties[name]), valuesOf(other.properties[name])];
            return these.length > 0 && those.length > 0 && !these.some((value) => those.includes(value));
          });
          assert.ok(apart.length > 0, `${method} ${path}: ${JSON.stringify([one.properties, other.properties])}`);
        }
      });
    }
  }
  assert.ok(bodies >= 5);
  const algo = document.paths['/spot/api/v4/trade/orders/algo'].post.requestBody.content['application/json'].schema;
  assert.deepEqual(
    algo.anyOf.map(({ properties }: any) => properties.orderType.const),
    ['CONDITIONAL', 'CONDITIONAL', 'CONDITIONAL', 'OCO', 'PEG', 'TRAILING', 'TRAILING', 'TWAP'],
  );
});

// biome-ignore-end lint/suspicious/noExplicitAny: to here

function valuesOf(schema: { const?: string; enum?: string[] } | undefined): string[] {
  return schema?.enum ?? (schema?.const === undefined ? [] : [schema.const]);
}
