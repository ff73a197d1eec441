/**
 * The two secrets that a start needs from outside the command log: the master key, which seals the secrets of API keys,
 * and the token of the control surface. Files are private (0600) and written completely or not at all.
 */
import { hash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { isKeptToken, type KeptToken } from './api/control/tokens.ts';
import { makeDurableFolder, syncFolder } from './log/shared/folder.ts';

/** Why a venue was not started, in words for its operator. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}

const MASTER_KEY = /^[0-9a-fA-F]{64}$/;
const SEPARATOR = /[\s,]+/;
/** The newest and the retired ones. Opening a seal may try each. */
const MOST_MASTER_KEYS = 100;
const TOKEN = /^[!-~]{16,256}$/;
const TOKEN_WORDS = '16 to 256 printable ASCII characters without spaces';

/** The default place of the master key: the user's configuration folder. */
export function defaultMasterKeyFile(env: NodeJS.ProcessEnv = process.env): string {
  const folder = env.XDG_CONFIG_HOME ? resolve(env.XDG_CONFIG_HOME) : join(homedir(), '.config');
  return join(folder, 'bourse', 'master.key');
}

export interface MasterKeyPlace {
  readonly file: string;
  /** The key itself, if the environment holds it instead of a file. */
  readonly value: string | undefined;
  /** The data folder, which must not contain the key. */
  readonly data: string;
  /** Where the log is, without a password. Default: `data`. */
  readonly log?: string;
  /** True: a log exists, so its key cannot be created anew. */
  readonly mustExist: boolean;
  readonly notice: (text: string) => void;
}

/**
 * The master keys as 64 hex digits: the newest, which seals, then those that were rotated out, which only open. A first
 * start creates one. Throws StartRefused if it is missing, readable by others, or malformed.
 */
export function readMasterKeys({
  file,
  value,
  data,
  log = data,
  mustExist,
  notice,
}: MasterKeyPlace): readonly string[] {
  if (value !== undefined) return checkedMasterKeys(value, 'BOURSE_MASTER_KEY');
  if (!relative(resolve(data), resolve(file)).startsWith('..')) {
    notice(`the master key ${file} is in the data folder: anyone who copies the folder gets the secrets too`);
  }
  const text = readPrivate(file, 'master key');
  if (text !== null) return checkedMasterKeys(text, file);
  if (mustExist) {
    throw new StartRefused(
      `the master key ${file} is missing, and the log in ${log} needs the key that it was started with: ` +
        'restore that file, or name it with --master-key-file',
    );
  }
  const made = newMasterKey();
  try {
    makeDurableFolder(dirname(file));
    // Another first start may have created it meanwhile. Both need the key that the file has from then on.
    if (!createPrivate(file, `${made}\n`)) return checkedMasterKeys(readPrivate(file, 'master key') ?? '', file);
  } catch (error) {
    throw new StartRefused(
      `there is no master key ${file}, and it cannot be created: ${(error as Error).message}: ` +
        'put 64 hex digits there (`openssl rand -hex 32`), for this user alone, or name another file with --master-key-file',
      { cause: error },
    );
  }
  notice(
    `created a master key in ${file}: keep a copy outside the data folder, because the log's API keys are lost without it`,
  );
  return [made];
}

/**
 * Puts a new master key before those in the file, and returns how many are retired. It takes effect when a venue starts.
 * The file is replaced at once: whenever the process is killed, it has the old keys, or the new one and the old keys.
 * Throws StartRefused, and leaves the file as it was.
 */
export function rotateMasterKey(file: string): number {
  const aside = `${file}.new`;
  const handle = openAlone(file, aside);
  try {
    const text = readPrivate(file, 'master key');
    if (text === null) throw noMasterKey(file);
    const retired = checkedMasterKeys(text, file);
    if (retired.length >= MOST_MASTER_KEYS) throw tooManyMasterKeys(file);
    writeSync(handle, `${[newMasterKey(), ...retired].join('\n')}\n`);
    fsyncSync(handle);
    renameSync(aside, file);
    syncFolder(dirname(file));
    return retired.length;
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
}

/** Two rotations at once would lose the key of one of them, and the secrets that it has sealed by then. */
function openAlone(file: string, aside: string): number {
  try {
    return openSync(aside, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw noMasterKey(file);
    if (code !== 'EEXIST') throw error;
    throw new StartRefused(
      `${aside} exists: another rotation is under way, or one was killed. If none is running, delete it and try again; ` +
        `${file} has not changed`,
    );
  }
}

function noMasterKey(file: string): StartRefused {
  return new StartRefused(`there is no master key ${file} to rotate: --master-key-file names the file that there is`);
}

function tooManyMasterKeys(where: string): StartRefused {
  return new StartRefused(
    `${where} has ${MOST_MASTER_KEYS} master keys, which is the most: remove retired ones that seal no key of \`bourse keys list\``,
  );
}

function newMasterKey(): string {
  return randomBytes(32).toString('hex');
}

/** The newest master key of a file, as it is now. Null: there is none that can be read. */
export async function newestMasterKey(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const [newest] = text.trim().split(SEPARATOR);
  return MASTER_KEY.test(newest) ? newest : null;
}

/** One on each line, or separated by commas. */
function checkedMasterKeys(text: string, where: string): readonly string[] {
  const keys = text.trim().split(SEPARATOR);
  if (!keys.every((key) => MASTER_KEY.test(key))) {
    throw new StartRefused(
      `the master key in ${where} must be 32 random bytes as 64 hex digits; after a rotation the newest, and then the ` +
        'earlier ones',
    );
  }
  if (keys.length > MOST_MASTER_KEYS) throw tooManyMasterKeys(where);
  return keys.map((key) => key.toLowerCase());
}

/** A short token can be guessed. The message does not repeat it, because it ends up in logs. */
export function checkControlToken(given: string): void {
  if (TOKEN.test(given)) return;
  throw new StartRefused(
    `the control token has ${given.length} characters and must have ${TOKEN_WORDS}: \`openssl rand -hex 24\` makes one`,
  );
}

/**
 * The control token: the given one, or the data folder's, or a new one. It is then written to the file `control-token`
 * of the data folder, so that the file always has the present token.
 */
export function readControlToken(
  given: string | undefined,
  data: string | null,
): { token: string; file: string | null } {
  if (given !== undefined) checkControlToken(given);
  if (data === null) return { token: given ?? randomBytes(24).toString('hex'), file: null };
  const file = join(data, 'control-token');
  const kept = given === undefined ? readPrivate(file, 'control token') : null;
  if (kept !== null && !TOKEN.test(kept)) {
    throw new StartRefused(`${file} must hold ${TOKEN_WORDS}: delete it, and the next start makes a new token`);
  }
  const token = given ?? kept ?? randomBytes(24).toString('hex');
  if (kept === null) writePrivate(file, `${token}\n`);
  return { token, file };
}

/** The file of the tokens that were created on the control surface. A backup leaves it out: it could hold revoked ones. */
function keptTokensFile(data: string): string {
  return join(data, 'control-tokens.json');
}

/** Throws StartRefused if the file is open to other users, or is not a list of tokens. */
export function readKeptTokens(data: string): readonly KeptToken[] {
  const file = keptTokensFile(data);
  const text = readPrivate(file, 'list of control tokens');
  if (text === null) return [];
  const tokens = parsedTokens(text);
  if (tokens !== null) return tokens;
  throw new StartRefused(
    `${file} is not a list of control tokens: delete it, and create the tokens again with bourse tokens create`,
  );
}

function parsedTokens(text: string): readonly KeptToken[] | null {
  let tokens: unknown;
  try {
    tokens = JSON.parse(text);
  } catch {
    return null;
  }
  return Array.isArray(tokens) && tokens.every(isKeptToken) ? tokens : null;
}

export function writeKeptTokens(data: string, tokens: readonly KeptToken[]): void {
  writePrivate(keptTokensFile(data), `${JSON.stringify(tokens, null, 2)}\n`);
}

export interface KeyPair {
  readonly key: string;
  readonly secret: string;
}

/** Creates API keys. */
export type KeyMaker = () => KeyPair;

export function randomKeys(): KeyMaker {
  return () => ({ key: randomBytes(32).toString('hex'), secret: randomBytes(32).toString('hex') });
}

/**
 * Creates the same keys in the same order for the same seed. Only for a venue in memory: anyone who guesses the seed
 * can sign for every account.
 */
export function keysOfSeed(seed: number): KeyMaker {
  let made = 0;
  return () => {
    made += 1;
    const derive = (what: string) => hash('sha256', `${what} ${made} of seed ${seed}`, 'hex');
    return { key: derive('key'), secret: derive('secret') };
  };
}

/** The trimmed text of a private file. Null if there is none. */
export function readPrivate(file: string, what: string): string | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new StartRefused(`the ${what} ${file} cannot be read: ${(error as Error).message}`);
  }
  const open = process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
  if (open) throw new StartRefused(`the ${what} ${file} is open to other users: chmod 600 ${file}`);
  return text;
}

/**
 * Writes another file, syncs and renames it, and syncs the folder: after a crash the file is either the old or the new
 * one.
 */
export function writePrivate(file: string, text: string): void {
  const aside = `${file}.new`;
  writeDurable(aside, text);
  renameSync(aside, file);
  syncFolder(dirname(file));
}

/** As `writePrivate`, for a file that must not exist. False: another process has created it meanwhile, and it is kept. */
function createPrivate(file: string, text: string): boolean {
  const aside = `${file}.${randomBytes(8).toString('hex')}`;
  writeDurable(aside, text);
  try {
    linkSync(aside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    renameSync(aside, file); // The file system has no links.
  } finally {
    rmSync(aside, { force: true });
  }
  syncFolder(dirname(file));
  return true;
}

/** Writes a private file (0600) and flushes it. Its folder must be synced after that. */
function writeDurable(file: string, text: string): void {
  const handle = openSync(file, 'w', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
