/**
 * The archive's SQLite file. One thread writes it, in transactions that end where a frame of the log ends. Anyone may
 * read it (WAL).
 *
 * Invariants:
 * - `state` names the frame of the log up to which the tables are complete, and is written in the same transaction.
 * - Every row matches its checksum, the state matches its own, and numbered rows have no gap. A mismatch is
 *   `ArchiveDamaged`, never an answer. Then nothing here is worth saving, because the log has everything.
 * - SQL selects rows by key only. A condition on another column would skip a damaged row before its checksum is
 *   compared.
 * - A crash may lose the last transactions (only a checkpoint syncs). They are rebuilt from the log.
 *
 * Cost: about 4 microseconds per row written.
 */
import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { ArchiveDamaged, guarded, known } from './errors.ts';
import { type ArchiveState, copied, emptyState, insertOfState, type SavedState, stateOf, writeState } from './state.ts';
import {
  COUNTED,
  type CountedName,
  columnsOf,
  createTableSql,
  RECOUNTED,
  type Row,
  sumOf,
  TABLE_NAMES,
  TABLES,
  type TableName,
  type Value,
  VIEWS,
} from './tables.ts';

/** The path of a private archive in memory. */
export const IN_MEMORY = ':memory:';
const CHUNK_ROWS = 2000;
/** How long a transaction waits for another process that holds the file. */
const BUSY_MS = 2000;
const SETTINGS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -32768;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA journal_size_limit = 33554432;
`;

/** An account of the archive: its number, and the numbers of its trades and movements. */
export interface Numbers {
  readonly account: number;
  readonly trades: number;
  readonly moves: number;
}

/** Candles to remove: those of a market and level from a time on. */
export interface RemovedCandles {
  readonly market: string;
  readonly minutes: number;
  readonly fromMs: number;
}

/** The rows of one transaction, by table. */
export type Rows = { readonly [name in TableName]: readonly Row[] };
type Inserts = { readonly [name in TableName | 'meta']: StatementSync };

export class ArchiveStore {
  readonly #database: DatabaseSync;
  readonly #inserts: Inserts | undefined;
  readonly #byKey = new Map<TableName, StatementSync>();
  /** Prepared once, by their text, which is always this code's. Statements whose rows are being read are not here. */
  readonly #idle = new Map<string, StatementSync>();
  #state: ArchiveState;
  #accounts: Map<string, Numbers> | undefined;

  /**
   * Opens or creates the file, or uses a database that is already open.
   * @throws {ArchiveDamaged} it is not as it was written
   */
  constructor(at: string | DatabaseSync, { readOnly = false } = {}) {
    const database = typeof at === 'string' ? guarded(() => openDatabase(at, readOnly)) : at;
    this.#database = database;
    try {
      const [state, inserts] = guarded(() => {
        if (readOnly) return [openState(database), undefined] as const;
        database.exec(SETTINGS);
        return [openState(database) ?? create(database), insertsOf(database)] as const;
      });
      if (state === undefined) throw new ArchiveDamaged('it is empty');
      this.#state = state;
      this.#inserts = inserts;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** The state after the last transaction. */
  get state(): ArchiveState {
    return copied(this.#state);
  }

  /** The largest key in `orders`. */
  get lastOrder(): number {
    return this.#state.lastOrder;
  }

  /**
   * One transaction. It first removes candles. @throws {ArchiveUnavailable} @throws
   * {ArchiveDamaged}
   */
  write(rows: Partial<Rows>, state: ArchiveState, removed: readonly RemovedCandles[] = []): void {
    const inserts = this.#inserts;
    assert.ok(inserts !== undefined, 'this archive was opened for reading');
    const written = copied(state);
    guarded(() => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        const { markets, candles } = this.#state;
        Object.assign(written, { markets, candles: candles - this.#remove(removed) });
        for (const table of RECOUNTED) written[table] += this.#newRows(table, rows[table] ?? []);
        for (const table of TABLE_NAMES) {
          const insert = inserts[table];
          for (const row of rows[table] ?? []) insert.run(...row, sumOf(row));
        }
        writeState(inserts.meta, written);
        this.#database.exec('COMMIT');
      } catch (error) {
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        throw error;
      }
    });
    this.#state = written;
    for (const row of rows.accounts ?? []) this.#accounts?.set(...numbersOf(row));
  }

  /** Returns how many were removed. */
  #remove(removed: readonly RemovedCandles[]): number {
    if (removed.length === 0) return 0;
    const statement = this.#database.prepare('DELETE FROM candles WHERE market = ? AND minutes = ? AND startMs >= ?');
    return removed.reduce(
      (count, { market, minutes, fromMs }) => count + Number(statement.run(market, minutes, fromMs).changes),
      0,
    );
  }

  #newRows(table: TableName, rows: readonly Row[]): number {
    const keys = rows.map((row) => keyOf(table, row)).filter((key) => this.row(table, ...key) === undefined);
    return new Set(keys.map((key) => key.join('\u0000'))).size;
  }

  /** By name. Read at the first call, for the writer of the archive. @throws {ArchiveDamaged} */
  get accounts(): ReadonlyMap<string, Numbers> {
    this.#accounts ??= new Map([...this.numbered('accounts', [], 1, this.#state.accounts)].map(numbersOf));
    return this.#accounts;
  }

  /** Makes everything written durable, and keeps the WAL file short. */
  checkpoint(): void {
    guarded(() => this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
  }

  /**
   * The rows of a table that match a condition, e.g. `rows('fills', 'n > ? ORDER BY n', 7)`. @throws {ArchiveDamaged}
   */
  *rows(table: TableName, condition = 'true', ...values: Value[]): Generator<Row> {
    const text = selectSql(table, condition);
    try {
      const statement = this.#idle.get(text) ?? this.#select(text);
      this.#idle.delete(text);
      try {
        for (const found of statement.iterate(...values)) yield checked(table, found);
      } finally {
        this.#idle.set(text, statement);
      }
    } catch (error) {
      throw known(error);
    }
  }

  /** The row with a key. Undefined if there is none, or it is lost. @throws {ArchiveDamaged} */
  row(table: TableName, ...key: Value[]): Row | undefined {
    return guarded(() => {
      let statement = this.#byKey.get(table);
      if (statement === undefined) {
        statement = this.#select(selectSql(table, TABLES[table].key.map((column) => `${column} = ?`).join(' AND ')));
        this.#byKey.set(table, statement);
      }
      const found = statement.get(...key);
      return found === undefined ? undefined : checked(table, found);
    });
  }

  /** The row with a key that must exist. @throws {ArchiveDamaged} */
  known(table: TableName, ...key: Value[]): Row {
    const row = this.row(table, ...key);
    if (row === undefined) throw new ArchiveDamaged(`a row of ${table} is missing: ${key.join(', ')}`);
    return row;
  }

  /**
   * Rows whose last key column goes from `first` to `last` without a gap, after the other key columns. In reverse order
   * if `backwards`.
   * @throws {ArchiveDamaged}
   */
  *numbered(table: TableName, key: Value[], first: number, last: number, backwards = false): Generator<Row> {
    const columns = TABLES[table].key;
    const number = columns[columns.length - 1];
    const conditions = [...columns.slice(0, -1).map((column) => `${column} = ?`), `${number} BETWEEN ? AND ?`];
    const place = columnsOf(table).indexOf(number);
    let expected = backwards ? last : first;
    const order = `ORDER BY ${number} ${backwards ? 'DESC' : 'ASC'}`;
    for (const row of this.rows(table, `${conditions.join(' AND ')} ${order}`, ...key, first, last)) {
      if (row[place] !== expected) break;
      yield row;
      expected += backwards ? -1 : 1;
    }
    if (expected === (backwards ? first - 1 : last + 1)) return;
    throw new ArchiveDamaged(`a row of ${table} is missing: ${[...key, expected].join(', ')}`);
  }

  #select(text: string): StatementSync {
    const statement = this.#database.prepare(text);
    statement.setReturnArrays(true);
    return statement;
  }

  /**
   * Checks every row that exists now, a few at a time. Anything may happen between two steps. @throws {ArchiveDamaged}
   */
  *check(): Generator<void> {
    const state = this.state;
    for (const table of TABLE_NAMES) {
      const counted = table in COUNTED ? (table as CountedName) : undefined;
      let rows = 0;
      for (const chunk of this.#chunks(table)) {
        if (counted !== undefined) rows += countedRows(counted, chunk, state);
        yield;
      }
      if (counted !== undefined && rows !== state[counted]) {
        throw new ArchiveDamaged(`${rows} rows in ${counted}, expected ${state[counted]}`);
      }
    }
    for (const table of RECOUNTED) {
      const [rows, expected] = this.#recounted(table);
      if (rows !== expected) throw new ArchiveDamaged(`${rows} rows in ${table}, expected ${expected}`);
    }
  }

  /** The actual and the expected number of rows at one moment, because another process may be writing. */
  #recounted(table: (typeof RECOUNTED)[number]): [rows: number, expected: number] {
    return guarded(() => {
      const count = `SELECT value, sum, (SELECT count(*) FROM ${table}) AS rows FROM meta WHERE name = 'state'`;
      const found = this.#database.prepare(count).get() as (SavedState & { rows: number }) | undefined;
      return [found?.rows ?? 0, stateOf(found)[table]];
    });
  }

  *#chunks(table: TableName): Generator<Row[]> {
    const key: readonly string[] = TABLES[table].key;
    const order = `ORDER BY ${key.join(', ')} LIMIT ${CHUNK_ROWS}`;
    let chunk = [...this.rows(table, `true ${order}`)];
    while (chunk.length > 0) {
      yield chunk;
      const last = chunk[chunk.length - 1];
      const behind = `(${key.join(', ')}) > (${key.map(() => '?').join(', ')}) ${order}`;
      chunk = [...this.rows(table, behind, ...keyOf(table, last))];
    }
  }

  close(): void {
    this.#database.close();
  }
}

function numbersOf([account, name, trades, moves]: Row): [name: string, numbers: Numbers] {
  return [name as string, { account, trades, moves } as Numbers];
}

/** A file without a writer is opened so that reading it leaves no files beside it. */
function openDatabase(path: string, readOnly: boolean): DatabaseSync {
  if (!readOnly) {
    if (path !== IN_MEMORY) closeSync(openSync(path, 'a', 0o600));
    return new DatabaseSync(path, { timeout: BUSY_MS });
  }
  const url = pathToFileURL(path);
  if (!existsSync(`${path}-wal`)) url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly, timeout: BUSY_MS });
}

function insertsOf(database: DatabaseSync): Inserts {
  const statements = TABLE_NAMES.map((table) => {
    const marks = [...columnsOf(table), 'sum'].map(() => '?').join(', ');
    return [table, database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (${marks})`)] as const;
  });
  return { ...(Object.fromEntries(statements) as Omit<Inserts, 'meta'>), meta: insertOfState(database) };
}

/** Undefined if the file is new. */
function openState(database: DatabaseSync): ArchiveState | undefined {
  const known = database.prepare(`SELECT count(*) AS tables FROM sqlite_schema`).get() as { tables: number };
  if (known.tables === 0) return undefined;
  const found = database.prepare(`SELECT value, sum FROM meta WHERE name = 'state'`).get();
  return stateOf(found);
}

function create(database: DatabaseSync): ArchiveState {
  const state = emptyState();
  database.exec('BEGIN IMMEDIATE');
  database.exec('CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT, sum TEXT) STRICT, WITHOUT ROWID');
  for (const table of TABLE_NAMES) database.exec(createTableSql(table));
  for (const view of VIEWS) database.exec(view);
  writeState(insertOfState(database), state);
  database.exec('COMMIT');
  return state;
}

function selectSql(table: TableName, condition: string): string {
  return `SELECT ${columnsOf(table).join(', ')}, sum FROM ${table} WHERE ${condition}`;
}

/** How many of the rows existed at that state. Others may have been added since. */
function countedRows(table: CountedName, rows: readonly Row[], state: ArchiveState): number {
  const [column, last] = COUNTED[table];
  const place = columnsOf(table).indexOf(column);
  return rows.reduce((count, row) => count + Number((row[place] as number) <= state[last]), 0);
}

/** @throws {ArchiveDamaged} */
function checked(table: TableName, found: unknown): Row {
  const row = found as Row;
  if (row.pop() !== sumOf(row)) throw new ArchiveDamaged(`a row of ${table} does not match its checksum`);
  return row;
}

function keyOf(table: TableName, row: Row): Row {
  return TABLES[table].key.map((name) => row[columnsOf(table).indexOf(name)]);
}
