/** The `bourse` command. Refusals are printed without a stack. Anything else is a bug, and is printed with one. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addBackupCommand } from './backup.ts';
import { addExportCommand } from './export.ts';
import { addInspectCommands } from './inspect.ts';
import { addKeyCommands } from './keys.ts';
import { addLogCommands } from './log.ts';
import { addOrderCommands } from './orders.ts';
import { say } from './output.ts';
import { addPageCommand } from './page.ts';
import { addPastCommands } from './past.ts';
import { addStartCommand } from './start.ts';
import { addStoryCommand } from './story.ts';
import { addTokenCommands } from './tokens.ts';
import { addVenueCommands } from './venue.ts';
import { addWatchCommand } from './watch/command.ts';

/** Errors whose message says everything. */
const TOLD: readonly string[] = [
  'UsageError',
  'ArchiveDamaged',
  'ArchiveUnavailable',
  'ColdFolderUnfit',
  'StartRefused',
  'ConfigurationError',
  'CommandFailed',
  'DatabaseUnsafe',
  'FolderUnusable',
  'EffectsDiffer',
  'LogDamaged',
  'LogFailed',
  'LogFull',
  'LogLocked',
  'LogMoved',
  'LogUnsupported',
  'LossRefused',
  'NoSuchMoment',
  'OtherVenue',
  'RulesMismatch',
  'SnapshotDamaged',
  'StateDiffers',
  'RangeError',
];

const packageFile = new URL('../../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

/** Ends the parsing, because the rules are loaded with the venue: only this option needs it, and it takes a moment. */
class VersionAsked extends Error {}

const program = new Command('bourse')
  .description('a trading venue that anyone can run')
  .option('-V, --version', 'print the version of the package and of its rules')
  .on('option:version', () => {
    throw new VersionAsked();
  })
  .configureOutput({ outputError: (text, write) => write(ownForm(text)) });
addStartCommand(program);
addOrderCommands(program);
addKeyCommands(program);
addTokenCommands(program);
addWatchCommand(program);
addVenueCommands(program);
addPageCommand(program);
addStoryCommand(program);
addPastCommands(program);
addInspectCommands(program);
addExportCommand(program);
addBackupCommand(program);
addLogCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof VersionAsked) await printVersion();
  else {
    say(`bourse: ${told(error)}`);
    process.exit(1);
  }
}

async function printVersion(): Promise<void> {
  const { RULES_VERSION } = await import('../venue/venue.ts');
  process.stdout.write(`${version} (rules ${RULES_VERSION})\n`);
}

/**
 * A refusal of commander's, with the prefix that all others have. An unknown option is named without its value, because
 * it may be a mistyped --secret=….
 */
function ownForm(text: string): string {
  return text.replace(/^error: /, 'bourse: ').replace(/(unknown option '-[^=']*)=[^\n]*/, "$1'");
}

function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (TOLD.includes(error.name) || (code !== undefined && !code.startsWith('ERR_'))) return error.message;
  return error.stack ?? error.message;
}
