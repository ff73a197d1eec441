/**
 * What every view knows, as signals. The stream writes them (follow.js); what one view shows it follows itself (topics.js).
 */
import { pastSeq } from './router.js';
import { computed, signal } from './ui.js';

/**
 * @typedef {{ name: string, scope: 'read' | 'test' | 'admin' }} Session
 * @typedef {'loading' | 'live' | 'stale' | 'signedOut'} LinkState
 * @typedef {{ state: LinkState, sinceMs: number, tries: number, isLinkSpent?: boolean, reasons?: readonly string[] }} Link
 *   `sinceMs`: of performance.now(). `isLinkSpent`: signed out, by a link that opens nothing. `reasons`: why the venue is not ready
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
/** The prices of each market, as they are. @type {import('@preact/signals').Signal<Map<string, any>>} */
export const liveTickers = signal(new Map());

/** What is known of the seq that the address names: `tickers` has the prices of the markets that were asked for. @type {import('@preact/signals').Signal<(Now & { tickers: Map<string, any> }) | null>} */
export const pastState = signal(null);
/** Why that seq cannot be shown. */
export const pastProblem = signal('');
/** The prices that views show: those of now, or of the seq in the address. */
export const tickers = computed(() => {
  if (pastSeq.value === null) return liveTickers.value;
  const then = pastState.value;
  // What is not known of that moment is not shown. The present would be a look into its future.
  return then?.seq === pastSeq.value ? then.tickers : new Map();
});
/** The seq and the time that views show. */
export const moment = computed(() => {
  if (pastSeq.value === null) return now.value;
  return pastState.value?.seq === pastSeq.value ? pastState.value : null;
});
/** The names of all accounts. */
export const accounts = signal(/** @type {string[]} */ ([]));

/** The first account with open orders, as the page found it when it opened. */
export const busyAccount = signal(/** @type {string | null} */ (null));
/** The account that views show: the last one that was chosen, or the first with open orders, or the first. */
const chosenAccount = signal(localStorage.getItem('account'));
export const account = computed(() => {
  const names = accounts.value;
  const chosen = chosenAccount.value;
  return [chosen, busyAccount.value].find((name) => name !== null && names.includes(name)) ?? names[0] ?? null;
});

/** Whether somebody has chosen an account that is there. @param {readonly string[]} names */
export const hasChosen = (names) => names.includes(chosenAccount.peek() ?? '');

/** @param {string} name */
export function chooseAccount(name) {
  chosenAccount.value = name;
  localStorage.setItem('account', name);
}

export const isManual = computed(() => system.value?.clock.manual === true);
/** Whether this session may move time and prices. The venue refuses in any case; this only spares the buttons. */
export const mayTest = computed(() => session.value !== null && session.value.scope !== 'read');
export const mayAdminister = computed(() => session.value?.scope === 'admin');

/** The venue did not answer: what is shown is from before. */
export function unreachable() {
  const { state, sinceMs, tries, reasons } = link.value;
  link.value = { state: 'stale', sinceMs: state === 'stale' ? sinceMs : performance.now(), tries: tries + 1, reasons };
}

/** Topics that could not be read, and why. @type {import('@preact/signals').Signal<ReadonlyMap<string, string>>} */
export const topicProblems = signal(/** @type {ReadonlyMap<string, string>} */ (new Map()));

/** @param {string} topic @param {string | null} problem null: it was read */
export function noteTopic(topic, problem) {
  if (problem === null && !topicProblems.peek().has(topic)) return;
  const problems = new Map(topicProblems.peek());
  if (problem === null) problems.delete(topic);
  else problems.set(topic, problem);
  topicProblems.value = problems;
}

/** The session does not count any more, or the link opened none. */
export function signOut({ isLinkSpent = false } = {}) {
  session.value = null;
  link.value = { state: 'signedOut', sinceMs: performance.now(), tries: 0, isLinkSpent };
}

/** @typedef {{ seq: number, timeMs: number, isCommand: boolean, method: string, path: string, body?: any }} Done `isCommand`: `seq` is its own */

/** What this page has done to the venue, the latest first. @type {import('@preact/signals').Signal<readonly Done[]>} */
export const done = signal(/** @type {readonly Done[]} */ ([]));
const MOST_DONE = 100;

/** @param {Done} action */
export function noteDone(action) {
  done.value = [action, ...done.value].slice(0, MOST_DONE);
}
