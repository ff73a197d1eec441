/**
 * Converts an archive of an older layout to the present one. Format 8 had every value as text, and the events of an order
 * as JSON. Nothing is lost, not even the history from before a change of rules, which the log cannot give again.
 *
 * The new file is written beside the old one, and takes its place when it is complete. If the process ends before, the
 * next one begins anew.
 */
import { renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { syncFolder } from '../../log/shared/folder.ts';
import { type ClientOrder, linkedClients, productOf } from './client-ids.ts';
import { ArchiveDamaged, ArchiveUnavailable, guarded } from './errors.ts';
import type { Packed } from './packing.ts';
import { type ArchiveState, OLD_FORMAT, savedState } from './state.ts';
import { ArchiveStore, hasFormat, type Rows } from './store.ts';
import { endedUnfilledMs } from './stored-orders.ts';
import { columnsOf, type Row, TABLES, type TableName, type Value } from './tables.ts';

/** Tables whose rows have the columns that they have now, or more. Accounts come first, because rows refer to them. */
const LIKE_NOW = [
  'accounts',
  'markets',
  'fills',
  'trades',
  'movements',
  'moves',
  'market_trades',
  'funding',
  'candles',
] as const;
const CHUNK_ROWS = 500;
/** The share of the older file's size that must be free. The new file takes less. */
const SHARE_NEEDED = 0.5;

/** The values of columns that format 8 did not have. */
const ADDED: Readonly<Record<string, Value>> = { formerTerms: 0 };

type OldRow = Record<string, Value>;

/** True: the file is an archive of an older layout, which `migrate` can read. */
export function isOlder(path: string): boolean {
  return hasFormat(path, OLD_FORMAT);
}

/**
 * In small steps. Each yields how much is done, 0 to 1. `idKey`: of the venue's order ids, as in its genesis.
 * @throws {ArchiveDamaged} @throws {ArchiveUnavailable}
 */
export function* migrate(path: string, idKey: string | undefined): Generator<number> {
  const beside = `${path}.new`;
  removeDatabase(beside);
  needRoom(path);
  const old = guarded(() => new DatabaseSync(path));
  let store: ArchiveStore | undefined;
  let isComplete = false;
  try {
    // So that the old file alone is complete when it is replaced.
    guarded(() => old.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    store = new ArchiveStore(beside);
    yield* new Migration(old, store, idKey).run();
    store.checkpoint();
    isComplete = true;
  } finally {
    store?.close();
    old.close();
    if (!isComplete) removeDatabase(beside);
  }
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  renameSync(beside, path);
  syncFolder(dirname(path));
}

/** The log needs the room of the disk more than the archive does. @throws {ArchiveUnavailable} */
function needRoom(path: string): void {
  const needed = SHARE_NEEDED * statSync(path).size;
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize >= needed) return;
  const [most, free] = [needed, bavail * bsize].map((bytes) => Math.ceil(bytes / 1e6));
  throw new ArchiveUnavailable(`its new layout needs up to ${most} MB beside it, and ${free} MB are free`, true);
}

export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

class Migration {
  readonly #old: DatabaseSync;
  readonly #store: ArchiveStore;
  readonly #from: ArchiveState;
  /** That of the older archive, with the rows of orders that are written so far. */
  readonly #state: ArchiveState;

  constructor(old: DatabaseSync, store: ArchiveStore, idKey: string | undefined) {
    this.#old = old;
    this.#store = store;
    const state = guarded(() => savedState(old));
    if (state?.format !== OLD_FORMAT) throw new ArchiveDamaged('it is no archive of the older layout');
    this.#from = state;
    // Orders are counted and linked anew.
    const anew = { orders: 0, client_ids: 0, order_events: 0, unfilled: 0, lastClientOrder: 0 };
    const { format, names, former_terms, setBackMs, forgottenMs } = store.state;
    const added = { format, names, former_terms, setBackMs, forgottenMs };
    this.#state = { ...state, ...anew, ...added, ...(idKey !== undefined && { idKey }) };
  }

  *run(): Generator<number> {
    const from = this.#from;
    const all = LIKE_NOW.reduce((sum, table) => sum + from[table], from.orders);
    let done = 0;
    for (const table of LIKE_NOW) {
      const columns = columnsOf(table);
      for (const rows of this.#chunks(table)) {
        this.#write({ [table]: rows.map((row) => columns.map((name) => row[name] ?? ADDED[name] ?? null)) });
        done += rows.length;
        yield done / all;
      }
    }
    for (const rows of this.#chunks('orders')) {
      this.#writeOrders(rows);
      done += rows.length;
      yield done / all;
    }
    const { orders } = this.#state;
    if (orders !== from.orders) throw new ArchiveDamaged(`${orders} rows in orders, expected ${from.orders}`);
    this.#write({});
    for (const _ of this.#store.check()) yield 1;
  }

  #writeOrders(rows: readonly OldRow[]): void {
    const [first, last] = [rows[0].orderKey, rows[rows.length - 1].orderKey];
    const events = new Map<Value, OldRow[]>();
    const inRange = 'orderKey BETWEEN ? AND ? ORDER BY orderKey, seq';
    for (const row of this.#rows('order_events', inRange, first, last)) {
      const others = events.get(row.orderKey);
      if (others === undefined) events.set(row.orderKey, [row]);
      else others.push(row);
    }
    const accounts: Row[] = [];
    const orders: Row[] = [];
    const order_events: Row[] = [];
    const unfilled: Row[] = [];
    const named: ClientOrder[] = [];
    for (const row of rows) {
      const account = this.#accountOf(row.account as string, accounts);
      const happened = events.get(row.orderKey) ?? [];
      if (happened.length !== row.eventRows)
        throw new ArchiveDamaged(`events of the order ${row.orderKey} are missing`);
      const commands = happened.map(({ seq, events }) => ({ seq, events: JSON.parse(events as string) as Packed[] }));
      const accepted = commands[0]?.seq === row.seq ? commands.shift() : undefined;
      const traded = [...commands, ...(accepted ? [accepted] : [])].some(({ events }) => events.some(isTrade));
      const order: OldRow = {
        ...row,
        events: accepted?.events ?? null,
        traded: Number(traded || row.filledSize !== '0'),
        eventRows: commands.length,
        setBackMs: 0,
      };
      const written = columnsOf('orders').map((name) => order[name]);
      orders.push(written);
      const endedMs = endedUnfilledMs(written);
      if (endedMs !== undefined) unfilled.push([endedMs, row.orderKey]);
      for (const { seq, events } of commands) order_events.push([row.orderKey, seq, events]);
      const { clientId, orderKey, seq } = row;
      if (clientId !== null) named.push({ account, product: productOf(row), clientId, orderKey, seq } as ClientOrder);
    }
    const [client_ids, lastClientOrder] = linkedClients(this.#store, named);
    this.#state.lastClientOrder = lastClientOrder;
    this.#state.orders += orders.length;
    this.#state.order_events += order_events.length;
    this.#state.client_ids += named.length;
    this.#state.unfilled += unfilled.length;
    this.#write({ accounts, orders, order_events, client_ids, unfilled });
  }

  /** Before, an account was not numbered until it had money or a trade. */
  #accountOf(name: string, added: Row[]): number {
    const known =
      this.#store.accounts.get(name)?.account ?? (added.find((row) => row[1] === name)?.[0] as number | undefined);
    if (known !== undefined) return known;
    this.#state.accounts += 1;
    added.push([this.#state.accounts, name, 0, 0]);
    return this.#state.accounts;
  }

  #write(rows: Partial<Rows>): void {
    this.#store.write(rows, this.#state);
  }

  *#chunks(table: TableName): Generator<OldRow[]> {
    const key: readonly string[] = TABLES[table].key;
    const order = `ORDER BY ${key.join(', ')} LIMIT ${CHUNK_ROWS}`;
    const behind = `(${key.join(', ')}) > (${key.map(() => '?').join(', ')}) ${order}`;
    let chunk = this.#rows(table, `true ${order}`);
    let count = 0;
    while (chunk.length > 0) {
      count += chunk.length;
      yield chunk;
      const last = chunk[chunk.length - 1];
      chunk = this.#rows(table, behind, ...key.map((name) => last[name]));
    }
    if (count !== this.#from[table])
      throw new ArchiveDamaged(`${count} rows in ${table}, expected ${this.#from[table]}`);
  }

  #rows(table: TableName, condition: string, ...values: Value[]): OldRow[] {
    return guarded(() => {
      const statement = this.#old.prepare(`SELECT * FROM ${table} WHERE ${condition}`);
      const found = statement.all(...(values as (string | number | null)[])) as OldRow[];
      return found.map(({ sum, ...row }) => {
        if (sum !== crc32(Object.values(row).join('\u0000'))) {
          throw new ArchiveDamaged(`a row of ${table} does not match its checksum`);
        }
        return row;
      });
    });
  }
}

function isTrade(event: Packed): boolean {
  return (event as { type?: unknown }).type === 'traded';
}
