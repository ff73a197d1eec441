/** Groups of commands, such as `bourse accounts`. Without the name of a command, a group lists what there is. */
import type { Command } from 'commander';
import { addControlOptions, addPageOptions } from './control-options.ts';
import { addExamples, type Example } from './examples.ts';
import { UsageError } from './output.ts';
import { addJsonOption } from './show.ts';

/** The list of a group, its default command. `hint`: how the refusal of a word ends that is no command of the group. */
export function addListCommand(group: Command, description: string, hint: string): Command {
  const list = group.command('list', { isDefault: true }).description(description).allowExcessArguments();
  return addJsonOption(addPageOptions(list)).hook('preAction', ({ args: [word] }) => {
    if (word === undefined) return;
    const verbs = group.commands.map((each) => each.name()).join(', ');
    throw new UsageError(`\`bourse ${group.name()}\` has no command ${word}, only ${verbs}. ${hint}`);
  });
}

/** A command that makes calls of the control surface, and shows the reply. */
export function addCall(
  parent: Command,
  usage: string,
  description: string,
  examples: readonly [Example, ...Example[]],
): Command {
  return addExamples(addJsonOption(addControlOptions(parent.command(usage).description(description))), examples);
}
