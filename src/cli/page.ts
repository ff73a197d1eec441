/** `bourse page`: a link that opens the page of a running venue once. */
import type { Command } from 'commander';
import { addControlOptions, controlClient } from './control-options.ts';
import { addExamples } from './examples.ts';
import { addJsonOption, type ShowFlags, show } from './show.ts';

const ASK_ANOTHER = 'no link arrived: ask for another';

export function addPageCommand(program: Command): void {
  const page = program
    .command('page')
    .description('print a link that opens the page in a browser, once and within ten minutes');
  addJsonOption(addControlOptions(page))
    .option('--read-only', 'its session may only look')
    .action((flags: ShowFlags & { readOnly?: true }) =>
      show(
        flags,
        { remedy: ASK_ANOTHER, flagOfField: {} },
        async () => ({ link: await controlClient(flags).pageLink(flags.readOnly === true) }),
        ({ link }) => linkText(link),
      ),
    );
  addExamples(page, [
    ['page', 'a link for yourself'],
    ['page --read-only', 'a link for somebody who may only look'],
    ['page --json | jq -r .link | xargs xdg-open'],
  ]);
}

/** For people. */
export function linkText(link: string): string {
  return `This link opens the page once, within ten minutes:\n\n  ${link}`;
}
