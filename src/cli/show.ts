/** Replies for people and for programs: a text on a terminal, JSON in a pipe or with --json. */
import type { Command } from 'commander';
import { VenueError } from '../client/request.ts';
import type { ControlFlags } from './control-options.ts';
import { UsageError, write } from './output.ts';
import { answered, inFlags, printReply, type ReplyOptions } from './wire-options.ts';

export interface ShowFlags extends ControlFlags {
  json?: boolean;
}

export function addJsonOption(command: Command): Command {
  return command.option('--json', 'print JSON also on a terminal');
}

/** Whether a program reads the output. */
export function isForProgram({ json }: { readonly json?: boolean }): boolean {
  return json === true || process.stdout.isTTY !== true;
}

/** Makes a call and shows its reply. On a terminal a refusal is one line, and elsewhere what the venue answered. */
export async function show<Reply>(
  flags: ShowFlags,
  options: Omit<ReplyOptions, 'url'>,
  call: () => Promise<Reply>,
  textOf: (reply: Reply) => string,
): Promise<void> {
  const url = flags.controlUrl;
  if (isForProgram(flags)) {
    await printReply({ url, ...options }, call);
    return;
  }
  try {
    await write(`${textOf(await answered(url, options.remedy, call))}\n`);
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    const { error: refusal } = (error.body ?? {}) as { readonly error?: { readonly message?: string } };
    throw new UsageError([refusal?.message ?? error.message, ...inFlags(error.message, options)].join('; '));
  }
}
