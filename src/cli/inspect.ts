/** `bourse verify`: checks the log of a data folder. It only reads, and the venue may be running. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { EffectsDiffer } from '../engine/replay/differs.ts';
import { LogDamaged } from '../log/contract/command-log.ts';
import { addExamples } from './examples.ts';
import { say } from './output.ts';
import { progressOnTerminal } from './progress.ts';

export function addInspectCommands(program: Command): void {
  const command = program
    .command('verify <log>')
    .description('check every byte and every command of a data folder, or of a log in PostgreSQL');
  addExamples(command, [['verify data'], ['verify data --cold /mnt/large/bourse-log']]);
  command.addOption(coldOption()).action(async (folder: string, { cold }: { cold: string[] }) => {
    const { verify } = await import('../engine/replay/inspect.ts');
    const progress = progressOnTerminal();
    try {
      const onProgress = ({ fraction }: { fraction: number }) => progress.report('verifying', fraction);
      const found = await verify(folder, { cold, onProgress });
      progress.done();
      printLine(found);
    } catch (error) {
      progress.done();
      const found = damageOf(error);
      if (found === undefined) throw error;
      say(JSON.stringify(found));
      process.exitCode = 1;
    }
  });
}

export function coldOption(): Option {
  return new Option('--cold <dir>', 'a folder that old segments were moved to; may be repeated')
    .argParser((folder: string, before: string[]) => [...before, folder])
    .default([], 'none');
}

/** An error with a place in the log, which is printed as JSON. */
function damageOf(error: unknown): object | undefined {
  if (error instanceof LogDamaged) {
    const { place, reason } = error;
    return { ok: false, place, reason };
  }
  if (error instanceof EffectsDiffer) {
    const { firstSeq, lastSeq, place, message } = error;
    return { ok: false, place, firstSeq, lastSeq, reason: message };
  }
  return undefined;
}

function printLine(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Reads a sequence number of the log. */
export function sequence(text: string): number {
  return positive(text, 'a sequence number is a whole number from 1 on.');
}

/** Reads how many of something are wanted. */
export function count(text: string): number {
  return positive(text, 'give a whole number from 1 on.');
}

function positive(text: string, problem: string): number {
  const value = /^[1-9]\d*$/.test(text) ? Number(text) : 0;
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError(problem);
}
