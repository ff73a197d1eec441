/** The venue times of commands, each read once. */
import { get } from './api.js';
import { signal, useEffect } from './ui.js';

/** By seq. Null: it is being read, or the log does not tell. @type {import('@preact/signals').Signal<ReadonlyMap<number, number | null>>} */
const times = signal(/** @type {ReadonlyMap<number, number | null>} */ (new Map()));

/** @param {readonly number[]} seqs @returns {ReadonlyMap<number, number | null>} epoch ms by seq */
export function useTimes(seqs) {
  useEffect(() => {
    for (const seq of seqs) {
      if (times.peek().has(seq)) continue;
      note(seq, null);
      get(`/log?from=${seq}&limit=1`).then(
        ({ commands }) => note(seq, commands[0]?.time ?? null),
        // The seq says enough.
        () => {},
      );
    }
  }, [seqs.join()]);
  return times.value;
}

/** @param {number} seq @param {number | null} timeMs */
function note(seq, timeMs) {
  times.value = new Map([...times.peek(), [seq, timeMs]]);
}
