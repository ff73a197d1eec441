/** Runs of the model: one seed is one world and one stream of commands; a difference is shrunk and printed as a test. */
import type { Genesis } from '../../src/venue/contract/commands.ts';
import { Pair, type TimedStep } from './compare.ts';
import { ALL_ACTIONS, Generator } from './generator.ts';
import { Random } from './random.ts';
import { START_MS, scenario } from './scenario.ts';

const KEYS_PER_SEQ = 65_536;
/** Sequence number of the first command after genesis. */
const FIRST_SEQ = 2;

export interface Run {
  readonly seed: number;
  readonly genesis: Genesis;
  readonly steps: TimedStep[];
  /** What differed after the last step; null: nothing. */
  readonly difference: string | null;
}

export type OpenVenue = ConstructorParameters<typeof Pair>[2];

export function runSeed(seed: number, commands: number, actions = ALL_ACTIONS, open?: OpenVenue): Run {
  const r = new Random(seed);
  const genesis = scenario(r);
  const pair = new Pair(genesis, START_MS, open);
  const generator = new Generator(r, START_MS, actions);
  const steps: TimedStep[] = [];
  for (let i = 0; i < commands; i++) {
    const step = generator.next(pair.model);
    steps.push(step);
    const difference = attempt(pair, step);
    if (difference !== null) return { seed, genesis, steps, difference };
  }
  return { seed, genesis, steps, difference: null };
}

/** A command that throws is a difference, too. */
function attempt(pair: Pair, step: TimedStep): string | null {
  try {
    return pair.run(step);
  } catch (error) {
    return `throws ${error instanceof Error ? (error.stack ?? error.message) : error}`;
  }
}

/** The first difference of the steps, and how many it took; null when venue and model agree. */
export function replay(
  genesis: Genesis,
  steps: readonly TimedStep[],
  open?: OpenVenue,
): { difference: string; at: number } | null {
  const pair = new Pair(genesis, START_MS, open);
  for (const [at, step] of steps.entries()) {
    const difference = attempt(pair, step);
    if (difference !== null) return { difference, at };
  }
  return null;
}

/** Leaves out commands while some difference remains: long runs of them first, one by one at the end. */
export function shrink(run: Run, open?: OpenVenue): Run {
  let steps = run.steps;
  let difference = run.difference ?? '';
  const still = (candidate: TimedStep[]): boolean => {
    const found = replay(run.genesis, candidate, open);
    if (found === null) return false;
    steps = candidate.slice(0, found.at + 1);
    difference = found.difference;
    return true;
  };
  for (let chunk = steps.length >> 1; chunk >= 1; chunk >>= 1) {
    for (let at = steps.length - chunk; at >= 0; at -= chunk) {
      if (at + chunk <= steps.length) still(without(steps, at, chunk));
    }
  }
  for (let at = steps.length - 1; at >= 0; at--) {
    if (at < steps.length) still(without(steps, at, 1)) || still(idle(steps, at));
  }
  return { ...run, steps, difference };
}

/** Does nothing, but keeps the sequence numbers that random sizes are drawn from. */
function idle(steps: TimedStep[], at: number): TimedStep[] {
  return steps.with(at, { ...steps[at], command: { v: 1, type: 'tick' } });
}

/** Orders are named by the sequence number that placed them: what is left out moves those that come later. */
function without(steps: TimedStep[], at: number, count: number): TimedStep[] {
  const moved = (key: number): number => {
    const step = Math.floor(key / KEYS_PER_SEQ) - FIRST_SEQ;
    if (step < at) return key;
    return step < at + count ? 0 : key - count * KEYS_PER_SEQ;
  };
  return steps.toSpliced(at, count).map((step) => {
    const { command } = step;
    if (!('order' in command) || command.order === null) return step;
    return { ...step, command: { ...command, order: moved(command.order) } };
  });
}

/** A difference as a test to be pasted into found.test.ts. */
export function asTest({ seed, genesis, steps, difference }: Run): string {
  const lines = steps.map(({ atMs, command }) => `    { atMs: ${atMs}, command: ${JSON.stringify(command)} },`);
  return [
    `// seed ${seed}: ${difference}`,
    `it('seed ${seed}', () => {`,
    `  agrees(${JSON.stringify(genesis)}, [`,
    ...lines,
    '  ]);',
    '});',
  ].join('\n');
}
