/** Keeps what every view knows: the venue, its markets and prices, and the names of its accounts. */
import { get, listed } from './api.js';
import { grouped } from './format.js';
import { say } from './messages.js';
import { accounts, busyAccount, hasChosen, link, liveTickers, markets, system } from './store.js';
import { keepTopic } from './topics.js';
import { effect, signal } from './ui.js';

/** Grows when everything must be read again: after a reset, or a return to a snapshot. */
export const replaced = signal(0);

let isFollowed = false;

export function followVenue() {
  if (isFollowed) return;
  isFollowed = true;
  const topics = { system: keepTopic('system'), markets: keepTopic('markets'), tickers: keepTopic('tickers') };
  effect(() => {
    const value = topics.system.value;
    if (value === undefined) return;
    const before = system.peek();
    system.value = value;
    if (before === undefined || value.replacedSeq === before.replacedSeq) return;
    replaced.value = replaced.peek() + 1;
    say(`the state was replaced at seq ${grouped(value.replacedSeq)}`);
  });
  effect(() => {
    markets.value = topics.markets.value ?? new Map();
  });
  effect(() => {
    liveTickers.value = topics.tickers.value ?? new Map();
  });
  effect(() => {
    if (link.value.state === 'live' && replaced.value >= 0) void readAccounts();
  });
}

/** No topic has the names of accounts: they are read when the page connects, and when a view wants to offer them. */
export async function readAccounts() {
  try {
    const rows = await listed('/accounts', 'accounts');
    const names = rows.map(({ account }) => account);
    if (accounts.peek().length === 0 && !hasChosen(names)) busyAccount.value = await firstBusy(names);
    accounts.value = names;
  } catch {
    // The link says that the venue does not answer.
  }
}

/** So many accounts are looked at for open orders. */
const MOST_LOOKED_AT = 20;

/** @param {readonly string[]} names @returns {Promise<string | null>} */
async function firstBusy(names) {
  // The synthetic traders of a demo always have orders, and nobody wants to act for them.
  const others = names.slice(0, MOST_LOOKED_AT).filter((name) => !/^trader-\d$/.test(name));
  for (const name of others) {
    const { openOrders } = await get(`/accounts/${encodeURIComponent(name)}`);
    if (openOrders > 0) return name;
  }
  return null;
}
