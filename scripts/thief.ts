/**
 * `npm run thief -- --seeds N [--seed S] [--test 1|2]`: the two thief's tests (test/model/thief-judge.ts says what they
 * require) through N seeds from S on. A run that fails is shrunk and printed step by step, and the exit code is 1.
 *
 * --commands N (200) for each seed · --stop N (1) after this many failures · --only straddle,… only these plays
 * (test/model/thief-plays.ts and thief-moves.ts have their names; those of moving prices belong to test 2)
 */
import { parseArgs } from 'node:util';
import type { Test } from '../test/model/thief-judge.ts';
import { EVERY_PLAY } from '../test/model/thief-players.ts';
import { runSeed, shrink, story } from '../test/model/thief-run.ts';

const PROGRESS_EVERY_MS = 10_000;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    commands: { type: 'string', default: '200' },
    stop: { type: 'string', default: '1' },
    test: { type: 'string' },
    only: { type: 'string' },
  },
});

function count(name: 'seeds' | 'seed' | 'commands' | 'stop'): number {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} takes a whole number above 0, not ${values[name]}`);
  process.exit(2);
}

if (values.test !== undefined && values.test !== '1' && values.test !== '2') {
  console.error(`--test takes 1 or 2, not ${values.test}`);
  process.exit(2);
}

const only = values.only?.split(',') ?? [];
const unknown = only.find((play) => !(play in EVERY_PLAY));
if (unknown !== undefined) {
  console.error(`--only has no ${unknown}; it has ${Object.keys(EVERY_PLAY).join(', ')}`);
  process.exit(2);
}
const tests = (values.test === undefined ? [1, 2] : [Number(values.test)]) as Test[];
const [seeds, from, commands, stop] = [count('seeds'), count('seed'), count('commands'), count('stop')];
const startedMs = performance.now();
let shownMs = startedMs;
let found = 0;
for (const test of tests) {
  let done = 0;
  let failed = 0;
  for (; done < seeds && failed < stop; done++) {
    const run = runSeed(test, from + done, commands, only);
    if (run.complaint !== null) {
      failed++;
      console.log(`${story(shrink(run))}\n`);
    }
    if (performance.now() - shownMs < PROGRESS_EVERY_MS) continue;
    shownMs = performance.now();
    console.error(`test ${test}: ${done + 1} of ${seeds} seeds, ${failed} failures`);
  }
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(
    `test ${test}: ${done} seeds of ${commands} commands from ${from}: ${failed} failures, ${seconds} s so far`,
  );
  found += failed;
}
process.exit(found === 0 ? 0 : 1);
