/** The places of an account's orders in the queues at their prices. Each command of anybody may change a queue, and no topic has them. */
import { useRead } from './reads.js';
import { pastSeq } from './router.js';
import { useComputed } from './ui.js';

/**
 * By order id: `{ ahead, own, behind }` as text. Empty until it is known, and of a moment in the past.
 * @param {string | null} name @param {any[]} orders
 */
export function useQueues(name, orders) {
  const isKept = name !== null && pastSeq.value === null && orders.some(({ state }) => state === 'working');
  const read = useRead(isKept ? `/accounts/${encodeURIComponent(name)}/orders?limit=1000` : null);
  return useComputed(() => {
    const rows = pastSeq.value === null ? (read.value?.orders ?? []) : [];
    return new Map(rows.map((/** @type {any} */ { orderId, queue }) => [orderId, queue]));
  });
}
