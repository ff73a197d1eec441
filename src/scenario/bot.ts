/**
 * A bot as a process. It is started by a shell, in a process group, so that everything that it starts ends with it. Its
 * standard output and error become lines of the timeline.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const STOP_MS = 2000;
const MOST_LINES = 2000;
const LONGEST_LINE = 500;

export interface BotOptions {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onLine: (line: string) => void;
}

export class Bot {
  /** How it ended: `code 1`, `SIGKILL`. Null: it runs. */
  ended: { readonly text: string; readonly failed: boolean } | null = null;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  #lines = 0;

  constructor({ command, env, onLine }: BotOptions) {
    this.#child = spawn(command, {
      shell: true,
      detached: true,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const output of [this.#child.stdout, this.#child.stderr]) {
      if (output === null) continue;
      createInterface({ input: output }).on('line', (line) => {
        this.#lines += 1;
        if (this.#lines <= MOST_LINES) onLine(line.slice(0, LONGEST_LINE));
        if (this.#lines === MOST_LINES) onLine('(what it prints from here on is left out)');
      });
    }
    this.#exited = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.ended = { text: error.message, failed: true };
        resolve();
      });
      this.#child.once('close', (code, signal) => {
        this.ended ??= { text: signal ?? `code ${code}`, failed: code !== 0 };
        resolve();
      });
    });
  }

  /** Asks it to end, and ends it after two seconds. Resolves when it is gone. */
  async stop(): Promise<void> {
    if (this.ended === null) {
      this.#signal('SIGTERM');
      const killed = setTimeout(() => this.#signal('SIGKILL'), STOP_MS);
      await this.#exited;
      clearTimeout(killed);
    }
    // What it has started may still run.
    this.#signal('SIGKILL');
  }

  /** To the whole group. */
  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
