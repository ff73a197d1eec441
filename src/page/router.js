/**
 * Where the page is. Every state that can be shared is in the address: the view, what it shows, and `?seq=` for a moment
 * in the past.
 */
import { computed, signal } from './ui.js';

/** @typedef {'market' | 'account' | 'orders' | 'time' | 'control' | 'operations'} View */

/** In the order of the keys 1 to 6. `short`: in the bar of a narrow screen. */
export const VIEWS = /** @type {const} */ ([
  { view: 'market', path: '/', title: 'Market', short: 'Market' },
  { view: 'account', path: '/account', title: 'Account', short: 'Account' },
  { view: 'orders', path: '/orders', title: 'Orders', short: 'Orders' },
  { view: 'time', path: '/time', title: 'Time machine', short: 'Time' },
  { view: 'control', path: '/control', title: 'Control', short: 'Control' },
  { view: 'operations', path: '/operations', title: 'Operations', short: 'Ops' },
]);

const address = signal(location.pathname + location.search);
/** How far each address was scrolled, for the way back. @type {Map<string, number>} */
const scrolled = new Map();

const url = computed(() => new URL(address.value, location.origin));

/** @type {import('@preact/signals').ReadonlySignal<View>} */
export const view = computed(() => {
  const [first] = url.value.pathname.slice(1).split('/');
  return VIEWS.find(({ path }) => path === `/${first}`)?.view ?? 'market';
});

/** An address may be typed with a stray `%`. @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What follows the view in the path: the name of an account, the id of an order. Null: nothing. */
export const subject = computed(() => {
  const [, second] = url.value.pathname.slice(1).split('/');
  return second === undefined || second === '' ? null : decoded(second);
});

/** @param {string} name */
export const parameter = (name) => url.value.searchParams.get(name);

/** The seq that all views show, or null for now. @type {import('@preact/signals').ReadonlySignal<number | null>} */
export const pastSeq = computed(() => {
  const text = url.value.searchParams.get('seq') ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
});

/** Goes to an address of the page. `?seq=` is kept unless the address has its own. @param {string} to */
export function go(to) {
  const next = new URL(to, location.origin);
  if (pastSeq.value !== null && !next.searchParams.has('seq')) next.searchParams.set('seq', String(pastSeq.value));
  show(next, false);
}

/** Changes parameters of the present address. Null removes one. @param {Record<string, string | number | null>} changes */
export function setParameters(changes, replace = true) {
  const next = new URL(url.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.searchParams.delete(name);
    else next.searchParams.set(name, String(value));
  }
  show(next, replace);
}

/** @param {URL} next @param {boolean} replace */
function show(next, replace) {
  const to = next.pathname + next.search;
  if (to === address.value) return;
  const samePlace = next.pathname === url.value.pathname;
  scrolled.set(address.value, scrollY);
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  address.value = to;
  if (!replace && !samePlace) scrollTo(0, 0);
}

addEventListener('popstate', () => {
  scrolled.set(address.value, scrollY);
  address.value = location.pathname + location.search;
  const y = scrolled.get(address.value) ?? 0;
  requestAnimationFrame(() => scrollTo(0, y));
});

/** Links to the page itself do not load it again. */
addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
  if (!(link instanceof HTMLAnchorElement) || link.origin !== location.origin || link.target !== '') return;
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  // A link within the document, such as the one that skips to the content.
  if (link.getAttribute('href')?.startsWith('#')) return;
  event.preventDefault();
  go(link.pathname + link.search);
});
