/** The simulation finds each planted fault within a number of seeds. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PLANTED } from './planted.ts';
import { runSeed } from './run.ts';

const MOST_SEEDS = 2000;

for (const [fault, plant] of Object.entries(PLANTED)) {
  it(`is found: ${fault}`, async () => {
    for (let seed = 1; seed <= MOST_SEEDS; seed += 1) {
      const run = await runSeed(seed, plant());
      if (run.found.length > 0) return;
    }
    assert.fail(`not within ${MOST_SEEDS} seeds`);
  });
}
