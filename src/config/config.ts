/**
 * The configuration of a venue: untrusted JSON in, and one normalised value out, or all problems at once, each with its
 * path. Decimals come out as their shortest text, so two spellings of one value are one configuration. Only here are
 * secrets of configured keys in the clear: `venueConfig` seals them, and the manifest omits them.
 */
import { readFileSync } from 'node:fs';
import type { AccountSpec, CurrencySpec, KeySpec, Permission, VenueConfig } from '../venue/contract/commands.ts';
import { parseDecimal, toUnits } from '../venue/contract/decimal.ts';
import type { MarketSpec } from '../venue/contract/market-spec.ts';
import { HOUSE_NAME } from '../venue/contract/units.ts';
import { DEFAULT_CURRENCIES, DEFAULT_MARKETS } from './defaults.ts';
import { Field, type Problem, parseExactJson } from './field.ts';
import { GATEWAY_KEYS, type GatewayConfiguration, type GatewayInput, readGateway } from './gateway.ts';
import { readFees, readMarket } from './market.ts';

export const PERMISSIONS: readonly Permission[] = ['read', 'trading', 'transfer', 'wallet'];
const CURRENCY = /^[A-Z][A-Z0-9]{0,15}$/;
/** A comma would split the header that carries the key. */
const KEY_TEXT = /^[!-+\--~]{1,128}$/;
const SECRET_TEXT = /^[!-~]{1,128}$/;
const MAX_DECIMALS = 18;
const ADD_ACCOUNTS = 'add the others by POST /control/v1/accounts or `bourse accounts add`';

export interface ConfiguredKey {
  readonly key: string;
  readonly secret: string;
  readonly permissions: readonly Permission[];
}

export interface ConfiguredAccount {
  readonly name: string;
  readonly balances: Readonly<Record<string, string>>;
  readonly fees: Readonly<Record<string, { maker: string; taker: string }>>;
  readonly keys: readonly ConfiguredKey[];
}

export interface Configuration extends GatewayConfiguration {
  readonly currencies: Readonly<Record<string, CurrencySpec>>;
  readonly markets: readonly MarketSpec[];
  readonly accounts: readonly ConfiguredAccount[];
  readonly insuranceFund: Readonly<Record<string, string>>;
  readonly selfTrade: VenueConfig['selfTrade'];
  readonly feeFrom: VenueConfig['feeFrom'];
}

/** The JSON of a configuration. `readConfiguration` checks it completely. */
export interface ConfigurationInput extends GatewayInput {
  currencies?: Record<string, { decimals: number }>;
  markets?: readonly MarketInput[];
  accounts?: readonly AccountInput[];
  insuranceFund?: Record<string, string | number>;
  selfTrade?: VenueConfig['selfTrade'];
  feeFrom?: VenueConfig['feeFrom'];
}

type DecimalInput = string | number;

/** A market, with all its fields or (default symbols) only some. Decimals are text or numbers. */
export interface MarketInput {
  symbol: string;
  kind?: 'spot' | 'perpetual';
  base?: string;
  quote?: string;
  tick?: DecimalInput;
  maxPrice?: DecimalInput;
  step?: DecimalInput;
  minSize?: DecimalInput;
  maxSize?: DecimalInput;
  contractSize?: DecimalInput;
  fees?: { maker?: DecimalInput; taker?: DecimalInput };
  band?: DecimalInput;
  marketBand?: DecimalInput;
  triggerLimitDistance?: DecimalInput | null;
  maxOpenOrders?: number;
  riskTiers?: { maxNotional: DecimalInput; initial: DecimalInput; maintenance: DecimalInput }[];
  funding?: { intervalMs?: number; cap?: DecimalInput; impactSize?: number } | null;
  liquidationFee?: DecimalInput;
  staleAfterMs?: number;
  twapIntervalMs?: number | null;
  duplicateClientIds?: 'refuse' | 'allow';
}

export interface AccountInput {
  name: string;
  balances?: Record<string, DecimalInput>;
  fees?: Record<string, { maker: DecimalInput; taker: DecimalInput }>;
  keys?: readonly { key: string; secret: string; permissions: readonly Permission[] }[];
}

/** What a configuration is called where its file is not known. */
export const GIVEN = 'given';

/** A refused configuration. `problems` has every problem with its path. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly Problem[];
  readonly #source: string;
  readonly #options: ErrorOptions & { readonly advice?: string };

  constructor(source: string, problems: readonly Problem[], options: ErrorOptions & { advice?: string } = {}) {
    const lines = problems.map(({ path, message }) => `  ${path === '' ? 'it' : path} ${message}`);
    const advice = options.advice === undefined ? '' : `\n${options.advice}`;
    super(`the configuration ${source} was refused:\n${lines.join('\n')}${advice}`, options);
    this.problems = problems;
    this.#source = source;
    this.#options = options;
  }

  /** The same refusal, of the configuration in that file. */
  ofFile(path: string): ConfigurationError {
    const source = this.#source === GIVEN ? path : `${path} ${this.#source}`;
    return new ConfigurationError(source, this.problems, { cause: this, ...this.#options });
  }
}

/** Reads and checks a configuration file. `flags` take precedence over it. Throws ConfigurationError. */
export function readConfigurationFile(path: string, flags: ConfigurationInput = {}): Configuration {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : message;
    throw new ConfigurationError(path, [{ path: '', message: `cannot be read: ${why}` }], { cause });
  }
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (cause) {
    throw new ConfigurationError(path, [{ path: '', message: `is not valid JSON: ${(cause as Error).message}` }], {
      cause,
    });
  }
  return readConfiguration(isTable(value) ? { ...value, ...flags } : value, path);
}

function isTable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const CONFIGURATION_KEYS: readonly (keyof ConfigurationInput)[] = [
  'currencies',
  'markets',
  'accounts',
  'insuranceFund',
  ...GATEWAY_KEYS,
  'selfTrade',
  'feeFrom',
];

/** Checks a configuration. `source` names it in the error. Throws ConfigurationError with every problem. */
export function readConfiguration(value: unknown, source = GIVEN): Configuration {
  const field = new Field(value ?? {});
  field.object(CONFIGURATION_KEYS);
  const currencies = { ...DEFAULT_CURRENCIES, ...readCurrencies(field.at('currencies')) };
  const markets = readMarkets(field.at('markets'), currencies);
  const configuration: Configuration = {
    currencies,
    markets,
    accounts: readAccounts(field.at('accounts'), currencies, markets),
    insuranceFund: readAmounts(field.at('insuranceFund'), currencies),
    ...readGateway(field),
    selfTrade: field.at('selfTrade').oneOf(['cancelIncoming', 'cancelResting', 'cancelBoth'], 'cancelIncoming'),
    feeFrom: field.at('feeFrom').oneOf(['received', 'quote'], 'received'),
  };
  if (field.problems.length > 0) throw new ConfigurationError(source, field.problems);
  return configuration;
}

export function readCurrencies(field: Field): Record<string, CurrencySpec> {
  const currencies: Record<string, CurrencySpec> = {};
  for (const [code, spec] of field.entries('a currency to {"decimals": 8}')) {
    if (!CURRENCY.test(code)) {
      spec.problem('must be 1 to 16 capital letters and digits, beginning with a letter');
      continue;
    }
    currencies[code] = { decimals: spec.object(['decimals']).at('decimals').integer(0, MAX_DECIMALS) };
  }
  return currencies;
}

/** The default markets, each replaced by the given one with its symbol, then the new ones in their order. */
function readMarkets(field: Field, currencies: Readonly<Record<string, CurrencySpec>>): MarketSpec[] {
  const given = new Map<string, MarketSpec>();
  for (const entry of field.list('markets', 'add the others by POST /control/v1/markets')) {
    const market = readMarket(entry, currencies);
    if (market.symbol !== '' && given.has(market.symbol)) entry.at('symbol').problem(`${market.symbol} is given twice`);
    given.set(market.symbol, market);
  }
  const defaults = DEFAULT_MARKETS.map((market) => given.get(market.symbol) ?? market);
  const further = [...given.values()].filter((market) => !defaults.includes(market));
  return [...defaults, ...further];
}

function readAccounts(
  field: Field,
  currencies: Readonly<Record<string, CurrencySpec>>,
  markets: readonly MarketSpec[],
): ConfiguredAccount[] {
  const names = new Set<string>();
  const keys = new Set<string>();
  return field.list('accounts', ADD_ACCOUNTS).map((entry) => {
    entry.object(['name', 'balances', 'fees', 'keys']);
    const name = readAccountName(entry.at('name'));
    if (name !== '' && names.has(name)) entry.at('name').problem(`${name} is given twice`);
    names.add(name);
    const account: ConfiguredAccount = {
      name,
      balances: readAmounts(entry.at('balances'), currencies),
      fees: readAccountFees(entry.at('fees'), markets),
      keys: entry.at('keys').list('keys {key, secret, permissions}').map(readKey),
    };
    account.keys.forEach(({ key }, i) => {
      if (key !== '' && keys.has(key)) entry.at(`keys[${i}].key`).problem('is given twice');
      keys.add(key);
    });
    return account;
  });
}

/** Account names are part of paths of the control surface: 1 to 64 characters that no URL has to escape. */
export function readAccountName(field: Field): string {
  const name = field.matching(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'letters, digits, dot, dash and underscore, with a letter or a digit first',
  );
  if (name === HOUSE_NAME) {
    field.problem(
      `${HOUSE_NAME} is what records of trades call the other side in a recorded market: choose another name`,
    );
  }
  return name;
}

function readKey(field: Field): ConfiguredKey {
  field.object(['key', 'secret', 'permissions']);
  return {
    // A key may be a secret in the wrong place.
    key: field.at('key').secret(KEY_TEXT, '1 to 128 printable ASCII characters without spaces and commas', 128),
    secret: field.at('secret').secret(SECRET_TEXT, '1 to 128 printable ASCII characters without spaces', 128),
    permissions: readPermissions(field.at('permissions')),
  };
}

/** A list of permissions without repeats, in the order of PERMISSIONS. */
export function readPermissions(field: Field): Permission[] {
  if (!field.given) field.problem(`is required: a list of ${PERMISSIONS.join(', ')}`);
  const given = field.list('permissions').map((entry) => entry.oneOf(PERMISSIONS));
  return PERMISSIONS.filter((permission) => given.includes(permission));
}

/** Maps currencies to amounts, each with no more decimals than its currency. */
function readAmounts(field: Field, currencies: Readonly<Record<string, CurrencySpec>>): Record<string, string> {
  const amounts: Record<string, string> = {};
  for (const [code, amount] of field.entries('a currency to an amount')) {
    if (!Object.hasOwn(currencies, code)) {
      amount.problem(`is not a configured currency; known: ${Object.keys(currencies).join(', ')}`);
      continue;
    }
    amounts[code] = readAmount(amount, currencies[code].decimals, { atLeast: '0' });
  }
  return amounts;
}

/**
 * An amount of money in whole units, with no more decimals than its currency, and within signed 64-bit smallest units.
 */
export function readAmount(field: Field, decimals: number, bounds: Parameters<Field['decimal']>[0]): string {
  const text = field.decimal(bounds);
  const value = parseDecimal(text);
  if (typeof value === 'string') throw new RangeError(`not a decimal: ${text}`);
  const units = toUnits(value, decimals);
  if (units === null) {
    field.problem(`has ${value.scale} decimals, the currency has ${decimals}`);
    return '0';
  }
  if (BigInt.asIntN(64, units) !== units) {
    field.problem('is larger than an account can hold (signed 64-bit smallest units)');
    return '0';
  }
  return text;
}

function readAccountFees(field: Field, markets: readonly MarketSpec[]): ConfiguredAccount['fees'] {
  const symbols = markets.map((market) => market.symbol);
  const fees: Record<string, { maker: string; taker: string }> = {};
  for (const [symbol, rates] of field.entries('a market symbol to {maker, taker}')) {
    if (!symbols.includes(symbol)) rates.problem(`is not a configured market; known: ${symbols.join(', ')}`);
    fees[symbol] = readFees(rates);
  }
  return fees;
}

/** The venue's part of the configuration. `seal` seals the secrets of keys. */
export function venueConfig(configuration: Configuration, seal: (secret: string) => string): VenueConfig {
  return {
    currencies: configuration.currencies,
    markets: configuration.markets,
    accounts: configuration.accounts.map((account) => accountSpec(account, seal)),
    insuranceFund: configuration.insuranceFund,
    selfTrade: configuration.selfTrade,
    feeFrom: configuration.feeFrom,
  };
}

export function accountSpec(account: ConfiguredAccount, seal: (secret: string) => string): AccountSpec {
  return { ...account, keys: account.keys.map((key) => keySpec(key, seal)) };
}

function keySpec({ key, secret, permissions }: ConfiguredKey, seal: (secret: string) => string): KeySpec {
  return { key, sealed: seal(secret), permissions, ipAllow: [], expiresAtMs: null };
}
