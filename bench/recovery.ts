/**
 * Recovery: how long a start takes on a log of a million commands, with a snapshot at nine tenths of it and without
 * one; how fast a log is replayed; a start with many resting orders and with a tenth of them; what a snapshot of many
 * orders costs, and how late it makes the venue's thread.
 *
 * usage: node bench/recovery.ts [--json] [--commands N] [--orders N] [--dir FOLDER]
 *   --commands  the length of the log; by default 1,000,000
 *   --orders    resting orders for the cost of a snapshot and of a start; by default 1,000,000
 *
 * Every start is a separate process. Exit code 1 if two ways of starting reach different states.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FolderArchive } from '../src/archive/archive.ts';
import { stateHash } from '../src/engine/replay/log-replayer.ts';
import { writeSnapshot } from '../src/engine/replay/snapshots.ts';
import type { CommandLog } from '../src/log/contract/command-log.ts';
import { RealDisk } from '../src/log/file/disk.ts';
import { FileLog } from '../src/log/file/file-log.ts';
import { encodeCommands } from '../src/log/shared/payload/encode.ts';
import type { Command } from '../src/venue/contract/commands.ts';
import { RULES_VERSION, Venue } from '../src/venue/venue.ts';
import { recoverOn, snapshotFiles, snapshotsOn } from '../test/support/storage.ts';
import { flow } from './flow.ts';
import { threadSeconds } from './thread-seconds.ts';
import { UnsyncedDisk } from './unsynced-disk.ts';
import { accountsOf, command, genesis } from './venue.ts';
import { median, round } from './yardstick.ts';

const RULES = String(RULES_VERSION);
const START_MS = 1_767_225_600_000;
/** The commands of a batch, as at some ten thousand a second. */
const BATCH = 50;
const ROUNDS = 3;

type Run = (commands: readonly Command[]) => Promise<void>;

async function openWriter(disk: RealDisk): Promise<{ log: FileLog; venue: Venue; run: Run }> {
  const log = await FileLog.open(disk, { rulesVersion: RULES });
  const venue = new Venue();
  const run = runOn(log, venue);
  await run([genesis()]);
  return { log, venue, run };
}

/** Logs and applies commands as one batch. */
function runOn(log: CommandLog, venue: Venue): Run {
  return async (commands) => {
    const firstSeq = log.lastSeq + 1;
    await log.append({ firstSeq, timeMs: START_MS, commands: encodeCommands(commands) });
    commands.forEach((one, i) => {
      venue.apply(firstSeq + i, START_MS, one);
    });
  };
}

/** A log of the flow of flow.ts, with a snapshot at nine tenths. */
async function makeLog(folder: string, commands: number): Promise<void> {
  const disk = new UnsyncedDisk(folder);
  const { log, venue, run } = await openWriter(disk);
  const operations = flow(commands - 1);
  const accounts = accountsOf(operations);
  const snapshotAt = Math.floor(commands * 0.9);
  for (let i = 0; i < operations.n; i += BATCH) {
    const count = Math.min(BATCH, operations.n - i);
    await run(Array.from({ length: count }, (_, k) => command(operations, accounts, i + k)));
    if (log.lastSeq >= snapshotAt && snapshotFiles(disk).length === 0) {
      await writeSnapshot(snapshotsOn(disk), RULES, venue, log.position);
    }
  }
  await log.close();
}

interface Started {
  readonly seconds: number;
  /** Of the thread alone, which other work on the machine disturbs less. */
  readonly processorSeconds: number;
  readonly seq: number;
  readonly hash: string;
}

/** In a separate process: what a start does before it listens. */
async function startOn(folder: string): Promise<void> {
  const begun = performance.now();
  const used = threadSeconds();
  const { log, venue } = await recoverOn(new RealDisk(folder), { rulesVersion: RULES });
  const seconds = (performance.now() - begun) / 1000;
  const processorSeconds = threadSeconds() - used;
  await log.close();
  const started: Started = { seconds, processorSeconds, seq: venue.seq, hash: stateHash(venue) };
  process.stdout.write(JSON.stringify(started));
}

function start(folder: string): Started {
  const { stdout, stderr, status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--start', folder], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Started;
}

/** Starts with and without the snapshot, in turn. */
function measureStarts(folder: string) {
  const [snapshot] = snapshotFiles(new RealDisk(folder));
  const aside = join(folder, 'aside');
  const whole: Started[] = [];
  const bounded: Started[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    bounded.push(start(folder));
    renameSync(join(folder, snapshot), aside);
    whole.push(start(folder));
    renameSync(aside, join(folder, snapshot));
  }
  if (new Set([...whole, ...bounded].map(({ hash }) => hash)).size > 1) throw new Error('the states differ');
  const ratio = (of: 'seconds' | 'processorSeconds') =>
    round(median(bounded.map((started, i) => started[of] / whole[i][of])), 3);
  const wholeSeconds = median(whole.map(({ seconds }) => seconds));
  return {
    case: 'start',
    commands: whole[0].seq,
    snapshotMegabytes: round(statSync(join(folder, snapshot)).size / 1e6, 1),
    wholeSeconds: round(wholeSeconds, 2),
    commandsPerSecond: Math.round(whole[0].seq / wholeSeconds),
    boundedSeconds: round(median(bounded.map(({ seconds }) => seconds)), 2),
    ratio: ratio('seconds'),
    processorRatio: ratio('processorSeconds'),
  };
}

/** A log of so many resting orders, with a snapshot at its end. Returns the seconds that this took in its own thread. */
async function makeResting(folder: string, orders: number): Promise<number> {
  const disk = new UnsyncedDisk(folder);
  const { log, venue, run } = await openWriter(disk);
  for (let i = 0; i < orders; i += 1000) {
    const count = Math.min(1000, orders - i);
    await run(Array.from({ length: count }, (_, k) => resting(i + k)));
  }
  const begun = performance.now();
  await writeSnapshot(snapshotsOn(disk), RULES, venue, log.position);
  const seconds = (performance.now() - begun) / 1000;
  await log.close();
  return seconds;
}

const ONE = flow(2);
const LIKE = command(ONE, accountsOf(ONE), 0);

function resting(i: number): Command {
  return { ...LIKE, account: i % 128, side: 0, price: 90_000 - (i % 5000), size: 10 } as Command;
}

/** Starts with few and with many resting orders, in turn. Both are in a snapshot. */
function measureRestingStarts(few: string, many: string) {
  const started: [few: Started, many: Started][] = [];
  for (let round = 0; round < ROUNDS; round++) started.push([start(few), start(many)]);
  const seconds = (side: 0 | 1) => round(median(started.map((pair) => pair[side].seconds)), 2);
  return {
    case: 'resting',
    fewSeconds: seconds(0),
    manySeconds: seconds(1),
    ratio: round(median(started.map(([f, m]) => m.seconds / f.seconds)), 2),
    processorRatio: round(median(started.map(([f, m]) => m.processorSeconds / f.processorSeconds)), 2),
  };
}

/** How late the venue's thread gets at some 10,000 commands/s, alone and while a snapshot is taken beside it. */
async function measureSnapshot(folder: string, ownThreadSeconds: number) {
  const disk = new UnsyncedDisk(folder);
  const bytes = statSync(join(folder, snapshotFiles(disk)[0])).size;
  const { log, venue } = await recoverOn(disk, { rulesVersion: RULES });
  const run = runOn(log, venue);
  const { orders } = venue.counts();
  const archive = new FolderArchive({ folder, seq: venue.seq, onNotice: () => {} });
  const caughtUp = async () => {
    while (archive.seq < venue.seq) {
      if (archive.problem !== undefined) throw new Error(archive.problem);
      await delay(100);
    }
  };
  let placed = orders;
  const lateWhile = async (ends: () => boolean) => {
    const late = monitorEventLoopDelay({ resolution: 1 });
    late.enable();
    while (!ends()) {
      await run(Array.from({ length: BATCH }, () => resting(placed++)));
      archive.applied(venue.seq);
      await delay(5);
    }
    late.disable();
    return round(late.percentile(99.9) / 1e6, 1);
  };
  await caughtUp();
  const asked = performance.now();
  let isTaken = false;
  const taken = archive.snapshot().then(() => {
    isTaken = true;
  });
  const lateBeside = await lateWhile(() => isTaken);
  await taken;
  const besideSeconds = (performance.now() - asked) / 1000;
  await caughtUp();
  const until = performance.now() + besideSeconds * 1000;
  const lateAlone = await lateWhile(() => performance.now() > until);
  await archive.close();
  await log.close();
  return {
    case: 'snapshot',
    orders,
    megabytes: round(bytes / 1e6, 1),
    ownThreadSeconds: round(ownThreadSeconds, 2),
    besideSeconds: round(besideSeconds, 2),
    lateMs: { alone: lateAlone, beside: lateBeside },
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean' },
      commands: { type: 'string', default: '1000000' },
      orders: { type: 'string', default: '1000000' },
      dir: { type: 'string', default: tmpdir() },
      start: { type: 'string' },
    },
  });
  if (values.start !== undefined) return startOn(values.start);
  const folder = () => mkdtempSync(join(values.dir, 'bourse-recovery-'));
  const folders = [folder(), folder(), folder()];
  try {
    await makeLog(folders[0], Number(values.commands));
    const starts = measureStarts(folders[0]);
    const most = Number(values.orders);
    await makeResting(folders[1], Math.ceil(most / 10));
    const ownThreadSeconds = await makeResting(folders[2], most);
    const restingStarts = measureRestingStarts(folders[1], folders[2]);
    const snapshot = await measureSnapshot(folders[2], ownThreadSeconds);
    if (values.json) {
      for (const result of [starts, restingStarts, snapshot]) console.log(JSON.stringify(result));
      return;
    }
    const { wholeSeconds, boundedSeconds, ratio, processorRatio, commandsPerSecond, snapshotMegabytes } = starts;
    console.log(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model}`);
    console.log(`${starts.commands} commands: the whole log ${wholeSeconds} s (${commandsPerSecond} commands/s),`);
    console.log(`from a snapshot at nine tenths (${snapshotMegabytes} MB) ${boundedSeconds} s; ratio ${ratio},`);
    console.log(`of the processor time of its thread ${processorRatio}`);
    const { orders, megabytes, besideSeconds, lateMs } = snapshot;
    console.log(`a start with ${orders} resting orders ${restingStarts.manySeconds} s, with a tenth of them`);
    console.log(
      `${restingStarts.fewSeconds} s: ${restingStarts.ratio} times as long (processor time ${restingStarts.processorRatio})`,
    );
    console.log(
      `a snapshot of them, ${megabytes} MB: ${snapshot.ownThreadSeconds} s in the venue's own thread, ${besideSeconds} s`,
    );
    console.log(
      `beside it, when 99.9 % of its turns were at most ${lateMs.beside} ms late; without it ${lateMs.alone} ms`,
    );
  } finally {
    for (const made of folders) rmSync(made, { recursive: true });
  }
}

await main();
