/**
 * A venue under load for a long time (soak-load.ts): whether its memory and its latencies grow, and how many bytes of log
 * and archive a command takes. The venue is `bourse start` with a log on the disk.
 *
 * The time has fifteen slices, of a minute by default.
 *
 * - The heap after a forced collection at the end of slice 15 is at most a tenth over that of slice 3.
 * - The median of the p99 of slices 13 to 15 is at most 1.5 times that of slices 3 to 5.
 * - The archive takes at most 200 bytes a command.
 *
 * usage: node bench/soak.ts [--json] [--minutes N] [--clients N] [--client-ids] [--dir FOLDER]
 *   --minutes     the whole time; 15 by default
 *   --client-ids  every order has a client id
 *
 * Exit code 1 if one of the limits is not kept. The limit of the archive is for orders without client ids only.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ControlClient } from '../src/client/control.ts';
import { traders } from './http-traffic.ts';
import type { SoakSlice } from './soak-load.ts';
import { median } from './yardstick.ts';

const SLICES = 15;
const MINUTE_MS = 60_000;
const [EARLY, LATE] = [3, 15];
/** Slices whose p99 count. */
const EARLY_SLICES = [3, 4, 5];
const LATE_SLICES = [13, 14, 15];
const MOST = { heap: 1.1, p99: 1.5, archiveBytes: 200 };
const POLL_MS = 200;
const CONTROL_TOKEN = 'token-of-the-benchmark';
const CONFIGURATION = {
  maxQueueMs: 'off',
  refusedCommands: 'off',
  selfTrade: 'cancelResting',
  markets: [{ symbol: 'BTC-USDT', maxOpenOrders: 100_000 }],
  accounts: traders.map(({ name, key, secret }) => ({
    name,
    balances: { USDT: '100000000', BTC: '10000' },
    keys: [{ key, secret, permissions: ['read', 'trading'] }],
  })),
};

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

interface Venue {
  readonly child: ChildProcess;
  readonly port: number;
  /** Of the control surface. */
  readonly url: string;
}

async function startVenue(folder: string, data: string): Promise<Venue> {
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify(CONFIGURATION));
  const node = ['--expose-gc', '--import', pathOf('soak-heap.ts')];
  const bourse = [pathOf('../bin/bourse.js'), 'start', '--config', config, '--data', data];
  const own = ['--master-key-file', join(folder, 'master.key'), '--port', '0', '--control-port', '0'];
  const child = spawn(process.execPath, [...node, ...bourse, ...own], {
    env: { ...process.env, BOURSE_CONTROL_TOKEN: CONTROL_TOKEN },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const { value } = await createInterface({ input: child.stdout! })[Symbol.asyncIterator]().next();
  if (value === undefined) throw new Error('the venue does not start');
  const { http, control } = JSON.parse(value as string) as { http: string; control: string };
  return { child, port: Number(new URL(http).port), url: control };
}

/** Bytes that are left after a collection. */
async function heapOf({ child }: Venue): Promise<number> {
  child.send({});
  const [bytes] = (await once(child, 'message')) as [number];
  return bytes;
}

/** After a clean stop: the bytes of the log, and of the archive. */
function sizesOf(data: string): { log: number; archive: number } {
  const bytes = (is: (name: string) => boolean) =>
    readdirSync(data)
      .filter(is)
      .reduce((sum, name) => sum + statSync(join(data, name)).size, 0);
  return { log: bytes((name) => name.endsWith('.log')), archive: bytes((name) => name.startsWith('archive.db')) };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean' },
      minutes: { type: 'string', default: '15' },
      clients: { type: 'string', default: '64' },
      'client-ids': { type: 'boolean', default: false },
      dir: { type: 'string', default: tmpdir() },
    },
  });
  const say = (text: string) => (values.json ? undefined : console.log(text));
  const sliceMs = (Number(values.minutes) * MINUTE_MS) / SLICES;
  const folder = mkdtempSync(join(values.dir, 'bourse-soak-'));
  const data = join(folder, 'data');
  const load = fork(pathOf('soak-load.ts'));
  let venue: Venue | undefined;
  try {
    say(
      `Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model}, load ${loadavg()[0].toFixed(1)}`,
    );
    venue = await startVenue(folder, data);
    // Triggers need a price.
    await new ControlClient({ url: venue.url, token: CONTROL_TOKEN }).setPrices('BTC-USDT', { last: 50_000 });
    const before = await seqOf(venue);
    const slices: SoakSlice[] = [];
    const heaps = new Map<number, number>();
    load.send({
      port: venue.port,
      clients: Number(values.clients),
      slices: SLICES,
      sliceMs,
      clientIds: values['client-ids'],
    });
    const endsEarly = Promise.race([ended(load), ended(venue.child)]);
    endsEarly.catch(() => {}); // They end at the end of the run, too.
    say('slice  requests/s  refused  p50 ms  p99 ms  heap MB');
    for (let slice = 1; slice <= SLICES; slice += 1) {
      const [report] = (await Promise.race([once(load, 'message'), endsEarly])) as [SoakSlice & { error?: string }];
      if (report.error !== undefined) throw new Error(report.error);
      slices.push(report);
      if (slice === EARLY || slice === LATE) heaps.set(slice, await heapOf(venue));
      const heap = heaps.has(slice) ? (heaps.get(slice)! / 1e6).toFixed(1) : '';
      const { requests, refused, p50Ms, p99Ms } = report;
      const figures = [requests / (sliceMs / 1000), refused, p50Ms, p99Ms].map((value, i) =>
        value.toFixed(i < 2 ? 0 : 1),
      );
      say(
        `${String(slice).padStart(5)}  ${figures.map((text, i) => text.padStart([10, 7, 6, 6][i])).join('  ')}  ${heap}`,
      );
    }
    say('the archive follows to the end of the load');
    const commands = (await seqOf(venue)) - before;
    await stop(venue.child);
    const p99 = (of: number[]) => median(of.map((slice) => slices[slice - 1].p99Ms));
    const sizes = sizesOf(data);
    const result = {
      minutes: Number(values.minutes),
      clientIds: values['client-ids'],
      commands,
      heap: heaps.get(LATE)! / heaps.get(EARLY)!,
      p99: p99(LATE_SLICES) / p99(EARLY_SLICES),
      logBytes: sizes.log / commands,
      archiveBytes: sizes.archive / commands,
    };
    if (values.json) console.log(JSON.stringify(result));
    say(`${commands} commands${values['client-ids'] ? ' with client ids' : ''}`);
    say(`heap, slice 15 to slice 3: ${result.heap.toFixed(2)} (at most ${MOST.heap})`);
    say(`p99, slices 13 to 15 to slices 3 to 5: ${result.p99.toFixed(2)} (at most ${MOST.p99})`);
    say(`a command: ${result.logBytes.toFixed(0)} bytes of log, ${result.archiveBytes.toFixed(0)} of archive`);
    const isKept = result.heap <= MOST.heap && result.p99 <= MOST.p99;
    const isSmall = values['client-ids'] || result.archiveBytes <= MOST.archiveBytes;
    if (!isKept || !isSmall) process.exitCode = 1;
  } finally {
    for (const child of [load, venue?.child]) if (child !== undefined) await stop(child);
    rmSync(folder, { recursive: true });
  }
}

/** The last command, once the archive has it. */
async function seqOf({ url }: Venue): Promise<number> {
  const headers = { authorization: `Bearer ${CONTROL_TOKEN}` };
  for (;;) {
    const text = await (await fetch(`${url}/control/v1/metrics`, { headers })).text();
    const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    if (figure('bourse_archive_lag_commands') === 0) return figure('bourse_sequence');
    await delay(POLL_MS);
  }
}

async function ended(child: ChildProcess): Promise<never> {
  await once(child, 'exit');
  throw new Error(`${child.spawnargs[1]} ended`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

await main();
