/**
 * What listeners of the streams cost, and how long they wait: durable signed placements over 128 connections with 0, 100
 * and 1,000 listeners of their market, each with four topics (stream-listeners.ts). Venue, load and listeners each have a
 * process. From durable to sent is the metric bourse_stream_seconds of the venue (docs/streams.md).
 *
 * usage: node bench/streams.ts [--json] [--rounds 5] [--dir FOLDER] [--profile FOLDER]
 *   --rounds   how often each number of listeners is measured; the figures are medians
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
import { quantile, readHistogram } from './histogram.ts';
import type { LoadReport } from './http-load.ts';
import { Bench } from './http-processes.ts';
import type { ListenReport } from './stream-listeners.ts';
import { median } from './yardstick.ts';

const LISTENERS = [0, 100, 1000];
const LOAD = { connections: 128, requests: 60_000, seconds: 2 };
const WARM_UP = { connections: 32, requests: 40_000, seconds: 2 };
const MOST_LOST = 0.2;
const KINDS = ['book', 'trades', 'account'] as const;
type Kind = (typeof KINDS)[number];

/** From durable to sent, in milliseconds. Null: nothing was sent. */
interface Sent {
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

interface Round {
  readonly load: LoadReport;
  readonly listening: ListenReport;
  /** Of the venue's memory, per connection. */
  readonly kilobytes: number;
  /** Of the venue's process, the archive's thread included, for each order. */
  readonly cpuMicros: number;
  readonly sent: Readonly<Record<Kind, Sent>>;
}

const round = (value: number, digits: number) => Number(value.toFixed(digits));

async function answer<T>(child: ChildProcess, message: object | string): Promise<T> {
  child.send(message);
  const [reply] = (await once(child, 'message')) as [T | { error: string }];
  if (typeof reply === 'object' && reply !== null && 'error' in reply) throw new Error(reply.error);
  return reply as T;
}

async function measure(bench: Bench, listeners: ChildProcess, connections: number): Promise<Round> {
  const { bytes } = await bench.usage();
  await answer(listeners, { port: bench.port, connections });
  const kilobytes = connections === 0 ? 0 : ((await bench.usage()).bytes - bytes) / 1024 / connections;
  const { cpuSeconds } = await bench.usage();
  const before = await sentSoFar(bench);
  const load = await bench.load(LOAD);
  const after = await sentSoFar(bench);
  const cpuMicros = (((await bench.usage()).cpuSeconds - cpuSeconds) * 1e6) / load.replies;
  const listening = await answer<ListenReport>(listeners, 'stop');
  await bench.archived();
  const milliseconds = (kind: Kind, share: number) => {
    const seconds = quantile(before, after, kind, share);
    return seconds === null ? null : seconds * 1000;
  };
  const sentOf = (kind: Kind): Sent => ({ p50Ms: milliseconds(kind, 0.5), p99Ms: milliseconds(kind, 0.99) });
  const sent = { book: sentOf('book'), trades: sentOf('trades'), account: sentOf('account') };
  return { load, listening, kilobytes, cpuMicros, sent };
}

async function sentSoFar(bench: Bench) {
  return readHistogram(await bench.metrics(), 'bourse_stream_seconds');
}

/** The median of the rounds in which it is there. */
function medianMs(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : round(median(known), 1);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean' },
      rounds: { type: 'string', default: '5' },
      dir: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  const say = (text: string) => (values.json ? undefined : console.log(text));
  const bench = await Bench.start(values.dir ?? tmpdir(), values.profile);
  const listeners = fork(fileURLToPath(new URL('./stream-listeners.ts', import.meta.url)));
  try {
    say(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model}`);
    await bench.venue(WARM_UP);
    const rounds = new Map<number, Round[]>(LISTENERS.map((count) => [count, []]));
    for (let i = 0; i < Number(values.rounds); i++) {
      for (const count of i % 2 === 0 ? LISTENERS : LISTENERS.toReversed()) {
        rounds.get(count)?.push(await measure(bench, listeners, count));
      }
    }
    say(
      'listeners  orders/s   lost  CPU µs/order  p50 ms  p99 ms  MB/s sent  ' +
        'book p50/p99 ms  trades p50/p99  account p50/p99  trade age p50/p99  KB/connection',
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
        sent: Object.fromEntries(
          KINDS.map((kind) => [
            kind,
            {
              p50Ms: medianMs(own.map(({ sent }) => sent[kind].p50Ms)),
              p99Ms: medianMs(own.map(({ sent }) => sent[kind].p99Ms)),
            },
          ]),
        ) as Record<Kind, Sent>,
        kilobytesPerConnection: round(median(own.map(({ kilobytes }) => kilobytes)), 1),
        meetsBar: count !== 100 || lost <= MOST_LOST,
      };
      if (values.json) console.log(JSON.stringify(result));
      else {
        const pair = ({ p50Ms, p99Ms }: Sent) => (p50Ms === null ? '' : `${p50Ms} / ${p99Ms}`);
        const cells = [
          String(result.listeners).padStart(9),
          String(result.ordersPerSecond).padStart(10),
          `${round(result.lost * 100, 1)} %`.padStart(8),
          result.cpuMicrosPerOrder.toFixed(1).padStart(13),
          result.p50Ms.toFixed(1).padStart(8),
          result.p99Ms.toFixed(1).padStart(8),
          result.sentMBPerSecond.toFixed(1).padStart(11),
          pair(result.sent.book).padStart(17),
          pair(result.sent.trades).padStart(16),
          pair(result.sent.account).padStart(17),
          `${result.tradeP50Ms} / ${result.tradeP99Ms}`.padStart(19),
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
