/**
 * Whole venues under one seed each: a slice of what `npm run sim` runs at length. A seed is some lives of one venue on one
 * disk, with clients, faults and clocks; after each life everything has to hold that checks.ts says. A failure prints the
 * shrunk plan as a test for found.test.ts.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runSeed } from './run.ts';
import { asTest, shrink } from './shrink.ts';

const SLICE_MS = 40_000;
const PARTS = 4;

for (let part = 0; part < PARTS; part += 1) {
  it(`everything holds, whatever fails: part ${part + 1} of ${PARTS}`, async () => {
    const untilMs = performance.now() + SLICE_MS / PARTS;
    let seeds = 0;
    for (let seed = 1 + part; performance.now() < untilMs; seed += PARTS) {
      const run = await runSeed(seed);
      if (run.found.length > 0) assert.fail(asTest(await shrink(run)));
      seeds += 1;
    }
    assert.ok(seeds > 0);
  });
}
