/** `bourse log show`: the records of a command log, as lines of JSON. */
import type { Command } from 'commander';
import { sequence } from './inspect.ts';
import { jsonText, UsageError, write } from './output.ts';

interface ShowFlags {
  from?: number;
  to?: number;
}

export function addLogCommands(program: Command): void {
  const log = program.command('log').description('look at the command log of a data folder');
  log
    .command('show <dir>')
    .description('print the records of the log as lines of JSON; the venue may be running')
    .option('--from <n>', 'first sequence number (default: 1)', sequence)
    .option('--to <n>', 'last sequence number (default: the last one)', sequence)
    .action(show);
}

async function show(folder: string, { from, to }: ShowFlags): Promise<void> {
  if (from !== undefined && to !== undefined && from > to) throw new UsageError(`--from ${from} is after --to ${to}`);
  const { logRecords } = await import('../engine/replay/log-records.ts');
  for await (const record of logRecords(folder, { from, to })) await write(`${jsonText(record)}\n`);
}
