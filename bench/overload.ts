/**
 * A venue under overload: placements are sent at 0.5, 1, 2 and 4 times its capacity, whatever the replies are, over 256
 * connections with at most 16 requests in flight each. The capacity is measured in the same run, with 128 connections
 * that each wait for their reply. A command takes 100 µs longer than in production (overload-venue.ts).
 *
 * usage: node bench/overload.ts [--json] [--dir FOLDER] [--runs N]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { OverloadOrder, OverloadReport } from './overload-load.ts';
import type { VenueUsage } from './overload-venue.ts';
import { median } from './yardstick.ts';

const TIMES = [0.5, 1, 2, 4];
const RUNS = 5;
const SECONDS = 3;
const CONNECTIONS = 256;
const IN_FLIGHT = 16;
const CAPACITY = { connections: 128, inFlight: 1, perSecond: null, seconds: SECONDS, requests: 60_000 };

interface Row extends OverloadReport {
  readonly times: number;
  readonly rssMb: number;
  /** The share of a core that the venue's process used meanwhile. */
  readonly venueCores: number;
}

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const { values: flags } = parseArgs({
  options: { json: { type: 'boolean' }, dir: { type: 'string' }, runs: { type: 'string' } },
});

/** Sends a message, and resolves with its answer. Rejects if the process ends instead. */
async function ask<T>(child: ChildProcess, message?: object): Promise<T> {
  if (message !== undefined) child.send(message);
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${child.spawnargs[1]} ended`)));
  ended.catch(() => {}); // It also ends at the end of the run.
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as [T & { error?: string }];
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}

/** The rows of one run, on a new venue in a new folder. */
async function run(parent: string): Promise<{ capacity: number; rows: Row[] }> {
  const folder = mkdtempSync(join(parent, 'bourse-overload-'));
  const venue = fork(pathOf('overload-venue.ts'), [join(folder, 'data')]);
  const load = fork(pathOf('overload-load.ts'));
  try {
    const port = await ask<number>(venue);
    const send = (order: Omit<OverloadOrder, 'port'>) => ask<OverloadReport>(load, { ...order, port });
    await send(CAPACITY); // A warm-up, until the code is compiled.
    const { accepted, seconds } = await send(CAPACITY);
    const capacity = accepted.count / seconds;
    const rows: Row[] = [];
    for (const times of TIMES) {
      const perSecond = capacity * times;
      const requests = Math.ceil(perSecond * SECONDS);
      const before = await ask<VenueUsage>(venue, {});
      const report = await send({
        connections: CONNECTIONS,
        inFlight: IN_FLIGHT,
        perSecond,
        seconds: SECONDS,
        requests,
      });
      const { rssBytes, cpuSeconds } = await ask<VenueUsage>(venue, {});
      const venueCores = (cpuSeconds - before.cpuSeconds) / report.seconds;
      rows.push({ ...report, times, rssMb: rssBytes / 1e6, venueCores });
    }
    return { capacity, rows };
  } finally {
    for (const child of [venue, load]) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    rmSync(folder, { recursive: true });
  }
}

async function main(): Promise<void> {
  const say = (text: string) => (flags.json ? undefined : console.log(text));
  say(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model}, load ${loadavg()[0].toFixed(1)}`);
  const runs: Awaited<ReturnType<typeof run>>[] = [];
  for (let i = 0; i < Number(flags.runs ?? RUNS); i += 1) runs.push(await run(flags.dir ?? tmpdir()));
  say(`capacity ${median(runs.map(({ capacity }) => capacity)).toFixed(0)}/s, medians of ${runs.length} runs`);
  say(
    'times  offered/s  held back  accepted/s  refused/s  p50 ms  p99 ms  503 p99 ms  memory MB  p99 to that at 1  venue cores  load cores',
  );
  TIMES.forEach((times, i) => {
    const of = (figure: (row: Row) => number) => median(runs.map(({ rows }) => figure(rows[i])));
    const one = TIMES.indexOf(1);
    const row = {
      times,
      offered: of(({ offered, seconds }) => offered / seconds),
      heldBack: of(({ heldBack, seconds }) => heldBack / seconds),
      accepted: of(({ accepted, seconds }) => accepted.count / seconds),
      refused: of(({ refused, seconds }) => refused.count / seconds),
      p50Ms: of(({ accepted }) => accepted.p50Ms),
      p99Ms: of(({ accepted }) => accepted.p99Ms),
      refusedP99Ms: of(({ refused }) => refused.p99Ms),
      rssMb: of(({ rssMb }) => rssMb),
      ratio: median(runs.map(({ rows }) => rows[i].accepted.p99Ms / rows[one].accepted.p99Ms)),
      venueCores: of(({ venueCores }) => venueCores),
      loadCores: of(({ cpuSeconds, seconds }) => cpuSeconds / seconds),
    };
    if (flags.json) {
      console.log(JSON.stringify(row));
      return;
    }
    const widths = [5, 11, 11, 12, 11, 8, 8, 12, 11, 18, 13, 12];
    const digits = [1, 0, 0, 0, 0, 1, 1, 1, 0, 2, 2, 2];
    say(
      Object.values(row)
        .map((value, column) => value.toFixed(digits[column]).padStart(widths[column]))
        .join(''),
    );
  });
}

await main();
