/** The ledger of an account, read in pages from some entry on. */
import { get } from './api.js';
import { sumOf } from './format.js';

const PAGE = 1000;
/** A page of the browser reads no more at once. */
const MOST_PAGES = 50;

/**
 * @param {string} name of the account @param {{ after?: string, to?: number | null, until?: (entry: any) => boolean }} [of]
 *   `after`: the id of an entry. `to`: a seq. `until`: true of an entry that is too late, and ends the reading
 * @returns {Promise<{ entries: any[], isWhole: boolean }>} `isWhole`: there are no more
 */
export async function readLedger(name, { after, to = null, until = () => false } = {}) {
  /** @type {any[]} */
  const entries = [];
  let next = after;
  for (let page = 0; page < MOST_PAGES; page++) {
    const from = next === undefined ? '' : `&after=${encodeURIComponent(next)}`;
    const reply = await get(
      `/accounts/${encodeURIComponent(name)}/ledger?limit=${PAGE}${from}${to === null ? '' : `&to=${to}`}`,
    );
    const late = reply.entries.findIndex(until);
    entries.push(...(late < 0 ? reply.entries : reply.entries.slice(0, late)));
    next = reply.next;
    if (late >= 0 || next === undefined) return { entries, isWhole: true };
  }
  return { entries, isWhole: false };
}

/** What each kind of entry adds up to, in each currency. @param {readonly any[]} entries @returns {{ reason: string, currency: string, count: number, amount: string }[]} */
export function totalsOf(entries) {
  /** @typedef {{ reason: string, currency: string, amounts: string[] }} Kind */
  /** @type {Map<string, Kind>} */
  const kinds = new Map();
  for (const { reason, currency, amount } of entries) {
    /** @type {Kind} */
    const known = kinds.get(`${reason} ${currency}`) ?? { reason, currency, amounts: [] };
    known.amounts.push(amount);
    kinds.set(`${reason} ${currency}`, known);
  }
  const rows = [...kinds.values()].map(({ amounts, ...kind }) => ({
    ...kind,
    count: amounts.length,
    amount: sumOf(amounts),
  }));
  return rows.sort((a, b) => a.reason.localeCompare(b.reason) || a.currency.localeCompare(b.currency));
}
