/** The `bourse` command. Refusals are printed without a stack. Anything else is a bug, and is printed with one. */
import { readFileSync } from 'node:fs';
import { endWithOutput, say } from './output.ts';
import { bourseProgram, VersionAsked } from './program.ts';

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
  'LogUnreachable',
  'LogUnsupported',
  'LossRefused',
  'NoSuchMoment',
  'OtherMasterKey',
  'OtherVenue',
  'RulesMismatch',
  'SnapshotDamaged',
  'StateDiffers',
  'RangeError',
];

const packageFile = new URL('../../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

endWithOutput();
try {
  await bourseProgram().parseAsync();
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

function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (TOLD.includes(error.name) || (code !== undefined && !code.startsWith('ERR_'))) return error.message;
  return error.stack ?? error.message;
}
