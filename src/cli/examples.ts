/** The examples in the help of a command. A test runs through all of them, so that none is out of date. */
import type { Command } from 'commander';

/** A command line as a shell takes it, and what it is for. */
export type Example = readonly [line: string, purpose?: string];

/** In a clone, and in a project that has the package, `npx` finds the command. */
export function addExamples(command: Command, examples: readonly Example[]): Command {
  const width = Math.max(...examples.map(([line, purpose]) => (purpose === undefined ? 0 : line.length)));
  const lines = examples.map(([line, purpose]) =>
    purpose === undefined ? `  npx bourse ${line}` : `  npx bourse ${line.padEnd(width)}   # ${purpose}`,
  );
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}
