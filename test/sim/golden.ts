/** A world that begins with a golden log of a venue on a manual clock, made by these or older rules. */
import { readdirSync, readFileSync } from 'node:fs';
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { newestSnapshot, type Snapshot } from '../../src/engine/replay/snapshots.ts';
import { FileStorage } from '../../src/log/file/file-storage.ts';
import { RULES_VERSION } from '../../src/venue/venue.ts';
import { MASTER_KEY } from '../golden/golden.ts';
import { type Origin, secretsOf } from './life.ts';
import type { SimDisk } from './sim-disk.ts';

const ROOT = new URL('../golden/', import.meta.url);
const KEYRING = new Keyring(MASTER_KEY);

/** The folder defines the venue, so a start gives nothing. */
export const GOLDEN: Origin = {
  given: {},
  names: ['alice', 'bob', 'carol', 'dave'],
  keyring: KEYRING,
  secrets: secretsOf(KEYRING),
};

/**
 * Puts the sealed log on the disk. If other rules made the beginning, returns the state from which the log can be
 * applied.
 */
export async function putGolden(disk: SimDisk, rules: number): Promise<Snapshot | undefined> {
  const folder = new URL(`rules-${rules}/sealed/`, ROOT);
  for (const name of readdirSync(folder)) disk.put(name, readFileSync(new URL(name, folder)));
  return rules === RULES_VERSION ? undefined : newestSnapshot(new FileStorage(disk).snapshots);
}
