/** `bourse record`: what happened in a market of a data folder, as files that a venue can play. */
import type { Command } from 'commander';
import { addExamples } from './examples.ts';
import { coldOption } from './inspect.ts';
import { jsonText, say, UsageError, write } from './output.ts';
import { progressOnTerminal } from './progress.ts';
import { addJsonOption, isForProgram } from './show.ts';
import { DEFAULT_DATA } from './wire-options.ts';

interface RecordFlags {
  data: string;
  out: string;
  cold: string[];
  json?: boolean;
}

export function addRecordCommand(program: Command): void {
  const command = program
    .command('record <symbol>')
    .description('write the trades and the book of a market of a data folder, in the form of Tardis');
  addExamples(command, [
    ['record BTC-USDT', 'two files, in the current folder'],
    ['record BTC-USDT --data test-data --out recordings'],
  ]);
  command
    .option('--data <dir>', 'data folder; the venue may be running', DEFAULT_DATA)
    .option('--out <dir>', 'where the files go', '.')
    .addOption(coldOption());
  addJsonOption(command).action(runRecord);
}

async function runRecord(symbol: string, flags: RecordFlags): Promise<void> {
  const { recordMarket } = await import('../playback/record.ts');
  const progress = progressOnTerminal();
  const { data, out, cold } = flags;
  try {
    const onProgress = ({ fraction }: { fraction: number }) => progress.report('recording', fraction);
    const found = await recordMarket(data, symbol, { out, cold, onProgress });
    progress.done();
    if (isForProgram(flags)) await write(`${jsonText(found)}\n`);
    else say(`${found.trades} has ${found.counts.trades} trades, ${found.book} ${found.counts.messages} messages`);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message, { cause: error }) : error;
  } finally {
    progress.done();
  }
}
