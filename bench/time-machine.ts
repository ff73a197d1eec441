/**
 * The time machine: how long states at random seqs of a long log take, and what looking at the past costs placements.
 *
 * - `states`: the survey of a log of a million commands, then 50 states at random seqs, each with its hash and the book. The
 *   bar is a median of 1 s on an idle machine. The processor time is about the same on a busy one. Some hashes are compared
 *   with those of a replay of the log from its beginning.
 * - `placements`: signed placements over HTTP (as in http.ts), in turn without a question about the past and with one after the
 *   other. The bar is 1.5 times the p99.
 *
 * usage: node bench/time-machine.ts [--json] [--commands N] [--dir FOLDER]
 *   --commands  the length of the log; by default 1,000,000
 *   --dir       the folder of the logs; by default the system's folder for temporary files
 *
 * Exit code 1 if a hash is another one than the replay's.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LogReplayer, stateHash } from '../src/engine/replay/log-replayer.ts';
import { FileLog } from '../src/log/file/file-log.ts';
import { folderStorage } from '../src/log/open.ts';
import { encodeCommands } from '../src/log/shared/payload/encode.ts';
import { RemoteTimeMachine } from '../src/time-machine/remote.ts';
import type { Question } from '../src/time-machine/time-machine.ts';
import { RULES_VERSION, Venue } from '../src/venue/venue.ts';
import { flow } from './flow.ts';
import { Bench } from './http-processes.ts';
import { UnsyncedDisk } from './unsynced-disk.ts';
import { accountsOf, command, genesis } from './venue.ts';
import { median, round } from './yardstick.ts';

const RULES = String(RULES_VERSION);
const START_MS = 1_767_225_600_000;
/** The commands of a batch, and the venue time between two batches. */
const BATCH = 50;
const BATCH_MS = 5;
const STATES = 50;
/** How many of them are compared with a replay. */
const COMPARED = 5;
const PAIRS = 7;
const LOAD = { connections: 32, requests: 60_000, seconds: 3 };
const KEPT = new AbortController().signal;

/** The flow of flow.ts. */
async function makeLog(folder: string, commands: number): Promise<void> {
  const log = await FileLog.open(new UnsyncedDisk(folder), { rulesVersion: RULES });
  const operations = flow(commands - 1);
  const accounts = accountsOf(operations);
  const append = (batch: Parameters<typeof encodeCommands>[0]) => {
    const firstSeq = log.lastSeq + 1;
    return log.append({ firstSeq, timeMs: START_MS + firstSeq * BATCH_MS, commands: encodeCommands(batch) });
  };
  await append([genesis()]);
  for (let i = 0; i < operations.n; i += BATCH) {
    const count = Math.min(BATCH, operations.n - i);
    await append(Array.from({ length: count }, (_, k) => command(operations, accounts, i + k)));
  }
  await log.close();
}

/** The same seqs in each run. */
function randomSeqs(commands: number): number[] {
  let state = 12_345;
  return Array.from({ length: STATES }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return 2 + (state % (commands - 1));
  });
}

async function replayedHash(folder: string, seq: number): Promise<string> {
  const replayer = new LogReplayer(new Venue(), { lastSeq: seq });
  for await (const entry of folderStorage(folder).source.read()) {
    if (entry.firstSeq > seq) break;
    replayer.take(entry);
  }
  replayer.finish();
  return stateHash(replayer.venue);
}

async function measureStates(folder: string, commands: number) {
  const machine = new RemoteTimeMachine({
    folder,
    identity: { rules: RULES },
    onNotice: (text) => console.error(text),
  });
  const ask = async (question: Question) => {
    const [begunMs, used] = [performance.now(), process.cpuUsage()];
    const answer = (await machine.ask(question, KEPT)) as { hash: string; knownTo: number };
    const { user, system } = process.cpuUsage(used);
    return { ...answer, seconds: (performance.now() - begunMs) / 1000, processorSeconds: (user + system) / 1e6 };
  };
  const endSeq = commands;
  const show = { show: 'book', account: null, symbol: 'BTC-USDT', limit: 50 } as const;
  const seqs = randomSeqs(commands);
  const first = await ask({ type: 'at', endSeq, seq: seqs[0], ...show });
  const summary = { type: 'summary', endSeq, from: null, to: null, buckets: 120, account: null } as const;
  const begunMs = performance.now();
  while ((await ask(summary)).knownTo < commands);
  const surveySeconds = first.seconds + (performance.now() - begunMs) / 1000;
  const summarySeconds = (await ask(summary)).seconds;
  const seconds: number[] = [];
  const processorSeconds: number[] = [];
  for (const [i, seq] of seqs.entries()) {
    const found = await ask({ type: 'at', endSeq, seq, ...show });
    seconds.push(found.seconds);
    processorSeconds.push(found.processorSeconds);
    if (i < COMPARED && found.hash !== (await replayedHash(folder, seq))) throw new Error(`seq ${seq}: another hash`);
  }
  await machine.close();
  return {
    case: 'states',
    commands,
    firstSeconds: round(first.seconds, 2),
    surveySeconds: round(surveySeconds, 1),
    summarySeconds: round(summarySeconds, 3),
    medianSeconds: round(median(seconds), 3),
    medianProcessorSeconds: round(median(processorSeconds), 3),
    mostSeconds: round(Math.max(...seconds), 3),
  };
}

/** Asks one question after the other until it is stopped. Returns what stops it, and then how many were answered. */
function looking(bench: Bench): () => Promise<number> {
  let stopped = false;
  let answered = 0;
  const look = async () => {
    const { seq: end } = (await bench.read('/state')) as { seq: number };
    for (let i = 1; !stopped; i += 1) {
      await bench.read(`/at/${1 + ((i * 7919) % end)}?show=book&symbol=BTC-USDT`);
      answered += 1;
    }
  };
  const looks = look();
  return async () => {
    stopped = true;
    await looks;
    return answered;
  };
}

async function measurePlacements(parent: string) {
  const bench = await Bench.start(parent, undefined);
  try {
    await bench.venue(LOAD);
    await looking(bench)();
    const ratios: number[] = [];
    const p99: { without: number[]; with: number[] } = { without: [], with: [] };
    let states = 0;
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const without = async () => (await bench.venue(LOAD)).p99Ms;
      const during = async () => {
        const stop = looking(bench);
        const { p99Ms } = await bench.load(LOAD);
        states += await stop();
        await bench.archived();
        return p99Ms;
      };
      const [a, b] = pair % 2 === 0 ? [await without(), await during()] : [await during(), await without()].reverse();
      p99.without.push(a);
      p99.with.push(b);
      ratios.push(b / a);
    }
    return {
      case: 'placements',
      connections: LOAD.connections,
      p99Ms: round(median(p99.without), 2),
      p99LookingMs: round(median(p99.with), 2),
      ratio: round(median(ratios), 2),
      statesLooked: states,
    };
  } finally {
    await bench.stop();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { json: { type: 'boolean' }, commands: { type: 'string', default: '1000000' }, dir: { type: 'string' } },
  });
  const say = (result: object) => console.log(values.json ? JSON.stringify(result) : JSON.stringify(result, null, 2));
  const parent = values.dir ?? tmpdir();
  if (!values.json) console.log(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model}`);
  const folder = mkdtempSync(join(parent, 'bourse-past-'));
  try {
    await makeLog(folder, Number(values.commands));
    say(await measureStates(folder, Number(values.commands)));
  } finally {
    rmSync(folder, { recursive: true });
  }
  say(await measurePlacements(parent));
}

await main();
