/**
 * Snapshots and small documents in a table, by the names that they have in a folder. Each is written in one transaction, so
 * after a crash it is the old one or the new one.
 *
 * Invariants, checked in that transaction:
 * - Once this process owns the log, it writes a document, and renames or removes a file, only while it is the writer. After
 *   another process has taken over, nothing of that happens.
 * - A snapshot is written only if the log has the record that it continues. A leader that was cut off may have a state that a
 *   promotion has lost. With its snapshot beside the log, every start would be refused.
 */
import type { LogPosition } from '../contract/log-position.ts';
import type { SnapshotEntry, SnapshotStore, StoredSnapshot } from '../contract/snapshot-store.ts';
import type { DocumentStore } from '../contract/storage.ts';
import { framePosition, originMissing } from '../shared/chain.ts';
import { decodeFrame } from '../shared/frame.ts';
import { DEFAULT_SEGMENT_BYTES } from '../shared/segment-size.ts';
import { DAMAGED, snapshotName, snapshotSeq } from '../shared/segments.ts';
import { readSnapshotBytes, snapshotBytes } from '../shared/snapshot-bytes.ts';
import { asLogError, type Connection, isMissing, LARGE_ANSWER_MS } from './connection.ts';
import type { Reader } from './reader.ts';

/** A row of this size is read and written without a copy of the whole snapshot as text. */
const PART_BYTES = 4 * 1024 * 1024;

/** Locks the row, so that a take-over comes before or after this transaction. */
const OWNS = 'SELECT FROM bourse.writer WHERE owner = $1 FOR SHARE';
const FRAME = 'SELECT frame FROM bourse.frame WHERE seq = $1 AND segment = $2 AND at = $3';

/** Looks in the transaction of a write whether it may happen, and throws if not. */
type Guard = (connection: Connection) => Promise<void>;

/** The process that is the writer, as long as the database says so. */
export interface Owner {
  readonly id: string;
  replaced(): Error;
}

export class DatabaseFiles {
  readonly #reader: Reader;
  /** Set once this process owns the log. */
  owner: Owner | undefined;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  async names(): Promise<string[]> {
    return this.#found(async (connection) => {
      const { rows } = await connection.query('SELECT DISTINCT name FROM bourse.file');
      return rows.map(({ name }) => name as string);
    }, []);
  }

  /** Undefined if there is none of that name. */
  async read(name: string): Promise<Buffer | undefined> {
    const text = 'SELECT bytes FROM bourse.file WHERE name = $1 ORDER BY part';
    const parts = await this.#found((connection) => connection.bytes(text, [name], LARGE_ANSWER_MS), []);
    return parts.length === 0 ? undefined : Buffer.concat(parts);
  }

  /**
   * Resolves when it is durable. `what`: what messages call it.
   * @throws {LogFull} @throws what the guard does
   */
  async write(name: string, pieces: readonly Buffer[], what: string, guard?: Guard): Promise<void> {
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    await this.#reader.use((connection) =>
      connection
        .transaction(async () => {
          await guard?.(connection);
          await connection.query('DELETE FROM bourse.file WHERE name = $1', [name]);
          let part = 0;
          for (const piece of parts(pieces)) {
            await connection.query('INSERT INTO bourse.file VALUES ($1, $2, $3)', [name, part, piece], LARGE_ANSWER_MS);
            part += 1;
          }
        })
        .catch((error) => {
          throw asLogError(this.#reader.where, error, bytes, what);
        }),
    );
  }

  /** Replaces one of the new name. @throws {LogFailed} another process is the writer */
  async rename(from: string, to: string): Promise<void> {
    await this.#reader.use((connection) =>
      connection.transaction(async () => {
        await this.refuseReplaced(connection);
        await connection.query('DELETE FROM bourse.file WHERE name = $1', [to]);
        await connection.query('UPDATE bourse.file SET name = $2 WHERE name = $1', [from, to]);
      }),
    );
  }

  /** @throws {LogFailed} another process is the writer */
  async remove(names: readonly string[]): Promise<void> {
    await this.#reader.use((connection) =>
      connection.transaction(async () => {
        await this.refuseReplaced(connection);
        await connection.query('DELETE FROM bourse.file WHERE name = ANY($1)', [[...names]]);
      }),
    );
  }

  /** @throws {LogFailed} the log was owned here, and another process is the writer now */
  async confirmOwner(): Promise<void> {
    await this.#reader.use((connection) => this.refuseReplaced(connection));
  }

  /**
   * The same within a transaction: a process that takes over waits until it ends.
   * @throws {LogFailed} the log was owned here, and another process is the writer now
   */
  async refuseReplaced(connection: Connection): Promise<void> {
    const { owner } = this;
    if (owner === undefined) return;
    if ((await connection.query(OWNS, [owner.id])).rowCount !== 1) throw owner.replaced();
  }

  async #found<T>(find: (connection: Connection) => Promise<T>, nothing: T): Promise<T> {
    try {
      return await this.#reader.use(find);
    } catch (error) {
      if (isMissing(error)) return nothing;
      throw error;
    }
  }
}

/** At least one, because a file without a row does not exist. */
function* parts(pieces: readonly Buffer[]): Generator<Buffer> {
  let any = false;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += PART_BYTES) {
      yield piece.subarray(at, at + PART_BYTES);
      any = true;
    }
  }
  if (!any) yield Buffer.alloc(0);
}

export class DatabaseSnapshots implements SnapshotStore {
  readonly #files: DatabaseFiles;

  constructor(files: DatabaseFiles) {
    this.#files = files;
  }

  async list(): Promise<SnapshotEntry[]> {
    const found: SnapshotEntry[] = [];
    for (const name of await this.#files.names()) {
      const seq = snapshotSeq(name);
      if (seq !== undefined) found.push({ seq, name });
    }
    return found.sort((a, b) => b.seq - a.seq);
  }

  async read(seq: number): Promise<StoredSnapshot | undefined> {
    const name = snapshotName(seq);
    const bytes = await this.#files.read(name);
    return bytes && readSnapshotBytes(name, seq, bytes);
  }

  async write(head: { readonly seq: number; readonly position?: LogPosition }, text: string): Promise<SnapshotEntry> {
    const name = snapshotName(head.seq);
    const { content, checksum } = snapshotBytes(head, text);
    const { position } = head;
    const guard: Guard | undefined = position && ((connection) => refuseStray(connection, name, position));
    await this.#files.write(name, [content, checksum], 'a snapshot', guard);
    return { seq: head.seq, name };
  }

  async setAside(seq: number): Promise<string> {
    const name = snapshotName(seq);
    await this.#files.rename(name, name + DAMAGED);
    return name + DAMAGED;
  }

  async remove(seqs: readonly number[]): Promise<void> {
    if (seqs.length > 0) await this.#files.remove(seqs.map(snapshotName));
  }
}

/** @throws {LogDamaged} the log does not have the record that the snapshot continues */
async function refuseStray(connection: Connection, name: string, position: LogPosition): Promise<void> {
  const origin = { position, name, rulesVersion: '' };
  const place = framePosition(origin);
  const [bytes] = await connection.bytes(FRAME, [place.seq, place.segment, place.offset]);
  const decoded = bytes && decodeFrame(bytes, 0);
  if (decoded !== undefined && 'frame' in decoded && decoded.frame.hash === position.hash) return;
  throw originMissing(origin, place, DEFAULT_SEGMENT_BYTES);
}

/** A document describes the log, so only the writer of the log writes it. */
export class DatabaseDocuments implements DocumentStore {
  readonly #files: DatabaseFiles;

  constructor(files: DatabaseFiles) {
    this.#files = files;
  }

  async has(name: string): Promise<boolean> {
    return (await this.#files.read(name)) !== undefined;
  }

  async read(name: string): Promise<string | undefined> {
    return (await this.#files.read(name))?.toString('utf8');
  }

  async write(name: string, text: string): Promise<void> {
    const guard = (connection: Connection) => this.#files.refuseReplaced(connection);
    await this.#files.write(name, [Buffer.from(text)], name, guard);
  }
}
