/**
 * Renews the lease of a writer. A renewal waits for the standby servers, as an append does: a primary that was replaced by
 * another one cannot renew it, and so nobody believes to lead on it.
 *
 * If a renewal fails, the thread looks why, beside the next attempt: no server answers, or one does and its commits wait for
 * standby servers. Operators need to know which. Appends do not wait for that look.
 */
import type { LogWorld } from '../contract/log-world.ts';
import { Connection, type Database, saidBy } from './connection.ts';
import { LEASE_MS, type LeaseReply, type LeaseRequest, type RenewalReport } from './lease.ts';
import { QuorumLook } from './quorum-look.ts';
import { CURRENT, type CurrentSettings } from './settings.ts';

const RENEW_MS = 150;
/** How long a stop waits until the lease is given back. */
const RELEASE_MS = 1000;
const RENEW = `UPDATE bourse.lease SET beat = beat + 1 WHERE owner = $1 RETURNING ${CURRENT}`;
const RELEASE = 'UPDATE bourse.lease SET owner = NULL, beat = beat + 1 WHERE owner = $1';

export interface RenewalOptions {
  readonly database: Database;
  /** One BigInt64: when the last renewal that succeeded began, by `elapsedMs`. */
  readonly renewed: BigInt64Array;
  readonly elapsedMs: () => number;
  readonly timer: LogWorld['timer'];
  readonly send: (reply: LeaseReply) => void;
  /** Called once, when the lease was given back, or could not be in time. */
  readonly onReleased: () => void;
}

export class LeaseRenewal {
  readonly #options: RenewalOptions;
  #connection: Connection | undefined;
  #owner: string | undefined;
  #timer: { clear(): void } | undefined;
  #renewing: Promise<void> = Promise.resolve();
  readonly #look: QuorumLook;
  #isLooking = false;
  /** The last report that was sent, as JSON: the same one is not sent again. */
  #said = '';

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#look = new QuorumLook(options.database);
  }

  take(request: LeaseRequest): void {
    if (request.type === 'release') {
      this.#release();
      return;
    }
    this.#owner = request.owner;
    this.#renewing = this.#renew();
  }

  async #renew(): Promise<void> {
    const { renewed, elapsedMs, timer, send } = this.#options;
    const begunMs = elapsedMs();
    try {
      const connection = await this.#connected();
      const { rowCount, rows } = await connection.query(RENEW, [this.#owner], LEASE_MS);
      if (rowCount !== 1) {
        send('replaced');
        return;
      }
      Atomics.store(renewed, 0, BigInt(begunMs));
      this.#say({ renewals: 'renewed', settings: rows[0] as CurrentSettings });
    } catch (error) {
      this.#connection?.close();
      this.#lookWhy(begunMs, error);
    }
    this.#timer = timer(Math.max(0, RENEW_MS - (elapsedMs() - begunMs)), () => {
      this.#renewing = this.#renew();
    });
  }

  /** Reports why the renewal that began at `begunMs` has failed, unless a later one has succeeded meanwhile. */
  async #lookWhy(begunMs: number, error: unknown): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const awaits = await this.#look.awaitsStandbys();
    this.#isLooking = false;
    const isOver = Atomics.load(this.#options.renewed, 0) > BigInt(begunMs);
    if (isOver) this.#look.close();
    else this.#say(awaits ? { renewals: 'noStandby' } : { renewals: 'noAnswer', problem: saidBy(error) });
  }

  #say(report: RenewalReport): void {
    const text = JSON.stringify(report);
    if (this.#said === text) return;
    this.#said = text;
    this.#options.send(report);
    if (report.renewals === 'renewed') this.#look.close();
  }

  /** If the database cannot be reached, the next writer waits until the lease has expired. */
  async #release(): Promise<void> {
    const { timer, onReleased } = this.#options;
    timer(RELEASE_MS, onReleased);
    await this.#renewing;
    this.#timer?.clear();
    this.#look.close();
    try {
      if (this.#owner !== undefined) await (await this.#connected()).query(RELEASE, [this.#owner]);
      this.#connection?.end();
    } catch {
      this.#connection?.close();
    }
    onReleased();
  }

  async #connected(): Promise<Connection> {
    if (this.#connection !== undefined && this.#connection.ended === undefined) return this.#connection;
    this.#connection = await Connection.open(this.#options.database);
    return this.#connection;
  }
}
