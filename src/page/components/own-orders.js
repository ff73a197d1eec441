/** The chosen account's orders and position in one market, in words. */
import { kindOf } from '../../story/words.js';
import { fixed, grouped, NONE, percent, signed, startOfDay } from '../format.js';
import {
  distanceOf,
  doingText,
  filledOf,
  gapText,
  inBase,
  priceDecimals,
  priceOf,
  priceText,
  sizeOf,
} from '../orders.js';
import { isNearLiquidation, liquidationDistance } from '../positions.js';
import { useQueues } from '../queues.js';
import { go } from '../router.js';
import { moment, tickers } from '../store.js';
import { html, useComputed } from '../ui.js';
import { CancelOrder } from './cancel-order.js';
import { SideMark } from './icons.js';
import { Foreign, OrderId, Pane, Seq, Table } from './parts.js';

/**
 * @param {{ symbol: string, market: any, name: string | null, orders: import('@preact/signals').ReadonlySignal<any[]>,
 *   position: import('@preact/signals').ReadonlySignal<any[]>, isCut: boolean }} props `isCut`: the account has more
 */
export function OwnOrders({ symbol, market, name, orders, position, isCut }) {
  // Times of another day have a date. Nothing else here depends on the time, nor on a price but its own cell.
  const today = useComputed(() => startOfDay(moment.value?.timeMs ?? 0));
  const queues = useQueues(name, orders.value);
  const rows = orders.value.map((order) => ({ ...order, queue: queues.value.get(order.orderId) }));
  rows.sort((a, b) => Number(priceOf(b).price ?? 0) - Number(priceOf(a).price ?? 0));
  if (name === null) {
    return html`<${Pane} class="own" title="Own orders"><p class="empty-row">There is no account yet: <code>POST /control/v1/accounts</code> creates one.</p></${Pane}>`;
  }
  const columns = [
    { title: 'Order', cell: (/** @type {any} */ order) => html`<${OrderId} id=${order.orderId} />`, class: 'c-id' },
    {
      title: 'Client id',
      class: 'c-client ink2',
      cell: (/** @type {any} */ { clientId }) => html`<${Foreign} text=${clientId} />`,
    },
    { title: 'Kind', cell: kindOf, class: 'c-kind' },
    {
      title: 'Side',
      cell: (/** @type {any} */ order) =>
        html`<span class=${`side ${order.side === 'BUY' ? 'buy' : 'sell'}`}><${SideMark} side=${order.side} />${order.side}</span>`,
      class: 'c-side',
    },
    { title: 'Size', right: true, cell: (/** @type {any} */ order) => sizeOf(order, market), class: 'c-size' },
    { title: 'Filled', right: true, cell: (/** @type {any} */ order) => filledOf(order, market), class: 'c-filled' },
    {
      title: 'Price or trigger',
      right: true,
      class: 'c-price strong',
      cell: (/** @type {any} */ order) => {
        const { label, price } = priceOf(order);
        return `${label === '' ? '' : `${label} `}${price === null ? (order.kind === 'trailing' ? 'not armed' : NONE) : priceText(market, price)}`;
      },
    },
    {
      title: 'Distance',
      right: true,
      class: 'c-away ink2',
      cell: (/** @type {any} */ order) => html`<${Away} order=${order} market=${market} />`,
    },
    {
      title: 'What it is doing',
      class: 'c-doing ink2',
      cell: (/** @type {any} */ order) => doingText(order, market, today.value),
    },
    {
      title: 'Placed at seq',
      right: true,
      secondary: true,
      cell: (/** @type {any} */ order) => html`<${Seq} seq=${order.seq} />`,
    },
    {
      title: html`<span class="sr">Cancel</span>`,
      class: 'c-cancel',
      cell: (/** @type {any} */ order) =>
        html`<${CancelOrder} id=${order.orderId} account=${order.account} symbol=${order.symbol} />`,
    },
  ];
  return html`<${Pane} class="own" label=${`Orders of ${name} in ${symbol}`} title=${`${name} in ${symbol}`}
    note=${html`<${PositionLine} market=${market} position=${position} />`} end=${html`<span class="ink2 nowrap">${isCut ? 'the newest ' : ''}${rows.length} open</span>`}
    call=${{ method: 'GET', path: `/accounts/${name}/orders?symbol=${symbol}` }}>
    <${Table} caption=${`Open orders of ${name} in ${symbol}`} class="orders" columns=${columns} rows=${rows} keyOf=${(/** @type {any} */ order) => order.orderId}
      open=${(/** @type {any} */ order) => go(`/orders/${order.orderId}`)} empty=${`${name} has no open order in ${symbol}.`} />
  </${Pane}>`;
}

/** How far its price is from the market. @param {{ order: any, market: any }} props */
function Away({ order, market }) {
  const distance = distanceOf(order, tickers.value.get(order.symbol));
  return distance === null ? NONE : `${gapText(market, distance)} away`;
}

/** @param {{ market: any, position: import('@preact/signals').ReadonlySignal<any[]> }} props */
function PositionLine({ market, position }) {
  const [first] = position.value;
  if (first === undefined) return market?.kind === 'spot' ? '' : 'no position';
  const isLong = first.direction === 'LONG';
  const distance = liquidationDistance(first);
  return html`<span>${isLong ? 'long' : 'short'} ${grouped(first.size)} = ${inBase(market, first.size)} at ${fixed(Number(first.entryPrice), priceDecimals(market))} · <span class=${`strong ${Number(first.unrealised) < 0 ? 'sell' : 'buy'}`}>${signed(Number(first.unrealised).toFixed(2))} ${market?.quote ?? ''}</span>${
    first.liquidationPrice === null
      ? ''
      : html` · <span class=${isNearLiquidation(first) ? 'warn strong' : ''}>liquidation ${grouped(first.liquidationPrice)}${distance === null ? '' : `, ${percent(distance, 1)} ${isLong ? 'below' : 'above'} mark`}</span>`
  }</span>`;
}
