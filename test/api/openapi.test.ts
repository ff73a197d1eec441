import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import Type, { type TSchema } from 'typebox';
import manifest from '../../package.json' with { type: 'json' };
import { CONTROL_SURFACE } from '../../src/api/control/openapi.ts';
import { openApiDocument } from '../../src/api/shared/openapi.ts';
import type { Surface } from '../../src/api/shared/surface.ts';
import { SURFACES } from '../../src/start.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into freely
const document: any = JSON.parse(JSON.stringify(openApiDocument(SURFACES, manifest.version, [CONTROL_SURFACE])));

test('docs/openapi.json is what the routes say: npm run docs:openapi writes it', () => {
  const written = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
  assert.deepEqual(JSON.parse(written), document);
});

interface Operation {
  readonly path: string;
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: the document is looked into freely
  readonly operation: any;
}

/** Those of the trading surfaces; test/control/openapi.test.ts has the others. */
const operations: Operation[] = Object.entries(document.paths)
  .filter(([path]) => SURFACES.some(({ basePath }) => path.startsWith(`${basePath}/`)))
  .flatMap(([path, methods]) =>
    Object.entries(methods as object).map(([method, operation]) => ({ path, method, operation })),
  );

test('every route is in it, private ones with their credentials and permission, public ones with none', () => {
  for (const { basePath, routes } of SURFACES) {
    for (const { method, path, permission } of routes) {
      const operation = document.paths[basePath + path][method.toLowerCase()];
      assert.equal(operation['x-permission'], permission ?? undefined);
      const credentials = { 'request-api': [], 'request-nonce': [], 'request-sign': [] };
      assert.deepEqual(operation.security, permission === null ? [] : [credentials]);
    }
  }
});

test('every route says what a 200 holds, and what a 400', () => {
  for (const { path, method, operation } of operations) {
    const where = `${method} ${path}`;
    const { schema } = operation.responses[200].content['application/json'];
    assert.ok(schema.$ref !== undefined || schema.type !== undefined, where);
    const error = path.startsWith('/futures') ? 'ErrorA' : 'ErrorB';
    for (const status of ['400', 'default']) {
      const refused = operation.responses[status].content['application/json'].schema;
      assert.deepEqual(refused, { $ref: `#/components/schemas/${error}` }, where);
    }
  }
});

/** Every schema in the document, at any depth. */
// biome-ignore lint/suspicious/noExplicitAny: the document is looked into freely
function* within(value: any): Generator<any> {
  if (value === null || typeof value !== 'object') return;
  yield value;
  for (const member of Object.values(value)) yield* within(member);
}

test('every variant and every enum is a component with a title', () => {
  let [variants, enums] = [0, 0];
  for (const { enum: values, oneOf, anyOf, title } of within(document)) {
    assert.equal(anyOf, undefined, 'variants are a oneOf');
    for (const branch of Array.isArray(oneOf) ? oneOf : []) {
      variants++;
      assert.ok(branch.$ref !== undefined || branch.type === 'null', JSON.stringify(branch));
    }
    if (!Array.isArray(values)) continue;
    enums++;
    assert.deepEqual(document.components.schemas[title]?.enum, values, JSON.stringify(values));
  }
  assert.ok(variants > 20 && enums > 15, `${variants} variants, ${enums} enums`);
  for (const [name, { title }] of Object.entries<{ title?: string }>(document.components.schemas)) {
    if (!name.startsWith('Error')) assert.equal(title, name);
  }
});

test('every component is used, and every reference has its component', () => {
  const used = new Set([...within(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : [])));
  const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
  assert.deepEqual([...used].sort(), known.sort());
});

test('one title for two schemas, and an enum without a title, are mistakes of the program', () => {
  const surface = (reply: TSchema): Surface[] => {
    const routes = [{ method: 'GET', path: '/x', permission: null, summary: 'x', reply, handle: () => ({}) } as const];
    return [{ name: 'x', envelope: 'B', basePath: '/x', unsignedPrefix: '', routes }];
  };
  const named = (title: string) => Type.Object({}, { title });
  const side = Type.Unsafe<string>({ type: 'string', enum: ['BUY', 'SELL'] });
  for (const [one, other, clash] of [
    [named('A'), named('A'), /two schemas are called A/],
    [named('Side'), side, /two schemas are called Side/],
    [side, named('Side'), /two schemas are called Side/],
  ] as const) {
    assert.throws(() => openApiDocument(surface(Type.Union([one, other])), '1'), clash);
  }
  const nameless = Type.Unsafe<string>({ type: 'string', enum: ['x', 'y'] });
  assert.throws(() => openApiDocument(surface(nameless), '1'), /the enum x y has no name/);
});

test('operation ids are unique', () => {
  const ids = Object.values(document.paths).flatMap((path) =>
    Object.values(path as Record<string, { operationId?: string }>).flatMap(({ operationId }) => operationId ?? []),
  );
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.length >= 10);
});

test('fields carry their rules', () => {
  const create = resolved(
    document.paths['/futures/api/v2.3/order'].post.requestBody.content['application/json'].schema,
  );
  assert.ok(create.required.includes('symbol'));
  assert.deepEqual(resolved(create.properties.side).enum, ['BUY', 'SELL']);
  assert.deepEqual(create.properties.price.type, ['number', 'string']);
});

// biome-ignore-start lint/suspicious/noExplicitAny: the document is looked into freely
test('variants of a body can be distinguished by their constants', () => {
  let bodies = 0;
  for (const [path, operations] of Object.entries<Record<string, any>>(document.paths)) {
    for (const [method, { requestBody }] of Object.entries(operations)) {
      const branches = requestBody?.content['application/json'].schema.oneOf as any[] | undefined;
      if (branches === undefined) continue;
      const variants = branches.map(resolved);
      bodies++;
      // Two variants differ in a field whose values they do not share.
      variants.forEach((one, i) => {
        for (const other of variants.slice(0, i)) {
          const apart = Object.keys(one.properties).filter((name) => {
            const [these, those] = [
              valuesOf(resolved(one.properties[name])),
              valuesOf(resolved(other.properties[name])),
            ];
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
    algo.oneOf.map(resolved).map(({ properties }: any) => properties.orderType.const),
    ['CONDITIONAL', 'CONDITIONAL', 'CONDITIONAL', 'OCO', 'PEG', 'TRAILING', 'TRAILING', 'TWAP'],
  );
});

function resolved(schema: any): any {
  return schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').pop()];
}

// biome-ignore-end lint/suspicious/noExplicitAny: to here

function valuesOf(schema: { const?: string; enum?: string[] } | undefined): string[] {
  return schema?.enum ?? (schema?.const === undefined ? [] : [schema.const]);
}
