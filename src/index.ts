/**
 * bourse for TypeScript: a whole venue inside the process that tests it, with its clock and prices in the test's hands.
 *
 *     const venue = await startVenue({ clock: 'manual' });
 *     await venue.setPrice('BTC-USDT', 60_000);
 *     const client = new BourseClient({ url: venue.url, ...venue.key });
 *     …
 *     await venue.close();
 */
import { createHmac, hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ControlClient, type Prices } from './client/control.ts';
import {
  type AccountInput,
  CONFIGURATION_KEYS,
  ConfigurationError,
  type ConfigurationInput,
  PERMISSIONS,
  readConfiguration,
} from './config/config.ts';
import { Field } from './config/field.ts';
import { defaultMasterKeyFile, readMasterKey } from './secrets.ts';
import { type RunningVenue, start } from './start.ts';

export { BourseClient, type ClientOptions } from './client/client.ts';
export {
  ControlClient,
  type ControlOptions,
  type Fault,
  type NewKey,
  type Prices,
  type VenueState,
} from './client/control.ts';
export { type Credentials, request, sign, VenueError } from './client/request.ts';
export type * from './client/types.ts';
export type { AccountInput, ConfigurationInput, MarketInput } from './config/config.ts';
export { ConfigurationError };

export interface StartVenueOptions extends ConfigurationInput {
  /** `manual` (the default) stands still until `advance`; `real` is the machine's. */
  clock?: 'manual' | 'real';
  /** Where a manual clock begins, epoch ms; 2026-01-01T00:00:00.000Z unless told otherwise. */
  startTime?: number;
  /** Everything random in the venue follows from it. */
  seed?: number;
  /** 0, the default, picks a free port. */
  port?: number;
  host?: string;
  controlPort?: number;
  /** A data folder; without one the log is in memory and goes with the process. */
  data?: string;
  /** Seals the secrets of keys in a data folder; by default the file in the user's configuration folder. */
  masterKeyFile?: string;
  /** Synthetic traders and two demo accounts, as `npm start` has them. */
  demo?: boolean;
}

export interface VenueKey {
  readonly account: string;
  readonly key: string;
  readonly secret: string;
}

/** Index, mark and last of one market; a number sets the index alone. */
export type PriceInput = number | Prices;

export interface TestVenue {
  /** Where clients connect: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Address of the control surface, and its token. */
  readonly control: string;
  readonly controlToken: string;
  /** The first account's first key. */
  readonly key: VenueKey;
  /** Every key that was configured or made at the start. */
  readonly keys: readonly VenueKey[];
  /** Moves a manual clock; resolves, with the new time in epoch ms, when everything due on the way has happened. */
  advance(ms: number): Promise<number>;
  /** Resolves when all that the price set off has happened. */
  setPrice(symbol: string, price: PriceInput): Promise<void>;
  setPrice(prices: Prices & { symbol: string }): Promise<void>;
  /** A negative amount withdraws. */
  deposit(account: string, currency: string, amount: number | string): Promise<void>;
  /** Accounts, balances and markets as configured, empty books. */
  reset(): Promise<void>;
  /** SHA-256 over the venue's state. */
  stateHash(): string;
  close(): Promise<void>;
}

/** Starts a venue in this process. Throws ConfigurationError, naming every value that is wrong. */
export async function startVenue(options: StartVenueOptions = {}): Promise<TestVenue> {
  refuseWrongOptions(options);
  const { clock, startTime, seed, port, host, controlPort, data, masterKeyFile, demo, ...members } = options;
  // In memory nothing outlives the process: a master key that follows from the seed makes venues repeatable to the bit.
  const masterKey =
    data === undefined ? hash('sha256', `master key of seed ${seed ?? 1}`, 'hex') : masterKeyOf(data, masterKeyFile);
  const { input, keys } = withKeys(members, masterKey, demo ?? false);
  const running = await start({
    configuration: readConfiguration(input, 'given to startVenue'),
    data: data ?? null,
    masterKey,
    host: host ?? '127.0.0.1',
    port: port ?? 0,
    controlHost: '127.0.0.1',
    controlPort: controlPort ?? 0,
    clock: clock ?? 'manual',
    startTimeMs: startTime,
    seed: seed ?? 1,
    demo: demo ?? false,
    notice: () => {},
    onBug: (error, where) => console.error(`bourse: at ${where}:`, error),
    onFatal: (error) => console.error('bourse: the venue failed:', error),
  });
  return testVenue(running, [...keys, ...running.demoKeys]);
}

const MAX_PORT = 65_535;

/** What is not part of the configuration: a mistyped clock must not quietly be another one. */
function refuseWrongOptions(options: StartVenueOptions): void {
  const field = new Field(options);
  const checks: { [name in Exclude<keyof StartVenueOptions, keyof ConfigurationInput>]: (option: Field) => unknown } = {
    clock: (option) => option.oneOf(['manual', 'real']),
    startTime: (option) => option.integer(0, Number.MAX_SAFE_INTEGER),
    seed: (option) => option.integer(0, Number.MAX_SAFE_INTEGER),
    port: (option) => option.integer(0, MAX_PORT),
    host: (option) => option.text(255),
    controlPort: (option) => option.integer(0, MAX_PORT),
    data: (option) => option.text(4096),
    masterKeyFile: (option) => option.text(4096),
    demo: (option) => option.flag(),
  };
  field.object([...Object.keys(checks), ...CONFIGURATION_KEYS]);
  for (const [name, check] of Object.entries(checks)) {
    const option = field.at(name);
    if (option.given) check(option);
  }
  if (field.problems.length > 0) throw new ConfigurationError('given to startVenue', field.problems);
}

function masterKeyOf(data: string, file = defaultMasterKeyFile()): string {
  const mustExist = existsSync(join(data, 'bourse.json'));
  return readMasterKey({ file, value: process.env.BOURSE_MASTER_KEY, data, mustExist, notice: () => {} });
}

/**
 * Without accounts there is one, funded; an account without keys gets one that may do everything. Such a key follows from
 * the master key, so that it is the same again when a data folder is started again.
 */
function withKeys(
  members: ConfigurationInput,
  masterKey: string,
  demo: boolean,
): { input: ConfigurationInput; keys: VenueKey[] } {
  const funded: AccountInput[] = [{ name: 'test', balances: { USDT: '1000000', BTC: '100', ETH: '1000' } }];
  const given = members.accounts ?? (demo ? [] : funded);
  if (!Array.isArray(given)) return { input: members, keys: [] };
  const accounts = given.map((account: AccountInput): AccountInput => {
    if (typeof account !== 'object' || account === null || account.keys !== undefined) return account;
    const made = (what: string) => createHmac('sha256', masterKey).update(`${what} of ${account.name}`).digest('hex');
    const [key, secret] = [made('key'), made('secret')];
    return { ...account, keys: [{ key, secret, permissions: PERMISSIONS }] };
  });
  const keys = accounts.flatMap((account) =>
    (account?.keys ?? []).map(({ key, secret }) => ({ account: account.name, key, secret })),
  );
  return { input: { ...members, accounts }, keys };
}

function testVenue(running: RunningVenue, keys: readonly VenueKey[]): TestVenue {
  const { engine, http, control, controlToken } = running;
  const client = new ControlClient({ url: control, token: controlToken });
  let closed = false;
  const open = async () => {
    if (closed) throw new Error('this venue was closed');
    return client;
  };
  return {
    url: http,
    control,
    controlToken,
    get key() {
      if (keys.length === 0) throw new Error('this venue was started without accounts that have keys');
      return keys[0];
    },
    keys,
    advance: async (ms) => (await open()).advance(ms),
    async setPrice(first: string | (Prices & { symbol: string }), price?: PriceInput) {
      if (typeof first !== 'string') {
        const { symbol, ...prices } = first;
        return (await open()).setPrices(symbol, prices);
      }
      return (await open()).setPrices(first, typeof price === 'object' ? price : { index: price });
    },
    deposit: async (account, currency, amount) => (await open()).deposit(account, currency, amount),
    reset: async () => (await open()).reset(),
    stateHash: () => engine.stateHash(),
    async close() {
      closed = true;
      await running.stop();
    },
  };
}
