/** `bourse tokens`: tokens of the control surface with a scope, created and revoked through the one of the start. */
import { type Command, Option } from 'commander';
import type { ControlScope } from '../client/control.ts';
import { ASK_AGAIN, addControlOptions, type ControlFlags, controlClient } from './control-options.ts';
import { addExamples } from './examples.ts';
import { addJsonOption, type ShowFlags, show } from './show.ts';
import { tokensText } from './venue-text.ts';
import { printReply, type ReplyOptions } from './wire-options.ts';

const NEW_TOKEN_LOST = 'a token may or may not have been created, and it is lost: revoke it, and create it again';
const LOST_REVOKE = 'the token may or may not be revoked; it is safe to revoke it again';

export function addTokenCommands(program: Command): void {
  const tokens = program.command('tokens').description('create, list and revoke tokens of the control surface');
  addExamples(tokens, [['tokens list'], ['tokens create monitor --scope read']]);
  const created = tokens.command('create <name>').description('create a token and print it, once');
  addExamples(created, [['tokens create monitor --scope read', 'for a monitor, which only looks']]);
  addControlOptions(created)
    .addOption(
      new Option('--scope <scope>', 'read: looks; test: also time, prices, faults, resets; admin: everything')
        .choices(['read', 'test', 'admin'])
        .makeOptionMandatory(),
    )
    .action((name: string, flags: ControlFlags & { scope: ControlScope }) =>
      printReply(replyOptions(flags, NEW_TOKEN_LOST), async () => {
        const token = await controlClient(flags).createToken(name, flags.scope);
        return { name, scope: flags.scope, token };
      }),
    );
  const list = tokens.command('list').description('list the names and scopes of the tokens, not the tokens');
  addExamples(list, [['tokens list'], ['tokens list --json | jq -r .tokens[].name']]);
  addJsonOption(addControlOptions(list)).action((flags: ShowFlags) =>
    show(
      flags,
      replyOptions(flags, ASK_AGAIN),
      async () => ({ tokens: await controlClient(flags).tokens() }),
      tokensText,
    ),
  );
  const revoke = tokens.command('revoke <name>').description('revoke a token');
  addExamples(revoke, [['tokens revoke monitor']]);
  addControlOptions(revoke).action((name: string, flags: ControlFlags) =>
    printReply(replyOptions(flags, LOST_REVOKE), async () => {
      await controlClient(flags).revokeToken(name);
      return { revoked: name };
    }),
  );
}

function replyOptions({ controlUrl }: ControlFlags, remedy: string): ReplyOptions {
  return { url: controlUrl, remedy, flagOfField: {} };
}
