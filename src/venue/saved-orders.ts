/**
 * Orders ⇄ plain data: by columns, one list a field, so that a hundred thousand orders are saved and loaded in a fraction
 * of a second. A field of which few orders have anything else than a blank order is a list of those few.
 *
 * Slots, book entries, trigger entries and timers are places in memory and not in it; what they stand for is.
 */
import type { Desk } from './desk.ts';
import { indexOfKey, seqOfKey } from './order-id.ts';
import { BLANK, type Order, type Trigger } from './orders.ts';
import { NONE, type Reference } from './units.ts';

/** Of an order: where it is in memory, what is rebuilt, and what is saved in another way. */
type Unsaved =
  | ('slot' | 'entry' | 'exposed' | 'watch' | 'watchReference' | 'timer' | 'dueMs' | 'timerRank')
  | ('olderLive' | 'newerLive' | 'seq' | 'index' | 'product' | 'filledNow' | 'filledSeq' | 'trigger')
  | ('key' | 'live' | 'remaining' | 'quoteRemaining' | 'assign' | 'copy');

type Field = Exclude<keyof Order, Unsaved>;

/**
 * Every field that is saved, and how it is set: a field that is missing here does not compile. A store that names its
 * field is ten times faster than one by a name at hand.
 */
const SET: { readonly [name in Field]: (order: Order, value: Order[name]) => void } = {
  account: (order, value) => {
    order.account = value;
  },
  market: (order, value) => {
    order.market = value;
  },
  side: (order, value) => {
    order.side = value;
  },
  kind: (order, value) => {
    order.kind = value;
  },
  state: (order, value) => {
    order.state = value;
  },
  current: (order, value) => {
    order.current = value;
  },
  filled: (order, value) => {
    order.filled = value;
  },
  price: (order, value) => {
    order.price = value;
  },
  reduceOnly: (order, value) => {
    order.reduceOnly = value;
  },
  postOnly: (order, value) => {
    order.postOnly = value;
  },
  positionId: (order, value) => {
    order.positionId = value;
  },
  quoteOriginal: (order, value) => {
    order.quoteOriginal = value;
  },
  trailing: (order, value) => {
    order.trailing = value;
  },
  peg: (order, value) => {
    order.peg = value;
  },
  twap: (order, value) => {
    order.twap = value;
  },
  oco: (order, value) => {
    order.oco = value;
  },
  bracketOf: (order, value) => {
    order.bracketOf = value;
  },
  clientId: (order, value) => {
    order.clientId = value;
  },
  ending: (order, value) => {
    order.ending = value;
  },
  updatedMs: (order, value) => {
    order.updatedMs = value;
  },
  createdMs: (order, value) => {
    order.createdMs = value;
  },
  timeInForce: (order, value) => {
    order.timeInForce = value;
  },
  original: (order, value) => {
    order.original = value;
  },
  lastFill: (order, value) => {
    order.lastFill = value;
  },
  filledCost: (order, value) => {
    order.filledCost = value;
  },
  opened: (order, value) => {
    order.opened = value;
  },
  quoteFilled: (order, value) => {
    order.quoteFilled = value;
  },
  broker: (order, value) => {
    order.broker = value;
  },
  positionMode: (order, value) => {
    order.positionMode = value;
  },
  orderDetailType: (order, value) => {
    order.orderDetailType = value;
  },
  takeProfit: (order, value) => {
    order.takeProfit = value;
  },
  stopLoss: (order, value) => {
    order.stopLoss = value;
  },
  takeProfitKey: (order, value) => {
    order.takeProfitKey = value;
  },
  stopLossKey: (order, value) => {
    order.stopLossKey = value;
  },
};
const FIELDS = Object.keys(SET) as Field[];
const BIGINTS: ReadonlySet<string> = new Set<Field>(['quoteOriginal', 'quoteFilled']);
const REFERENCES: readonly Reference[] = ['last', 'mark', 'index'];

/** Every value, or those that are not blank with their places. */
type Column<T> = { readonly all: readonly T[] } | { readonly at: readonly number[]; readonly some: readonly T[] };

export interface SavedOrders {
  readonly keys: readonly number[];
  /** By field, where any order has something else than a blank one. */
  readonly fields: Readonly<Record<string, Column<unknown>>>;
  readonly triggers: Column<object>;
  /** Of live orders: what they hold back, and what they wait for. */
  readonly held: Column<string>;
  readonly watched: Column<readonly [Reference, number, boolean]>;
  readonly undirected: Column<Reference>;
  readonly due: Column<readonly [dueMs: number, rank: number]>;
}

/** One pass over the orders: they lie far apart in memory, and the columns do not. */
export function saveOrders(desk: Desk, orders: readonly Order[]): SavedOrders {
  const fields = FIELDS.map((field) => new ColumnWriter(orders.length, plain(BLANK[field])));
  const [triggers, held, watched, undirected, due] = Array.from({ length: 5 }, () => new ColumnWriter(orders.length));
  const keys: number[] = [];
  orders.forEach((order, i) => {
    keys.push(order.key);
    for (let f = 0; f < FIELDS.length; f++) fields[f].put(i, plain(order[FIELDS[f]]));
    if (order.trigger !== null) triggers.put(i, savedTrigger(order.trigger));
    if (!order.live) return;
    const amount = desk.heldBy(order);
    if (amount !== 0n) held.put(i, String(amount));
    const watch = desk.market(order).triggers.watched(order);
    if (watch !== null) watched.put(i, [watch.reference, watch.ticks, watch.up]);
    else undirected.put(i, undirectedReference(desk, order));
    if (order.timer !== NONE) due.put(i, [order.dueMs, order.timerRank]);
  });
  return {
    keys,
    fields: Object.fromEntries(
      FIELDS.map((field, f) => [field, fields[f]] as const)
        .filter(([, column]) => !column.blank)
        .map(([field, column]) => [field, column.done()]),
    ),
    triggers: triggers.done() as Column<object>,
    held: held.done() as SavedOrders['held'],
    watched: watched.done() as SavedOrders['watched'],
    undirected: undirected.done() as SavedOrders['undirected'],
    due: due.done() as SavedOrders['due'],
  };
}

/** Gathers what is not blank, and says it in the shorter way. */
class ColumnWriter {
  readonly #length: number;
  readonly #blank: unknown;
  readonly #at: number[] = [];
  readonly #some: unknown[] = [];

  constructor(length: number, blank: unknown = undefined) {
    this.#length = length;
    this.#blank = blank;
  }

  get blank(): boolean {
    return this.#at.length === 0;
  }

  /** For each order in turn, or for some of them. */
  put(i: number, value: unknown): void {
    if (value === this.#blank) return;
    this.#at.push(i);
    this.#some.push(value);
  }

  done(): Column<unknown> {
    if (this.#blank === undefined || this.#at.length < this.#length / 4) return { at: this.#at, some: this.#some };
    const all: unknown[] = new Array(this.#length).fill(this.#blank);
    this.#at.forEach((i, n) => {
      all[i] = this.#some[n];
    });
    return { all };
  }
}

function undirectedReference(desk: Desk, order: Order): Reference | undefined {
  return REFERENCES.find((reference) => desk.undirected[order.market][reference].has(order.key));
}

function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function savedTrigger({ firedStep: _, ...saved }: Trigger): object {
  return saved;
}

/** Makes all orders by age, so that client ids and the accounts' lists come back in their order; then ends the ended. */
export function loadOrders(desk: Desk, live: SavedOrders, ended: SavedOrders): void {
  const keys = [...live.keys, ...ended.keys];
  const byAge = Uint32Array.from(keys, (_, i) => i).sort((a, b) => keys[a] - keys[b]);
  const made: Order[] = new Array(keys.length);
  for (const i of byAge) made[i] = desk.orders.create(seqOfKey(keys[i]), indexOfKey(keys[i]));
  const liveOrders = made.slice(0, live.keys.length);
  const endedOrders = made.slice(live.keys.length);
  fill(liveOrders, live);
  fill(endedOrders, ended);
  for (const i of byAge) {
    const order = made[i];
    order.product = desk.markets[order.market].product;
    desk.orders.indexClientId(order);
    if (i < liveOrders.length) join(desk, order);
  }
  wait(desk, liveOrders, live);
  for (const order of endedOrders) desk.orders.retire(order);
}

/** Again in one pass over the orders for all full columns. */
function fill(orders: readonly Order[], saved: SavedOrders): void {
  const full: [set: (order: Order, value: unknown) => void, values: readonly unknown[]][] = [];
  for (const [field, column] of Object.entries(saved.fields)) {
    const set = setter(field as Field);
    if ('all' in column) full.push([set, column.all]);
    else each(column, (i, value) => set(orders[i], value));
  }
  orders.forEach((order, i) => {
    for (const [set, values] of full) set(order, values[i]);
  });
  each(saved.triggers, (i, trigger) => {
    orders[i].trigger = { ...trigger, firedStep: 0 } as Order['trigger'];
  });
}

function setter(field: Field): (order: Order, value: unknown) => void {
  const set = SET[field] as (order: Order, value: unknown) => void;
  if (!BIGINTS.has(field)) return set;
  return (order, value) => set(order, typeof value === 'string' ? BigInt(value) : value);
}

function each<T>(column: Column<T>, act: (i: number, value: T) => void): void {
  if ('all' in column) for (let i = 0; i < column.all.length; i++) act(i, column.all[i]);
  else for (let n = 0; n < column.at.length; n++) act(column.at[n], column.some[n]);
}

/** A live order among those of its account, of its algo and of its position. */
function join(desk: Desk, order: Order): void {
  desk.link(order);
  if (order.peg !== null) desk.pegs[order.market].add(order.key);
  if (order.trailing?.activated && order.trigger !== null) {
    desk.trailing[order.market][order.trigger.reference].add(order.key);
  }
  if (order.bracketOf !== null) desk.positionOf(order)?.reducers.add(order.key);
}

/** What live orders hold and wait for. */
function wait(desk: Desk, orders: readonly Order[], saved: SavedOrders): void {
  each(saved.held, (i, amount) => {
    desk.orders.held[orders[i].slot] = BigInt(amount);
  });
  each(saved.watched, (i, [reference, ticks, up]) => desk.watch(orders[i], reference, ticks, up));
  each(saved.undirected, (i, reference) => desk.undirected[orders[i].market][reference].add(orders[i].key));
  each(saved.due, (i, [dueMs, rank]) => desk.timers.set(orders[i], dueMs, rank));
}
