/**
 * The OpenAPI 3.1 document, made from the routes and their schemas and from the error table: what is documented is what
 * is read and answered. And the same routes as a table, for people.
 */
import { type Envelope, ERRORS, type Reason } from './errors.ts';
import type { Route, Surface } from './surface.ts';

type Json = Record<string, unknown>;

const CREDENTIALS = ['request-api', 'request-nonce', 'request-sign'] as const;

const DESCRIPTION = `A trading venue behind the BTSE wire interface.

Private routes take three headers: request-api (the key), request-nonce (epoch milliseconds) and request-sign, the
lower-case hex HMAC-SHA384 under the secret over path + nonce + body. The path is signed without query, and without
/spot or /futures in front; the body is signed byte for byte. btse-api, btse-nonce and btse-sign are the same headers
under their older names.

Numbers may be sent as JSON numbers or as text with the same digits; at most 15 significant digits, and nothing is
rounded: what is off a market's grid is refused with the nearest valid values.`;

export function openApiDocument(surfaces: readonly Surface[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const surface of surfaces) {
    for (const route of surface.routes) {
      const path = surface.basePath + route.path;
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(surface, route) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'bourse',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: 'http://{host}:{port}',
        description: 'As the ready line of `bourse start` says it',
        variables: { host: { default: '127.0.0.1' }, port: { default: '8080' } },
      },
    ],
    tags: surfaces.map(({ name, basePath }) => ({ name, description: basePath })),
    paths,
    components: {
      securitySchemes: Object.fromEntries(CREDENTIALS.map((name) => [name, { type: 'apiKey', in: 'header', name }])),
      schemas: { ErrorA: envelopeA(), ErrorB: envelopeB() },
    },
  };
}

/** One Markdown row a route. */
export function routesTable(surfaces: readonly Surface[]): string {
  const rows = surfaces.flatMap(({ basePath, routes }) =>
    routes.map(({ method, path, permission, summary }) => {
      return `| ${method} | \`${basePath}${path}\` | ${permission ?? ''} | ${summary} |`;
    }),
  );
  return `${['| | path | key | |', '|---|---|---|---|', ...rows].join('\n')}\n`;
}

function operation(surface: Surface, route: Route): Json {
  const { name, envelope } = surface;
  return {
    tags: [name],
    operationId: `${name} ${route.method} ${route.path}`.replaceAll(/[^A-Za-z0-9]+/g, '_'),
    summary: route.summary,
    ...(route.permission !== null && {
      security: [Object.fromEntries(CREDENTIALS.map((header) => [header, []]))],
      'x-permission': route.permission,
    }),
    ...(route.query !== undefined && { parameters: parameters(route.query) }),
    ...(route.body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: route.body } } },
    }),
    responses: {
      200: { description: 'Done', content: { 'application/json': {} } },
      default: {
        description: `Refused: envelope ${envelope}`,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/Error${envelope}` } } },
      },
    },
  };
}

function parameters(query: NonNullable<Route['query']>): Json[] {
  return Object.entries(query.properties).map(([name, schema]) => {
    const { description, ...rest } = schema as Json;
    return { name, in: 'query', required: query.required?.includes(name) ?? false, description, schema: rest };
  });
}

function envelopeA(): Json {
  return {
    description: `The errors of futures.\n\n${codes('A')}`,
    type: 'object',
    required: ['status', 'errorCode', 'message', 'extraData'],
    properties: {
      status: { type: 'integer', description: 'The HTTP status' },
      errorCode: { type: 'integer' },
      message: { type: 'string' },
      extraData: { type: 'null' },
    },
  };
}

function envelopeB(): Json {
  return {
    description: `The errors of spot, markets and wallet.\n\n${codes('B')}`,
    type: 'object',
    required: ['code', 'msg', 'time', 'data', 'success'],
    properties: {
      code: { type: 'integer' },
      msg: { type: 'string', description: 'With the prefix BADREQUEST: or UNAUTHORIZED: on statuses 400 to 404' },
      time: { type: 'integer', description: "The venue's clock, epoch ms" },
      data: {
        type: ['object', 'null'],
        description: 'Order not found: the state of the own order that has ended',
        properties: {
          orderId: { type: 'string' },
          clOrderId: { type: ['string', 'null'] },
          orderState: { type: 'string' },
        },
      },
      success: { const: false },
    },
  };
}

/** Every error that an envelope can carry, as a Markdown table. */
function codes(envelope: Envelope): string {
  const reasons = (Object.keys(ERRORS) as Reason[]).filter((reason) => ERRORS[reason].controlOnly !== true);
  const rows = reasons.map((reason) => {
    const { status, text } = ERRORS[reason];
    return `| ${status} | ${ERRORS[reason][envelope]} | ${typeof text === 'string' ? text : text[envelope]} |`;
  });
  return ['| HTTP status | code | text |', '|---|---|---|', ...rows].join('\n');
}
