/**
 * `bourse replay` and `bourse why`: what a venue was at a seq, and what a command set off, from the log of a data folder.
 * Both only read, and the venue may be running. Tables on a terminal, JSON with --json or in a pipe.
 */
import { type Command, Option } from 'commander';
import { missingFor, SHOWN, type Shown } from '../api/control/past.ts';
import { ApiError, errorText } from '../api/shared/errors.ts';
import type { Left } from '../story/facts.ts';
import { addExamples } from './examples.ts';
import { coldOption, count, sequence } from './inspect.ts';
import { printJson, UsageError, write } from './output.ts';
import { type ShownCommand, type ShownState, stateText, whyText } from './past-text.ts';
import { progressOnTerminal } from './progress.ts';
import { addJsonOption, isForProgram } from './show.ts';

interface PastFlags {
  readonly cold: string[];
  readonly json?: boolean;
}

interface ReplayFlags extends PastFlags {
  readonly seq?: number;
  readonly show?: Shown;
  readonly account?: string;
  readonly symbol?: string;
  readonly limit?: number;
}

const LEVELS = 20;
const MOST = 100_000;

export function addPastCommands(program: Command): void {
  const replay = program
    .command('replay <dir>')
    .description('print the state hash of a data folder, and with --show a part of the state, at any sequence number');
  addJsonOption(replay)
    .option('--seq <n>', 'sequence number (default: the last one)', sequence)
    .addOption(new Option('--show <what>', 'a part of the state').choices(SHOWN))
    .option('--account <name>', 'only this account; --show account needs it')
    .option('--symbol <symbol>', 'only this market; --show book needs it')
    .option('--limit <n>', 'the most levels, orders, positions or accounts', count)
    .addOption(coldOption())
    .action(showState);
  addExamples(replay, [
    ['replay data', 'the state hash at the end of the log'],
    ['replay data --seq 43118 --show book --symbol BTC-PERP', 'the book as it was then'],
    ['replay data --seq 43118 --show account --account demo-1', 'balances, positions and live orders'],
    ["replay data --seq 43118 --show orders --json | jq '.orders[].orderId'"],
  ]);
  const why = program
    .command('why <dir> <seq>')
    .description('print a command of the log and what it set off, in order');
  addJsonOption(why).addOption(coldOption()).action(showWhy);
  addExamples(why, [
    ['why data 43118', 'the command, and everything that it set off'],
    ["why data 43118 --json | jq '.effects[].type'", 'the same for programs'],
  ]);
}

async function showState(folder: string, flags: ReplayFlags): Promise<void> {
  const { seq, cold, show = null, account = null, symbol = null } = flags;
  const missing = missingFor({ show, account, symbol });
  const unused = (['account', 'symbol', 'limit'] as const).find((name) => show === null && flags[name] !== undefined);
  if (unused !== undefined) throw new UsageError(`--${unused} needs --show: it chooses what is shown`);
  if (missing !== null) throw new UsageError(`--show ${show} needs --${missing}`);
  const { replay } = await import('../engine/replay/inspect.ts');
  const { viewOf } = await import('../time-machine/views.ts');
  const limit = flags.limit ?? (show === 'book' ? LEVELS : MOST);
  const progress = progressOnTerminal();
  const found = await replay(folder, {
    seq,
    cold,
    onProgress: ({ fraction }) => progress.report('replaying', fraction),
    show: (venue) => orUsage(() => viewOf(venue, { show, account, symbol, limit })),
  });
  progress.done();
  const state = { ...found, ...(await leftOf(folder, found.seq)) };
  if (isForProgram(flags)) printJson(state);
  else await write(`${stateText(state as ShownState, show)}\n`);
}

async function showWhy(folder: string, text: string, flags: PastFlags): Promise<void> {
  const seq = sequence(text);
  const { commandAt } = await import('../time-machine/open.ts');
  const found = { ...(await commandAt(folder, seq, flags.cold)), ...(await leftOf(folder, seq)) };
  if (isForProgram(flags)) printJson(found);
  else await write(`${whyText(found as ShownCommand)}\n`);
}

/** Only a command whose branch was left has a `left`. */
async function leftOf(folder: string, seq: number): Promise<{ left?: Left }> {
  const { leftInFolder } = await import('../archive/read/left-in-folder.ts');
  const left = leftInFolder(folder, seq);
  return left === null ? {} : { left };
}

/** An account or a market that was not there then is the caller's mistake. */
function orUsage(view: () => object): object {
  try {
    return view();
  } catch (error) {
    throw error instanceof ApiError ? new UsageError(errorText(error, 'B')) : error;
  }
}
