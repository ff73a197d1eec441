/**
 * `npm run mutants`: do the suites notice faults? Plants small faults in src/venue and src/api, one at a time, in a
 * copy of the tree, and runs the suites that could notice each until one fails. Prints the faults that survived.
 *
 *     npm run mutants -- --count 200 --seed 1     how many faults, and which
 *     npm run mutants -- --survivors              tries those again that survived the last run
 *     npm run mutants -- --only TEXT              those whose name contains the text
 *     npm run mutants -- --jobs 2                 how many at a time; one takes about a core
 *
 * A fault that does not compile does not count, and another one is drawn. scripts/mutants/equivalent.ts lists those
 * known to change nothing. The run writes its progress to coverage/mutants, and continues where it was stopped if src
 * and test have not changed.
 */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { EQUIVALENT } from './mutants/equivalent.ts';
import { type Fault, faultsIn, named, shuffled } from './mutants/faults.ts';
import { importers, MODEL, measure, ranAt, runNode, runSuite, type Suite, stopRunning } from './mutants/suites.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const OUT = join(root, 'coverage/mutants');
const PROGRESS = join(OUT, 'progress.jsonl');
const SUITES = join(OUT, 'suites.json');
const MUTATED = ['src/venue/**/*.ts', 'src/api/**/*.ts'];
const COPIED = [
  'bench',
  'bin',
  'docs',
  'scripts',
  'src',
  'test',
  'package.json',
  'README.md',
  'LICENSE',
  'tsconfig.json',
  'biome.json',
];
/** For all suites of one fault. */
const MOST_MS_A_FAULT = 400_000;
const MOST_SURVIVORS = 0.02;

interface Verdict {
  readonly name: string;
  readonly verdict: 'killed' | 'survived' | 'equivalent' | 'invalid';
  /** The suite that failed. For a survivor, how many passed. */
  readonly by: string;
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    survivors: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    jobs: { type: 'string', default: '1' },
  },
});

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

function treeHash(): string {
  const hash = createHash('sha256');
  for (const path of globSync(['src/**/*.ts', 'test/**/*.ts'], { cwd: root }).sort()) {
    hash.update(path).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}

/** A copy to plant faults in. Its type check covers only src, and only what has changed. */
function copyTree(): string {
  const tree = mkdtempSync(join(tmpdir(), 'bourse-mutants-'));
  for (const path of COPIED) cpSync(join(root, path), join(tree, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  const config = {
    extends: './tsconfig.json',
    compilerOptions: { incremental: true, tsBuildInfoFile: './mutants.tsbuildinfo' },
    include: ['src'],
  };
  writeFileSync(join(tree, 'tsconfig.mutants.json'), JSON.stringify(config));
  return tree;
}

async function compiles(tree: string): Promise<boolean> {
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.mutants.json'];
  return (await runNode(tree, tsc, MOST_MS_A_FAULT)) === 'passed';
}

/** The suites with their measurements for this tree, made now if there are none. */
async function suitesOf(trees: readonly string[], hash: string): Promise<Suite[]> {
  if (existsSync(SUITES)) {
    const saved = JSON.parse(readFileSync(SUITES, 'utf8')) as { hash: string; suites: Suite[] };
    if (saved.hash === hash) return saved.suites;
  }
  const mutated = globSync(MUTATED, { cwd: trees[0] });
  const graph = importers(trees[0]);
  const paths = new Set(mutated.flatMap((file) => graph.get(file) ?? []));
  print(`measuring ${paths.size} suites`);
  const suites = await measure(trees, [...[...paths].sort(), MODEL], print);
  writeFileSync(SUITES, JSON.stringify({ hash, suites }));
  return suites;
}

/** The verdicts of a stopped run of this tree. For another tree, the survivors, to try again. */
function readProgress(hash: string): { same: boolean; verdicts: Verdict[] } {
  if (!existsSync(PROGRESS)) return { same: false, verdicts: [] };
  const [head, ...lines] = readFileSync(PROGRESS, 'utf8').trim().split('\n');
  return { same: JSON.parse(head).hash === hash, verdicts: lines.map((line) => JSON.parse(line) as Verdict) };
}

/** How often a suite ran in this run, and how often it noticed a fault, of any file and of one. */
const asked = new Map<string, number>();
const noticed = new Map<string, number>();
const more = (of: Map<string, number>, name: string): unknown => of.set(name, (of.get(name) ?? 0) + 1);

/** The suites that ran the place. Those likely to notice quickly come first, the model last. */
function inOrder(fault: Fault, suites: readonly Suite[]): Suite[] {
  const name = basename(fault.file, '.ts');
  const cost = ({ path, ms }: Suite): number => {
    if (path === MODEL) return Number.POSITIVE_INFINITY;
    const rate = ((noticed.get(path) ?? 0) + 0.5) / ((asked.get(path) ?? 0) + 1);
    const near = 1 + 3 * (noticed.get(`${fault.file} ${path}`) ?? 0) + (basename(path).startsWith(name) ? 5 : 0);
    return ms / (rate * near);
  };
  return suites.filter((suite) => ranAt(suite, fault.file, fault.start)).sort((a, b) => cost(a) - cost(b));
}

async function judge(tree: string, fault: Fault, suites: readonly Suite[]): Promise<Omit<Verdict, 'name'>> {
  const path = join(tree, fault.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, source.slice(0, fault.start) + fault.replacement + source.slice(fault.end));
  try {
    if (!(await compiles(tree))) return { verdict: 'invalid', by: 'the compiler' };
    const chosen = inOrder(fault, suites);
    let passed = 0;
    let spentMs = 0;
    for (const { path: suite, ms } of chosen) {
      spentMs += ms;
      if (spentMs > MOST_MS_A_FAULT) break;
      more(asked, suite);
      const outcome = await runSuite(tree, suite, 4 * ms + 20_000);
      if (outcome !== 'passed') {
        more(noticed, suite);
        more(noticed, `${fault.file} ${suite}`);
        return { verdict: 'killed', by: `${suite}${outcome === 'timeout' ? ' (it timed out)' : ''}` };
      }
      passed++;
    }
    return { verdict: 'survived', by: `${passed} of ${chosen.length} suites that run it` };
  } finally {
    writeFileSync(path, source);
  }
}

mkdirSync(OUT, { recursive: true });
const hash = treeHash();
const trees = Array.from({ length: Number(values.jobs) }, copyTree);
process.on('exit', () => {
  stopRunning();
  for (const tree of trees) rmSync(tree, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
if (!(await compiles(trees[0]))) throw new Error('the unchanged tree does not compile');

const faults = named(
  globSync(MUTATED, { cwd: root })
    .sort()
    .flatMap((file) => faultsIn(file, readFileSync(join(root, file), 'utf8'))),
);
for (const name of Object.keys(EQUIVALENT)) {
  if (!faults.has(name)) print(`scripts/mutants/equivalent.ts names a fault that no longer exists: ${name}`);
}
const suites = await suitesOf(trees, hash);
const { same, verdicts: before } = readProgress(hash);
const again = before.filter(({ verdict }) => verdict === 'survived').map(({ name }) => name);
const done = new Map(same || values.survivors ? before.map((verdict) => [verdict.name, verdict]) : []);
if (values.survivors) for (const name of again) done.delete(name);
const count = values.survivors ? Number.POSITIVE_INFINITY : Number(values.count);
const order = values.survivors ? again : shuffled(faults, Number(values.seed));

for (const { name, verdict, by } of done.values()) {
  if (verdict !== 'killed') continue;
  for (const key of [by, `${faults.get(name)?.file} ${by}`]) more(noticed, key);
  more(asked, by);
}
writeFileSync(
  PROGRESS,
  `${JSON.stringify({ hash })}\n${[...done.values()].map((verdict) => `${JSON.stringify(verdict)}\n`).join('')}`,
);
const waiting = order.filter((name) => faults.has(name) && name.includes(values.only));
let planted = 0;
let judging = 0;
await Promise.all(trees.map(plantAll));
report();

/** Takes fault after fault, until enough are planted. */
async function plantAll(tree: string): Promise<void> {
  while (planted + judging < count) {
    const name = waiting.shift();
    const fault = faults.get(name ?? '');
    if (name === undefined || fault === undefined) return;
    judging++;
    const verdict = await verdictOn(tree, name, fault);
    judging--;
    if (verdict.verdict === 'invalid') continue;
    planted++;
    print(`${String(planted).padStart(4)} ${verdict.verdict.padEnd(10)} ${fault.kind}: ${name}  [${verdict.by}]`);
  }
}

async function verdictOn(tree: string, name: string, fault: Fault): Promise<Verdict> {
  const known = EQUIVALENT[name];
  if (known !== undefined) return remember({ name, verdict: 'equivalent', by: known });
  return done.get(name) ?? remember({ name, ...(await judge(tree, fault, suites)) });
}

function remember(verdict: Verdict): Verdict {
  done.set(verdict.name, verdict);
  appendFileSync(PROGRESS, `${JSON.stringify(verdict)}\n`);
  return verdict;
}

function report(): void {
  const of = (kind: Verdict['verdict']): Verdict[] => [...done.values()].filter(({ verdict }) => verdict === kind);
  const [killed, survived, equivalent] = [of('killed'), of('survived'), of('equivalent')];
  const byModel = killed.filter(({ by }) => by === MODEL);
  if (byModel.length > 0) print('\nnoticed by the model only:');
  for (const { name } of byModel) print(`  ${name}`);
  if (survived.length > 0) print('\nsurvived:');
  for (const { name, by } of survived) {
    const fault = faults.get(name);
    print(`  ${fault?.file}:${fault?.line}  ${fault?.from}\n    → ${fault?.to}  [${by}]`);
  }
  const judged = killed.length + survived.length;
  print(
    `\n${judged} faults: ${killed.length} noticed, ${survived.length} survived; ${equivalent.length} that change nothing`,
  );
  if (survived.length > judged * MOST_SURVIVORS) process.exitCode = 1;
}
