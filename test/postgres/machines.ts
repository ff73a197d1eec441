/**
 * Machines for the commands of docs/operating.md: each is a folder, an address on loopback, and a PostgreSQL that was just
 * installed and runs. A line of the document runs unchanged, but for the names of machines and the paths outside temporary
 * folders. `systemctl` and `bourse` are small programs of the machine.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort, identity, postgresPrograms } from './server.ts';

const BOURSE = fileURLToPath(new URL('../../bin/bourse.js', import.meta.url));
const DOCUMENT = fileURLToPath(new URL('../../docs/operating.md', import.meta.url));
/** Folders that the document names. */
const PATHS = /\/(?:var\/lib|etc)\/bourse|\/var\/lib\/postgresql\/15\/main|\/backup(?!_label)/g;
const SHARED = '/backup';
/** The data directory of PostgreSQL, as Debian's package has it. */
const DATA = 'var/lib/postgresql/15/main';

/** The lines of the indented block that follows the paragraph with that text. */
export function documented(text: string): string[] {
  const lines = fs.readFileSync(DOCUMENT, 'utf8').split('\n');
  const begin = lines.findIndex((line) => line.includes(text));
  if (begin < 0) throw new Error(`docs/operating.md has no ${text}`);
  const rest = lines.slice(begin);
  const block = rest.slice(rest.findIndex((line) => line.startsWith('    ')));
  return block
    .slice(
      0,
      block.findIndex((line) => !line.startsWith('    ')),
    )
    .map((line) => line.slice(4));
}

/** Lines that belong together: those after a comment that names machines. */
export interface Step {
  readonly machines: readonly string[];
  readonly comment: string;
  readonly lines: readonly string[];
}

/** A step for each comment. */
export function stepsOf(lines: readonly string[]): Step[] {
  const steps: { machines: string[]; comment: string; lines: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith('#')) steps.push({ machines: line.match(/db-\d/g) ?? [], comment: line, lines: [] });
    else steps.at(-1)?.lines.push(line);
  }
  return steps;
}

export class Network {
  readonly #folder = fs.mkdtempSync(join(tmpdir(), 'bourse-machines-'));
  readonly #machines = new Map<string, Machine>();
  readonly #port: number;

  private constructor(port: number) {
    this.#port = port;
    fs.chmodSync(this.#folder, 0o755);
    fs.mkdirSync(this.path(SHARED), { recursive: true });
    give(this.path(SHARED));
  }

  static async start(...names: string[]): Promise<Network> {
    const network = new Network(await freePort());
    for (const name of names) network.add(name);
    return network;
  }

  /** A machine whose PostgreSQL was just installed. */
  add(name: string): Machine {
    const address = `127.0.0.${this.#machines.size + 2}`;
    const machine = new Machine(this, join(this.#folder, name), address, this.#port);
    this.#machines.set(name, machine);
    machine.install();
    return machine;
  }

  machine(name: string): Machine {
    const found = this.#machines.get(name);
    if (found === undefined) throw new Error(`there is no machine ${name}`);
    return found;
  }

  path(shared: string): string {
    return join(this.#folder, shared);
  }

  /** The addresses in the place of the names. */
  addressed(line: string): string {
    return line.replace(/db-\d/g, (name) => this.#machines.get(name)?.address ?? name);
  }

  async end(): Promise<void> {
    for (const machine of this.#machines.values()) await machine.end();
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A venue that a line of the document has started. */
export class StartedVenue {
  readonly child: ChildProcess;
  readonly #events: AsyncIterator<string>;
  errors = '';
  /** Its control surface, once it is ready. */
  control = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
    this.#events = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  }

  /** What it prints next: that it is ready, or that it leads. */
  async event(): Promise<{ event: string; role?: string }> {
    const { value, done } = await this.#events.next();
    if (done === true) throw new Error(`the venue ended:\n${this.errors}`);
    const said = JSON.parse(value);
    this.control = said.control ?? this.control;
    return said;
  }

  /** A clean stop. Resolves with the exit code. */
  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    const [code] = await once(this.child, 'exit');
    return code;
  }
}

class Machine {
  readonly address: string;
  readonly folder: string;
  readonly #network: Network;
  readonly #port: number;
  readonly #venues: ChildProcess[] = [];

  constructor(network: Network, folder: string, address: string, port: number) {
    this.#network = network;
    this.folder = folder;
    this.address = address;
    this.#port = port;
  }

  install(): void {
    const home = dirname(DATA);
    for (const name of ['bin', 'run', home, 'etc']) {
      fs.mkdirSync(join(this.folder, name), { recursive: true });
    }
    for (const name of ['run', home]) give(join(this.folder, name));
    // As Debian's package sets one up: only users of the machine may connect.
    this.#program('systemctl', [
      `data=${join(this.folder, DATA)}`,
      `options="-h ${this.address} -k ${join(this.folder, 'run')} -c shared_buffers=16MB -c max_connections=40"`,
      // As systemd, it has nothing to do if the server does not run.
      '[ "$1" != stop ] || pg_ctl status -D "$data" >/dev/null || exit 0',
      `exec pg_ctl "$1" -D "$data" -w -s -m fast -l ${join(this.folder, 'run/log')} -o "$options"`,
    ]);
    this.#program('bourse', [`exec ${process.execPath} ${BOURSE} "$@"`]);
    this.run(
      'initdb -D "$DATA" -U postgres -A trust -N -E UTF8 >/dev/null',
      'echo "local all all trust" > "$DATA/pg_hba.conf"',
      'systemctl start postgresql',
    );
  }

  /** Runs lines of the document as the user of PostgreSQL. Returns what they print. */
  run(...lines: string[]): string {
    return this.#run(lines, identity());
  }

  /** The same as the user of the test, for commands of bourse. */
  bourse(...lines: string[]): string {
    return this.#run(lines, {});
  }

  #run(lines: readonly string[], user: { uid?: number; gid?: number }): string {
    const options = { ...user, env: this.#environment(), encoding: 'utf8', cwd: this.folder } as const;
    const { status, stdout, stderr } = spawnSync('sh', ['-ec', this.#script(lines)], options);
    if (status !== 0) throw new Error(`exit code ${status} of\n${this.#script(lines)}\n${stdout}${stderr}`);
    return stdout;
  }

  /** Runs lines that end in a start of a venue. */
  start(...lines: string[]): StartedVenue {
    const script = this.#script([...lines.slice(0, -1), `exec ${lines.at(-1)}`]);
    const venue = { BOURSE_PORT: '0', BOURSE_CONTROL_PORT: '0' };
    const child = spawn('sh', ['-ec', script], {
      env: { ...this.#environment(), ...venue },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#venues.push(child);
    return new StartedVenue(child);
  }

  /** Where a path of the document is. */
  path(path: string): string {
    return path.startsWith(SHARED) ? this.#network.path(path) : join(this.folder, path);
  }

  /** As when its power fails. */
  async end(): Promise<void> {
    for (const child of this.#venues) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    spawnSync('sh', ['-c', 'pg_ctl stop -D "$DATA" -s -m immediate'], { ...identity(), env: this.#environment() });
  }

  #script(lines: readonly string[]): string {
    return lines.map((line) => this.#network.addressed(line).replace(PATHS, (path) => this.path(path))).join('\n');
  }

  #environment(): Record<string, string> {
    const path = [join(this.folder, 'bin'), postgresPrograms(), process.env.PATH].join(':');
    const postgres = { PGHOST: join(this.folder, 'run'), PGPORT: String(this.#port), PGUSER: 'postgres' };
    return { PATH: path, HOME: this.folder, LC_ALL: 'C', DATA: join(this.folder, DATA), ...postgres };
  }

  #program(name: string, lines: readonly string[]): void {
    fs.writeFileSync(join(this.folder, 'bin', name), `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 });
  }
}

/** Makes a folder PostgreSQL's. */
function give(folder: string): void {
  const { uid, gid } = identity();
  if (uid !== undefined && gid !== undefined) fs.chownSync(folder, uid, gid);
}
