/**
 * `npm run fuzz -- --minutes N [--seed S]`: the whole venue over HTTP, with requests of every kind (test/fuzz/fuzz.ts).
 * Each seed runs for about 2,000 steps, one seed after another from S on, until the time is over. A failure prints its
 * seed, its step and the last requests, and the exit code is 1. `--seed` runs it again.
 */
import { parseArgs } from 'node:util';
import { fuzz } from '../test/fuzz/fuzz.ts';

const STEPS = 2_000;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string' }, steps: { type: 'string' } },
});

function above0(name: 'minutes' | 'seed' | 'steps', fallback: number, whole: boolean): number {
  const given = values[name];
  if (given === undefined) return fallback;
  const value = Number(given);
  if (Number.isFinite(value) && value > 0 && (!whole || Number.isSafeInteger(value))) return value;
  console.error(`--${name} takes a ${whole ? 'whole ' : ''}number above 0, not ${given}`);
  process.exit(2);
}

const minutes = above0('minutes', 1, false);
const steps = above0('steps', STEPS, true);
const first = above0('seed', (Date.now() % 1_000_000) + 1, true);
const untilMs = performance.now() + minutes * 60_000;
let total = 0;
for (let seed = first; performance.now() < untilMs; seed++) {
  const outcome = await fuzz(seed, (step) => step <= steps && performance.now() < untilMs);
  total += outcome.steps;
  const statuses = Object.entries(outcome.statuses).map(([status, count]) => `${count} × ${status}`);
  console.log(`seed ${seed}: ${outcome.steps} steps, ${statuses.join(', ')}`);
  if (outcome.failure === null) continue;
  console.log(outcome.failure);
  process.exit(1);
}
console.log(`${total} steps from seed ${first} on: no 5xx, and the five statements held after each`);
