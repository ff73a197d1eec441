/** What no stream carries: read when it is shown, and again after each command, at most once in a while. */
import { get } from './api.js';
import { done, now } from './store.js';
import { effect, useEffect, useSignal } from './ui.js';

const REST_MS = 400;
/** Some counts change without a command. */
const AGAIN_MS = 2000;

/**
 * The reply to a GET as a signal, undefined until it has arrived. A reply stays when the venue does not answer.
 * @param {string | null} path null: nothing is read
 * @returns {import('@preact/signals').Signal<any>}
 */
export function useRead(path) {
  const shown = useSignal(/** @type {any} */ (undefined));
  useEffect(() => {
    if (path === null) return undefined;
    let isOver = false;
    let isAsking = false;
    let isOld = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const read = async () => {
      timer = undefined;
      isAsking = true;
      isOld = false;
      try {
        const reply = await get(path);
        if (!isOver) shown.value = reply;
      } catch {
        // The link says that the venue does not answer.
      }
      isAsking = false;
      if (isOld && !isOver) timer ??= setTimeout(read, REST_MS);
    };
    const ask = () => {
      if (document.hidden) return;
      if (isAsking) isOld = true;
      else timer ??= setTimeout(read, shown.peek() === undefined ? 0 : REST_MS);
    };
    const stop = effect(() => {
      void now.value?.seq;
      void done.value;
      ask();
    });
    const again = setInterval(ask, AGAIN_MS);
    return () => {
      isOver = true;
      stop();
      clearTimeout(timer);
      clearInterval(again);
    };
  }, [path]);
  return shown;
}
