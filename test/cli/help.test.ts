/** Every command says what it is for, and its examples are lines that it takes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from 'commander';
import { bourseProgram } from '../../src/cli/program.ts';

/** Those that only have others below them included. */
function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** As `--help` prints it. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

/** What a shell would pass on: words with quotes, up to a pipe, a redirection or a comment. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [, quoted, double, bare] of line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)) {
    if (bare !== undefined && /^[|#>]/.test(bare)) break;
    words.push(quoted ?? double ?? bare);
  }
  return words;
}

const commands = commandsOf(bourseProgram());

test('there are all commands', () => {
  assert.ok(commands.length > 20, String(commands.length));
});

for (const command of commands) {
  const path = pathOf(command);
  test(`the examples of ${path} are lines that it takes`, async () => {
    const help = helpOf(command);
    assert.match(help, /^Usage: bourse /);
    const [, examples] = help.split('\nExamples:\n');
    assert.ok(examples !== undefined, 'it has none');
    const lines = examples.trimEnd().split('\n');
    for (const line of lines) {
      const [npx, ...words] = wordsOf(line);
      assert.equal(npx, 'npx', line);
      assert.ok(words.join(' ').startsWith(path), `${line} is of another command`);
      await parsed(words.slice(1), path);
    }
  });
}

/** Parses a line, with all actions replaced: that of `path` must be reached, or of a command below it. */
async function parsed(words: readonly string[], path: string): Promise<void> {
  const program = bourseProgram();
  let reached = '';
  for (const command of commandsOf(program)) {
    command.exitOverride();
    if (command.commands.length > 0) continue;
    command.action(() => {
      reached = pathOf(command);
    });
  }
  await program.parseAsync(words, { from: 'user' });
  assert.ok(`${reached} `.startsWith(`${path} `), `${words.join(' ')} reached ${reached}`);
}
