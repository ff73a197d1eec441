/** What became of each part of a TWAP: read from its story when a part is done. */
import { get } from './api.js';
import { useEffect, useSignal } from './ui.js';

const PAUSE_MS = 500;

/** @typedef {{ part: number, state: 'traded' | 'rests' | 'skipped', filled: string, why?: string }} Part `why`: of a skipped one */

/** The parts up to the moment that the order is of. Empty: it is no TWAP, or they are not known yet. @param {any} order @returns {readonly Part[]} */
export function useParts({ orderId, kind, filled, details }) {
  const parts = useSignal(/** @type {readonly Part[]} */ ([]));
  const done = kind === 'twap' ? details.progress.childrenDone : 0;
  useEffect(() => {
    if (done === 0) return undefined;
    const abort = new AbortController();
    const read = () =>
      get(`/orders/${orderId}?limit=1`, abort.signal).then(
        (story) => {
          parts.value = story.parts ?? [];
        },
        // The row says how many are done.
        () => {},
      );
    const timer = setTimeout(read, parts.peek().length === 0 ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [orderId, done, filled]);
  return parts.value.filter(({ part }) => part <= done);
}
