/**
 * A connection to the primary of a PostgreSQL cluster, and what its errors mean.
 *
 * - `Lost`: the connection ended, or the server could not go on. Whether the statement in progress took effect is unknown.
 * - A warning counts as that too: PostgreSQL answers a commit with one if it stopped waiting for its standbys.
 * - Any other error is the server's answer, and the statement had no effect.
 *
 * A connection to the primary sets in its session what the log relies on. What a role, a database or a reload sets does not
 * change that.
 */
import { Client, type ClientConfig, type QueryArrayResult, type QueryConfig, type QueryResult } from 'pg';
import { LogFull, LogUnreachable } from '../contract/command-log.ts';
import type { LogWorld } from '../contract/log-world.ts';
import type { DatabaseAddress } from './address.ts';

/**
 * Asks whether the server is a standby, and sets the session: a commit waits for the standby servers, a warning is sent, and a
 * number is sent in full.
 */
const BEGIN_SESSION = `SELECT pg_is_in_recovery() AS standby,
  set_config('synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
  set_config('client_min_messages', 'warning', false), set_config('extra_float_digits', '1', false)`;
/** A commit that changes nothing. It waits for the standby servers as every other. */
const EMPTY_COMMIT = `SELECT pg_logical_emit_message(true, 'bourse', '')`;
/** A commit of this user that has waited for standby servers for longer than $1 ms. A user does not see others' sessions. */
const WAITING = `SELECT 1 AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep'
  AND query_start < clock_timestamp() - $1::float8 * interval '1 ms' LIMIT 1`;
/** The session of a connection. A server that has restarted does not have it. */
const SESSION = 'SELECT 1 AS there FROM pg_stat_activity WHERE pid = $1';
const CONNECT_MS = 2000;
/** How long a statement waits for a lock, such as that of a writer whose commit waits for a standby. */
const LOCK_MS = 3000;
/** How long a transaction may rest between two statements. Its process may be gone without a word, and its locks stop all others. */
const RESTING_MS = 3000;
const KEEP_ALIVE_AFTER_MS = 1000;
/** How long the look for a commit that waits may take. */
const LOOK_MS = 1000;
const NO_STANDBY =
  'the server answers, but none of its standby servers (synchronous_standby_names) confirms what it writes';
/** How long a statement may take before the connection counts as lost. A machine that is gone says nothing. */
const ANSWER_MS = 5000;
/** The same for one that reads or writes much, while its server is there (`#watch`). */
export const LARGE_ANSWER_MS = 60_000;
/** SQLSTATE: the disk is full. */
const DISK_FULL = '53100';
/** SQLSTATE: the server has no connection for another client. */
const TOO_MANY = '53300';
/** SQLSTATE: a lock was not free in time. */
const LOCKED = '55P03';
/** What pg says when `query_timeout` is over. */
const NO_ANSWER = 'Query read timeout';
/** What pg says, among other words, when a server wants a password and there is none. */
const NO_PASSWORD = 'client password must be a string';
/** SQLSTATE: a relation or a schema does not exist. */
const MISSING = ['42P01', '3F000'];
/**
 * SQLSTATEs of answers after which the statement had no effect now, and may have one in another try: the server is read-only
 * (a standby), somebody cancelled the statement, a lock was not free in time, no more connections or memory.
 */
const PASSING = ['25006', '57014', LOCKED, '40001', '40P01', '53200', TOO_MANY];

/** The connection is lost. The outcome of the statement in progress is unknown. */
export class Lost extends Error {
  override readonly name = 'Lost';
}

/** What is used of a client of `pg`. Its types do not have the last three. */
export interface DatabaseClient {
  connect(): Promise<unknown>;
  end(): Promise<void>;
  on(event: 'error' | 'end' | 'notice' | 'notification', act: (about: Told) => void): unknown;
  query(statement: QueryConfig): Promise<QueryResult>;
  ref(): void;
  unref(): void;
  readonly connection: { readonly stream: { destroy(): void } };
  /** Of the server's session. Null: there is none yet. */
  readonly processID: number | null;
}

/** What a client reports: an error, a notice, or a notification. */
interface Told {
  readonly message?: string;
  readonly severity?: string;
  readonly payload?: string;
}

/** A cluster, and how its servers are reached. */
export interface Database extends DatabaseAddress {
  /** Default: the client of `pg`. A simulation gives another one. */
  readonly newClient?: (config: ClientConfig) => DatabaseClient;
  /** Absent: a statement that may take long is not watched (`#watch`). */
  readonly world?: Pick<LogWorld, 'timer'>;
}

const GONE = 'the server no longer has the session of a statement that takes long';
const newPgClient = (config: ClientConfig) => new Client(config) as unknown as DatabaseClient;

export class Connection {
  /** The address of its one server, with the password. */
  readonly #host: string;
  readonly #database: Database;
  readonly #client: DatabaseClient;
  #warning: string | undefined;
  #ended: string | undefined;
  #busy = 0;
  readonly #ending = Promise.withResolvers<void>();

  private constructor(host: string, database: Database) {
    this.#host = host;
    this.#database = database;
    const client = (database.newClient ?? newPgClient)({
      connectionString: host,
      application_name: 'bourse',
      connectionTimeoutMillis: CONNECT_MS,
      lock_timeout: LOCK_MS,
      idle_in_transaction_session_timeout: RESTING_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    });
    this.#client = client;
    client.on('error', ({ message = 'the connection failed' }) => this.#end(message));
    client.on('end', () => this.#end('the server closed the connection'));
    client.on('notice', ({ severity, message }) => {
      if (severity === 'WARNING') this.#warning = message;
    });
  }

  /**
   * Connects to the host that is the primary. All hosts are asked at once, because one that is gone answers nothing. An old
   * primary may have come back beside a promoted one: no standby server follows it, so it cannot commit.
   * @throws {LogUnreachable} none is, or none can be reached
   */
  static async open(database: Database): Promise<Connection> {
    const { where, connections } = database;
    const attempts = connections.map((host) => Connection.#primary(host, database));
    try {
      const first = await Promise.any(attempts);
      for (const attempt of attempts) attempt.then((other) => other !== first && other.close()).catch(() => {});
      return first;
    } catch (error) {
      const { errors } = error as { errors: readonly unknown[] };
      const cause = errors.find((each) => saidBy(each) !== undefined);
      throw new LogUnreachable(where, [...new Set(errors.map(textOf))].join('; '), { cause });
    }
  }

  /** Connects to one host, whatever its server is. Rejects with the error of the system. */
  static async to(host: string, database: Database): Promise<Connection> {
    const connection = new Connection(host, database);
    try {
      await connection.#client.connect();
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  static async #primary(host: string, database: Database): Promise<Connection> {
    const connection = new Connection(host, database);
    try {
      await connection.#client.connect();
      const { rows } = await connection.query(BEGIN_SESSION, [], CONNECT_MS);
      if (rows[0].standby !== false) throw new Error('the server is a standby, and the log needs the primary');
      if (database.connections.length > 1) await connection.commitNothing(CONNECT_MS);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Why it can no longer be used. Undefined: it can. */
  get ended(): string | undefined {
    return this.#ended;
  }

  /** Without an answer for `limitMs`, the connection is lost. @throws {Lost} @throws the server's answer */
  async query(text: string, values: readonly unknown[] = [], limitMs = ANSWER_MS): Promise<QueryResult> {
    return this.#run({ text, values: [...values] }, limitMs);
  }

  /** The same, prepared once for each name. */
  async prepared(name: string, text: string, values: readonly unknown[]): Promise<QueryResult> {
    return this.#run({ name, text, values: values as unknown[] }, ANSWER_MS);
  }

  /** The first column of each row, which has bytes. */
  async bytes(text: string, values: readonly unknown[], limitMs = ANSWER_MS): Promise<Buffer[]> {
    const statement = { text, values: [...values], rowMode: 'array' as const };
    const { rows } = (await this.#run(statement, limitMs)) as unknown as QueryArrayResult<Buffer[]>;
    return rows.map(([first]) => first);
  }

  /** True: the server has a commit of this user that waits for standby servers, for so long now. @throws as `query` */
  async awaitsStandbys(forMs: number): Promise<boolean> {
    return (await this.query(WAITING, [forMs], LOOK_MS)).rowCount === 1;
  }

  /**
   * Shows that the server's commits get their quorum. Rejects at once if one has waited for 2 s already: a commit that is given
   * up keeps its connection at the server until a standby server is back, and the server has only so many.
   * @throws {Lost} @throws the server's answer
   */
  async commitNothing(limitMs = ANSWER_MS): Promise<void> {
    if (await this.awaitsStandbys(CONNECT_MS)) throw new Lost(NO_STANDBY);
    await this.query(EMPTY_COMMIT, [], limitMs);
  }

  /** Runs `act` in a transaction, which may be large. @throws {Lost} @throws the server's answer */
  async transaction<T>(act: () => Promise<T>): Promise<T> {
    await this.query('BEGIN');
    try {
      const result = await act();
      await this.query('COMMIT', [], LARGE_ANSWER_MS);
      return result;
    } catch (error) {
      if (this.#ended === undefined) await this.query('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  /** Resolves when it can no longer be used. */
  get whenEnded(): Promise<void> {
    return this.#ending.promise;
  }

  /** Calls `act` with the payload of each notification on a channel from now on. @throws {Lost} */
  async listen(channel: string, act: (payload: string) => void): Promise<void> {
    this.#client.on('notification', ({ payload = '' }) => act(payload));
    await this.query(`LISTEN ${channel}`);
  }

  /** Ends it, without waiting for the statement in progress. */
  close(why = 'it was closed'): void {
    this.#end(why);
    // A server that does not answer must not delay anybody.
    this.#client.connection.stream.destroy();
  }

  /** Ends it in order. Nobody waits for the server. */
  end(): void {
    if (this.#ended !== undefined) return;
    this.#end('it was closed');
    this.#client.end().catch(() => {});
  }

  #end(why: string): void {
    this.#ended ??= why;
    this.#ending.resolve();
  }

  /** While a statement is in progress, the connection keeps the process alive. */
  async #run(statement: QueryConfig, limitMs: number): Promise<QueryResult> {
    if (this.#ended !== undefined) throw new Lost(this.#ended);
    this.#warning = undefined;
    this.#busy += 1;
    this.#client.ref();
    const { world } = this.#database;
    const endWatch = world !== undefined && limitMs > ANSWER_MS ? this.#watch(world) : undefined;
    try {
      const result = await this.#client.query({ ...statement, query_timeout: limitMs } as QueryConfig);
      const warning = this.#warning;
      if (warning === undefined) return result;
      throw new Lost(warning);
    } catch (error) {
      throw this.#meaningOf(error, limitMs);
    } finally {
      endWatch?.();
      this.#busy -= 1;
      if (this.#busy === 0) this.#client.unref();
    }
  }

  /**
   * Looks every 5 s whether the server still has the session of a statement that may take long, and closes the connection if
   * not. Returns a function that ends the watch.
   */
  #watch(world: Pick<LogWorld, 'timer'>): () => void {
    let isOver = false;
    const look = async () => {
      const isThere = await this.#hasSession();
      if (isOver) return;
      if (isThere) timer = world.timer(ANSWER_MS, look);
      else this.close(GONE);
    };
    let timer = world.timer(ANSWER_MS, look);
    return () => {
      isOver = true;
      timer.clear();
    };
  }

  /** Asks the server over another connection. */
  async #hasSession(): Promise<boolean> {
    let other: Connection | undefined;
    try {
      other = await Connection.to(this.#host, this.#database);
      return (await other.query(SESSION, [this.#client.processID])).rowCount === 1;
    } catch (error) {
      // A server that has no connection left is there.
      return (error as { code?: string }).code === TOO_MANY;
    } finally {
      other?.end();
    }
  }

  #meaningOf(error: unknown, limitMs: number): unknown {
    if (error instanceof Lost) {
      this.close();
      return error;
    }
    const { code, severity } = error as { code?: string; severity?: string };
    const answered = severity === 'ERROR' && this.#ended === undefined;
    if (answered && !PASSING.includes(code ?? '')) return error;
    const gone = this.#ended === GONE ? GONE : undefined;
    const lost = new Lost(this.#warning ?? gone ?? slowText(error, limitMs) ?? textOf(error), { cause: error });
    if (!answered) this.close();
    return lost;
  }
}

/** The text of an error of the system. An error for several addresses of a host has none. */
export function textOf(error: unknown): string {
  const { message, code, errors } = error as { message?: string; code?: string; errors?: readonly Error[] };
  if (message?.includes(NO_PASSWORD))
    return 'the server wants a password: give it by PGPASSWORD, ~/.pgpass or the address';
  return message || errors?.[0]?.message || code || String(error);
}

/** What the server itself said about a failure, such as that the password is wrong. Undefined: it said nothing. */
export function saidBy(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ((at as { severity?: string }).severity !== undefined) return at.message;
  }
  return undefined;
}

/** What a server is likely to wait for that did not answer in time. Undefined: it is another error. */
function slowText(error: unknown, limitMs: number): string | undefined {
  const { code, message } = error as { code?: string; message?: string };
  const cause = 'perhaps a commit waits for the standby servers (synchronous_standby_names)';
  if (code === LOCKED) return `another process has held a lock for more than ${LOCK_MS / 1000} s: ${cause}`;
  if (message !== NO_ANSWER) return undefined;
  return `the server has not answered for ${limitMs / 1000} s: ${cause}`;
}

/** True: the tables do not exist. */
export function isMissing(error: unknown): boolean {
  return MISSING.includes((error as { code?: string }).code ?? '');
}

/** The error as one of the log. `bytes`: what was to be written. */
export function asLogError(where: string, error: unknown, bytes = 0, what?: string): unknown {
  if (error instanceof Lost) return new LogUnreachable(where, error.message, { cause: error });
  if ((error as { code?: string }).code !== DISK_FULL) return error;
  return new LogFull(where, bytes, { what, cause: error });
}
