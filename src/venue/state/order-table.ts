/**
 * The order table: all live orders, and ended ones for the retention (30 minutes, at most 100,000).
 *
 *   key ──KeyIndex──▶ slot ──▶ record, which an Order names ◀── book entries, trigger entries (by slot)
 *             └─────▶ place among the ended orders
 *   account, product, client id ──Map──▶ keys of the orders with that id, oldest first
 *
 * Slots are pooled. The command after the one that ends a plain order begins by writing it into a record of
 * ended-orders.ts, and the next order gets its slot, which is still in the processor's cache. So a busy venue allocates
 * no orders, and its heap does not grow with history. Other ended orders keep their slots for the retention.
 *
 * Ended orders of a snapshot are loaded lazily: an order has no slot until it is looked up, and most are forgotten before
 * that. Until then, UNREAD plus its place in the snapshot is used as its slot.
 * Cost: a look-up is one hash probe in typed arrays. Only orders with a client id cost an entry of a string Map.
 */

import * as orderId from '../contract/order-id.ts';
import { indexOfKey, seqOfKey } from '../contract/order-id.ts';
import * as orderView from '../contract/order-view.ts';
import type { Product } from '../contract/units.ts';
import * as units from '../contract/units.ts';
import { OrderIndex } from '../structures/order-index.ts';
import { EndedOrders } from './ended-orders.ts';
import { Order } from './order.ts';
import * as record from './order-record.ts';
import { OrderChunk } from './order-record.ts';

const { KEYS_PER_SEQ } = orderId;
const { RETENTION_MS, RETENTION_ORDERS } = orderView;
const { NONE } = units;
const { ACCOUNT, CHUNK_BITS, CHUNK_ORDERS, FIRST_ENDED, IN_CHUNK, RECORD_BITS, STATE } = record;
/** A record in words of 32 bits, and in bytes. */
const WORD_BITS = RECORD_BITS + 1;
const BYTE_BITS = RECORD_BITS + 3;

/** Above every slot: the order is a record, in the place of the remainder. */
const RECORD = 2 ** 29;
/** Above that: the order is unread, in the place of the remainder of the snapshot. */
const UNREAD = 2 ** 30;

/** The ended orders of a snapshot, oldest ending first. */
export interface SnapshotOrders {
  readonly keys: ArrayLike<number>;
  /** When the order in that place ended, epoch ms. */
  endedMs(place: number): number;
  /** The key of its client id, as `clientKey` builds it. Null: it has no client id. */
  clientKey(place: number): string | null;
  /** Sets all fields of a blank order that already has its key. */
  fill(order: Order, place: number): void;
}

/** The known orders with one client id, which a client may reuse: keys, oldest first, and how many of them live. */
interface ClientIdOrders {
  readonly keys: number[];
  live: number;
}

export class OrderTable {
  readonly #chunks: OrderChunk[] = [];
  #slots = 0;
  /** By slot: the neighbours of a live order in the list of its account's live orders, by age (slots). */
  older = new Int32Array(CHUNK_ORDERS);
  newer = new Int32Array(CHUNK_ORDERS);
  readonly #free: number[] = [];
  readonly #byKey = new OrderIndex();
  readonly #byClientId = new Map<string, ClientIdOrders>();
  readonly #ended = new EndedOrders();
  /** How many of the youngest ended orders are still to be written into their records. */
  #unwritten = 0;
  /** Slots of forgotten orders, which the present command may still use. */
  readonly #forgotten: number[] = [];
  /** Undefined after its last order has been forgotten. */
  #snapshotOrders: SnapshotOrders | undefined;
  live = 0;
  /** Epoch ms: before that no order is to be forgotten because of its age. */
  #purgeMs = 0;

  /** The order in a slot that is in use. */
  bySlot(slot: number): Order {
    return new Order(slot, this.#chunks[slot >> CHUNK_BITS]);
  }

  /** The account of that order. */
  accountOf(slot: number): number {
    return this.#chunks[slot >> CHUNK_BITS].words[((slot & IN_CHUNK) << WORD_BITS) | ACCOUNT];
  }

  #isLive(slot: number): boolean {
    return this.#chunks[slot >> CHUNK_BITS].bytes[((slot & IN_CHUNK) << BYTE_BITS) | STATE] < FIRST_ENDED;
  }

  /** Makes room for this many orders at once. */
  expect(orders: number): void {
    this.#byKey.reserve(orders);
  }

  /** A blank order with that key (order-id.ts). The caller fills it in and then calls `indexClientId`. */
  create(seq: number, index: number): Order {
    if (index >= KEYS_PER_SEQ) throw new Error(`command ${seq} makes more than ${KEYS_PER_SEQ} orders`);
    const slot = this.#free.pop() ?? this.#newSlot();
    const order = this.bySlot(slot);
    const key = seq * KEYS_PER_SEQ + index;
    order.key = key;
    this.#byKey.set(key, slot);
    this.live++;
    return order;
  }

  /** Makes look-ups by client id find the order. */
  indexClientId({ clientId, account, product, key }: Order): void {
    if (clientId !== null) this.#indexClientKey(clientKey(account, product, clientId), key, true);
  }

  #indexClientKey(id: string, key: number, live: boolean): void {
    const named = this.#byClientId.get(id);
    if (named === undefined) {
      // An array that is made with its element has room for one; one that is pushed to, for seventeen.
      this.#byClientId.set(id, { keys: [key], live: live ? 1 : 0 });
      return;
    }
    named.keys.push(key);
    if (live) named.live++;
  }

  /** If the order has ended, it may be a copy that the next look-up overwrites. So use it at once. */
  byKey(key: number): Order | undefined {
    const slot = this.#byKey.get(key);
    return slot < 0 ? undefined : this.#at(slot);
  }

  /** The same for a reply: look-ups do not overwrite the copy of an ended order, only the next reply does. */
  shownByKey(key: number): Order | undefined {
    const slot = this.#byKey.get(key);
    if (slot < 0) return undefined;
    return slot >= RECORD && slot < UNREAD ? this.#ended.readShown(slot - RECORD) : this.#at(slot);
  }

  /** The slot of an order that has one, or NONE. Reads no order. */
  slotOf(key: number): number {
    const slot = this.#byKey.get(key);
    return slot < RECORD ? slot : NONE;
  }

  /** Reads no ended order. */
  liveByKey(key: number): Order | undefined {
    const slot = this.#byKey.get(key);
    return slot >= 0 && slot < RECORD && this.#isLive(slot) ? this.bySlot(slot) : undefined;
  }

  /** The keys of all known orders with that client id, oldest first. */
  keysByClientId(account: number, product: Product, clientId: string): readonly number[] {
    return this.#byClientId.get(clientKey(account, product, clientId))?.keys ?? NO_KEYS;
  }

  /** The oldest live order with that client id. It reads no ended order. */
  liveByClientId(account: number, product: Product, clientId: string): Order | undefined {
    const named = this.#byClientId.get(clientKey(account, product, clientId));
    if (named === undefined || named.live === 0) return undefined;
    for (const key of named.keys) {
      const order = this.liveByKey(key);
      if (order !== undefined) return order;
    }
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
    this.#unwritten++;
    if (this.#ended.length > RETENTION_ORDERS) this.#forgetOldest();
  }

  /**
   * Takes over the ended orders of a snapshot, and indexes these and the live ones by client id. Call it once: after the
   * live orders were created (oldest first, so by slot), and before any order ends.
   */
  adoptSnapshot(fromSnapshot: SnapshotOrders): void {
    this.#snapshotOrders = fromSnapshot;
    const { keys } = fromSnapshot;
    const ended: { key: number; id: string }[] = [];
    for (let place = 0; place < keys.length; place++) {
      this.#byKey.set(keys[place], UNREAD + place);
      this.#ended.push(UNREAD + place);
      const id = fromSnapshot.clientKey(place);
      if (id !== null) ended.push({ key: keys[place], id });
    }
    ended.sort((a, b) => b.key - a.key);
    const indexOlderThan = (before: number) => {
      for (let last = ended.at(-1); last !== undefined && last.key < before; last = ended.at(-1)) {
        this.#indexClientKey(last.id, last.key, false);
        ended.pop();
      }
    };
    for (let slot = 0; slot < this.live; slot++) {
      const order = this.bySlot(slot);
      if (order.clientId === null) continue;
      indexOlderThan(order.key);
      this.indexClientId(order);
    }
    indexOlderThan(Number.POSITIVE_INFINITY);
  }

  /**
   * Called at the beginning of each command, when nobody uses the orders that the last one ended. Writes those that are
   * plain into records, and frees their slots and those of forgotten orders.
   */
  beginCommand(): void {
    for (; this.#unwritten > 0; this.#unwritten--)
      this.#write(this.#ended.placeAt(this.#ended.length - this.#unwritten));
    if (this.#forgotten.length === 0) return;
    for (const slot of this.#forgotten) this.#release(slot);
    this.#forgotten.length = 0;
  }

  /** Whether there may be orders to forget because of their age. */
  isPurgeDue(nowMs: number): boolean {
    return nowMs >= this.#purgeMs;
  }

  /** Forgets the orders that ended 30 minutes ago or earlier. */
  purge(nowMs: number): void {
    if (!this.isPurgeDue(nowMs)) return;
    while (this.#ended.length > 0 && this.#endedMs(this.#ended.placeAt(0)) <= nowMs - RETENTION_MS)
      this.#forgetOldest();
    this.#purgeMs = (this.#ended.length > 0 ? this.#endedMs(this.#ended.placeAt(0)) : nowMs) + RETENTION_MS;
  }

  /** How many ended orders are known. */
  get endedCount(): number {
    return this.#ended.length;
  }

  /** The known ended orders, oldest ending first. Each may be a copy that the next one overwrites. */
  *ended(): Generator<Order> {
    for (let n = 0; n < this.#ended.length; n++) yield this.#atPlace(this.#ended.placeAt(n));
  }

  #write(place: number): void {
    const slot = this.#ended.keptAt(place);
    const order = this.bySlot(slot);
    if (!this.#ended.write(place, order)) return;
    this.#byKey.set(order.key, RECORD + place);
    this.#release(slot);
  }

  #newSlot(): number {
    const slot = this.#slots++;
    if ((slot & IN_CHUNK) === 0) this.#chunks.push(new OrderChunk(CHUNK_ORDERS));
    if (slot === this.older.length) {
      this.older = doubled(this.older);
      this.newer = doubled(this.newer);
    }
    return slot;
  }

  #loadable(): SnapshotOrders {
    if (this.#snapshotOrders === undefined) throw new Error('an order of a snapshot has no snapshot to load it from');
    return this.#snapshotOrders;
  }

  /** The order in that slot. Loads it if it is still unread in the snapshot. */
  #at(slot: number): Order {
    if (slot < RECORD) return this.bySlot(slot);
    if (slot < UNREAD) return this.#ended.read(slot - RECORD);
    const place = slot - UNREAD;
    const fromSnapshot = this.#loadable();
    const key = fromSnapshot.keys[place];
    const loaded = this.#byKey.get(key);
    if (loaded < UNREAD) return this.bySlot(loaded);
    const order = this.create(seqOfKey(key), indexOfKey(key));
    this.live--;
    fromSnapshot.fill(order, place);
    return order;
  }

  /** The ended order in that place. */
  #atPlace(place: number): Order {
    const slot = this.#ended.keptAt(place);
    return slot === NONE ? this.#ended.read(place) : this.#at(slot);
  }

  #endedMs(place: number): number {
    const slot = this.#ended.keptAt(place);
    if (slot === NONE) return this.#ended.endedMs(place);
    return slot < UNREAD ? this.bySlot(slot).updatedMs : this.#loadable().endedMs(slot - UNREAD);
  }

  #forgetOldest(): void {
    const place = this.#ended.placeAt(0);
    const key = this.#ended.bareKey(place);
    if (key > 0) this.#byKey.delete(key);
    else this.#forgetWhole(place);
    this.#ended.drop();
    if (this.#unwritten > this.#ended.length) this.#unwritten = this.#ended.length;
    if (this.#snapshotOrders !== undefined && !this.#isOldestUnread()) this.#snapshotOrders = undefined;
  }

  /** Forgets the order of that place, whatever it is. */
  #forgetWhole(place: number): void {
    const slot = this.#ended.keptAt(place);
    if (slot < UNREAD) {
      const { key, account, product, clientId } = this.#atPlace(place);
      this.#forget(key, clientId === null ? null : clientKey(account, product, clientId));
      if (slot !== NONE) this.#forgotten.push(slot);
    } else {
      const unread = this.#loadable();
      const key = unread.keys[slot - UNREAD];
      const loaded = this.#byKey.get(key);
      this.#forget(key, unread.clientKey(slot - UNREAD));
      if (loaded < UNREAD) this.#forgotten.push(loaded);
    }
  }

  #isOldestUnread(): boolean {
    return this.#ended.length > 0 && this.#ended.keptAt(this.#ended.placeAt(0)) >= UNREAD;
  }

  #forget(key: number, id: string | null): void {
    this.#byKey.delete(key);
    if (id === null) return;
    const keys = this.#byClientId.get(id)?.keys ?? [];
    const at = keys.indexOf(key);
    if (at >= 0) keys.splice(at, 1);
    if (keys.length === 0) this.#byClientId.delete(id);
  }

  #release(slot: number): void {
    this.bySlot(slot).clear();
    this.#free.push(slot);
  }
}

const NO_KEYS: readonly number[] = [];

function doubled(column: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(column.length * 2);
  larger.set(column);
  return larger;
}

export function clientKey(account: number, product: Product, clientId: string): string {
  return `${account}${product === 'spot' ? 's' : 'f'}${clientId}`;
}
