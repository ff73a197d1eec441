/**
 * `bourse sandbox [OPTIONS]`: what `startVenue` starts, as a process, for tests in any language. One line of JSON on standard
 * output says where it is and with which keys. It ends when its standard input ends, so it never outlives its test,
 * however that ends and whatever runs between them.
 */
import { type Command, InvalidArgumentError } from 'commander';
import type { StartVenueOptions } from '../index.ts';
import { addExamples } from './examples.ts';
import { jsonText, say } from './output.ts';

export function addSandboxCommand(program: Command): void {
  const command = program
    .command('sandbox')
    .description('a venue in memory, for a test in any language: it ends with its standard input')
    .argument('[options]', 'the options of startVenue (docs/testing.md), as JSON', parsed)
    .action(run);
  addExamples(command, [
    ['sandbox', 'a manual clock, and an account with money and a key; Ctrl-D ends it'],
    [`sandbox '{"accounts": [{"name": "bot", "balances": {"USDT": 100000}}]}'`],
    [`sandbox '{"demo": true, "clock": "real", "speed": 60}'`],
  ]);
}

function parsed(text: string): StartVenueOptions {
  let options: unknown;
  try {
    options = JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`it is not JSON: ${(error as Error).message}.`);
  }
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return options;
  throw new InvalidArgumentError(`give a JSON object, such as '{"clock": "manual"}'.`);
}

async function run(options: StartVenueOptions = {}): Promise<void> {
  const { startVenue } = await import('../index.ts');
  const ended = end();
  const venue = await startVenue(options);
  const { url, control, controlToken, keys } = venue;
  process.stdout.write(`${jsonText({ event: 'ready', url, control, controlToken, keys })}\n`);
  say(`bourse: ${await ended}: the sandbox ends`);
  // Nobody reads on, so an answer in progress is not worth a complaint.
  await venue.close().catch(() => {});
  process.exit(0);
}

/** Resolves with the reason for which the sandbox ends. */
function end(): Promise<string> {
  process.stdin.resume();
  // A test that was killed has closed the pipe of these, too.
  for (const output of [process.stdout, process.stderr]) output.removeAllListeners('error').on('error', () => {});
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) process.stdin.once(event, () => resolve('standard input ended'));
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, () => resolve(signal));
  });
}
