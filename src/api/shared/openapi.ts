/**
 * Creates the OpenAPI 3.1 document from the routes, their schemas and the error table. So the documents match what is
 * read and answered. It also creates the table of routes for people.
 */
import { type Envelope, ERRORS, type Reason } from './errors.ts';
import { Components, examplesOf, type Json, parameters } from './openapi-components.ts';
import type { Route, Surface } from './surface.ts';

const CREDENTIALS = ['request-api', 'request-nonce', 'request-sign'] as const;

const DESCRIPTION = `A trading venue behind the BTSE wire interface.

Private routes take three headers: request-api (the key), request-nonce (epoch milliseconds) and request-sign, the
lower-case hex HMAC-SHA384 under the secret over path + nonce + body. The path is signed without query, and without
/spot or /futures in front; the body is signed byte for byte. btse-api, btse-nonce and btse-sign are the same headers
under their older names. The 401 of a signature over the wrong path, or without the body, says what to sign in the
header Bourse-Hint.

Numbers may be sent as JSON numbers or as text with the same digits; at most 15 significant digits, and nothing is
rounded: a value off the tick or the step is refused with the nearest valid values.

The routes of the control surface are on another port, and take a bearer token.`;

/** Routes of another listener in the same document. */
export interface Addition {
  readonly tag: Json;
  readonly securitySchemes: Json;
  paths(components: Components): Readonly<Record<string, Json>>;
}

export function openApiDocument(
  surfaces: readonly Surface[],
  version: string,
  additions: readonly Addition[] = [],
): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const surface of surfaces) {
    for (const route of surface.routes) {
      const path = surface.basePath + route.path;
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(surface, route, components) };
    }
  }
  for (const addition of additions) Object.assign(paths, addition.paths(components));
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
        description: 'As in the ready line of `bourse start`',
        variables: { host: { default: '127.0.0.1' }, port: { default: '8080' } },
      },
    ],
    tags: [
      ...surfaces
        .filter(({ routes }) => routes.length > 0)
        .map(({ name, basePath }) => ({ name, description: basePath })),
      ...additions.map(({ tag }) => tag),
    ],
    paths,
    components: {
      securitySchemes: {
        ...Object.fromEntries(CREDENTIALS.map((name) => [name, { type: 'apiKey', in: 'header', name }])),
        ...Object.assign({}, ...additions.map(({ securitySchemes }) => securitySchemes)),
      },
      schemas: { ErrorA: envelopeA(), ErrorB: envelopeB(), ...components.schemas },
    },
  };
}

/** One Markdown row per route. Older versions have no rows, because their routes are those of newer ones. */
export function routesTable(surfaces: readonly Surface[]): string {
  const rows = surfaces
    .filter(({ newer }) => newer === undefined)
    .flatMap(({ basePath, routes }) =>
      routes.map(({ method, path, permission, summary }) => {
        return `| ${method} | \`${basePath}${path}\` | ${permission ?? ''} | ${summary} |`;
      }),
    );
  return `${['| | path | key | |', '|---|---|---|---|', ...rows].join('\n')}\n`;
}

function operation(surface: Surface, route: Route, components: Components): Json {
  const { name, envelope } = surface;
  const credentials = Object.fromEntries(CREDENTIALS.map((header) => [header, []]));
  const refused = (description: string) => ({
    description,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/Error${envelope}` } } },
  });
  return {
    tags: [name],
    operationId: `${name} ${route.method} ${route.path}`.replaceAll(/[^A-Za-z0-9]+/g, '_'),
    summary: route.summary,
    security: route.permission === null ? [] : [credentials],
    ...(route.permission !== null && { 'x-permission': route.permission }),
    ...(route.query !== undefined && { parameters: parameters(route.query, components) }),
    ...(route.body !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: components.of(route.body),
            ...(route.examples !== undefined && { examples: examplesOf(route.examples) }),
          },
        },
      },
    }),
    responses: {
      200: { description: 'Done', content: { 'application/json': { schema: components.of(route.reply) } } },
      400: refused('Malformed or refused; the request had no effect'),
      default: refused(`Refused: envelope ${envelope}`),
    },
  };
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
        description: 'With "Order not found": the state of your own order that has ended',
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
