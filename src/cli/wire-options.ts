/**
 * Options of the commands that call a running venue: its address, and the key that signs. A key comes from the flags,
 * the environment, or the first account of the demo's key file, in this order.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { BourseClient } from '../client/client.ts';
import { addressLike, type Credentials, isAddress, VenueError } from '../client/request.ts';
import { printJson, say, UsageError } from './output.ts';

export const DEFAULT_DATA = 'data';
/** Of `bourse demo`: it runs in folders of projects, and many of them have a folder `data`. */
export const DEMO_DATA = 'bourse-data';

/** The folder of the venue that commands call, unless one is named: that of `bourse demo` if it is the only one here. */
export function usualData(): string {
  const has = (data: string) => existsSync(join(data, 'control-token'));
  return has(DEMO_DATA) && !has(DEFAULT_DATA) ? DEMO_DATA : DEFAULT_DATA;
}

export interface WireFlags {
  url: string;
  key?: string;
  secret?: string;
  data: string;
}

export function addWireOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--url <url>', 'address of the venue')
        .env('BOURSE_URL')
        .default('http://127.0.0.1:8080')
        .argParser(address),
    )
    .addOption(new Option('--key <key>', 'API key; without one, the first of demo-keys.json').env('BOURSE_KEY'))
    .addOption(new Option('--secret <secret>', 'secret of the key').env('BOURSE_SECRET'))
    .addOption(
      new Option('--data <dir>', 'folder whose demo-keys.json is used').env('BOURSE_DATA').default(usualData()),
    );
}

/** An address in the form that `fetch` takes. */
export function address(text: string): string {
  if (isAddress(text)) return text;
  throw new InvalidArgumentError(`give an address such as ${addressLike(text)}`);
}

export function wireClient(flags: WireFlags): BourseClient {
  const { key, secret } = credentials(flags);
  return new BourseClient({ url: flags.url, key, secret });
}

function credentials(flags: WireFlags): Credentials {
  const found = givenCredentials(flags);
  if (found !== null) return found;
  const folder = '--data (or BOURSE_DATA) with the folder of a demo';
  throw new UsageError(`no key: give --key and --secret, or ${folder}: there is no ${keyFile(flags)} here`);
}

/** Null: no key is given, and there is no file with one. @throws {UsageError} for half a key */
export function givenCredentials({ key, secret, data }: WireFlags): Credentials | null {
  if (key !== undefined && secret !== undefined) return { key, secret };
  if (key !== undefined || secret !== undefined) {
    throw new UsageError('give both --key and --secret (or BOURSE_KEY and BOURSE_SECRET), or neither');
  }
  const [first] = demoKeys({ data });
  return first === undefined ? null : { key: first.key, secret: first.secret };
}

interface DemoKey extends Credentials {
  readonly account: string;
}

/** The keys of the demo's accounts, in the folder of a demo. Elsewhere there are none. */
export function demoKeys({ data }: Pick<WireFlags, 'data'>): readonly DemoKey[] {
  try {
    return JSON.parse(readFileSync(keyFile({ data }), 'utf8')) as DemoKey[];
  } catch {
    return [];
  }
}

export function keyFile({ data }: Pick<WireFlags, 'data'>): string {
  return join(data, 'demo-keys.json');
}

/** By field of the interface, the flag that it comes from: 'orderSize' from '--size'. */
export type FlagOfField = Readonly<Record<string, string>>;

export interface ReplyOptions {
  readonly url: string;
  /** What to do if the reply was lost, and nobody knows whether the call was carried out. */
  readonly remedy: string;
  /** For refusals, which name fields. */
  readonly flagOfField: FlagOfField;
  /** True: the command takes any other field with --set. */
  readonly takesSet?: boolean;
}

/**
 * Makes a call and prints its reply. A refusal is printed as the venue gave it, with the flags that it is about on
 * standard error, and makes the exit code 1.
 */
export async function printReply(options: ReplyOptions, call: () => Promise<unknown>): Promise<void> {
  try {
    printJson(await answered(options.url, options.remedy, call));
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    printJson(error.body);
    for (const line of inFlags(error.message, options)) say(`bourse: ${line}`);
    process.exitCode = 1;
  }
}

/** Says which flags the fields in a refusal are. */
export function inFlags(message: string, { flagOfField, takesSet = false }: Omit<ReplyOptions, 'url'>): string[] {
  const words = new Set(message.match(/\w+/g));
  const renamed = Object.entries(flagOfField).filter(([field, flag]) => words.has(field) && flag !== `--${field}`);
  const missing = takesSet ? /(\w+) is missing/.exec(message)?.[1] : undefined;
  return [
    ...(renamed.length === 0 ? [] : [renamed.map(([field, flag]) => `${field} is ${flag}`).join(', ')]),
    ...(missing === undefined || missing in flagOfField ? [] : [`give ${missing} with --set ${missing}=VALUE`]),
  ];
}

/** Makes a call. A venue that gives no answer is a UsageError, which says why and what to do. */
export async function answered<Reply>(url: string, remedy: string, call: () => Promise<Reply>): Promise<Reply> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof TypeError || (error as Error).name === 'TimeoutError') {
      throw new UsageError(unanswered(url, error as Error, remedy));
    }
    throw error;
  }
}

/** Why no venue can have been reached, by the code of the error. */
const UNREACHED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no venue answers at {url}: is it running?',
  ENOTFOUND: 'the host in {url} is unknown',
  EHOSTUNREACH: '{url} cannot be reached',
  ENETUNREACH: '{url} cannot be reached',
};

/** What is known if fetch got no reply. */
function unanswered(url: string, error: Error, remedy: string): string {
  const cause = (error.cause ?? {}) as NodeJS.ErrnoException;
  const known = UNREACHED[cause.code ?? ''];
  if (known !== undefined) return known.replace('{url}', url);
  // Without a code, fetch itself refused before anything was sent: a port that browsers block, for instance.
  if (error.name !== 'TimeoutError' && cause.code === undefined) {
    return `${url} cannot be called: ${cause.message ?? error.message}`;
  }
  return `${url} gave no answer (${cause.code ?? error.message}): ${remedy}`;
}
