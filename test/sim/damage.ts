/**
 * The possible results of a damaged folder: refused by name, an unfinished last batch removed with a notice, or no
 * difference at all.
 */
import { stateHash } from '../../src/engine/replay/log-replayer.ts';
import { snapshotSeq } from '../../src/log/shared/segments.ts';
import type { Venue } from '../../src/venue/venue.ts';
import type { Life } from './life.ts';
import type { Damage } from './plan.ts';
import type { SimDisk } from './sim-disk.ts';

/** Errors that name what is wrong with a folder. */
const NAMED = [
  'ConfigurationError',
  'EffectsDiffer',
  'LogDamaged',
  'LogUnsupported',
  'LossRefused',
  'OtherVenue',
  'RulesMismatch',
  'SnapshotDamaged',
  'StateDiffers',
];

/** Errors that end a start, or a life, when the disk fails. */
const FAILED = ['LogFailed', 'LogFull', 'LogOutOfFiles', 'SimCrash'];

/** True if the error names a failure or a problem of the folder, and is not a bug. */
export function isNamed(error: Error): boolean {
  return NAMED.includes(error.name) || FAILED.includes(error.name) || 'code' in error;
}

/** Damages the disk. False: it has nothing of that kind. `before`: the disk at some moment of the life before. */
export function damage(disk: SimDisk, what: Damage, before: SimDisk | undefined): boolean {
  if (what.what === 'half') return before !== undefined && takeLogBack(disk, before);
  if (what.what === 'archive') return false;
  const kinds = { log: /\.log$/, snapshot: /\.snapshot$/, remembered: /^bourse\.json$/ };
  const names = disk
    .names()
    .filter((name) => kinds[what.file].test(name))
    .sort();
  const name = names.at(-1);
  if (name === undefined) return false;
  if (what.what === 'lose') disk.tamper(name, () => undefined);
  else disk.tamper(name, (bytes) => flipped(bytes, what.at));
  return true;
}

function flipped(bytes: Buffer, at: number): Buffer {
  const bit = Math.floor(at * bytes.length * 8);
  bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
  return bytes;
}

/** As if the log came from an old backup, and everything else was present. */
function takeLogBack(disk: SimDisk, before: SimDisk): boolean {
  const isLog = (name: string) => name.endsWith('.log');
  for (const name of disk.names().filter(isLog)) disk.tamper(name, () => undefined);
  for (const name of before.names().filter(isLog)) disk.put(name, before.read(name) as Buffer);
  return true;
}

/**
 * Judges what a start made of a damaged folder. `whole`: the content of the undamaged one. `knownSeq`: what is known
 * beside it.
 */
export function judge(refusal: Error | undefined, life: Life, whole: Venue, knownSeq: number): string[] {
  if (refusal !== undefined) {
    return NAMED.includes(refusal.name) ? [] : [`it is refused, and not by name: ${refusal.stack}`];
  }
  const venue = life.engine?.venue;
  if (venue === undefined) return [];
  if (venue.seq < knownSeq) return [`seq ${venue.seq + 1} to ${knownSeq} are lost, and it starts`];
  if (venue.seq === whole.seq && stateHash(venue) === stateHash(whole)) return [];
  const isSaid = life.notices.some(({ text }) => text.startsWith('removed '));
  return isSaid || venue.seq < whole.seq
    ? []
    : [`it starts at seq ${venue.seq} as if nothing were, and is another one`];
}

/** The newest command that anything beside the log knows. */
export function knownBeside(disk: SimDisk, archiveSeq: number): number {
  return Math.max(archiveSeq, ...disk.names().map((name) => snapshotSeq(name) ?? 0));
}
