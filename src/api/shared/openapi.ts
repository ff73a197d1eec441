/**
 * Creates the OpenAPI 3.1 document from the routes, their schemas and the error table. So the documents match what is
 * read and answered. It also creates the table of routes for people.
 *
 * Generators name their types by titles. So an object with a title becomes a component, the variants of a body are a
 * `oneOf` of components, and every enum is a component with one name for one list of values.
 */
import type { TSchema } from 'typebox';
import { type Envelope, ERRORS, type Reason } from './errors.ts';
import type { Route, Surface } from './surface.ts';

type Json = Record<string, unknown>;

const CREDENTIALS = ['request-api', 'request-nonce', 'request-sign'] as const;

const DESCRIPTION = `A trading venue behind the BTSE wire interface.

Private routes take three headers: request-api (the key), request-nonce (epoch milliseconds) and request-sign, the
lower-case hex HMAC-SHA384 under the secret over path + nonce + body. The path is signed without query, and without
/spot or /futures in front; the body is signed byte for byte. btse-api, btse-nonce and btse-sign are the same headers
under their older names. The 401 of a signature over the wrong path, or without the body, says what to sign in the
header Bourse-Hint.

Numbers may be sent as JSON numbers or as text with the same digits; at most 15 significant digits, and nothing is
rounded: a value off the tick or the step is refused with the nearest valid values.`;

/** The names of the enums, by their values. */
const ENUMS: Readonly<Record<string, string>> = {
  'BUY SELL': 'Side',
  'LONG SHORT': 'PositionDirection',
  'ONE_WAY HEDGE ISOLATED': 'PositionMode',
  'CROSS ISOLATED': 'MarginMode',
  'GTC IOC FOK': 'SpotTimeInForce',
  'GTC IOC FOK HALFSEC HALFMIN FIVEMIN HOUR TWELVEHOUR DAY WEEK MONTH': 'TimeInForce',
  'LAST_PRICE MARK_PRICE INDEX_PRICE': 'PriceType',
  'INDEX_PRICE LAST_PRICE': 'SpotPriceType',
  'markPrice lastPrice': 'TriggerReference',
  'DISTANCE PERCENTAGE': 'TrailType',
  'LIMIT MARKET': 'CloseType',
  'LIMIT MARKET OCO': 'OrderType',
  'LIMIT STOP TRIGGER': 'TxType',
  'PRICE SIZE TRIGGERPRICE ALL': 'AmendType',
  'STOP_LOSS_LIMIT TAKE_PROFIT_LIMIT': 'LimitTrigger',
  'STOP_LOSS TAKE_PROFIT': 'MarketTrigger',
  'base quote': 'OrderCurrency',
  index: 'WaitingFor',
  STATUS_ACTIVE: 'ActiveState',
  COMPLETED: 'WalletRecordStatus',
  'SPOT CROSS ISOLATED': 'WalletType',
  'STATUS_ACTIVE TRIGGER_INSERTED ORDER_INSERTED ORDER_PARTIALLY_TRANSACTED': 'LiveState',
  'STATUS_ACTIVE TRIGGER_INSERTED ORDER_INSERTED ORDER_PARTIALLY_TRANSACTED ORDER_FULLY_TRANSACTED ORDER_CANCELLED ORDER_REJECTED':
    'OrderState',
  'Spot FuturesPerpetual FuturesTimeBased': 'MarketType',
  '1 5 15 30 60 240 360 1440 10080 43200': 'Resolution',
  '7D 2W 1M': 'FundingPeriod',
};

export function openApiDocument(surfaces: readonly Surface[], version: string): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const surface of surfaces) {
    for (const route of surface.routes) {
      const path = surface.basePath + route.path;
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(surface, route, components) };
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
        description: 'As in the ready line of `bourse start`',
        variables: { host: { default: '127.0.0.1' }, port: { default: '8080' } },
      },
    ],
    tags: surfaces
      .filter(({ routes }) => routes.length > 0)
      .map(({ name, basePath }) => ({ name, description: basePath })),
    paths,
    components: {
      securitySchemes: Object.fromEntries(CREDENTIALS.map((name) => [name, { type: 'apiKey', in: 'header', name }])),
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
      requestBody: { required: true, content: { 'application/json': { schema: components.of(route.body) } } },
    }),
    responses: {
      200: { description: 'Done', content: { 'application/json': { schema: components.of(route.reply) } } },
      400: refused('Malformed or refused; the request had no effect'),
      default: refused(`Refused: envelope ${envelope}`),
    },
  };
}

function parameters(query: NonNullable<Route['query']>, components: Components): Json[] {
  return Object.entries(query.properties).map(([name, property]) => {
    const { description, ...schema } = components.of(property);
    return { name, in: 'query', required: query.required?.includes(name) ?? false, description, schema };
  });
}

/** Schemas as they are in the document, and the components. */
class Components {
  readonly schemas: Record<string, Json> = {};
  readonly #sources = new Map<string, unknown>();

  /** Throws for an enum without a name, and for two different schemas with one title. */
  of(schema: TSchema): Json {
    const { title, ...plain } = schema as Json & { title?: string };
    if (Array.isArray(plain.enum)) return this.#enum(plain.enum, plain);
    const own = this.#written(plain);
    return title === undefined ? own : this.#named(title, schema, own);
  }

  /** `source` distinguishes schemas. */
  #named(title: string, source: unknown, schema: Json): Json {
    const known = this.#sources.get(title);
    if (known !== undefined && known !== source) throw new Error(`two schemas are called ${title}`);
    this.#sources.set(title, source);
    this.schemas[title] = { title, ...schema };
    return { $ref: `#/components/schemas/${title}` };
  }

  /** A list of values, which may include null. */
  #enum(values: readonly (string | null)[], { description }: Json): Json {
    const words = values.filter((value) => value !== null);
    const text = words.join(' ');
    const title = ENUMS[text];
    if (title === undefined) throw new Error(`the enum ${text} has no name: give it one`);
    const named = this.#named(title, text, { type: 'string', enum: words });
    const schema = words.length === values.length ? named : { oneOf: [named, { type: 'null' }] };
    return { ...schema, ...(description !== undefined && { description }) };
  }

  #written(schema: Json): Json {
    const { anyOf, items, properties, additionalProperties, ...rest } = schema;
    return {
      ...rest,
      ...(anyOf !== undefined && { oneOf: (anyOf as TSchema[]).map((branch) => this.of(branch)) }),
      ...(items !== undefined && { items: this.of(items as TSchema) }),
      ...(additionalProperties !== undefined && { additionalProperties: this.of(additionalProperties as TSchema) }),
      ...(properties !== undefined && {
        properties: Object.fromEntries(
          Object.entries(properties as Record<string, TSchema>).map(([name, property]) => [name, this.of(property)]),
        ),
      }),
    };
  }
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
