/**
 * The due-time queue: a binary heap over orders, by due time, then kind (expiry before TWAP steps), then age.
 * An order has at most one timer and knows its place, so a cancel takes it out at once: nothing stale stays behind.
 */
import { NONE, type Order } from './orders.ts';

function before(a: Order, b: Order): boolean {
  if (a.dueMs !== b.dueMs) return a.dueMs < b.dueMs;
  if (a.timerRank !== b.timerRank) return a.timerRank < b.timerRank;
  return a.key < b.key;
}

export class Timers {
  readonly #heap: Order[] = [];

  /** Epoch ms of the first due item; Infinity when there is none. */
  nextDueMs(): number {
    return this.#heap.length === 0 ? Number.POSITIVE_INFINITY : this.#heap[0].dueMs;
  }

  first(): Order {
    return this.#heap[0];
  }

  /** Sets the order's timer, in place of the one that it had. */
  set(order: Order, dueMs: number, rank: number): void {
    this.clear(order);
    order.dueMs = dueMs;
    order.timerRank = rank;
    this.#heap.push(order);
    this.#up(this.#heap.length - 1, order);
  }

  clear(order: Order): void {
    const at = order.timer;
    if (at === NONE) return;
    order.timer = NONE;
    const last = this.#heap.pop() as Order;
    if (last === order) return;
    this.#up(at, last);
    this.#down(last.timer, last);
  }

  #up(from: number, order: Order): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(order, this.#heap[parent])) break;
      this.#put(at, this.#heap[parent]);
      at = parent;
    }
    this.#put(at, order);
  }

  #down(from: number, order: Order): void {
    const size = this.#heap.length;
    let at = from;
    for (let child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && before(this.#heap[child + 1], this.#heap[child])) child++;
      if (!before(this.#heap[child], order)) break;
      this.#put(at, this.#heap[child]);
      at = child;
    }
    this.#put(at, order);
  }

  #put(at: number, order: Order): void {
    this.#heap[at] = order;
    order.timer = at;
  }
}
