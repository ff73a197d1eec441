/** The control surface in the OpenAPI document: its routes with examples, and what its port serves without a token. */
import type { TSchema } from 'typebox';
import type { Addition } from '../shared/openapi.ts';
import { type Components, examplesOf, type Json, parameters } from '../shared/openapi-components.ts';
import { DOCUMENT_PATHS } from '../shared/served-documents.ts';
import type { ControlExample, ControlRoute } from './context.ts';
import { ROUTES } from './routes.ts';
import { CONTROL_ERROR } from './schemas/replies.ts';

const PREFIX = '/control/v1';
const SECURITY = 'control-token';

const TAG = {
  name: 'control',
  description: `${PREFIX}: clock, prices, accounts, keys, faults, the past and the state of a venue, on another port`,
};

export const CONTROL_SURFACE: Addition = {
  tag: TAG,
  securitySchemes: { [SECURITY]: { type: 'http', scheme: 'bearer', description: 'A control token' } },
  paths: (components) => ({ ...controlPaths(components), ...openPaths(components) }),
};

/** It is not on the port for clients. */
const SERVERS = [
  {
    url: 'http://{host}:{controlPort}',
    description: 'As in the ready line of `bourse start`',
    variables: { host: { default: '127.0.0.1' }, controlPort: { default: '8081' } },
  },
];

/** Every {name} in a path, with the value that it has in examples. */
export const PATH_PARAMETERS: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  account: { description: 'Name of an account', example: 'alice' },
  key: { description: 'An API key', example: 'alice-key' },
  name: { description: 'A name that was chosen', example: 'base' },
  orderId: { description: 'Order id or its beginning, or with account a client id', example: 'my-first' },
  seq: { description: 'Sequence number of a command', example: '3' },
  symbol: { description: 'Market symbol', example: 'BTC-PERP' },
};

function controlPaths(components: Components): Record<string, Json> {
  const paths: Record<string, Json> = {};
  for (const route of ROUTES) {
    const path = PREFIX + route.path;
    paths[path] = { servers: SERVERS, ...paths[path], [route.method.toLowerCase()]: operation(route, components) };
  }
  return paths;
}

/** What needs no token. The port for clients has the documents, too. */
function openPaths(components: Components): Record<string, Json> {
  const text = { 'text/plain': { schema: { type: 'string' } } };
  const json = { 'application/json': { schema: { type: 'object' } } };
  const get = (path: string, summary: string, content: Json, others: Json = {}) => ({
    tags: [TAG.name],
    operationId: `control GET ${path}`.replaceAll(/[^A-Za-z0-9]+/g, '_'),
    summary,
    security: [],
    responses: { 200: { description: 'Done', content }, ...others, ...refused(components) },
  });
  const unready = { 503: { description: 'Not ready', content: text } };
  return {
    '/livez': { servers: SERVERS, get: get('/livez', 'Whether the process answers', text) },
    '/readyz': { servers: SERVERS, get: get('/readyz', 'Whether the venue accepts orders', text, unready) },
    ...Object.fromEntries(
      DOCUMENT_PATHS.map((path) => [path, { get: get(path, 'A document of the interface for programs', json) }]),
    ),
  };
}

function operation(route: ControlRoute, components: Components): Json {
  const { method, path, scope, summary, takes = {}, examples = {} } = route;
  const query = takes.query === undefined ? [] : parameters(takes.query, components);
  const all = [...pathParameters(path, examples), ...query.map((parameter) => withExample(parameter, examples))];
  return {
    tags: [TAG.name],
    operationId: `control ${method} ${path}`.replaceAll(/[^A-Za-z0-9]+/g, '_').replace(/_$/, ''),
    summary,
    security: [{ [SECURITY]: [] }],
    'x-scope': scope,
    ...(all.length > 0 && { parameters: all }),
    ...(takes.body !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: components.of(takes.body), examples: examplesOf(bodiesOf(examples)) },
        },
      },
    }),
    responses: { ...done(route, components), ...refused(components) },
  };
}

function pathParameters(path: string, examples: Readonly<Record<string, ControlExample>>): Json[] {
  const [first] = Object.values(examples);
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const { description, example } = PATH_PARAMETERS[name];
    const schema = { type: 'string' };
    return { name, in: 'path', required: true, description, schema, example: first?.path?.[name] ?? example };
  });
}

function withExample(parameter: Json, examples: Readonly<Record<string, ControlExample>>): Json {
  const given = Object.values(examples).find(({ query = {} }) => Object.hasOwn(query, parameter.name as string));
  return given === undefined ? parameter : { ...parameter, example: given.query?.[parameter.name as string] };
}

function bodiesOf(examples: Readonly<Record<string, ControlExample>>): Readonly<Record<string, object>> {
  return Object.fromEntries(Object.entries(examples).flatMap(([what, { body }]) => (body ? [[what, body]] : [])));
}

function done({ reply, upgrades, mayBeUnready }: ControlRoute, components: Components): Json {
  if (upgrades) return { 101: { description: 'Switching to WebSocket: docs/operating.md, "The control stream"' } };
  const content = contentOf(reply, components);
  return {
    200: { description: 'Done', content },
    ...(mayBeUnready && { 503: { description: 'Not ready: `reasons` say why', content } }),
  };
}

/** A reply that is a text is sent as such. */
function contentOf(reply: TSchema, components: Components): Json {
  const { type, contentMediaType = 'text/plain' } = reply as { type?: unknown; contentMediaType?: string };
  return { [type === 'string' ? contentMediaType : 'application/json']: { schema: components.of(reply) } };
}

function refused(components: Components): Json {
  const content = { 'application/json': { schema: components.of(CONTROL_ERROR) } };
  return {
    400: { description: 'Malformed or refused; the request had no effect', content },
    default: { description: 'Refused, or not ready', content },
  };
}
