/**
 * A fuzzer of the whole venue over HTTP: five accounts, every kind of order on every surface, prices, time, halts, saved
 * states and restarts on a data folder. After every request: no reply is a 5xx, and the five statements hold. Everything
 * follows from one seed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlClient } from '../../src/client/control.ts';
import { type AccountInput, startVenue, type TestVenue } from '../../src/index.ts';
import { Random } from '../model/random.ts';
import { Client, type Json, type Reply } from '../support/client.ts';
import { CONTROL, RESTART, type Request, Requests } from './requests.ts';
import { broken } from './statements.ts';

const NAMES = ['ann', 'bob', 'cyd', 'dan', 'eve'];
const MONEY: Readonly<Record<string, string>> = {
  ann: '1000',
  bob: '10000',
  cyd: '100000',
  dan: '2000000',
  eve: '50000000',
};
/** How many requests before a failure its story tells. */
const LAST_SHOWN = 12;

export interface Outcome {
  readonly seed: number;
  readonly steps: number;
  /** Replies by HTTP status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** What went wrong, and the requests before it; null: nothing. */
  readonly failure: string | null;
}

/** `goOn` is asked before each step. */
export async function fuzz(seed: number, goOn: (step: number) => boolean): Promise<Outcome> {
  const data = await mkdtemp(join(tmpdir(), 'bourse-fuzz-'));
  const run = new Run(seed, data);
  try {
    await run.start();
    for (let step = 1; goOn(step); step++) if (!(await run.step(step))) break;
    return run.outcome();
  } finally {
    await run.stop();
    await rm(data, { recursive: true, force: true });
  }
}

class Run {
  readonly #seed: number;
  readonly #data: string;
  readonly #requests: Requests;
  readonly #statuses: Record<string, number> = {};
  readonly #last: string[] = [];
  #venue: TestVenue | null = null;
  #control!: ControlClient;
  #clients = new Map<string, Client>();
  #steps = 0;
  #failure: string | null = null;

  constructor(seed: number, data: string) {
    this.#seed = seed;
    this.#data = data;
    this.#requests = new Requests(new Random(seed), NAMES);
  }

  outcome(): Outcome {
    return { seed: this.#seed, steps: this.#steps, statuses: this.#statuses, failure: this.#failure };
  }

  async start(): Promise<void> {
    const accounts = NAMES.map((name): AccountInput => {
      const keys = [{ key: `${name}-key`, secret: `${name}-secret`, permissions: ['read', 'trading'] as const }];
      return {
        name,
        balances: { USDT: MONEY[name], BTC: '10', ETH: '100' },
        keys: keys as unknown as AccountInput['keys'],
      };
    });
    this.#venue = await startVenue({
      ...{ clock: 'manual', port: 0, seed: this.#seed, data: join(this.#data, 'venue') },
      ...{ masterKeyFile: join(this.#data, 'master.key'), accounts, insuranceFund: { USDT: '1000' } },
    });
    const { url, control, controlToken } = this.#venue;
    this.#control = new ControlClient({ url: control, token: controlToken });
    this.#clients = new Map(
      NAMES.map((name) => [name, new Client(url, { key: `${name}-key`, secret: `${name}-secret` })]),
    );
  }

  async stop(): Promise<void> {
    await this.#venue?.close();
    this.#venue = null;
  }

  /** False: it failed. */
  async step(number: number): Promise<boolean> {
    this.#steps = number;
    const request = this.#requests.next();
    try {
      if (request === RESTART) {
        await this.stop();
        await this.start();
        this.#remember('restart');
      } else {
        const reply = await this.#send(request);
        this.#remember(`${sentence(request)} → ${reply.status} ${reply.text.slice(0, 160)}`);
        this.#statuses[reply.status] = (this.#statuses[reply.status] ?? 0) + 1;
        if (reply.status >= 500) return this.#fail(`a reply with ${reply.status}: ${reply.text}`);
        this.#requests.replied(request, reply);
      }
      const [audit, ...shown] = await Promise.all([
        this.#control.audit(),
        ...NAMES.map((name) => this.#control.account(name)),
      ]);
      const found = broken(Object.fromEntries(NAMES.map((name, i) => [name, shown[i]])), audit);
      return found.length === 0 || this.#fail(found.join('\n  '));
    } catch (error) {
      return this.#fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }

  #fail(what: string): false {
    this.#failure = [`seed ${this.#seed}, step ${this.#steps}: ${what}`, ...this.#last].join('\n  ');
    return false;
  }

  #remember(line: string): void {
    this.#last.push(line);
    if (this.#last.length > LAST_SHOWN) this.#last.shift();
  }

  async #send({ by, method, path, query, body }: Request): Promise<Reply> {
    if (by !== CONTROL)
      return this.#clients.get(by)!.call(method, path, { ...(query && { query }), ...(body && { body }) });
    const { control, controlToken } = this.#venue!;
    const response = await fetch(`${control}/control/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const read = text === '' ? undefined : (JSON.parse(text) as Json);
    return { status: response.status, body: read, text, headers: response.headers };
  }
}

function sentence({ by, method, path, query, body }: Request): string {
  const asked = query === undefined ? '' : `?${new URLSearchParams(query)}`;
  return `${by} ${method} ${path}${asked}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`;
}
