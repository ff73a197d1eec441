/**
 * A PostgreSQL server as a model: transactions with row locks, the write-ahead log, commits that wait for a quorum of standby
 * servers, notifications, and what a crash leaves.
 *
 * - Other sessions see a transaction, and get its locks and notifications, when its commit has its quorum. A crash ends all
 *   waits: what was flushed is there and visible at the next start, whether or not a standby has it.
 * - If the wait of a commit is ended by somebody, the commit is visible, and the client gets a warning.
 * - A commit of a session with `synchronous_commit = off` waits for nothing, and a crash may lose it.
 * - A session whose client is gone ends when it hears of that, after the statement in progress.
 */
import type { Machine } from '../machine.ts';
import { type Change, Tables } from './tables.ts';

/** A commit in the write-ahead log. */
export interface Commit {
  readonly changes: readonly Change[];
}

/** The answer of a server that is an error. */
export class SqlError extends Error {
  readonly severity: 'ERROR' | 'FATAL';
  readonly code: string;

  constructor(code: string, message: string, severity: 'ERROR' | 'FATAL' = 'ERROR') {
    super(message);
    this.code = code;
    this.severity = severity;
  }
}

export interface Transaction {
  readonly changes: Change[];
  readonly notifications: string[];
  readonly locks: Set<string>;
  failed: boolean;
}

/** What a client hears from a server. */
export interface Listener {
  notice(message: string): void;
  notification(payload: string): void;
  /** The connection is closed. `silent`: the machine is gone, so nobody hears of it. */
  closed(silent: boolean): void;
}

/** PostgreSQL has 97 for users by default, and three venues need about twenty. */
const MOST_SESSIONS = 60;

type Mode = 'share' | 'exclusive';

interface Waiter {
  readonly session: Session;
  readonly mode: Mode;
  readonly granted: () => void;
}

class RowLock {
  readonly holders = new Map<Session, Mode>();
  queue: Waiter[] = [];

  mayTake(session: Session, mode: Mode): boolean {
    for (const [holder, held] of this.holders) {
      if (holder !== session && (mode === 'exclusive' || held === 'exclusive')) return false;
    }
    return true;
  }
}

interface QuorumWait {
  readonly lsn: number;
  readonly sinceMs: number;
  /** Undefined: the quorum has it. Text: somebody ended the wait. */
  readonly end: (warning: string | undefined) => void;
  readonly session: Session;
}

export class Server {
  readonly name: string;
  readonly machine: Machine;
  readonly #chance: () => number;
  isUp = true;
  isPrimary: boolean;
  /** Counts its starts: what belongs to an earlier one does not happen. */
  starts = 1;
  /** What it has written. A primary keeps `flushed` of it in a crash, a standby all. */
  wal: Commit[] = [];
  flushed = 0;
  /** What sessions see. */
  tables = new Tables();
  readonly sessions = new Set<Session>();
  /** By standby server: how much of the log it has. */
  readonly acknowledged = new Map<Server, number>();
  isFull = false;
  /** `synchronous_standby_names`. Empty: no commit waits. */
  standbyNames = 'ANY 1 (a, b, c)';
  /** The longest time that a read takes. */
  slowMs = 0;
  /** The longest time of an append between its look at the term and its commit. */
  slowAppendMs = 0;
  /** Commits whose wait for the quorum was ended: they are visible, and perhaps here only. */
  endedWaitLsn = 0;
  onFlushed: () => void = () => {};
  #owners = 0;
  #sessionsBegun = 0;
  readonly #locks = new Map<string, RowLock>();
  #waits: QuorumWait[] = [];

  constructor(name: string, machine: Machine, isPrimary: boolean, chance: () => number) {
    this.name = name;
    this.machine = machine;
    this.isPrimary = isPrimary;
    this.#chance = chance;
  }

  /** A name that no other has. */
  newOwner(): string {
    this.#owners += 1;
    return `owner ${this.#owners} by ${this.name}`;
  }

  /** Throws, which ends the simulation, if venues leave more connections behind than a server has. */
  connect(listener: Listener): Session {
    if (this.sessions.size >= MOST_SESSIONS) throw new Error(`${this.name} has ${this.sessions.size} sessions`);
    this.#sessionsBegun += 1;
    const session = new Session(this, listener, this.#sessionsBegun);
    this.sessions.add(session);
    return session;
  }

  /** How long a commit has waited for its quorum by now. 0: none waits. */
  get waitingMs(): number {
    const [oldest] = this.#waits;
    return oldest === undefined ? 0 : this.machine.nowMs - oldest.sinceMs;
  }

  /** Resolves in `ms`, unless the server has stopped by then. */
  wait(ms: number): Promise<void> {
    const { starts } = this;
    return new Promise((resolve) => {
      this.machine.in(ms, () => {
        if (this.isUp && this.starts === starts) resolve();
      });
    });
  }

  /** The time of an append, without its commit. */
  appendMs(): number {
    return this.#chance() * 0.1 + this.#chance() * this.slowAppendMs;
  }

  /** The time of a read. */
  readMs(): number {
    return this.#chance() * (this.#chance() < 0.02 ? 30 : 0.3) + this.#chance() * this.slowMs;
  }

  /** @throws {SqlError} the lock was not free in time, or the statement was ended */
  async lock(session: Session, row: string, mode: Mode): Promise<void> {
    const { tx } = session;
    let lock = this.#locks.get(row);
    if (lock === undefined) {
      lock = new RowLock();
      this.#locks.set(row, lock);
    }
    if (lock.holders.get(session) === 'exclusive') return;
    if (lock.queue.length > 0 || !lock.mayTake(session, mode)) {
      await new Promise<void>((resolve, reject) => {
        const waiter = { session, mode, granted: resolve };
        lock.queue.push(waiter);
        const give = (error: SqlError) => {
          if (!lock.queue.includes(waiter)) return;
          lock.queue = lock.queue.filter((other) => other !== waiter);
          this.#grant(lock);
          reject(error);
        };
        session.interrupt = give;
        this.machine.in(session.lockTimeoutMs, () =>
          give(new SqlError('55P03', 'canceling statement due to lock timeout')),
        );
      });
      session.interrupt = undefined;
    } else lock.holders.set(session, mode);
    tx?.locks.add(row);
  }

  #grant(lock: RowLock): void {
    for (let next = lock.queue[0]; next !== undefined && lock.mayTake(next.session, next.mode); next = lock.queue[0]) {
      lock.queue.shift();
      lock.holders.set(next.session, next.mode);
      next.granted();
    }
  }

  #unlock(session: Session, { locks }: Transaction): void {
    for (const row of locks) {
      const lock = this.#locks.get(row);
      lock?.holders.delete(session);
      if (lock !== undefined) this.#grant(lock);
    }
  }

  rollback(session: Session): void {
    const { tx } = session;
    session.tx = undefined;
    if (tx !== undefined) this.#unlock(session, tx);
  }

  /** Resolves when the commit is visible. */
  async commit(session: Session): Promise<void> {
    const tx = session.tx as Transaction;
    session.tx = undefined;
    if (tx.changes.length > 0) {
      const lsn = this.wal.push({ changes: tx.changes });
      if (session.commitsAsync) this.#flushLater(lsn, 10 + this.#chance() * 300);
      else {
        await this.#flushLater(lsn, 0.1 + this.#chance() * (this.#chance() < 0.05 ? 30 : 2));
        const warning = await this.#quorum(session, lsn);
        if (warning !== undefined) {
          this.endedWaitLsn = Math.max(this.endedWaitLsn, lsn);
          session.listener.notice(warning);
        }
      }
      for (const change of tx.changes) change(this.tables);
    }
    this.#unlock(session, tx);
    for (const payload of tx.notifications) {
      for (const other of this.sessions) if (other.listens) other.listener.notification(payload);
    }
  }

  async #flushLater(lsn: number, ms: number): Promise<void> {
    await this.wait(ms);
    if (this.flushed >= lsn) return;
    this.flushed = lsn;
    this.onFlushed();
  }

  #quorum(session: Session, lsn: number): Promise<string | undefined> {
    if (this.#hasQuorum(lsn)) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const wait = { lsn, sinceMs: this.machine.nowMs, end: resolve, session };
      this.#waits.push(wait);
      session.endWait = (warning) => {
        this.#waits = this.#waits.filter((other) => other !== wait);
        session.endWait = undefined;
        resolve(warning);
      };
    });
  }

  /** As a reload: with no names, every commit that waits goes through, without a warning. */
  setStandbyNames(names: string): void {
    this.standbyNames = names;
    if (names !== '') return;
    for (const { session, end, lsn } of this.#waits.splice(0)) {
      session.endWait = undefined;
      this.endedWaitLsn = Math.max(this.endedWaitLsn, lsn);
      end(undefined);
    }
  }

  #hasQuorum(lsn: number): boolean {
    if (this.standbyNames === '') return true;
    for (const has of this.acknowledged.values()) if (has >= lsn) return true;
    return false;
  }

  /** A standby server has this much. */
  noteAcknowledged(standby: Server, lsn: number): void {
    this.acknowledged.set(standby, lsn);
    const ready = this.#waits.filter((wait) => this.#hasQuorum(wait.lsn));
    this.#waits = this.#waits.filter((wait) => !ready.includes(wait));
    for (const { end, session } of ready.sort((a, b) => a.lsn - b.lsn)) {
      session.endWait = undefined;
      end(undefined);
    }
  }

  /** Somebody ends the waits for the quorum: with the sessions, or the statements only. */
  endWaits(withSessions: boolean): void {
    for (const { session } of [...this.#waits]) {
      session.endWait?.('canceling wait for synchronous replication due to user request');
      if (withSessions) session.terminate(false);
    }
  }

  /** `silent`: its clients hear nothing of it. */
  crash(silent: boolean): void {
    this.isUp = false;
    this.starts += 1;
    this.#waits = [];
    this.#locks.clear();
    this.acknowledged.clear();
    if (this.isPrimary) this.wal.length = this.flushed;
    for (const session of [...this.sessions]) session.terminate(silent);
  }

  start(): void {
    this.isUp = true;
    this.flushed = this.wal.length;
    if (this.isPrimary) this.tables = Tables.of(this.wal.map(({ changes }) => changes));
  }

  promote(): void {
    this.isPrimary = true;
    this.flushed = this.wal.length;
    this.acknowledged.clear();
    this.tables = Tables.of(this.wal.map(({ changes }) => changes));
    for (const session of [...this.sessions]) session.terminate(false);
  }

  /** Begins anew as a standby, from a copy of the primary. */
  copyOf(primary: Server): void {
    this.isPrimary = false;
    this.wal = primary.wal.slice(0, primary.flushed);
    this.flushed = this.wal.length;
    this.endedWaitLsn = 0;
  }
}

/** The server's side of a connection. */
export class Session {
  readonly id: number;
  readonly server: Server;
  readonly listener: Listener;
  /** Of the block that BEGIN has opened, or of the statement in progress. */
  tx: Transaction | undefined;
  inBlock = false;
  commitsAsync = false;
  listens = false;
  lockTimeoutMs = Number.POSITIVE_INFINITY;
  /** How long a transaction may be open while nothing is done. */
  idleTimeoutMs = Number.POSITIVE_INFINITY;
  /** Ends the wait for a lock. */
  interrupt: ((error: SqlError) => void) | undefined;
  /** Ends the wait for the quorum. */
  endWait: ((warning: string) => void) | undefined;
  isBusy = false;
  isOver = false;
  #clientGone = false;
  #idleSince = 0;

  constructor(server: Server, listener: Listener, id: number) {
    this.id = id;
    this.server = server;
    this.listener = listener;
  }

  begin(inBlock: boolean): void {
    this.inBlock = inBlock;
    this.tx = { changes: [], notifications: [], locks: new Set(), failed: false };
  }

  /** Nothing is in progress. */
  rest(): void {
    this.isBusy = false;
    if (this.#clientGone) this.terminate(true);
    if (this.tx === undefined || this.idleTimeoutMs === Number.POSITIVE_INFINITY) return;
    this.#idleSince += 1;
    const since = this.#idleSince;
    this.server.machine.in(this.idleTimeoutMs, () => {
      if (!this.isBusy && !this.isOver && since === this.#idleSince) this.terminate(false);
    });
  }

  work(): void {
    this.isBusy = true;
    this.#idleSince += 1;
  }

  /** The client's end of the connection was closed. */
  clientGone(): void {
    this.#clientGone = true;
    if (!this.isBusy) this.terminate(true);
  }

  /** `silent`: the client does not hear of it. */
  terminate(silent: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    this.server.sessions.delete(this);
    this.interrupt?.(new SqlError('57P01', 'terminating connection due to administrator command', 'FATAL'));
    this.server.rollback(this);
    this.listener.closed(silent);
  }
}
