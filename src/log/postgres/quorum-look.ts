/**
 * Looks whether a server answers whose commits wait for standby servers that do not confirm them. A user sees only its own
 * sessions in `pg_stat_activity`. These do, as those of a renewal that was given up: they wait until a standby server is back.
 *
 * The connections are kept until the next `close`, because each connection that was given up stays in use at the server, which
 * may have no more for a later look.
 */
import { Connection, type Database } from './connection.ts';

const LOOK_MS = 1000;
const WAITING = `SELECT count(*)::int AS waiting FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event = 'SyncRep'`;

export class QuorumLook {
  readonly #database: Database;
  readonly #connections = new Map<string, Connection>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** False: no commit waits, or no server says so within some seconds. */
  async awaitsStandbys(): Promise<boolean> {
    const looks = this.#database.connections.map(async (host) => {
      const { rows } = await (await this.#connection(host)).query(WAITING, [], LOOK_MS);
      if (rows[0].waiting === 0) throw new Error('no commit waits');
    });
    return Promise.any(looks).then(
      () => true,
      () => false,
    );
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
  }

  async #connection(host: string): Promise<Connection> {
    const known = this.#connections.get(host);
    if (known !== undefined && known.ended === undefined) return known;
    const connection = await Connection.to(host, this.#database);
    this.#connections.set(host, connection);
    return connection;
  }
}
