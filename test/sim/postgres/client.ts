/** The client of a simulated server: what the log uses of the client of `pg`, over links that may be slow, or cut. */
import type { ClientConfig, QueryConfig, QueryResult } from 'pg';
import type { DatabaseClient } from '../../../src/log/postgres/connection.ts';
import type { Machine, Process } from '../machine.ts';
import type { Cluster, Link } from './cluster.ts';
import type { Server, Session } from './server.ts';
import { SqlError } from './server.ts';
import { type Answer, carryOut } from './statements.ts';

type Event = 'error' | 'end' | 'notice' | 'notification';
interface Told {
  readonly message?: string;
  readonly severity?: string;
  readonly payload?: string;
}
interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** What the servers see of a process of the venue. */
export interface Reached {
  readonly machine: Machine;
  readonly cluster: Cluster;
  /** Of the machine on which it runs. */
  readonly node: number;
  readonly process: Process;
}

export class SimClient implements DatabaseClient {
  readonly #reached: Reached;
  readonly #config: ClientConfig;
  readonly #server: Server;
  readonly #link: Link;
  readonly #listeners = new Map<Event, ((about: Told) => void)[]>();
  readonly #queue: Query[] = [];
  #active: Query | undefined;
  #session: Session | undefined;
  #isClosed = false;
  #failConnect: ((error: Error) => void) | undefined;
  /** When the last message arrives, each way: messages do not overtake each other. */
  readonly #arrivedMs = { there: 0, back: 0 };

  constructor(reached: Reached, config: ClientConfig) {
    this.#reached = reached;
    this.#config = config;
    const host = new URL(config.connectionString as string).hostname;
    this.#server = reached.cluster.server(host);
    this.#link = reached.cluster.link(reached.node, host);
  }

  readonly connection = { stream: { destroy: () => this.#close() } };

  on(event: Event, act: (about: Told) => void): void {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), act]);
  }

  get processID(): number | null {
    return this.#session?.id ?? null;
  }

  ref(): void {}

  unref(): void {}

  connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { connectionTimeoutMillis = 0, lock_timeout, idle_in_transaction_session_timeout } = this.#config;
      this.#failConnect = reject;
      const timer = this.#reached.process.timer(connectionTimeoutMillis, () => {
        this.#close();
        reject(new Error('timeout expired'));
      });
      this.#there(() => {
        const server = this.#server;
        if (!server.isUp) {
          this.#back(() => {
            timer.clear();
            reject(new Error(`connect ECONNREFUSED ${server.name}`));
          });
          return;
        }
        const session = server.connect({
          notice: (message) => this.#back(() => this.#emit('notice', { message, severity: 'WARNING' })),
          notification: (payload) => this.#back(() => this.#emit('notification', { payload })),
          closed: (silent) => {
            if (!silent) this.#back(() => this.#ended('Connection terminated unexpectedly'));
          },
        });
        session.lockTimeoutMs = lock_timeout ?? Number.POSITIVE_INFINITY;
        session.idleTimeoutMs = idle_in_transaction_session_timeout ?? Number.POSITIVE_INFINITY;
        this.#session = session;
        if (this.#isClosed) session.clientGone();
        this.#back(() => {
          timer.clear();
          this.#failConnect = undefined;
          resolve();
        });
      });
    });
  }

  query({ text, values = [], ...more }: QueryConfig): Promise<QueryResult> {
    const { query_timeout: limitMs } = more as { query_timeout?: number };
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(new Error('Client was closed and is not queryable'));
        return;
      }
      const timer =
        limitMs === undefined
          ? undefined
          : this.#reached.process.timer(limitMs, () => reject(new Error('Query read timeout')));
      this.#queue.push({
        text,
        values,
        resolve: (answer) => {
          timer?.clear();
          resolve(answer as unknown as QueryResult);
        },
        reject: (error) => {
          timer?.clear();
          reject(error);
        },
      });
      this.#next();
    });
  }

  async end(): Promise<void> {
    this.#close();
  }

  /** The process is gone. `silent`: with its machine. */
  abandon(silent: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (!silent) this.#there(() => this.#session?.clientGone());
  }

  /** Something on the way resets the connection. */
  reset(): void {
    if (this.#isClosed) return;
    this.#there(() => this.#session?.clientGone());
    this.#back(() => this.#ended('read ECONNRESET'));
  }

  #next(): void {
    if (this.#active !== undefined || this.#isClosed) return;
    const query = this.#queue.shift();
    if (query === undefined) return;
    this.#active = query;
    this.#there(() => this.#carryOut(query));
  }

  async #carryOut(query: Query): Promise<void> {
    const session = this.#session;
    if (session === undefined || session.isOver) return;
    session.work();
    let done: () => void;
    try {
      const answer = await carryOut(session, query.text, query.values);
      done = () => query.resolve(answer);
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      done = () => query.reject(error);
    }
    if (session.isOver) return;
    session.rest();
    this.#back(() => {
      this.#active = undefined;
      done();
      this.#next();
    });
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#failConnect?.(new Error('the connection was closed'));
    this.#there(() => this.#session?.clientGone());
    this.#fail('Connection terminated');
  }

  /** The server has closed the connection. */
  #ended(message: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#emit('error', { message });
    this.#fail(message);
    this.#emit('end', {});
  }

  #fail(message: string): void {
    const error = new Error(message);
    this.#failConnect?.(error);
    this.#active?.reject(error);
    for (const { reject } of this.#queue.splice(0)) reject(error);
  }

  #emit(event: Event, about: Told): void {
    for (const act of this.#listeners.get(event) ?? []) act(about);
  }

  /** Happens at the server, whatever becomes of the process meanwhile. */
  #there(act: () => void): void {
    const { machine } = this.#reached;
    machine.in(this.#arrival('there'), act);
  }

  /** Happens in the process. */
  #back(act: () => void): void {
    const { machine, process } = this.#reached;
    machine.in(
      this.#arrival('back'),
      () => {
        if (!this.#isClosed) act();
      },
      process,
    );
  }

  #arrival(way: 'there' | 'back'): number {
    const atMs = Math.max(this.#link.arrivalMs(way), this.#arrivedMs[way] + 1e-6);
    this.#arrivedMs[way] = atMs;
    return atMs - this.#reached.machine.nowMs;
  }
}
