/**
 * Schemas as an OpenAPI document has them. Generators name their types by titles. So an object with a title becomes a
 * component, the variants of a body are a `oneOf` of components, and every enum is a component with one name for one list
 * of values.
 */
import type { TObject, TSchema } from 'typebox';

export type Json = Record<string, unknown>;

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
  'read trading transfer wallet': 'Permission',
  'read test admin': 'ControlScope',
  'cancelOnly everything': 'Freeze',
  'book orders positions balances account': 'StatePart',
  'GET POST PUT DELETE': 'FaultyMethod',
  'spot perpetual': 'MarketKind',
  'refuse allow': 'DuplicateClientIds',
};

/** Those of a query. */
export function parameters(query: TObject, components: Components): Json[] {
  return Object.entries(query.properties).map(([name, property]) => {
    const { description, ...schema } = components.of(property);
    return { name, in: 'query', required: query.required?.includes(name) ?? false, description, schema };
  });
}

/** Bodies for a reader, by what they do. */
export function examplesOf(bodies: Readonly<Record<string, object>>): Json {
  return Object.fromEntries(
    Object.entries(bodies).map(([summary, value]) => [summary.replaceAll(/[^a-z0-9]+/gi, '-'), { summary, value }]),
  );
}

/** Schemas as they are in the document, and the components. */
export class Components {
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
