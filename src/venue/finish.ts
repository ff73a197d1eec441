/** The end of an order. Whoever ends one calls `finish`. */
import type { Desk } from './desk.ts';
import type { Order, OrderState } from './orders.ts';
import type { Ending } from './reasons.ts';

/**
 * Takes the order out of the book, the trigger book and the timers, releases its reserve, and has its kind look after its
 * group, so that nothing of an ended order stays behind.
 */
export function finish(desk: Desk, order: Order, state: OrderState, ending: Ending | null): void {
  desk.end(order, state, ending);
  desk.behaviourOf(order).onEnd?.(desk, order);
}
