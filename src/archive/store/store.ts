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
import { crc32 } from 'node:zlib';
import { OrderIds } from '../../venue/contract/order-id.ts';
import { HOUSE_NAME } from '../../venue/contract/units.ts';
import { ArchiveDamaged, ArchiveUnavailable, guarded, known } from './errors.ts';
import { Names } from './names.ts';
import { integerColumns, RowForm, type StoredRow } from './row-form.ts';
import {
  type ArchiveState,
  copied,
  emptyState,
  insertOfState,
  ofThisFormat,
  type SavedState,
  savedState,
  stateOf,
  writeState,
} from './state.ts';
import {
  COUNTED,
  type CountedName,
  columnsOf,
  RECOUNTED,
  type Row,
  TABLE_NAMES,
  TABLES,
  type TableName,
  type Value,
} from './tables.ts';

/** The path of a private archive in memory. */
export const IN_MEMORY = ':memory:';
/** The number of the house. Accounts count from 1. */
const HOUSE_NUMBER = 0;
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

/** Rows to remove: those whose key begins with these values. `from`: only if the next one is at least this. */
export interface RemovedRows {
  readonly table: TableName;
  readonly key: readonly Value[];
  readonly from?: number;
}

/** The rows of one transaction, by table. */
export type Rows = { readonly [name in TableName]: readonly Row[] };
type Inserts = { readonly [name in TableName | 'meta' | 'names']: StatementSync };
type Forms = { readonly [name in TableName]: RowForm };

export class ArchiveStore {
  readonly #database: DatabaseSync;
  readonly #inserts: Inserts | undefined;
  readonly #byKey = new Map<TableName, StatementSync>();
  /** Prepared once, by their text, which is always this code's. Statements whose rows are being read are not here. */
  readonly #idle = new Map<string, StatementSync>();
  readonly #deletes = new Map<string, StatementSync>();
  readonly #names: Names;
  readonly #forms: Forms;
  #ids: OrderIds | undefined;
  #state: ArchiveState;
  /** By name, and the names by number. Read when they are first needed. */
  #accounts: { readonly byName: Map<string, Numbers>; readonly names: string[] } | undefined;

  /**
   * Opens or creates the file, or uses a database that is already open. A file that is opened for reading stays as it is at
   * this moment, whatever is written meanwhile.
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
      this.#names = new Names(guarded(() => namesIn(database, state.names)));
      this.#useIds(state);
      this.#forms = this.#newForms();
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
   * One transaction. It first removes rows. @throws {ArchiveUnavailable} @throws {ArchiveDamaged}
   */
  write(rows: Partial<Rows>, state: ArchiveState, removed: readonly RemovedRows[] = []): void {
    const inserts = this.#inserts;
    assert.ok(inserts !== undefined, 'this archive was opened for reading');
    const written = copied(state);
    this.#useIds(written);
    const added = this.#addAccounts(rows.accounts ?? []);
    try {
      this.#write(inserts, rows, written, removed);
    } catch (error) {
      this.#names.forgetAdded();
      for (const name of added) this.#accounts?.byName.delete(name);
      this.#accounts?.names.splice(this.#state.accounts);
      throw error;
    }
    this.#names.written();
    this.#state = written;
    for (const row of rows.accounts ?? []) this.#accounts?.byName.set(...numbersOf(row));
  }

  #write(inserts: Inserts, rows: Partial<Rows>, written: ArchiveState, removed: readonly RemovedRows[]): void {
    const stored = TABLE_NAMES.map((table) => (rows[table] ?? []).map((row) => this.#forms[table].encode(row)));
    written.names = this.#names.count;
    guarded(() => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        const { markets, candles } = this.#state;
        Object.assign(written, { markets, candles });
        for (const one of removed) {
          const count = this.#remove(one);
          if (one.table === 'candles') written.candles -= count;
        }
        for (const table of RECOUNTED) written[table] += this.#newRows(table, rows[table] ?? []);
        for (const [id, name] of this.#names.added) inserts.names.run(id, name, sumOfName(id, name));
        TABLE_NAMES.forEach((table, i) => {
          for (const row of stored[i]) inserts[table].run(...row);
        });
        writeState(inserts.meta, written);
        this.#database.exec('COMMIT');
      } catch (error) {
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /** So that the rows of the transaction can refer to them. Returns the new ones. */
  #addAccounts(rows: readonly Row[]): string[] {
    if (rows.length === 0) return [];
    const { byName, names } = this.#accountsByName;
    const added: string[] = [];
    for (const row of rows) {
      const [name, numbers] = numbersOf(row);
      if (byName.has(name)) continue;
      byName.set(name, numbers);
      names[numbers.account - 1] = name;
      added.push(name);
    }
    return added;
  }

  #useIds({ idKey }: ArchiveState): void {
    if (idKey !== undefined) this.#ids ??= new OrderIds(idKey);
  }

  #newForms(): Forms {
    const store = this;
    const directory = {
      names: this.#names,
      get ids() {
        return store.#ids;
      },
      accountNumber: (name: string) =>
        name === HOUSE_NAME ? HOUSE_NUMBER : this.#accountsByName.byName.get(name)?.account,
      accountName: (number: number) => {
        if (number === HOUSE_NUMBER) return HOUSE_NAME;
        const name = this.#accountsByName.names[number - 1];
        if (name === undefined) throw new ArchiveDamaged(`the account ${number} is missing`);
        return name;
      },
    };
    return Object.fromEntries(TABLE_NAMES.map((table) => [table, new RowForm(table, directory)])) as Forms;
  }

  /** Returns how many were removed. */
  #remove({ table, key, from }: RemovedRows): number {
    const columns = TABLES[table].key;
    const conditions = key.map((_, i) => `${columns[i]} = ?`);
    const values = this.key(table, ...key);
    if (from !== undefined) {
      conditions.push(`${columns[key.length]} >= ?`);
      values.push(from);
    }
    const text = `DELETE FROM ${table} WHERE ${conditions.join(' AND ')}`;
    let statement = this.#deletes.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#deletes.set(text, statement);
    }
    return Number(statement.run(...values).changes);
  }

  #newRows(table: TableName, rows: readonly Row[]): number {
    const keys = rows.map((row) => keyOf(table, row)).filter((key) => this.row(table, ...key) === undefined);
    return new Set(keys.map((key) => key.join('\u0000'))).size;
  }

  /** By name. @throws {ArchiveDamaged} */
  get accounts(): ReadonlyMap<string, Numbers> {
    return this.#accountsByName.byName;
  }

  get #accountsByName() {
    if (this.#accounts === undefined) {
      const byName = new Map([...this.numbered('accounts', [], 1, this.#state.accounts)].map(numbersOf));
      this.#accounts = { byName, names: [...byName.keys()] };
    }
    return this.#accounts;
  }

  /** The first columns of a table's key as they are in the file, for a condition of `rows`. */
  key(table: TableName, ...values: Value[]): number[] {
    return this.#forms[table].keyOf(values);
  }

  /** Makes everything written durable, and keeps the WAL file short. */
  checkpoint(): void {
    guarded(() => this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
  }

  /** The keys of the newest orders, newest first. Their rows are checked when they are read. @throws {ArchiveDamaged} */
  *newestOrders(limit: number): Generator<number> {
    const text = 'SELECT orderKey FROM orders ORDER BY orderKey DESC LIMIT ?';
    for (const [key] of this.#selected(text, [limit])) yield key as number;
  }

  /**
   * The rows of a table whose key matches a condition, e.g. `rows('fills', 'n > ? ORDER BY n', 7)`. The values are as in
   * the file (`key`). @throws {ArchiveDamaged}
   */
  *rows(table: TableName, condition = 'true', ...values: number[]): Generator<Row> {
    for (const found of this.#stored(table, condition, values)) yield this.#forms[table].decode(found);
  }

  #stored(table: TableName, condition: string, values: readonly number[]): Generator<StoredRow> {
    return this.#selected(selectSql(table, condition), values);
  }

  *#selected(text: string, values: readonly number[]): Generator<StoredRow> {
    try {
      const statement = this.#idle.get(text) ?? this.#select(text);
      this.#idle.delete(text);
      try {
        for (const found of statement.iterate(...values)) yield found as unknown as StoredRow;
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
      const found = statement.get(...this.key(table, ...key)) as unknown as StoredRow | undefined;
      return found && this.#forms[table].decode(found);
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
    const values = [...this.key(table, ...key), first, last];
    for (const row of this.rows(table, `${conditions.join(' AND ')} ${order}`, ...values)) {
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
    const form = this.#forms[table];
    const key: readonly string[] = TABLES[table].key;
    const order = `ORDER BY ${key.join(', ')} LIMIT ${CHUNK_ROWS}`;
    const behind = `(${key.join(', ')}) > (${key.map(() => '?').join(', ')}) ${order}`;
    let stored = [...this.#stored(table, `true ${order}`, [])];
    while (stored.length > 0) {
      const last = form.storedKey(stored[stored.length - 1]);
      yield stored.map((row) => form.decode(row));
      stored = [...this.#stored(table, behind, last)];
    }
  }

  close(): void {
    this.#database.close();
  }
}

function numbersOf([account, name, trades, moves]: Row): [name: string, numbers: Numbers] {
  return [name as string, { account, trades, moves } as Numbers];
}

/** The state of an archive, of whatever format. Undefined: the file is empty. @throws {ArchiveDamaged} */
export function stateOfFile(path: string): ArchiveState | undefined {
  return guarded(() => {
    const database = openDatabase(path, true);
    try {
      return savedState(database);
    } finally {
      database.close();
    }
  });
}

/** True: the file is an archive of that format. What else it may be shows when it is opened. */
export function hasFormat(path: string, format: number): boolean {
  if (!existsSync(path)) return false;
  try {
    return stateOfFile(path)?.format === format;
  } catch (error) {
    if (error instanceof ArchiveDamaged || error instanceof ArchiveUnavailable) return false;
    throw error;
  }
}

/** A file without a writer is opened so that reading it leaves no files beside it. */
function openDatabase(path: string, readOnly: boolean): DatabaseSync {
  if (!readOnly) {
    if (path !== IN_MEMORY) closeSync(openSync(path, 'a', 0o600));
    return new DatabaseSync(path, { timeout: BUSY_MS });
  }
  const url = pathToFileURL(path);
  if (!existsSync(`${path}-wal`)) url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly, timeout: BUSY_MS });
  try {
    database.exec('BEGIN');
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

function insertsOf(database: DatabaseSync): Inserts {
  const statements = TABLE_NAMES.map((table) => {
    const marks = storedColumns(table)
      .map(() => '?')
      .join(', ');
    return [table, database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (${marks})`)] as const;
  });
  const names = database.prepare('INSERT INTO names VALUES (?, ?, ?)');
  return { ...(Object.fromEntries(statements) as Omit<Inserts, 'meta'>), names, meta: insertOfState(database) };
}

/** All columns of a table's file, in order. */
function storedColumns(table: TableName): string[] {
  return [...integerColumns(table), 'rest', 'sum'];
}

export function createTableSql(table: TableName): string {
  const { key } = TABLES[table];
  const typed = storedColumns(table).map((name) => `${name} ${name === 'rest' ? 'BLOB' : 'INTEGER'}`);
  // A single key is the rowid. Any other key is the order of the rows in the file.
  const rowid = key.length === 1 ? '' : ', WITHOUT ROWID';
  return `CREATE TABLE ${table} (${typed.join(', ')}, PRIMARY KEY (${key.join(', ')})) STRICT${rowid}`;
}

function sumOfName(id: number, name: string): number {
  return crc32(`${id} ${name}`) | 0;
}

/** @throws {ArchiveDamaged} */
function namesIn(database: DatabaseSync, count: number): string[] {
  const rows = database.prepare('SELECT id, name, sum FROM names ORDER BY id').all() as {
    id: number;
    name: string;
    sum: number;
  }[];
  const isSound = rows.every(({ id, name, sum }, i) => id === i + 1 && sum === sumOfName(id, name));
  if (!isSound || rows.length !== count) throw new ArchiveDamaged('its names are not as they were written');
  return rows.map(({ name }) => name);
}

/** Undefined if the file is new. */
function openState(database: DatabaseSync): ArchiveState | undefined {
  const state = savedState(database);
  return state && ofThisFormat(state);
}

function create(database: DatabaseSync): ArchiveState {
  const state = emptyState();
  database.exec('BEGIN IMMEDIATE');
  database.exec('CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT, sum TEXT) STRICT, WITHOUT ROWID');
  database.exec('CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT, sum INTEGER) STRICT');
  for (const table of TABLE_NAMES) database.exec(createTableSql(table));
  writeState(insertOfState(database), state);
  database.exec('COMMIT');
  return state;
}

function selectSql(table: TableName, condition: string): string {
  return `SELECT ${storedColumns(table).join(', ')} FROM ${table} WHERE ${condition}`;
}

/** How many of the rows existed at that state. Others may have been added since. */
function countedRows(table: CountedName, rows: readonly Row[], state: ArchiveState): number {
  const [column, last] = COUNTED[table];
  const place = columnsOf(table).indexOf(column);
  return rows.reduce((count, row) => count + Number((row[place] as number) <= state[last]), 0);
}

function keyOf(table: TableName, row: Row): Row {
  return TABLES[table].key.map((name) => row[columnsOf(table).indexOf(name)]);
}
