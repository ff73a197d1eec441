/**
 * Whole venues under one seed each: a short run of `npm run sim`. A seed is some lives of one venue on one disk, with
 * clients, faults and clocks. After each life everything in checks.ts must hold. A failure prints the shortened plan as
 * a test.
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
