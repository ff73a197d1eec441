/** The state of an order on the surfaces: a number in records (spec.md section 3.1), a label in the errors of v4. */

import type { OrderState } from '../../venue/contract/order-view.ts';

/** The fields that decide the state of an order. */
interface Stated {
  readonly state: OrderState;
  /** Lots. */
  readonly filled: number;
}

const ON_THE_WIRE: Readonly<Record<OrderState, { readonly code: number; readonly label: string }>> = {
  waiting: { code: 9, label: 'TRIGGER_INSERTED' },
  working: { code: 2, label: 'ORDER_INSERTED' },
  filled: { code: 4, label: 'ORDER_FULLY_TRANSACTED' },
  partlyFilled: { code: 5, label: 'ORDER_PARTIALLY_TRANSACTED' },
  cancelled: { code: 6, label: 'ORDER_CANCELLED' },
  rejected: { code: 15, label: 'ORDER_REJECTED' },
};

/** A working order with fills counts as partly filled on the surfaces. */
function onTheWire({ state, filled }: Stated) {
  return ON_THE_WIRE[state === 'working' && filled > 0 ? 'partlyFilled' : state];
}

/** The numeric status of an order. */
export function statusCode(order: Stated): number {
  return onTheWire(order).code;
}

/** The v4 label of an order's state (rules 2.27 to 2.33). */
export function orderState(order: Stated): string {
  return onTheWire(order).label;
}
