/**
 * Topics of the stream, folded: a signal with what a topic shows now. All views that use a topic share its signal, and
 * the last one that goes ends it.
 */
import { follow } from './feed.js';
import { hasPast, lookBack } from './past.js';
import { pastSeq } from './router.js';
import { effect, signal, useEffect, useSignal } from './ui.js';

/** @typedef {import('./feed.js').Message} Message */
/** @typedef {import('@preact/signals').Signal<any>} Shown the value is undefined until the snapshot arrives */

/** The trades, fills and ended orders that are kept. */
const MOST_ROWS = 200;

/** @type {Map<string, { shown: Shown, users: number, stop: () => void }>} */
const open = new Map();

/** How the messages of a kind of topic become its value. @type {Record<string, (value: any, message: Message) => any>} */
const FOLDS = {
  markets: bySymbol,
  tickers: bySymbol,
  book: foldBook,
  trades: (value, { type, data }) => newestFirst(type === 'snapshot' ? [] : value, data?.trades, 'tradeId'),
  fills: (value, { type, data }) =>
    newestFirst(
      type === 'snapshot' && data?.continues !== true ? [] : value,
      data?.fills,
      'tradeId',
      'maker',
      'symbol',
    ),
  orders: foldOrders,
  positions: (_value, { data }) => data?.positions ?? [],
  wallets: (_value, { data }) => data?.balances ?? {},
};

/** @param {Map<string, any> | undefined} value @param {Message} message */
function bySymbol(value, { type, data }) {
  const rows = new Map(type === 'snapshot' ? [] : value);
  for (const row of data?.markets ?? []) rows.set(row.symbol, row);
  return rows;
}

/**
 * Levels by price as text, of each side. The maps are kept, and the object around them is new. `complete`: there are no others.
 * @param {{ bids: Map<string, string>, asks: Map<string, string>, complete: boolean } | undefined} value @param {Message} message
 */
function foldBook(value, { type, data }) {
  const [bids, asks] = type === 'snapshot' || value === undefined ? [new Map(), new Map()] : [value.bids, value.asks];
  for (const [levels, changes] of /** @type {const} */ ([
    [bids, data?.bids],
    [asks, data?.asks],
  ])) {
    for (const [price, size] of changes ?? []) {
      if (Number(size) === 0) levels.delete(price);
      else levels.set(price, size);
    }
  }
  return { bids, asks, complete: data?.complete ?? value?.complete ?? true };
}

/**
 * At its busiest a venue adds more rows at a time than are kept.
 * @param {any[]} known the newest first @param {any[] | undefined} added the oldest first @param {string[]} identity
 */
function newestFirst(known = [], added = [], ...identity) {
  const keyOf = (/** @type {any} */ row) => identity.map((name) => row[name]).join();
  const fresh = new Map(added.slice(-MOST_ROWS).map((row) => [keyOf(row), row]));
  const rows = known.map((row) => {
    const key = keyOf(row);
    const newer = fresh.get(key);
    fresh.delete(key);
    return newer ?? row;
  });
  return [...[...fresh.values()].reverse(), ...rows].slice(0, MOST_ROWS);
}

/** `complete`: it has no other open orders. @param {{ open: Map<string, any>, ended: any[], complete: boolean } | undefined} value @param {Message} message */
function foldOrders(value, { type, data }) {
  const isWhole = type === 'snapshot' || value === undefined;
  const known = new Map(isWhole ? [] : value.open);
  let ended = isWhole ? [] : value.ended;
  for (const order of data?.orders ?? []) {
    if (order.live) known.set(order.orderId, order);
    else {
      known.delete(order.orderId);
      ended = [order, ...ended.filter((/** @type {any} */ each) => each.orderId !== order.orderId)].slice(0, MOST_ROWS);
    }
  }
  return { open: known, ended, complete: data?.complete ?? value?.complete ?? true };
}

/** @param {string} topic @returns {Shown} */
function acquire(topic) {
  const known = open.get(topic);
  if (known !== undefined) {
    known.users += 1;
    return known.shown;
  }
  const shown = signal(/** @type {any} */ (undefined));
  const fold = FOLDS[topic.split(':')[0]] ?? ((_value, { data }) => data);
  const stop = follow(topic, (message) => {
    shown.value = fold(shown.value, message);
  });
  open.set(topic, { shown, users: 1, stop });
  return shown;
}

/** @param {string} topic */
function release(topic) {
  const known = open.get(topic);
  if (known === undefined) return;
  known.users -= 1;
  if (known.users > 0) return;
  open.delete(topic);
  known.stop();
}

/**
 * What a topic shows, while the component is there: `useTopic('orders:bot')`. With `?seq=` it is what it showed then. Null: no topic. The signal stays the same
 * when the topic changes, so a computed signal or an effect may keep it.
 * @param {string | null} topic @param {{ isLive?: boolean }} [options] `isLive`: as it is now, whatever the address says
 * @returns {Shown}
 */
export function useTopic(topic, { isLive = false } = {}) {
  const own = useSignal(/** @type {any} */ (undefined));
  const seq = isLive ? null : pastSeq.value;
  useEffect(() => {
    if (topic === null) return undefined;
    if (seq !== null && hasPast(topic)) {
      return lookBack(topic, seq, (value) => {
        own.value = value;
      });
    }
    const shared = acquire(topic);
    const stop = effect(() => {
      own.value = shared.value;
    });
    return () => {
      stop();
      release(topic);
    };
  }, [topic, seq]);
  // What another account or market showed is not this one's.
  useEffect(
    () => () => {
      own.value = undefined;
    },
    [topic],
  );
  return own;
}

/** Follows a topic for as long as the page is there. @param {string} topic */
export const keepTopic = (topic) => acquire(topic);
