/**
 * The order table: live orders, and ended ones for a stated retention (30 minutes, at most 100,000).
 *
 *   key ──KeyIndex──▶ slot ──▶ Order object ◀── book entries, trigger entries (by slot)
 *   account, product, client id ──Map──▶ slots of that id, oldest first
 *   ended: FIFO of slots; who falls out gives its object to the next order
 *
 * Slots are pooled, so a busy venue allocates no orders and its heap does not grow with history.
 * Cost: one typed hash probe a look-up; client ids cost a string Map only to orders that carry one.
 */

import { KeyIndex } from './key-index.ts';
import { KEYS_PER_SEQ } from './order-id.ts';
import { BLANK, Order } from './orders.ts';
import { NONE, type Product } from './units.ts';

export const RETENTION_MS = 30 * 60_000;
export const RETENTION_ORDERS = 100_000;

/** A first-in, first-out queue of slots over one typed array that doubles when full. */
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

export class OrderTable {
  readonly slots: Order[] = [];
  /** By slot: the reserve of a spot order, smallest units of the currency that it pays with. A column: no objects. */
  reserved = new BigInt64Array(1024);
  readonly #free: number[] = [];
  readonly #byKey = new KeyIndex();
  readonly #byClientId = new Map<string, number[]>();
  readonly #ended = new SlotQueue();
  live = 0;

  /** A blank order under that key (order-id.ts); the caller fills it in and then calls `indexClientId`. */
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

  /** Makes the order findable by its client id. */
  indexClientId(order: Order): void {
    if (order.clientId === null) return;
    const id = clientKey(order.account, order.product, order.clientId);
    const slots = this.#byClientId.get(id);
    if (slots === undefined) this.#byClientId.set(id, [order.slot]);
    else slots.push(order.slot);
  }

  byKey(key: number): Order | undefined {
    const slot = this.#byKey.get(key);
    return slot < 0 ? undefined : this.slots[slot];
  }

  /** Every held order of that client id, oldest first. */
  byClientId(account: number, product: Product, clientId: string): Order[] {
    const slots = this.#byClientId.get(clientKey(account, product, clientId));
    return slots === undefined ? [] : slots.map((slot) => this.slots[slot]);
  }

  /** A live order of that client id, without allocating. */
  liveByClientId(account: number, product: Product, clientId: string): Order | undefined {
    const slots = this.#byClientId.get(clientKey(account, product, clientId));
    if (slots === undefined) return undefined;
    for (const slot of slots) if (this.slots[slot].live) return this.slots[slot];
    return undefined;
  }

  /** The order has ended at its `updatedMs`: it stays readable until the retention lets it go. */
  retire(order: Order): void {
    this.live--;
    this.#ended.push(order.slot);
    if (this.#ended.length > RETENTION_ORDERS) this.#evict();
  }

  /** Lets go of what ended 30 minutes ago or earlier. */
  purge(nowMs: number): void {
    while (this.#ended.length > 0 && this.slots[this.#ended.first()].updatedMs <= nowMs - RETENTION_MS) this.#evict();
  }

  /** Held ended orders, oldest ending first. */
  *ended(): Generator<Order> {
    for (const slot of this.#ended) yield this.slots[slot];
  }

  #growReserved(): void {
    const grown = new BigInt64Array(this.reserved.length * 2);
    grown.set(this.reserved);
    this.reserved = grown;
  }

  #evict(): void {
    const order = this.slots[this.#ended.shift()];
    this.#byKey.delete(order.key);
    if (order.clientId !== null) {
      const id = clientKey(order.account, order.product, order.clientId);
      const left = (this.#byClientId.get(id) ?? []).filter((slot) => slot !== order.slot);
      if (left.length === 0) this.#byClientId.delete(id);
      else this.#byClientId.set(id, left);
    }
    order.assign(BLANK);
    this.#free.push(order.slot);
  }
}

function clientKey(account: number, product: Product, clientId: string): string {
  return `${account}${product === 'spot' ? 's' : 'f'}${clientId}`;
}
