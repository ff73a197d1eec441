/**
 * `npm run model -- --seeds N`: venue and model through N seeds of random commands (test/model). A difference is shrunk
 * and printed as a test for test/model/found.test.ts, and the exit code is 1.
 *
 * --from SEED (1) the first seed · --commands N (300) for each · --stop N (1) after this many differences
 * --only limit,cancel,… only these actions of the generator (test/model/generator.ts has their names)
 * --jobs N (1) processes that share the seeds
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ALL_ACTIONS } from '../test/model/generator.ts';
import { asTest, runSeed, shrink } from '../test/model/run.ts';

const PROGRESS_EVERY_MS = 10_000;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    commands: { type: 'string', default: '300' },
    from: { type: 'string', default: '1' },
    stop: { type: 'string', default: '1' },
    only: { type: 'string' },
    jobs: { type: 'string', default: '1' },
  },
});

function count(name: 'seeds' | 'commands' | 'from' | 'stop' | 'jobs'): number {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} takes a whole number above 0, not ${values[name]}`);
  process.exit(2);
}

function chosenActions(): typeof ALL_ACTIONS {
  if (values.only === undefined) return ALL_ACTIONS;
  const names = values.only.split(',');
  const unknown = names.find((name) => !(name in ALL_ACTIONS));
  if (unknown === undefined) {
    const kept = Object.entries(ALL_ACTIONS).map(([name, weight]) => [name, names.includes(name) ? weight : 0]);
    return Object.fromEntries(kept);
  }
  console.error(`--only has no ${unknown}; it has ${Object.keys(ALL_ACTIONS).join(', ')}`);
  process.exit(2);
}

const [seeds, commands, from, stop] = [count('seeds'), count('commands'), count('from'), count('stop')];
const actions = chosenActions();
const jobs = Math.min(count('jobs'), seeds);

/** Runs the seeds here. Returns how many differed. */
function runSeeds(): { done: number; found: number } {
  let shownMs = performance.now();
  let found = 0;
  let done = 0;
  for (; done < seeds && found < stop; done++) {
    const run = runSeed(from + done, commands, actions);
    if (run.difference !== null) {
      found++;
      console.log(`${asTest(shrink(run))}\n`);
    }
    if (performance.now() - shownMs < PROGRESS_EVERY_MS) continue;
    shownMs = performance.now();
    console.error(`${done + 1} of ${seeds} seeds from ${from}, ${found} differences`);
  }
  return { done, found };
}

/** Shares the seeds among processes of this script, which print their own differences and stop by themselves. */
async function shareSeeds(): Promise<{ done: number; found: number }> {
  const script = fileURLToPath(import.meta.url);
  const shares = Array.from({ length: jobs }, async (_, job) => {
    const first = Math.floor((job * seeds) / jobs);
    const share = Math.floor(((job + 1) * seeds) / jobs) - first;
    const given = ['--seeds', share, '--from', from + first, '--commands', commands, '--stop', stop].map(String);
    const only = values.only === undefined ? [] : ['--only', values.only];
    const child = spawn(process.execPath, [script, ...given, ...only], { stdio: ['ignore', 'pipe', 'inherit'] });
    let last = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      process.stdout.write(text);
      last = (last + text).trimEnd().split('\n').at(-1) ?? '';
    });
    await once(child, 'close');
    const [, done, found] = /^(\d+) seeds of .*: (\d+) differences/.exec(last) ?? [];
    if (done === undefined) throw new Error(`the process of seeds from ${from + first} ended without a result`);
    return { done: Number(done), found: Number(found) };
  });
  const results = await Promise.all(shares);
  const sum = (of: (result: { done: number; found: number }) => number) =>
    results.reduce((all, one) => all + of(one), 0);
  return { done: sum(({ done }) => done), found: sum(({ found }) => found) };
}

const startedMs = performance.now();
const { done, found } = jobs === 1 ? runSeeds() : await shareSeeds();
const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
console.log(`${done} seeds of ${commands} commands from ${from}: ${found} differences, ${seconds} s`);
process.exit(found === 0 ? 0 : 1);
