/**
 * What a topic would have shown at a seq, from the time machine. Answers are kept by seq, and requested once the address
 * has stayed the same for REST_MS, so that a slider may run over thousands of seqs.
 */
import { get, Refused } from './api.js';
import { pastSeq } from './router.js';
import { pastProblem, pastState } from './store.js';
import { useEffect } from './ui.js';

const REST_MS = 120;
const MOST_KEPT = 60;
/** Two tabs of one session do not take each other's place. */
export const TAB = Math.random().toString(36).slice(2, 10);

/** By path. @type {Map<string, Promise<any>>} */
const kept = new Map();

/**
 * What is asked about a topic, and how the answer becomes the topic's value. `query`: of a part of the state, from the time machine.
 * `path`: of what the archive has. @type {Record<string, { query?: (subject: string) => string, path?: (subject: string, seq: number) => string, fold: (answer: any, subject: string) => any }>}
 */
const PARTS = {
  trades: {
    path: (symbol, seq) => `/markets/${symbol}/past?seq=${seq}`,
    fold: ({ trades }) => trades,
  },
  candles: {
    path: (subject, seq) => {
      const [symbol, minutes] = decodeURIComponent(subject).split(':');
      return `/markets/${encodeURIComponent(symbol)}/past?seq=${seq}&minutes=${minutes}&limit=1`;
    },
    fold: ({ candles }) => candles,
  },
  fills: {
    path: (account, seq) => `/accounts/${account}/fills?to=${seq}&newest=true&limit=1000`,
    fold: ({ fills }) => fills,
  },
  book: {
    query: (symbol) => `show=book&symbol=${symbol}&limit=1000`,
    fold: ({ bids, asks, more }) => ({ bids: new Map(bids), asks: new Map(asks), complete: more !== true }),
  },
  orders: {
    query: (account) => `show=orders&account=${account}`,
    fold: ({ orders, more }) => ({
      open: new Map(orders.map((/** @type {any} */ order) => [order.orderId, order])),
      ended: [],
      complete: more !== true,
    }),
  },
  positions: { query: (account) => `show=positions&account=${account}`, fold: ({ positions }) => positions },
  wallets: {
    query: (account) => `show=balances&account=${account}`,
    fold: ({ balances }, account) => balances[account] ?? {},
  },
};

/** @param {string} topic */
export const hasPast = (topic) => topic.split(':')[0] in PARTS;

/** The state at a seq. @param {number} seq @param {string} query @returns {Promise<any>} */
const stateAt = (seq, query) => answerTo(`/at/${seq}?${query}&client=${TAB}`);

/** The past does not change, so an answer is kept. @param {string} path @returns {Promise<any>} */
function answerTo(path) {
  const known = kept.get(path);
  if (known !== undefined) return known;
  if (kept.size >= MOST_KEPT) kept.delete(/** @type {string} */ (kept.keys().next().value));
  const asked = get(path);
  kept.set(path, asked);
  // What failed is asked for again.
  asked.catch(() => kept.delete(path));
  return asked;
}

/** Keeps the time of a seq, and the prices in its state. @param {any} state */
function note({ seq, time, market }) {
  const before = pastState.peek();
  const tickers = new Map(before !== null && before.seq === seq ? before.tickers : []);
  if (market !== undefined) tickers.set(market.symbol, market);
  pastState.value = { seq, timeMs: time, tickers };
}

/** Has the prices of markets at the seq of the address. @param {readonly string[]} symbols */
export function usePastPrices(symbols) {
  const seq = pastSeq.value;
  useEffect(() => {
    if (seq === null) return;
    for (const symbol of symbols) {
      stateAt(seq, `show=book&symbol=${encodeURIComponent(symbol)}&limit=1`).then(
        (state) => seq === pastSeq.peek() && note(state),
        () => {},
      );
    }
  }, [seq, symbols.join()]);
}

/**
 * Calls `take` with what the topic showed at the seq. Returns what gives it up.
 * @param {string} topic @param {number} seq @param {(value: any) => void} take
 */
export function lookBack(topic, seq, take) {
  const [kind, ...rest] = topic.split(':');
  const subject = rest.join(':');
  const { query, path, fold } = PARTS[kind];
  const named = encodeURIComponent(subject);
  let isOver = false;
  const look = async () => {
    try {
      const answer = await (path === undefined ? stateAt(seq, query?.(named) ?? '') : answerTo(path(named, seq)));
      if (isOver) return;
      if (path === undefined) {
        note(answer);
        pastProblem.value = '';
      }
      take(fold(answer, subject));
    } catch (error) {
      if (isOver) return;
      const isBehind = error instanceof Refused && error.reason === 'superseded';
      if (isBehind) setTimeout(look, REST_MS);
      else pastProblem.value = error instanceof Error ? error.message : String(error);
    }
  };
  const timer = setTimeout(look, REST_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
