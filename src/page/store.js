/**
 * What the page knows, as signals: one for each thing that changes alone. A feed writes them (feed.js), views read them,
 * and nothing else holds data of the venue. A view asks for what it shows with `watch`, and gives it back when it goes.
 */
import { call, get, post, Refused } from './api.js';
import { computed, signal } from './ui.js';

/**
 * @typedef {{ name: string, scope: 'read' | 'test' | 'admin' }} Session
 * @typedef {'loading' | 'live' | 'stale' | 'signedOut'} LinkState
 * @typedef {{ state: LinkState, sinceMs: number, tries: number }} Link `sinceMs`: of performance.now()
 * @typedef {{ seq: number, timeMs: number }} Now
 */

/** @type {import('@preact/signals').Signal<Session | null>} */
export const session = signal(/** @type {Session | null} */ (null));
export const link = signal(/** @type {Link} */ ({ state: 'loading', sinceMs: 0, tries: 0 }));
/** The newest command that the page knows of, and its time. Null: not yet. */
export const now = signal(/** @type {Now | null} */ (null));
/** Of the venue as a whole: epoch, clock, health. */
export const system = signal(/** @type {any} */ (null));
/** By symbol, in the order of the venue. */
export const markets = signal(/** @type {Map<string, any>} */ (new Map()));
/** The names of all accounts. */
export const accounts = signal(/** @type {string[]} */ ([]));

export const isManual = computed(() => system.value?.clock?.manual === true);
/** Whether this session may move time and prices. The venue refuses in any case; this only spares the buttons. */
export const mayTest = computed(() => session.value !== null && session.value.scope !== 'read');
export const mayAdminister = computed(() => session.value?.scope === 'admin');

/**
 * Opens the session: with the code of a link, which leaves the address at once, or with the cookie from before.
 * @returns {Promise<boolean>}
 */
export async function openSession() {
  const code = /^#t=([\w-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  try {
    session.value = code === undefined ? await get('/session') : await post('/session', { code });
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // A spent link, opened again in a browser that has a session.
    if (code !== undefined) {
      session.value = await get('/session').catch(() => null);
      if (session.value !== null) return true;
    }
    link.value = { state: 'signedOut', sinceMs: performance.now(), tries: 0 };
    return false;
  }
}

/** The venue did not answer: what is shown is from before. */
export function unreachable() {
  const { state, sinceMs, tries } = link.value;
  link.value = { state: 'stale', sinceMs: state === 'stale' ? sinceMs : performance.now(), tries: tries + 1 };
}

export async function endSession() {
  await call('DELETE', '/session');
  session.value = null;
  link.value = { state: 'signedOut', sinceMs: performance.now(), tries: 0 };
}
