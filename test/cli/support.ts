/** Runs the `bourse` command as a user does: in a process of its own, with an environment of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../bin/bourse.js', import.meta.url));

export interface Ready {
  readonly event: 'ready';
  readonly http: string;
  readonly control: string;
  readonly epoch: number;
  readonly seq: number;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of its own for a test: data folder, master key and configuration live in it. */
export class Place {
  readonly folder = mkdtempSync(join(tmpdir(), 'bourse-cli-'));
  readonly data = join(this.folder, 'data');
  readonly masterKey = join(this.folder, 'config', 'bourse', 'master.key');
  readonly #children = new Set<ChildProcess>();

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Ends what still runs and removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#children].map(ended));
    rmSync(this.folder, { recursive: true });
  }

  #spawn(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    stdin: 'ignore' | 'pipe' = 'ignore',
  ): ChildProcess {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, HOME: this.folder, XDG_CONFIG_HOME: this.path('config'), ...env },
      stdio: [stdin, 'pipe', 'pipe'],
    });
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
    return child;
  }

  /** Runs a command to its end. */
  run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return outcome(this.#spawn(args, env));
  }

  /** Begins a command, and reads what it prints line by line. Its standard input is open. */
  begin(args: readonly string[], env: Readonly<Record<string, string>> = {}): BegunProcess {
    const child = this.#spawn(args, env, 'pipe');
    const linesOf = (input: Readable | null) => createInterface({ input: input! })[Symbol.asyncIterator]();
    const end = outcome(child);
    return { child, end, lines: linesOf(child.stdout), messages: linesOf(child.stderr) };
  }

  /** Starts a venue on free ports and waits until it is ready; rejects with what it said when it ends instead. */
  async start(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<StartedProcess> {
    // A machine that is busy with other tests answers late, and is not refused for it.
    const calm = { BOURSE_MAX_QUEUE_MS: 'off', ...env };
    const child = this.#spawn(['start', '--port', '0', '--control-port', '0', ...args], calm);
    const end = outcome(child);
    const line = await Promise.race([firstLine(child), end.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    return { ready: JSON.parse(line), child, end };
  }
}

export interface StartedProcess {
  readonly ready: Ready;
  readonly child: ChildProcess;
  readonly end: Promise<Ended>;
}

export interface BegunProcess {
  readonly child: ChildProcess;
  readonly end: Promise<Ended>;
  readonly lines: AsyncIterator<string>;
  /** Lines on standard error. */
  readonly messages: AsyncIterator<string>;
}

export async function stop(
  { child, end }: Pick<StartedProcess, 'child' | 'end'>,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<Ended> {
  child.kill(signal);
  return end;
}

function ended(child: ChildProcess): Promise<unknown> {
  child.kill('SIGKILL');
  return new Promise((resolve) => child.once('close', resolve));
}

function outcome(child: ChildProcess): Promise<Ended> {
  let [stdout, stderr] = ['', ''];
  child.stdout!.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr!.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const take = (chunk: Buffer) => {
      text += chunk;
      if (!text.includes('\n')) return;
      child.stdout!.off('data', take);
      resolve(text.slice(0, text.indexOf('\n')));
    };
    child.stdout!.on('data', take);
  });
}
