/**
 * One run of pairs.ts: a benchmark of the sources in FOLDER, whose bench/ it imports. It prints what a fixed amount of
 * work cost. It imports only names that older commits have too.
 *
 * usage: node bench/pairs-run.ts BENCH FOLDER TEMPORARY
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

export interface Measured {
  readonly wallMs: number;
  readonly cpuMs: number;
}

type Bench = (folder: string, temporary: string) => Promise<Measured>;

/** The folder where processes of a run note their usage when they end. Set only in those. */
const NOTES = process.env.BOURSE_PAIRS_NOTES;
const LOAD = { connections: 128, requests: 20_000, seconds: 60 };
const LOADS = 2;
const BOOK_RUNS = 3;
const COMMANDS_PER_MS = 100;
const START_MS = 1_767_225_600_000;

interface Note {
  readonly argv: readonly string[];
  readonly cpuMs: number;
  readonly wallMs: number;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

/** Makes the processes that are started from here on take notes. */
function takeNotes(temporary: string): () => Note[] {
  const file = join(temporary, 'notes');
  process.env.BOURSE_PAIRS_NOTES = file;
  process.env.NODE_OPTIONS = `--import=${import.meta.url}`;
  return () => {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    return lines.map((line) => JSON.parse(line) as Note);
  };
}

/** The book alone on the recorded flows, each once to warm up and three times measured, reports included. */
async function book(folder: string): Promise<Measured> {
  const from = (file: string) => import(pathToFileURL(join(folder, file)).href);
  const { runBook } = (await from('bench/book.ts')) as typeof import('./book.ts');
  const { load, SCENARIOS } = (await from('bench/yardstick.ts')) as typeof import('./yardstick.ts');
  const workloads = SCENARIOS.map((scenario) => load(scenario));
  for (const workload of workloads) runBook(workload);
  const begun = performance.now();
  const used = cpuMs();
  for (const workload of workloads) for (let i = 0; i < BOOK_RUNS; i++) runBook(workload);
  return { wallMs: performance.now() - begun, cpuMs: cpuMs() - used };
}

/** A million commands, after a quarter of a million to warm up. */
async function venue(folder: string): Promise<Measured> {
  const from = (file: string) => import(pathToFileURL(join(folder, file)).href);
  const { Venue } = (await from('src/venue/venue.ts')) as typeof import('../src/venue/venue.ts');
  const { FLOW_MESSAGES, flow } = (await from('bench/flow.ts')) as typeof import('./flow.ts');
  const { accountsOf, command, genesis } = (await from('bench/venue.ts')) as typeof import('./venue.ts');
  const operations = flow(FLOW_MESSAGES);
  const accounts = accountsOf(operations);
  const apply = (count: number) => {
    const subject = new Venue();
    subject.apply(1, START_MS, genesis());
    for (let i = 0; i < count; i++) {
      subject.apply(i + 2, START_MS + Math.floor(i / COMMANDS_PER_MS), command(operations, accounts, i));
    }
  };
  apply(FLOW_MESSAGES / 4);
  const begun = performance.now();
  const used = cpuMs();
  apply(FLOW_MESSAGES);
  return { wallMs: performance.now() - begun, cpuMs: cpuMs() - used };
}

/** Placements. The CPU time is that of the venue's process from start to end, including its archive's thread. */
async function http(folder: string, temporary: string): Promise<Measured> {
  const notes = takeNotes(temporary);
  const { Bench } = (await import(
    pathToFileURL(join(folder, 'bench/http-processes.ts')).href
  )) as typeof import('./http-processes.ts');
  const bench = await Bench.start(temporary, undefined);
  let seconds = 0;
  try {
    await bench.venue({ ...LOAD, requests: LOAD.requests / 2 });
    for (let load = 0; load < LOADS; load++) seconds += (await bench.venue(LOAD)).seconds;
  } finally {
    await bench.stop();
  }
  const venues = notes().filter(({ argv }) => argv[1]?.endsWith('bourse.js'));
  return { wallMs: seconds * 1000, cpuMs: sum(venues.map((note) => note.cpuMs)) };
}

const STARTS = 6;

/**
 * The first six starts, which are on a log of 200,000 commands, three of them from a snapshot. Each is measured from
 * the start of its process to its end.
 */
async function recovery(folder: string, temporary: string): Promise<Measured> {
  const notes = takeNotes(temporary);
  const options = ['--json', '--commands', '200000', '--orders', '1000', '--dir', temporary];
  execFileSync(process.execPath, [join(folder, 'bench/recovery.ts'), ...options]);
  const starts = notes()
    .filter(({ argv }) => argv.includes('--start'))
    .slice(0, STARTS);
  return { wallMs: sum(starts.map(({ wallMs }) => wallMs)), cpuMs: sum(starts.map((note) => note.cpuMs)) };
}

/** The whole of `npm run bench:triggers`. */
async function triggers(folder: string, temporary: string): Promise<Measured> {
  const notes = takeNotes(temporary);
  execFileSync(process.execPath, [join(folder, 'bench/triggers.ts'), '--json']);
  const [own] = notes();
  return { wallMs: own.wallMs, cpuMs: own.cpuMs };
}

const RUNS: Readonly<Record<string, Bench>> = { book, venue, http, recovery, triggers };
export const BENCHES = Object.keys(RUNS);

if (NOTES !== undefined) {
  if (isMainThread) {
    process.on('exit', () => {
      const note: Note = { argv: process.argv, cpuMs: cpuMs(), wallMs: performance.now() };
      appendFileSync(NOTES, `${JSON.stringify(note)}\n`);
    });
  }
} else if (import.meta.main) {
  const [bench, folder, temporary] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(await RUNS[bench](folder, temporary)));
}
