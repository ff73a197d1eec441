/**
 * The demo: two funded accounts with keys for visitors, the accounts of the synthetic traders, and the candles from
 * before the first start. The accounts are normal ones in the configuration of the first start.
 */

import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Keyring } from './api/gateway/keyring.ts';
import { isUnavailable } from './api/shared/engine-errors.ts';
import type { Archive } from './archive/archive.ts';
import {
  type Configuration,
  ConfigurationError,
  type ConfiguredAccount,
  type ConfiguredKey,
  GIVEN,
  PERMISSIONS,
  readConfiguration,
} from './config/config.ts';
import { DEMO_HISTORY_HOURS } from './config/defaults.ts';
import type { OnNotice } from './engine/contract/notice.ts';
import type { Engine } from './engine/host.ts';
import { manifestConfiguration, readManifest } from './engine/identity/manifest.ts';
import { demoPast } from './feeds/demo-past.ts';
import { SyntheticTraders, TRADERS } from './feeds/traders.ts';
import type { LogStorage } from './log/contract/storage.ts';
import type { MadeCandles } from './market-data/market-data.ts';
import { type KeyMaker, type KeyPair, readPrivate, StartRefused, writePrivate } from './secrets.ts';
import type { CurrencySpec } from './venue/contract/commands.ts';
import type { Venue } from './venue/venue.ts';
import type { MarketView } from './venue/views.ts';

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

interface DemoStart {
  readonly data: string | null;
  /** Undefined: the log is in memory. */
  readonly storage: LogStorage | undefined;
  readonly configuration?: Configuration;
}

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
    throw new ConfigurationError(GIVEN, problems);
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

/**
 * The configuration with the demo's accounts. A folder that was started as a demo needs no given configuration, so lost
 * keys do not block it. A folder that was started with a configuration needs that one, to become a demo.
 */
export async function demoConfiguration(
  { data, storage, configuration }: DemoStart,
  newKey: KeyMaker,
): Promise<Configuration | undefined> {
  const remembered = storage && (await readManifest(storage.documents));
  const before = (remembered?.configuration.accounts ?? []) as unknown as AccountTerms[];
  if (configuration === undefined && remembered !== undefined) {
    if (before.some(({ name }) => name === 'demo-1')) return undefined;
    if (!isDeepStrictEqual(remembered.configuration, manifestConfiguration(readConfiguration({})))) {
      throw new StartRefused(
        `the data folder ${data} was started with a configuration and without --demo: give that configuration with --config ` +
          'to have --demo add its accounts, or start another folder with --data',
      );
    }
  }
  const kept = data === null ? [] : readDemoKeys(data);
  return withDemoAccounts(configuration ?? readConfiguration({}), kept, newKey, before);
}

/** The candles from before the first start. Undefined: they are off, or the first start was no demo. */
export function madePast(
  { venue }: Engine,
  archive: Archive,
  options: { readonly demoHistoryHours?: number; readonly notice: OnNotice },
): MadeCandles | undefined {
  const { config, seed, clock, recordings } = venue.genesis!;
  const hours = options.demoHistoryHours ?? (clock === 'real' ? DEMO_HISTORY_HOURS : 0);
  const [trader] = TRADERS;
  if (hours === 0 || !config.accounts.some(({ name }) => name === trader)) return undefined;
  const isFirst = venue.seq <= 1;
  const { timeMs } = venue;
  // The first deposit of a trader is part of the first command.
  const recorded = async () => {
    const { entries } = await archive.ledger({ account: trader as string, after: null, limit: 1 });
    return archive.knownFromSeq === 1 ? (entries[0]?.timeMs ?? null) : null;
  };
  options.notice(`the candles of the ${hours} hours before the first start are made up: there were no trades`);
  // A recorded market has no past but its files.
  const isRecorded = (symbol: string) => recordings?.markets[symbol] !== undefined;
  const symbols = config.markets.map(({ symbol }) => symbol).filter((symbol) => !isRecorded(symbol));
  return demoPast({ seed, hours, symbols, startMs: isFirst ? async () => timeMs : recorded });
}

/** Starts the synthetic traders, in those markets that are theirs. On a manual clock they act when it is moved. */
export async function openTraders(
  engine: Engine,
  onBug: (error: unknown, where: string) => void,
  isTheirs: (market: MarketView) => boolean,
): Promise<SyntheticTraders> {
  const { genesis, currencies } = engine.venue;
  const specs = Object.fromEntries(currencies.map(({ code, decimals }) => [code, { decimals }]));
  const traders = new SyntheticTraders(engine, genesis!.seed, traderBalances(specs), isTheirs);
  await traders.open();
  if (genesis!.clock === 'real') {
    const onError = (error: unknown) => {
      // While the venue accepts no commands, traders wait like everyone. Any other error is a bug in the traders.
      if (!isUnavailable(error)) onBug(error, 'synthetic traders');
    };
    traders.run(onError, () => engine.clock?.speed ?? 1);
  }
  return traders;
}
