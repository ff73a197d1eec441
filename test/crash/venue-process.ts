/**
 * A venue in a separate process, as a user starts it, and what tests do to it. Tests take it from process.ts, which
 * cleans up after them. A script calls `endAll` itself.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { BourseClient } from '../../src/client/client.ts';
import { ControlClient } from '../../src/client/control.ts';

const BOURSE = fileURLToPath(new URL('../../bin/bourse.js', import.meta.url));
const START_LIMIT_MS = 120_000;
export const TOKEN = 'token-of-the-crash-tests';

/** Two accounts: alice's orders rest, and bob's take. */
const CONFIGURATION = {
  // However slow the disk is, nobody is refused.
  maxQueueMs: 'off',
  markets: [
    { symbol: 'BTC-USDT', maxOpenOrders: 100_000 },
    { symbol: 'ETH-USDT', maxOpenOrders: 100_000 },
  ],
  accounts: ['alice', 'bob'].map((name) => ({
    name,
    balances: { USDT: 1_000_000_000, ETH: 1_000_000 },
    keys: [{ key: `${name}-key`, secret: `${name}-secret`, permissions: ['read', 'trading', 'wallet'] }],
  })),
};

export const scratch = fs.mkdtempSync(join(tmpdir(), 'bourse-crash-'));
const configFile = join(scratch, 'config.json');
fs.writeFileSync(configFile, JSON.stringify(CONFIGURATION));

const running = new Set<ChildProcess>();
/** Ends every running venue, and removes the scratch folder. */
export async function endAll(): Promise<void> {
  for (const child of running) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  fs.rmSync(scratch, { recursive: true });
}

/** Runs `bourse …` to its end. */
export function bourse(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const environment = { ...process.env, ...secretPlaces() };
  const { status, stdout, stderr } = spawnSync(process.execPath, [BOURSE, ...args], {
    encoding: 'utf8',
    env: environment,
    timeout: START_LIMIT_MS,
    // An export may be long, and output beyond this limit would end the process.
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  return { status, stdout, stderr };
}

/** The same, without blocking this process. */
export async function bourseBeside(
  ...args: string[]
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [BOURSE, ...args], {
    env: { ...process.env, ...secretPlaces() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [status] = await once(child, 'close');
  return { status, stdout, stderr };
}

function secretPlaces(): Record<string, string> {
  return { BOURSE_MASTER_KEY_FILE: join(scratch, 'master.key'), BOURSE_CONTROL_TOKEN: TOKEN };
}

export function startArguments(folder: string, ...more: string[]): string[] {
  const fixed = ['--data', folder, '--config', configFile, '--port', '0', '--control-port', '0', '--seed', '1'];
  // A machine that is busy with other tests answers late, and must not refuse for that.
  fixed.push('--max-queue-ms', 'off');
  return ['start', ...fixed, ...more];
}

export interface Ready {
  http: string;
  control: string;
  epoch: number;
  seq: number;
  /** Of a start with --standby. */
  role?: 'leader' | 'standby';
}

export class VenueProcess {
  readonly child: ChildProcess;
  readonly ready: Ready;
  readonly alice: BourseClient;
  readonly bob: BourseClient;
  readonly control: ControlClient;
  /** Resolves with the exit code. Null after a signal. */
  readonly ended: Promise<number | null>;
  readonly #starting: Starting;

  constructor(starting: Starting, ready: Ready) {
    const { child, ended } = starting;
    this.#starting = starting;
    this.child = child;
    this.ready = ready;
    const client = (name: string) =>
      new BourseClient({ url: ready.http, key: `${name}-key`, secret: `${name}-secret` });
    this.alice = client('alice');
    this.bob = client('bob');
    this.control = new ControlClient({ url: ready.control, token: TOKEN });
    this.ended = ended;
  }

  /** Resolves when the venue is ready. If it ends instead, rejects with its output. */
  static start(folder: string, ...more: string[]): Promise<VenueProcess> {
    return VenueProcess.#started(process.execPath, [BOURSE, ...startArguments(folder, ...more)]);
  }

  /** The same by the command of another copy of the sources. */
  static startOf(bin: string, folder: string, ...more: string[]): Promise<VenueProcess> {
    return VenueProcess.#started(process.execPath, [bin, ...startArguments(folder, ...more)]);
  }

  /** The same with more environment variables. */
  static startIn(environment: Environment, folder: string, ...more: string[]): Starting {
    return new Starting(process.execPath, [BOURSE, ...startArguments(folder, ...more)], environment);
  }

  /** The same for a process with a limit of open files. */
  static startWith(openFiles: number, folder: string, ...more: string[]): Promise<VenueProcess> {
    const limited = `ulimit -n ${openFiles}; exec "$0" "$@"`;
    const started = [process.execPath, BOURSE, ...startArguments(folder, ...more)];
    return VenueProcess.#started('/bin/sh', ['-c', limited, ...started]);
  }

  static async #started(program: string, args: string[]): Promise<VenueProcess> {
    const { ready, errors } = await new Starting(program, args).outcome;
    if (ready === undefined) throw new Error(`the venue ended instead of getting ready:\n${errors}`);
    return ready;
  }

  /** The output on standard error so far. */
  get errors(): string {
    return this.#starting.errors;
  }

  /** Kills the process. To the process this is like a power cut. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** A clean stop. Resolves with the exit code. */
  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.ended;
  }
}

export type Environment = Readonly<Record<string, string>>;

/** A venue that was started and is not ready yet. */
export class Starting {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** Resolves when it is ready, or has ended instead. */
  readonly outcome: Promise<{ ready: VenueProcess | undefined; errors: string }>;
  /** Resolves when it leads: when it is ready or, as a standby, when it has taken over. Undefined: it has ended instead. */
  readonly leading: Promise<VenueProcess | undefined>;
  #errors = '';

  constructor(program: string, args: string[], environment: Environment = {}) {
    const child = spawn(program, args, {
      env: { ...process.env, ...secretPlaces(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    running.add(child);
    // Not at 'exit', because output may still arrive then.
    this.ended = once(child, 'close').then(([code]) => {
      running.delete(child);
      return code as number | null;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    const said = this.#lines(child.stdout);
    this.outcome = said.next().then(({ value: ready }) => ({ ready: ready || undefined, errors: this.#errors }));
    this.leading = this.outcome.then(async ({ ready }) => {
      if (ready?.ready.role !== 'standby') return ready;
      return (await said.next()).value || undefined;
    });
  }

  /** The output on standard error so far. */
  get errors(): string {
    return this.#errors;
  }

  /** The venue when it is ready, and again when it leads, if it did not before. */
  async *#lines(output: Readable): AsyncGenerator<VenueProcess, void, void> {
    let ready: Ready | undefined;
    for await (const line of createInterface({ input: output })) {
      const said = JSON.parse(line) as Ready & { event: string };
      if (said.event === 'ready') ready = said;
      if (said.event === 'leading' && ready !== undefined) ready = { ...ready, ...said, role: 'leader' };
      if (ready !== undefined) yield new VenueProcess(this, ready);
    }
    await this.ended;
  }
}

/** The JSON line that a command printed. */
export function printed(output: { status: number | null; stdout: string; stderr: string }): Record<string, unknown> {
  if (output.status !== 0) throw new Error(`exit code ${output.status}: ${output.stderr}`);
  return JSON.parse(output.stdout) as Record<string, unknown>;
}
