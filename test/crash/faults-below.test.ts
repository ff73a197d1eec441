/** Some rounds of SIGKILL with faults below the process. `npm run crash` runs more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaultyRounds } from './faulty-rounds.ts';
import { scratch } from './process.ts';
import { buildShim } from './shim.ts';

const ROUNDS = 3;
const SEED = 9;

test(`${ROUNDS} rounds of SIGKILL with faults below the process: nothing acknowledged is lost or doubled (seed ${SEED})`, async (t) => {
  const built = buildShim(scratch);
  if ('missing' in built) return t.skip(built.missing);
  const { kills, tally } = await new FaultyRounds(built.library, scratch, SEED).run(ROUNDS);
  assert.ok(kills >= ROUNDS, `${kills} kills`);
  assert.ok(tally.acknowledged > 0 && tally.cancelled > 0 && tally.traded > 0, JSON.stringify(tally));
});
