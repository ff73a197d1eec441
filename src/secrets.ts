/**
 * The two secrets that a start needs from outside the command log: the master key, under which the secrets of API keys
 * are sealed, and the token of the control surface. Files are private (0600) and written whole or not at all.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { makeFolder } from './log/folder.ts';

/** Why a venue was not started, in words for whoever started it. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}

const MASTER_KEY = /^[0-9a-fA-F]{64}$/;
const TOKEN = /^[!-~]{1,256}$/;

/** Where the master key lies when nobody says otherwise: the user's configuration folder. */
export function defaultMasterKeyFile(env: NodeJS.ProcessEnv = process.env): string {
  const folder = env.XDG_CONFIG_HOME ? resolve(env.XDG_CONFIG_HOME) : join(homedir(), '.config');
  return join(folder, 'bourse', 'master.key');
}

export interface MasterKeyPlace {
  readonly file: string;
  /** The key itself, where the environment carries it instead of a file. */
  readonly value: string | undefined;
  /** The data folder; the key must not lie in it. */
  readonly data: string;
  /** A log exists: its key cannot be made anew. */
  readonly mustExist: boolean;
  readonly notice: (text: string) => void;
}

/** The master key as 64 hex digits; made on a first start. Throws StartRefused when it is missing, open or malformed. */
export function readMasterKey({ file, value, data, mustExist, notice }: MasterKeyPlace): string {
  if (value !== undefined) return checkedMasterKey(value, 'BOURSE_MASTER_KEY');
  if (!relative(resolve(data), resolve(file)).startsWith('..')) {
    notice(`the master key ${file} lies in the data folder: whoever copies the folder has the secrets, too`);
  }
  const text = readPrivate(file, 'master key');
  if (text !== null) return checkedMasterKey(text, file);
  if (mustExist) {
    throw new StartRefused(
      `the master key ${file} is missing, and the log in ${data} needs the one that it was started with: ` +
        'restore that file, or name it with --master-key-file',
    );
  }
  const made = randomBytes(32).toString('hex');
  makeFolder(dirname(file));
  writePrivate(file, `${made}\n`);
  notice(`made a master key in ${file}: keep a copy apart from the data folder, without it the log's keys are lost`);
  return made;
}

function checkedMasterKey(text: string, where: string): string {
  if (MASTER_KEY.test(text)) return text.toLowerCase();
  throw new StartRefused(`the master key in ${where} must be 32 random bytes as 64 hex digits`);
}

/** The control token: as given, else the one of the data folder, made there on the first start. */
export function readControlToken(
  given: string | undefined,
  data: string | null,
): { token: string; file: string | null } {
  if (given !== undefined) {
    if (!TOKEN.test(given))
      throw new StartRefused('the control token must be 1 to 256 printable characters, no spaces');
    return { token: given, file: null };
  }
  if (data === null) return { token: randomBytes(24).toString('hex'), file: null };
  const file = join(data, 'control-token');
  const kept = readPrivate(file, 'control token');
  if (kept !== null && !TOKEN.test(kept)) throw new StartRefused(`${file} holds no token: delete it to make a new one`);
  const token = kept ?? randomBytes(24).toString('hex');
  if (kept === null) writePrivate(file, `${token}\n`);
  return { token, file };
}

/** The trimmed text of a private file; null when there is none. */
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

/** Written aside, synced and renamed, so that a crash leaves the old file or the new one. */
export function writePrivate(file: string, text: string): void {
  const aside = `${file}.new`;
  const handle = openSync(aside, 'w', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(aside, file);
}
