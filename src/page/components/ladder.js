/**
 * The book: ten rows a side around a spread row that never moves, and how much lies beyond them. The rows are made once,
 * and a change writes only the text of cells.
 */
import { fixed, grouped, padded, percent } from '../format.js';
import { isWaiting, priceDecimals, priceText, sizeDecimals } from '../orders.js';
import { tickers } from '../store.js';
import { flash, html, put, useComputed, useLayoutEffect, useRef, useSignal, useSignalEffect } from '../ui.js';
import { Pane, Segments } from './parts.js';

const ROWS = 10;
const STEPS = [1, 10, 100];

/**
 * @typedef {{ price: number, size: number, total: number, own: number }} Level
 * @param {{ symbol: string, market: any, book: import('@preact/signals').Signal<any>, orders: import('@preact/signals').ReadonlySignal<any[]>,
 *   onPick?: (price: string) => void }} props `onPick`: a price was clicked
 */
export function Ladder({ symbol, market, book, orders, onPick }) {
  const step = useSignal(10);
  const body = useRef(/** @type {HTMLElement | null} */ (null));
  const tick = Number(market?.tick ?? 1);
  const draw = () => {
    const { value } = book;
    const group = tick * step.value;
    const own = ownSizes(orders.value, group);
    const ticker = tickers.value.get(symbol);
    if (body.current === null || value === undefined) return;
    const asks = levelsOf(value.asks, 'SELL', group, own);
    const bids = levelsOf(value.bids, 'BUY', group, own);
    const most = Math.max(...[asks, bids].map((side) => side.slice(0, ROWS).at(-1)?.total ?? 0));
    const rows = /** @type {NodeListOf<HTMLElement>} */ (body.current.querySelectorAll('.level'));
    for (let i = 0; i < ROWS; i++) {
      write(rows[ROWS - 1 - i], asks[i], most, market);
      write(rows[ROWS + i], bids[i], most, market);
    }
    put(body.current, '.beyond.asks span', beyond(asks, value.complete, market));
    put(body.current, '.beyond.bids span', beyond(bids, value.complete, market));
    const [bid, ask] = [ticker?.bid, ticker?.ask];
    const spread = bid && ask ? Number(ask.price) - Number(bid.price) : null;
    const last = ticker?.last ? priceText(market, ticker.last) : '';
    const shown = body.current.querySelector('.mid-last');
    if (shown?.textContent !== '' && shown?.textContent !== last) flash(shown);
    put(body.current, '.mid-last', last);
    put(
      body.current,
      '.mid-spread',
      spread === null
        ? value.bids.size + value.asks.size === 0
          ? 'no orders'
          : 'one side is empty'
        : `spread ${fixed(spread, priceDecimals(market))} · ${percent(spread / Number(bid.price), 4)}`,
    );
  };
  useSignalEffect(draw);
  // The rows are there after the first rendering.
  useLayoutEffect(draw, [market]);
  const isCut = useComputed(() => book.value?.complete === false);
  const choices = STEPS.map(
    (each) =>
      /** @type {const} */ ([String(each), grouped(padded(tick * each, each === 1 ? priceDecimals(market) : 0))]),
  );
  const isSpot = market?.kind === 'spot';
  return html`<${Pane} class="book" title="Book" label=${`Book of ${symbol}`}
    end=${html`${isCut.value && html`<span class="ink3" title="The stream sends the best 1,000 levels of each side.">1,000 levels</span>`}<span class="ink3 unit">${isSpot ? market.base : 'contracts'}, by</span>
      <${Segments} label="Group prices by" choices=${choices.map(([each, text]) => [each, trimmed(text)])} chosen=${String(step.value)} onChoose=${(
        /** @type {string} */ each,
      ) => {
        step.value = Number(each);
      }} />`}>
    <div class=${`ladder ${onPick === undefined ? '' : 'picks'}`} ref=${body} role="table" aria-label=${`Book of ${symbol}, best ${ROWS} rows of each side`}
      title=${onPick === undefined ? undefined : 'A click takes the price over into the order form'} onClick=${(/** @type {MouseEvent} */ event) => pick(event, onPick)}>
      <div class="head" role="row"><span role="columnheader">Price</span><span role="columnheader">Size</span><span role="columnheader">Total</span><span role="columnheader">Yours</span></div>
      <div class="beyond asks" role="row"><span role="cell"></span></div>
      ${Array.from({ length: ROWS }, (_, i) => html`<${Row} key=${i} side="sell" />`)}
      <div class="mid" role="row"><span class="mid-last" role="cell"></span><span class="mid-spread ink2" role="cell"></span></div>
      ${Array.from({ length: ROWS }, (_, i) => html`<${Row} key=${i + ROWS} side="buy" />`)}
      <div class="beyond bids" role="row"><span role="cell"></span></div>
    </div>
  </${Pane}>`;
}

/** @param {MouseEvent} event @param {((price: string) => void) | undefined} onPick */
function pick({ target }, onPick) {
  const row = target instanceof Element ? target.closest('.level') : null;
  const price = row?.querySelector('.price')?.textContent ?? '';
  if (price !== '') onPick?.(price.replaceAll(',', ''));
}

/** What the rows leave out: '12 more levels, total 345,000'. @param {Level[]} levels of a side @param {boolean} isComplete @param {any} market */
function beyond(levels, isComplete, market) {
  const more = levels.length - ROWS;
  if (more <= 0) return '';
  const total = fixed(levels[levels.length - 1].total, sizeDecimals(market));
  return `${isComplete ? '' : 'at least '}${grouped(more)} more ${more === 1 ? 'level' : 'levels'}, total ${total}`;
}

/** @param {string} text */
const trimmed = (text) => (text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text);

/** @param {{ side: 'buy' | 'sell' }} props */
function Row({ side }) {
  return html`<div class=${`level ${side}side`} role="row"><span class=${`price ${side}`} role="cell"></span><span class="size" role="cell"></span>
    <span class="total ink2" role="cell"><i class="bar" aria-hidden="true"></i><b></b></span><span class="yours" role="cell"></span></div>`;
}

/** @param {HTMLElement} row @param {Level | undefined} level @param {number} most @param {any} market */
function write(row, level, most, market) {
  const decimals = sizeDecimals(market);
  put(row, '.price', level === undefined ? '' : fixed(level.price, priceDecimals(market)));
  put(row, '.size', level === undefined ? '' : fixed(level.size, decimals));
  put(row, '.total b', level === undefined ? '' : fixed(level.total, decimals));
  put(row, '.yours', level === undefined || level.own === 0 ? '' : fixed(level.own, decimals));
  const bar = /** @type {HTMLElement} */ (row.querySelector('.bar'));
  bar.style.width = level === undefined || most === 0 ? '0' : `${Math.round((level.total / most) * 100)}%`;
}

/** All levels of a side, the best first. @param {Map<string, string>} levels @param {'BUY' | 'SELL'} side @param {number} group @param {Map<string, number>} own @returns {Level[]} */
function levelsOf(levels, side, group, own) {
  /** @type {Map<number, number>} */
  const sizes = new Map();
  for (const [price, size] of levels) {
    const at = groupOf(Number(price), side, group);
    sizes.set(at, (sizes.get(at) ?? 0) + Number(size));
  }
  const sorted = [...sizes].sort(([a], [b]) => (side === 'BUY' ? b - a : a - b));
  let total = 0;
  return sorted.map(([at, size]) => {
    total += size;
    return { price: at * group, size, total, own: own.get(`${side} ${at}`) ?? 0 };
  });
}

/** Bids round down and asks up, so that a row is never better than what is in it. @param {number} price @param {string} side @param {number} group */
function groupOf(price, side, group) {
  const exact = price / group;
  return side === 'BUY' ? Math.floor(exact + 1e-6) : Math.ceil(exact - 1e-6);
}

/** By side and row, what the account itself shows there. @param {any[]} orders @param {number} group */
function ownSizes(orders, group) {
  /** @type {Map<string, number>} */
  const sizes = new Map();
  for (const order of orders) {
    const isPeg = order.kind === 'peg';
    const price = isPeg ? order.details?.progress?.price : order.price;
    if (order.state !== 'working' || isWaiting(order) || price === null || order.kind === 'twap') continue;
    const key = `${order.side} ${groupOf(Number(price), order.side, group)}`;
    const shown = Number(isPeg ? order.details.progress.displayedSize : order.remaining);
    sizes.set(key, (sizes.get(key) ?? 0) + shown);
  }
  return sizes;
}
