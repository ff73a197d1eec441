/**
 * Orders ⇄ plain data: by columns, one list a field, so that a hundred thousand orders are saved and loaded in a fraction
 * of a second. A field of which few orders have anything else than a blank order is a list of those few.
 *
 * Slots, book entries, trigger entries and timers are places in memory and not in it; what they stand for is.
 */
import { algoNamed } from './algos/index.ts';
import type { Desk } from './desk.ts';
import { indexOfKey, seqOfKey } from './order-id.ts';
import { BLANK, type Order, type Trigger } from './orders.ts';
import { NONE, type Reference } from './units.ts';

/** Of an order: where it is in memory, what is rebuilt, and what is saved in another way. */
type Unsaved =
  | (
      | 'slot'
      | 'entry'
      | 'exposed'
      | 'watch'
      | 'watchTicks'
      | 'watchReference'
      | 'follows'
      | 'timer'
      | 'dueMs'
      | 'timerRank'
    )
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
  algo: (order, value) => {
    order.algo = value;
  },
  own: (order, value) => {
    order.own = value;
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
  covered: (order, value) => {
    order.covered = value;
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
  liquidation: (order, value) => {
    order.liquidation = value;
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
const MOST_DIFFERENT = 256;

/** Every value; or, of few different ones, which it is; or those that are not blank, with their places. */
type Column<T> =
  | { readonly all: readonly T[] }
  | { readonly of: readonly T[]; readonly which: readonly number[] }
  | { readonly at: readonly number[]; readonly some: readonly T[] };

export interface SavedOrders {
  readonly keys: readonly number[];
  /** By field, where any order has something else than a blank one. */
  readonly fields: Readonly<Record<string, Column<unknown>>>;
  readonly triggers: Column<object>;
  /** Of live orders: what they hold back, and what they wait for. */
  readonly reserved: Column<string>;
  readonly watched: Column<readonly [Reference, ticks: number, up: boolean | null]>;
  readonly due: Column<readonly [dueMs: number, rank: number]>;
}

/** One pass over the orders: they lie far apart in memory, and the columns do not. */
export function saveOrders(desk: Desk, orders: readonly Order[]): SavedOrders {
  const fields = FIELDS.map((field) => new ColumnWriter(orders.length, plain(field, BLANK[field])));
  const [triggers, reserved, watched, due] = Array.from({ length: 4 }, () => new ColumnWriter(orders.length));
  const keys: number[] = [];
  orders.forEach((order, i) => {
    keys.push(order.key);
    for (let f = 0; f < FIELDS.length; f++) fields[f].put(i, plain(FIELDS[f], order[FIELDS[f]]));
    if (order.trigger !== null) triggers.put(i, savedTrigger(order.trigger));
    if (!order.live) return;
    const amount = desk.reservedBy(order);
    if (amount !== 0n) reserved.put(i, String(amount));
    const { watchReference, watchTicks } = order;
    if (watchTicks > 0) watched.put(i, [watchReference, watchTicks, desk.market(order).triggers.direction(order)]);
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
    reserved: reserved.done() as SavedOrders['reserved'],
    watched: watched.done() as SavedOrders['watched'],
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
    return typeof this.#some[0] === 'string' ? fewDifferent(all) : { all };
  }
}

function fewDifferent(all: readonly unknown[]): Column<unknown> {
  const places = new Map<unknown, number>();
  const which: number[] = [];
  for (const value of all) {
    let place = places.get(value);
    if (place === undefined) {
      place = places.size;
      if (place === MOST_DIFFERENT) return { all };
      places.set(value, place);
    }
    which.push(place);
  }
  return { of: [...places.keys()], which };
}

/** Big integers, and endings, of which most are one of a few, as text; an algo by its name. */
function plain(field: Field, value: unknown): unknown {
  if (field === 'algo') return (value as Order['algo']).name;
  if (field === 'ending') return value === null ? null : JSON.stringify(value);
  return typeof value === 'bigint' ? String(value) : value;
}

function savedTrigger({ firedStep: _, ...saved }: Trigger): object {
  return saved;
}

/**
 * Makes all orders again: the live ones by age, as they were saved, so that their accounts' lists come back in that order;
 * the ended ones by their end. Each is made whole before the next one, while it is at hand.
 */
export function loadOrders(desk: Desk, live: SavedOrders, ended: SavedOrders): void {
  const liveOrders = makeOrders(desk, live);
  for (const order of liveOrders) join(desk, order);
  wait(desk, liveOrders, live);
  const endedOrders = makeOrders(desk, ended);
  const named = [...liveOrders, ...endedOrders].filter(({ clientId }) => clientId !== null);
  for (const order of named.sort((a, b) => a.key - b.key)) desk.orders.indexClientId(order);
  for (const order of endedOrders) desk.orders.retire(order);
}

function makeOrders(desk: Desk, saved: SavedOrders): Order[] {
  const fill = filler(saved);
  return saved.keys.map((key, i) => {
    const order = desk.orders.create(seqOfKey(key), indexOfKey(key));
    fill(order, i);
    order.product = desk.markets[order.market].product;
    return order;
  });
}

/** Sets all that was saved of the order in place i. */
function filler(saved: SavedOrders): (order: Order, i: number) => void {
  const count = saved.keys.length;
  const columns = Object.entries(saved.fields).map(([name, column]) => {
    const field = name as Field;
    const values = inFull(withOwnValues(field, column), count, BLANK[field]);
    return { set: SET[field] as (order: Order, value: unknown) => void, values };
  });
  const triggers = new Map<number, object>();
  each(saved.triggers, (i, trigger) => triggers.set(i, trigger));
  return (order, i) => {
    for (const { set, values } of columns) set(order, values[i]);
    const trigger = triggers.get(i);
    if (trigger !== undefined) order.trigger = { ...trigger, firedStep: 0 } as Order['trigger'];
  };
}

/** What `plain` made of values, undone; equal endings are one object from here on. */
function withOwnValues(field: Field, column: Column<unknown>): Column<unknown> {
  if (field !== 'ending' && field !== 'algo' && !BIGINTS.has(field)) return column;
  const own = (value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    if (field === 'algo') return algoNamed(value);
    return field === 'ending' ? JSON.parse(value) : BigInt(value);
  };
  if ('all' in column) return { all: column.all.map(own) };
  if ('of' in column) return { ...column, of: column.of.map(own) };
  return { ...column, some: column.some.map(own) };
}

function inFull(column: Column<unknown>, count: number, blank: unknown): readonly unknown[] {
  if ('all' in column) return column.all;
  if ('of' in column) return column.which.map((place) => column.of[place]);
  const all = new Array(count).fill(blank);
  each(column, (i, value) => {
    all[i] = value;
  });
  return all;
}

function each<T>(column: Column<T>, act: (i: number, value: T) => void): void {
  if ('all' in column) for (let i = 0; i < column.all.length; i++) act(i, column.all[i]);
  else if ('of' in column) for (let i = 0; i < column.which.length; i++) act(i, column.of[column.which[i]]);
  else for (let n = 0; n < column.at.length; n++) act(column.at[n], column.some[n]);
}

/** A live order among those of its account, of its algo and of its position. */
function join(desk: Desk, order: Order): void {
  desk.link(order);
  order.algo.onLoad?.(desk, order);
}

/** What live orders hold and wait for. */
function wait(desk: Desk, orders: readonly Order[], saved: SavedOrders): void {
  each(saved.reserved, (i, amount) => {
    desk.orders.reserved[orders[i].slot] = BigInt(amount);
  });
  each(saved.watched, (i, [reference, ticks, up]) => {
    desk.market(orders[i]).triggers.watch(orders[i], reference, ticks, up);
  });
  each(saved.due, (i, [dueMs, rank]) => desk.timers.set(orders[i], dueMs, rank));
}
