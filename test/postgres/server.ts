/**
 * PostgreSQL servers for tests: real ones, from the packages of the machine, each in a temporary folder and on loopback. A
 * process of root runs them as another user, because PostgreSQL refuses root.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export const PASSWORD = 'a-pässword with/signs@and:more';
const ENCODED = encodeURIComponent(PASSWORD);
const USERS = ['postgres', 'nobody'];

/** The folder of the programs of the newest PostgreSQL. Undefined: there is none. */
export function postgresPrograms(): string | undefined {
  const given = process.env.BOURSE_POSTGRES;
  if (given !== undefined) return given;
  const versions = fs.globSync('/usr/lib/postgresql/*/bin/postgres').sort();
  const newest = versions.at(-1);
  return newest && join(newest, '..');
}

/** Why a suite is skipped. False: it is not. */
export const skip: string | false =
  postgresPrograms() === undefined && 'PostgreSQL is not installed: `npm run test:postgres` installs it and runs these';

/** The same for suites that take minutes. */
export const skipLong: string | false =
  skip || (process.env.BOURSE_POSTGRES_SUITES === undefined && '`npm run test:postgres` runs these');

/** How many rounds of faults are run. */
export const ROUNDS = Number(process.env.BOURSE_POSTGRES_ROUNDS ?? 0);

const running = new Set<PostgresServer>();

/** Ends every server, and removes what it has. */
export async function endServers(): Promise<void> {
  for (const server of running) await server.remove();
}

interface ServerOptions {
  /** Lines of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The size of a disk for this server alone, which `fill` fills. Needs root. */
  readonly disk?: string;
}

export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  #data: string;
  readonly #mounts: string[] = [];
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#data = join(folder, 'data');
    this.port = port;
  }

  /** A new cluster that is running. Without standbys, so its logs need `--accept-single-node`. */
  static async start({ settings = {}, disk }: ServerOptions = {}): Promise<PostgresServer> {
    const server = await PostgresServer.#in();
    if (disk !== undefined) server.#data = server.mount(disk);
    const password = join(server.#folder, 'password');
    fs.writeFileSync(password, `${PASSWORD}\n`, { mode: 0o644 });
    server.#run(
      'initdb',
      '-D',
      server.#data,
      '-U',
      'venue',
      '-A',
      'scram-sha-256',
      '--pwfile',
      password,
      '-N',
      '-E',
      'UTF8',
    );
    fs.appendFileSync(join(server.#data, 'pg_hba.conf'), 'host replication venue 127.0.0.1/32 scram-sha-256\n');
    server.set({ ...settings });
    await server.resume();
    return server;
  }

  /**
   * A standby of this server, which is running. `name`: what `synchronous_standby_names` calls it. `port`: a free one.
   * `through`: the port where it reaches this server.
   */
  async standby(name: string, port?: number, through = this.port): Promise<PostgresServer> {
    const server = await PostgresServer.#in(port);
    server.#run(
      'pg_basebackup',
      '-d',
      `postgres://venue:${ENCODED}@127.0.0.1:${this.port}/postgres?application_name=${name}`,
      '-D',
      server.#data,
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
      '--no-sync',
    );
    server.set({});
    server.follow(this, name, through);
    await server.resume();
    return server;
  }

  static async #in(port?: number): Promise<PostgresServer> {
    const folder = fs.mkdtempSync(join(tmpdir(), 'bourse-postgres-'));
    const { uid, gid } = identity();
    if (uid !== undefined && gid !== undefined) fs.chownSync(folder, uid, gid);
    const server = new PostgresServer(folder, port ?? (await freePort()));
    running.add(server);
    return server;
  }

  /** The address of a database. */
  address(database: string): string {
    return `postgres://venue:${ENCODED}@127.0.0.1:${this.port}/${database}`;
  }

  /** The same without the password, as messages show it. */
  shown(database: string): string {
    return `postgres://venue@127.0.0.1:${this.port}/${database}`;
  }

  /** Writes settings, which count from the next start or `reload` on. */
  set(settings: Readonly<Record<string, string>>): void {
    const all = {
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: '',
      shared_buffers: '32MB',
      max_connections: '60',
      // A standby looks for its primary, and for a new one, as often as that.
      wal_retrieve_retry_interval: '100ms',
      ...settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
    fs.appendFileSync(join(this.#data, 'postgresql.conf'), lines.join(''));
  }

  reload(): void {
    this.#process?.kill('SIGHUP');
  }

  /** Runs statements, one connection for each. Returns what psql prints, without headers. */
  sql(database: string, ...statements: string[]): string {
    return this.#run(
      'psql',
      '-X',
      '-A',
      '-t',
      '-v',
      'ON_ERROR_STOP=1',
      '-d',
      this.address(database),
      ...statements.flatMap((text) => ['-c', text]),
    );
  }

  /** A new database. Returns its address. */
  database(name: string): string {
    this.sql('postgres', `CREATE DATABASE ${name}`);
    return this.address(name);
  }

  /** A small disk that the server may write to, until it is removed. Needs root. Returns its folder. */
  mount(size: string): string {
    const folder = fs.mkdtempSync(join(this.#folder, 'disk-'));
    mustRun('mount', '-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder);
    this.#mounts.push(folder);
    const { uid = 0, gid = 0 } = identity();
    fs.chownSync(folder, uid, gid);
    return folder;
  }

  resize(folder: string, size: string): void {
    mustRun('mount', '-o', `remount,size=${size}`, folder);
  }

  /** Leaves no room on the server's own disk. Returns what makes room again. */
  fill(): () => void {
    const filler = join(this.#data, 'filler');
    const fd = fs.openSync(filler, 'w');
    try {
      for (const piece = Buffer.alloc(4096); ; ) fs.writeSync(fd, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      fs.closeSync(fd);
    }
    return () => fs.rmSync(filler);
  }

  /** False: the server has ended by itself. */
  get isRunning(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null;
  }

  /** Starts the server again. */
  async resume(): Promise<void> {
    const child = spawn(this.#program('postgres'), ['-D', this.#data], {
      ...identity(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = child;
    let log = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    while (!log.includes('ready to accept')) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended:\n${log}`);
      await delay(20);
    }
  }

  /** A clean, fast stop. */
  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  /** Kills every process of the server, as a power cut of its machine does to its clients. */
  async kill(): Promise<void> {
    const children = this.#children();
    this.#process?.kill('SIGKILL');
    for (const pid of children) kill(pid, 'SIGKILL');
    await this.#end('SIGKILL');
  }

  /** Stops every process of the server without ending it, and lets them go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of [this.#process?.pid as number, ...this.#children()]) kill(pid, signal);
  }

  /** From its next start or `reload` on, it is a standby of that server. `port`: where it is reached. */
  follow(primary: PostgresServer, name: string, port = primary.port): void {
    const info = `host=127.0.0.1 port=${port} user=venue password='${PASSWORD}' application_name=${name}`;
    // In the file that pg_basebackup has written its own into, which counts more.
    fs.appendFileSync(join(this.#data, 'postgresql.auto.conf'), `primary_conninfo = '${info.replaceAll("'", "''")}'\n`);
  }

  /** The processor time of all its processes so far, in seconds. */
  cpuSeconds(): number {
    const { pid } = this.#process ?? {};
    if (pid === undefined) return 0;
    // The first process has the time of its children that have ended.
    const ended = ticksOf(pid, 4);
    return [...this.#children()].reduce((sum, child) => sum + ticksOf(child, 2), ended) / TICKS_PER_SECOND;
  }

  /** Where what it has received from its primary ends. Of two standbys the one with more may be promoted. */
  received(): number {
    return Number(this.sql('postgres', 'SELECT pg_last_wal_receive_lsn() - $$0/0$$'));
  }

  /** Makes the primary of a standby. */
  promote(): void {
    this.#run('pg_ctl', 'promote', '-D', this.#data, '-w');
  }

  async remove(): Promise<void> {
    if (this.#process !== undefined) await this.kill();
    for (const folder of this.#mounts) mustRun('umount', folder);
    fs.rmSync(this.#folder, { recursive: true, force: true });
    running.delete(this);
  }

  async #end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  #children(): number[] {
    const { pid } = this.#process ?? {};
    if (pid === undefined) return [];
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
    return stdout
      .split('\n')
      .map(Number)
      .filter((child) => child > 0);
  }

  #program(name: string): string {
    return join(postgresPrograms() as string, name);
  }

  #run(program: string, ...args: string[]): string {
    const options = { ...identity(), encoding: 'utf8', cwd: this.#folder } as const;
    const { status, stdout, stderr } = spawnSync(this.#program(program), args, options);
    if (status !== 0) throw new Error(`${program} failed:\n${stderr}`);
    return stdout;
  }
}

function mustRun(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed:\n${stderr}`);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

const TICKS_PER_SECOND = 100;

/** User and system time, and with 4 fields those of ended children. 0: there is no such process. */
function ticksOf(pid: number, fields: 2 | 4): number {
  try {
    const times = fs
      .readFileSync(`/proc/${pid}/stat`, 'utf8')
      .split(') ')[1]
      .split(' ')
      .slice(11, 11 + fields);
    return times.reduce((sum, time) => sum + Number(time), 0);
  } catch {
    return 0;
  }
}

let found: { uid?: number; gid?: number } | undefined;

/** Who runs a server: another user, if this process is root's. */
export function identity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  if (found !== undefined) return found;
  const lines = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const user of USERS) {
    const line = lines.find(([name]) => name === user);
    if (line !== undefined) {
      found = { uid: Number(line[2]), gid: Number(line[3]) };
      return found;
    }
  }
  throw new Error(`PostgreSQL does not run as root, and there is no user ${USERS.join(' or ')}`);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
