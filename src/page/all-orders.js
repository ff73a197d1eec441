/** The orders of an account that the archive has, open and ended: a page at a time, the newest first. */
import { get } from './api.js';
import { replaced } from './follow.js';
import { pastSeq } from './router.js';
import { link } from './store.js';
import { useTopic } from './topics.js';
import { useEffect, useSignal } from './ui.js';

const ROWS = 100;

/**
 * Open and ended orders as of now, or of the seq in the address. Of a moment, an order that was not open had ended: how it ended does
 * not change any more.
 * @param {string} name
 * @returns {{ open: any[], ended: any[], complete: boolean, isKnown: boolean, problem: string, isBusy: boolean, more: (() => void) | null, path: string }}
 *   `path`: of the first page. `isKnown`: it has arrived. `more`: reads older ones. Null: there are none
 */
export function useAllOrders(name) {
  const live = useTopic(`orders:${name}`).value;
  const rows = useSignal(/** @type {any[] | null} */ (null));
  /** Where older ones continue. Null: there are none. */
  const next = useSignal(/** @type {string | null} */ (null));
  const problem = useSignal('');
  const isBusy = useSignal(false);
  const seq = pastSeq.value;
  // After a lost connection the stream begins again, without what ended meanwhile.
  const isReady = link.value.state === 'live';
  const path = `/accounts/${encodeURIComponent(name)}/orders/all?limit=${ROWS}${seq === null ? '' : `&to=${seq}`}`;
  const read = async (/** @type {string | null} */ after, /** @type {AbortSignal | undefined} */ abort) => {
    isBusy.value = true;
    try {
      const page = await get(after === null ? path : `${path}&after=${after}`, abort);
      rows.value = after === null ? page.orders : [...(rows.peek() ?? []), ...page.orders];
      next.value = page.next ?? null;
      problem.value = '';
    } catch (error) {
      if (!abort?.aborted) problem.value = error instanceof Error ? error.message : String(error);
    }
    isBusy.value = false;
  };
  useEffect(() => {
    if (!isReady) return undefined;
    const abort = new AbortController();
    void read(null, abort.signal);
    return () => abort.abort();
  }, [path, isReady, replaced.value]);
  const open = [...(live?.open.values() ?? [])];
  const ids = new Set(open.map(({ orderId }) => orderId));
  const ended = (live?.ended ?? []).filter((/** @type {any} */ order) => !ids.has(order.orderId));
  for (const { orderId } of ended) ids.add(orderId);
  // Now, an order that was open when the page was read is in the stream. It has ended there, or still is open.
  const older = (rows.value ?? []).filter(
    (order) => !ids.has(order.orderId) && (seq === null ? !order.live : order.seq <= seq),
  );
  return {
    open,
    ended: [...ended, ...older],
    complete: live?.complete !== false,
    isKnown: live !== undefined && (rows.value !== null || problem.value !== ''),
    problem: problem.value,
    isBusy: isBusy.value,
    more: next.value === null ? null : () => void read(next.peek(), undefined),
    path,
  };
}
