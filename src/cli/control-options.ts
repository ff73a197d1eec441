/** Options of the commands that call the control surface of a running venue: its address, its token, and pages of lists. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ControlClient, type Page } from '../client/control.ts';
import { UsageError } from './output.ts';
import { address, demoKeys, usualData } from './wire-options.ts';

/** What to do if the reply of a list was lost. */
export const ASK_AGAIN = 'nothing was changed: ask again';

export interface ControlFlags {
  controlUrl: string;
  controlToken?: string;
  data: string;
}

export interface PageFlags extends ControlFlags {
  limit?: string;
  after?: string;
}

export function addControlOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--control-url <url>', 'address of the control surface')
        .env('BOURSE_CONTROL_URL')
        .default('http://127.0.0.1:8081')
        .argParser(address),
    )
    .addOption(
      new Option('--control-token <token>', 'its token; without one, the file control-token').env(
        'BOURSE_CONTROL_TOKEN',
      ),
    )
    .addOption(
      new Option('--data <dir>', 'folder with the file control-token').env('BOURSE_DATA').default(usualData()),
    );
}

export function addPageOptions(command: Command): Command {
  return addControlOptions(command)
    .option('--limit <n>', 'rows of a page, at most 1000 (default: 100)')
    .option('--after <next>', 'the next of the page before');
}

const WHOLE = /^[1-9]\d{0,8}$/;

/** Reads a number of rows. */
export function countUpTo(most: number): (text: string) => number {
  return (text) => {
    const value = WHOLE.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= most) return value;
    throw new InvalidArgumentError(`give a number from 1 to ${most}.`);
  };
}

export function pageOf({ limit, after }: PageFlags): Page {
  return { ...(limit !== undefined && { limit }), ...(after !== undefined && { after }) };
}

export function controlClient(flags: ControlFlags): ControlClient {
  return new ControlClient({ url: flags.controlUrl, token: flags.controlToken ?? readToken(flags.data) });
}

/** The accounts of a demo, if its folder gives the token. Null: it is another venue. */
export function demoAccounts({ controlToken, data }: ControlFlags): readonly string[] | null {
  const names = controlToken === undefined ? demoKeys({ data }).map(({ account }) => account) : [];
  return names.length === 0 ? null : names;
}

function readToken(data: string): string {
  const file = join(data, 'control-token');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`no control token: give --control-token, or --data with a readable ${file} (${error})`);
  }
}
