/**
 * The right to append: the row `bourse.writer`, and the lease that shows that its owner lives.
 *
 * Invariants:
 * - A frame is inserted by one statement that finds its own term in the row, and locks the row until it commits. A new
 *   term waits for that lock. So once a new term is committed, nothing of an older term is written any more.
 * - Each connection has a term. After a lost connection, the new one's term is committed first: what the old connection had
 *   in flight is then written or never will be, and it is written to the standbys too, because its commit came before.
 * - The statement that appends a frame inserts nothing if the server could lose it (settings.ts). The writer looks again once
 *   it has committed: if `synchronous_standby_names` becomes empty, the server lets waiting commits through at once.
 * - The same statement notifies those who follow the log (news.ts), when it is committed.
 * - A lease is judged by the elapsed time of the one who wants to take over, since it saw the row change. No clocks are
 *   compared. The lease only says when to take over. The term keeps two writers apart.
 */
import { hostname } from 'node:os';
import { LogFailed, LogLocked, LogUnreachable } from '../contract/command-log.ts';
import type { Addresses, Candidate } from '../contract/leader.ts';
import type { LogWorld } from '../contract/log-world.ts';
import { decodeFrame, type PlacedFrame } from '../shared/frame.ts';
import { asLogError, Connection, type Database, Lost, saidBy } from './connection.ts';
import { LEASE_MS, Lease, type LeaseMachine } from './lease.ts';
import { CHANNEL } from './news.ts';
import {
  type Accepted,
  CURRENT,
  type CurrentSettings,
  changing,
  DatabaseUnsafe,
  type Reliance,
  readReliance,
  safeCondition,
  unsafeText,
} from './settings.ts';
import { createPartition, createTables, PARTITION_SEQS } from './tables.ts';

const POLL_MS = 50;
/** How long a standby waits for the server, which may be gone with the leader, before it looks for another. */
const LOOK_MS = 1000;
const CLAIM_RETRY_MS = 200;
const UNNAMED = 'another process';
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 1000;

const INSERT = `INSERT INTO bourse.frame SELECT $2::bigint, $3::integer, $4::integer, $5::bytea
  FROM bourse.writer WHERE term = $1`;
/** For a copy. It acknowledges no orders, so it does not look at the settings. */
const INSERT_COPIED = `${INSERT} FOR SHARE`;
/** `safe`: the condition under which the server loses nothing (`safeCondition`). */
const append = (safe: string) => `WITH appended AS (${INSERT} AND ${safe} FOR SHARE RETURNING seq)
  SELECT pg_notify('${CHANNEL}', seq::text) FROM appended`;
const LOOK_AT_SETTINGS = `SELECT ${CURRENT}`;

const NEXT_TERM = 'UPDATE bourse.writer SET term = term + 1 WHERE owner = $1 RETURNING term::float8 AS term';
const OWNED = 'SELECT FROM bourse.writer WHERE owner = $1 AND term = $2';
const ANNOUNCE = 'UPDATE bourse.writer SET http = $2, control = $3 WHERE owner = $1';
const LOOK = `SELECT l.owner, l.beat::float8 AS beat, w.name, w.http, w.control FROM bourse.lease l, bourse.writer w`;
const LAST = `SELECT f.seq::float8 AS seq, f.segment, f.at AS "offset", f.frame AS bytes FROM bourse.frame f
  ORDER BY f.seq DESC, f.segment DESC, f.at DESC LIMIT 1`;

export interface WriterOptions {
  readonly world: LogWorld;
  readonly accepted: Accepted;
  /** Where the lease is renewed. Default: in a thread of this process. */
  readonly leases?: LeaseMachine;
}

/** One frame, with its place. */
export interface Row {
  readonly seq: number;
  readonly segment: number;
  readonly offset: number;
  readonly bytes: Buffer;
}

export class Writer {
  readonly where: string;
  readonly #database: Database;
  readonly #options: WriterOptions;
  /** What this process is called in the tables. */
  readonly id: string;
  readonly lease: Lease;
  #connection: Connection;
  #term: number;
  readonly #append: string;
  #reliance: Reliance;
  /** Why it could not connect again so far. */
  #problem: string | undefined;
  #released = false;

  private constructor(
    database: Database,
    options: WriterOptions,
    owner: string,
    connection: Connection,
    term: number,
    reliance: Reliance,
    lease: Lease,
  ) {
    this.where = database.where;
    this.#database = database;
    this.#options = options;
    this.id = owner;
    this.#append = append(safeCondition(database, options.accepted));
    this.#connection = connection;
    this.#term = term;
    this.#reliance = reliance;
    this.lease = lease;
  }

  /**
   * Becomes the writer, once the present one has released the log, or does not renew its lease.
   * `candidate`: waits for that, however long it takes.
   * @throws {LogLocked} it renews it, and there is no candidate, or it has given up
   * @throws {DatabaseUnsafe} @throws {LogUnreachable} @throws {LogUnsupported}
   */
  static async claim(database: Database, options: WriterOptions, candidate?: Candidate): Promise<Writer> {
    const waiting = candidate && new Waiting(candidate);
    for (;;) {
      try {
        return await Writer.#claim(database, options, waiting);
      } catch (error) {
        const passes = error instanceof LogUnreachable || error instanceof LogLocked;
        if (candidate === undefined || candidate.hasGivenUp || !passes) throw error;
      }
      await delay(options.world, CLAIM_RETRY_MS);
    }
  }

  static async #claim(database: Database, options: WriterOptions, waiting?: Waiting): Promise<Writer> {
    const { where } = database;
    const connection = await Connection.open(database);
    let lease: Lease | undefined;
    try {
      const reliance = await readReliance(connection, database, options.accepted);
      await createTables(connection);
      lease = await Lease.prepare(database, options.leases);
      const seen = await untilFree(connection, where, options.world, waiting);
      if (waiting?.candidate.needsSeal) await refuseUnsealed(connection, where);
      const { rows } = await connection.query('SELECT gen_random_uuid() AS owner');
      const { owner } = rows[0] as { owner: string };
      const takenAtMs = lease.nowMs();
      const term = await takeOver(connection, where, owner, seen);
      lease.begin(owner, takenAtMs);
      return new Writer(database, options, owner, connection, term, reliance, lease);
    } catch (error) {
      await lease?.release();
      connection.end();
      throw asRefusal(where, asLogError(where, error));
    }
  }

  /** What the log relies on, with the settings of the last renewal. */
  get reliance(): Reliance {
    const { settings } = this.lease;
    return settings === undefined ? this.#reliance : { ...this.#reliance, ...changing(settings) };
  }

  /** Why the server could lose what it acknowledges, by the settings of the last renewal. Undefined: it cannot. */
  get unsafe(): string | undefined {
    const { settings } = this.lease;
    return settings && unsafeText(settings, this.#database, this.#options.accepted);
  }

  /** While it connects again: why it could not so far. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The connection of this term, for what is done between two frames. */
  get connection(): Connection {
    return this.#connection;
  }

  /**
   * Inserts a frame, if this is still the writer. @throws {LogFailed} it is not
   * @throws {Lost} unknown, or the server could lose it: call `reconnect`, and look for the frame
   * @throws {LogFull} it is not inserted
   */
  async append({ seq, segment, offset, bytes }: Row): Promise<void> {
    const values = [this.#term, seq, segment, offset, bytes];
    const { rowCount } = await this.#connection.prepared('append', this.#append, values);
    await this.#refuseUnsafe();
    if (rowCount === 1) return;
    // The settings may have been wrong for a moment.
    if (await this.isWriter()) throw new Lost('the settings of the server have changed');
    throw this.replaced();
  }

  /** @throws {Lost} the server could lose what it acknowledges */
  async #refuseUnsafe(): Promise<void> {
    const { rows } = await this.#connection.prepared('settings', LOOK_AT_SETTINGS, []);
    const problem = unsafeText(rows[0] as CurrentSettings, this.#database, this.#options.accepted);
    if (problem !== undefined) throw new Lost(problem);
  }

  /** Writes where this process serves. @throws {Lost} */
  async announce({ http, control }: Addresses): Promise<void> {
    await this.#connection.query(ANNOUNCE, [this.id, http, control]);
  }

  /** Inserts frames in one transaction, for a copy. @throws {LogFailed} @throws {LogUnreachable} @throws {LogFull} */
  async appendAll(frames: readonly PlacedFrame[]): Promise<void> {
    const [first, last] = [frames[0], frames[frames.length - 1]];
    await this.#orLogError(async () => {
      for (let seq = first.frame.lastSeq; seq < last.frame.lastSeq + PARTITION_SEQS; seq += PARTITION_SEQS) {
        await createPartition(this.#connection, seq);
      }
    });
    await this.#inTransaction(async () => {
      for (const { segment, offset, frame, bytes } of frames) {
        const { rowCount } = await this.#connection.prepared('insert', INSERT_COPIED, [
          this.#term,
          frame.lastSeq,
          segment,
          offset,
          bytes,
        ]);
        if (rowCount !== 1) throw this.replaced();
      }
    });
  }

  /**
   * Removes every frame and every file, after a copy into an empty database that failed.
   * @throws {LogFailed} this is no longer the writer: what is there may be another venue @throws {LogUnreachable}
   */
  async discard(): Promise<void> {
    await this.#inTransaction(async () => {
      // The one who takes over waits for the lock of the row, and finds the tables empty.
      const { rowCount } = await this.#connection.query(`${OWNED} FOR UPDATE`, [this.id, this.#term]);
      if (rowCount !== 1) throw this.replaced();
      await this.#connection.query('TRUNCATE bourse.frame, bourse.file');
    });
  }

  #inTransaction(act: () => Promise<void>): Promise<void> {
    return this.#orLogError(() => this.#connection.transaction(act));
  }

  async #orLogError(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      throw asLogError(this.where, error);
    }
  }

  /**
   * Connects again, and begins a new term. Tries until it can, and the server loses nothing that it acknowledges.
   * @throws {LogFailed} another process is the writer now
   */
  async reconnect(): Promise<void> {
    this.#connection.close();
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_RETRY_MS)) {
      try {
        return await this.#reconnect();
      } catch (error) {
        const passes = [LogUnreachable, Lost, DatabaseUnsafe].some((kind) => error instanceof kind);
        if (!passes) throw asFailure(error);
        this.#problem = error instanceof DatabaseUnsafe ? error.message : saidBy(error);
        if (this.#released) throw new LogFailed(`the log in ${this.where} was closed while it could not be reached`);
      }
      await delay(this.#options.world, waitMs);
    }
  }

  /** False: another process has taken over. @throws {Lost} */
  async isWriter(): Promise<boolean> {
    const { rowCount } = await this.#connection.query(OWNED, [this.id, this.#term]);
    return rowCount === 1;
  }

  /** The last frame in the log. Undefined: the log is empty. @throws {Lost} */
  async lastFrame(): Promise<Row | undefined> {
    const { rows } = await this.#connection.query(LAST);
    return rows[0] as Row | undefined;
  }

  replaced(): LogFailed {
    return takenOver(this.where);
  }

  /** Gives the log back. May be called more than once. */
  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    await this.lease.release();
    this.#connection.end();
  }

  async #reconnect(): Promise<void> {
    const connection = await Connection.open(this.#database);
    try {
      this.#reliance = await readReliance(connection, this.#database, this.#options.accepted);
      const { rows } = await connection.query(NEXT_TERM, [this.id]);
      if (rows.length === 0) throw this.replaced();
      this.#term = rows[0].term;
      this.#connection = connection;
      this.#problem = undefined;
    } catch (error) {
      connection.close();
      throw error;
    }
  }
}

/** The error of a writer that another process has replaced. */
export function takenOver(where: string): LogFailed {
  return new LogFailed(`another process has taken over the log in ${where}: nothing more will be written by this one`);
}

/** What the server has refused, such as a right that the user does not have. */
function asRefusal(where: string, error: unknown): unknown {
  if ((error as { severity?: string }).severity === undefined) return error;
  return new LogFailed(`the log in ${where} cannot be used: ${(error as Error).message}`, { cause: error });
}

function asFailure(error: unknown): unknown {
  if (error instanceof LogFailed) return error;
  return new LogFailed((error as Error).message, { cause: error });
}

/** What a process that wants to take over has seen. */
interface Seen {
  readonly owner: string | null;
  readonly beat: number;
}

interface Look extends Seen {
  readonly name: string | null;
  readonly http: string | null;
  readonly control: string | null;
}

/** A candidate, and what it knows of the present writer. */
class Waiting {
  readonly candidate: Candidate;
  #prepared: Promise<void> | undefined;
  #known = '';

  constructor(candidate: Candidate) {
    this.candidate = candidate;
  }

  /** Another process writes. Resolves when the candidate may take over from it. */
  async found({ name, http, control }: Look): Promise<void> {
    const known = JSON.stringify([name, http, control]);
    if (known !== this.#known) {
      this.#known = known;
      const addresses = http === null || control === null ? undefined : { http, control };
      this.candidate.onLeader({ name: name ?? UNNAMED, addresses });
    }
    this.#prepared ??= this.candidate.prepare();
    await this.#prepared;
  }
}

/**
 * Waits until no writer renews the lease.
 * @throws {LogLocked} a writer renews it, and nobody waits, or the candidate has given up
 */
async function untilFree(connection: Connection, where: string, world: LogWorld, waiting?: Waiting): Promise<Seen> {
  let seen = await look(connection);
  for (let sinceMs = world.monotonicMs(); seen.owner !== null && world.monotonicMs() - sinceMs <= LEASE_MS; ) {
    await delay(world, POLL_MS);
    const now = await look(connection);
    if (now.owner !== null && now.beat !== seen.beat) {
      if (waiting === undefined || waiting.candidate.hasGivenUp) throw new LogLocked(where, now.name ?? UNNAMED, 'log');
      await waiting.found(now);
      sinceMs = world.monotonicMs();
    }
    seen = now;
  }
  return seen;
}

/** @throws {LogFailed} a row is missing */
async function look(connection: Connection): Promise<Look> {
  const [row] = (await connection.query(LOOK, [], LOOK_MS)).rows as Look[];
  if (row !== undefined) return row;
  throw new LogFailed(
    'the table bourse.lease or bourse.writer has no row, which somebody has deleted. If no venue runs: INSERT INTO bourse.lease ' +
      '(beat) VALUES (0). Without the row of bourse.writer, restore a backup',
  );
}

/** @throws {LogLocked} the log does not end in a seal */
async function refuseUnsealed(connection: Connection, where: string): Promise<void> {
  const [last] = (await connection.query(LAST)).rows as Row[];
  const decoded = last && decodeFrame(last.bytes, 0);
  if (decoded !== undefined && 'frame' in decoded && decoded.frame.kind === 'seal') return;
  throw new LogLocked(where, 'a version with other rules, which has not sealed it', 'log');
}

/** Takes the log in one transaction, unless it changed hands meanwhile. Returns the term. */
async function takeOver(connection: Connection, where: string, owner: string, seen: Seen): Promise<number> {
  return connection.transaction(async () => {
    const name = `process ${process.pid} on ${hostname()}`;
    const lease = await connection.query(
      `UPDATE bourse.lease SET owner = $1, beat = beat + 1 WHERE beat = $2 AND owner IS NOT DISTINCT FROM $3`,
      [owner, seen.beat, seen.owner],
    );
    if (lease.rowCount !== 1) throw new LogLocked(where, (await look(connection)).name ?? UNNAMED, 'log');
    const { rows } = await connection.query(
      `UPDATE bourse.writer SET term = term + 1, owner = $1, name = $2, http = NULL, control = NULL
         RETURNING term::float8 AS term`,
      [owner, name],
    );
    return rows[0].term;
  });
}

export function delay(world: LogWorld, ms: number): Promise<void> {
  return new Promise((resolve) => world.timer(ms, resolve));
}
