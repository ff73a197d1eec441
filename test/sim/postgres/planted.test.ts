/** The simulation finds each planted fault, in its plan or within a number of seeds. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PLANTED } from './planted.ts';
import { runPlan, runSeed } from './run.ts';

const MOST_SEEDS = 120;
/** A plan leaves some things to chance, such as how long a message takes. */
const MOST_PLANS = 12;

for (const [fault, { plant, plan }] of Object.entries(PLANTED)) {
  it(`is found: ${fault}`, async () => {
    for (let seed = 1; plan !== undefined && seed <= MOST_PLANS; seed += 1) {
      const { found } = await runPlan({ ...plan, seed }, plant());
      if (found.length > 0) return;
    }
    for (let seed = 1; plan === undefined && seed <= MOST_SEEDS; seed += 1) {
      const { found } = await runSeed(seed, plant());
      if (found.length > 0) return;
    }
    assert.fail('not found');
  });
}

it('none of their plans finds anything without the fault', async () => {
  for (const { plan } of Object.values(PLANTED)) {
    for (let seed = 1; plan !== undefined && seed <= 3; seed += 1) {
      const { found, story } = await runPlan({ ...plan, seed });
      assert.deepEqual(found, [], story.join('\n'));
    }
  }
});
