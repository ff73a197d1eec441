/** Which part of the log the time machine shows: its end, where a range begins, what an account did. */
import { replaced } from './follow.js';
import { now } from './store.js';
import { forgetAnswers, seqAtTime } from './time-machine.js';
import { useTopic } from './topics.js';
import { useEffect, useSignal } from './ui.js';

/** How often the end of the log is looked at. */
export const FOLLOW_MS = 2000;

/** The last seq, looked at every few seconds. */
export function useEnd() {
  const end = useSignal(now.peek()?.seq ?? 0);
  const newest = now.value?.seq ?? 0;
  const readAt = useSignal(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const wait = end.peek() === 0 ? 0 : Math.max(0, readAt.peek() + FOLLOW_MS - performance.now());
    const timer = setTimeout(() => {
      readAt.value = performance.now();
      end.value = newest;
    }, wait);
    return () => clearTimeout(timer);
  }, [newest]);
  useEffect(() => forgetAnswers(), [replaced.value]);
  return end.value;
}

/** The seq at which a range begins. @param {string} range @param {number} end */
export function useFirst(range, end) {
  const first = useSignal(1);
  useEffect(() => {
    if (range === 'all') {
      first.value = 1;
      return undefined;
    }
    const abort = new AbortController();
    seqAtTime((now.peek()?.timeMs ?? 0) - Number(range), abort.signal).then(
      (seq) => {
        // The last one before the range, which may be much older, is not in it.
        first.value = (seq ?? 0) + 1;
      },
      () => {},
    );
    return () => abort.abort();
  }, [range, end]);
  return Math.max(1, Math.min(first.value, end));
}

/** What the account is known to have done: its fills, and its orders. @param {string | null} name @param {any} summary */
export function useOwnSeqs(name, summary) {
  const orders = useTopic(name === null ? null : `orders:${name}`, { isLive: true });
  const fills = useTopic(name === null ? null : `fills:${name}`, { isLive: true });
  const seqs = [
    ...(orders.value?.open.values() ?? []),
    ...(orders.value?.ended ?? []),
    ...(fills.value ?? []),
    ...(summary?.marks ?? []).filter((/** @type {any} */ mark) => mark.kind === 'fill'),
  ].map((each) => each.seq);
  return [...new Set(seqs)].sort((a, b) => a - b);
}
