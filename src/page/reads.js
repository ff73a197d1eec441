/** What no stream carries: read when it is shown, and again after each command, at most once in a while. */
import { get } from './api.js';
import { isHurried } from './hurry.js';
import { done, now } from './store.js';
import { effect, signal, useEffect, useSignal } from './ui.js';

/** Between two reads. Somebody who has just done something waits for what it did. */
const REST_MS = 1000;
const SHORT_REST_MS = 200;
/** Some counts change without a command. */
const AGAIN_MS = 2000;

/** What is shown by several components is read once. @type {Map<string, { shown: import('@preact/signals').Signal<any>, users: number, stop: () => void }>} */
const open = new Map();

/**
 * The reply to a GET as a signal, undefined until it has arrived. A reply stays when the venue does not answer.
 * @param {string | null} path null: nothing is read
 * @returns {import('@preact/signals').Signal<any>}
 */
export function useRead(path) {
  const own = useSignal(/** @type {any} */ (undefined));
  useEffect(() => {
    if (path === null) return undefined;
    const known = open.get(path) ?? { ...keepReading(path), users: 0 };
    open.set(path, known);
    known.users += 1;
    const stop = effect(() => {
      own.value = known.shown.value;
    });
    return () => {
      stop();
      known.users -= 1;
      if (known.users > 0) return;
      open.delete(path);
      known.stop();
    };
  }, [path]);
  return own;
}

/** @param {string} path */
function keepReading(path) {
  const shown = signal(/** @type {any} */ (undefined));
  let isOver = false;
  let isAsking = false;
  let isOld = false;
  let readAtMs = Number.NEGATIVE_INFINITY;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const read = async () => {
    isAsking = true;
    isOld = false;
    readAtMs = performance.now();
    try {
      const reply = await get(path);
      if (!isOver) shown.value = reply;
    } catch {
      // The link says that the venue does not answer.
    }
    isAsking = false;
    if (isOld && !isOver) ask();
  };
  const ask = () => {
    if (document.hidden) return;
    if (isAsking) {
      isOld = true;
      return;
    }
    clearTimeout(timer);
    const restMs = isHurried() ? SHORT_REST_MS : REST_MS;
    timer = setTimeout(read, Math.max(0, readAtMs + restMs - performance.now()));
  };
  const stopFollowing = effect(() => {
    void now.value?.seq;
    void done.value;
    ask();
  });
  const again = setInterval(ask, AGAIN_MS);
  const stop = () => {
    isOver = true;
    stopFollowing();
    clearTimeout(timer);
    clearInterval(again);
  };
  return { shown, stop };
}
