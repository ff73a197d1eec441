/**
 * Durable signed placements over HTTP with the log in PostgreSQL (a primary and two standbys on this machine, quorum commit:
 * any one of the two), beside the same venue with its log in a folder, in turn.
 *
 * usage: node bench/postgres.ts [--json] [--dir FOLDER]
 *   --dir   the folder of the file log; by default the system's folder for temporary files
 *
 * Everything shares the machine: load, venue and three servers. The ratio is that of the placements per second. Then a standby
 * follows the venue under the same load. Its lag is the time from a reply of the leader to that of the standby which has what the
 * leader's has.
 */
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { endServers, PostgresServer, postgresPrograms } from '../test/postgres/server.ts';
import type { LoadReport } from './http-load.ts';
import { Bench } from './http-processes.ts';
import { median } from './yardstick.ts';

const PAIRS = 5;
const FOLLOWED = 3;
/** Who compare the leader with its standby at once. Each waits for both. */
const SAMPLERS = 4;
const WARM_UP = { connections: 32, requests: 40_000, seconds: 2 };
const LOAD = { connections: 128, requests: 60_000, seconds: 2 };

const perSecond = ({ replies, seconds }: LoadReport) => replies / seconds;
const round = (value: number, digits: number) => Number(value.toFixed(digits));

interface Figures {
  readonly batches: number;
  readonly commands: number;
  readonly venueSeconds: number;
  readonly serverSeconds: number;
  readonly walBytes: number;
}

/**
 * Times from replies of the leader to those of the standby with the same seq, in milliseconds, until `goesOn` says no. A reply
 * counts only if commands came since the one before: the load signs its requests first, and nothing happens meanwhile.
 */
async function lagsMs(leader: string, standby: string, goesOn: () => boolean): Promise<number[]> {
  const path = '/spot/api/v3.3/price?symbol=BTC-USDT';
  const lags: number[] = [];
  for (let before = Number.POSITIVE_INFINITY; goesOn(); ) {
    const seq = Number((await fetch(leader + path)).headers.get('bourse-seq'));
    const sinceMs = performance.now();
    const reply = await fetch(`${standby}${path}&atLeastSeq=${seq}`);
    if (reply.status !== 200) throw new Error(await reply.text());
    if (seq > before) lags.push(performance.now() - sinceMs);
    before = seq;
  }
  return lags;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, dir: { type: 'string' } } });
  if (postgresPrograms() === undefined)
    throw new Error('PostgreSQL is not installed: npm run test:postgres installs it');
  const primary = await PostgresServer.start();
  const standbys = [await primary.standby('a'), await primary.standby('b')];
  primary.set({ synchronous_standby_names: 'ANY 1 (a, b)' });
  primary.reload();
  const address = primary.database('bench');
  const folder = values.dir ?? tmpdir();
  const [file, database] = [await Bench.start(folder, undefined), await Bench.start(folder, undefined, address)];
  const figures = async (): Promise<Figures> => {
    const text = await database.metrics();
    const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    return {
      batches: figure('bourse_batches_total'),
      commands: figure('bourse_commands_total'),
      venueSeconds: (await database.usage()).cpuSeconds,
      serverSeconds: [primary, ...standbys].reduce((sum, server) => sum + server.cpuSeconds(), 0),
      walBytes: Number(primary.sql('bench', 'SELECT pg_current_wal_lsn() - $$0/0$$')),
    };
  };
  try {
    await file.venue(WARM_UP);
    await database.venue(WARM_UP);
    const runs: { file: LoadReport; database: LoadReport; spent: Figures }[] = [];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const first = pair % 2 === 0 ? await file.venue(LOAD) : undefined;
      const before = await figures();
      const measured = await database.load(LOAD);
      const after = await figures();
      await database.archived();
      const spent = Object.fromEntries(
        Object.entries(after).map(([name, value]) => [name, value - before[name as keyof Figures]]),
      ) as unknown as Figures;
      runs.push({ file: first ?? (await file.venue(LOAD)), database: measured, spent });
    }
    const standby = await database.follow(address);
    const followed: LoadReport[] = [];
    const lags: number[] = [];
    for (let run = 0; run < FOLLOWED; run += 1) {
      let loads = true;
      const leader = `http://127.0.0.1:${database.port}`;
      const sampled = Promise.all(Array.from({ length: SAMPLERS }, () => lagsMs(leader, standby, () => loads)));
      followed.push(await database.load(LOAD));
      loads = false;
      lags.push(...(await sampled).flat());
    }
    lags.sort((a, b) => a - b);
    const lag = (share: number) => round(lags[Math.floor(share * (lags.length - 1))], 1);
    const of = (figure: (run: (typeof runs)[number]) => number, digits: number) =>
      round(median(runs.map(figure)), digits);
    const result = {
      connections: LOAD.connections,
      databaseRps: of((run) => perSecond(run.database), 0),
      fileRps: of((run) => perSecond(run.file), 0),
      ratio: of((run) => perSecond(run.database) / perSecond(run.file), 3),
      p50Ms: of((run) => run.database.p50Ms, 3),
      p99Ms: of((run) => run.database.p99Ms, 3),
      commandsPerBatch: of(({ spent }) => spent.commands / spent.batches, 1),
      venueMicrosecondsPerCommand: of(({ spent }) => (1e6 * spent.venueSeconds) / spent.commands, 1),
      serverMicrosecondsPerCommand: of(({ spent }) => (1e6 * spent.serverSeconds) / spent.commands, 1),
      walBytesPerCommand: of(({ spent }) => spent.walBytes / spent.commands, 0),
      followedRps: round(median(followed.map(perSecond)), 0),
      standbyLagP50Ms: lag(0.5),
      standbyLagP99Ms: lag(0.99),
      standbyLags: lags.length,
      cores: availableParallelism(),
      node: process.version,
    };
    if (values.json) console.log(JSON.stringify(result));
    else {
      console.log(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model}`);
      for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(30)} ${value}`);
    }
  } finally {
    await database.stop();
    await file.stop();
    await endServers();
  }
}

await main();
