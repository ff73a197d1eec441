/**
 * The log as it is read: frames, chain and commands, in batches of 32 and of 128, against the same commands in the format
 * of JSON that older logs have, and against the hash alone, over the same bytes. Then a whole replay, against the venue
 * that gets the same commands without a log (venue.ts). All in one process, in turn, in processor time of its thread.
 *
 * The commands are those of flow.ts, signed by 128 accounts with a key each. The log is in files, which the system has in
 * its cache, and nothing of it is synced.
 *
 * usage: node bench/log.ts [--json] [--commands N] [--dir FOLDER]
 *   --commands  the commands that are read; by default 400,000. A replay has a million
 *
 * Exit code 1 if what is read is not what was written, or the replay ends in another state.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LogReplayer, stateHash } from '../src/engine/replay/log-replayer.ts';
import { RealDisk } from '../src/log/file/disk.ts';
import { FileLog } from '../src/log/file/file-log.ts';
import { FileSource } from '../src/log/file/file-source.ts';
import { readEntries } from '../src/log/file/read-log.ts';
import { decodeFrame, encodeFrame, frameLength, jsonPayload, NO_HASH } from '../src/log/shared/frame.ts';
import { encodeCommands } from '../src/log/shared/payload/encode.ts';
import { segmentName } from '../src/log/shared/segments.ts';
import type { Command, Genesis } from '../src/venue/contract/commands.ts';
import { RULES_VERSION, Venue } from '../src/venue/venue.ts';
import { FLOW_MESSAGES, type Flow, flow } from './flow.ts';
import { threadSeconds } from './thread-seconds.ts';
import { UnsyncedDisk } from './unsynced-disk.ts';
import { accountsOf, command, genesis, runVenue } from './venue.ts';
import { median, round } from './yardstick.ts';

const RULES = String(RULES_VERSION);
const START_MS = 1_767_225_600_000;
const COMMANDS_PER_MS = 100;
const PAIRS = 5;
const REPLAYS = 7;
const REPLAY_BATCH = 32;

/** Row i of the flow, signed. A request reaches the venue up to 20 ms after its client took the nonce. */
function signed(operations: Flow, accounts: Int32Array, i: number): Command {
  const key = hash('sha256', `key of account ${accounts[i]}`, 'hex');
  const nonceMs = START_MS + Math.floor(i / COMMANDS_PER_MS) * 20 + ((i * 7) % 20);
  return { ...command(operations, accounts, i), signed: { key, nonceMs } };
}

interface Written {
  readonly commands: number;
  /** The size of what the payloads hold, without header, trailer and the spaces up to the end of a sector. */
  readonly payloadBytes: number;
  readonly hash: string;
}

/** Writes a log as an engine does, each batch with the digest of the effects before it. */
async function writeLog(folder: string, commands: number, batch: number): Promise<Written> {
  const venue = new Venue();
  venue.beginEffects();
  const log = await FileLog.open(new UnsyncedDisk(folder), {
    rulesVersion: RULES,
    state: () => ({ effects: venue.effects, anew: true }),
  });
  let payloadBytes = 0;
  const run = async (timeMs: number, all: readonly Command[]): Promise<void> => {
    const firstSeq = log.lastSeq + 1;
    const encoded = encodeCommands(all);
    if (firstSeq > 1) payloadBytes += encoded.bytes.length;
    await log.append({ firstSeq, timeMs, commands: encoded, effects: venue.effects });
    for (const [i, one] of all.entries()) {
      if (one.signed !== undefined) venue.useNonce(one.signed);
      venue.apply(firstSeq + i, timeMs, one);
    }
  };
  const first: Genesis = { ...genesis(), clock: 'real' };
  await run(START_MS, [first]);
  const operations = flow(commands);
  const accounts = accountsOf(operations);
  for (let i = 0; i < operations.n; i += batch) {
    const count = Math.min(batch, operations.n - i);
    const all = Array.from({ length: count }, (_, k) => signed(operations, accounts, i + k));
    await run(START_MS + Math.floor(i / COMMANDS_PER_MS), all);
  }
  await log.close();
  return { commands, payloadBytes, hash: stateHash(venue) };
}

/** The same log with payloads of JSON, in one segment. Returns their size. */
function writeAsJson(from: string, to: string): number {
  const frames: { header: Parameters<typeof encodeFrame>[0]; payload: ReturnType<typeof jsonPayload> }[] = [];
  let payloadBytes = 0;
  for (const { kind, epoch, firstSeq, lastSeq, timeMs, effects, commands } of readEntries(new RealDisk(from))) {
    const payload = kind === 'batch' ? jsonPayload(...(commands as object[])) : jsonPayload({ rules: RULES });
    if (firstSeq > 1) payloadBytes += payload.bytes.length;
    const header = { kind, epoch, firstSeq, lastSeq, timeMs, durableSeq: firstSeq - 1, prevHash: NO_HASH, effects };
    frames.push({ header: { ...header, segmentBytes: 0 }, payload });
  }
  const segmentBytes = frames.reduce((sum, { payload }) => sum + frameLength(payload), 0);
  const segment = Buffer.alloc(segmentBytes);
  let prevHash = NO_HASH;
  let at = 0;
  for (const { header, payload } of frames) {
    const frame = encodeFrame({ ...header, segmentBytes, prevHash }, payload);
    frame.bytes.copy(segment, at);
    at += frame.bytes.length;
    prevHash = frame.hash;
  }
  writeFileSync(join(to, segmentName(1)), segment);
  return payloadBytes;
}

function read(folder: string, commands: number): number {
  const begun = threadSeconds();
  let found = 0;
  for (const entry of readEntries(new RealDisk(folder))) found += entry.commands.length;
  const took = threadSeconds() - begun;
  assert.equal(found, commands + 1, 'the commands and the genesis');
  return took;
}

/** Reads the files and hashes them frame by frame: what no format can save. */
function hashOnly(folder: string): number {
  const begun = threadSeconds();
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.log'))) {
    const bytes = readFileSync(join(folder, name));
    for (let at = 0; bytes[at] !== 0 && at < bytes.length; at += bytes.readUInt32LE(at + 4)) {
      hash('sha256', bytes.subarray(at, at + bytes.readUInt32LE(at + 4)), 'hex');
    }
  }
  return threadSeconds() - begun;
}

async function measureReading(commands: number, batch: number, folders: () => string) {
  const [binary, json] = [folders(), folders()];
  const { payloadBytes } = await writeLog(binary, commands, batch);
  const jsonBytes = writeAsJson(binary, json);
  assert.deepEqual(
    [...readEntries(new RealDisk(binary))].at(-1)?.commands,
    [...readEntries(new RealDisk(json))].at(-1)?.commands,
  );
  const took = { binary: [] as number[], json: [] as number[], hash: [] as number[] };
  for (let pair = 0; pair <= PAIRS; pair++) {
    took.binary.push(read(binary, commands));
    took.json.push(read(json, commands));
    took.hash.push(hashOnly(binary));
  }
  for (const all of Object.values(took)) all.shift(); // To warm up.
  const millions = (all: readonly number[]) => round(commands / median(all) / 1e6, 2);
  return {
    case: 'read',
    batch,
    commands,
    mps: millions(took.binary),
    jsonMps: millions(took.json),
    hashMps: millions(took.hash),
    ratio: round(median(took.binary.map((own, i) => took.json[i] / own)), 1),
    bytes: round(payloadBytes / commands, 1),
    jsonBytes: round(jsonBytes / commands, 1),
    bytesOnDisk: round(bytesOf(binary) / commands, 1),
    jsonBytesOnDisk: round(bytesOf(json) / commands, 1),
  };
}

/** The size of all frames of a log. */
function bytesOf(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    const segment = readFileSync(join(folder, name));
    for (let at = 0; at < segment.length; ) {
      const decoded = decodeFrame(segment, at);
      if (decoded === undefined || 'unsupported' in decoded) break;
      at += decoded.frame.length;
      bytes += decoded.frame.length;
    }
  }
  return bytes;
}

async function replayed(folder: string, expected: string | undefined): Promise<number> {
  const begun = threadSeconds();
  const replayer = new LogReplayer(new Venue());
  for await (const entry of new FileSource(new RealDisk(folder)).read()) replayer.take(entry);
  replayer.finish();
  const took = threadSeconds() - begun;
  if (expected !== undefined)
    assert.equal(stateHash(replayer.venue), expected, 'another state than the log was made in');
  return took;
}

async function measureReplay(folder: string) {
  const { commands, hash: end } = await writeLog(folder, FLOW_MESSAGES, REPLAY_BATCH);
  const operations = flow(commands);
  const accounts = accountsOf(operations);
  runVenue(operations, accounts);
  await replayed(folder, end);
  const [own, bare]: number[][] = [[], []];
  for (let pair = 0; pair < REPLAYS; pair++) {
    own.push(await replayed(folder, undefined));
    bare.push(runVenue(operations, accounts).processorSeconds);
  }
  const millions = (all: readonly number[]) => round(commands / median(all) / 1e6, 3);
  const ratio = round(median(own.map((took, i) => bare[i] / took)), 2);
  return { case: 'replay', batch: REPLAY_BATCH, commands, mps: millions(own), venueMps: millions(bare), ratio };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean' },
      commands: { type: 'string', default: '400000' },
      dir: { type: 'string', default: tmpdir() },
    },
  });
  const made: string[] = [];
  const folder = (): string => {
    made.push(mkdtempSync(join(values.dir, 'bourse-log-')));
    return made.at(-1) as string;
  };
  if (!values.json) console.log(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model}`);
  try {
    for (const batch of [32, 128]) {
      const found = await measureReading(Number(values.commands), batch, folder);
      if (values.json) console.log(JSON.stringify(found));
      else {
        console.log(
          `batches of ${batch}: ${found.mps} M commands/s read, JSON ${found.jsonMps}, ratio ${found.ratio};`,
        );
        console.log(`  the hash alone ${found.hashMps} M/s; bytes a command ${found.bytes}, JSON ${found.jsonBytes};`);
        console.log(`  on disk, whole sectors, ${found.bytesOnDisk}, JSON ${found.jsonBytesOnDisk}`);
      }
    }
    const found = await measureReplay(folder());
    if (values.json) console.log(JSON.stringify(found));
    else console.log(`replay: ${found.mps} M commands/s; the venue alone ${found.venueMps}; ratio ${found.ratio}`);
  } finally {
    for (const each of made) rmSync(each, { recursive: true });
  }
}

await main();
