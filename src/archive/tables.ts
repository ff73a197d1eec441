/**
 * The tables of the archive, and their rows. Every row carries a checksum over its values, so that one changed bit is
 * found whenever the row is read. Names are text (account, symbol, order id), sizes and prices exact decimals as text;
 * only candles, which are reckoned on, have ticks, lots and smallest units (`markets` says how much these are).
 */
import { crc32 } from 'node:zlib';

export type Value = string | number | null;
export type Row = Value[];

export interface Table {
  /** Column → SQL type. */
  readonly columns: Readonly<Record<string, 'TEXT' | 'INTEGER'>>;
  /** Columns of the primary key. */
  readonly key: readonly string[];
}

export const TABLES = {
  markets: {
    columns: {
      symbol: 'TEXT',
      kind: 'TEXT',
      base: 'TEXT',
      quote: 'TEXT',
      tick: 'TEXT',
      step: 'TEXT',
      contractSize: 'TEXT',
    },
    key: ['symbol'],
  },
  /** Each order as it is now. `orderKey` orders them by age. */
  orders: {
    columns: {
      orderKey: 'INTEGER',
      orderId: 'TEXT',
      seq: 'INTEGER',
      account: 'TEXT',
      market: 'TEXT',
      side: 'TEXT',
      kind: 'TEXT',
      state: 'TEXT',
      clientId: 'TEXT',
      price: 'TEXT',
      size: 'TEXT',
      currentSize: 'TEXT',
      filledSize: 'TEXT',
      remainingSize: 'TEXT',
      averagePrice: 'TEXT',
      quoteSize: 'TEXT',
      quoteFilled: 'TEXT',
      timeInForce: 'TEXT',
      postOnly: 'INTEGER',
      reduceOnly: 'INTEGER',
      triggerReference: 'TEXT',
      triggerPrice: 'TEXT',
      triggered: 'INTEGER',
      reason: 'TEXT',
      createdMs: 'INTEGER',
      updatedMs: 'INTEGER',
    },
    key: ['orderKey'],
  },
  /** What happened to each order, in order; `data` is JSON. */
  order_events: {
    columns: { orderKey: 'INTEGER', n: 'INTEGER', seq: 'INTEGER', timeMs: 'INTEGER', type: 'TEXT', data: 'TEXT' },
    key: ['orderKey', 'n'],
  },
  fills: {
    columns: {
      n: 'INTEGER',
      seq: 'INTEGER',
      timeMs: 'INTEGER',
      tradeId: 'INTEGER',
      market: 'TEXT',
      price: 'TEXT',
      size: 'TEXT',
      value: 'TEXT',
      takerSide: 'TEXT',
      makerAccount: 'TEXT',
      makerOrder: 'TEXT',
      makerFee: 'TEXT',
      makerFeeCurrency: 'TEXT',
      takerAccount: 'TEXT',
      takerOrder: 'TEXT',
      takerFee: 'TEXT',
      takerFeeCurrency: 'TEXT',
    },
    key: ['n'],
  },
  /** Every change of an account's money, what its isolated positions hold included: they add up to what it has. */
  ledger: {
    columns: {
      n: 'INTEGER',
      seq: 'INTEGER',
      timeMs: 'INTEGER',
      account: 'TEXT',
      currency: 'TEXT',
      amount: 'TEXT',
      reason: 'TEXT',
      market: 'TEXT',
      orderId: 'TEXT',
    },
    key: ['n'],
  },
  /** One minute each. */
  candles: {
    columns: {
      market: 'TEXT',
      startMs: 'INTEGER',
      openTicks: 'INTEGER',
      highTicks: 'INTEGER',
      lowTicks: 'INTEGER',
      closeTicks: 'INTEGER',
      volumeLots: 'INTEGER',
      valueUnits: 'TEXT',
      trades: 'INTEGER',
    },
    key: ['market', 'startMs'],
  },
} as const satisfies Record<string, Table>;

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];
/** Tables whose rows are numbered from 1 by `n` and never change. */
export const NUMBERED = ['order_events', 'fills', 'ledger'] as const satisfies readonly TableName[];

export function columnsOf(table: TableName): string[] {
  return Object.keys(TABLES[table].columns);
}

export function createTableSql(table: TableName): string {
  const { columns, key }: Table = TABLES[table];
  const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  // A single integer key is the row's own number; any other is the order in which the rows lie.
  const rowid = key.length === 1 && columns[key[0]] === 'INTEGER' ? '' : ', WITHOUT ROWID';
  return `CREATE TABLE ${table} (${typed.join(', ')}, sum INTEGER, PRIMARY KEY (${key.join(', ')})) STRICT${rowid}`;
}

export function sumOf(row: readonly Value[]): number {
  return crc32(JSON.stringify(row));
}

export function toObject(table: TableName, row: readonly Value[]): Record<string, Value> {
  return Object.fromEntries(columnsOf(table).map((name, i) => [name, row[i]]));
}

/** SQLite has no booleans: those of `orders`, as they are meant. */
const FLAGS = ['postOnly', 'reduceOnly', 'triggered'];

export function withFlags(record: Readonly<Record<string, Value>>): Record<string, Value | boolean> {
  const flags = FLAGS.filter((name) => typeof record[name] === 'number').map((name) => [name, record[name] === 1]);
  return { ...record, ...Object.fromEntries(flags) };
}
