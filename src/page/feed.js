/**
 * Feeds the store. For now it polls the reads that exist; views do not notice what feeds them.
 */
import { get, listed, Refused } from './api.js';
import { accounts, link, markets, now, system, unreachable } from './store.js';
import { batch } from './ui.js';

const POLL_MS = 1000;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

export function startFeed() {
  clearTimeout(timer);
  poll().finally(() => {
    clearTimeout(timer);
    if (link.value.state !== 'signedOut') timer = setTimeout(startFeed, document.hidden ? POLL_MS * 5 : POLL_MS);
  });
}

/** Tries at once. */
export function reconnect() {
  clearTimeout(timer);
  startFeed();
}

async function poll() {
  try {
    const [clock, health, rows, names] = await Promise.all([
      get('/clock'),
      get('/health'),
      listed('/markets', 'markets'),
      listed('/accounts', 'accounts'),
    ]);
    batch(() => {
      now.value = { seq: clock.seq, timeMs: clock.time };
      system.value = { epoch: clock.epoch, clock: { manual: clock.manual }, health };
      markets.value = new Map(rows.map((row) => [row.symbol, row]));
      accounts.value = names.map(({ account }) => account);
      if (link.value.state !== 'live') link.value = { state: 'live', sinceMs: performance.now(), tries: 0 };
    });
  } catch (error) {
    if (error instanceof Refused && error.status === 401) link.value = { state: 'signedOut', sinceMs: 0, tries: 0 };
    else unreachable();
  }
}
