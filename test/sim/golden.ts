/** A world that begins with a golden log: a venue on a manual clock, whose log the rules of now, or older ones, have made. */
import { readdirSync, readFileSync } from 'node:fs';
import { Keyring } from '../../src/api/gateway/keyring.ts';
import { newestSnapshot, type Snapshot } from '../../src/engine/replay/snapshots.ts';
import { FileStorage } from '../../src/log/file/file-storage.ts';
import { RULES_VERSION } from '../../src/venue/venue.ts';
import { MASTER_KEY } from '../golden/golden.ts';
import type { Origin } from './life.ts';
import type { SimDisk } from './sim-disk.ts';

const ROOT = new URL('../golden/', import.meta.url);

/** Its folder says what the venue is; a start gives nothing. */
export const GOLDEN: Origin = {
  given: {},
  names: ['alice', 'bob', 'carol', 'dave'],
  keyring: new Keyring(MASTER_KEY),
};

/** Puts the sealed log on the disk. Gives the state that it can be folded from, where other rules made what is before. */
export async function putGolden(disk: SimDisk, rules: number): Promise<Snapshot | undefined> {
  const folder = new URL(`rules-${rules}/sealed/`, ROOT);
  for (const name of readdirSync(folder)) disk.put(name, readFileSync(new URL(name, folder)));
  return rules === RULES_VERSION ? undefined : newestSnapshot(new FileStorage(disk).snapshots);
}
