/**
 * The part of a database's log that was moved to a folder: the note is a document beside the log, and it changes in the
 * transaction that removes the rows. So after a crash a segment is here, or was moved, and never half of it.
 *
 * Cost: the rows of a segment are read and removed by the primary key. A partition that has no rows any more is dropped.
 */
import { LogFailed } from '../contract/command-log.ts';
import type { PlacedFrame } from '../shared/frame.ts';
import { type MovableLog, type Moved, noteText, readNote } from '../shared/moved.ts';
import { MOVED_FILE } from '../shared/segments.ts';
import { asLogError, type Connection, LARGE_ANSWER_MS } from './connection.ts';
import type { DatabaseFiles } from './database-files.ts';
import type { Reader } from './reader.ts';
import { dropPartitions } from './tables.ts';

/** Any number that nothing else in the database locks. */
const MOVING_LOCK = 0x626f757274;
const NOTE = 'SELECT bytes FROM bourse.file WHERE name = $1 ORDER BY part';
const FORGET = 'DELETE FROM bourse.file WHERE name = $1';
const KEEP = 'INSERT INTO bourse.file VALUES ($1, 0, $2)';
const REMOVE = 'DELETE FROM bourse.frame WHERE seq >= $1 AND seq <= $2 AND segment <= $3';

/** What was moved. Undefined: nothing was. @throws {LogDamaged} @throws {LogUnsupported} */
export async function noteIn(files: DatabaseFiles): Promise<Moved | undefined> {
  const text = (await files.read(MOVED_FILE))?.toString('utf8');
  return text === undefined ? undefined : readNote(text);
}

/** The log of a database, for what moves its segments. */
export class DatabaseSegments implements MovableLog {
  readonly #files: DatabaseFiles;
  readonly #reader: Reader;
  readonly #framesAfter: (note: Moved | undefined) => AsyncGenerator<PlacedFrame, void, void>;
  /** The note as it was read last. */
  #note: Moved | undefined;

  /** `framesAfter`: reads the frames after the end of what was moved. */
  constructor(
    files: DatabaseFiles,
    reader: Reader,
    framesAfter: (note: Moved | undefined) => AsyncGenerator<PlacedFrame, void, void>,
  ) {
    this.#files = files;
    this.#reader = reader;
    this.#framesAfter = framesAfter;
  }

  async note(): Promise<Moved | undefined> {
    this.#note = await noteIn(this.#files);
    return this.#note;
  }

  /** Empty: the note and the rows change in one transaction. */
  async segments(): Promise<number[]> {
    return [];
  }

  /** Only the one after the note. */
  async read(segment: number): Promise<Buffer | undefined> {
    let bytes: Buffer | undefined;
    for await (const frame of this.#framesAfter(this.#note)) {
      if (frame.segment !== segment) break;
      bytes ??= Buffer.alloc(frame.frame.segmentBytes);
      frame.bytes.copy(bytes, frame.offset);
    }
    return bytes;
  }

  async pass(note: Moved): Promise<void> {
    const before = this.#note;
    const bytes = Buffer.from(noteText(note));
    await this.#reader.use((connection) =>
      connection
        .transaction(async () => {
          await connection.query(`SELECT pg_advisory_xact_lock(${MOVING_LOCK})`);
          await this.#files.refuseReplaced(connection);
          await this.#refuseOther(connection, before);
          await connection.query(FORGET, [MOVED_FILE]);
          await connection.query(KEEP, [MOVED_FILE, bytes]);
          await connection.query(REMOVE, [before?.seq ?? 0, note.seq, note.segment], LARGE_ANSWER_MS);
        })
        .catch((error) => {
          throw asLogError(this.#reader.where, error, bytes.length, MOVED_FILE);
        }),
    );
    this.#note = note;
    await this.#reader.use((connection) => dropPartitions(connection, note.seq));
  }

  /** Two processes that move at once would not know of each other's folder. @throws {LogFailed} */
  async #refuseOther(connection: Connection, before: Moved | undefined): Promise<void> {
    const parts = await connection.bytes(NOTE, [MOVED_FILE]);
    if ((parts.length === 0 ? undefined : parts.join('')) === (before && noteText(before))) return;
    throw new LogFailed(`another process has moved a part of the log in ${this.#reader.where} meanwhile: try again`);
  }
}
