/**
 * Live orders in words and figures: what kind one is, the price that counts, how far away that is, and what the order is
 * doing. Used wherever orders are listed. The venue's stories (`/orders/ID`) say what happened; this says what is.
 */
import { pauseWord } from '../story/words.js';
import { decimalsOf, grouped, lengthText, momentText, padded, signed, zerosApart } from './format.js';

/** @typedef {any} Order as `orders:ACCOUNT` has it @typedef {any} Market its terms @typedef {any} Ticker its prices */

/** How many decimals its prices have. @param {Market | undefined} market */
export const priceDecimals = (market) => (market === undefined ? 2 : decimalsOf(market.tick));
/** @param {Market | undefined} market */
export const sizeDecimals = (market) => {
  if (market === undefined) return 0;
  return market.kind === 'spot' || market.product === 'spot' ? decimalsOf(market.step) : 0;
};
/** @param {Market | undefined} market @param {string | number | null | undefined} price */
export const priceText = (market, price) =>
  price === null || price === undefined ? grouped(null) : grouped(padded(price, priceDecimals(market)));
/** @param {Market | undefined} market @param {string | number | null | undefined} size */
export const sizeText = (market, size) =>
  size === null || size === undefined ? grouped(null) : grouped(padded(size, sizeDecimals(market)));

/** Contracts as base currency: '0.03 BTC'. Null: the market has no contracts. @param {Market | undefined} market @param {string | number} contracts */
export function inBase(market, contracts) {
  if (!market?.contractSize || !Number.isFinite(Number(contracts))) return null;
  const decimals = decimalsOf(market.contractSize) + decimalsOf(contracts);
  const amount = (Number(contracts) * Number(market.contractSize)).toFixed(Math.min(100, decimals));
  return `${grouped(zerosApart(amount)[0])} ${market.base}`;
}

/** Whether it waits for a price. @param {Order} order */
export const isWaiting = (order) => order.trigger !== null && order.trigger.fired !== true;

/** The size as placed: a number of base or contracts, or an amount of quote. @param {Order} order @param {Market} [market] */
export function sizeOf(order, market) {
  if (order.quoteSize !== undefined) return `${grouped(order.quoteSize)} ${market?.quote ?? ''}`.trim();
  return sizeText(market, order.currentSize ?? order.size);
}

/** @param {Order} order @param {Market} [market] */
export function filledOf(order, market) {
  if (order.quoteFilled !== undefined) return grouped(order.quoteFilled);
  return isWaiting(order) ? grouped(null) : sizeText(market, order.filled);
}

/** What an ended order has bought or sold: money, if it was sized in money and that is known. @param {Order} order @param {Market} [market] */
export const endedFilled = (order, market) => sizeText(market, order.filled ?? null);

/** The price that counts now, and what to call it. @param {Order} order @returns {{ label: string, price: string | null, reference: string }} */
export function priceOf(order) {
  if (isWaiting(order)) {
    const { reference, price } = order.trigger;
    const label = order.kind === 'trailing' ? 'stop' : reference === 'last' ? 'at' : reference;
    return { label, price: Number(price) === 0 ? null : price, reference };
  }
  if (order.kind === 'peg') return { label: '', price: order.details?.progress?.price ?? null, reference: 'last' };
  return { label: '', price: order.price, reference: 'last' };
}

/** Of an order that has ended: the price that it waited for, or its limit. @param {Order} order @param {Market | undefined} market */
export function placedPrice(order, market) {
  const price = order.trigger?.price ?? order.price;
  return priceText(market, Number(price) === 0 ? null : price);
}

/** How far the price that counts is from its reference now. Null: one of them is not known. @param {Order} order @param {Ticker} ticker */
export function distanceOf(order, ticker) {
  const { price, reference } = priceOf(order);
  const now = ticker?.[reference];
  if (price === null || now === null || now === undefined) return null;
  return Number(price) - Number(now);
}

/** A difference of two prices, without its sign. @param {Market} market @param {number} difference */
export const gapText = (market, difference) =>
  priceText(
    market,
    Math.abs(difference)
      .toFixed(8)
      .replace(/\.?0+$/, ''),
  );

/**
 * What a live order is doing.
 * @typedef {{ title: string, detail: string, more?: string, isPaused?: boolean }} Doing `more`: what a row with a picture shows elsewhere
 * @param {Order} order @param {Market} market @param {number} nowMs @param {Order} [sibling] the other leg of an OCO @returns {Doing}
 */
export function doingOf(order, market, nowMs, sibling) {
  const { terms = {}, progress = {} } = order.details ?? {};
  const price = (/** @type {any} */ value) => priceText(market, value);
  if (sibling !== undefined) {
    const { limit } = (isWaiting(order) ? order : sibling).trigger ?? {};
    const becomes = limit === null ? 'a market order' : `a limit at ${price(limit)}`;
    return { title: 'both legs live', detail: `the stop becomes ${becomes}` };
  }
  switch (order.kind) {
    case 'twap':
      return twapDoing(order, market, nowMs);
    case 'trailing': {
      if (!progress.armed)
        return {
          title: 'not armed',
          detail: terms.activation ? `armed when ${price(terms.activation)} is reached` : 'waits for a price',
        };
      const far = terms.percent ? `${terms.percent} %` : grouped(terms.distance);
      return {
        title: `follows the ${extremeOf(order)}`,
        detail: `fires when ${order.trigger.reference} touches the stop`,
        more: `${extremeOf(order)} ${price(progress.extreme)}, at a distance of ${far}`,
      };
    }
    case 'peg': {
      if (progress.waitingFor) return { title: 'waits for an index', detail: `limit ${price(order.price)}` };
      const [shown, hidden] = pegSizes(order);
      const worst = `${order.side === 'BUY' ? 'at most' : 'at least'} ${price(order.price)}`;
      return {
        title: 'follows the index',
        detail: progress.price ? `now ${price(progress.price)}, ${worst}` : worst,
        more: `shows ${sizeText(market, shown)}, hides ${sizeText(market, hidden)}`,
      };
    }
    default:
  }
  if (isWaiting(order)) {
    const { reference, above, price: trigger, limit } = order.trigger;
    const at = above === null ? 'when it touches' : above ? 'at or above' : 'at or below';
    const then = limit === null ? '' : `, then a limit at ${price(limit)}`;
    return { title: `waits for ${reference}`, detail: `fires ${at} ${price(trigger)}${then}` };
  }
  const { queue } = order;
  const ahead =
    queue === null || queue === undefined
      ? ''
      : Number(queue.ahead) === 0
        ? ', first in its queue'
        : `, ${sizeText(market, queue.ahead)} ahead`;
  return { title: 'rests in the book', detail: `at ${price(order.price)}${ahead}` };
}

/** Of a TWAP: 'pauses above 60,300.0'. Empty: it has no such price. @param {Order} order @param {Market} market */
function pausesText(order, market) {
  const { pausePrice } = order.details.terms;
  return pausePrice ? `pauses ${order.side === 'BUY' ? 'above' : 'below'} ${priceText(market, pausePrice)}` : '';
}

/** @param {Order} order @param {Market} market @param {number} nowMs @returns {Doing} */
function twapDoing(order, market, nowMs) {
  const { children, childrenDone, pausedBy } = order.details.progress;
  const pauses = pausesText(order, market);
  const due = dueOf(order);
  const next = due === null ? '' : `, next at ${momentText(due, nowMs)}`;
  const more = `${childrenDone} of ${children} parts done${next}`;
  if (!pausedBy)
    return {
      title: 'trades in parts',
      detail: `one every ${lengthText(order.details.terms.periodMs / children)}${pauses === '' ? '' : `, ${pauses}`}`,
      more,
    };
  const by = pausedBy === 'ownOrder' ? 'an own order' : `the ${pausedBy}`;
  return {
    title: `paused by ${by}`,
    detail: `${pauseWord(pausedBy)}${pauses === '' || pausedBy === 'price' ? '' : `; it ${pauses}`}`,
    more,
    isPaused: true,
  };
}

/** The same in one line. @param {Order} order @param {Market} market @param {number} nowMs */
export function doingText(order, market, nowMs) {
  const { title, detail, more } = doingOf(order, market, nowMs);
  return `${title}: ${detail}${more === undefined ? '' : `; ${more}`}`;
}

/** What a trailing stop follows. @param {Order} order */
export const extremeOf = (order) => (order.side === 'SELL' ? 'high' : 'low');

/** What a peg shows and hides, as numbers with the decimals of the size. @param {Order} order @returns {[shown: string, hidden: string]} */
export function pegSizes({ remaining, details }) {
  const shown = details?.progress?.displayedSize ?? '0';
  const decimals = Math.max(...[remaining, shown].map((size) => decimalsOf(size)));
  return [shown, (Number(remaining) - Number(shown)).toFixed(decimals)];
}

/** How far a peg is from the index: '+0.1 %'. @param {string | null | undefined} percent */
export function deviationText(percent) {
  const text = percent ?? '0';
  return Number(text) === 0 ? '+0 %' : `${signed(text)} %`;
}

/** When something will happen to it by itself, epoch ms. Null: nothing is due. @param {Order} order */
export const dueOf = (order) => order.details?.progress?.nextChildAt ?? order.nextDueMs ?? null;

/**
 * By what happens next: what is due by time first, the soonest at the top; then by how near the price is.
 * @param {Order[]} orders @param {(symbol: string) => Ticker} tickerOf
 */
export function byWhatIsNext(orders, tickerOf) {
  const nearness = (/** @type {Order} */ order) => {
    const ticker = tickerOf(order.symbol);
    const distance = distanceOf(order, ticker);
    return distance === null ? Number.POSITIVE_INFINITY : Math.abs(distance) / Number(ticker.last ?? ticker.index ?? 1);
  };
  const twapFirst = (/** @type {Order} */ order) =>
    order.kind === 'twap' ? (dueOf(order) ?? Number.MAX_SAFE_INTEGER) : Number.POSITIVE_INFINITY;
  return [...orders].sort(
    (a, b) =>
      twapFirst(a) - twapFirst(b) || nearness(a) - nearness(b) || a.seq - b.seq || (a.orderId < b.orderId ? -1 : 1),
  );
}
