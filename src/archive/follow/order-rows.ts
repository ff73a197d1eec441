/**
 * Rows of orders that wait for a transaction: the orders as they were at their last event, and what happened to them, by
 * command.
 *
 * Invariants:
 * - Each order names the one before it, and the number of its events, so that none can be missing unnoticed.
 * - After a return to another state, the orders show the present timeline: live ones as they are, ended ones as they ended.
 */
import type { EventOf } from '../../venue/contract/events.ts';
import { seqOfKey } from '../../venue/contract/order-id.ts';
import type { OrderView } from '../../venue/contract/order-view.ts';
import type { Venue } from '../../venue/venue.ts';
import { type ClientOrder, linkedClients, productOf } from '../store/client-ids.ts';
import { ArchiveDamaged } from '../store/errors.ts';
import type { ArchiveState } from '../store/state.ts';
import type { ArchiveStore, RemovedRows } from '../store/store.ts';
import {
  BEFORE,
  EVENT_ROWS,
  EVENTS,
  endedUnfilledMs,
  isLive,
  orderBehind,
  SET_BACK,
  storedEvents,
  storedOrder,
  storedOrders,
  TRADED,
} from '../store/stored-orders.ts';
import { columnsOf, type Row, toObject, type Value } from '../store/tables.ts';
import { includes } from '../store/timeline.ts';
import type { AccountRows, AccountRowsOptions } from './account-rows.ts';
import { type OrderChange, type OrderEvent, type OrderPlace, orderRow, placeOf } from './records.ts';

export interface OrderRowsOptions extends AccountRowsOptions {
  readonly accounts: AccountRows;
}

/** What a transaction writes of orders. */
interface Written {
  readonly rows: { readonly [table in 'orders' | 'order_events' | 'client_ids' | 'unfilled']: readonly Row[] };
  readonly removed: readonly RemovedRows[];
  /** The state then, as far as it is of orders. */
  readonly state: Pick<ArchiveState, 'orders' | 'client_ids' | 'unfilled' | 'lastClientOrder'>;
}

export class OrderRows {
  readonly #store: ArchiveStore;
  readonly #state: ArchiveState;
  readonly #replica: () => Venue;
  readonly #accounts: AccountRows;
  /** What the present command did, by order. */
  #happenings = new Map<number, OrderEvent[]>();
  /** What happened to new orders in the command that accepted them, until they are written. */
  #acceptances = new Map<number, OrderEvent[]>();
  /** Orders with trades since the last transaction. */
  #traded = new Set<number>();
  /** Live orders as they were at their last event. Their rows are built when they are written. */
  #touched = new Map<number, { readonly order: OrderView; readonly place: OrderPlace }>();
  #orders = new Map<number, Row>();
  /** The state's `setBackMs` when an order of `#orders` ended. */
  readonly #setBack = new Map<number, number>();
  #events: Row[] = [];
  /** Orders that got attached orders by the present command. Their rows are shown when it is done. */
  #parents: { account: number; market: number; key: number }[] = [];
  /** The largest key that was written. */
  #writtenOrder: number;
  /** Orders that the rows show as live, in any branch, with their seqs. Built when first needed. */
  #live: Map<number, number> | undefined;

  constructor({ store, state, replica, accounts }: OrderRowsOptions) {
    this.#store = store;
    this.#state = state;
    this.#replica = replica;
    this.#accounts = accounts;
    this.#writtenOrder = store.lastOrder;
  }

  /** The number of rows that wait. */
  get pending(): number {
    return this.#acceptances.size + this.#events.length;
  }

  accepted(order: OrderView): void {
    this.#state.lastOrder = Math.max(this.#state.lastOrder, order.key);
    this.#state.orders += 1;
    this.#touch(order);
    const parent = order.details?.terms.parent;
    if (typeof parent !== 'object' || parent === null || !('order' in parent) || parent.order === null) return;
    this.#parents.push({ account: order.account, market: order.market, key: parent.order });
  }

  changed({ account, market, key }: Pick<EventOf<'orderChanged'>, 'account' | 'market' | 'key'>): void {
    const order = this.#order(account, market, key);
    if (order === undefined) return;
    // An ended order is written at once, because the venue may drop it at any time.
    if (order.live) this.#touch(order);
    else this.#show(order);
  }

  happened(key: number, event: OrderEvent): void {
    const others = this.#happenings.get(key);
    if (others === undefined) this.#happenings.set(key, [event]);
    else others.push(event);
  }

  traded(key: number, event: OrderEvent): void {
    this.happened(key, event);
    this.#traded.add(key);
  }

  /** The command is done. */
  closeCommand(seq: number): void {
    if (this.#happenings.size === 0) return;
    for (const [key, events] of this.#happenings) {
      if (events[0].type === 'accepted' && seqOfKey(key) === seq) {
        this.#acceptances.set(key, events);
        continue;
      }
      this.#state.order_events += 1;
      this.#events.push([key, seq, events]);
    }
    this.#happenings = new Map();
    for (const parent of this.#parents) this.changed(parent);
    this.#parents = [];
  }

  /** What waits for the transaction, as of the end of the last command. */
  toWrite(): Written {
    for (const { order, place } of this.#touched.values())
      this.#show(this.#order(order.account, order.market, order.key) ?? order, place);
    const { orders, inserted, named, unfilled, filled } = this.#linked();
    const [clientIds, lastClientOrder] = linkedClients(this.#store, named);
    const state = this.#state;
    return {
      rows: { orders, order_events: this.#events, client_ids: clientIds, unfilled },
      removed: filled,
      state: {
        orders: state.orders + inserted,
        client_ids: state.client_ids + named.length,
        unfilled: state.unfilled + unfilled.length - filled.length,
        lastClientOrder,
      },
    };
  }

  written(): void {
    this.#orders = new Map();
    this.#setBack.clear();
    this.#acceptances = new Map();
    this.#traded = new Set();
    this.#events = [];
    this.forgotten();
  }

  /** Orders were removed: the last one may be another. */
  forgotten(): void {
    this.#writtenOrder = this.#state.lastOrder;
  }

  /** Another state is about to be entered: live orders are kept as they are in the branch that is left. */
  leave(): void {
    for (const { order, place } of this.#touched.values()) this.#show(order, place);
  }

  /** The state's timeline is another one now, and `live` are its live orders. */
  entered(live: readonly OrderView[]): void {
    for (const order of live) this.#touch(order);
    for (const row of this.#shownLive()) this.#showEnded(row);
  }

  /**
   * The rows of `orders` to write, each with the order before it and the number of its events. `inserted`: how many of
   * them are older than written orders, because they come from a saved state older than the archive. `named`: those that
   * were not written before and have a client id. `unfilled`, `filled`: those that may be forgotten from now on, and
   * those that may be no longer.
   */
  #linked(): {
    orders: Row[];
    inserted: number;
    named: ClientOrder[];
    unfilled: Row[];
    filled: RemovedRows[];
  } {
    const events = new Map<number, number>();
    for (const [key] of this.#events) events.set(key as number, (events.get(key as number) ?? 0) + 1);
    const keys = [...new Set([...this.#orders.keys(), ...events.keys()])].sort((a, b) => a - b);
    const linked = new Map<number, Row>();
    let last = this.#writtenOrder;
    let inserted = 0;
    const named: ClientOrder[] = [];
    const unfilled: Row[] = [];
    const filled: RemovedRows[] = [];
    for (const key of keys) {
      const isNew = key > this.#writtenOrder;
      const stored = isNew ? undefined : (linked.get(key) ?? storedOrder(this.#store, key));
      const shown = this.#orders.get(key) ?? stored;
      if (shown === undefined) throw new ArchiveDamaged(`the order ${key} is missing`);
      const counted = ((stored?.[EVENT_ROWS] as number | undefined) ?? 0) + (events.get(key) ?? 0);
      let before = isNew ? last : (stored?.[BEFORE] as number | undefined);
      if (before === undefined) {
        before = this.#linkBehind(key, linked);
        inserted += 1;
      }
      if (isNew) last = key;
      const accepted = this.#acceptances.get(key) ?? stored?.[EVENTS] ?? null;
      const traded = Number(stored?.[TRADED] === 1 || this.#traded.has(key));
      const setBack = this.#orders.has(key) ? (this.#setBack.get(key) ?? 0) : (stored?.[SET_BACK] as number);
      const row = [...shown.slice(0, EVENTS), accepted, traded, before, counted, traded === 1 ? 0 : setBack];
      linked.set(key, row);
      const [was, is] = [stored && endedUnfilledMs(stored), endedUnfilledMs(row)];
      if (was !== undefined && was !== is) filled.push({ table: 'unfilled', key: [was, key] });
      if (is !== undefined && was !== is) unfilled.push([is, key]);
      if (stored === undefined && shown[CLIENT] !== null) named.push(this.#clientOrderOf(shown));
    }
    return { orders: [...linked.values()], inserted, named, unfilled, filled };
  }

  /** Makes the order after `key` name it as the one before. Returns the key that it named. */
  #linkBehind(key: number, linked: Map<number, Row>): number {
    const stored = orderBehind(this.#store, key);
    if (stored === undefined) throw new ArchiveDamaged(`the order after ${key} is missing`);
    const behind = linked.get(stored[0] as number) ?? stored;
    linked.set(behind[0] as number, behind.with(BEFORE, key));
    return behind[BEFORE] as number;
  }

  #clientOrderOf(row: Row): ClientOrder {
    const { account: name, ...order } = toObject('orders', row);
    const { account } = this.#accounts.of(name as string);
    const { clientId, orderKey, seq } = order;
    return { account, product: productOf(order), clientId, orderKey, seq } as ClientOrder;
  }

  #order(account: number, market: number, key: number): OrderView | undefined {
    return this.#replica().order(account, this.#replica().markets[market].product, key);
  }

  #touch(order: OrderView): void {
    this.#touched.set(order.key, { order, place: placeOf(this.#replica(), order) });
  }

  #show(order: OrderView, place = placeOf(this.#replica(), order)): void {
    this.#touched.delete(order.key);
    this.#put(order.key, orderRow(this.#replica(), order, place));
  }

  #put(key: number, row: Row): void {
    this.#orders.set(key, row);
    if (isLive(row)) this.#setBack.delete(key);
    else this.#setBack.set(key, this.#state.setBackMs);
    this.#noteLive(key, row);
  }

  #noteLive(key: number, row: Row): void {
    if (isLive(row)) this.#live?.set(key, row[SEQ] as number);
    else this.#live?.delete(key);
  }

  /** Orders of the present timeline that the archive shows as live although they are not. */
  #shownLive(): Record<string, Value>[] {
    if (this.#live === undefined) {
      this.#live = new Map();
      for (const row of storedOrders(this.#store)) {
        if (isLive(row)) this.#live.set(row[0] as number, row[SEQ] as number);
      }
      for (const [key, row] of this.#orders) this.#noteLive(key, row);
    }
    const timeline = this.#state.lineage;
    return [...this.#live]
      .filter(([key, seq]) => includes(timeline, seq) && !this.#touched.has(key))
      .map(([key]) => toObject('orders', this.#orders.get(key) ?? this.#store.known('orders', key)));
  }

  /** An order that had ended when the present state was saved, and was live in the branch that was left. */
  #showEnded(row: Record<string, Value>): void {
    const key = row.orderKey as number;
    const account = this.#replica().accountByName(row.account as string);
    const market = this.#replica().marketBySymbol(row.market as string);
    const order = account && market && this.#replica().order(account.index, market.product, key);
    if (order !== undefined) this.#show(order);
    else this.#showAsItEnded(key, row);
  }

  /** The venue has dropped it, but the archive knows how it ended. */
  #showAsItEnded(key: number, row: Record<string, Value>): void {
    const pending = this.#events.filter(([of]) => of === key);
    const timeline = this.#state.lineage;
    const stored = key > this.#writtenOrder ? undefined : storedOrder(this.#store, key);
    const written = stored === undefined ? [] : storedEvents(this.#store, stored);
    const accepted = this.#acceptances.get(key) ?? stored?.[EVENTS] ?? null;
    const first: Row[] = accepted === null ? [] : [[key, row.seq, accepted]];
    const ended = [...first, ...written, ...pending]
      .filter(([, seq]) => includes(timeline, seq as number))
      .flatMap(([, , events]) => events as unknown as OrderChange[])
      .findLast(({ type }) => type === 'ended');
    if (ended === undefined) return;
    const { state, filled: filledSize, remaining: remainingSize, reason = null, time: updatedMs } = ended;
    const shown: Record<string, Value> = { ...row, state, filledSize, remainingSize, reason, updatedMs };
    this.#put(
      key,
      columnsOf('orders').map((name) => shown[name]),
    );
  }
}

const [SEQ, CLIENT] = ['seq', 'clientId'].map((name) => columnsOf('orders').indexOf(name));
