/**
 * The form of a scenario file, written once: `docs/scenario.schema.json` is made from it, files are checked by it, and the
 * types of modules follow from it.
 */
import Type, { type Static, type TOptional, type TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { BOUNDS } from '../client/decimals.ts';
import { nearestName } from '../config/nearest.ts';
import { parseDuration } from '../config/times.ts';
import { CONDITION_KINDS, CONDITIONS, type ConditionKind } from './conditions.ts';
import { choice, decimal, duration, fraction, object, optional, SYMBOL, text } from './fields.ts';

const properties = Object.fromEntries(
  CONDITION_KINDS.map((kind) => [kind, optional(CONDITIONS[kind].schema)]),
) as unknown as { [kind in ConditionKind]: TOptional<(typeof CONDITIONS)[kind]['schema']> };
const ONE_KIND = `must have exactly one of ${CONDITION_KINDS.join(', ')}`;
const exactlyOne = { oneOf: CONDITION_KINDS.map((kind) => ({ required: [kind] })) };
const NEVER = Type.Object(
  { ...properties, why: optional(text('Said when it happens')) },
  { additionalProperties: false, ...exactlyOne, description: 'Must hold at no moment' },
);
const EXPECT = Type.Object(
  {
    ...properties,
    at: optional(duration('When, since the beginning; default: at the end')),
    why: optional(text('Said if it does not hold')),
  },
  { additionalProperties: false, ...exactlyOne, description: 'Must hold at a time' },
);

const RECORDED = {
  recorded: optional(
    Type.Unsafe<string | readonly string[]>({
      type: ['string', 'array'],
      minLength: 1,
      minItems: 1,
      items: { type: 'string', minLength: 1 },
      description:
        'The prices of a recording: a file, or a list of files of one market, from the folder of the scenario',
    }),
  ),
  skip: optional(duration('How much of the beginning of the recording is left out')),
  recordedSymbol: optional(text('Of files with several symbols, the one to read')),
};
const MOVE = object({
  at: optional(duration('A jump then')),
  from: optional(duration('A ramp, a walk or a recording begins then; default for a recording: the beginning')),
  until: optional(duration('and ends then; default for a recording: the end of the scenario')),
  to: optional(decimal('The price after the jump, or at the end of the ramp', 0)),
  walk: optional(fraction('A random walk: its largest step, as a share of the price')),
  seed: optional(Type.Integer({ minimum: 0, description: 'Of the random walk; default: that of the venue' })),
  ...RECORDED,
});

const PRICES = object(
  {
    symbol: SYMBOL,
    start: optional(decimal('The first price. A recording from the beginning has its own', 0)),
    sets: optional(
      Type.Array(choice(['index', 'last'], 'Which prices'), { minItems: 1, description: 'Default: both' }),
    ),
    moves: optional(Type.Array(MOVE, { description: 'In the order of their times' })),
  },
  'A price over time',
);

const LIQUIDITY = object(
  {
    symbol: SYMBOL,
    from: optional(duration('Default: the beginning')),
    until: optional(duration('Default: the end')),
    price: optional(decimal('Around this price; default: the price that the scenario gives the market', 0)),
    offset: optional(Type.Number({ minimum: -0.99, maximum: 10, description: 'Away from it by this share of it' })),
    spread: optional(fraction('Between the best prices, as a share; default 0.0002')),
    gap: optional(fraction('Between two levels, as a share; default 0.0002')),
    levels: optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Of each side; default 5' })),
    size: decimal('Of each level: base currency, or contracts', 0),
    sides: optional(choice(['both', 'bids', 'asks'], 'Default: both')),
  },
  'Resting orders of the scenario, which follow the price',
);

const HALT = object(
  { symbol: optional(SYMBOL), from: duration('When'), until: optional(duration('Default: the end')) },
  'A market, or without a symbol every market, accepts cancels only',
);

const FAULT = Type.Unsafe<{
  readonly from?: number | string;
  readonly until?: number | string;
  readonly [field: string]: unknown;
}>(
  Type.Object(
    {
      from: optional(duration('Since the beginning; default: at once')),
      until: optional(duration('Since the beginning')),
    },
    {
      additionalProperties: Type.Unknown(),
      description: 'As in POST /control/v1/faults, but with times since the beginning',
    },
  ),
);

const ORDER = object(
  {
    at: duration('When'),
    account: text('Of which account'),
    order: Type.Unsafe<{ readonly symbol: string; readonly [field: string]: unknown }>(
      Type.Object(
        { symbol: SYMBOL },
        {
          additionalProperties: Type.Unknown(),
          description: 'The body of spot v4, or for a perpetual of futures v2.3',
        },
      ),
    ),
  },
  'An order of somebody else',
);

const ACCOUNT_OF = object({
  name: text('Letters, digits, ., _ and -'),
  balances: optional(Type.Record(Type.String(), decimal('Money'), { description: 'By currency' })),
});

export const SCENARIO = Type.Object(
  {
    $schema: optional(Type.String()),
    name: text('What the report calls it'),
    about: optional(Type.String({ maxLength: 2000, description: 'What happens, and what a bot must do' })),
    length: duration('How long it lasts, venue time'),
    step: optional(duration('The longest step of the clock; default 1s')),
    venue: optional(
      Type.Object(
        {},
        {
          additionalProperties: Type.Unknown(),
          description: 'Options of startVenue: markets, rateLimits, startTime, seed, …',
        },
      ),
    ),
    accounts: optional(Type.Array(ACCOUNT_OF, { minItems: 1, description: "The first is the bot's" })),
    bot: optional(
      object({
        command: optional(text('How the bot is started, unless --bot says it')),
        env: optional(
          Type.Record(Type.String(), Type.String(), { description: 'Further variables of its environment' }),
        ),
      }),
    ),
    prices: optional(Type.Array(PRICES)),
    liquidity: optional(Type.Array(LIQUIDITY)),
    orders: optional(Type.Array(ORDER)),
    halts: optional(Type.Array(HALT)),
    faults: optional(Type.Array(FAULT)),
    expect: optional(Type.Array(EXPECT)),
    never: optional(Type.Array(NEVER)),
  },
  { additionalProperties: false, title: 'Scenario', description: 'A scenario of `bourse scenario run`' },
);

export type ScenarioFile = Static<typeof SCENARIO>;
export type PriceOverTime = Static<typeof PRICES>;
export type PriceMove = Static<typeof MOVE>;
export type Liquidity = Static<typeof LIQUIDITY>;
export type Never = Static<typeof NEVER>;

/** docs/scenarios.md with the table of conditions as it is. */
export function withConditions(document: string): string {
  return document.replace(/^\| kind \| members \|.*\n(?:\|.*\n)*/m, () => `${conditionsText()}\n`);
}

function conditionsText(): string {
  const isBound = (name: string) => (BOUNDS as readonly string[]).includes(name);
  const rows = CONDITION_KINDS.map((kind) => {
    const { properties: members, description } = CONDITIONS[kind].schema as {
      properties: object;
      description?: string;
    };
    const names = Object.keys(members).filter((name) => !isBound(name));
    return `| \`${kind}\` | ${names.map((name) => `\`${name}\``).join(', ')} | ${description} |`;
  });
  return ['| kind | members | what it measures |', '|---|---|---|', ...rows].join('\n');
}

/** The published form: docs/scenario.schema.json. */
export function schemaText(): string {
  return `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...SCENARIO }, null, 2)}\n`;
}

/** A scenario that cannot be run. `problems` names every field that is wrong. */
export class ScenarioRefused extends Error {
  override readonly name = 'ScenarioRefused';
  readonly problems: readonly string[];

  constructor(source: string, problems: readonly string[]) {
    super(`the scenario ${source} was refused:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

interface SchemaError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

const compiled = Compile(SCENARIO as TSchema);

/** Checks what a file or module holds. `source` names it in the error. @throws {ScenarioRefused} */
export function readScenario(value: unknown, source: string): ScenarioFile {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ScenarioRefused(source, ['it must be an object with name, length, …']);
  }
  const [, errors] = compiled.Errors(value) as [boolean, SchemaError[]];
  const problems = [...new Set(errors.flatMap((error) => problemOf(error)))];
  if (problems.length > 0) throw new ScenarioRefused(source, problems);
  return value as ScenarioFile;
}

/** None: another error says it. */
function problemOf({ keyword, schemaPath, instancePath, params, message }: SchemaError): string[] {
  const path = pathOf(instancePath);
  const at = (rest: string) => [`${path === '' ? 'it' : path} ${rest}`];
  if (keyword === 'boolean') return [];
  const schema = schemaAt(schemaPath);
  if (keyword === 'additionalProperties') {
    const known = Object.keys((schema?.properties as object | undefined) ?? {});
    return (params.additionalProperties as string[]).map((name) => {
      const close = nearestName(name, known);
      const hint = close === null ? `known: ${known.join(', ')}` : `did you mean ${close}?`;
      return `${path === '' ? name : `${path}.${name}`} is not known; ${hint}`;
    });
  }
  if (keyword === 'required') {
    if (schemaPath.includes('/oneOf/')) return at(ONE_KIND);
    return (params.requiredProperties as string[]).map(
      (name) => `${path === '' ? name : `${path}.${name}`} is required`,
    );
  }
  if (keyword === 'oneOf') return at(ONE_KIND);
  if (keyword === 'enum') return at(`must be one of ${((schema?.enum ?? []) as string[]).join(', ')}`);
  if (keyword === 'pattern' && typeof schema?.description === 'string')
    return at(`must be text such as '90s' or '0.5': ${schema.description}`);
  return at(message);
}

/** '/prices/0/start' is prices[0].start. */
function pathOf(pointer: string): string {
  const parts = pointer.split('/').slice(1);
  return parts.map((part, i) => (/^\d+$/.test(part) ? `[${part}]` : i === 0 ? part : `.${part}`)).join('');
}

function schemaAt(pointer: string): Readonly<Record<string, unknown>> | undefined {
  let place: unknown = SCENARIO;
  for (const part of pointer.split('/').slice(1)) place = (place as Record<string, unknown> | undefined)?.[part];
  return place as Readonly<Record<string, unknown>> | undefined;
}

/** Milliseconds of a duration that was checked. */
export function msOf(value: number | string): number {
  return typeof value === 'number' ? value : (parseDuration(value) as number);
}
