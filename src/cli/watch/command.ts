/** `bourse watch`: a market in the terminal. run.ts does the work, and is loaded only when it runs. */
import type { Command } from 'commander';
import { addWireOptions } from '../wire-options.ts';
import type { WatchFlags } from './run.ts';

export function addWatchCommand(program: Command): void {
  addWireOptions(
    program.command('watch <market>').description('show the book, the trades, own orders and positions of a market'),
  )
    .option('--once', 'print the present screen and end')
    .addHelpText(
      'after',
      '\nOn a terminal it is a screen, which Ctrl-C ends. Elsewhere it is plain lines, each with the time of the venue.',
    )
    .action(async (market: string, flags: WatchFlags) => {
      const { runWatch } = await import('./run.ts');
      await runWatch(market, flags);
    });
}
