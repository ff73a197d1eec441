/**
 * The tables of the archive. Every row has a checksum over its values, so one changed bit is found whenever the row is
 * read. Names are text (account, symbol, order id). Sizes and prices are exact decimals as text. Only market data
 * (`market_trades`, `candles`) have ticks and lots, because they are calculated with. `markets` gives their values.
 *
 * A checksum cannot protect a row that is not found. So everything that an answer needs is numbered without a gap,
 * counted or linked: `accounts` and `trades`, `orders.before`, `orders.eventRows`,
 * `client_ids.before`, `candles.before`.
 */
import { crc32 } from 'node:zlib';

export type Value = string | number | null;
export type Row = Value[];

export interface Table {
  /** Maps a column to its SQL type. */
  readonly columns: Readonly<Record<string, 'TEXT' | 'INTEGER'>>;
  /** The columns of the primary key, the only way to find a row. */
  readonly key: readonly string[];
}

export const TABLES = {
  /**
   * `trades` and `rates`: the numbers of its rows in `market_trades` and `funding`. `candleMs`: when its newest minute
   * with trades begins; −1: there is none.
   */
  markets: {
    columns: {
      symbol: 'TEXT',
      kind: 'TEXT',
      base: 'TEXT',
      quote: 'TEXT',
      tick: 'TEXT',
      step: 'TEXT',
      contractSize: 'TEXT',
      trades: 'INTEGER',
      rates: 'INTEGER',
      candleMs: 'INTEGER',
    },
    key: ['symbol'],
  },
  /** Each order in its latest state. `orderKey` sorts by age. Futures orders have positions and liquidations. */
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
      triggerRule: 'TEXT',
      triggerReference: 'TEXT',
      triggerPrice: 'TEXT',
      /** Of a trailing stop its first one. */
      triggerOriginal: 'TEXT',
      triggered: 'INTEGER',
      positionMode: 'TEXT',
      positionId: 'INTEGER',
      liquidation: 'TEXT',
      /** The ids of the attached orders that it got when it was filled. */
      takeProfitOrder: 'TEXT',
      stopLossOrder: 'TEXT',
      reason: 'TEXT',
      createdMs: 'INTEGER',
      updatedMs: 'INTEGER',
      /** The key of the order before it, 0 for the first. It proves that no order in between is missing. */
      before: 'INTEGER',
      /** The number of its rows in `order_events`. */
      eventRows: 'INTEGER',
    },
    key: ['orderKey'],
  },
  /**
   * Each order that has a client id. `before`: the order of the row before it in the order of the key, 0 for the first.
   */
  client_ids: {
    columns: {
      account: 'TEXT',
      product: 'TEXT',
      clientId: 'TEXT',
      orderKey: 'INTEGER',
      seq: 'INTEGER',
      before: 'INTEGER',
    },
    key: ['account', 'product', 'clientId', 'orderKey'],
  },
  /**
   * What a command did to an order: a JSON list of `{type, time, …}`. The view `order_history` has one row for each.
   */
  order_events: {
    columns: { orderKey: 'INTEGER', seq: 'INTEGER', events: 'TEXT' },
    key: ['orderKey', 'seq'],
  },
  /**
   * Each trade, with both sides. `n` numbers fills and movements together, in order. Realised: the result of the part
   * of a futures position that a side closed. It is in `movements` too.
   */
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
      makerRealised: 'TEXT',
      takerAccount: 'TEXT',
      takerOrder: 'TEXT',
      takerFee: 'TEXT',
      takerFeeCurrency: 'TEXT',
      takerRealised: 'TEXT',
      liquidation: 'INTEGER',
    },
    key: ['n'],
  },
  /**
   * Each account whose money has moved or that has traded, numbered from 1 by the first time, and the numbers of its
   * trades and movements.
   */
  accounts: {
    columns: { account: 'INTEGER', name: 'TEXT', trades: 'INTEGER', moves: 'INTEGER' },
    key: ['account'],
  },
  /** Each fill once per account. `trade` numbers an account's own trades from 1. */
  trades: {
    columns: {
      account: 'INTEGER',
      trade: 'INTEGER',
      n: 'INTEGER',
      seq: 'INTEGER',
      timeMs: 'INTEGER',
      market: 'TEXT',
      tradeId: 'INTEGER',
      role: 'TEXT',
      orderKey: 'INTEGER',
      clientId: 'TEXT',
    },
    key: ['account', 'trade'],
  },
  /**
   * Every change of an account's money except trades and fees, which are in `fills`. The view `ledger` has all changes,
   * including those of isolated positions. Its rows add up to the balances of each account. `wallet` is SPOT for
   * deposits and withdrawals, otherwise that of the position: CROSS or ISOLATED. A transfer is two rows that sum to
   * zero. `reason` says what realised a result where no ordinary trade did: liquidation, or autoDeleveraging.
   */
  movements: {
    columns: {
      n: 'INTEGER',
      seq: 'INTEGER',
      timeMs: 'INTEGER',
      account: 'TEXT',
      currency: 'TEXT',
      amount: 'TEXT',
      reason: 'TEXT',
      market: 'TEXT',
      wallet: 'TEXT',
    },
    key: ['n'],
  },
  /** Each movement once. `move` numbers an account's own movements from 1. */
  moves: {
    columns: { account: 'INTEGER', move: 'INTEGER', n: 'INTEGER', seq: 'INTEGER', timeMs: 'INTEGER' },
    key: ['account', 'move'],
  },
  /** Each fill once, as everyone sees it. `trade` numbers the trades of a market from 1, also those of left branches. */
  market_trades: {
    columns: {
      market: 'TEXT',
      trade: 'INTEGER',
      n: 'INTEGER',
      seq: 'INTEGER',
      timeMs: 'INTEGER',
      tradeId: 'INTEGER',
      priceTicks: 'INTEGER',
      sizeLots: 'INTEGER',
      takerSide: 'TEXT',
    },
    key: ['market', 'trade'],
  },
  /** The funding rates of each perpetual, numbered from 1, in hundred millionths. Positive: longs paid. */
  funding: {
    columns: { market: 'TEXT', number: 'INTEGER', seq: 'INTEGER', timeMs: 'INTEGER', rateParts: 'INTEGER' },
    key: ['market', 'number'],
  },
  /**
   * One row for each minute, hour and day (`minutes`: 1, 60, 1440) with trades, of the present timeline only. `cost`:
   * sum of price × size, ticks × lots. `before`: when the candle before it begins, −1 for the first.
   */
  candles: {
    columns: {
      market: 'TEXT',
      minutes: 'INTEGER',
      startMs: 'INTEGER',
      openTicks: 'INTEGER',
      highTicks: 'INTEGER',
      lowTicks: 'INTEGER',
      closeTicks: 'INTEGER',
      volumeLots: 'INTEGER',
      cost: 'TEXT',
      trades: 'INTEGER',
      before: 'INTEGER',
    },
    key: ['market', 'minutes', 'startMs'],
  },
} as const satisfies Record<string, Table>;

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];
/**
 * Tables whose rows are counted, each with a column that grows, and the field of the archive's state with its last
 * value.
 */
export const COUNTED = {
  orders: ['seq', 'seq'],
  client_ids: ['seq', 'seq'],
  order_events: ['seq', 'seq'],
  fills: ['n', 'lastN'],
  movements: ['n', 'lastN'],
  accounts: ['account', 'accounts'],
  trades: ['n', 'lastN'],
  moves: ['n', 'lastN'],
  market_trades: ['n', 'lastN'],
  funding: ['seq', 'seq'],
} as const satisfies { readonly [name in TableName]?: readonly [column: string, last: string] };
export type CountedName = keyof typeof COUNTED;
/** Tables whose rows are rewritten or removed, so their number is known only as of the last transaction. */
export const RECOUNTED = ['markets', 'candles'] as const satisfies readonly TableName[];

const COLUMNS: ReadonlyMap<TableName, readonly string[]> = new Map(
  TABLE_NAMES.map((table) => [table, Object.keys(TABLES[table].columns)]),
);

export function columnsOf(table: TableName): readonly string[] {
  return COLUMNS.get(table) ?? [];
}

export function createTableSql(table: TableName): string {
  const { columns, key }: Table = TABLES[table];
  const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  // A single integer key is the rowid. Any other key is the order of the rows in the file.
  const rowid = key.length === 1 && columns[key[0]] === 'INTEGER' ? '' : ', WITHOUT ROWID';
  return `CREATE TABLE ${table} (${typed.join(', ')}, sum INTEGER, PRIMARY KEY (${key.join(', ')})) STRICT${rowid}`;
}

const BUYER = "CASE takerSide WHEN 'BUY' THEN taker% ELSE maker% END";
const SELLER = "CASE takerSide WHEN 'BUY' THEN maker% ELSE taker% END";

/** One kind of ledger entry in a fill: the account, the currency, the amount. */
function fillEntries(who: string, currency: string, amount: string, reason: string, condition: string): string {
  const [account, orderId] = ['Account', 'Order'].map((what) => who.replaceAll('%', what));
  const entry = `${account}, ${currency}, ${amount}, ${reason}, market, ${orderId}`;
  return `SELECT n, seq, timeMs, ${entry} FROM fills JOIN markets ON symbol = market WHERE ${condition}`;
}

function feeEntries(side: 'maker' | 'taker', reason: string): string {
  const fee = `${side}Fee`;
  const amount = `CASE WHEN ${fee} LIKE '-%' THEN substr(${fee}, 2) ELSE '-' || ${fee} END`;
  return fillEntries(`${side}%`, `${side}FeeCurrency`, amount, reason, `${fee} <> '0'`);
}

/** For people who read the file: one row per event, and every entry of the ledger. */
export const VIEWS = [
  `CREATE VIEW order_history AS
   SELECT orderId, e.seq, value ->> '$.time' AS timeMs, value ->> '$.type' AS type, value AS data
   FROM order_events e JOIN orders USING (orderKey), json_each(events)`,
  `CREATE VIEW ledger (n, seq, timeMs, account, currency, amount, reason, market, orderId) AS
   SELECT n, seq, timeMs, account, currency, amount, reason, market, NULL FROM movements UNION ALL
   ${[
     fillEntries(BUYER, 'quote', "'-' || value", "'trade'", "kind = 'spot'"),
     fillEntries(BUYER, 'base', 'size', "'trade'", "kind = 'spot'"),
     fillEntries(SELLER, 'quote', 'value', "'trade'", "kind = 'spot'"),
     fillEntries(SELLER, 'base', "'-' || size", "'trade'", "kind = 'spot'"),
     feeEntries('maker', "'fee'"),
     feeEntries('taker', "CASE liquidation WHEN 1 THEN 'liquidationFee' ELSE 'fee' END"),
   ].join(' UNION ALL ')}`,
];

export function sumOf(row: readonly Value[]): number {
  return crc32(row.join('\u0000'));
}

export function toObject(table: TableName, row: readonly Value[]): Record<string, Value> {
  return Object.fromEntries(columnsOf(table).map((name, i) => [name, row[i]]));
}

/** SQLite has no booleans. These columns of `orders` are meant as such. */
const FLAGS = ['postOnly', 'reduceOnly', 'triggered', 'liquidation'];

export function withFlags(record: Readonly<Record<string, Value>>): Record<string, Value | boolean> {
  const flags = FLAGS.filter((name) => typeof record[name] === 'number').map((name) => [name, record[name] === 1]);
  return { ...record, ...Object.fromEntries(flags) };
}
