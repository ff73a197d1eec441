/** `bourse page`: a link that opens the page of a running venue once. */
import type { Command } from 'commander';
import { addControlOptions, type ControlFlags, controlClient } from './control-options.ts';
import { printReply } from './wire-options.ts';

const ASK_ANOTHER = 'no link arrived: ask for another';

export function addPageCommand(program: Command): void {
  addControlOptions(
    program.command('page').description('print a link that opens the page in a browser, once and within ten minutes'),
  )
    .option('--read-only', 'its session may only look')
    .action((flags: ControlFlags & { readOnly?: true }) =>
      printReply({ url: flags.controlUrl, remedy: ASK_ANOTHER, flagOfField: {} }, async () => ({
        link: await controlClient(flags).pageLink(flags.readOnly === true),
      })),
    );
}
