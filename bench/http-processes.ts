/**
 * The three processes of the HTTP benchmark and their folder: the venue as a user starts it, the bare server and the
 * load. `stop` ends them all and removes the folder.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { request } from '../src/client/request.ts';
import type { LoadOrder, LoadReport } from './http-load.ts';
import { listener, orderOf, TARGET, traders } from './http-traffic.ts';
import { median } from './yardstick.ts';

type Load = Omit<LoadOrder, 'port'>;

const SYNCS = 200;
/** The venue waits up to five seconds in each attempt. */
const MOST_ATTEMPTS = 12;
/** With these balances and limits nobody runs out of money or of open orders, and a slow disk refuses nobody. */
const CONFIGURATION = {
  maxQueueMs: 'off',
  markets: [{ symbol: 'BTC-USDT', maxOpenOrders: 100_000 }],
  accounts: [...traders, listener].map(({ name, key, secret }) => ({
    name,
    balances: { USDT: '100000000', BTC: '10000' },
    keys: [{ key, secret, permissions: ['read', 'trading'] }],
  })),
};

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

export class Bench {
  readonly controlToken = 'token-of-the-benchmark';
  /** Holds the log. */
  readonly folder: string;
  readonly #children: ChildProcess[] = [];
  readonly #load: ChildProcess;
  /** Only rejects. */
  readonly #loadEnds: Promise<never>;
  #venuePort = 0;
  #barePort = 0;
  /** The address of the control surface. */
  control = '';

  private constructor(parent: string) {
    this.folder = mkdtempSync(join(parent, 'bourse-bench-'));
    this.#load = this.#owned(fork(pathOf('http-load.ts')));
    this.#loadEnds = once(this.#load, 'exit').then(() => Promise.reject(new Error('the load ended')));
    this.#loadEnds.catch(() => {});
  }

  /** `log`: the address of a log in PostgreSQL. Absent: the log is in the folder. */
  static async start(parent: string, profileFolder: string | undefined, log?: string): Promise<Bench> {
    const bench = new Bench(parent);
    try {
      await bench.#start(profileFolder, log);
      return bench;
    } catch (error) {
      await bench.stop();
      throw error;
    }
  }

  load(load: Load): Promise<LoadReport> {
    return this.#run({ ...load, port: this.#venuePort });
  }

  /** Afterwards the archive has caught up and rests, so it disturbs only the venue's own turn. */
  async venue(load: Load): Promise<LoadReport> {
    const report = await this.load(load);
    await this.archived();
    return report;
  }

  /** The port of the venue. */
  get port(): number {
    return this.#venuePort;
  }

  /** Of the venue: its resident memory in bytes, and its processor time in seconds. */
  async usage(): Promise<{ bytes: number; cpuSeconds: number }> {
    const text = await this.metrics();
    const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    return { bytes: figure('process_resident_memory_bytes'), cpuSeconds: figure('process_cpu_seconds_total') };
  }

  /** A GET of the control surface. */
  async read(path: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.controlToken}` };
    const reply = await fetch(`${this.control}/control/v1${path}`, { headers });
    if (!reply.ok) throw new Error(`${path}: ${await reply.text()}`);
    return reply.json();
  }

  /** Of the venue, as Prometheus text. */
  async metrics(): Promise<string> {
    const headers = { authorization: `Bearer ${this.controlToken}` };
    return (await fetch(`${this.control}/control/v1/metrics`, { headers })).text();
  }

  bare(load: Load): Promise<LoadReport> {
    return this.#run({ ...load, port: this.#barePort });
  }

  /** The median time of a write of 4 KB and its fdatasync into a file that already has its size, as in the log. */
  syncMs(): number {
    const file = openSync(join(this.folder, 'sync'), 'w');
    const block = Buffer.alloc(4096, 1);
    for (let i = 0; i < SYNCS; i++) writeSync(file, block);
    fdatasyncSync(file);
    const times = Array.from({ length: SYNCS }, (_, i) => {
      const start = performance.now();
      writeSync(file, block, 0, block.length, i * block.length);
      fdatasyncSync(file);
      return performance.now() - start;
    });
    closeSync(file);
    return median(times);
  }

  async stop(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill();
      await once(child, 'exit');
    }
    rmSync(this.folder, { recursive: true });
  }

  async #start(profileFolder: string | undefined, log: string | undefined): Promise<void> {
    const config = join(this.folder, 'config.json');
    writeFileSync(config, JSON.stringify(CONFIGURATION));
    const profile = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
    const ready = await this.#ready([...profile, ...this.#startOf('data')], log);
    this.#venuePort = Number(new URL(ready.http).port);
    this.control = ready.control;
    const reply = await this.#place();
    this.#barePort = Number(await this.#firstLine([pathOf('http-bare.ts'), JSON.stringify(reply)]));
  }

  /** Starts a standby of the venue, whose log is at that address. Resolves with its address for clients. */
  async follow(log: string): Promise<string> {
    return (await this.#ready([...this.#startOf('standby'), '--standby'], log)).http;
  }

  #startOf(data: string): string[] {
    const config = ['--config', join(this.folder, 'config.json'), '--data', join(this.folder, data)];
    const own = ['--master-key-file', join(this.folder, 'master.key'), '--port', '0', '--control-port', '0'];
    return [pathOf('../bin/bourse.js'), 'start', ...config, ...own];
  }

  async #ready(args: string[], log: string | undefined): Promise<{ http: string; control: string }> {
    return JSON.parse(await this.#firstLine(args, log)) as { http: string; control: string };
  }

  /** Places one order, whose reply shows how long replies are. */
  async #place(): Promise<{ orderId: string }[]> {
    const venue = `http://127.0.0.1:${this.#venuePort}`;
    const reply = await request(venue, 'POST', TARGET, { body: orderOf(0), credentials: traders[0] });
    return reply as { orderId: string }[];
  }

  /** Waits for the archive, which answers a look-up of an order once it holds everything up to that order. */
  async archived(): Promise<void> {
    const [{ orderId }] = await this.#place();
    const headers = { authorization: `Bearer ${this.controlToken}` };
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const { status } = await fetch(`${this.control}/control/v1/orders/${orderId}`, { headers });
      if (status === 200) return;
    }
    throw new Error('the archive does not come to where the venue is');
  }

  #owned(child: ChildProcess): ChildProcess {
    this.#children.push(child);
    return child;
  }

  /** Runs Node and resolves with the first line that the program prints. */
  async #firstLine(args: readonly string[], log?: string): Promise<string> {
    const env = {
      ...process.env,
      BOURSE_CONTROL_TOKEN: this.controlToken,
      ...(log !== undefined && { BOURSE_LOG: log }),
    };
    const child = this.#owned(spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
    let errors = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    for await (const line of createInterface({ input: child.stdout! })) return line;
    throw new Error(`${args.join(' ')} ended instead of getting ready:\n${errors}`);
  }

  async #run(order: LoadOrder): Promise<LoadReport> {
    this.#load.send(order);
    const [answer] = (await Promise.race([once(this.#load, 'message'), this.#loadEnds])) as [
      LoadReport | { error: string },
    ];
    if ('error' in answer) throw new Error(answer.error);
    return answer;
  }
}
