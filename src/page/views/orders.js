/** The orders of an account; and of one order, its story. */
import { kindOf } from '../../story/words.js';
import { useAllOrders } from '../all-orders.js';
import { AccountPicker } from '../components/account-picker.js';
import { CancelOrder } from '../components/cancel-order.js';
import { SideMark } from '../components/icons.js';
import { CutOrders, Foreign, Loading, OrderId, Pane, Segments, Seq, Table } from '../components/parts.js';
import { grouped, momentText } from '../format.js';
import { doingText, endedFilled, filledOf, placedPrice, priceOf, priceText, sizeOf } from '../orders.js';
import { go, pastSeq, subject } from '../router.js';
import { account, markets, moment } from '../store.js';
import { html, useSignal } from '../ui.js';
import { Story } from './story.js';

const MOST_ROWS = 200;

export function OrdersView() {
  const id = subject.value;
  if (id !== null) return html`<${Story} key=${id} id=${id} />`;
  const name = account.value;
  if (name === null)
    return html`<div class="lone"><h1>No orders yet</h1><p>There is no account yet. An account comes first: <a class="plain" href="/account">Account</a> shows how.</p></div>`;
  return html`<${List} key=${name} name=${name} />`;
}

/** @param {{ name: string }} props */
function List({ name }) {
  const { open, ended, complete, isKnown, problem, isBusy, more, path } = useAllOrders(name);
  const which = useSignal('all');
  const nowMs = moment.value?.timeMs ?? 0;
  const market = (/** @type {any} */ order) => markets.value.get(order.symbol);
  const count = (/** @type {number} */ known) => `${grouped(known)}${more === null ? '' : '+'}`;
  const all = { all: [...open, ...ended], open, ended }[/** @type {'all'} */ (which.value)];
  const rows = [...all].sort((a, b) => b.seq - a.seq || (a.orderId < b.orderId ? 1 : -1));
  const price = (/** @type {any} */ order) => {
    if (!order.live) return placedPrice(order, market(order));
    const shown = priceOf(order).price;
    return priceText(market(order), Number(shown) === 0 ? null : shown);
  };
  const columns = [
    { title: 'Placed at', cell: (/** @type {any} */ order) => html`<${Seq} seq=${order.seq} />`, class: 'o-seq' },
    {
      title: 'Venue time',
      class: 'ink2 o-time',
      cell: (/** @type {any} */ order) => momentText(order.createdMs, nowMs),
    },
    { title: 'Order', cell: (/** @type {any} */ order) => html`<${OrderId} id=${order.orderId} />`, class: 'o-id' },
    {
      title: 'Client id',
      class: 'ink2 o-client',
      cell: (/** @type {any} */ order) => html`<${Foreign} text=${order.clientId} />`,
    },
    { title: 'Market', class: 'o-market', cell: (/** @type {any} */ order) => order.symbol },
    { title: 'Kind', cell: kindOf, class: 'o-kind' },
    {
      title: 'Side',
      class: 'o-side',
      cell: (/** @type {any} */ order) =>
        html`<span class=${`side ${order.side === 'BUY' ? 'buy' : 'sell'}`}><${SideMark} side=${order.side} />${order.side}</span>`,
    },
    { title: 'Size', right: true, cell: (/** @type {any} */ order) => sizeOf(order, market(order)), class: 'o-size' },
    {
      title: 'Filled',
      right: true,
      class: 'o-filled',
      cell: (/** @type {any} */ order) =>
        order.live ? filledOf(order, market(order)) : endedFilled(order, market(order)),
    },
    { title: 'Price or trigger', right: true, cell: price, class: 'o-price strong' },
    {
      title: 'How it is',
      class: 'o-state',
      cell: (/** @type {any} */ order) =>
        order.live ? doingText(order, market(order), nowMs) : html`<span class="ink2">${order.ended}</span>`,
    },
    {
      title: html`<span class="sr">Cancel</span>`,
      class: 'o-cancel',
      cell: (/** @type {any} */ order) =>
        order.live && html`<${CancelOrder} id=${order.orderId} account=${name} symbol=${order.symbol} />`,
    },
  ];
  return html`<${Pane} class="order-list" label=${`Orders of ${name}`} title=${html`<span>Orders of </span><${AccountPicker} />`}
    note="the latest first; each has its story"
    end=${html`<${Segments} label="Which orders" choices=${[
      ['all', `all ${count(open.length + ended.length)}`],
      ['open', `open ${grouped(open.length)}`],
      ['ended', `ended ${count(ended.length)}`],
    ]} chosen=${which.value} onChoose=${(/** @type {string} */ each) => {
      which.value = each;
    }} />`}
    call=${{ method: 'GET', path }}>
    ${
      !isKnown
        ? html`<${Loading} what="the orders" />`
        : html`<${Table} class="stories" caption=${`Orders of ${name}`} columns=${columns} rows=${rows.slice(0, MOST_ROWS)} keyOf=${(/** @type {any} */ order) => order.orderId}
      open=${(/** @type {any} */ order) => go(`/orders/${order.orderId}`)}
      empty=${emptyText(name, which.value, open.length + ended.length)} />`
    }
    <${CutOrders} orders=${{ complete }} path=${`/accounts/${encodeURIComponent(name)}`} />
    ${rows.length > MOST_ROWS && html`<p class="empty-row">${grouped(rows.length - MOST_ROWS)} older ones. The Go-to box finds each by its id.</p>`}
  </${Pane}>
  <div class="list-note ink2"><p>${
    more === null
      ? `These are all orders of ${name}.`
      : html`There are older ones. The Go-to box (<kbd>/</kbd>) finds any order by its id, however long ago it ended.`
  }${pastSeq.value !== null && html` Open, ended and counted as of seq <${Seq} seq=${pastSeq.value} />.`}</p>
    ${problem !== '' && html`<p class="problem">${problem}</p>`}
    ${more !== null && html`<button type="button" class="button" aria-busy=${isBusy} onClick=${more}>Look further back</button>`}</div>`;
}

/** @param {string} name @param {string} which @param {number} all */
function emptyText(name, which, all) {
  if (which === 'ended')
    return `No order of ${name} that is known here has ended. The Go-to box finds older ones by their id.`;
  if (all > 0) return `${name} has no open order, but ${grouped(all)} that ended: choose all.`;
  return `${name} has no order yet. What its bot places appears here at once.`;
}
