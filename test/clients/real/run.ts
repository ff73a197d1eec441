/**
 * Runs a real client against a venue of the demo, and judges it. The client's program gets the address and a key, makes
 * every call that its client has, and prints a line of JSON for each (python/calls.py has the verdicts). A field that its client reads
 * and no answer has (reads.ts) is a failed call, unless absent-fields.ts lists it.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readDemoKeys } from '../../../src/demo.ts';
import { Place, stop } from '../../cli/support.ts';
import { judgeAbsent } from './absent-fields.ts';
import type { RealClient } from './clients.ts';
import { Reads } from './reads.ts';
import { Recorder } from './recorder.ts';

/** A call of a client, as its program told it. */
export interface Called {
  readonly name: string;
  readonly verdict: 'ok' | 'refused' | 'own' | 'failed';
  readonly detail: string;
}

/** A program that runs a client. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Thrown where a client cannot be run here: a sentence that says what is missing. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

export interface Outcome {
  readonly verdict: 'runs' | 'fails' | 'skipped';
  /** Why it was skipped, or how its program ended. */
  readonly remark: string;
  /** The end of its standard error. */
  readonly errors: string;
  readonly calls: readonly Called[];
  readonly requests: number;
  readonly notServed: readonly string[];
  /** How many fields of answers it was seen to read. */
  readonly fields: number;
  /** How many of them are in no answer, and listed. */
  readonly absent: number;
}

const PROGRAM_MS = 20 * 60_000;
/** How long the demo's traders have for their first trade. */
const MOST_TRADES_MS = 120_000;

/** Prepares a client, starts a venue for it, and runs it. */
export async function runClient({
  name,
  prepare,
  flags = [],
  wrongPaths = [],
  needsTrades = true,
  linesAreAlternatives,
}: Omit<RealClient, 'about' | 'isLong'>): Promise<Outcome> {
  let program: Program;
  try {
    program = await prepare();
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    return {
      verdict: 'skipped',
      remark: error.message,
      errors: '',
      calls: [],
      requests: 0,
      notServed: [],
      fields: 0,
      absent: 0,
    };
  }
  await using place = new Place();
  const venue = await place.start(['--demo', '--data', place.data, ...flags]);
  if (needsTrades) await traded(venue.ready.http);
  const recorder = await Recorder.before(venue.ready.http);
  const [{ key, secret }] = readDemoKeys(place.data);
  const file = join(place.folder, 'reads.jsonl');
  writeFileSync(file, '');
  const env = {
    BOURSE_URL: recorder.url,
    BOURSE_KEY: key,
    BOURSE_SECRET: secret,
    HOME: place.folder,
    BOURSE_READS: file,
  };
  const { calls: made, remark, errors } = await told(program, env);
  recorder.close();
  await stop(venue);
  const { noted } = recorder;
  const notServed = recorder.notServed.filter((path) => !wrongPaths.includes(path));
  const reads = Reads.from(readFileSync(file, 'utf8'));
  const { listed, unlisted } = judgeAbsent(name, reads.absent(linesAreAlternatives));
  const unexplained = unlisted.map(({ at, by, field }) => ({
    name: `${by} reads ${field} of ${at}`,
    verdict: 'failed' as const,
    detail: 'it is in no answer, and test/clients/real/absent-fields.ts does not say why',
  }));
  const calls = [...made, ...unexplained];
  const isGood = remark === '' && calls.length > 0 && notServed.length === 0;
  const verdict = isGood && calls.every(({ verdict }) => verdict !== 'failed') ? 'runs' : 'fails';
  return {
    verdict,
    remark,
    errors,
    calls,
    requests: noted.length,
    notServed,
    fields: reads.count,
    absent: listed.length,
  };
}

/** Resolves when every market has traded, because a client's first question is for prices. */
async function traded(url: string): Promise<void> {
  const untilMs = performance.now() + MOST_TRADES_MS;
  for (const symbol of ['BTC-USDT', 'BTC-PERP']) {
    for (;;) {
      const reply = await fetch(`${url}/public-api/market/v1/trades?symbol=${symbol}&limit=1`);
      const { data } = (await reply.json()) as { data: unknown };
      if (Array.isArray(data) && data.length > 0) break;
      if (performance.now() > untilMs) throw new Error(`the demo's traders made no trade on ${symbol}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** What the program told. `remark`: how it ended, if that was not well. */
async function told(
  { file, args, cwd, env }: Program,
  own: Readonly<Record<string, string>>,
): Promise<Pick<Outcome, 'calls' | 'remark' | 'errors'>> {
  const child = spawn(file, args, {
    cwd,
    env: { PATH: process.env.PATH, PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1', ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PROGRAM_MS,
    killSignal: 'SIGKILL',
  });
  const calls: Called[] = [];
  createInterface(child.stdout).on('line', (line) => {
    if (line.startsWith('{"name"')) calls.push(JSON.parse(line));
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-8000);
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.once('error', (error) => {
      errors += error.message;
      resolve([1, null]);
    });
    child.once('close', (...end) => resolve(end));
  });
  if (code === 0) return { calls, remark: '', errors };
  return { calls, errors, remark: `its program ended with ${signal ?? code}: ${errors.trim().split('\n').at(-1)}` };
}
