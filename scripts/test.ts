/**
 * `npm test`: type check, lint, then every suite, two files at a time. A failed check does not stop the suites, and
 * counts as one failure. The longest suites are named at the end. The last line is always `N passed, N failed`.
 *
 * `npm test -- test/venue` runs only the suites under that folder (or that file), without the checks.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';

const FILES_AT_ONCE = 2;
/** How many of the longest suites are named. */
const LONGEST = 8;
/** For tests that hang. A busy machine takes many times as long as an idle one. */
const TEST_TIMEOUT_MS = 360_000;
const RUN_TIMEOUT_MS = 40 * 60_000;

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const chosen = process.argv.slice(2);
const failedChecks = chosen.length > 0 ? [] : runChecks();
const suites = await runSuites(findFiles(chosen));

const failed = suites.failed + failedChecks.length;
if (suites.durations.length > LONGEST) print(`longest: ${longest(suites.durations)}`);
for (const name of failedChecks) print(`FAILED  ${name} (see above)`);
for (const name of suites.failures) print(`FAILED  ${name}`);
for (const [reason, count] of suites.skipReasons) print(`${count} skipped: ${reason}`);
print(`${suites.passed} passed, ${failed} failed`);
process.exit(failed === 0 && suites.passed > 0 ? 0 : 1);

/** Runs type check and lint. Returns the names of those that failed. */
function runChecks(): string[] {
  const checks: [name: string, program: string, ...args: string[]][] = [
    ['type check', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', '.'],
    ['type check of the page', 'node_modules/typescript/bin/tsc', '-p', 'src/page'],
    ['lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '.'],
  ];
  return checks
    .filter(([name, ...command]) => {
      const { status } = spawnSync(process.execPath, command, { stdio: ['ignore', 'inherit', 'inherit'] });
      print(`${status === 0 ? 'ok      ' : 'FAILED  '}${name}`);
      return status !== 0;
    })
    .map(([name]) => name);
}

/** The suites in these folders and files; a file may be named without its ending. */
function findFiles(paths: string[]): string[] {
  const patterns = (paths.length > 0 ? paths : ['test']).map((path) => {
    const found = [path, `${path}.test.ts`].find((each) => existsSync(each));
    if (found === undefined) {
      print(`there is no ${path}: name a folder or a file of tests, such as test/venue`);
      process.exit(1);
    }
    return statSync(found).isDirectory() ? join(found, '**/*.test.ts') : found;
  });
  return globSync(patterns)
    .sort()
    .map((path) => join(root, path));
}

interface Totals {
  passed: number;
  failed: number;
  /** How many tests were skipped, by reason. */
  skipReasons: Map<string, number>;
  failures: string[];
  durations: SuiteDuration[];
}

interface SuiteDuration {
  readonly path: string;
  readonly seconds: number;
}

function longest(durations: readonly SuiteDuration[]): string {
  const first = durations.toSorted((a, b) => b.seconds - a.seconds).slice(0, LONGEST);
  return first.map(({ path, seconds }) => `${path} ${seconds.toFixed(0)} s`).join(', ');
}

/** Runs each file in a separate process, and prints one line per file and every failure in full. */
async function runSuites(files: string[]): Promise<Totals> {
  const totals: Totals = { passed: 0, failed: 0, skipReasons: new Map(), failures: [], durations: [] };
  const events = run({
    files,
    concurrency: FILES_AT_ONCE,
    execArgv: ['--import', new URL('./test-guard.ts', import.meta.url).href, `--test-timeout=${TEST_TIMEOUT_MS}`],
    signal: AbortSignal.timeout(RUN_TIMEOUT_MS),
  });
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') {
      process.stdout.write(data.message.endsWith('\n') ? data.message : `${data.message}\n`);
    } else if (type === 'test:pass') {
      const { skip, todo } = data;
      if (skip !== undefined || todo !== undefined) {
        const reason = String(skip ?? todo) === 'true' ? 'without a reason' : String(skip ?? todo);
        totals.skipReasons.set(reason, (totals.skipReasons.get(reason) ?? 0) + 1);
      }
    } else if (type === 'test:fail') {
      const path = relative(root, data.file ?? '');
      // A file that fails as a whole is reported under its own path.
      const name = data.name === data.file ? path : `${path}: ${data.name}`;
      totals.failures.push(name);
      print(`FAILED  ${name}\n${inspect(data.details.error.cause ?? data.details.error)}`);
    } else if (type === 'test:summary') {
      const { counts } = data;
      if (data.file === undefined) {
        totals.passed = counts.passed;
        totals.failed = counts.failed + counts.cancelled;
      } else {
        const [path, seconds] = [relative(root, data.file), data.duration_ms / 1000];
        totals.durations.push({ path, seconds });
        print(`${data.success ? 'ok      ' : 'FAILED  '}${path}  ${counts.tests} tests, ${seconds.toFixed(1)} s`);
      }
    }
  }
  return totals;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
