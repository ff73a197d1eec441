/**
 * How long each read of the control surface holds the venue's thread, on a venue with many accounts, API keys and resting
 * orders. Nothing else happens meanwhile. The reads come over HTTP from another thread.
 *
 * A hold is the longest time in which the thread lets no timer fire between a request and its reply: in elapsed
 * time, which other programs on the machine lengthen, in processor time of the thread, which they do not, and in processor
 * time without the pauses for garbage collection. V8 collects an idle heap after some seconds, with or without reads. The limit is
 * on the last of the three. The hash of `/state` and the audit take seconds, but in the archive's thread. The first row is
 * without a read, for some seconds.
 *
 * usage: node bench/control.ts [--json] [--small] [--dir FOLDER]
 *   --small  a tenth of the accounts and orders
 *   --dir    the folder of the log; by default the system's folder for temporary files
 *
 * A hold above the limit ends the benchmark with exit code 1.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { readConfiguration } from '../src/config/config.ts';
import { type RunningVenue, start } from '../src/start.ts';
import type { Command } from '../src/venue/contract/commands.ts';
import { KEYS_PER_SEQ } from '../src/venue/contract/order-id.ts';
import { threadSeconds } from './thread-seconds.ts';
import { median } from './yardstick.ts';

const LIMIT_MS = 20;
const ROUNDS = 5;
const ACCOUNTS = 100_000;
const ORDERS_EACH = 10;
/** Submitted at a time. */
const TOGETHER = 4000;
const MARKET = 'BTC-USDT';
const TICKS = 1_000_000;
/** Of the quote currency, in its smallest unit: more than the orders of an account reserve. */
const WEALTH = '10000000000000';

interface Asked {
  readonly url: string;
  readonly token: string;
}

interface Read {
  readonly name: string;
  /** Null: nothing is read for a while. */
  readonly path: string | null;
}

const NOTHING_MS = 5000;

/** Sends requests, one at a time, from another thread. */
class Asker {
  readonly #worker: Worker;

  constructor(asked: Asked) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: asked });
  }

  /** Resolves when the whole reply is there. */
  async ask(path: string | null): Promise<void> {
    if (path === null) {
      await new Promise((resolve) => setTimeout(resolve, NOTHING_MS));
      return;
    }
    this.#worker.postMessage(path);
    const [problem] = (await once(this.#worker, 'message')) as [string | null];
    if (problem !== null) throw new Error(problem);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

function serveAsker(): void {
  const { url, token } = workerData as Asked;
  parentPort?.on('message', async (path: string) => {
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    parentPort?.postMessage(response.ok ? null : `GET ${path}: ${response.status} ${text.slice(0, 500)}`);
  });
}

/** In ms. `cpu` is processor time of the thread, `own` the same without garbage collection. */
interface Hold {
  readonly from: number;
  readonly to: number;
  readonly cpu: number;
}

interface Longest {
  readonly elapsed: number;
  readonly cpu: number;
  readonly own: number;
}

/** Watches how late the timers of this thread get. */
class Timers {
  #timer: NodeJS.Timeout | undefined;
  #holds: Hold[] = [];
  #collections: { from: number; to: number }[] = [];
  readonly #observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      this.#collections.push({ from: startTime, to: startTime + duration });
  });

  begin(): void {
    this.#holds = [];
    this.#collections = [];
    this.#observer.observe({ entryTypes: ['gc'] });
    let [from, cpuBefore] = [performance.now(), cpuMs()];
    this.#timer = setInterval(() => {
      const [to, cpuNow] = [performance.now(), cpuMs()];
      this.#holds.push({ from, to, cpu: cpuNow - cpuBefore });
      [from, cpuBefore] = [to, cpuNow];
    }, 1);
  }

  /** The longest holds since `begin`. */
  async end(): Promise<Longest> {
    clearInterval(this.#timer);
    // An observer hears of a collection in a later turn.
    await new Promise(setImmediate);
    this.#observer.disconnect();
    const longest = (of: (hold: Hold) => number) => this.#holds.reduce((most, hold) => Math.max(most, of(hold)), 0);
    return {
      elapsed: longest(({ from, to }) => to - from),
      cpu: longest(({ cpu }) => cpu),
      own: longest((hold) => hold.cpu - this.#collecting(hold)),
    };
  }

  #collecting({ from, to }: Hold): number {
    const shared = this.#collections.map((each) => Math.min(each.to, to) - Math.max(each.from, from));
    return shared.reduce((sum, ms) => sum + Math.max(ms, 0), 0);
  }
}

function cpuMs(): number {
  return threadSeconds() * 1000;
}

function startVenue(folder: string): Promise<RunningVenue> {
  const fail = (error: unknown): never => {
    throw error;
  };
  return start({
    configuration: readConfiguration({ markets: [{ symbol: MARKET }], accounts: [] }),
    data: join(folder, 'data'),
    masterKeys: ['1'.repeat(64)],
    host: '127.0.0.1',
    port: 0,
    controlHost: '127.0.0.1',
    controlPort: 0,
    // A regular snapshot would run beside what is measured.
    snapshotEvery: 1_000_000_000,
    clock: 'manual',
    demo: false,
    notice: () => {},
    onBug: fail,
    onFatal: fail,
  });
}

/** Accounts with money, a key and resting orders each. Returns the id of the last order. */
async function fill({ engine, keyring }: RunningVenue, accounts: number): Promise<string> {
  const sealed = keyring.seal('a secret that nobody uses');
  const head = { v: 1, type: 'place', market: 0, side: 0, clientId: null, request: null, broker: null } as const;
  const terms = { kind: 'limit', size: 1000, timeInForce: 'GTC', postOnly: false, reduceOnly: false } as const;
  let waiting: Promise<void>[] = [];
  let lastSeq = 0;
  const flush = async (): Promise<void> => {
    await Promise.all(waiting);
    waiting = [];
  };
  const send = async (command: Command): Promise<void> => {
    const reply = engine.submit(command).then(({ seq, refusal }) => {
      if (refusal !== null) throw new Error(`${command.type}: ${JSON.stringify(refusal)}`);
      lastSeq = seq;
    });
    if (waiting.push(reply) >= TOGETHER) await flush();
  };
  const first = engine.venue.nextAccount;
  for (let i = 0; i < accounts; i++) await send({ v: 1, type: 'createAccount', name: `account-${i}` });
  for (let account = first; account < first + accounts; account++) {
    await send({ v: 1, type: 'deposit', account, currency: 'USDT', amount: WEALTH });
    const key = { v: 1, type: 'addKey', key: `key-${account}`, sealed, permissions: ['read'] } as const;
    await send({ ...key, account, ipAllow: [], expiresAtMs: null });
    for (let i = 0; i < ORDERS_EACH; i++) {
      const price = TICKS - ((account * ORDERS_EACH + i) % 20_000);
      await send({ ...head, ...terms, account, price });
    }
  }
  await flush();
  return engine.venue.orderIds.encode(lastSeq * KEYS_PER_SEQ);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { json: { type: 'boolean' }, small: { type: 'boolean' }, dir: { type: 'string' } },
  });
  const say = (text: string) => (values.json ? undefined : console.log(text));
  const accounts = values.small ? ACCOUNTS / 10 : ACCOUNTS;
  const folder = mkdtempSync(join(values.dir ?? tmpdir(), 'bourse-bench-'));
  try {
    const running = await startVenue(folder);
    const asker = new Asker({ url: running.control, token: running.controlToken });
    try {
      const order = await fill(running, accounts);
      await measure(running, asker, readsOf(order, accounts), { say, json: values.json === true });
    } finally {
      await asker.close();
      await running.stop();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readsOf(order: string, accounts: number): Read[] {
  const last = `account-${accounts - 1}`;
  const read = (name: string, path: string): Read => ({ name, path: `/control/v1${path}` });
  return [
    { name: 'nothing', path: null },
    read('state', '/state'),
    read('audit', '/audit'),
    read('accounts, first page of 1,000', '/accounts?limit=1000'),
    read('accounts, last page of 1,000', `/accounts?limit=1000&after=account-${accounts - 1001}`),
    read('account', `/accounts/${last}`),
    read('ledger of an account', `/accounts/${last}/ledger`),
    read('keys, first page of 1,000', '/keys?limit=1000'),
    read('keys, last page of 1,000', `/keys?limit=1000&after=account-${accounts - 1001}/key-0`),
    read('keys of an account', `/accounts/${last}/keys`),
    read('order', `/orders/${order}`),
    read('markets', '/markets'),
    read('metrics', '/metrics'),
    read('health', '/health'),
    { name: 'readyz', path: '/readyz' },
  ];
}

async function measure(
  { engine }: RunningVenue,
  asker: Asker,
  reads: readonly Read[],
  { say, json }: { say: (text: string) => void; json: boolean },
): Promise<void> {
  const { orders, accounts } = engine.venue.counts();
  say(`Node ${process.version}, ${availableParallelism()} cores; ${accounts} accounts, ${orders} resting orders`);
  await caughtUp(asker);
  // Once unmeasured: the code is compiled, and the metrics of the process begin at their first scrape.
  for (const { path } of reads) await asker.ask(path);
  const timers = new Timers();
  say(
    `${'read'.padEnd(32)}${'reply, ms'.padStart(12)}${'longest hold, ms'.padStart(18)}${'of processor time'.padStart(19)}${'without collections'.padStart(21)}`,
  );
  for (const { name, path } of reads) {
    const rounds: (Longest & { readonly replyMs: number })[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const begunMs = performance.now();
      timers.begin();
      await asker.ask(path);
      const replyMs = performance.now() - begunMs;
      rounds.push({ replyMs, ...(await timers.end()) });
    }
    const replyMs = median(rounds.map((each) => each.replyMs));
    const holdMs = median(rounds.map(({ elapsed }) => elapsed));
    const holdCpuMs = Math.max(...rounds.map(({ cpu }) => cpu));
    const holdOwnMs = Math.max(...rounds.map(({ own }) => own));
    if (json)
      console.log(
        JSON.stringify({ case: 'control', read: name, accounts, orders, replyMs, holdMs, holdCpuMs, holdOwnMs }),
      );
    const cells = [
      replyMs.toFixed(1).padStart(12),
      holdMs.toFixed(1).padStart(18),
      holdCpuMs.toFixed(1).padStart(19),
      holdOwnMs.toFixed(1).padStart(21),
    ];
    say(name.padEnd(32) + cells.join(''));
    if (holdOwnMs <= LIMIT_MS || path === null) continue;
    console.error(`${name} holds the thread for ${holdOwnMs.toFixed(1)} ms, more than ${LIMIT_MS}`);
    process.exitCode = 1;
  }
}

/** Waits until the archive has everything: a reading of the state needs it, and is refused after a while. */
async function caughtUp(asker: Asker): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await asker.ask('/control/v1/state');
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
}

if (isMainThread) await main();
else serveAsker();
