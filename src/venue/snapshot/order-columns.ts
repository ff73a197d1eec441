/**
 * Orders to plain data and back, in columns: one list for each field. So a hundred thousand orders are saved and loaded
 * in a fraction of a second. If few orders have a value other than the blank one, a field is a list of those few.
 *
 * Slots, book entries, trigger entries and timers are places in memory, so they are not saved. What they represent is
 * saved.
 */

import { moneyOf } from '../contract/money.ts';
import { indexOfKey, seqOfKey } from '../contract/order-id.ts';
import type { Trigger } from '../contract/order-view.ts';
import { NONE, type Reference } from '../contract/units.ts';
import { joinPosition } from '../risk/reduce-only.ts';
import { BLANK, type Order } from '../state/order.ts';
import { algoNamed, behaviourOf } from '../state/order-behaviour.ts';
import { CREATED, FILLED, FILLED_COST, LAST_FILL, ORIGINAL, PRICE, QUANTITY, UPDATED } from '../state/order-record.ts';
import { clientKey, type OrderTable, type SnapshotOrders } from '../state/order-table.ts';
import type { VenueState } from '../state/venue-state.ts';
import {
  type Column,
  ColumnWriter,
  columnReader,
  each,
  eachBefore,
  stepsOf,
  TOGETHER,
  takeListed,
} from './column-codec.ts';

/** Fields of an order that are places in memory, are rebuilt, or are saved in another form. */
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
  | ('seq' | 'index' | 'product' | 'filledNow' | 'filledSeq' | 'trigger' | 'reserved' | 'algoNumber' | 'stateCode')
  | ('key' | 'live' | 'remaining' | 'quoteRemaining' | 'clear' | 'begin' | 'addFill' | 'chunk' | 'at' | 'extras');

type Field = Exclude<keyof Order, Unsaved>;

/** How a field is set: its place among the doubles of the record, or a function. */
type Setting<T> = (T extends number ? number : never) | ((order: Order, value: T) => void);

/**
 * Every saved field, and how it is set. A field that is missing here does not compile. A store to a fixed field name is
 * ten times faster than one to a computed name.
 */
const SET: { readonly [name in Field]: Setting<Order[name]> } = {
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
  quantity: QUANTITY,
  filled: FILLED,
  price: PRICE,
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
  algoState: (order, value) => {
    order.algoState = value;
  },
  clientId: (order, value) => {
    order.clientId = value;
  },
  ending: (order, value) => {
    order.ending = value;
  },
  updatedMs: UPDATED,
  createdMs: CREATED,
  timeInForce: (order, value) => {
    order.timeInForce = value;
  },
  original: ORIGINAL,
  lastFill: LAST_FILL,
  filledCost: FILLED_COST,
  protectedLots: (order, value) => {
    order.protectedLots = value;
  },
  openedLots: (order, value) => {
    order.openedLots = value;
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
/** The names of fields in saved state that differ from those in the code. Saved names never change. */
const SAVED_NAMES: Partial<Record<Field, string>> = {
  quantity: 'current',
  algoState: 'own',
  protectedLots: 'covered',
  openedLots: 'opened',
};
const savedName = (field: Field): string => SAVED_NAMES[field] ?? field;
const BY_SAVED_NAME = new Map(FIELDS.map((field) => [savedName(field), field]));
const BIGINTS: ReadonlySet<string> = new Set<Field>(['quoteOriginal', 'quoteFilled']);
/** Large numbers that are near each other. */
const TIMES: ReadonlySet<string> = new Set<Field>(['createdMs', 'updatedMs']);
/** The fields that are needed to find and to forget an ended order. */
const FINDING: ReadonlySet<string> = new Set<Field>(['account', 'market', 'clientId', 'updatedMs']);

/** By saved name. A field is absent if all orders have its blank value. */
type Fields = Readonly<Record<string, Column<unknown>>>;

interface FieldsAndTriggers {
  readonly fields: Fields;
  readonly triggers: Column<object>;
}

/**
 * Ended orders, oldest ending first. Most of them are forgotten before a look-up, so their other fields are kept as
 * unparsed text.
 */
export interface SavedEnded {
  readonly keys: ArrayLike<number>;
  readonly finding: Fields;
  /** FieldsAndTriggers without the fields in `finding`, as JSON. */
  readonly rest: string;
}

export interface SavedOrders extends FieldsAndTriggers {
  readonly keys: ArrayLike<number>;
  /** For live orders: what they reserve, and what they wait for. Amounts are saved as text. */
  readonly reserved: Column<string | number>;
  readonly watched: Column<readonly [Reference, ticks: number, up: boolean | null]>;
  readonly due: Column<readonly [dueMs: number, rank: number]>;
}

/**
 * One pass over the orders, because they are far apart in memory and the columns are not. Each order is used before the
 * next one is taken. `count`: how many there are.
 */
export function saveOrders(venue: VenueState, orders: Iterable<Order>, count: number): SavedOrders {
  const fields = FIELDS.map((field) => new ColumnWriter(count, plain(field, BLANK[field])));
  const [triggers, reserved, watched, due] = Array.from({ length: 4 }, () => new ColumnWriter(count));
  const keys: number[] = [];
  for (const order of orders) {
    const i = keys.push(order.key) - 1;
    for (let f = 0; f < FIELDS.length; f++) fields[f].put(i, plain(FIELDS[f], order[FIELDS[f]]));
    if (order.trigger !== null) triggers.put(i, savedTrigger(order.trigger));
    if (!order.live) continue;
    const amount = order.reserved;
    if (amount !== 0) reserved.put(i, String(amount));
    const { watchReference, watchTicks } = order;
    if (watchTicks > 0) watched.put(i, [watchReference, watchTicks, venue.market(order).triggers.direction(order)]);
    if (order.timer !== NONE) due.put(i, [order.dueMs, order.timerRank]);
  }
  return {
    keys,
    fields: Object.fromEntries(
      FIELDS.map((field, f) => [savedName(field), fields[f]] as const)
        .filter(([, column]) => !column.blank)
        .map(([field, column]) => [field, column.done(TIMES.has(field) ? stepsOf : undefined)]),
    ),
    triggers: triggers.done() as Column<object>,
    reserved: reserved.done() as SavedOrders['reserved'],
    watched: watched.done() as SavedOrders['watched'],
    due: due.done() as SavedOrders['due'],
  };
}

export function saveEnded(venue: VenueState, orders: Iterable<Order>, count: number): SavedEnded {
  const { keys, fields, triggers } = saveOrders(venue, orders, count);
  const some = (finding: boolean): Fields =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => FINDING.has(name) === finding));
  const rest: FieldsAndTriggers = { fields: some(false), triggers };
  return { keys, finding: some(true), rest: JSON.stringify(rest) };
}

/** Big integers and endings become text. Most endings are one of a few. */
function plain(field: Field, value: unknown): unknown {
  if (field === 'ending') return value === null ? null : JSON.stringify(value);
  return typeof value === 'bigint' ? String(value) : value;
}

function savedTrigger({ firedStep: _, ...saved }: Trigger): object {
  return saved;
}

/**
 * Creates the live orders again, by age as they were saved, so that the lists of their accounts come back in that
 * order. All are completed, field by field, before the first one is counted anywhere. The venue is new, so
 * the n-th order gets slot n. There is no list of all orders: the collector would copy it several times (D-672).
 */
export function loadOrders(venue: VenueState, saved: SavedOrders): void {
  const { keys } = saved;
  const table = venue.orders;
  if (table.live > 0) throw new Error(`orders are loaded into a venue that has ${table.live}`);
  const dense: Fill[] = [];
  const sparse: ((end: number) => void)[] = [];
  for (const [name, column] of Object.entries(saved.fields)) {
    const field = fieldNamed(name);
    if (column.at === undefined) dense.push(filler(field, column));
    else sparse.push(setting(table, column, setterOf(field)));
  }
  sparse.push(setting(table, saved.triggers, setTrigger), setting(table, saved.reserved, setReserved));
  for (let begin = 0; begin < keys.length; begin += TOGETHER) {
    const end = Math.min(begin + TOGETHER, keys.length);
    const orders: Order[] = [];
    for (let i = begin; i < end; i++) orders.push(table.create(seqOfKey(keys[i]), indexOfKey(keys[i])));
    for (const fill of dense) fill(orders);
    for (const set of sparse) set(end);
    for (const order of orders) setProduct(venue, order);
  }
  for (const set of sparse) set(Number.POSITIVE_INFINITY);
  for (let slot = 0; slot < keys.length; slot++) join(venue, table.bySlot(slot));
  wait(venue, saved);
}

/** The ended orders are loaded when they are looked up (order-table.ts). */
export function adoptEnded(venue: VenueState, ended: SavedEnded): void {
  venue.orders.adoptSnapshot(snapshotOrders(venue, ended));
}

function snapshotOrders(venue: VenueState, { keys, finding, rest }: SavedEnded): SnapshotOrders {
  const found = columnsOf(keys.length, finding);
  const { account, market, clientId, updatedMs } = found;
  let fill: SnapshotOrders['fill'] | undefined;
  return {
    keys,
    fill: (order, place) => {
      if (fill === undefined) {
        const { fields, triggers } = JSON.parse(rest) as FieldsAndTriggers;
        fill = orderFiller(venue, { ...found, ...columnsOf(keys.length, fields) }, triggers);
      }
      fill(order, place);
    },
    endedMs: (place) => updatedMs?.(place) ?? BLANK.updatedMs,
    clientKey: (place) => {
      const id = clientId?.(place) ?? null;
      if (id === null) return null;
      const { product } = venue.markets[market?.(place) ?? BLANK.market];
      return clientKey(account?.(place) ?? BLANK.account, product, id);
    },
  };
}

/** Reads the value of a field at a place. An absent field is blank everywhere. */
type Columns = { readonly [name in Field]?: (place: number) => Order[name] };

function columnsOf(count: number, fields: Fields): Columns {
  const readers = Object.entries(fields).map(([name, column]) => {
    const field = fieldNamed(name);
    return [field, columnReader(column, count, BLANK[field])];
  });
  return Object.fromEntries(readers) as Columns;
}

function fieldNamed(savedName: string): Field {
  const field = BY_SAVED_NAME.get(savedName);
  if (field === undefined) throw new Error(`saved orders have the unknown field ${savedName}`);
  return field;
}

/** Returns a function that sets everything that was saved of the order in place i. */
function orderFiller(venue: VenueState, columns: Columns, saved: Column<object>): (order: Order, i: number) => void {
  const fields = (Object.entries(columns) as [Field, (place: number) => unknown][]).map(([field, read]) => {
    return { read, set: setterOf(field) };
  });
  const triggers = new Map<number, object>();
  each(saved, (i, trigger) => triggers.set(i, trigger));
  return (order, i) => {
    for (const { set, read } of fields) set(order, read(i));
    const trigger = triggers.get(i);
    if (trigger !== undefined) order.trigger = loadedTrigger(trigger);
    setProduct(venue, order);
  };
}

/** Returns a function that sets a field to a value in its saved form. */
function setterOf(field: Field): (order: Order, saved: unknown) => void {
  const setting = SET[field] as Setting<unknown> | number;
  if (typeof setting === 'number') {
    return ({ chunk, at }, saved) => {
      chunk.doubles[at + setting] = saved as number;
    };
  }
  const parse = undo(field);
  if (parse === undefined) return setting;
  return (order, saved) => setting(order, typeof saved === 'string' ? parse(saved) : saved);
}

type Fill = (orders: readonly Order[]) => void;

/** Returns a function that sets a field of the next orders. */
function filler(field: Field, column: Column<unknown>): Fill {
  const place = SET[field];
  const set = setterOf(field);
  const take = takeListed(column);
  return (orders) => {
    const values = take(orders.length);
    if (values.length < orders.length) throw new Error(`the saved orders have too few values of ${field}`);
    if (typeof place === 'number' && values instanceof Float64Array) setNumbers(orders, place, values);
    else for (let n = 0; n < values.length; n++) set(orders[n], values[n]);
  };
}

/** Returns a function that sets the next values that belong to orders before `end`. */
function setting<T>(
  table: OrderTable,
  column: Column<T>,
  set: (order: Order, value: T) => void,
): (end: number) => void {
  return eachBefore(column, (place, value) => set(orderAt(table, place), value));
}

function setProduct(venue: VenueState, order: Order): void {
  order.product = venue.markets[order.market].product;
}

function setTrigger(order: Order, saved: object): void {
  order.trigger = loadedTrigger(saved);
}

function setReserved(order: Order, amount: string | number): void {
  order.reserved = typeof amount === 'number' ? amount : moneyOf(BigInt(amount));
}

function setNumbers(orders: readonly Order[], place: number, values: Float64Array): void {
  for (let n = 0; n < values.length; n++) {
    const { chunk, at } = orders[n];
    chunk.doubles[at + place] = values[n];
  }
}

/** Reverses `plain` for a field's values. Equal names and endings are parsed once. */
function undo(field: Field): ((text: string) => unknown) | undefined {
  if (BIGINTS.has(field)) return BigInt;
  if (field !== 'algo' && field !== 'ending') return undefined;
  const parse: (text: string) => unknown = field === 'algo' ? algoNamed : JSON.parse;
  const known = new Map<string, unknown>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      value = parse(text);
      known.set(text, value);
    }
    return value;
  };
}

function loadedTrigger(saved: object): Trigger {
  return { ...saved, firedStep: 0 } as Trigger;
}

/** Adds a live order to the lists of its account, its algo and its position. */
function join(venue: VenueState, order: Order): void {
  venue.link(order);
  joinPosition(venue, order);
  behaviourOf(order).onLoad?.(venue, order);
}

/** Restores what live orders wait for. */
function wait(venue: VenueState, saved: SavedOrders): void {
  const { orders, timers } = venue;
  each(saved.watched, (place, [reference, ticks, up]) => {
    const order = orderAt(orders, place);
    venue.market(order).triggers.watch(order, reference, ticks, up);
  });
  each(saved.due, (place, [dueMs, rank]) => timers.set(orderAt(orders, place), dueMs, rank));
}

/** The live order in that place of a column. @throws there is none: the snapshot is wrong */
function orderAt(orders: OrderTable, place: number): Order {
  if (!(place >= 0 && place < orders.live)) {
    throw new Error(`the saved orders have a value in place ${place}, where there is no order`);
  }
  return orders.bySlot(place);
}
