/**
 * What the commands that call a running venue share: where it is, and whose key they sign with. A key comes from the
 * flags, else the environment, else the first account of the demo's key file.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { BourseClient } from '../client/client.ts';
import { VenueError } from '../client/request.ts';
import { printJson, UsageError } from './output.ts';

export const DEFAULT_DATA = 'data';

export interface WireFlags {
  url: string;
  key?: string;
  secret?: string;
  data: string;
}

export function addWireOptions(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', 'address of the venue').env('BOURSE_URL').default('http://127.0.0.1:8080'))
    .addOption(new Option('--key <key>', 'API key; without one, the first of demo-keys.json').env('BOURSE_KEY'))
    .addOption(new Option('--secret <secret>', 'secret of the key').env('BOURSE_SECRET'))
    .addOption(
      new Option('--data <dir>', 'folder whose demo-keys.json is used').env('BOURSE_DATA').default(DEFAULT_DATA),
    );
}

export function wireClient(flags: WireFlags): BourseClient {
  const { key, secret } = credentials(flags);
  return new BourseClient({ url: flags.url, key, secret });
}

function credentials({ key, secret, data }: WireFlags): { key: string; secret: string } {
  if (key !== undefined && secret !== undefined) return { key, secret };
  if (key !== undefined || secret !== undefined) {
    throw new UsageError('give both --key and --secret (or BOURSE_KEY and BOURSE_SECRET), or neither');
  }
  const file = join(data, 'demo-keys.json');
  try {
    const [first] = JSON.parse(readFileSync(file, 'utf8')) as { key: string; secret: string }[];
    return { key: first.key, secret: first.secret };
  } catch {
    throw new UsageError(`no key: give --key and --secret, or start the demo, which writes ${file}`);
  }
}

/** Runs a call and prints its reply, an error reply too; a refusal makes the exit code 1. */
export async function printReply(url: string, call: () => Promise<unknown>): Promise<void> {
  try {
    printJson(await call());
  } catch (error) {
    if (error instanceof VenueError) {
      printJson(error.body);
      process.exitCode = 1;
      return;
    }
    if (error instanceof TypeError) throw new UsageError(unanswered(url, error));
    throw error;
  }
}

/** What fetch says when there is no reply. Only a refused connection is sure to have done nothing. */
function unanswered(url: string, error: TypeError): string {
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return `no venue answers at ${url}: is it started?`;
  return `${url} gave no answer (${code ?? error.message}): whether it was done is not known, look it up by its client id`;
}
