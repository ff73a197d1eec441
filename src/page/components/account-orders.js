/** The orders of an account: open ones with what each is doing, or ended ones with how. */
import { kindOf } from '../../story/words.js';
import { useAllOrders } from '../all-orders.js';
import { grouped, momentText } from '../format.js';
import { byWhatIsNext, endedFilled, placedPrice, sizeOf } from '../orders.js';
import { usePastPrices } from '../past.js';
import { useQueues } from '../queues.js';
import { go } from '../router.js';
import { markets, moment, tickers } from '../store.js';
import { html, useComputed, useSignal } from '../ui.js';
import { OrderRow } from './order-row.js';
import { CutOrders, Foreign, Loading, OrderId, Pane, Segments, Table } from './parts.js';

/** Rows of orders: pictures for more would cost the browser more than anybody reads. */
const MOST_ROWS = 200;

/** @param {{ name: string, orders: any, path: string }} props */
export function AccountOrders({ name, orders, path }) {
  const which = useSignal('open');
  const open = useComputed(() => [...(orders.value?.open.values() ?? [])]);
  const queues = useQueues(name, open.value);
  usePastPrices([...new Set(open.value.map((order) => order.symbol))]);
  const nowMs = moment.value?.timeMs ?? 0;
  const tickerOf = (/** @type {string} */ symbol) => tickers.value.get(symbol);
  const withQueue = open.value.map((order) => ({ ...order, queue: queues.value.get(order.orderId) }));
  const byId = new Map(withQueue.map((order) => [order.orderId, order]));
  // The two legs of an OCO are one row: that of the limit.
  const siblingOf = (/** @type {any} */ order) =>
    order.details?.name === 'oco' ? byId.get(order.details.terms.sibling) : undefined;
  const isSecond = (/** @type {any} */ order) =>
    order.details?.name === 'oco' && order.details.terms.role === 'stop' && siblingOf(order) !== undefined;
  const rows = byWhatIsNext(
    withQueue.filter((order) => !isSecond(order)),
    tickerOf,
  );
  const { ended, more, isKnown, isBusy, problem, path: pathOfAll } = useAllOrders(name);
  return html`<${Pane} class="account-orders" title=${which.value === 'open' ? 'Open orders' : 'Ended orders'}
    note=${which.value === 'open' ? `${rows.length}, by what happens next` : `${isKnown ? grouped(ended.length) : '…'}${more === null ? '' : '+'}, the latest first`}
    end=${html`<${Segments} label="Which orders" choices=${
      /** @type {const} */ ([
        ['open', 'open'],
        ['ended', 'ended'],
      ])
    } chosen=${which.value} onChoose=${(/** @type {string} */ each) => {
      which.value = each;
    }} />`} call=${{ method: 'GET', path: which.value === 'ended' ? pathOfAll : `${path}/orders` }}>
    ${
      which.value === 'ended'
        ? isKnown
          ? html`<${Ended} name=${name} rows=${ended} nowMs=${nowMs} />
            ${problem !== '' && html`<p class="problem">${problem}</p>`}
            ${more !== null && html`<p class="empty-row"><button type="button" class="button" aria-busy=${isBusy} onClick=${more}>Look further back</button></p>`}`
          : html`<${Loading} what="the orders" rows=${3} />`
        : rows.length === 0
          ? orders.value === undefined
            ? html`<${Loading} what="the orders" rows=${3} />`
            : html`<p class="empty-row">${name} has no open order. What its bot places appears here at once.</p>`
          : html`<ul class="order-rows">${rows
              .slice(0, MOST_ROWS)
              .map(
                (order) =>
                  html`<${OrderRow} key=${order.orderId} order=${order} sibling=${siblingOf(order)} market=${markets.value.get(order.symbol)} ticker=${tickerOf(order.symbol)} nowMs=${nowMs} />`,
              )}</ul>
            ${rows.length > MOST_ROWS && html`<p class="empty-row">${grouped(rows.length - MOST_ROWS)} more. Each market shows its own.</p>`}
            <${CutOrders} orders=${orders.value} path=${path} />`
    }
  </${Pane}>`;
}

/** @param {{ name: string, rows: any[], nowMs: number }} props */
function Ended({ name, rows, nowMs }) {
  const sorted = [...rows].sort((a, b) => b.updatedMs - a.updatedMs || b.seq - a.seq);
  const market = (/** @type {any} */ row) => markets.value.get(row.symbol);
  return html`<${Table} caption=${`Ended orders of ${name}`} rows=${sorted.slice(0, MOST_ROWS)} keyOf=${(/** @type {any} */ row) => row.orderId} open=${(/** @type {any} */ row) => go(`/orders/${row.orderId}`)}
    empty=${`No order of ${name} has ended.`}
    columns=${[
      {
        title: 'Order',
        cell: (/** @type {any} */ row) => html`<${OrderId} id=${row.orderId} />`,
      },
      {
        title: 'Client id',
        class: 'ink2 whole',
        secondary: true,
        cell: (/** @type {any} */ row) => html`<${Foreign} text=${row.clientId} />`,
      },
      { title: 'Market', cell: (/** @type {any} */ row) => row.symbol },
      { title: 'Kind', cell: kindOf, secondary: true },
      {
        title: 'Side',
        cell: (/** @type {any} */ row) =>
          html`<span class=${row.side === 'BUY' ? 'buy strong' : 'sell strong'}>${row.side}</span>`,
      },
      { title: 'Size', right: true, cell: (/** @type {any} */ row) => sizeOf(row, market(row)) },
      { title: 'Filled', right: true, cell: (/** @type {any} */ row) => endedFilled(row, market(row)) },
      {
        title: 'Price or trigger',
        right: true,
        secondary: true,
        cell: (/** @type {any} */ row) => placedPrice(row, market(row)),
      },
      { title: 'How it ended', cell: (/** @type {any} */ row) => row.ended, class: 'ink2' },
      { title: 'At', right: true, cell: (/** @type {any} */ row) => momentText(row.updatedMs, nowMs), class: 'ink2' },
    ]} />`;
}
