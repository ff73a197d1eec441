/** `bourse keys`: API keys, through the control surface of a running venue, and the master key, which is a file. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { KeyPermission } from '../client/control.ts';
import { ISO_WORDS, parseMoment } from '../config/times.ts';
import { defaultMasterKeyFile, rotateMasterKey } from '../secrets.ts';
import {
  ASK_AGAIN,
  addControlOptions,
  addPageOptions,
  type ControlFlags,
  controlClient,
  type PageFlags,
  pageOf,
} from './control-options.ts';
import { addExamples } from './examples.ts';
import { printJson, say, UsageError } from './output.ts';
import { addJsonOption, show } from './show.ts';
import { keysText } from './venue-text.ts';
import { printReply, type ReplyOptions } from './wire-options.ts';

const LOST_REVOKE = 'the key may or may not be revoked; it is safe to revoke it again';
const NEW_KEY_LOST = 'a key may or may not have been created, and its secret is lost: create another one';

interface CreateFlags extends ControlFlags {
  account: string;
  permissions: string;
  ipAllow?: string;
  expiresAt?: string;
}

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('create, list and revoke API keys');
  addExamples(keys, [['keys list'], ['keys create --account demo-1']]);
  const list = keys.command('list').description('list keys without their secrets, of all accounts or of one');
  addExamples(list, [['keys list'], ['keys list --account demo-1 --json']]);
  addJsonOption(addPageOptions(list))
    .option('--account <name>', 'only the keys of this account')
    .action((flags: PageFlags & { account?: string; json?: boolean }) =>
      show(
        flags,
        replyOptions(flags, ASK_AGAIN),
        () => controlClient(flags).keys(pageOf(flags), flags.account),
        (page) => keysText(page, flags),
      ),
    );
  const created = keys.command('create').description('create a key and print it with its secret, once');
  addExamples(created, [
    ['keys create --account demo-1', 'reads and trades'],
    ['keys create --account demo-1 --permissions read --ip-allow 10.0.0.0/8 --expires-at 2030-01-01T00:00:00Z'],
  ]);
  addControlOptions(created)
    .addOption(new Option('--account <name>', 'account of the key').makeOptionMandatory())
    .option('--permissions <list>', 'comma-separated: read, trading, transfer, wallet', 'read,trading')
    .option('--ip-allow <list>', 'comma-separated addresses or CIDR ranges (default: any)')
    .addOption(new Option('--expires-at <time>', 'ISO 8601 time in the future').argParser(timeToCome))
    .action((flags: CreateFlags) => printReply(replyOptions(flags, NEW_KEY_LOST), () => create(flags)));
  const revoke = keys.command('revoke <key>').description('revoke a key');
  addExamples(revoke, [['keys revoke 5f0c2ad1', 'the key as `keys list` shows it']]);
  addControlOptions(revoke).action((key: string, flags: ControlFlags) =>
    printReply(replyOptions(flags, LOST_REVOKE), async () => {
      await controlClient(flags).revokeKey(key);
      return { revoked: key };
    }),
  );
  const rotate = keys
    .command('rotate-master')
    .description('put a new master key before those in its file; a start takes it');
  addExamples(rotate, [['keys rotate-master'], ['keys rotate-master --master-key-file /etc/bourse/master.key']]);
  rotate
    .addOption(
      new Option('--master-key-file <file>', 'file with the master key (default: in your configuration folder)').env(
        'BOURSE_MASTER_KEY_FILE',
      ),
    )
    .action(rotateMaster);
}

interface RotateFlags {
  masterKeyFile?: string;
}

function rotateMaster({ masterKeyFile }: RotateFlags): void {
  if (masterKeyFile === undefined && process.env.BOURSE_MASTER_KEY !== undefined) {
    throw new UsageError(
      'the master key is in BOURSE_MASTER_KEY: put a new one, such as `openssl rand -hex 32` makes, and a comma before it',
    );
  }
  const file = masterKeyFile ?? defaultMasterKeyFile();
  printJson({ file, retired: rotateMasterKey(file) });
  say(
    `bourse: restart every venue that uses ${file}: its new API keys are then sealed by the new master key. ` +
      'Keep a copy of the whole file. If the old one may be known to others, replace the API keys that it sealed: ' +
      '`bourse keys list` shows them as retired',
  );
}

function replyOptions({ controlUrl }: ControlFlags, remedy: string): ReplyOptions {
  return { url: controlUrl, remedy, flagOfField: { ipAllow: '--ip-allow', expiresAt: '--expires-at' } };
}

/** Keys expire on the machine's clock. */
function timeToCome(text: string): string {
  const timeMs = parseMoment(text);
  if (timeMs === null) throw new InvalidArgumentError(`give ${ISO_WORDS}.`);
  if (timeMs <= Date.now()) throw new InvalidArgumentError('that is in the past: the key would expire at once');
  return text;
}

function create(flags: CreateFlags): Promise<{ key: string; secret: string }> {
  const list = (text: string) => text.split(',').map((entry) => entry.trim());
  return controlClient(flags).createKey(flags.account, {
    permissions: list(flags.permissions) as KeyPermission[],
    ...(flags.ipAllow !== undefined && { ipAllow: list(flags.ipAllow) }),
    ...(flags.expiresAt !== undefined && { expiresAt: flags.expiresAt }),
  });
}
