/**
 * The price while an order lived, with the order's own levels and what happened to it. The line goes through the prices of its
 * story, and through the closes of the minutes without any. Behind it is the range of each minute, because a line of so few
 * prices leaves out the others. Its facts are in the table below it.
 */
import { useCandles } from '../candles.js';
import { secondsText } from '../format.js';
import { priceText } from '../orders.js';
import { now } from '../store.js';
import { html } from '../ui.js';
import { Pause } from './icons.js';

/** Shares of the width and the height that are drawn on. */
const [LEFT, WIDTH, TOP, HEIGHT] = [0.01, 0.87, 0.12, 0.76];
const TIMES = 5;
const NEAR = 0.13;
/** As a share of the price. */
const FAR = 0.05;

/** @param {{ order: any, accepted: any, rows: any[], market: any }} props `rows`: each happening alone. `accepted`: its first event */
export function PricePicture({ order, accepted, rows, market }) {
  const happened = rows.filter(({ seq, price }) => seq !== null && price !== null);
  // After a return to a saved state the clock is earlier again.
  const nowMs = now.peek()?.timeMs ?? 0;
  const all = rows.map(({ time }) => time);
  const [from, to] = [Math.min(...all), Math.max(...all)];
  const candles = useCandles(order.symbol, 1);
  if (happened.length === 0 || to <= from) return null;
  const lastOf = (/** @type {any[]} */ some) => some.map(({ time, price }) => ({ time, price: Number(price) }));
  const left = lastOf(happened.filter(({ leftBranch }) => leftBranch));
  const minutes = candles.value.filter(({ startMs, endMs }) => startMs >= from && Math.min(endMs, nowMs) <= to);
  const isQuiet = (/** @type {{ startMs: number, endMs: number }} */ { startMs, endMs }) =>
    happened.every(({ time }) => time < startMs || time > endMs);
  const points = [
    ...minutes.filter(isQuiet).map(({ endMs, close }) => ({ time: Math.min(endMs, nowMs), price: close })),
    ...lastOf(happened.filter(({ leftBranch }) => !leftBranch)),
  ].sort((a, b) => a.time - b.time);
  const levels = levelsOf(order, accepted, points);
  const prices = [
    ...[...points, ...left, ...levels].map(({ price }) => price),
    ...minutes.flatMap(({ low, high }) => [low, high]),
  ];
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const x = (/** @type {number} */ time) => LEFT + (WIDTH * (time - from)) / (to - from);
  const y = (/** @type {number} */ price) => TOP + HEIGHT * (high === low ? 0.5 : (high - price) / (high - low));
  // Last stays as it is until the next trade: steps.
  const line = (/** @type {{ time: number, price: number }[]} */ of) =>
    of
      .map(({ time, price }, i) => {
        const [across, down] = [(x(time) * 1000).toFixed(1), (y(price) * 100).toFixed(2)];
        return i === 0 ? `M${across} ${down}` : `H${across}V${down}`;
      })
      .join('');
  const axis = [...new Set([high, low])].filter((price) =>
    levels.every((level) => Math.abs(y(level.price) - y(price)) >= NEAR),
  );
  const marks = happened.filter(({ kind }) => ['trade', 'fired', 'paused'].includes(kind)).slice(0, 200);
  const tone = order.side === 'BUY' ? 'buy' : 'sell';
  const place = (/** @type {number} */ time, /** @type {number} */ price) => ({
    left: `${(x(time) * 100).toFixed(2)}%`,
    top: `${(y(price) * 100).toFixed(2)}%`,
  });
  const times = Array.from({ length: TIMES }, (_, i) => from + ((to - from) * i) / (TIMES - 1));
  return html`<figure class="price-picture" role="img" aria-label=${`Price of ${order.symbol} while the order lived. Its facts are in the table below.`}>
    <div class="plot">
      <svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
        ${minutes.map(({ startMs, endMs, low, high: top }) => html`<rect key=${startMs} class="range" x=${x(startMs) * 1000} width=${(x(Math.min(endMs, nowMs)) - x(startMs)) * 1000} y=${y(top) * 100} height=${(y(low) - y(top)) * 100} />`)}
        ${levels.map(({ price, isTrigger, name }) => html`<line key=${name} class=${`${tone} ${isTrigger ? 'dashed' : ''}`} x1=${LEFT * 1000} x2=${(LEFT + WIDTH) * 1000} y1=${y(price) * 100} y2=${y(price) * 100} />`)}
        <path class="left-branch" d=${line(left)} />
        <path d=${line(points)} />
        ${happened.filter(({ kind, leftBranch }) => kind === 'fired' && !leftBranch).map(({ seq, time }) => html`<line key=${seq} class="moment" x1=${x(time) * 1000} x2=${x(time) * 1000} y1="0" y2="100" />`)}
      </svg>
      ${levels.map(({ name, price }, i) => html`<span key=${name} class=${`level ${tone}`} style=${{ top: `${(labelY(levels, i, y) * 100).toFixed(2)}%` }}><span class="name">${name}</span><b>${priceText(market, price)}</b></span>`)}
      ${axis.map((price) => html`<span key=${price} class="level ink2" style=${{ top: `${(y(price) * 100).toFixed(2)}%` }}><span></span><b>${priceText(market, price)}</b></span>`)}
      ${marks.map(({ seq, n, kind, time, price, leftBranch }) => html`<i key=${`${seq} ${n} ${kind} ${time}`} class=${`spot of-${kind} ${kind === 'paused' ? 'warn' : tone} ${leftBranch ? 'left-branch' : ''}`} style=${place(time, Number(price))} aria-hidden="true">${kind === 'paused' && html`<${Pause} />`}</i>`)}
    </div>
    <div class="times ink3" aria-hidden="true">${times.map((time, i) => html`<span key=${i} style=${{ left: `${(x(time) * 100).toFixed(2)}%` }}>${secondsText(time)}</span>`)}</div>
  </figure>`;
}

/** Labels of levels keep a distance. @param {any[]} levels @param {number} i @param {(price: number) => number} y @returns {number} */
function labelY(levels, i, y) {
  const own = y(levels[i].price);
  if (i === 0) return own;
  const before = labelY(levels, i - 1, y);
  return Math.max(own, before + NEAR);
}

/**
 * The prices that the order names, the highest first.
 * @param {any} order @param {any} accepted @param {{ price: number }[]} points
 */
function levelsOf(order, accepted, points) {
  const given = [
    { name: 'trigger', price: order.trigger?.price, isTrigger: true },
    { name: 'limit', price: order.price, isTrigger: false },
    {
      name: `pauses ${order.side === 'BUY' ? 'above' : 'below'}`,
      price: accepted?.twap?.pausePrice ?? null,
      isTrigger: true,
    },
  ];
  /** @type {Map<number, { name: string, price: number, isTrigger: boolean }>} */
  const levels = new Map();
  // One that is far away would press the price flat.
  const middle = points[Math.floor(points.length / 2)]?.price ?? 0;
  for (const { name, price, isTrigger } of given) {
    const at = Number(price ?? 0);
    if (at === 0 || Math.abs(at - middle) >= middle * FAR) continue;
    const same = levels.get(at);
    levels.set(at, same === undefined ? { name, price: at, isTrigger } : { ...same, name: `${same.name} and ${name}` });
  }
  return [...levels.values()].sort((a, b) => b.price - a.price);
}
