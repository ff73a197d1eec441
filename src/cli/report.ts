/** `bourse report`: what came of a data folder, account by account. It only reads, and the venue may be running. */
import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { addExamples } from './examples.ts';
import { coldOption } from './inspect.ts';
import { printJson } from './output.ts';

export function addReportCommand(program: Command): void {
  const command = program
    .command('report <log>')
    .description('money by reason, equity over time, fills against the middle, refusals, of each account')
    .option('--account <name>', 'only this one')
    .option('--html <file>', 'write one HTML file instead of JSON');
  addExamples(command, [
    ['report data | jq .accounts[0]', 'JSON'],
    ['report data --account demo-1 --html report.html', 'for people'],
  ]);
  command.addOption(coldOption()).action(run);
}

async function run(folder: string, flags: { account?: string; html?: string; cold: string[] }): Promise<void> {
  const { ofAccount, reportOf } = await import('../report/report.ts');
  const { reportPage } = await import('../report/page.ts');
  const { UsageError } = await import('./output.ts');
  const whole = await reportOf(folder, flags.cold);
  const report = ofAccount(whole, flags.account);
  if (report.accounts.length === 0 && flags.account !== undefined) {
    throw new UsageError(
      `there is no account ${flags.account} that had money: ${whole.accounts.map(({ account }) => account).join(', ')}`,
    );
  }
  if (flags.html === undefined) printJson(report);
  else writeFileSync(flags.html, reportPage(report));
}
