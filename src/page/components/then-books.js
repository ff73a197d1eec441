/** A book at a moment beside that of now, paired by price. */
import { fixed, grouped } from '../format.js';
import { priceText, sizeDecimals, sizeText } from '../orders.js';
import { html } from '../ui.js';

/** The best levels of each side, then and now, are shown, with all between them. Those behind them are counted. */
const LEVELS = 8;
/** A book that has moved far has more between them. */
const MOST_ROWS = 60;
/** The levels of a side that are known of a moment, and of now. */
export const MOST_LEVELS = 1000;

/** Both books by price. @param {{ then: any, present: any, market: any, seq: number }} props */
export function Books({ then, present, market, seq }) {
  if (then === undefined) return null;
  const sides = /** @type {const} */ (['asks', 'bids']).map((which) => {
    const [was, is] = [new Map(then[which]), new Map(present?.[which] ?? [])];
    const bestFirst = (/** @type {Iterable<any>} */ prices) =>
      [...new Set(prices)].sort((a, b) => (which === 'bids' ? b - a : a - b));
    const all = bestFirst([...was.keys(), ...is.keys()]);
    const last = [was, is].map((levels) => bestFirst(levels.keys()).slice(0, LEVELS).at(-1));
    const count = Math.max(...last.map((price) => all.indexOf(price) + 1));
    const prices = all.slice(0, Math.min(MOST_ROWS, count)).sort((a, b) => Number(b) - Number(a));
    return { which, prices, was, is };
  });
  const size = (/** @type {any} */ value) => (value === undefined ? '' : sizeText(market, value));
  const row = (/** @type {any} */ { which, was, is }, /** @type {any} */ price) =>
    html`<tr key=${price}><td class=${`r ${which === 'asks' ? 'sell' : 'buy'}`}>${priceText(market, price)}</td><td class="r then">${size(was.get(price))}</td><td class="r">${size(is.get(price))}</td></tr>`;
  const behind = (/** @type {any} */ { which, prices, was, is }) => {
    const [before, after] = [was, is].map((levels) => notShown(levels, prices, market));
    return html`<tr class="ink2 behind"><td class="r">other ${which}</td><td class="r">${before}</td><td class="r">${after}</td></tr>`;
  };
  const [asks, bids] = sides;
  return html`<table class="books"><caption>Book at seq ${seq} and now</caption>
    <thead><tr><th scope="col" class="r">price</th><th scope="col" class="r log-head">size, seq ${grouped(seq)}</th><th scope="col" class="r">size now</th></tr></thead>
    <tbody>${behind(asks)}${asks.prices.map((price) => row(asks, price))}</tbody><tbody class="bids">${bids.prices.map((price) => row(bids, price))}${behind(bids)}</tbody></table>`;
}

/** How many levels are at other prices, and the sum of their sizes. @param {Map<any, any>} levels @param {any[]} prices @param {any} market */
function notShown(levels, prices, market) {
  const others = [...levels].filter(([price]) => !prices.includes(price));
  if (others.length === 0) return 'none';
  const sum = others.reduce((total, [, size]) => total + Number(size), 0);
  const count = `${grouped(others.length)}${levels.size >= MOST_LEVELS ? ' or more' : ''} level${others.length === 1 ? '' : 's'}`;
  return `${count}, ${fixed(sum, sizeDecimals(market))}`;
}
