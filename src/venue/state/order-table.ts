/**
 * The order table: all live orders, and ended ones for the retention (30 minutes, at most 100,000).
 *
 *   key ──KeyIndex──▶ slot ──▶ Order object ◀── book entries, trigger entries (by slot)
 *   account, product, client id ──Map──▶ slots of that id, oldest first
 *   ended: FIFO of slots; an order that is forgotten gives its object to the next one
 *
 * Slots are pooled. So a busy venue allocates no orders, and its heap does not grow with history. Ended orders of a
 * snapshot are loaded lazily: an order has no slot and no object until it is looked up, and most are forgotten before
 * that. Until then, UNREAD plus its place in the snapshot is used as its slot.
 * Cost: a look-up is one hash probe in typed arrays. Only orders with a client id cost an entry of a string Map.
 */

import { indexOfKey, KEYS_PER_SEQ, seqOfKey } from '../contract/order-id.ts';
import { RETENTION_MS, RETENTION_ORDERS } from '../contract/order-view.ts';
import { NONE, type Product } from '../contract/units.ts';
import { KeyIndex } from '../structures/key-index.ts';
import { BLANK, Order } from './order.ts';

/** Above every slot. */
const UNREAD = 2 ** 30;

/** The ended orders of a snapshot, oldest ending first. */
export interface SnapshotOrders {
  readonly keys: readonly number[];
  /** When the order in that place ended, epoch ms. */
  endedMs(place: number): number;
  /** The key of its client id, as `clientKey` builds it. Null: it has no client id. */
  clientKey(place: number): string | null;
  /** Sets all fields of a blank order that already has its key. */
  fill(order: Order, place: number): void;
}

/** A first-in, first-out queue of slots in one typed array, which doubles when full. */
class SlotQueue {
  #slots = new Int32Array(1024);
  #head = 0;
  length = 0;

  push(slot: number): void {
    if (this.length === this.#slots.length) this.#grow();
    this.#slots[(this.#head + this.length++) & (this.#slots.length - 1)] = slot;
  }

  first(): number {
    return this.length === 0 ? NONE : this.#slots[this.#head];
  }

  shift(): number {
    const slot = this.#slots[this.#head];
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.length--;
    return slot;
  }

  *[Symbol.iterator](): Generator<number> {
    for (let i = 0; i < this.length; i++) yield this.#slots[(this.#head + i) & (this.#slots.length - 1)];
  }

  #grow(): void {
    const grown = new Int32Array(this.#slots.length * 2);
    for (let i = 0; i < this.length; i++) grown[i] = this.#slots[(this.#head + i) & (this.#slots.length - 1)];
    this.#slots = grown;
    this.#head = 0;
  }
}

/** The known orders with one client id, which a client may reuse: slots, oldest first, and how many of them live. */
interface ClientIdOrders {
  readonly slots: number[];
  live: number;
}

export class OrderTable {
  readonly slots: Order[] = [];
  /**
   * By slot: the reserve of a spot order, in smallest units of the currency that it pays with. A column needs no
   * objects.
   */
  reserved = new BigInt64Array(1024);
  readonly #free: number[] = [];
  readonly #byKey = new KeyIndex();
  readonly #byClientId = new Map<string, ClientIdOrders>();
  readonly #ended = new SlotQueue();
  /** Undefined after its last order has been forgotten. */
  #snapshotOrders: SnapshotOrders | undefined;
  live = 0;

  /** Makes room for this many orders at once. */
  expect(orders: number): void {
    this.#byKey.reserve(orders);
  }

  /** A blank order with that key (order-id.ts). The caller fills it in and then calls `indexClientId`. */
  create(seq: number, index: number): Order {
    let slot = this.#free.pop();
    if (slot === undefined) {
      slot = this.slots.length;
      this.slots.push(new Order(slot));
      if (slot === this.reserved.length) this.#growReserved();
    }
    const order = this.slots[slot];
    order.seq = seq;
    order.index = index;
    if (index >= KEYS_PER_SEQ) throw new Error(`command ${seq} makes more than ${KEYS_PER_SEQ} orders`);
    this.#byKey.set(order.key, slot);
    this.live++;
    return order;
  }

  /** Makes look-ups by client id find the order. */
  indexClientId(order: Order): void {
    if (order.clientId === null) return;
    this.#indexClientKey(clientKey(order.account, order.product, order.clientId), order.slot);
  }

  #indexClientKey(id: string, slot: number): void {
    const named = this.#byClientId.get(id) ?? { slots: [], live: 0 };
    named.slots.push(slot);
    if (slot < UNREAD) named.live++;
    if (named.slots.length === 1) this.#byClientId.set(id, named);
  }

  byKey(key: number): Order | undefined {
    const slot = this.#byKey.get(key);
    return slot < 0 ? undefined : this.#at(slot);
  }

  /** Loads no order of a snapshot, because these have ended. */
  liveByKey(key: number): Order | undefined {
    const slot = this.#byKey.get(key);
    return slot >= 0 && slot < UNREAD && this.slots[slot].live ? this.slots[slot] : undefined;
  }

  /** All known orders with that client id, oldest first. */
  byClientId(account: number, product: Product, clientId: string): Order[] {
    const named = this.#byClientId.get(clientKey(account, product, clientId));
    return named === undefined ? [] : named.slots.map((slot) => this.#at(slot));
  }

  /** A live order with that client id, without allocating. */
  liveByClientId(account: number, product: Product, clientId: string): Order | undefined {
    const named = this.#byClientId.get(clientKey(account, product, clientId));
    if (named === undefined || named.live === 0) return undefined;
    for (const slot of named.slots) if (slot < UNREAD && this.slots[slot].live) return this.slots[slot];
    return undefined;
  }

  /** The order has ended at its `updatedMs`. It stays readable until the retention ends. */
  retire(order: Order): void {
    this.live--;
    if (order.clientId !== null) {
      const named = this.#byClientId.get(clientKey(order.account, order.product, order.clientId));
      if (named !== undefined) named.live--;
    }
    this.#ended.push(order.slot);
    if (this.#ended.length > RETENTION_ORDERS) this.#evict();
  }

  /**
   * Takes over the ended orders of a snapshot, and indexes these and `live` by client id. Call it once, after the live
   * orders were created and before any order ends.
   */
  adoptSnapshot(fromSnapshot: SnapshotOrders, live: readonly Order[]): void {
    this.#snapshotOrders = fromSnapshot;
    const named: { key: number; id: string; slot: number }[] = [];
    for (const { key, slot, account, product, clientId } of live) {
      if (clientId !== null) named.push({ key, slot, id: clientKey(account, product, clientId) });
    }
    fromSnapshot.keys.forEach((key, place) => {
      const slot = UNREAD + place;
      this.#byKey.set(key, slot);
      this.#ended.push(slot);
      const id = fromSnapshot.clientKey(place);
      if (id !== null) named.push({ key, slot, id });
    });
    for (const { id, slot } of named.sort((a, b) => a.key - b.key)) this.#indexClientKey(id, slot);
  }

  /** Forgets the orders that ended 30 minutes ago or earlier. */
  purge(nowMs: number): void {
    while (this.#ended.length > 0 && this.#endedMs(this.#ended.first()) <= nowMs - RETENTION_MS) this.#evict();
  }

  /** The known ended orders, oldest ending first. */
  *ended(): Generator<Order> {
    for (const slot of this.#ended) yield this.#at(slot);
  }

  #growReserved(): void {
    const grown = new BigInt64Array(this.reserved.length * 2);
    grown.set(this.reserved);
    this.reserved = grown;
  }

  get #loadable(): SnapshotOrders {
    if (this.#snapshotOrders === undefined) throw new Error('an order of a snapshot has no snapshot to load it from');
    return this.#snapshotOrders;
  }

  /** The order in that slot. Loads it if it is still unread in the snapshot. */
  #at(slot: number): Order {
    if (slot < UNREAD) return this.slots[slot];
    const place = slot - UNREAD;
    const fromSnapshot = this.#loadable;
    const key = fromSnapshot.keys[place];
    const loaded = this.#byKey.get(key);
    if (loaded < UNREAD) return this.slots[loaded];
    const order = this.create(seqOfKey(key), indexOfKey(key));
    this.live--;
    fromSnapshot.fill(order, place);
    return order;
  }

  #endedMs(slot: number): number {
    return slot < UNREAD ? this.slots[slot].updatedMs : this.#loadable.endedMs(slot - UNREAD);
  }

  #evict(): void {
    const slot = this.#ended.shift();
    if (slot < UNREAD) {
      const { key, account, product, clientId } = this.slots[slot];
      this.#forget(key, slot, clientId === null ? null : clientKey(account, product, clientId));
      this.#release(slot);
      return;
    }
    const place = slot - UNREAD;
    const fromSnapshot = this.#loadable;
    const loaded = this.#byKey.get(fromSnapshot.keys[place]);
    this.#forget(fromSnapshot.keys[place], slot, fromSnapshot.clientKey(place));
    if (loaded < UNREAD) this.#release(loaded);
    if (this.#ended.first() < UNREAD) this.#snapshotOrders = undefined;
  }

  #forget(key: number, slot: number, id: string | null): void {
    this.#byKey.delete(key);
    if (id === null) return;
    const slots = this.#byClientId.get(id)?.slots ?? [];
    const at = slots.indexOf(slot);
    if (at >= 0) slots.splice(at, 1);
    if (slots.length === 0) this.#byClientId.delete(id);
  }

  #release(slot: number): void {
    this.slots[slot].assign(BLANK);
    this.#free.push(slot);
  }
}

export function clientKey(account: number, product: Product, clientId: string): string {
  return `${account}${product === 'spot' ? 's' : 'f'}${clientId}`;
}
