/** `npm run model -- --seeds N [--commands 300] [--from SEED]`: venue against model; a difference is printed as a test. */
import { parseArgs } from 'node:util';
import { ALL_ACTIONS } from '../test/model/generator.ts';
import { asTest, runSeed, shrink } from '../test/model/run.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    commands: { type: 'string', default: '300' },
    from: { type: 'string', default: '1' },
    only: { type: 'string' },
    stop: { type: 'string', default: '1' },
  },
});
const [seeds, commands, from] = [Number(values.seeds), Number(values.commands), Number(values.from)];
const actions = { ...ALL_ACTIONS };
if (values.only !== undefined) {
  const kept = values.only.split(',');
  for (const action of Object.keys(actions) as (keyof typeof actions)[])
    if (!kept.includes(action)) actions[action] = 0;
}
const startedMs = performance.now();
let found = 0;
for (let seed = from; seed < from + seeds; seed++) {
  const run = runSeed(seed, commands, actions);
  if (run.difference === null) continue;
  found++;
  const small = shrink(run);
  console.log(`${asTest(small)}\n`);
  if (found >= Number(values.stop)) break;
}
const seconds = (performance.now() - startedMs) / 1000;
console.log(`${seeds} seeds of ${commands} commands, ${found} differences, ${seconds.toFixed(1)} s`);
process.exit(found === 0 ? 0 : 1);
