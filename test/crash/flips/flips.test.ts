/** Some random flipped bits in log, snapshots, archive and `bourse.json`. `npm run flips` runs more. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { scratch } from '../process.ts';
import { type End, Flips, PARTS } from './flips.ts';
import { type Folders, makeFolders } from './folders.ts';
import { startsInProcess } from './outcome.ts';
import { startsForReal } from './real-start.ts';

const COUNT = 150;
const REAL = 3;
const SEED = 11;
let folders: Folders;

before(async () => {
  folders = await makeFolders(scratch);
});

test(`${COUNT} random flipped bits are refused, reported, rebuilt, cut, or in no answer (seed ${SEED})`, async () => {
  const flips = new Flips(folders, join(scratch, 'flipped'), startsInProcess(folders));
  await flips.run(COUNT, SEED);
  const some = (part: (typeof PARTS)[number], ...ends: End[]) =>
    ends.reduce((sum, end) => sum + flips.table[part][end], 0);
  for (const part of PARTS) assert.ok(some(part, 'refused', 'reported', 'rebuilt') > 0, JSON.stringify(flips.table));
  assert.equal(some('log', 'rebuilt', 'unnoticed'), 0, 'every bit of the log counts');
  assert.equal(some('remembered', 'refused'), some('remembered', 'refused', 'reported', 'rebuilt', 'cut', 'unnoticed'));
});

test(`${REAL} of them by bourse start, asked over HTTP (seed ${SEED})`, async () => {
  const flips = new Flips(folders, join(scratch, 'flipped-for-real'), startsForReal(scratch, folders));
  await flips.run(REAL, SEED);
});
