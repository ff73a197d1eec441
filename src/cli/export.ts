/** `bourse export`: orders, what happened to them, fills or the ledger of a data folder on standard output. */
import { type Command, Option } from 'commander';
import type { ExportFormat, ExportName } from '../archive/export.ts';
import { addExamples } from './examples.ts';
import { say, write } from './output.ts';
import { progressOnTerminal } from './progress.ts';

interface ExportFlags {
  what: ExportName;
  format: ExportFormat;
}

export function addExportCommand(program: Command): void {
  const command = program
    .command('export <dir>')
    .description('print the orders, their events, the fills or the ledger entries of a data folder');
  addExamples(command, [['export data --what fills > fills.csv'], ['export data --what ledger --format json | head']]);
  command
    .addOption(
      new Option('--what <what>', 'which').choices(['orders', 'events', 'fills', 'ledger']).makeOptionMandatory(),
    )
    .addOption(new Option('--format <format>', 'as what').choices(['csv', 'json']).default('csv'))
    .action(runExport);
}

async function runExport(folder: string, { what, format }: ExportFlags): Promise<void> {
  const { exportRows } = await import('../archive/export.ts');
  const progress = progressOnTerminal();
  await exportRows(folder, {
    what,
    format,
    write,
    onNotice: say,
    onProgress: (step, fraction) => progress.report(step, fraction),
  });
  progress.done();
}
