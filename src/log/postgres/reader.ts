/**
 * The connection of those who only read, and of those who write snapshots and documents. It is opened when it is needed,
 * again after it was lost, and does not keep the process alive.
 */
import { asLogError, Connection, type Database, Lost } from './connection.ts';

export class Reader {
  readonly #database: Database;
  #opening: Promise<Connection> | undefined;
  /** Each use waits for the one before it. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  get where(): string {
    return this.#database.where;
  }

  /** Uses the connection alone. @throws {LogUnreachable} @throws {LogFull} @throws the server's answer */
  use<T>(act: (connection: Connection) => Promise<T>): Promise<T> {
    const used = this.#last.then(() => this.#use(act));
    this.#last = used.catch(() => {});
    return used;
  }

  /** Closes the connection. The next use opens another one, perhaps to another server. */
  drop(): void {
    const dropped = this.#opening;
    this.#opening = undefined;
    dropped?.then((connection) => connection.close()).catch(() => {});
  }

  async #use<T>(act: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await act(await this.#connection());
    } catch (error) {
      if (error instanceof Lost) this.drop();
      throw asLogError(this.where, error);
    }
  }

  async #connection(): Promise<Connection> {
    const opened = await this.#opening;
    if (opened !== undefined && opened.ended === undefined) return opened;
    this.#opening = Connection.open(this.#database);
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }
}
