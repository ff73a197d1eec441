/**
 * Venue and model agree: a slice of what `npm run model` runs at length. Each seed is a small world and 300 commands that
 * aim at edges; after each command refusal, records, events, balances, positions and books are the same, and the audit
 * differs by nothing. A failure prints the shrunk commands as a test for found.test.ts.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asTest, runSeed, shrink } from './run.ts';

/** A good minute on one core. */
const SEEDS = 450;
const PER_TEST = 150;
const COMMANDS = 300;

for (let from = 1; from <= SEEDS; from += PER_TEST) {
  it(`the venue does what the model does: seeds ${from} to ${from + PER_TEST - 1}`, () => {
    for (let seed = from; seed < from + PER_TEST; seed++) {
      const run = runSeed(seed, COMMANDS);
      if (run.difference !== null) assert.fail(asTest(shrink(run)));
    }
  });
}
