/**
 * The tables of a venue in its database.
 *
 *     bourse.frame    one row a frame: the last seq, segment and offset, the bytes; partitioned by seq
 *     bourse.file     snapshots and documents by name, in parts: 000000000012.snapshot, bourse.json
 *     bourse.writer   one row: who may append, and where it serves. Its term is raised by each new writer, and by each of its
 *                     connections
 *     bourse.lease    one row: whether that writer lives. It changes every 150 ms
 *
 * A frame has the bytes and the position that it would have in a folder.
 */
import { LogUnsupported } from '../contract/command-log.ts';
import type { Connection } from './connection.ts';
import { isMissing } from './connection.ts';

/** How many seqs a partition has. */
export const PARTITION_SEQS = 10_000_000;
/** Raised with every change of the tables. 2: where the writer serves. */
const FORMAT = 2;
const OLDEST_FORMAT = 1;
/** Any number that nothing else in the database locks. */
const CREATION_LOCK = 0x626f757273;

/**
 * Frames are compressed by lz4, which costs less than writing them out. A frame of up to 8 KB stays in its row: beyond the
 * row it costs a second table and its index.
 */
const FRAME_COLUMN = 'ALTER COLUMN frame SET STORAGE MAIN';
const FRAME_OPTIONS = 'toast_tuple_target = 8160';

const TABLES = [
  'CREATE SCHEMA IF NOT EXISTS bourse',
  `CREATE TABLE IF NOT EXISTS bourse.frame (
     seq bigint NOT NULL, segment integer NOT NULL, at integer NOT NULL, frame bytea COMPRESSION lz4 NOT NULL,
     PRIMARY KEY (seq, segment, at)
   ) PARTITION BY RANGE (seq)`,
  `ALTER TABLE bourse.frame ${FRAME_COLUMN}`,
  `CREATE TABLE IF NOT EXISTS bourse.file (
     name text NOT NULL, part integer NOT NULL, bytes bytea COMPRESSION lz4 NOT NULL, PRIMARY KEY (name, part)
   )`,
  `CREATE TABLE IF NOT EXISTS bourse.writer (
     one boolean PRIMARY KEY DEFAULT true CHECK (one), format integer NOT NULL, term bigint NOT NULL, owner text, name text
   )`,
  `CREATE TABLE IF NOT EXISTS bourse.lease (
     one boolean PRIMARY KEY DEFAULT true CHECK (one), owner text, beat bigint NOT NULL
   )`,
  'ALTER TABLE bourse.writer ADD COLUMN IF NOT EXISTS http text, ADD COLUMN IF NOT EXISTS control text',
  `INSERT INTO bourse.writer (format, term) VALUES (${FORMAT}, 0) ON CONFLICT (one) DO UPDATE SET format = ${FORMAT}`,
  'INSERT INTO bourse.lease (beat) VALUES (0) ON CONFLICT DO NOTHING',
];

/** Creates the tables if they do not exist, and brings older ones up to date. @throws {LogUnsupported} a newer version made them */
export async function createTables(connection: Connection): Promise<void> {
  const before = await formatOf(connection);
  if (before === undefined || (before >= OLDEST_FORMAT && before < FORMAT)) {
    await connection.transaction(async () => {
      await connection.query(`SELECT pg_advisory_xact_lock(${CREATION_LOCK})`);
      // Another first start may have created them meanwhile, and be writing.
      if ((await lockedFormat(connection)) === FORMAT) return;
      for (const statement of TABLES) await connection.query(statement);
    });
  }
  const format = await formatOf(connection);
  if (format !== FORMAT) {
    throw new LogUnsupported(
      'the database',
      `tables of format ${format}, this version knows ${OLDEST_FORMAT} to ${FORMAT}`,
    );
  }
}

/** The same within a transaction, which an error would end. */
async function lockedFormat(connection: Connection): Promise<number | undefined> {
  const { rows } = await connection.query(`SELECT to_regclass('bourse.writer') AS found`);
  return rows[0].found === null ? undefined : formatOf(connection);
}

async function formatOf(connection: Connection): Promise<number | undefined> {
  try {
    const { rows } = await connection.query('SELECT format FROM bourse.writer');
    return rows[0]?.format;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Creates the partition that has the seq, if it does not exist. Readers and the writer are not delayed. */
export async function createPartition(connection: Connection, seq: number): Promise<void> {
  const number = Math.floor(seq / PARTITION_SEQS);
  const name = `bourse.frame_${number}`;
  const { rows } = await connection.query('SELECT to_regclass($1) AS found', [name]);
  if (rows[0].found !== null) return;
  const [from, to] = [number * PARTITION_SEQS, (number + 1) * PARTITION_SEQS];
  await connection.transaction(async () => {
    await connection.query(`CREATE TABLE ${name} (LIKE bourse.frame INCLUDING ALL) WITH (${FRAME_OPTIONS})`);
    await connection.query(`ALTER TABLE bourse.frame ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`);
  });
}

/** Drops the partitions whose rows are all up to the seq, which are gone. Readers wait for a moment. */
export async function dropPartitions(connection: Connection, seq: number): Promise<void> {
  for (let number = Math.floor((seq + 1) / PARTITION_SEQS) - 1; number >= 0; number -= 1) {
    const { rows } = await connection.query('SELECT to_regclass($1) AS found', [`bourse.frame_${number}`]);
    if (rows[0].found === null) return;
    await connection.query(`DROP TABLE bourse.frame_${number}`);
  }
}
