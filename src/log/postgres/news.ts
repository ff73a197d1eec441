/**
 * Hears that another process appends to the log: each append notifies a channel of the database when it is committed.
 *
 * - A notification comes when the commit has its quorum, so what it names is durable. What can be read need not be: a primary
 *   that crashed and starts again shows what no standby server has yet, and a promotion loses that.
 * - Notifications are lost with their connection. So a new connection begins with the end of the log, and reports it when a
 *   small commit of this process has its quorum: then everything that was there before is durable too.
 * - A question every second finds a connection that is dead and says nothing. The answer comes behind all notifications
 *   that were sent before it.
 */
import type { LogNews } from '../contract/log-source.ts';
import type { LogWorld } from '../contract/log-world.ts';
import { Connection, type Database, isMissing, textOf } from './connection.ts';

export const CHANNEL = 'bourse';
/** What a leader sends. Any user of the database may send something else. */
const SEQ = /^\d{1,15}$/;
const ASK_EVERY_MS = 1000;
const ANSWER_MS = 1000;
const RETRY_MS = 200;

export class News {
  readonly #database: Database;
  readonly #world: LogWorld;
  readonly #news: LogNews;
  readonly #closing = Promise.withResolvers<void>();
  #isClosed = false;

  /** Reports from now on, until it is closed. */
  constructor(database: Database, world: LogWorld, news: LogNews) {
    this.#database = database;
    this.#world = world;
    this.#news = news;
    this.#run();
  }

  close(): void {
    this.#isClosed = true;
    this.#closing.resolve();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#hear();
      } catch (error) {
        if (this.#isClosed) return;
        this.#news.onCutOff(textOf(error));
        await this.#pause(RETRY_MS);
      }
    }
  }

  /** Reports until the connection is lost. @throws {Lost} @throws {LogUnreachable} */
  async #hear(): Promise<void> {
    const connection = await Connection.open(this.#database);
    try {
      await connection.listen(CHANNEL, (payload) => {
        if (SEQ.test(payload)) this.#news.onGrown(Number(payload));
      });
      const seq = await endOf(connection);
      await connection.commitNothing();
      this.#news.onGrown(seq);
      while (!this.#isClosed) {
        const sinceMs = this.#world.monotonicMs();
        await connection.query('SELECT 1', [], ANSWER_MS);
        this.#news.onHeard(sinceMs);
        await Promise.race([this.#pause(ASK_EVERY_MS), connection.whenEnded]);
      }
    } finally {
      connection.close();
    }
  }

  /** Waits so long, or until it is closed. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#world.timer(ms, resolve);
      timer.unref();
      this.#closing.promise.then(() => {
        timer.clear();
        resolve();
      });
    });
  }
}

/** The last command in the log. 0: there is none. */
async function endOf(connection: Connection): Promise<number> {
  try {
    const { rows } = await connection.query('SELECT max(seq)::float8 AS seq FROM bourse.frame');
    return rows[0].seq ?? 0;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
