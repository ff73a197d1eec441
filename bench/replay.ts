/**
 * A recorded market through a whole venue, from compressed files to state, with the log written. Each figure is printed with its bar:
 *
 * - level rows and trades a second, by the clock, and for each second of processor time of the busiest thread; beside them the ratio to a pass
 *   over the same files that does nothing with the events
 * - five million trades: time and memory
 * - bytes of log a level row
 * - p99 of a user's requests at ten times real time
 * - whether the venue printed every recorded trade, and showed the recorded book after each message
 *
 * usage: node bench/replay.ts [--json] [--trades N] [--seconds N] [FILE…]
 *   --trades   how many trades the file of trades has; by default 5,000,000
 *   --seconds  how long the recordings with a book are; by default 345
 *   FILE…      files of yours instead of the made-up ones with a book
 *
 * Exit code 1 if a trade did not print as it was recorded, or a book differs. A bar that is missed is marked, and no failure: it is for an
 * idle machine.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { ControlClient, startVenue, type TestVenue } from '../src/index.ts';
import { openMarket } from '../src/recorded/market.ts';
import { writeMadeUp } from '../test/replay/made-up.ts';
import { compare, DEPTH } from './replay-compare.ts';
import { BUSY, writeBook, writeTrades } from './replay-files.ts';
import type { UserOrder, UserReport } from './replay-user.ts';
import { threadSeconds } from './thread-seconds.ts';
import { round } from './yardstick.ts';

const PART = '30m';
const SPEED = 10;

interface Contents {
  readonly rows: number;
  readonly trades: number;
  readonly seconds: number;
  readonly recordedMs: number;
}

interface Played {
  readonly startSeconds: number;
  readonly seconds: number;
  /** Of processor time: the venue's thread, and all threads. */
  readonly venueSeconds: number;
  readonly allSeconds: number;
  readonly rssMb: number;
  /** Trades and references included. */
  readonly logBytes: number;
  readonly ok: boolean;
}

/** The least: every event is made, and nothing done with it. */
async function readOnly(files: readonly string[]): Promise<Contents> {
  const begun = performance.now();
  const market = await openMarket(files);
  let [rows, trades, firstUs, lastUs] = [0, 0, 0, 0];
  for await (const batch of market.batches()) {
    for (const event of batch) {
      if (event.kind === 'trade') trades += 1;
      else if (event.kind === 'levels' || event.kind === 'snapshot') rows += event.bids.length + event.asks.length;
      firstUs ||= event.atUs;
      lastUs = Math.max(lastUs, event.atUs);
    }
  }
  return { rows, trades, seconds: (performance.now() - begun) / 1000, recordedMs: (lastUs - firstUs) / 1000 };
}

/** In parts, so that no request takes long: at the end of its files the market is halted. */
async function advanceToEnd(venue: TestVenue): Promise<void> {
  const control = new ControlClient({ url: venue.control, token: venue.controlToken });
  const isHalted = async () => (await control.markets()).markets.some(({ status }) => status === 'halted');
  do await venue.advance(PART);
  while (!(await isHalted()));
}

/** Starts a venue on the files and moves its clock past their end. The start reads them once more. */
async function play(files: readonly string[], folder: string): Promise<Played> {
  const options = { replay: { files, depth: null }, data: join(folder, 'data'), masterKeyFile: join(folder, 'key') };
  const started = performance.now();
  const venue = await startVenue(options);
  let played: Omit<Played, 'logBytes'>;
  try {
    const begun = performance.now();
    const [thread, all] = [threadSeconds(), process.cpuUsage()];
    await advanceToEnd(venue);
    const seconds = (performance.now() - begun) / 1000;
    const venueSeconds = threadSeconds() - thread;
    const { user, system } = process.cpuUsage(all);
    const allSeconds = (user + system) / 1e6;
    const rssMb = process.resourceUsage().maxRSS / 1024;
    const { ok } = await venue.audit();
    played = { startSeconds: (begun - started) / 1000, seconds, venueSeconds, allSeconds, rssMb, ok };
  } finally {
    await venue.close();
  }
  return { ...played, logBytes: logBytesIn(options.data) };
}

/** Without the zeros that a segment is made with. */
function logBytesIn(data: string): number {
  let sum = 0;
  for (const name of readdirSync(data)) {
    if (!name.endsWith('.log')) continue;
    const bytes = readFileSync(join(data, name));
    let end = bytes.length;
    while (end > 0 && bytes[end - 1] === 0) end -= 1;
    sum += end;
  }
  return sum;
}

/** The same in a process that does nothing else. */
async function playAlone(files: readonly string[]): Promise<Played> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--alone', ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`a venue that plays ended with ${code}`);
  return JSON.parse(output);
}

/** The requests of one user, while the files are played at ten times their time, or beside nothing. */
async function ofUser(files: readonly string[] | undefined, data: string, seconds: number): Promise<UserReport> {
  await using venue = await startVenue({
    ...(files !== undefined && { replay: { files, atEnd: 'loop' } }),
    ...{ clock: 'real', speed: SPEED, data, masterKeyFile: `${data}.key` },
  });
  if (files === undefined) await venue.setPrice('BTC-USDT', 60_000);
  const [symbol, price] = await farBid(venue);
  const workerData: UserOrder = { url: venue.url, ...venue.key, symbol, price, size: '0.01' };
  const user = new Worker(new URL('./replay-user.ts', import.meta.url), { workerData });
  await new Promise((resolve) => setTimeout(resolve, (seconds * 1000) / SPEED));
  user.postMessage('end');
  const [report] = await once(user, 'message');
  return report as UserReport;
}

/** The market with a book, and a price of it that is far from the middle. */
async function farBid(venue: TestVenue): Promise<[symbol: string, price: string]> {
  const { markets } = await new ControlClient({ url: venue.control, token: venue.controlToken }).markets();
  for (const { symbol } of markets) {
    const { bids } = await venue.book(String(symbol));
    if (bids.length > 0) return [String(symbol), bids[bids.length - 1][0]];
  }
  return ['BTC-USDT', '59000'];
}

interface Row {
  readonly name: string;
  readonly figure: string | number;
  readonly bar?: string;
  readonly isMet?: boolean;
}

const atLeast = (name: string, figure: number, bar: number): Row => ({
  ...{ name, figure, bar: `>= ${bar}`, isMet: figure >= bar },
});
const atMost = (name: string, figure: number, bar: number): Row => ({
  ...{ name, figure, bar: `<= ${bar}`, isMet: figure <= bar },
});

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
    trades: { type: 'string', default: '5000000' },
    seconds: { type: 'string', default: String(BUSY.seconds) },
  },
  allowPositionals: true,
});
const folder = mkdtempSync(join(tmpdir(), 'bourse-bench-replay-'));
try {
  if (values.alone) console.log(JSON.stringify(await play(positionals, folder)));
  else await measure();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const seconds = Number(values.seconds);
  const files = positionals.length > 0 ? positionals : await writeBook(folder, { ...BUSY, seconds });
  const many = await writeTrades(folder, Number(values.trades));
  const read = await readOnly(files);
  const book = await playAlone(files);
  const trades = await playAlone([many]);
  const userSeconds = read.recordedMs / 1000;
  const alone = await ofUser(undefined, join(folder, 'alone'), userSeconds);
  const user = await ofUser(files, join(folder, 'user'), userSeconds);
  const compared = positionals.length > 0 ? files : await writeMadeUp(folder, { seconds: 1200, seed: 1 });
  const found = await compare(compared, folder);
  const count = Number(values.trades);
  const rows: Row[] = [
    { name: 'machine', figure: `${cpus()[0].model}, ${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}` },
    { name: 'rows, trades of the book', figure: `${read.rows}, ${read.trades}` },
    atLeast('rows a second', Math.round(read.rows / book.seconds), 200_000),
    atLeast('rows a second of the venue’s thread', Math.round(read.rows / book.venueSeconds), 200_000),
    atLeast('rows a second of two cores', Math.round((2 * read.rows) / book.allSeconds), 200_000),
    { name: 'times real time', figure: round(read.recordedMs / 1000 / book.seconds, 1) },
    { name: 'ratio to reading alone', figure: round(read.seconds / book.seconds, 2) },
    atMost('bytes of log a row', round(book.logBytes / read.rows, 1), 20),
    { name: 'bytes of log a trade', figure: round(trades.logBytes / count, 1) },
    atLeast('trades a second', Math.round(count / trades.seconds), 100_000),
    atLeast('trades a second of the venue’s thread', Math.round(count / trades.venueSeconds), 100_000),
    atLeast('trades a second of two cores', Math.round((2 * count) / trades.allSeconds), 100_000),
    atMost(`seconds for ${count} trades`, round(trades.seconds, 1), 120),
    { name: 'seconds of the start before', figure: round(trades.startSeconds, 1) },
    atMost('MB of memory, trades', Math.round(trades.rssMb), 1000),
    atMost('MB of memory, book', Math.round(book.rssMb), 1000),
    atMost(`ms, p99 of a user at × ${SPEED}`, round(user.p99Ms, 1), 50),
    { name: 'ms, its p99 without a recording', figure: round(alone.p99Ms, 1) },
    {
      name: 'ms, its median, its longest',
      figure: `${round(user.p50Ms, 1)}, ${round(user.mostMs, 1)} of ${user.requests}`,
    },
    { name: 'printed as recorded', figure: `${found.same} of ${found.wanted}` },
    {
      name: 'books as recorded',
      figure: `${found.messages * 2 - found.wrong} of ${found.messages * 2} sides of ${DEPTH} levels`,
    },
    { name: 'fits', figure: round(found.fits, 4) },
  ];
  if (values.json) console.log(JSON.stringify(Object.fromEntries(rows.map(({ name, figure }) => [name, figure]))));
  else
    for (const { name, figure, bar = '', isMet } of rows) {
      console.log(`${name.padEnd(40)}${String(figure).padEnd(34)}${bar}${isMet === false ? '  MISSED' : ''}`.trimEnd());
    }
  const isRight = found.same === found.wanted && found.prints === found.wanted && found.wrong === 0;
  if (!isRight || !book.ok || !trades.ok) process.exitCode = 1;
}
