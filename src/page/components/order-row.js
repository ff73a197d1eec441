/** One open order as a row of 56: what it is, what it is doing, a picture of that, and what comes next. */
import { grouped, lengthText, momentText } from '../format.js';
import {
  deviationText,
  distanceOf,
  dueOf,
  gapText,
  isWaiting,
  kindOf,
  pauseWords,
  priceText,
  sizeDecimals,
  sizeOf,
  sizeText,
} from '../orders.js';
import { go } from '../router.js';
import { html } from '../ui.js';
import { Both, Diamond, Pause, Rests, SideMark, Steps, Waves } from './icons.js';
import { OrderId, rowProps } from './parts.js';
import { Bar, Parts, Scale } from './tracks.js';

/**
 * @typedef {{ icon: any, title: any, tone?: string, detail: any, picture: any, caption?: any, next: any, since: any }} Doing
 * @param {{ order: any, sibling?: any, market: any, ticker: any, nowMs: number }} props `sibling`: the other leg of an OCO
 */
export function OrderRow({ order, sibling, market, ticker, nowMs }) {
  const {
    icon,
    title,
    tone = '',
    detail,
    picture,
    caption,
    next,
    since,
  } = doing(order, sibling, market, ticker, nowMs);
  const isBuy = order.side === 'BUY';
  const kind = sibling === undefined ? kindOf(order) : 'OCO';
  const terms = termsOf(order);
  return html`<li class="order-row" data-row aria-label=${`${order.side} ${sizeOf(order, market)} ${order.symbol}, ${kind}`} ...${rowProps(() => go(`/orders/${order.orderId}`))}>
    <div class="what"><p><span class=${`side ${isBuy ? 'buy' : 'sell'}`}><${SideMark} side=${order.side} />${order.side}</span> <b>${sizeOf(order, market)}</b> <span class="ink2">${order.symbol}</span></p>
      <p class="ink2 sub">${[kind, ...terms].join(', ')} · <${OrderId} id=${order.orderId} /></p></div>
    <div class="state"><p class=${`${tone} strong`}>${icon}<span>${title}</span></p><p class="ink2 sub">${detail}</p></div>
    <div class="picture">${picture}${caption !== undefined && html`<p class="ink2 caption">${caption}</p>`}</div>
    <div class="next"><p class="strong">${next}</p><p class="ink2 sub">${since}</p></div>
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

/** @param {any} order @param {any} sibling @param {any} market @param {any} ticker @param {number} nowMs @returns {Doing} */
function doing(order, sibling, market, ticker, nowMs) {
  const tone = order.side === 'BUY' ? 'buy' : 'sell';
  const since = `since ${momentText(order.createdMs, nowMs)}`;
  const { terms = {}, progress = {} } = order.details ?? {};
  const price = (/** @type {any} */ value) => priceText(market, value);
  const last = Number(ticker?.last ?? 0);
  const lastPoint = { price: last, name: 'last', text: price(ticker?.last), mark: /** @type {const} */ ('dot') };
  if (order.kind === 'twap') return twap(order, market, nowMs, tone);
  if (sibling !== undefined) {
    const [limit, stop] = isWaiting(order) ? [sibling, order] : [order, sibling];
    const [up, down] = [Number(limit.price) - last, last - Number(stop.trigger?.price ?? 0)];
    return {
      icon: html`<${Both} />`,
      title: 'both legs live',
      detail: stop.trigger?.limit
        ? `the stop becomes a limit at ${price(stop.trigger.limit)}`
        : 'the stop becomes a market order',
      picture: html`<${Scale} points=${[
        { price: Number(stop.trigger?.price), name: 'stop', text: price(stop.trigger?.price), mark: 'trigger', tone },
        lastPoint,
        { price: Number(limit.price), name: 'take-profit', text: price(limit.price), mark: 'bar', tone },
      ]} />`,
      next: `${gapText(market, up)} to profit, ${gapText(market, down)} to stop`,
      since,
    };
  }
  if (order.kind === 'trailing') {
    if (!progress.armed)
      return {
        icon: html`<${Steps} />`,
        title: 'not armed',
        detail: terms.activation ? `armed when ${price(terms.activation)} is reached` : 'waits for a price',
        picture: null,
        next: '',
        since,
      };
    const side = order.side === 'SELL' ? 'high' : 'low';
    return {
      icon: html`<${Steps} />`,
      title: `follows the ${side}`,
      detail: `fires when ${order.trigger.reference} touches the stop`,
      picture: html`<${Scale} points=${[
        { price: Number(order.trigger.price), name: 'stop', text: price(order.trigger.price), mark: 'trigger', tone },
        {
          price: Number(ticker?.[order.trigger.reference] ?? 0),
          name: order.trigger.reference,
          text: price(ticker?.[order.trigger.reference]),
          mark: 'dot',
        },
        { price: Number(progress.extreme), name: side, text: price(progress.extreme), mark: 'bar' },
      ]} />`,
      next: `${gapText(market, Number(distanceOf(order, ticker) ?? 0))} to go`,
      since,
    };
  }
  if (order.kind === 'peg') {
    const [shown, left] = [Number(progress.displayedSize ?? 0), Number(order.remaining)];
    return {
      icon: html`<${Waves} />`,
      title: progress.waitingFor ? 'waits for an index' : 'follows the index',
      detail: progress.price
        ? `now ${price(progress.price)}, ${order.side === 'BUY' ? 'at most' : 'at least'} ${price(order.price)}`
        : `limit ${price(order.price)}`,
      picture: html`<${Bar} shares=${[{ of: shown, kind: tone }, { of: left - shown, kind: `hidden ${tone}` }]} />`,
      caption: `${sizeText(market, progress.displayedSize)} shown, ${sizeText(market, (left - shown).toFixed(sizeDecimals(market)))} hidden`,
      next: awayWords(market, distanceOf(order, ticker)),
      since,
    };
  }
  if (isWaiting(order)) {
    const { reference, above, price: trigger, limit } = order.trigger;
    const now = ticker?.[reference];
    return {
      icon: html`<${Diamond} />`,
      title: `waits for ${reference}`,
      detail: `fires at or ${above ? 'above' : 'below'} ${price(trigger)}${limit ? `, limit ${price(limit)}` : ''}`,
      picture: html`<${Scale} points=${[
        { price: Number(trigger), name: 'trigger', text: price(trigger), mark: 'trigger', tone },
        { price: Number(now ?? 0), name: reference, text: price(now), mark: 'dot' },
      ]} />`,
      next: `${gapText(market, Number(distanceOf(order, ticker) ?? 0))} to go`,
      since,
    };
  }
  const { queue } = order;
  const place = queue ? (Number(queue.ahead) === 0 ? ', first in its queue' : '') : '';
  return {
    icon: html`<${Rests} />`,
    title: 'rests in the book',
    detail: `at ${price(order.price)}${place}`,
    picture: queue
      ? html`<${Bar} shares=${[
          { of: Number(queue.ahead), kind: 'others' },
          { of: Number(queue.own), kind: tone },
          { of: Number(queue.behind), kind: 'open' },
        ]} />`
      : null,
    caption: queue
      ? `${sizeText(market, queue.ahead)} ahead, ${sizeText(market, queue.own)} yours, ${sizeText(market, queue.behind)} behind`
      : undefined,
    next: awayWords(market, distanceOf(order, ticker)),
    since: Number(order.filled) > 0 ? `filled ${sizeText(market, order.filled)} · ${since}` : since,
  };
}

/** @param {any} order @param {any} market @param {number} nowMs @param {string} tone @returns {Doing} */
function twap(order, market, nowMs, tone) {
  const { children, childrenDone, pausedBy } = order.details.progress;
  const due = dueOf(order);
  const left = children - childrenDone;
  const filled = order.quoteFilled === undefined ? sizeText(market, order.filled) : grouped(order.quoteFilled);
  return {
    icon: pausedBy ? html`<${Pause} />` : html`<${Steps} />`,
    title: pausedBy ? `paused by ${pausedBy === 'ownOrder' ? 'an own order' : `the ${pausedBy}`}` : 'trades in parts',
    tone: pausedBy ? 'warn' : '',
    detail: pausedBy ? pauseWords(pausedBy) : `one every ${lengthText(order.details.terms.periodMs / children)}`,
    picture: html`<${Parts} done=${childrenDone} of=${children} tone=${tone} />`,
    caption: `${childrenDone} done, ${left} to come · filled ${filled}`,
    next: due === null ? 'waits' : `next part ${momentText(due, nowMs)}`,
    since: due === null ? '' : `in ${lengthText(Math.max(0, due - nowMs))}`,
  };
}

/** @param {any} market @param {number | null} distance */
function awayWords(market, distance) {
  if (distance === null) return '';
  return `${gapText(market, distance)} ${distance > 0 ? 'above' : 'below'} last`;
}
