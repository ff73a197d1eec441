/**
 * Finds the suites that can notice a change of a place in the source: those whose imports lead to the file (by the
 * import graph), and which ran that very place in a run without faults (by V8's coverage). A suite cannot judge a place
 * that it does not run. The run also measures how long each suite takes.
 */
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Suite {
  readonly path: string;
  readonly ms: number;
  /** Maps a source file to the ranges that ran: start, end, start, end, … */
  readonly ran: Readonly<Record<string, readonly number[]>>;
}

/** They test programs around the venue, or start it as a process again and again. The model runs separately. */
const NOT_RUN = [
  'test/clients/**',
  'test/cli/**',
  'test/crash/!(replay).test.ts',
  'test/project/**',
  'test/model/{model,planted}.test.ts',
];

/**
 * A short run of the venue against the model. It comes last, because a fault that only the model notices lacks a named
 * test.
 */
export const MODEL = 'scripts/model.ts';
const MODEL_ARGS = ['--seeds', '100'];

/** The suites of a tree by the files that they import, directly or not. */
export function importers(root: string): Map<string, string[]> {
  const known = new Map<string, readonly string[]>();
  const importsOf = (file: string): readonly string[] => {
    let found = known.get(file);
    if (found === undefined) {
      const text = readFileSync(join(root, file), 'utf8');
      const names = [...text.matchAll(/^(?:import|export|\})[^'\n]* ?from '(\.[^']*)'|^import '(\.[^']*)'/gm)];
      found = names.map(([, a, b]) => join(dirname(file), a ?? b)).filter((name) => name.endsWith('.ts'));
      known.set(file, found);
    }
    return found;
  };
  const suites = new Map<string, string[]>();
  for (const suite of globSync('test/**/*.test.ts', { cwd: root, exclude: NOT_RUN }).sort()) {
    const seen = new Set<string>();
    const waiting = [suite];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      waiting.push(...importsOf(file));
    }
    for (const file of seen) suites.set(file, [...(suites.get(file) ?? []), suite]);
  }
  return suites;
}

export type Outcome = 'passed' | 'failed' | 'timeout';

/** The processes that run now. Each is a process group, which nobody else would end. */
const running = new Set<number>();

export function stopRunning(): void {
  for (const pid of running) killGroup(pid);
}

/** Runs one suite in the tree, and ends it at its first failure. */
export function runSuite(root: string, suite: string, timeoutMs: number, env = {}): Promise<Outcome> {
  const test = ['--import', './scripts/test-guard.ts', '--test-reporter=tap', suite];
  return runNode(root, suite === MODEL ? [MODEL, ...MODEL_ARGS] : test, timeoutMs, env);
}

export function runNode(root: string, args: readonly string[], timeoutMs: number, env = {}): Promise<Outcome> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    // Most modules are the same for every fault. They are compiled once, and read from there.
    env: { ...process.env, NODE_COMPILE_CACHE: join(root, '.compiled'), ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const { pid } = child;
  if (pid !== undefined) running.add(pid);
  return new Promise((resolve) => {
    let outcome: Outcome = 'passed';
    const end = (how: Outcome): void => {
      if (outcome === 'passed') outcome = how;
      if (pid !== undefined && child.exitCode === null) killGroup(pid);
    };
    const timer = setTimeout(() => end('timeout'), timeoutMs);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (/^\s*not ok /m.test(text)) end('failed');
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      if (pid !== undefined) running.delete(pid);
      resolve(outcome === 'passed' && code !== 0 ? 'failed' : outcome);
    });
  });
}

/** The process and what it has started. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

const BASELINE_TIMEOUT_MS = 300_000;

/** Runs each suite once on the unchanged trees. A suite that fails there cannot notice faults, and is left out. */
export async function measure(
  trees: readonly string[],
  suites: readonly string[],
  told: (line: string) => void,
): Promise<Suite[]> {
  const waiting = [...suites];
  const measured: Suite[] = [];
  const measureAll = async (root: string): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const coverage = mkdtempSync(join(tmpdir(), 'bourse-coverage-'));
      const from = performance.now();
      const outcome = await runSuite(root, path, BASELINE_TIMEOUT_MS, { NODE_V8_COVERAGE: coverage });
      const ms = Math.round(performance.now() - from);
      told(`${outcome === 'passed' ? 'ok      ' : 'left out'} ${path}  ${(ms / 1000).toFixed(1)} s`);
      if (outcome === 'passed') measured.push({ path, ms, ran: rangesIn(root, coverage) });
      rmSync(coverage, { recursive: true });
    }
  };
  await Promise.all(trees.map(measureAll));
  return measured;
}

interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
  }[];
}

/** Stripping types keeps every character in its place, so the offsets are those of the source. */
function rangesIn(root: string, folder: string): Record<string, number[]> {
  const masks = new Map<string, Uint8Array>();
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: Script[] };
    for (const { url, functions } of result) {
      if (!url.startsWith('file:')) continue;
      const file = relative(root, fileURLToPath(url));
      if (!file.startsWith('src')) continue;
      const ranges = functions.flatMap((each) => each.ranges);
      const mask = new Uint8Array(Math.max(...ranges.map(({ endOffset }) => endOffset)));
      // Outer ranges first, because inner ranges are more precise.
      ranges.sort((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset));
      for (const { startOffset, endOffset, count } of ranges) mask.fill(count > 0 ? 1 : 0, startOffset, endOffset);
      const known = masks.get(file);
      if (known === undefined) masks.set(file, mask);
      else for (let i = 0; i < mask.length; i++) known[i] |= mask[i];
    }
  }
  return Object.fromEntries([...masks].map(([file, mask]) => [file, runsOf(mask)]));
}

function runsOf(mask: Uint8Array): number[] {
  const runs: number[] = [];
  for (let i = 0; i < mask.length; i++) {
    const edge = mask[i] !== (mask[i - 1] ?? 0);
    if (edge) runs.push(i);
  }
  if (runs.length % 2 === 1) runs.push(mask.length);
  return runs;
}

/** Whether the place ran. */
export function ranAt(suite: Suite, file: string, offset: number): boolean {
  const runs = suite.ran[file] ?? [];
  for (let i = 0; i < runs.length; i += 2) {
    if (offset >= runs[i] && offset < runs[i + 1]) return true;
  }
  return false;
}
