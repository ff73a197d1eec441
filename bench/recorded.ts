/**
 * Reading a recorded book: the events of a Tardis incremental_book_L2 file of 100,000 messages with ten levels each, against the bare split of
 * the same file (gunzip, text, lines, cells, and nothing done with them). Both run in one process, in turn, and its processor time is measured.
 *
 * usage: node bench/recorded.ts [--json] [--messages N] [FILE]
 *   --messages  the messages of the file that is made; by default 100,000
 *   FILE        a file of yours instead, of any format
 *
 * Exit code 1 if another number of rows is read than the file has.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { openRecording } from '../src/recorded/file.ts';
import { openSource, textOf } from '../src/recorded/source.ts';
import { median, round } from './yardstick.ts';

const PAIRS = 7;
const LEVELS = 10;
const AT_US = 1_723_161_254_206_000;

/** A book around 60,000 with a tick of 0.01: a snapshot, then messages of ten levels each, 100 ms apart. */
function madeFile(folder: string, messages: number): string {
  const rows = ['exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount'];
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  for (let message = 0; message <= messages; message++) {
    const at = AT_US + message * 100_000;
    for (let i = 0; i < LEVELS; i++) {
      const side = random(2);
      const price = (side === 0 ? 6_000_000 - random(5000) : 6_000_001 + random(5000)) / 100;
      const amount = random(4) === 0 ? '0' : (random(1_000_000) / 100_000).toFixed(5);
      rows.push(`made,BTCUSDT,${at},${at + 652},${message === 0},${side === 0 ? 'bid' : 'ask'},${price},${amount}`);
    }
  }
  const path = join(folder, 'made_incremental_book_L2_2024-08-08_BTCUSDT.csv.gz');
  writeFileSync(path, gzipSync(`${rows.join('\n')}\n`));
  return path;
}

/** The least that a reader can do: every cell of every line. Returns the lines and the cells. */
async function bareSplit(path: string): Promise<number> {
  let rest = '';
  let rows = 0;
  let cells = 0;
  for await (const text of textOf(await openSource(path))) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) cells += line.split(',').length;
    rows += lines.length;
  }
  if (rest !== '') rows += 1;
  return cells > 0 ? rows : 0;
}

async function events(path: string): Promise<number> {
  const recording = await openRecording(path);
  let last = 0;
  for await (const batch of recording.batches()) for (const { atUs } of batch) last = atUs;
  return last > 0 ? recording.reading.rows + (recording.hasHeader ? 1 : 0) : 0;
}

interface Timed {
  readonly rows: number;
  readonly seconds: number;
}

/** Processor time of the whole process, in which zlib has threads. */
async function timed(work: () => Promise<number>): Promise<Timed> {
  const before = process.cpuUsage();
  const rows = await work();
  const { user, system } = process.cpuUsage(before);
  return { rows, seconds: (user + system) / 1e6 };
}

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false }, messages: { type: 'string', default: '100000' } },
  allowPositionals: true,
});
const folder = mkdtempSync(join(tmpdir(), 'bourse-bench-'));
try {
  const path = positionals[0] ?? madeFile(folder, Number(values.messages));
  const runs: { bare: Timed; read: Timed }[] = [];
  for (let pair = 0; pair <= PAIRS; pair++) {
    const bare = await timed(() => bareSplit(path));
    const read = await timed(() => events(path));
    if (bare.rows !== read.rows) {
      process.stderr.write(`${read.rows} rows read of ${bare.rows}\n`);
      process.exitCode = 1;
    }
    // The first pair warms up.
    if (pair > 0) runs.push({ bare, read });
  }
  const perSecond = ({ rows, seconds }: Timed) => rows / seconds;
  const result = {
    rows: runs[0].read.rows,
    bareRowsPerSecond: Math.round(median(runs.map(({ bare }) => perSecond(bare)))),
    rowsPerSecond: Math.round(median(runs.map(({ read }) => perSecond(read)))),
    ratio: round(median(runs.map(({ bare, read }) => perSecond(read) / perSecond(bare))), 2),
  };
  if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    process.stdout.write(`${cpus()[0]?.model}, ${availableParallelism()} cores, Node ${process.version}\n`);
    process.stdout.write(`${result.rows} rows; medians of ${PAIRS} pairs, processor time\n`);
    process.stdout.write(
      `bare split   ${result.bareRowsPerSecond} rows/s\nevents       ${result.rowsPerSecond} rows/s\n`,
    );
    process.stdout.write(`ratio        ${result.ratio}\n`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
