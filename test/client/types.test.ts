/** The client's types are those of the routes and topics that serve. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { clientTypes } from '../../scripts/client-types/typescript.ts';
import { openApiDocument } from '../../src/api/shared/openapi.ts';
import { asyncApiDocument } from '../../src/api/streams/asyncapi.ts';
import type { BourseClient } from '../../src/client/client.ts';
import { SURFACES } from '../../src/start.ts';

test('src/client/types.ts is up to date: npm run client:types', () => {
  const written = readFileSync(new URL('../../src/client/types.ts', import.meta.url), 'utf8');
  const { version } = manifest;
  assert.equal(written, clientTypes(openApiDocument(SURFACES, version), asyncApiDocument(version)));
});

test('every route and every topic is in the types', () => {
  const written = readFileSync(new URL('../../src/client/types.ts', import.meta.url), 'utf8');
  const [, routes] = written.split('export interface Routes');
  const paths = [...routes.matchAll(/^ {4}'(\/[^']+)': \{$/gm)].map(([, path]) => path);
  const served = SURFACES.flatMap(({ basePath, routes }) => routes.map(({ path }) => basePath + path));
  assert.deepEqual(paths.sort(), served.sort());
});

const schema = (title: string, properties: object) => ({ title, type: 'object', required: ['a'], properties });

test('a schema becomes the type that says the same', () => {
  const properties = {
    a: { type: 'integer', description: 'A number' },
    b: { type: ['number', 'string'], format: 'decimal' },
    c: { oneOf: [{ $ref: '#/components/schemas/Side' }, { type: 'null' }] },
    d: { type: 'array', items: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 } },
    e: { type: 'object', additionalProperties: { type: 'boolean' } },
    'f-g': { type: 'string', const: 'x' },
    h: { type: 'object', properties: {} },
    i: { type: 'array', items: { type: ['string', 'null'] } },
  };
  const schemas = { Thing: schema('Thing', properties), Side: { type: 'string', enum: ['BUY', 'SELL'] } };
  const written = clientTypes({ paths: {}, components: { schemas } }, { components: { messages: {}, schemas: {} } });
  assert.ok(
    written.includes(`export interface Thing {
  /** A number */
  a: number;
  b?: Decimal;
  c?: Side | null;
  d?: [string, string][];
  e?: Record<string, boolean>;
  'f-g'?: 'x';
  h?: Record<string, never>;
  i?: Array<string | null>;
}

export type Side = 'BUY' | 'SELL';
`),
    written,
  );
  const unknown = { Thing: schema('Thing', { a: { type: 'text' } }) };
  const documents = [{ paths: {}, components: { schemas: unknown } }, { components: { messages: {}, schemas: {} } }];
  assert.throws(() => clientTypes(documents[0], documents[1]), /the type text has no counterpart/);
});

test('the compiler refuses what the venue would refuse', () => {
  // Never called: the type check of the project reads it.
  async function compiled(client: BourseClient): Promise<unknown[]> {
    const [order] = await client.request('POST', '/spot/api/v4/trade/orders', {
      body: { symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'LIMIT', orderSize: '0.1', orderPrice: 60_000 },
    });
    // @ts-expect-error A MARKET BUY is sized by what it spends.
    await client.placeSpotOrder({ symbol: 'BTC-USDT', orderSide: 'BUY', orderType: 'MARKET', orderSize: 1 });
    // @ts-expect-error There is no such path.
    await client.request('GET', '/spot/api/v4/trade/odrer');
    // @ts-expect-error It needs a symbol.
    await client.request('DELETE', '/spot/api/v4/trade/orders');
    // @ts-expect-error There is no such path with this method.
    await client.request('POST', '/spot/api/v3.3/time', {});
    // @ts-expect-error There is no such topic on spot.
    await client.subscribe('spot', 'fillsV2', () => {});
    // @ts-expect-error There is no such field in it.
    await client.subscribe('futures', 'fillsV2', ([{ sise }]) => sise);
    await client.subscribe('futures', 'update:BTC-PERP_0', ({ bids }) => bids[0][0].length);
    const { epoch } = await client.request('GET', '/spot/api/v3.3/time');
    return [order.orderId, epoch];
  }
  assert.equal(typeof compiled, 'function');
});
