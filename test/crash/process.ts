/** A venue in a process of its own, as a user starts it, and what a test does to it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BourseClient } from '../../src/client/client.ts';
import { ControlClient } from '../../src/client/control.ts';

const BOURSE = fileURLToPath(new URL('../../bin/bourse.js', import.meta.url));
const START_LIMIT_MS = 30_000;
export const TOKEN = 'token-of-the-crash-tests';

/** Two accounts: alice rests, bob takes. */
const CONFIGURATION = {
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
after(async () => {
  for (const child of running) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  fs.rmSync(scratch, { recursive: true });
});

/** Runs `bourse …` to its end. */
export function bourse(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const environment = { ...process.env, ...secretPlaces() };
  const { status, stdout, stderr } = spawnSync(process.execPath, [BOURSE, ...args], {
    encoding: 'utf8',
    env: environment,
    timeout: START_LIMIT_MS,
  });
  return { status, stdout, stderr };
}

function secretPlaces(): Record<string, string> {
  return { BOURSE_MASTER_KEY_FILE: join(scratch, 'master.key'), BOURSE_CONTROL_TOKEN: TOKEN };
}

export function startArguments(folder: string, ...more: string[]): string[] {
  const fixed = ['--data', folder, '--config', configFile, '--port', '0', '--control-port', '0', '--seed', '1'];
  return ['start', ...fixed, ...more];
}

export interface Ready {
  http: string;
  control: string;
  epoch: number;
  seq: number;
}

export class VenueProcess {
  readonly child: ChildProcess;
  readonly ready: Ready;
  readonly alice: BourseClient;
  readonly bob: BourseClient;
  readonly control: ControlClient;
  readonly #exit: Promise<number | null>;

  private constructor(child: ChildProcess, ready: Ready) {
    this.child = child;
    this.ready = ready;
    const client = (name: string) =>
      new BourseClient({ url: ready.http, key: `${name}-key`, secret: `${name}-secret` });
    this.alice = client('alice');
    this.bob = client('bob');
    this.control = new ControlClient({ url: ready.control, token: TOKEN });
    this.#exit = once(child, 'exit').then(([code]) => {
      running.delete(child);
      return code as number | null;
    });
  }

  /** Resolves when the venue says that it is ready; fails with what it wrote when it ends instead. */
  static start(folder: string, ...more: string[]): Promise<VenueProcess> {
    return VenueProcess.#started(process.execPath, [BOURSE, ...startArguments(folder, ...more)]);
  }

  /** The same for a process that may have so many files open. */
  static startWith(openFiles: number, folder: string, ...more: string[]): Promise<VenueProcess> {
    const limited = `ulimit -n ${openFiles}; exec "$0" "$@"`;
    const started = [process.execPath, BOURSE, ...startArguments(folder, ...more)];
    return VenueProcess.#started('/bin/sh', ['-c', limited, ...started]);
  }

  static async #started(program: string, args: string[]): Promise<VenueProcess> {
    const child = spawn(program, args, {
      env: { ...process.env, ...secretPlaces() },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    for await (const line of createInterface({ input: child.stdout })) {
      const said = JSON.parse(line) as Ready & { event: string };
      if (said.event === 'ready') return new VenueProcess(child, said);
    }
    running.delete(child);
    throw new Error(`the venue ended instead of getting ready:\n${errors}`);
  }

  /** Ends the process as a power cut would, as far as the process can tell. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.#exit;
  }

  /** The clean stop. Resolves with the exit code. */
  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.#exit;
  }
}

/** The JSON line that a command printed. */
export function printed(output: { status: number | null; stdout: string; stderr: string }): Record<string, unknown> {
  if (output.status !== 0) throw new Error(`exit code ${output.status}: ${output.stderr}`);
  return JSON.parse(output.stdout) as Record<string, unknown>;
}
