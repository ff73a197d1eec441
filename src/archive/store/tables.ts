/**
 * The tables of the archive, as the code that writes and reads rows sees them: names are text (account, symbol, order
 * id), and sizes, prices and money are exact decimals as text. Only market data (`market_trades`, `candles`) have ticks
 * and lots, because they are calculated with. `markets` gives their values.
 *
 * In the file a row has **integers**, and bytes for what is rare (row-form.ts). What another column says, or what nearly
 * all rows have in common, is not in the file at all. Every row has a checksum over its values in the file, so one
 * changed bit is found whenever the row is read.
 *
 * A checksum cannot protect a row that is not found. So everything that an answer needs is numbered without a gap,
 * counted or linked: `names`, `accounts` and `trades`, `orders.before`, `orders.eventRows`, `client_ids.before`,
 * `candles.before`.
 */
import { KEYS_PER_SEQ, type OrderIds, seqOfKey } from '../../venue/contract/order-id.ts';
import { product } from './decimals.ts';
import type { Packed } from './packing.ts';

export type Value = string | number | null | readonly Packed[];
export type Row = Value[];

/** How a column is stored as an integer. */
export type IntegerForm =
  | 'integer'
  /** A text that recurs, such as a symbol: the number of its name (names.ts). */
  | 'name'
  /** An account's name: its number in `accounts`. */
  | 'account'
  /** decimals.ts */
  | 'decimal'
  /** An order's key, in fewer bytes. */
  | 'orderKey'
  /** An order id: the same of its key. */
  | 'orderId'
  /** How much less it is than an earlier column. */
  | { readonly below: string };

/** The value of a column of the same row. */
type Of = (column: string) => Value;
/** What a column is if the file does not say it. It may depend on earlier columns. */
export type Usual = (of: Of, ids: OrderIds | undefined) => Value;

export type Column =
  | { readonly form: IntegerForm }
  /**
   * Among the rare values, if it is not the usual one. `named`: a text that recurs. `after`: as the difference to an
   * earlier column.
   */
  | { readonly usual: Usual; readonly named?: true; readonly after?: string };

export interface Table {
  readonly columns: Readonly<Record<string, Column>>;
  /** The columns of the primary key, the only way to find a row. They are integers. */
  readonly key: readonly string[];
}

const whole: Column = { form: 'integer' };
const name: Column = { form: 'name' };
const account: Column = { form: 'account' };
const decimal: Column = { form: 'decimal' };
const orderKey: Column = { form: 'orderKey' };
const orderId: Column = { form: 'orderId' };
const rare: Column = { usual: () => null };
const rareName: Column = { usual: () => null, named: true };
const usually = (value: Value): Column => ({ usual: () => value });
const usualName = (value: Value): Column => ({ usual: () => value, named: true });

/** The id of an order. Null: there is none. */
function idOf(ids: OrderIds | undefined, key: number): Value {
  return ids !== undefined && Number.isSafeInteger(key) && key >= 0 ? ids.encode(key) : null;
}

function tradeValue(price: Value, size: Value): Value {
  return typeof price === 'string' && typeof size === 'string' ? (product(price, size) ?? null) : null;
}

const isUnfilled = (of: Of) => of('filledSize') === '0';

export const TABLES = {
  /**
   * Each symbol with its present terms. `trades`, `rates` and `formerTerms`: the numbers of its rows in `market_trades`,
   * `funding` and `former_terms`. `candleMs`: when its newest minute with trades begins; −1: there is none.
   */
  markets: {
    columns: {
      symbol: name,
      kind: rareName,
      base: rareName,
      quote: rareName,
      tick: rare,
      step: rare,
      contractSize: rare,
      trades: whole,
      rates: whole,
      candleMs: whole,
      formerTerms: usually(0),
    },
    key: ['symbol'],
  },
  /**
   * Terms that a market had before the command `seq`, which listed its symbol again, or returned to another state. Fills up
   * to `n` that no earlier row has were made under them. `number` numbers those of a market from 1.
   */
  former_terms: {
    columns: {
      market: name,
      number: whole,
      seq: whole,
      n: whole,
      kind: rareName,
      base: rareName,
      quote: rareName,
      tick: rare,
      step: rare,
      contractSize: rare,
    },
    key: ['market', 'number'],
  },
  /** Each order in its latest state. `orderKey` sorts by age. Futures orders have positions and liquidations. */
  orders: {
    columns: {
      orderKey: whole,
      orderId: { usual: (of, ids) => idOf(ids, of('orderKey') as number) },
      seq: { usual: (of) => seqOfKey(of('orderKey') as number) },
      account,
      market: name,
      side: usualName('BUY'),
      kind: name,
      state: name,
      clientId: rare,
      price: decimal,
      size: decimal,
      currentSize: { usual: (of) => of('size') },
      filledSize: usually('0'),
      remainingSize: {
        usual: (of) => (isUnfilled(of) ? of('currentSize') : of('state') === 'filled' ? '0' : null),
      },
      averagePrice: { usual: (of) => (isUnfilled(of) ? null : of('price')) },
      quoteSize: rare,
      quoteFilled: rare,
      timeInForce: usualName('GTC'),
      postOnly: usually(0),
      reduceOnly: usually(0),
      triggerRule: rareName,
      triggerReference: rareName,
      triggerPrice: rare,
      /** Of a trailing stop its first one. */
      triggerOriginal: { usual: (of) => of('triggerPrice') },
      triggered: { usual: (of) => (of('triggerRule') === null ? null : 0) },
      positionMode: rareName,
      positionId: rare,
      liquidation: rareName,
      /** The ids of the attached orders that it got when it was filled. */
      takeProfitOrder: rare,
      stopLossOrder: rare,
      reason: rareName,
      createdMs: whole,
      updatedMs: { usual: (of) => of('createdMs'), after: 'createdMs' },
      /** What the command that accepted it did to it, as `events` of `order_events`. Null: that is not known. */
      events: rare,
      /** 1: it has traded, in any branch of the history. */
      traded: { usual: (of) => (isUnfilled(of) ? 0 : 1) },
      /** The key of the order before it, 0 for the first. It proves that no order in between is missing. */
      before: { form: { below: 'orderKey' } },
      /** The number of its rows in `order_events`. */
      eventRows: usually(0),
      /** The state's `setBackMs` when it ended. Only of an order that may be forgotten. */
      setBackMs: usually(0),
    },
    key: ['orderKey'],
  },
  /**
   * Each order that has a client id, by the account's number, the product (0: spot, 1: futures) and a hash of the id, which
   * only the order has in full. `before`: the order of the row before it in the order of the key, 0 for the first.
   */
  client_ids: {
    columns: {
      account: whole,
      product: whole,
      clientHash: whole,
      orderKey: whole,
      seq: { usual: (of) => seqOfKey(of('orderKey') as number) },
      before: orderKey,
    },
    key: ['account', 'product', 'clientHash', 'orderKey'],
  },
  /** Each order that ended and has not traded, in the order of the ends (forgetting.ts). `endedMs`: in time that passed. */
  unfilled: {
    columns: { endedMs: whole, orderKey },
    key: ['endedMs', 'orderKey'],
  },
  /** What a later command did to an order: a list of `{type, time, …}`. */
  order_events: {
    columns: { orderKey, seq: whole, events: rare },
    key: ['orderKey', 'seq'],
  },
  /**
   * Each trade, with both sides. `n` numbers fills and movements together, in order. Realised: the result of the part
   * of a futures position that a side closed. It is in `movements` too.
   */
  fills: {
    columns: {
      n: whole,
      seq: whole,
      timeMs: whole,
      tradeId: whole,
      market: name,
      price: decimal,
      size: decimal,
      value: { usual: (of) => tradeValue(of('price'), of('size')) },
      takerSide: usualName('BUY'),
      makerAccount: account,
      makerOrder: orderId,
      makerFee: decimal,
      makerFeeCurrency: name,
      makerRealised: rare,
      takerAccount: account,
      /** Usually the order that the command placed. */
      takerOrder: { usual: (of, ids) => idOf(ids, (of('seq') as number) * KEYS_PER_SEQ) },
      takerFee: decimal,
      takerFeeCurrency: name,
      takerRealised: rare,
      liquidation: usually(0),
    },
    key: ['n'],
  },
  /**
   * Each account whose money has moved, or that has traded or placed an order, numbered from 1 by the first time, and the
   * numbers of its trades and movements.
   */
  accounts: {
    columns: { account: whole, name: rare, trades: whole, moves: whole },
    key: ['account'],
  },
  /** Each fill once per account. `trade` numbers an account's own trades from 1. */
  trades: {
    columns: {
      account: whole,
      trade: whole,
      n: whole,
      seq: whole,
      timeMs: whole,
      market: name,
      tradeId: whole,
      role: name,
      orderKey,
    },
    key: ['account', 'trade'],
  },
  /**
   * Every change of an account's money except trades and fees, which are in `fills`. `wallet` is SPOT for deposits and
   * withdrawals, otherwise that of the position: CROSS or ISOLATED. A transfer is two rows that sum to zero. `reason` says
   * what realised a result where no ordinary trade did: liquidation, or autoDeleveraging. Fills and movements add up to
   * the balances of each account (`read/ledger.ts`).
   */
  movements: {
    columns: {
      n: whole,
      seq: whole,
      timeMs: whole,
      account,
      currency: name,
      amount: decimal,
      reason: name,
      market: name,
      wallet: name,
    },
    key: ['n'],
  },
  /** Each movement once. `move` numbers an account's own movements from 1. */
  moves: {
    columns: { account: whole, move: whole, n: whole, seq: whole, timeMs: whole },
    key: ['account', 'move'],
  },
  /** Each fill once, as everyone sees it. `trade` numbers the trades of a market from 1, also those of left branches. */
  market_trades: {
    columns: {
      market: name,
      trade: whole,
      n: whole,
      seq: whole,
      timeMs: whole,
      tradeId: { usual: (of) => of('trade') },
      priceTicks: whole,
      sizeLots: whole,
      takerSide: usualName('BUY'),
    },
    key: ['market', 'trade'],
  },
  /** The funding rates of each perpetual, numbered from 1, in hundred millionths. Positive: longs paid. */
  funding: {
    columns: { market: name, number: whole, seq: whole, timeMs: whole, rateParts: whole },
    key: ['market', 'number'],
  },
  /**
   * One row for each minute, hour and day (`minutes`: 1, 60, 1440) with trades, of the present timeline only. `cost`:
   * sum of price × size, ticks × lots. `before`: when the candle before it begins, −1 for the first.
   */
  candles: {
    columns: {
      market: name,
      minutes: whole,
      startMs: whole,
      openTicks: whole,
      highTicks: whole,
      lowTicks: whole,
      closeTicks: whole,
      volumeLots: whole,
      cost: rare,
      trades: whole,
      before: whole,
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
  former_terms: ['seq', 'seq'],
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

export function toObject(table: TableName, row: readonly Value[]): Record<string, Value> {
  return Object.fromEntries(columnsOf(table).map((name, i) => [name, row[i]]));
}

/** SQLite has no booleans. These columns of `orders` are meant as such. */
const FLAGS = ['postOnly', 'reduceOnly', 'triggered', 'liquidation'];

export function withFlags(record: Readonly<Record<string, Value>>): Record<string, Value | boolean> {
  const flags = FLAGS.filter((name) => typeof record[name] === 'number').map((name) => [name, record[name] === 1]);
  return { ...record, ...Object.fromEntries(flags) };
}
