/**
 * The cost of a change: a benchmark of this checkout and of other commits, in turn. The first commit is the base. It
 * also runs against itself, to measure the noise of the machine.
 *
 * usage: node bench/pairs.ts BASE [COMMIT …] [--bench book,venue,http,recovery,triggers] [--pairs N]
 *   --bench  which benchmarks; by default all
 *   --pairs  rounds, each with one run of every side; by default 15
 *
 * - Commits are unpacked into a temporary folder and share this checkout's node_modules.
 * - Each run is a separate process (pairs-run.ts) that does a fixed amount of work on the sources of its side.
 * - The sides of a round run one after the other, in reverse order in every other round.
 * - A figure is the median of the ratios to the base in the same round, followed by the quartiles of these ratios.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { BENCHES, type Measured } from './pairs-run.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RUN = fileURLToPath(new URL('pairs-run.ts', import.meta.url));
const MEGABYTE = 2 ** 20;

interface Side {
  readonly name: string;
  readonly folder: string;
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}

function unpack(commit: string, parent: string): Side {
  const name = git('rev-parse', '--short', '--verify', `${commit}^{commit}`);
  const folder = join(parent, name);
  mkdirSync(folder);
  const archive = execFileSync('git', ['archive', name], { cwd: ROOT, maxBuffer: 512 * MEGABYTE });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { name, folder };
}

async function run(bench: string, side: Side, parent: string): Promise<Measured> {
  const own = mkdtempSync(join(parent, 'run-'));
  const { stdout } = await promisify(execFile)(process.execPath, [RUN, bench, side.folder, own]);
  rmSync(own, { recursive: true });
  return JSON.parse(stdout) as Measured;
}

/** The median and the quartiles, as text. */
function spread(ratios: readonly number[]): string {
  const sorted = ratios.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.round((sorted.length - 1) * share)].toFixed(3);
  return `${at(0.5)} (${at(0.25)} to ${at(0.75)})`;
}

async function compare(bench: string, sides: readonly Side[], pairs: number, parent: string): Promise<void> {
  const measured: Measured[][] = sides.map(() => []);
  for (let round = 0; round < pairs; round++) {
    const order = sides.map((_, i) => (round % 2 === 0 ? i : sides.length - 1 - i));
    for (const i of order) measured[i].push(await run(bench, sides[i], parent));
  }
  console.log(`${bench}, ${pairs} pairs, load ${loadavg()[0].toFixed(1)}`);
  sides.forEach(({ name }, i) => {
    if (i === 0) return;
    const ratios = (of: keyof Measured) => spread(measured[i].map((own, round) => own[of] / measured[0][round][of]));
    console.log(`  ${name.padEnd(20)} CPU ${ratios('cpuMs')}  wall ${ratios('wallMs')}`);
  });
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { bench: { type: 'string', default: BENCHES.join() }, pairs: { type: 'string', default: '15' } },
  });
  const benches = values.bench.split(',');
  const unknown = benches.find((bench) => !BENCHES.includes(bench));
  if (unknown !== undefined) throw new Error(`--bench ${unknown} is unknown: use ${BENCHES.join(', ')}`);
  const pairs = Number(values.pairs);
  if (!Number.isInteger(pairs) || pairs < 1) throw new Error(`--pairs ${values.pairs} is no whole number from 1`);
  if (positionals.length === 0) throw new Error('no commit to compare with: npm run bench:pairs -- BASE');
  const parent = mkdtempSync(join(tmpdir(), 'bourse-pairs-'));
  try {
    const [base, ...others] = positionals.map((commit) => unpack(commit, parent));
    const again = { name: `${base.name} again`, folder: base.folder };
    const sides = [base, again, ...others, { name: 'this checkout', folder: ROOT }];
    console.log(
      `ratios to ${base.name}: Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model}`,
    );
    for (const bench of benches) await compare(bench, sides, pairs, parent);
  } finally {
    rmSync(parent, { recursive: true });
  }
}

await main();
