/** What was different at a moment from now: prices, money and orders. */
import { kindOf } from '../../story/words.js';
import { fixed, grouped, NONE, signed } from '../format.js';
import { priceDecimals, priceText, sizeText } from '../orders.js';
import { liveTickers, markets } from '../store.js';
import { html } from '../ui.js';
import { WORTH, worthOf } from '../worth.js';
import { OrderId } from './parts.js';

/** @param {{ then: any, present: any, market: any, seq: number }} props */
export function Differs({ then, present, market, seq }) {
  const finer = priceDecimals(market) + 1;
  const price = (/** @type {any} */ value, decimals = priceDecimals(market)) =>
    value === null || value === undefined ? NONE : fixed(Number(value), decimals);
  const compared = [
    priceRow('Last', then.ticker?.last, present.ticker?.last, priceDecimals(market)),
    priceRow('Index', then.ticker?.index, present.ticker?.index, finer),
    priceRow('Mark', then.ticker?.mark, present.ticker?.mark, finer),
    {
      name: 'Best bid × ask',
      was: `${price(then.ticker?.bid?.price)} × ${price(then.ticker?.ask?.price)}`,
      now: `${price(present.ticker?.bid?.price)} × ${price(present.ticker?.ask?.price)}`,
      since: '',
    },
    ...moneyRows(then.balances ?? {}, present.balances ?? {}),
    {
      name: 'Open orders',
      was: String(then.orders.length),
      now: String(present.orders.length),
      since: since(then.orders.length, present.orders.length, 0),
    },
    ...orderRows(then.orders, present),
  ];
  const rows = compared.filter((row) => row.was !== row.now);
  // Orders are listed if they differ, everything else either way.
  const same = compared.filter(
    (row) => row.was === row.now && row.key === undefined && !/^(\u2013|[0.]+)$/.test(row.was),
  );
  if (rows.length === 0)
    return html`<p class="empty-row">Nothing that this page compares: prices, money and orders are as now.</p>`;
  return html`<table class="differs"><caption>What differs between seq ${seq} and now</caption>
    <thead><tr><th scope="col"></th><th scope="col" class="r log-head">seq ${grouped(seq)}</th><th scope="col" class="r">now</th><th scope="col" class="r c2">since</th></tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${row.key ?? row.name}><td>${row.name}</td><td class="r then">${row.was}</td><td class="r">${row.now}</td><td class="r c2 ink2">${row.since}</td></tr>`)}</tbody></table>
    ${same.length > 0 && html`<p class="empty-row ink2 as-now">As now: ${same.map(({ name, was }) => `${name} ${was}`).join(' · ')}</p>`}`;
}

/** @typedef {{ key?: string, name: any, was: string, now: string, since: string }} Difference */

/** @param {string} name @param {any} a @param {any} b @param {number} decimals @returns {Difference} */
function priceRow(name, a, b, decimals) {
  const text = (/** @type {any} */ value) =>
    value === null || value === undefined ? NONE : fixed(Number(value), decimals);
  return { name, was: text(a), now: text(b), since: a && b ? since(Number(a), Number(b), decimals) : '' };
}

/** @param {number} a @param {number} b @param {number} decimals */
const since = (a, b, decimals) => signed((b - a).toFixed(decimals));

/** @param {any} then @param {any} present @returns {Difference[]} */
function moneyRows(then, present) {
  const codes = [...new Set([...Object.keys(then), ...Object.keys(present)])];
  const each = codes.flatMap((code) => {
    const [a, b] = [then[code], present[code]];
    const decimals = code.startsWith('USD') ? 2 : 8;
    const row = (/** @type {string} */ label, /** @type {(balance: any) => number} */ of) => {
      const [x, y] = [a === undefined ? 0 : of(a), b === undefined ? 0 : of(b)];
      return {
        name: `${label} ${code}`,
        was: fixed(x, decimals),
        now: fixed(y, decimals),
        since: since(x, y, decimals),
      };
    };
    return [
      row('Equity in', (balance) => Number(balance.total) + Number(balance.unrealised)),
      row('Unrealised in', (balance) => Number(balance.unrealised)),
    ];
  });
  const [a, b] = [then, present].map((balances) => worthOf(balances, liveTickers.value));
  if (a === null || b === null) return each;
  const name = `All money in ${WORTH}, at the prices of now`;
  return [{ name, was: fixed(a, 2), now: fixed(b, 2), since: since(a, b, 2) }, ...each];
}

/** Orders that were different, or are not there any more. @param {any[]} then @param {any} present @returns {Difference[]} */
function orderRows(then, present) {
  const live = new Map(present.orders.map((/** @type {any} */ order) => [order.orderId, order]));
  const ended = new Map(present.ended.map((/** @type {any} */ order) => [order.orderId, order]));
  const before = new Map(then.map((order) => [order.orderId, order]));
  const ids = [...new Set([...before.keys(), ...live.keys()])];
  return ids
    .map((id) => {
      const [a, b] = [before.get(id), live.get(id)];
      const order = a ?? b;
      const gone = ended.get(id)?.ended ?? 'ended';
      return {
        key: id,
        name: html`${kindOf(order)} <${OrderId} id=${id} />`,
        was: a === undefined ? 'not there yet' : briefly(a),
        now: b === undefined ? gone : briefly(b),
        since: '',
      };
    })
    .slice(0, 40);
}

/** @param {any} order */
function briefly(order) {
  const { progress = {} } = order.details ?? {};
  const market = markets.value.get(order.symbol);
  if (order.kind === 'twap')
    return progress.pausedBy
      ? `paused at part ${progress.childrenDone + 1}`
      : `${progress.childrenDone} of ${progress.children}`;
  if (order.trigger !== null && !order.trigger.fired) return `waits at ${priceText(market, order.trigger.price)}`;
  return Number(order.filled) > 0 ? `${order.state}, ${sizeText(market, order.filled)} filled` : order.state;
}
