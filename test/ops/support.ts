/** What the suites of the operating pages share: the files of deploy/, free ports, a command that is run to its end. */
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** For tests that start many processes, on a machine that does other things as well. */
export const LONG_MS = 20 * 60_000;

export const deployed = (name: string) => readFileSync(join(root, 'deploy', name), 'utf8');

/** The path of a program, also where only root has it on the path. Undefined: this machine does not have it. */
export function program(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface Ran {
  readonly status: number | null;
  readonly output: string;
}

/** Runs a command to its end. */
export function ran(
  command: readonly string[],
  { cwd = root, env = process.env }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Ran {
  const { status, stdout, stderr, error } = spawnSync(command[0], command.slice(1), { cwd, env, encoding: 'utf8' });
  return { status, output: error === undefined ? stdout + stderr : error.message };
}

/** The same, while this process goes on. */
export async function ranBeside(
  command: readonly string[],
  { cwd = root, env = process.env }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Ran> {
  const child = spawn(command[0], command.slice(1), { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, output };
}

/** A port that was free a moment ago, for programs that cannot choose one. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
