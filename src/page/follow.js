/** Keeps what every view knows: the venue, its markets and prices, and the names of its accounts. */
import { listed } from './api.js';
import { grouped } from './format.js';
import { say } from './messages.js';
import { accounts, link, liveTickers, markets, system } from './store.js';
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
    accounts.value = rows.map(({ account }) => account);
  } catch {
    // The link says that the venue does not answer.
  }
}
