/** `bourse watch`: a market in the terminal. run.ts does the work, and is loaded only when it runs. */
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import { addWireOptions } from '../wire-options.ts';
import type { WatchFlags } from './run.ts';

export function addWatchCommand(program: Command): void {
  const command = program
    .command('watch <market>')
    .description('show the book, the trades, own orders and positions of a market');
  addExamples(command, [
    ['watch BTC-USDT', 'until Ctrl-C'],
    ['watch BTC-PERP --once', 'the present screen'],
    ['watch BTC-PERP | grep order', 'plain lines, each with the time of the venue'],
  ]);
  addWireOptions(command)
    .option('--once', 'print the present screen and end')
    .action(async (market: string, flags: WatchFlags) => {
      const { runWatch } = await import('./run.ts');
      await runWatch(market, flags);
    });
}
