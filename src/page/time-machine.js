/**
 * Answers of the venue's time machine. A newer question of one kind ends the older one, and what was answered about a seq is
 * kept: the past does not change.
 */
import { get, Refused } from './api.js';
import { TAB } from './past.js';
import { signal, useEffect, useMemo, useSignal } from './ui.js';

const REST_MS = 120;
const MOST_KEPT = 200;

/** By path. @type {Map<string, any>} */
const kept = new Map();

/** Until a newer question of this page is out of the way. */
const RETRY_MS = 150;

/** @param {string} path @param {AbortSignal} abort */
async function answer(path, abort) {
  for (;;) {
    try {
      return await get(`${path}${path.includes('?') ? '&' : '?'}client=${TAB}`, abort);
    } catch (error) {
      if (!(error instanceof Refused) || !['superseded', 'busy'].includes(error.reason)) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      abort.throwIfAborted();
    }
  }
}

/**
 * The answers to paths, asked for one after the other, when the paths have rested. Those of before stay until then. The first
 * is shown at once, the others together, so that they are of one moment.
 * @param {Record<string, string | null>} paths by name. Null: not wanted
 * @param {number} [again] asks again when it changes
 * @returns {{ answers: Record<string, any>, problem: string, isBusy: boolean }} `problem`: why one is missing
 */
export function usePast(paths, again = 0) {
  const shown = useSignal(/** @type {Record<string, any>} */ ({}));
  const problem = useSignal('');
  const isBusy = useSignal(false);
  const wanted = Object.entries(paths);
  useEffect(() => {
    const abort = new AbortController();
    const read = async () => {
      isBusy.value = true;
      let missing = '';
      /** @type {Record<string, any>} */
      const found = {};
      for (const [i, [name, path]] of wanted.entries()) {
        try {
          found[name] = path === null ? undefined : (kept.get(path) ?? (await answer(path, abort.signal)));
          if (path !== null) keep(path, found[name]);
          if (i === 0) shown.value = { ...shown.peek(), [name]: found[name] };
        } catch (error) {
          // An account or a market may not have been there yet. The rest of the state is.
          found[name] = undefined;
          missing ||= error instanceof Error ? error.message : String(error);
        }
        if (abort.signal.aborted) return;
      }
      shown.value = found;
      problem.value = missing;
      isBusy.value = false;
    };
    const areKept = wanted.every(([, path]) => path === null || kept.has(path));
    const timer = setTimeout(read, areKept ? 0 : REST_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [wanted.map(([, path]) => path).join(), again]);
  return { answers: shown.value, problem: problem.value, isBusy: isBusy.value };
}

/** Keeps what will not change. @param {string} path @param {any} known */
function keep(path, known) {
  const isBehind = known.knownTo < known.endSeq;
  const isAtEnd = known.commands?.at(-1)?.seq === known.endSeq;
  // Whether a state was left is known only when the log was read to its end.
  const isOpen = known.left === undefined && known.commands === undefined;
  if (isBehind || isAtEnd || isOpen) return;
  if (kept.size >= MOST_KEPT) kept.delete(/** @type {string} */ (kept.keys().next().value));
  kept.set(path, known);
}

/** By seq. Null: not known yet. @type {Map<number, import('@preact/signals').Signal<number | null>>} */
const effectCounts = new Map();

/** How many effects a command had. Null: not known. @param {number} seq @returns {import('@preact/signals').Signal<number | null>} */
export function useEffectCount(seq) {
  const count = useMemo(() => effectCounts.get(seq) ?? signal(/** @type {number | null} */ (null)), [seq]);
  useEffect(() => {
    if (effectCounts.has(seq)) return;
    if (effectCounts.size >= MOST_KEPT) effectCounts.clear();
    effectCounts.set(seq, count);
    get(`/log/${seq}?limit=1&client=${TAB}-effects`).then(
      (command) => {
        count.value = command.count;
      },
      // A newer one is asked for, or the log has dropped it: the seq says enough.
      () => {},
    );
  }, [seq]);
  return count;
}

/** Consecutive commands. @param {number} from @param {number} limit @param {AbortSignal} abort @returns {Promise<{ commands: any[] }>} */
export const commandsFrom = (from, limit, abort) => answer(`/log?from=${from}&limit=${limit}`, abort);

/** After a reset or a restore, other commands are left. */
export function forgetAnswers() {
  kept.clear();
  effectCounts.clear();
}

/** The last seq whose venue time is not after a time. @param {number} timeMs @param {AbortSignal} abort @returns {Promise<number | null>} null: the log begins later */
export async function seqAtTime(timeMs, abort) {
  let [from, to] = [/** @type {number | null} */ (null), /** @type {number | null} */ (null)];
  for (;;) {
    const range = from === null ? '' : `from=${from}&to=${to}&`;
    const { buckets } = await answer(`/log/summary?${range}buckets=1000`, abort);
    const at = buckets.findIndex((/** @type {any} */ bucket) => bucket.time > timeMs);
    if (at < 0) return buckets.at(-1)?.to ?? null;
    const { from: first, to: last } = buckets[at];
    if (first === last) return first - 1 > 0 ? first - 1 : null;
    [from, to] = [first, last];
  }
}
