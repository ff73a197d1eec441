/**
 * The sign of life of a writer. A thread (lease-thread.ts) changes the row `bourse.lease` every 150 ms, also while the
 * venue's thread is busy, as when it loads a large state.
 *
 * Invariant: while `isHeld`, nobody has taken over by the lease, because the last renewal began less than 500 ms ago. A
 * process that was stopped for longer finds the lease not held before it does anything else.
 */
import { Worker } from 'node:worker_threads';
import { LogFailed } from '../contract/command-log.ts';
import type { Database } from './connection.ts';
import type { CurrentSettings } from './settings.ts';

export const LEASE_MS = 500;
const THREAD = new URL('./lease-thread.ts', import.meta.url);

export interface LeaseData {
  /** The address of the log, with its password. */
  readonly address: string;
  /** One BigInt64: when the last renewal that succeeded began, by `elapsedMs`. */
  readonly shared: SharedArrayBuffer;
}

/** `begin`: the lease was just taken. `release`: give it back, and end. */
export type LeaseRequest = { readonly type: 'begin'; readonly owner: string } | { readonly type: 'release' };

/**
 * How renewals go. `noAnswer`: they fail. `noStandby`: they fail although a server answers, because no standby server confirms
 * its commits.
 */
export type Renewals = 'renewed' | 'noAnswer' | 'noStandby';

/** What a renewal has found. Sent when it changes. */
export interface RenewalReport {
  readonly renewals: Renewals;
  /** With `noAnswer`: what the server said, if it said anything. */
  readonly problem?: string;
  /** With `renewed`: what the server is set to now. */
  readonly settings?: CurrentSettings;
}

/** `ready`: the thread can begin. `replaced`: another process has the lease. */
export type LeaseReply = 'ready' | 'replaced' | RenewalReport;

/** A thread that renews a lease. */
export interface LeaseThread {
  postMessage(request: LeaseRequest): void;
  on(event: 'message', act: (reply: LeaseReply) => void): unknown;
  on(event: 'error', act: (error: Error) => void): unknown;
  on(event: 'exit', act: () => void): unknown;
  ref(): void;
  unref(): void;
}

/** What a lease needs of the machine. */
export interface LeaseMachine {
  /** Time that never goes back, and is the same in every thread of the process, in whole milliseconds. */
  elapsedMs(): number;
  startThread(data: LeaseData): LeaseThread;
}

/** Time that never goes back, and is the same in every thread of the process. */
export function elapsedMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

const realMachine: LeaseMachine = {
  elapsedMs,
  startThread: (workerData) => new Worker(THREAD, { workerData }),
};

export interface LeaseWatcher {
  /** Called once: another process has the lease, or it cannot be renewed any more. */
  onReplaced(error: LogFailed): void;
  /** `renewals`, `problem` or `settings` has changed. */
  onRenewals(): void;
}

export class Lease {
  readonly #machine: LeaseMachine;
  readonly #thread: LeaseThread;
  readonly #renewed: BigInt64Array;
  readonly #exited: Promise<void>;
  #ended = false;
  #replaced: LogFailed | undefined;
  #report: RenewalReport = { renewals: 'renewed' };
  #settings: CurrentSettings | undefined;
  #watcher: LeaseWatcher = { onReplaced() {}, onRenewals() {} };

  private constructor(where: string, address: string, machine: LeaseMachine) {
    const shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
    this.#machine = machine;
    this.#renewed = new BigInt64Array(shared);
    this.#thread = machine.startThread({ address, shared });
    this.#thread.on('message', (reply) => {
      if (reply === 'replaced') this.#lose(`another process has taken over the log in ${where}`);
      else if (reply !== 'ready') this.#note(reply);
    });
    this.#thread.on('error', (error) =>
      this.#lose(`the lease on the log in ${where} cannot be renewed (${error.message})`),
    );
    this.#exited = new Promise((resolve) => this.#thread.on('exit', () => resolve()));
  }

  /** Starts the thread, which does nothing yet. */
  static async prepare({ where, text }: Database, machine: LeaseMachine = realMachine): Promise<Lease> {
    const lease = new Lease(where, text, machine);
    const ready = new Promise<void>((resolve) => lease.#thread.on('message', () => resolve()));
    await Promise.race([ready, lease.#exited]);
    lease.#thread.unref();
    return lease;
  }

  /** The time by which `begin` says when the lease was taken. */
  nowMs(): number {
    return this.#machine.elapsedMs();
  }

  /** Renews from now on the lease that `owner` has taken, since `takenAtMs`. */
  begin(owner: string, takenAtMs: number): void {
    Atomics.store(this.#renewed, 0, BigInt(takenAtMs));
    this.#thread.postMessage({ type: 'begin', owner });
  }

  get isHeld(): boolean {
    return this.nowMs() - Number(Atomics.load(this.#renewed, 0)) < LEASE_MS;
  }

  /** How renewals go, as far as it is known. */
  get renewals(): Renewals {
    return this.#report.renewals;
  }

  /** What the server said to the last renewal, if that failed. Undefined: it succeeded, or the server said nothing. */
  get problem(): string | undefined {
    return this.#report.problem;
  }

  /** What the server was set to at the last renewal. Undefined: there was none. */
  get settings(): CurrentSettings | undefined {
    return this.#settings;
  }

  /** Reports to `watcher` from now on. If the lease is lost already, it hears that at once. */
  watch(watcher: LeaseWatcher): void {
    this.#watcher = watcher;
    if (this.#replaced !== undefined) watcher.onReplaced(this.#replaced);
  }

  /** Gives it back, if the database can be reached, and ends the thread. */
  async release(): Promise<void> {
    this.#ended = true;
    this.#thread.ref();
    this.#thread.postMessage({ type: 'release' });
    await this.#exited;
  }

  #lose(why: string): void {
    Atomics.store(this.#renewed, 0, 0n);
    if (this.#ended || this.#replaced !== undefined) return;
    this.#replaced = new LogFailed(`${why}: nothing more will be written by this one`);
    this.#watcher.onReplaced(this.#replaced);
  }

  #note(report: RenewalReport): void {
    this.#report = report;
    this.#settings = report.settings ?? this.#settings;
    this.#watcher.onRenewals();
  }
}
