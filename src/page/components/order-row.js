/** One open order as a row of 56: what it is, what it is doing, a picture of that, and what comes next. */
import { kindOf } from '../../story/words.js';
import { grouped, lengthText, momentText } from '../format.js';
import {
  deviationText,
  distanceOf,
  doingOf,
  dueOf,
  extremeOf,
  gapText,
  isWaiting,
  pegSizes,
  priceText,
  sizeOf,
  sizeText,
} from '../orders.js';
import { useParts } from '../parts-of-twap.js';
import { go, pastSeq } from '../router.js';
import { html } from '../ui.js';
import { CancelOrder } from './cancel-order.js';
import { Both, Diamond, Pause, Rests, SideMark, Steps, Waves } from './icons.js';
import { Foreign, OrderId, rowProps } from './parts.js';
import { Bar, Parts, Scale } from './tracks.js';

/** @typedef {import('../parts-of-twap.js').Part} Part */

/** @param {{ order: any, sibling?: any, market: any, ticker: any, nowMs: number }} props `sibling`: the other leg of an OCO */
export function OrderRow({ order, sibling, market, ticker, nowMs }) {
  const parts = useParts(order);
  const { title, detail, isPaused } = doingOf(order, market, nowMs, sibling);
  const { icon, picture, caption, next, since } = pictureOf({ order, sibling, market, ticker, nowMs, parts });
  const isBuy = order.side === 'BUY';
  const kind = sibling === undefined ? kindOf(order) : 'OCO';
  const why = isPaused ? parts.findLast(({ state }) => state === 'skipped')?.why : undefined;
  return html`<li class="order-row" data-row aria-label=${`${order.side} ${sizeOf(order, market)} ${order.symbol}, ${kind}`} ...${rowProps(() => go(`/orders/${order.orderId}`))}>
    <div class="what"><p><span class=${`side ${isBuy ? 'buy' : 'sell'}`}><${SideMark} side=${order.side} />${order.side}</span> <b>${sizeOf(order, market)}</b> <span class="ink2">${order.symbol}</span></p>
      <p class="ink2 sub">${[kind, ...termsOf(order)].join(', ')} · <${OrderId} id=${order.orderId} />${order.clientId ? html` · <code><${Foreign} text=${order.clientId} /></code>` : ''}</p></div>
    <div class="state"><p class=${`${isPaused ? 'warn' : ''} strong`}>${icon}<span>${title}</span></p><p class="ink2 sub" title=${why ?? detail}>${why ?? detail}</p></div>
    <div class="picture">${picture}${caption !== undefined && html`<p class="ink2 caption">${caption}</p>`}</div>
    <div class="next"><p class="strong">${next}</p><p class="ink2 sub">${since}</p></div>
    <${CancelOrder} id=${order.orderId} account=${order.account} symbol=${order.symbol} />
  </li>`;
}

/** What was asked for beside size and price. @param {any} order @returns {string[]} */
function termsOf(order) {
  const { terms = {} } = order.details ?? {};
  const own = {
    twap: [`over ${lengthText(terms.periodMs ?? 0)}`],
    trailing: [terms.percent ? `${terms.percent} %` : `distance ${grouped(terms.distance)}`],
    peg: [`index ${deviationText(terms.deviation)}`],
    limit: [order.timeInForce, order.postOnly && 'post-only'],
  };
  return [...(own[/** @type {'limit'} */ (order.kind)] ?? []), order.reduceOnly && 'reduce-only'].filter(Boolean);
}

/**
 * @param {{ order: any, sibling: any, market: any, ticker: any, nowMs: number, parts: readonly Part[] }} props
 * @returns {{ icon: any, picture: any, caption?: string, next: string, since: string }}
 */
function pictureOf({ order, sibling, market, ticker, nowMs, parts }) {
  const tone = order.side === 'BUY' ? 'buy' : 'sell';
  const { progress = {} } = order.details ?? {};
  const price = (/** @type {any} */ value) => priceText(market, value);
  const usual = {
    next: awayWords(market, distanceOf(order, ticker)),
    since: `since ${momentText(order.createdMs, nowMs)}`,
  };
  if (order.kind === 'twap') return twapPicture({ order, market, nowMs, parts, tone });
  if (sibling !== undefined) {
    const [limit, stop] = isWaiting(order) ? [sibling, order] : [order, sibling];
    const last = Number(ticker?.last ?? 0);
    const [up, down] = [Number(limit.price) - last, last - Number(stop.trigger?.price ?? 0)];
    return {
      ...usual,
      icon: html`<${Both} />`,
      picture: html`<${Scale} points=${[
        { price: Number(stop.trigger?.price), name: 'stop', text: price(stop.trigger?.price), mark: 'trigger', tone },
        { price: last, name: 'last', text: price(ticker?.last), mark: 'dot' },
        { price: Number(limit.price), name: 'take-profit', text: price(limit.price), mark: 'bar', tone },
      ]} />`,
      next: `${gapText(market, up)} to profit, ${gapText(market, down)} to stop`,
    };
  }
  if (order.kind === 'trailing' && !progress.armed)
    return { ...usual, icon: html`<${Steps} />`, picture: null, next: '' };
  if (isWaiting(order)) {
    const isTrailing = order.kind === 'trailing';
    const { reference, price: trigger } = order.trigger;
    const now = ticker?.[reference];
    const side = extremeOf(order);
    return {
      ...usual,
      icon: isTrailing ? html`<${Steps} />` : html`<${Diamond} />`,
      picture: html`<${Scale} points=${[
        { price: Number(trigger), name: isTrailing ? 'stop' : 'trigger', text: price(trigger), mark: 'trigger', tone },
        { price: Number(now ?? 0), name: reference, text: price(now), mark: 'dot' },
        ...(isTrailing
          ? [{ price: Number(progress.extreme), name: side, text: price(progress.extreme), mark: 'bar' }]
          : []),
      ]} />`,
      next: `${gapText(market, Number(distanceOf(order, ticker) ?? 0))} to go`,
    };
  }
  if (order.kind === 'peg') {
    const [shown, hidden] = pegSizes(order);
    return {
      ...usual,
      icon: html`<${Waves} />`,
      picture: html`<${Bar} shares=${[{ of: Number(shown), kind: tone }, { of: Number(hidden), kind: `hidden ${tone}` }]} />`,
      caption: `${sizeText(market, shown)} shown, ${sizeText(market, hidden)} hidden`,
    };
  }
  const { queue } = order;
  return {
    ...usual,
    icon: html`<${Rests} />`,
    picture: queue
      ? html`<${Bar} shares=${[
          { of: Number(queue.ahead), kind: 'others' },
          { of: Number(queue.own), kind: tone },
          { of: Number(queue.behind), kind: 'open' },
        ]} />`
      : null,
    caption: queue
      ? `${sizeText(market, queue.ahead)} ahead, ${sizeText(market, queue.own)} yours, ${sizeText(market, queue.behind)} behind`
      : pastSeq.value === null
        ? undefined
        : 'its place in the queue is only known of now',
    since: Number(order.filled) > 0 ? `filled ${sizeText(market, order.filled)} · ${usual.since}` : usual.since,
  };
}

/** @param {{ order: any, market: any, nowMs: number, parts: readonly Part[], tone: string }} props */
function twapPicture({ order, market, nowMs, parts, tone }) {
  const { children, childrenDone, pausedBy } = order.details.progress;
  const due = dueOf(order);
  const skipped = parts.filter(({ state }) => state === 'skipped').length;
  const filled = order.quoteFilled === undefined ? sizeText(market, order.filled) : grouped(order.quoteFilled);
  const counts = [
    skipped === 0 ? `${childrenDone} done` : `${childrenDone - skipped} traded, ${skipped} skipped`,
    `${children - childrenDone} to come`,
  ];
  return {
    icon: pausedBy ? html`<${Pause} />` : html`<${Steps} />`,
    picture: html`<${Parts} parts=${parts} done=${childrenDone} of=${children} hasNext=${due !== null} tone=${tone} />`,
    caption: `${counts.join(', ')} · filled ${filled}`,
    next: due === null ? 'waits' : `next part ${momentText(due, nowMs)}`,
    since: due === null ? '' : `in ${lengthText(Math.max(0, due - nowMs))}`,
  };
}

/** @param {any} market @param {number | null} distance */
function awayWords(market, distance) {
  if (distance === null) return '';
  const gap = gapText(market, distance);
  return Number(gap.replaceAll(',', '')) === 0 ? 'at last' : `${gap} ${distance > 0 ? 'above' : 'below'} last`;
}
