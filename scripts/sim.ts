/**
 * `npm run sim -- --seeds N`: whole venues through N seeds of lives, faults, clocks and clients (test/sim). If
 * something does not hold at a seed, the seed is shrunk and printed as a test, and the exit code is 1.
 *
 * --postgres nodes on one log in a modelled PostgreSQL instead of lives on one disk (test/sim/postgres)
 * --from SEED (1) the first seed · --minutes N as many seeds as fit · --seed S only this one, printed step by step
 * --stop N (1) after this many failures · --jobs N (1) processes that share the seeds · --every N (1) only each Nth
 * seed
 *
 * Elapsed time means little on a shared machine, so processor time is printed beside it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as postgres from '../test/sim/postgres/run.ts';
import { shrink as shrinkPostgres } from '../test/sim/postgres/shrink.ts';
import { runSeed } from '../test/sim/run.ts';
import { asTest, shrink } from '../test/sim/shrink.ts';

const PROGRESS_EVERY_MS = 10_000;
/** The result of a process is at the end of what it prints. */
const RESULT_CHARS = 1000;
/** A seed leaves nothing behind, so most of its garbage is dead before a large young generation is full. */
const NODE_OPTIONS = ['--min-semi-space-size=16', '--max-semi-space-size=32'];

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    postgres: { type: 'boolean', default: false },
    from: { type: 'string', default: '1' },
    stop: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    every: { type: 'string', default: '1' },
  },
});

function count(name: Exclude<keyof typeof values, 'postgres'>, absent: number): number {
  if (values[name] === undefined) return absent;
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} takes a whole number above 0, not ${values[name]}`);
  process.exit(2);
}

const minutes = count('minutes', Number.POSITIVE_INFINITY);
const seeds = count('seeds', values.minutes === undefined ? 1000 : Number.MAX_SAFE_INTEGER);
const [from, stop, jobs, every] = [count('from', 1), count('stop', 1), count('jobs', 1), count('every', 1)];

interface Result {
  done: number;
  found: number;
  /** Processor time, in user and system mode. */
  cpuMs: number;
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What a seed shows, and its failure as a test. */
async function outcomeOf(seed: number): Promise<{ story: readonly string[]; failure: string | undefined }> {
  if (values.postgres) {
    const run = await postgres.runSeed(seed);
    return { story: run.story, failure: run.found.length === 0 ? undefined : asTest(await shrinkPostgres(run)) };
  }
  const run = await runSeed(seed);
  return { story: run.story, failure: run.found.length === 0 ? undefined : asTest(await shrink(run)) };
}

async function runSeeds(): Promise<Result> {
  const untilMs = performance.now() + minutes * 60_000;
  let shownMs = performance.now();
  let found = 0;
  let done = 0;
  for (let seed = from; seed < from + seeds && found < stop && performance.now() < untilMs; seed += every) {
    const { failure } = await outcomeOf(seed);
    done += 1;
    if (failure !== undefined) {
      found += 1;
      console.log(`${failure}\n`);
    }
    if (performance.now() - shownMs < PROGRESS_EVERY_MS) continue;
    shownMs = performance.now();
    console.error(`${done} seeds, at ${seed}, ${found} failures`);
  }
  return { done, found, cpuMs: ownCpuMs() };
}

/** Shares the seeds among processes of this script, which print their own failures and stop by themselves. */
async function shareSeeds(): Promise<Result> {
  const script = fileURLToPath(import.meta.url);
  const shares = Array.from({ length: jobs }, async (_, job) => {
    const given: Record<string, number> = { from: from + job, stop, every: jobs };
    if (Number.isFinite(minutes)) given.minutes = minutes;
    if (values.seeds !== undefined) given.seeds = seeds - job;
    const args = Object.entries(given).flatMap(([name, value]) => [`--${name}`, String(value)]);
    if (values.postgres) args.push('--postgres');
    const child = spawn(process.execPath, [...NODE_OPTIONS, script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    let last = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      process.stdout.write(text);
      last = (last + text).slice(-RESULT_CHARS);
    });
    await once(child, 'close');
    const [, done, found, cpuMs] = /^(\d+) seeds from .*: (\d+) failures,.* (\d+) ms of CPU/m.exec(last) ?? [];
    if (done === undefined) throw new Error(`the process of seeds from ${from + job} ended without a result`);
    return { done: Number(done), found: Number(found), cpuMs: Number(cpuMs) };
  });
  const results = await Promise.all(shares);
  const sum = (of: (result: Result) => number) => results.reduce((all, one) => all + of(one), 0);
  return { done: sum(({ done }) => done), found: sum(({ found }) => found), cpuMs: sum(({ cpuMs }) => cpuMs) };
}

async function tell(seed: number): Promise<never> {
  const { story, failure } = await outcomeOf(seed);
  console.log(story.join('\n'));
  console.log(failure ?? `seed ${seed}: all holds`);
  process.exit(failure === undefined ? 0 : 1);
}

if (values.seed !== undefined) await tell(count('seed', 1));
const startedMs = performance.now();
const { done, found, cpuMs } = jobs === 1 ? await runSeeds() : await shareSeeds();
const seconds = (performance.now() - startedMs) / 1000;
const each = (ms: number) => `${(ms / Math.max(done, 1)).toFixed(1)} ms a seed`;
const costs = `${seconds.toFixed(1)} s (${each(seconds * 1000)}), ${Math.round(cpuMs)} ms of CPU (${each(cpuMs)})`;
console.log(`${done} seeds from ${from}: ${found} failures, ${costs}`);
process.exit(found === 0 ? 0 : 1);
