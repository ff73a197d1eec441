/** The Go-to box: a seq, an order's id or client id, an account, a market, or a time of the venue's day. */
import { get, Refused } from './api.js';
import { go } from './router.js';
import { accounts, markets } from './store.js';

const ORDER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Goes there. @param {string} given @returns {Promise<string>} why it did not, or nothing */
export async function goTo(given) {
  const text = given.trim();
  if (text === '') return '';
  const seq = /^#?(\d[\d,]{0,18})$/.exec(text)?.[1].replaceAll(',', '');
  if (seq !== undefined) go(`/time?seq=${seq}`);
  else if (/^\d{1,2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/.test(text)) go(`/time?at=${encodeURIComponent(text)}`);
  else if (ORDER_ID.test(text)) go(`/orders/${text}`);
  else if (accounts.value.includes(text)) go(`/account/${encodeURIComponent(text)}`);
  else if (markets.value.has(text.toUpperCase())) go(`/?symbol=${encodeURIComponent(text.toUpperCase())}`);
  else return orderOrNothing(text);
  return '';
}

/** @param {string} text */
async function orderOrNothing(text) {
  try {
    await get(`/orders/${encodeURIComponent(text)}`);
    go(`/orders/${encodeURIComponent(text)}`);
    return '';
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404) throw error;
    return `no seq, order, account, market or time: ${text}`;
  }
}
