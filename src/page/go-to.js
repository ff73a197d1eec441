/** The Go-to box: a seq, an order's id or client id, an account, a market, or a time of day, which is that of the last 24 hours in UTC. */
import { get, Refused } from './api.js';
import { go } from './router.js';
import { account, accounts, markets, now } from './store.js';
import { timeOfDay } from './time-of-day.js';

const ORDER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** As tables show an id. */
const SHORT_ID = /^[0-9a-f]{8}$/i;

/** No client id is longer. */
const LONGEST_ID = 64;
const LONGEST_SHOWN = 40;
/** Each is a request. */
const MOST_ACCOUNTS = 20;

/** Goes there. @param {string} given @returns {Promise<string>} why it did not, or nothing */
export async function goTo(given) {
  const text = given.trim();
  if (text === '') return '';
  const seq = /^#?(\d[\d,]{0,18})$/.exec(text)?.[1].replaceAll(',', '');
  if (seq !== undefined) go(`/time?seq=${seq}`);
  else if (/^\d{1,2}:\d{2}/.test(text)) return toTime(text);
  else if (ORDER_ID.test(text)) go(`/orders/${text}`);
  else if (accounts.value.includes(text)) go(`/account/${encodeURIComponent(text)}`);
  else if (markets.value.has(text.toUpperCase())) go(`/?symbol=${encodeURIComponent(text.toUpperCase())}`);
  else return orderOrNothing(text);
  return '';
}

/** @param {string} text */
function toTime(text) {
  if (timeOfDay(text, now.value?.timeMs ?? 0) === null) return `${text} is no time of a day: 14:32:07 is one, in UTC`;
  go(`/time?at=${encodeURIComponent(text)}`);
  return '';
}

/** A client id is one of an account: the chosen account comes first, then the others. @param {string} text */
async function orderOrNothing(text) {
  const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  const names = [...new Set([account.value ?? [], ...accounts.value].flat())].slice(0, MOST_ACCOUNTS);
  const more = accounts.value.length > names.length ? ` among those of ${names.length} accounts` : '';
  if (text.length <= LONGEST_ID) {
    if (SHORT_ID.test(text)) names.length = Math.min(names.length, 1);
    for (const name of names) {
      try {
        const { order } = await get(`/orders/${encodeURIComponent(text)}?limit=1&account=${encodeURIComponent(name)}`);
        go(`/orders/${order.orderId}`);
        return '';
      } catch (error) {
        if (!(error instanceof Refused) || (error.status !== 404 && error.status !== 400)) throw error;
        // One on spot and one on futures have it: the message names their markets.
        if (error.field === 'symbol') return `${shown}: ${error.message}. Orders lists both`;
      }
    }
    if (SHORT_ID.test(text)) {
      go(`/orders/${text}`);
      return '';
    }
  }
  return `Nothing is called ${shown}: no account, market or time, no number of a command, and no order${more} by its id or client id`;
}
