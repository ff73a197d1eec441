/**
 * The demo: two funded accounts with keys for visitors, and the accounts of the synthetic traders. They are normal
 * accounts in the configuration of the first start.
 */
import { join } from 'node:path';
import type { Keyring } from './api/gateway/keyring.ts';
import {
  type Configuration,
  ConfigurationError,
  type ConfiguredAccount,
  type ConfiguredKey,
  PERMISSIONS,
} from './config/config.ts';
import { TRADERS } from './feeds/traders.ts';
import { type KeyMaker, type KeyPair, readPrivate, StartRefused, writePrivate } from './secrets.ts';
import type { CurrencySpec } from './venue/contract/commands.ts';
import type { Venue } from './venue/venue.ts';

const DEMO_ACCOUNTS: readonly string[] = ['demo-1', 'demo-2'];

const DEMO_BALANCES: Readonly<Record<string, string>> = { USDT: '100000', BTC: '2', ETH: '20' };
const TRADER_BALANCES: Readonly<Record<string, string>> = { USDT: '10000000', BTC: '200', ETH: '4000' };
/** The balance in currencies that are not listed, as large as their decimals allow. */
const OTHER_BALANCE = { few: '1', many: '1000000' };
const MANY_UP_TO_DECIMALS = 10;

export interface DemoKey extends KeyPair {
  readonly account: string;
}

/** The configuration of an account. */
export type AccountTerms = Pick<ConfiguredAccount, 'name' | 'balances' | 'fees'>;

/**
 * The configuration with the demo's accounts. `newKey` creates the keys that are not given. Accounts from an earlier
 * start (`before`) stay as they are: a new configuration does not change them.
 */
export function withDemoAccounts(
  configuration: Configuration,
  keys: readonly DemoKey[],
  newKey: KeyMaker,
  before: readonly AccountTerms[] = [],
): Configuration {
  const asBefore = (account: ConfiguredAccount): ConfiguredAccount => {
    const { balances, fees } = before.find(({ name }) => name === account.name) ?? account;
    return { ...account, balances, fees };
  };
  const demo = DEMO_ACCOUNTS.map((name): ConfiguredAccount => {
    const { key: id, secret } = keys.find(({ account }) => account === name) ?? newKey();
    const key: ConfiguredKey = { key: id, secret, permissions: PERMISSIONS };
    return { name, balances: balances(configuration.currencies, DEMO_BALANCES), fees: {}, keys: [key] };
  });
  // Nobody tops up the traders, and fees would use up their money. So trading among themselves is free.
  const free = Object.fromEntries(configuration.markets.map(({ symbol }) => [symbol, { maker: '0', taker: '0' }]));
  const traders = TRADERS.map((name): ConfiguredAccount => {
    return { name, balances: traderBalances(configuration.currencies), fees: free, keys: [] };
  });
  const taken = new Set(configuration.accounts.map(({ name }) => name));
  const clashes = [...demo, ...traders].filter(({ name }) => taken.has(name));
  if (clashes.length > 0) {
    const problems = clashes.map(({ name }) => {
      return { path: `accounts[${name}]`, message: 'has the name of an account of the demo: give it another one' };
    });
    throw new ConfigurationError('given', problems);
  }
  return { ...configuration, accounts: [...configuration.accounts, ...[...demo, ...traders].map(asBefore)] };
}

/** Maps currencies to the whole units that each trader begins with, and that its inventory returns to. */
export function traderBalances(currencies: Readonly<Record<string, CurrencySpec>>): Record<string, string> {
  return balances(currencies, TRADER_BALANCES);
}

function balances(currencies: Readonly<Record<string, CurrencySpec>>, known: Readonly<Record<string, string>>) {
  const rows = Object.entries(currencies).map(([code, { decimals }]) => {
    return [code, known[code] ?? (decimals <= MANY_UP_TO_DECIMALS ? OTHER_BALANCE.many : OTHER_BALANCE.few)];
  });
  return Object.fromEntries(rows) as Record<string, string>;
}

/** The keys of the last start, or none. */
export function readDemoKeys(data: string): DemoKey[] {
  const file = join(data, 'demo-keys.json');
  const text = readPrivate(file, 'key file');
  if (text === null) return [];
  try {
    return (JSON.parse(text) as DemoKey[]).filter(({ account, key, secret }) => account && key && secret);
  } catch (cause) {
    throw new StartRefused(`${file} is no list of {account, key, secret}: delete it, it is then written anew`, {
      cause,
    });
  }
}

/** The demo accounts' keys in the venue, which are right even if the key file is lost. */
export function demoKeysOf(venue: Venue, keyring: Keyring): DemoKey[] {
  const keys: DemoKey[] = [];
  for (const name of DEMO_ACCOUNTS) {
    const account = venue.accountByName(name);
    const held = venue.keys().find((key) => key.account === account?.index);
    if (held !== undefined) keys.push({ account: name, key: held.key, secret: keyring.open(held.sealed) });
  }
  return keys;
}

export function writeDemoKeys(data: string, keys: readonly DemoKey[]): void {
  writePrivate(join(data, 'demo-keys.json'), `${JSON.stringify(keys, null, 2)}\n`);
}
