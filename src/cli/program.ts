/** All commands of `bourse`, with their options and their help. Each loads what it needs when it runs. */
import { Command } from 'commander';
import { addAccountCommands } from './accounts.ts';
import { addBackupCommand } from './backup.ts';
import { addCommandsCommand } from './commands.ts';
import { addExamples } from './examples.ts';
import { addExportCommand } from './export.ts';
import { addInspectCommands } from './inspect.ts';
import { addKeyCommands } from './keys.ts';
import { addLogCommands } from './log.ts';
import { addMarketCommands } from './markets.ts';
import { addOrderCommands } from './orders.ts';
import { addPageCommand } from './page.ts';
import { addPastCommands } from './past.ts';
import { addRecordCommand } from './record.ts';
import { addRecordedCommand } from './recorded.ts';
import { addReportCommand } from './report.ts';
import { addSandboxCommand } from './sandbox.ts';
import { addScenarioCommand } from './scenario.ts';
import { addDemoCommand, addStartCommand } from './start.ts';
import { addStoryCommand } from './story.ts';
import { addTokenCommands } from './tokens.ts';
import { addVenueCommands } from './venue.ts';
import { addWatchCommand } from './watch/command.ts';

/** Ends the parsing, because the rules are loaded with the venue: only this option needs it, and it takes a moment. */
export class VersionAsked extends Error {}

export function bourseProgram(): Command {
  const program = new Command('bourse')
    .description('a trading venue that anyone can run')
    .option('-V, --version', 'print the version of the package and of its rules')
    .on('option:version', () => {
      throw new VersionAsked();
    })
    .configureOutput({ outputError: (text, write) => write(ownForm(text)) });
  addExamples(program, [
    ['order --symbol BTC-USDT --side buy --type market --quote-size 100', 'buys in the demo that `npm start` runs'],
    ['watch BTC-USDT', 'book, trades and own orders, until Ctrl-C'],
    ['orders', 'open orders'],
    ['story --client-id my-first', 'what happened to an order, and why'],
  ]);
  addStartCommand(program);
  addDemoCommand(program);
  addSandboxCommand(program);
  addScenarioCommand(program);
  addOrderCommands(program);
  addStoryCommand(program);
  addWatchCommand(program);
  addVenueCommands(program);
  addCommandsCommand(program);
  addPageCommand(program);
  addAccountCommands(program);
  addMarketCommands(program);
  addKeyCommands(program);
  addTokenCommands(program);
  addPastCommands(program);
  addInspectCommands(program);
  addExportCommand(program);
  addReportCommand(program);
  addBackupCommand(program);
  addLogCommands(program);
  addRecordedCommand(program);
  addRecordCommand(program);
  return program;
}

/**
 * A refusal of commander's, with the prefix that all others have. An unknown option is named without its value, because
 * it may be a mistyped --secret=….
 */
function ownForm(text: string): string {
  return text.replace(/^error: /, 'bourse: ').replace(/(unknown option '-[^=']*)=[^\n]*/, "$1'");
}
