/**
 * Finds out whether a server answers while its commits wait for standby servers. The commits of renewals that were given up
 * still wait there, until a standby server is back.
 *
 * The connections are kept until `close`, because a server in that state may have no more for a later look.
 */
import { Connection, type Database } from './connection.ts';

/** A commit usually takes a few milliseconds. A renewal that failed without an answer has waited for twice this time. */
const LONG_MS = 250;

export class QuorumLook {
  readonly #database: Database;
  readonly #connections = new Map<string, Connection>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** False: no commit waits, or no server says so within some seconds. */
  async awaitsStandbys(): Promise<boolean> {
    const looks = this.#database.connections.map(async (host) => {
      const connection = await this.#connection(host);
      if (!(await connection.awaitsStandbys(LONG_MS))) throw new Error('no commit waits');
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
