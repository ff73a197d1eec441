/** `bourse log`: looks into the command log of a data folder, and moves its old segments away. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { LogLocked } from '../log/contract/command-log.ts';
import { addExamples } from './examples.ts';
import { coldOption, sequence } from './inspect.ts';
import { jsonText, printJson, say, UsageError, write } from './output.ts';
import { progressOnTerminal } from './progress.ts';

interface ShowFlags {
  from?: number;
  to?: number;
  cold: string[];
}

export function addLogCommands(program: Command): void {
  const log = program.command('log').description('the command log of a venue');
  addExamples(log, [['log show data --from 43118 --to 43120'], ['log archive data --to /mnt/large/bourse-log']]);
  const shown = log
    .command('show <log>')
    .description('print the records of the log as lines of JSON; the venue may be running');
  addExamples(shown, [
    ['log show data --from 43118 --to 43120'],
    ['log show data | jq -c \'.commands[]? | select(.type == "place")\' | head'],
  ]);
  shown
    .option('--from <n>', 'first sequence number (default: 1)', sequence)
    .option('--to <n>', 'last sequence number (default: the last one)', sequence)
    .addOption(coldOption())
    .action(show);
  const moved = log
    .command('archive <log>')
    .description('move old segments of the log to a cold folder, compressed; the venue must be stopped');
  addExamples(moved, [['log archive data --to /mnt/large/bourse-log']]);
  moved
    .requiredOption('--to <cold>', 'the cold folder, such as one on a larger disk')
    .option('--data <dir>', 'for a log in PostgreSQL: a data folder, whose archive must have read what is moved')
    .action(archive);
  const copied = log
    .command('copy <from> <to>')
    .description('copy a venue between a data folder and PostgreSQL, and check the copy; the venue must be stopped');
  addExamples(copied, [['log copy data postgresql://bourse@db.example/bourse']]);
  copied
    .option('--accept-single-node', 'a PostgreSQL server without standbys will do')
    .addOption(coldOption())
    .action(copy);
}

async function show(folder: string, { from, to, cold }: ShowFlags): Promise<void> {
  if (from !== undefined && to !== undefined && from > to) throw new UsageError(`--from ${from} is after --to ${to}`);
  const { logRecords } = await import('../engine/replay/log-records.ts');
  for await (const record of logRecords(folder, { from, to, cold })) await write(`${jsonText(record)}\n`);
}

async function copy(from: string, to: string, flags: { acceptSingleNode?: boolean; cold: string[] }): Promise<void> {
  const { copyVenue } = await import('../copy-log.ts');
  const progress = progressOnTerminal();
  try {
    const verified = await copyVenue(from, to, {
      ...flags,
      onProgress: ({ fraction }) => progress.report('verifying', fraction),
    });
    progress.done();
    printJson(verified);
  } catch (error) {
    progress.done();
    throw error;
  }
}

async function archive(address: string, { to, data }: { to: string; data?: string }): Promise<void> {
  const { moveLog } = await import('../move-log.ts');
  const progress = progressOnTerminal();
  try {
    const moved = await moveLog(address, to, { data, onProgress: (fraction) => progress.report('moving', fraction) });
    progress.done();
    printJson(moved);
    if (moved.noteRestored === true) say('bourse: moved.json was lost, and was written again');
    if (moved.reason !== undefined) say(`bourse: nothing was moved: ${moved.reason}`);
  } catch (error) {
    progress.done();
    if (!(error instanceof LogLocked)) throw error;
    const body = JSON.stringify({ to: resolve(to) });
    throw new UsageError(`${error.message}. A running venue does it on request: POST /control/v1/log/archive ${body}`);
  }
}
