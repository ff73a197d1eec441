/**
 * What every view knows, as signals. The stream writes them (follow.js); what one view shows it follows itself (topics.js).
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
/** Of the venue as a whole, for as long as the page is there: `system` has epoch, clock, health; the others are by symbol. */
export const system = signal(/** @type {any} */ (undefined));
/** The terms of each market. @type {import('@preact/signals').Signal<Map<string, any>>} */
export const markets = signal(new Map());
/** The prices of each market. @type {import('@preact/signals').Signal<Map<string, any>>} */
export const tickers = signal(new Map());
/** The names of all accounts. */
export const accounts = signal(/** @type {string[]} */ ([]));

/** The account that views show: the last one that was chosen, or the first. */
const chosenAccount = signal(localStorage.getItem('account'));
export const account = computed(() => {
  const names = accounts.value;
  const chosen = chosenAccount.value;
  return chosen !== null && names.includes(chosen) ? chosen : (names[0] ?? null);
});

/** @param {string} name */
export function chooseAccount(name) {
  chosenAccount.value = name;
  localStorage.setItem('account', name);
}

export const isManual = computed(() => system.value?.clock.manual === true);
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
    signOut();
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
  signOut();
}

/** The session does not count any more. */
export function signOut() {
  session.value = null;
  link.value = { state: 'signedOut', sinceMs: performance.now(), tries: 0 };
}
