/**
 * `npm run crash -- --rounds N [--seed S]`: N rounds of a venue that gets SIGKILL at a random moment while writes,
 * syncs, files and clocks fail below it (test/crash/faulty-rounds.ts). It needs Linux and a C compiler. If an
 * acknowledged command is lost or doubled, the exit code is 1, with the round and its faults.
 */
import { parseArgs } from 'node:util';
import { FaultyRounds } from '../test/crash/faulty-rounds.ts';
import { buildShim } from '../test/crash/shim.ts';
import { endAll, scratch } from '../test/crash/venue-process.ts';

const PROGRESS_EVERY_MS = 10_000;

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});

function count(name: 'rounds' | 'seed'): number {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} takes a whole number above 0, not ${values[name]}`);
  process.exit(2);
}

const [rounds, seed] = [count('rounds'), count('seed')];
const built = buildShim(scratch);
if ('missing' in built) {
  console.error(built.missing);
  process.exit(2);
}
const startedMs = performance.now();
let shownMs = startedMs;
try {
  const told = await new FaultyRounds(built.library, scratch, seed).run(rounds, (round) => {
    if (performance.now() - shownMs < PROGRESS_EVERY_MS) return;
    shownMs = performance.now();
    console.error(`${round} of ${rounds} rounds`);
  });
  console.log(JSON.stringify(told, undefined, 2));
  console.log(`${rounds} rounds from seed ${seed}: 0 lost, 0 doubled, ${seconds()} s`);
} catch (error) {
  console.error(error);
  console.error(`seed ${seed} failed after ${seconds()} s`);
  process.exitCode = 1;
} finally {
  await endAll();
}

function seconds(): string {
  return ((performance.now() - startedMs) / 1000).toFixed(1);
}
