/** `bourse keys create` and `bourse keys revoke`: API keys through the control surface of a running venue. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ControlClient, type KeyPermission } from '../client/control.ts';
import { ISO_WORDS, parseTime } from '../config/times.ts';
import { UsageError } from './output.ts';
import { address, DEFAULT_DATA, printReply, type ReplyOptions } from './wire-options.ts';

const LOST_REVOKE = 'the key may or may not be revoked; it is safe to revoke it again';
const NEW_KEY_LOST = 'a key may or may not have been created, and its secret is lost: create another one';

interface ControlFlags {
  controlUrl: string;
  controlToken?: string;
  data: string;
}

interface CreateFlags extends ControlFlags {
  account: string;
  permissions: string;
  ipAllow?: string;
  expiresAt?: string;
}

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('create and revoke API keys');
  addControlOptions(keys.command('create').description('create a key and print it with its secret, once'))
    .addOption(new Option('--account <name>', 'account of the key').makeOptionMandatory())
    .option('--permissions <list>', 'comma-separated: read, trading, transfer, wallet', 'read,trading')
    .option('--ip-allow <list>', 'comma-separated addresses or CIDR ranges (default: any)')
    .addOption(new Option('--expires-at <time>', 'ISO 8601 time in the future').argParser(timeToCome))
    .action((flags: CreateFlags) => printReply(replyOptions(flags, NEW_KEY_LOST), () => create(flags)));
  addControlOptions(keys.command('revoke <key>').description('revoke a key')).action(
    (key: string, flags: ControlFlags) =>
      printReply(replyOptions(flags, LOST_REVOKE), async () => {
        await controlClient(flags).revokeKey(key);
        return { revoked: key };
      }),
  );
}

function replyOptions({ controlUrl }: ControlFlags, remedy: string): ReplyOptions {
  return { url: controlUrl, remedy, flagOfField: { ipAllow: '--ip-allow', expiresAt: '--expires-at' } };
}

function addControlOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--control-url <url>', 'address of the control surface')
        .env('BOURSE_CONTROL_URL')
        .default('http://127.0.0.1:8081')
        .argParser(address),
    )
    .addOption(
      new Option('--control-token <token>', 'its token; without one, the file control-token').env(
        'BOURSE_CONTROL_TOKEN',
      ),
    )
    .addOption(
      new Option('--data <dir>', 'folder with the file control-token').env('BOURSE_DATA').default(DEFAULT_DATA),
    );
}

/** Keys expire on the machine's clock. */
function timeToCome(text: string): string {
  const timeMs = parseTime(text);
  if (timeMs === null) throw new InvalidArgumentError(`give ${ISO_WORDS}.`);
  if (timeMs <= Date.now()) throw new InvalidArgumentError('that is in the past: the key would expire at once');
  return text;
}

function controlClient(flags: ControlFlags): ControlClient {
  return new ControlClient({ url: flags.controlUrl, token: flags.controlToken ?? readToken(flags.data) });
}

function readToken(data: string): string {
  const file = join(data, 'control-token');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`no control token: give --control-token, or --data with a readable ${file} (${error})`);
  }
}

function create(flags: CreateFlags): Promise<{ key: string; secret: string }> {
  const list = (text: string) => text.split(',').map((entry) => entry.trim());
  return controlClient(flags).createKey(flags.account, {
    permissions: list(flags.permissions) as KeyPermission[],
    ...(flags.ipAllow !== undefined && { ipAllow: list(flags.ipAllow) }),
    ...(flags.expiresAt !== undefined && { expiresAt: flags.expiresAt }),
  });
}
