/** `bourse backup`: a checked copy of a data folder. The venue may be running. */
import type { Command } from 'commander';
import { addExamples } from './examples.ts';
import { say } from './output.ts';
import { progressOnTerminal } from './progress.ts';

export function addBackupCommand(program: Command): void {
  const command = program
    .command('backup <dir> <to>')
    .description('copy a data folder into a new one and check the copy; the venue may be running');
  addExamples(command, [['backup data /mnt/backup/bourse-data']]);
  command.action(async (folder: string, to: string) => {
    const { backUp } = await import('../backup.ts');
    const progress = progressOnTerminal();
    const done = await backUp(folder, to, {
      onNotice: say,
      onProgress: ({ fraction }) => progress.report('verifying', fraction),
    });
    progress.done();
    process.stdout.write(`${JSON.stringify(done)}\n`);
  });
}
