/**
 * bourse for TypeScript: a whole venue inside the process of a test, which controls its clock and prices.
 *
 *     const venue = await startVenue({ clock: 'manual' });
 *     await venue.setPrice('BTC-USDT', 60_000);
 *     const client = new BourseClient({ url: venue.url, ...venue.key });
 *     …
 *     await venue.close();
 *
 * A venue does not keep its process alive: a test that forgets to close one still ends.
 */
import { createHmac, hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Balances,
  type Book,
  ControlClient,
  type HouseBook,
  type OrderPage,
  type Prices,
} from './client/control.ts';
import { venueClosed, venueStarted } from './client/own-venues.ts';
import {
  type AccountInput,
  CONFIGURATION_KEYS,
  type Configuration,
  ConfigurationError,
  type ConfigurationInput,
  PERMISSIONS,
  readConfiguration,
} from './config/config.ts';
import { MOST_DEMO_HISTORY_HOURS } from './config/defaults.ts';
import { Field, type Problem } from './config/field.ts';
import { SPEEDS } from './engine/clock/venue-clock.ts';
import { readManifest } from './engine/identity/manifest.ts';
import { keepForFailure } from './failed-tests.ts';
import { folderStorage } from './log/open.ts';
import { AT_END, FUNDING_RULES, GAP_RULES, SIZE_UNITS, TIME_RULES } from './playback/options.ts';
import type { ReplayOptions } from './replay.ts';
import { remember } from './running-venues.ts';
import { defaultMasterKeyFile, type KeyPair, keysOfSeed, randomKeys, readMasterKeys } from './secrets.ts';
import { type RunningVenue, start } from './start.ts';
import { QUEUE_RULES } from './venue/contract/commands.ts';

export * from './client/index.ts';
export type { AccountInput, ConfigurationInput, MarketInput } from './config/config.ts';
export type { ReplayOptions } from './replay.ts';
export { ConfigurationError };

export interface StartVenueOptions extends ConfigurationInput {
  /** `manual` (the default) moves only by `advance`. `real` is the machine's clock. */
  clock?: 'manual' | 'real';
  /** Where a manual clock begins: epoch ms or ISO text. Default: 2026-01-01T00:00:00.000Z. */
  startTime?: number | string;
  /** How fast a real clock runs: 0.1 to 1,000 times elapsed time. Default: it follows the machine's. */
  speed?: number;
  /** Everything random in the venue follows from it, in memory also the keys that it creates. Default: 1. */
  seed?: number;
  /** 0, the default, picks a free port. */
  port?: number;
  host?: string;
  controlPort?: number;
  /** A data folder. Without one the log is in memory, and ends with the process. */
  data?: string;
  /** Seals the secrets of keys in a data folder. Default: the file in the user's configuration folder. */
  masterKeyFile?: string;
  /** Synthetic traders and two demo accounts, as with `npm start`. */
  demo?: boolean;
  /** How many hours the candles of a demo go back before its first start. Default: 48 on a real clock, 0 on a manual one. */
  demoHistory?: number;
  /** Plays a recorded market: its files, and how. A string or a list is only the files. */
  replay?: string | readonly string[] | ReplayOptions;
  /**
   * `book` and `trade` may give the markets books and trades that belong to nobody. For a first start. Default: false.
   */
  house?: boolean;
  /**
   * If the test fails, a link to the venue's page is printed, and the process waits for somebody who looks: why it failed is in
   * the log. For a venue in memory. Default: false.
   */
  page?: boolean;
}

export interface VenueKey extends KeyPair {
  readonly account: string;
}

/** Index, mark and last of one market. A number sets only the index. */
export type PriceInput = number | Prices;

export type Story = Pick<OrderPage, 'title' | 'status' | 'sentence' | 'rows' | 'parts' | 'siblings'>;

export interface TestVenue extends AsyncDisposable {
  /** The address for clients: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The address of the control surface, and its token. */
  readonly control: string;
  readonly controlToken: string;
  /** A link to the page: a new one each time. It opens one session, within ten minutes. */
  readonly page: string;
  /** The first account's first key. */
  readonly key: VenueKey;
  /** Every key that was configured or created at the start. */
  readonly keys: readonly VenueKey[];
  /**
   * Moves a manual clock by milliseconds, or by text such as '90s', '1h30m', '2d'. Resolves with the new time in epoch
   * ms, when everything that was due on the way has happened.
   */
  advance(duration: number | string): Promise<number>;
  /** Resolves when everything that the price set off has happened. */
  setPrice(symbol: string, price: PriceInput): Promise<void>;
  setPrice(prices: Prices & { symbol: string }): Promise<void>;
  /** A negative amount withdraws. */
  deposit(account: string, currency: string, amount: number | string): Promise<{ readonly balances: Balances }>;
  /**
   * The best levels of a book. `levels`: replaces what the house has in it, which is liquidity that belongs to nobody. For a
   * venue with `house: true`.
   */
  book(symbol: string, levels?: HouseBook): Promise<Book>;
  /** Prints a trade of the house, which fills who is in the way. For a venue with `house: true`. */
  readonly trade: ControlClient['trade'];
  /** Balances, positions, open orders. */
  readonly account: ControlClient['account'];
  readonly order: ControlClient['order'];
  /** What happened to an order, and why: the part of `order` that people read. */
  story(id: string, client?: { account: string; symbol?: string }): Promise<Story>;
  readonly fault: ControlClient['armFault'];
  readonly faults: ControlClient['faults'];
  readonly clearFaults: ControlClient['clearFaults'];
  readonly halt: ControlClient['haltMarket'];
  readonly resume: ControlClient['resumeMarket'];
  readonly save: ControlClient['save'];
  readonly restore: ControlClient['restore'];
  readonly audit: ControlClient['audit'];
  /** These throw an AssertionError that says what it is instead. */
  readonly expectBalance: ControlClient['expectBalance'];
  readonly expectPosition: ControlClient['expectPosition'];
  readonly expectOpenOrders: ControlClient['expectOpenOrders'];
  readonly expectFilled: ControlClient['expectFilled'];
  /** Accounts, balances and markets as configured, empty books. */
  reset(): Promise<void>;
  /** SHA-256 over the venue's state. */
  stateHash(): string;
  /**
   * Answers the requests in progress and ends the venue. Rejects if calls of this object were not awaited, or requests
   * had no answer after five seconds. The error names them, and the venue is closed all the same.
   */
  close(): Promise<void>;
}

/** Starts a venue in this process. Throws ConfigurationError, naming every wrong value. */
export async function startVenue(options: StartVenueOptions = {}): Promise<TestVenue> {
  const { members, startTimeMs, speed, problems } = readOptions(options);
  const { clock, seed = 1, port, host, controlPort, data, masterKeyFile, demo, demoHistory } = options;
  const { replay, house, page } = options;
  const inMemory = data === undefined;
  // A wrong option must not read or create a file.
  const usable = problems.length === 0;
  // In memory nothing outlives the process. A master key derived from the seed makes venues repeatable to the bit.
  const masters = inMemory || !usable ? { masterKeys: [masterKeyOfSeed(seed)] } : masterKeysOf(data, masterKeyFile);
  const newKey = inMemory ? keysOfSeed(seed) : randomKeys();
  const keyOf = inMemory || !usable ? newKey : await keysOfFolder(data, masters.masterKeys);
  const { input, keys } = withKeys(members, demo === true, keyOf);
  const running = await start({
    configuration: readBoth(problems, {
      ...input,
      refusedCommands: input.refusedCommands ?? 'off',
      maxQueueMs: input.maxQueueMs ?? 'off',
    }),
    data: data ?? null,
    ...masters,
    newKey,
    host: host ?? '127.0.0.1',
    port: port ?? 0,
    controlHost: '127.0.0.1',
    controlPort: controlPort ?? 0,
    clock: clock ?? 'manual',
    startTimeMs,
    speed,
    seed,
    venueId: venueIdOfSeed(seed),
    demo: demo ?? false,
    demoHistoryHours: demoHistory,
    ...(replay !== undefined && problems.length === 0 && { replay: replayOptions(replay) }),
    house,
    notice: () => {},
    onBug: (error, where) => console.error(`bourse: at ${where}:`, error),
    onFatal: (error) => console.error('bourse: the venue failed:', error),
  });
  running.unref();
  venueStarted(running.http);
  const venue = testVenue(running, [...keys, ...running.demoKeys], page === true && process.env.CI === undefined);
  remember(venue, running);
  return venue;
}

const MAX_PORT = 65_535;

type OwnOption = Exclude<keyof StartVenueOptions, keyof ConfigurationInput>;

/** Separates the options: those of the start are checked here, the configuration is left for `readConfiguration`. */
function readOptions(options: StartVenueOptions): {
  members: ConfigurationInput;
  startTimeMs: number | undefined;
  speed: number | undefined;
  problems: Problem[];
} {
  const field = new Field(options);
  let startTimeMs: number | undefined;
  let speed: number | undefined;
  const checks: { [name in OwnOption]: (option: Field) => unknown } = {
    clock: (option) => option.oneOf(['manual', 'real']),
    startTime: (option) => {
      startTimeMs = option.time();
    },
    speed: (option) => {
      speed = Number(option.decimal({ atLeast: String(SPEEDS.least), atMost: String(SPEEDS.most) }));
      if (options.clock !== 'real') option.problem("is for a real clock: give clock: 'real'");
    },
    seed: (option) => option.integer(0, Number.MAX_SAFE_INTEGER),
    port: (option) => option.integer(0, MAX_PORT),
    host: (option) => option.text(255),
    controlPort: (option) => option.integer(0, MAX_PORT),
    data: (option) => option.text(4096),
    masterKeyFile: (option) => option.text(4096),
    demo: (option) => option.flag(),
    demoHistory: (option) => option.integer(0, MOST_DEMO_HISTORY_HOURS),
    replay: (option) => checkReplay(option),
    house: (option) => {
      const both = option.flag() && options.replay !== undefined;
      if (both) option.problem("does not go with replay: the book of a recording is the recording's");
    },
    page: (option) => {
      const inData = option.flag() && options.data !== undefined;
      if (inData) option.problem('is for a venue in memory: a data folder remains, and bourse start shows it');
    },
  };
  field.object([...Object.keys(checks), ...CONFIGURATION_KEYS]);
  for (const [name, check] of Object.entries(checks)) {
    const option = field.at(name);
    if (option.given) check(option);
  }
  const given = CONFIGURATION_KEYS.filter((key) => options[key] !== undefined);
  const members: ConfigurationInput = Object.fromEntries(given.map((key) => [key, options[key]]));
  return { members, startTimeMs, speed, problems: field.problems };
}

function replayOptions(replay: NonNullable<StartVenueOptions['replay']>): ReplayOptions {
  if (typeof replay === 'string') return { files: [replay] };
  return 'files' in replay ? replay : { files: replay };
}

/** Files, or an object with files and what `bourse start` has as flags. */
function checkReplay(option: Field): void {
  const { value } = option;
  const isFiles = (files: unknown) =>
    Array.isArray(files) && files.length > 0 && files.every((file) => typeof file === 'string' && file !== '');
  if (typeof value === 'string' ? value !== '' : isFiles(value)) return;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    option.problem('must be a path, a list of paths, or an object with files');
    return;
  }
  const choices: { readonly [name in keyof Required<ReplayOptions>]: (field: Field) => unknown } = {
    files: (field) => isFiles(field.value) || field.problem('must be a list of paths'),
    symbol: (field) => field.text(64),
    market: (field) => field.text(64),
    sizes: (field) => field.oneOf([...SIZE_UNITS]),
    queue: (field) => field.oneOf([...QUEUE_RULES]),
    depth: (field) => field.value === null || field.decimal({ above: '0', atMost: '1' }),
    healAfterMs: (field) => field.value === null || field.integer(0, Number.MAX_SAFE_INTEGER),
    gaps: (field) => field.oneOf([...GAP_RULES]),
    funding: (field) => field.oneOf([...FUNDING_RULES]),
    fit: (field) => field.flag(),
    atEnd: (field) => field.oneOf([...AT_END]),
    time: (field) => field.oneOf([...TIME_RULES]),
  };
  option.object(Object.keys(choices));
  for (const [name, check] of Object.entries(choices)) {
    const field = option.at(name);
    if (field.given || name === 'files') check(field);
  }
}

/** The configuration. Throws all problems of options and configuration at once. */
function readBoth(problems: readonly Problem[], input: ConfigurationInput): Configuration {
  const source = 'given to startVenue';
  try {
    const configuration = readConfiguration(input, source);
    if (problems.length === 0) return configuration;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(source, [...problems, ...error.problems]);
  }
  throw new ConfigurationError(source, problems);
}

function venueIdOfSeed(seed: number): string {
  return hash('sha256', `venue id of seed ${seed}`, 'hex').slice(0, 32);
}

function masterKeyOfSeed(seed: number): string {
  return hash('sha256', `master key of seed ${seed}`, 'hex');
}

function masterKeysOf(
  data: string,
  file = defaultMasterKeyFile(),
): { readonly masterKeys: readonly string[]; readonly masterKeyFile?: string } {
  const mustExist = existsSync(join(data, 'bourse.json'));
  const value = process.env.BOURSE_MASTER_KEY;
  const masterKeys = readMasterKeys({ file, value, data, mustExist, notice: () => {} });
  return { masterKeys, ...(value === undefined && { masterKeyFile: file }) };
}

/** 16 digits: two master keys do not make the same mark. */
const MARK_DIGITS = 16;

function derived(masterKey: string, what: string): string {
  return createHmac('sha256', masterKey).update(what).digest('hex');
}

type AccountKeys = (account: string) => KeyPair;

/**
 * Keys for the accounts of a data folder. A key is random, and the folder stores it. Its secret is derived from it and
 * the master key. So a later start finds both again, and nobody finds the secret without the master key. A key ends with
 * a mark of its master key, which a rotation may have retired since. Without a mark it is that of the oldest.
 */
async function keysOfFolder(data: string, masterKeys: readonly string[]): Promise<AccountKeys> {
  const before = (await readManifest(folderStorage(data).documents))?.configuration.accounts;
  const remembered = (before ?? []) as { name: string; keys: { key: string }[] }[];
  const fresh = randomKeys();
  const marked = (key: string, masterKey: string) => {
    const body = key.slice(0, -MARK_DIGITS);
    return body + derived(masterKey, `mark of ${body}`).slice(0, MARK_DIGITS);
  };
  return (name) => {
    const kept = remembered.find((account) => account.name === name)?.keys[0]?.key;
    const key = kept ?? marked(fresh().key, masterKeys[0]);
    const masterKey = masterKeys.find((each) => marked(key, each) === key) ?? masterKeys[masterKeys.length - 1];
    // In folders of rules 1, keys are derived from the account's name alone.
    const isOld = key === derived(masterKey, `key of ${name}`);
    return { key, secret: derived(masterKey, `secret of ${isOld ? name : key}`) };
  };
}

/** Without accounts there is one funded account. An account without keys gets one with all permissions. */
function withKeys(
  members: ConfigurationInput,
  demo: boolean,
  keyOf: AccountKeys,
): { input: ConfigurationInput; keys: VenueKey[] } {
  const funded: AccountInput[] = [{ name: 'test', balances: { USDT: '1000000', BTC: '100', ETH: '1000' } }];
  const given = members.accounts ?? (demo ? [] : funded);
  if (!Array.isArray(given)) return { input: members, keys: [] };
  const accounts = given.map((account: AccountInput): AccountInput => {
    if (typeof account !== 'object' || account === null || account.keys !== undefined) return account;
    return { ...account, keys: [{ ...keyOf(account.name), permissions: PERMISSIONS }] };
  });
  const keys = accounts.flatMap((account) =>
    (account?.keys ?? []).map(({ key, secret }) => ({ account: account.name, key, secret })),
  );
  return { input: { ...members, accounts }, keys };
}

/** How long a close waits for calls that were not awaited. */
const CLOSE_MS = 5000;

/** The calls of a venue that have no answer yet. */
class Calls {
  readonly #inFlight = new Map<Promise<unknown>, string>();
  #closed = false;

  /** `name`: the call as it is written in a test. */
  async make<T>(name: string, act: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error('this venue is closed');
    const call = act();
    this.#inFlight.set(call, name);
    try {
      return await call;
    } finally {
      this.#inFlight.delete(call);
    }
  }

  /** Refuses further calls, and waits for those in progress. Resolves with their names. */
  async close(): Promise<string[]> {
    this.#closed = true;
    const names = [...this.#inFlight.values()];
    if (names.length === 0) return names;
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(timeout.resolve, CLOSE_MS);
    await Promise.race([Promise.allSettled(this.#inFlight.keys()), timeout.promise]);
    clearTimeout(timer);
    return names;
  }
}

/** `explains`: it lives on after its close, until it is known whether its test failed. */
function testVenue(running: RunningVenue, keys: readonly VenueKey[], explains: boolean): TestVenue {
  const { engine, http, control, controlToken } = running;
  const client = new ControlClient({ url: control, token: controlToken });
  const calls = new Calls();
  /** A method of the client, which a close waits for by this name. */
  const named = <Given extends unknown[], Result>(name: string, act: (...given: Given) => Promise<Result>) =>
    ((...given: Given) => {
      const shown = given.length === 0 ? '' : shownCall(given[0]);
      return calls.make(`${name}(${shown})`, () => act.apply(client, given));
    }) as (...given: Given) => Promise<Result>;
  const closed = explains
    ? keepForFailure({
        link: () => running.pageLink(),
        isLookedAt: () => running.isLookedAt(),
        stop: () => running.stop(),
      })
    : undefined;
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const notAwaited = await calls.close();
    venueClosed(running.http);
    const cutOff = closed === undefined ? await running.stop() : await running.closeGateway();
    closed?.();
    const named = [...notAwaited, ...cutOff.map((request) => `${request} (cut off without an answer)`)];
    if (named.length === 0) return;
    throw new Error(`the venue was closed while calls were in progress, await them first: ${named.join(', ')}`);
  };
  return {
    url: http,
    control,
    controlToken,
    get page() {
      return running.pageLink();
    },
    get key() {
      if (keys.length === 0) throw new Error('this venue was started without an account that has a key');
      return keys[0];
    },
    keys,
    advance: (duration) => calls.make(`advance(${shownCall(duration)})`, () => client.advance(duration)),
    setPrice(first: string | (Prices & { symbol: string }), price?: PriceInput) {
      const { symbol, ...prices } = typeof first === 'string' ? { symbol: first, ...pricesOf(price) } : first;
      return calls.make(`setPrice(${shownCall(symbol)})`, () => client.setPrices(symbol, prices));
    },
    deposit: (account, currency, amount) =>
      calls.make(`deposit(${shownCall(account)})`, () => client.deposit(account, currency, amount)),
    book: named('book', async (symbol: string, levels?: HouseBook) => {
      if (levels !== undefined) await client.setBook(symbol, levels);
      return client.book(symbol);
    }),
    trade: named('trade', client.trade),
    account: named('account', client.account),
    order: named('order', client.order),
    story: named('story', (id: string, of?: { account: string; symbol?: string }) => client.order(id, {}, of)),
    fault: named('fault', client.armFault),
    faults: named('faults', client.faults),
    clearFaults: named('clearFaults', client.clearFaults),
    halt: named('halt', client.haltMarket),
    resume: named('resume', client.resumeMarket),
    save: named('save', client.save),
    restore: named('restore', client.restore),
    audit: named('audit', client.audit),
    expectBalance: named('expectBalance', client.expectBalance),
    expectPosition: named('expectPosition', client.expectPosition),
    expectOpenOrders: named('expectOpenOrders', client.expectOpenOrders),
    expectFilled: named('expectFilled', client.expectFilled),
    reset: () => calls.make('reset()', () => client.reset()),
    stateHash: () => engine.stateHash(),
    close: () => {
      closing ??= close();
      return closing;
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}

function pricesOf(price: PriceInput | undefined): Prices {
  return typeof price === 'object' ? price : { index: price };
}

/** An argument as it is written in a test. */
function shownCall(argument: unknown): string {
  if (typeof argument === 'object') return '…';
  return typeof argument === 'string' ? `'${argument}'` : String(argument);
}
