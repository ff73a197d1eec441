/**
 * What listeners of the streams cost: durable signed placements over 128 connections with 0, 100 and 1,000 listeners of
 * their market, each with four topics (stream-listeners.ts). Venue, load and listeners each have a process.
 *
 * usage: node bench/streams.ts [--json] [--dir FOLDER] [--profile FOLDER]
 *   --dir      the folder of the log; by default the system's folder for temporary files
 *   --profile  the folder for a CPU profile of the venue
 *
 * The bar: at 100 listeners at most a fifth of the throughput is lost. On a machine with few cores the listeners take their
 * share of it too.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { LoadReport } from './http-load.ts';
import { Bench } from './http-processes.ts';
import type { ListenReport } from './stream-listeners.ts';
import { median } from './yardstick.ts';

const ROUNDS = 5;
const LISTENERS = [0, 100, 1000];
const LOAD = { connections: 128, requests: 60_000, seconds: 2 };
const WARM_UP = { connections: 32, requests: 40_000, seconds: 2 };
const MOST_LOST = 0.2;

interface Round {
  readonly load: LoadReport;
  readonly listening: ListenReport;
  /** Of the venue's memory, per connection. */
  readonly kilobytes: number;
  /** Of the venue's process, the archive's thread included, for each order. */
  readonly cpuMicros: number;
}

const round = (value: number, digits: number) => Number(value.toFixed(digits));

async function answer<T>(child: ChildProcess, message: object | string): Promise<T> {
  child.send(message);
  const [reply] = (await once(child, 'message')) as [T | { error: string }];
  if (typeof reply === 'object' && reply !== null && 'error' in reply) throw new Error(reply.error);
  return reply as T;
}

async function measure(bench: Bench, listeners: ChildProcess, connections: number): Promise<Round> {
  const before = (await bench.usage()).bytes;
  await answer(listeners, { port: bench.port, connections });
  const kilobytes = connections === 0 ? 0 : ((await bench.usage()).bytes - before) / 1024 / connections;
  const { cpuSeconds } = await bench.usage();
  const load = await bench.load(LOAD);
  const cpuMicros = (((await bench.usage()).cpuSeconds - cpuSeconds) * 1e6) / load.replies;
  const listening = await answer<ListenReport>(listeners, 'stop');
  await bench.archived();
  return { load, listening, kilobytes, cpuMicros };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { json: { type: 'boolean' }, dir: { type: 'string' }, profile: { type: 'string' } },
  });
  const say = (text: string) => (values.json ? undefined : console.log(text));
  const bench = await Bench.start(values.dir ?? tmpdir(), values.profile);
  const listeners = fork(fileURLToPath(new URL('./stream-listeners.ts', import.meta.url)));
  try {
    say(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model}`);
    await bench.venue(WARM_UP);
    const rounds = new Map<number, Round[]>(LISTENERS.map((count) => [count, []]));
    for (let i = 0; i < ROUNDS; i++) {
      for (const count of i % 2 === 0 ? LISTENERS : LISTENERS.toReversed()) {
        rounds.get(count)?.push(await measure(bench, listeners, count));
      }
    }
    say(
      'listeners  orders/s   lost  CPU µs/order   p50 ms   p99 ms  MB/s sent  trade p50 ms  trade p99 ms  KB/connection',
    );
    const perSecond = ({ load: { replies, seconds } }: Round) => replies / seconds;
    for (const count of LISTENERS) {
      const own = rounds.get(count) as Round[];
      const base = rounds.get(0) as Round[];
      const lost = 1 - median(own.map((one, i) => perSecond(one) / perSecond(base[i])));
      const result = {
        listeners: count,
        ordersPerSecond: round(median(own.map(perSecond)), 0),
        lost: round(lost, 3),
        cpuMicrosPerOrder: round(median(own.map(({ cpuMicros }) => cpuMicros)), 1),
        p50Ms: round(median(own.map(({ load }) => load.p50Ms)), 2),
        p99Ms: round(median(own.map(({ load }) => load.p99Ms)), 2),
        sentMBPerSecond: round(median(own.map(({ listening, load }) => listening.bytes / 1e6 / load.seconds)), 1),
        tradeP50Ms: median(own.map(({ listening }) => listening.p50Ms)),
        tradeP99Ms: median(own.map(({ listening }) => listening.p99Ms)),
        kilobytesPerConnection: round(median(own.map(({ kilobytes }) => kilobytes)), 1),
        meetsBar: count !== 100 || lost <= MOST_LOST,
      };
      if (values.json) console.log(JSON.stringify(result));
      else {
        const cells = [
          String(result.listeners).padStart(9),
          String(result.ordersPerSecond).padStart(10),
          `${round(result.lost * 100, 1)} %`.padStart(7),
          result.cpuMicrosPerOrder.toFixed(1).padStart(14),
          result.p50Ms.toFixed(2).padStart(9),
          result.p99Ms.toFixed(2).padStart(9),
          result.sentMBPerSecond.toFixed(1).padStart(11),
          String(result.tradeP50Ms).padStart(14),
          String(result.tradeP99Ms).padStart(14),
          result.kilobytesPerConnection.toFixed(1).padStart(15),
        ];
        say(cells.join(''));
      }
    }
  } finally {
    listeners.kill();
    await bench.stop();
  }
}

await main();
