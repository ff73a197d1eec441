/**
 * Nodes on one log in a modelled PostgreSQL, under one seed each: a short run of `npm run sim -- --postgres`. A failure prints
 * the shortened plan as a test.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asTest } from '../shrink.ts';
import { runSeed } from './run.ts';
import { shrink } from './shrink.ts';

const SEEDS = 250;

it(`${SEEDS} seeds lose nothing, double nothing and show nothing that is not kept`, async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const run = await runSeed(seed);
    if (run.found.length > 0) assert.fail(asTest(await shrink(run)));
  }
});
