/** The places of an account's orders in the queues at their prices: read when something may have changed, at most once a second. */
import { get } from './api.js';
import { pastSeq } from './router.js';
import { now } from './store.js';
import { useEffect, useSignal } from './ui.js';

const PAUSE_MS = 1000;

/**
 * By order id: `{ ahead, own, behind }` as text. Empty until it is known.
 * @param {string | null} name @param {any[]} orders
 */
export function useQueues(name, orders) {
  const places = useSignal(/** @type {Map<string, any>} */ (new Map()));
  const resting = orders.filter((order) => order.state === 'working').length;
  // Each command of anybody may have changed a queue.
  const seq = now.value?.seq ?? 0;
  const readAt = useSignal(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    if (name === null || resting === 0 || pastSeq.value !== null) {
      places.value = new Map();
      return undefined;
    }
    const read = async () => {
      readAt.value = performance.now();
      try {
        const { orders: rows } = await get(`/accounts/${encodeURIComponent(name)}/orders?limit=1000`);
        places.value = new Map(rows.map((/** @type {any} */ row) => [row.orderId, row.queue]));
      } catch {
        places.value = new Map();
      }
    };
    const timer = setTimeout(read, Math.max(0, readAt.peek() + PAUSE_MS - performance.now()));
    return () => clearTimeout(timer);
  }, [name, resting, seq, pastSeq.value]);
  return places;
}
